//! Plays a shipped game through its host for a while, and gives what storage then holds: how old saves are made.

use roundtable::games::GAMES;
use roundtable::host::{CommitOutcome, ConnectionId, Host, Output, Setup, Write};
use roundtable::rules::cut::Cut;
use roundtable::rules::face::Game;
use roundtable::wire::client_message::Build;
use roundtable::wire::hello::Hello;
use roundtable::wire::lease::{LobbyAnswer, LobbyRequest};

pub const START_MS: u64 = 1_700_000_000_000;
const PLAYERS: u32 = 3;
const TICKS: u32 = 400;

pub fn game(name: &str) -> &'static dyn Game {
    let game = GAMES.iter().find(|(known, _)| *known == name).map(|(_, game)| game());
    game.expect("a game of this package")
}

pub fn setup(name: &str) -> Setup {
    let build = Build { id: "vector".to_owned(), at: 1 };
    Setup {
        game: game(name),
        game_name: name.to_owned(),
        room: "vector".to_owned(),
        build,
        leases: true,
        stopwatch: None,
        load: Default::default(),
        slept: false,
    }
}

/// The platform of one room: it keeps the folded cut, and a Lobby that grants every character anew.
pub struct Room {
    pub host: Host,
    stored: Cut,
    pub now_ms: u64,
    leases: u64,
}

impl Room {
    fn drain(&mut self) {
        loop {
            if let Some(commit) = self.host.poll_commit() {
                match commit.write {
                    Write::Row { bytes, .. } => self.stored.apply(&bytes).expect("a row"),
                    Write::Save { chunks } => {
                        self.stored = Cut::default();
                        self.stored.apply(&chunks.concat()).expect("a save");
                    }
                }
                self.host.handle_commit(CommitOutcome::Taken { rows_written: 1 }, self.now_ms);
            }
            let Some(output) = self.host.poll_output() else { return };
            if let Output::Call { call, request } = output {
                let answer = match *request {
                    LobbyRequest::Grant { .. } => {
                        self.leases += 1;
                        LobbyAnswer::Granted { lease: self.leases, body: None }
                    }
                    _ => LobbyAnswer::Done,
                };
                self.host.handle_answer(call, Some(answer), self.now_ms);
            }
        }
    }

    /// The next tick, each player's input now and then before it, with further controls.
    pub fn tick(&mut self, tick: u32, more: &str) {
        for player in 1..=PLAYERS {
            let turn = f64::from(tick / 40 + player);
            let (x, y) = (libm::cos(turn), libm::sin(turn));
            let text = format!(r#"{{"t":"in","e":1,"s":[[{tick},{{"move":[{x:.2},{y:.2}]{more}}}]]}}"#);
            if tick % 20 == 1 {
                self.host.handle_message(ConnectionId(player), &text, self.now_ms);
            }
        }
        self.now_ms = self.host.next_tick_ms().unwrap_or(self.now_ms);
        self.host.handle_tick(self.now_ms);
        self.drain();
    }
}

/// A room of this game that three have entered.
pub fn entered(name: &str) -> Room {
    let host = Host::create(setup(name), 77, START_MS);
    let mut room = Room { host, stored: Cut::default(), now_ms: START_MS, leases: 0 };
    for player in 1..=PLAYERS {
        let hello =
            Hello { v: 1, game: name.to_owned(), name: Some(format!("Ada {player}")), ..Hello::default() };
        let account = format!("account-{player}");
        let secret = u128::from(player).to_le_bytes();
        room.host.handle_hello(ConnectionId(player), &hello, Some(&account), secret, room.now_ms);
        room.drain();
    }
    room
}

/// What they hold besides their way.
pub fn held(name: &str) -> &'static str {
    if name == "arena" { r#","fire":true"# } else { "" }
}

/// The save of a room of this game in which three have walked about, and one has left.
pub fn played(name: &str) -> Vec<u8> {
    let (mut room, more) = (entered(name), held(name));
    (1..=TICKS).for_each(|tick| room.tick(tick, more));
    room.host.handle_message(ConnectionId(2), r#"{"t":"leave"}"#, room.now_ms);
    room.drain();
    room.stored.difference(&Cut::default())
}
