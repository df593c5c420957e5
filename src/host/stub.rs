//! A tiny game, a disk and a rig for the host's tests, so that they need no rules of a real game.
//!
//! A body moves by its stick and counts presses of `fire` durably. `over` ends or restarts the round.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::host::ledger::Ledger;
use crate::host::save::{self, SeatRecord};
use crate::host::secrets::Secret;
use crate::host::{
    Commit, CommitOutcome, ConnectionId, Facts, Host, Output, Setup, Stored, StoredRow, Write,
};
use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::{
    BodyRow, Broken, Effect, Game, Given, Round, SeatInfo, SeatInput, Sim, Snapshot, Standing,
};
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::motion::Pose;
use crate::rules::schema::{ControlSpec, ControlType, FieldSpec, FieldType, KindSpec, Room, Schema};
use crate::wire::client_message::{Build, Hello};
use crate::wire::close::CloseCode;
use crate::wire::server_message::{ServerMessage, Welcome};
use crate::wire::snap::Snap;

pub const CONTROLS: &[ControlSpec] = &[
    ControlSpec { name: "move", how: ControlType::Stick },
    ControlSpec { name: "fire", how: ControlType::Button },
    ControlSpec { name: "over", how: ControlType::Button },
];
pub const FIRE: usize = 2;

thread_local! {
    /// Every step fails; each test has a thread of its own.
    static BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// Makes every step fail from now, or none.
pub fn break_steps(broken: bool) {
    BROKEN.set(broken);
}

/// Controls with one button down.
pub fn held(word: usize) -> Controls {
    let mut controls = Controls::default();
    controls.0[word] = 1;
    controls
}

const FIELDS: &[FieldSpec] = &[FieldSpec {
    name: "score",
    ty: FieldType::Int { min: 0, max: 1_000_000 },
    durable: true,
    score: true,
    local: false,
}];

pub struct Stub {
    room: Room,
}

/// A match room of two seats, with 10 s of grace and 300 s until idle.
pub static MATCH: Stub = Stub { room: Room::rounds(120).seats(2) };
/// A lasting room of two seats.
pub static LASTING: Stub = Stub { room: Room::lasting().seats(2) };

#[derive(Clone, Debug)]
struct StubSim {
    tick: Tick,
    round: Round,
    /// By seat: position in steps, and score.
    bodies: BTreeMap<u16, ([i32; 2], i32)>,
    mark: u64,
    given: Given,
}

impl Game for Stub {
    fn schema(&self) -> Schema {
        let kind = KindSpec {
            name: "walker",
            player: true,
            shared: false,
            radius: 0.5,
            look: "disc #4af",
            bar: None,
            fields: FIELDS,
        };
        Schema { kinds: vec![kind], controls: CONTROLS.to_vec(), room: self.room.clone() }
    }

    fn create(&self, _seed: u64) -> Box<dyn Sim> {
        let round = Round { number: 1, live: true, ends_at: None };
        let bodies = BTreeMap::new();
        Box::new(StubSim { tick: Tick(0), round, bodies, mark: 0, given: Given::default() })
    }

    fn restore(&self, cut: &Cut) -> Result<Box<dyn Sim>, SaveError> {
        let record = cut.record(1, 0).ok_or(SaveError::Corrupt("no stub"))?;
        let (tick, number, live) = postcard::from_bytes(record).map_err(|_| SaveError::Corrupt("stub"))?;
        let mut bodies = BTreeMap::new();
        for (seat, record) in cut.section(2) {
            let body = postcard::from_bytes(record).map_err(|_| SaveError::Corrupt("stub body"))?;
            bodies.insert(u16::try_from(seat).map_err(|_| SaveError::Corrupt("stub seat"))?, body);
        }
        let round = Round { number, live, ends_at: None };
        Ok(Box::new(StubSim { tick: Tick(tick), round, bodies, mark: 0, given: Given::default() }))
    }
}

impl Sim for StubSim {
    fn tick(&self) -> Tick {
        self.tick
    }
    fn round(&self) -> Round {
        self.round
    }
    fn join(&mut self, seat: &SeatInfo) {
        let score = seat.character.as_ref().map_or(0, |character| character.fields[0].1);
        self.bodies.insert(seat.seat.0, ([0, 0], score));
        self.mark += 1;
    }
    fn leave(&mut self, seat: Seat) -> Option<Character> {
        let character = self.character(seat);
        self.bodies.remove(&seat.0);
        self.mark += 1;
        character
    }
    fn character(&self, seat: Seat) -> Option<Character> {
        let (at, score) = self.bodies.get(&seat.0)?;
        let pose = Pose { at: *at, ..Pose::default() };
        Some(Character { kind: "walker".to_owned(), pose, fields: vec![("score".to_owned(), *score)] })
    }
    fn step(&mut self, inputs: &[SeatInput]) -> Result<(), Broken> {
        if BROKEN.get() {
            return Err(Broken("the stub was told to break".to_owned()));
        }
        self.tick = self.tick.plus(1);
        for input in inputs {
            let Some((at, score)) = self.bodies.get_mut(&input.seat.0) else { continue };
            at[0] += i32::from(input.held.0[0]);
            at[1] += i32::from(input.held.0[1]);
            if input.pressed & 2 != 0 {
                *score += 1;
                self.mark += 1;
                self.given.effects.push(Effect { name: "bang", at: *at });
            }
            if input.pressed & 4 != 0 {
                let number = self.round.number + u32::from(!self.round.live);
                self.round = Round { number, live: !self.round.live, ends_at: None };
                self.given.round_changed = true;
            }
        }
        Ok(())
    }
    fn drain(&mut self) -> Given {
        std::mem::take(&mut self.given)
    }
    fn snapshot(&self, out: &mut Snapshot) {
        *out = Snapshot::default();
        for (fields_at, (seat, (at, score))) in (0..).zip(&self.bodies) {
            let (id, seat) = (BodyId(u32::from(*seat) + 1), Some(Seat(*seat)));
            out.bodies.push(BodyRow { id, kind: 0, seat, at: *at, heading: 0, fields_at });
            out.values.push(*score);
        }
    }
    fn cut(&self, cut: &mut Cut) {
        let room = (self.tick.0, self.round.number, self.round.live);
        cut.put(1, 0, postcard::to_allocvec(&room).expect("plain numbers"));
        for (seat, body) in &self.bodies {
            cut.put(2, u32::from(*seat), postcard::to_allocvec(body).expect("plain numbers"));
        }
    }
    fn durable_mark(&self) -> u64 {
        self.mark
    }
    fn digest(&self) -> u64 {
        let mut cut = Cut::default();
        self.cut(&mut cut);
        xxhash_rust::xxh64::xxh64(&cut.difference(&Cut::default()), 0)
    }
    fn standing(&self) -> Vec<Standing> {
        let row = |(seat, (_, score)): (&u16, &([i32; 2], i32))| Standing {
            seat: Seat(*seat),
            score: *score,
            place: 1,
        };
        self.bodies.iter().map(row).collect()
    }
}

/// Storage as the platform keeps it: a save, and a ring of rows.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    save: Vec<u8>,
    save_seq: u64,
    slots: BTreeMap<u32, StoredRow>,
    pub commits: Vec<Commit>,
}

impl Disk {
    pub fn write(&mut self, commit: &Commit) {
        match &commit.write {
            Write::Row { slot, bytes } => {
                self.slots.insert(*slot, StoredRow { seq: commit.seq, bytes: bytes.clone() });
            }
            Write::Save { chunks } => {
                self.save = chunks.concat();
                self.save_seq = commit.seq;
            }
        }
        self.commits.push(commit.clone());
    }

    pub fn stored(&self) -> Stored {
        let mut journal: Vec<StoredRow> = self.slots.values().cloned().collect();
        journal.sort_by_key(|row| row.seq);
        Stored { save: self.save.clone(), save_seq: self.save_seq, journal }
    }

    /// As a restore reads it; empty when nothing is stored.
    fn cut(&self) -> Option<Cut> {
        let is_new = self.commits.is_empty();
        (!is_new).then(|| Ledger::restore(&self.stored(), 0).expect("a save").0)
    }

    /// Each seat's score as it would be restored.
    pub fn scores(&self) -> BTreeMap<u16, i64> {
        let Some(cut) = self.cut() else { return BTreeMap::new() };
        let mut snapshot = Snapshot::default();
        LASTING.restore(&cut).expect("a save").snapshot(&mut snapshot);
        let score = |body: &BodyRow| Some((body.seat?.0, snapshot.values[body.fields_at as usize].into()));
        snapshot.bodies.iter().filter_map(score).collect()
    }

    fn seats(&self) -> Vec<(Seat, SeatRecord)> {
        let load = |cut| save::load(&cut, "stub", 2).expect("a save").1;
        self.cut().map(load).unwrap_or_default()
    }
}

/// A host with its storage and its sockets: the platform, for tests.
pub struct Rig {
    pub host: Host,
    pub disk: Disk,
    pub now_ms: u64,
    /// Writes fail.
    pub disk_fails: bool,
    /// In order, for every connection.
    pub sent: Vec<(u32, ServerMessage)>,
    pub closed: Vec<(u32, CloseCode, String)>,
    pub attachments: BTreeMap<u32, Vec<u8>>,
    /// What left before the commit it rests on, by the rule of lasting rooms.
    pub violations: Vec<String>,
    game: &'static Stub,
    secrets: u32,
}

pub const START_MS: u64 = 1_700_000_000_000;

pub fn setup(game: &'static Stub) -> Setup {
    let build = Build { id: "b1".to_owned(), at: 1 };
    Setup { game, game_name: "stub".to_owned(), room: "x".to_owned(), build, leases: true }
}

pub fn hello() -> Hello {
    Hello { v: 1, game: "stub".to_owned(), ..Hello::default() }
}

impl Rig {
    pub fn new(game: &'static Stub) -> Rig {
        Rig {
            host: Host::create(setup(game), 7, START_MS),
            disk: Disk::default(),
            now_ms: START_MS,
            disk_fails: false,
            sent: Vec::new(),
            closed: Vec::new(),
            attachments: BTreeMap::new(),
            violations: Vec::new(),
            game,
            secrets: 0,
        }
    }

    /// Commits what is due and performs what may leave, in the order that the host asks for.
    pub fn drain(&mut self) {
        if let Some(commit) = self.host.poll_commit() {
            let outcome = if self.disk_fails {
                CommitOutcome::Failed
            } else {
                self.disk.write(&commit);
                CommitOutcome::Taken { rows_written: 1 }
            };
            self.host.handle_commit(outcome, self.now_ms);
        }
        while let Some(output) = self.host.poll_output() {
            match output {
                Output::Send { to, text } => {
                    let message = ServerMessage::parse(&text).expect("our own message");
                    self.check(&message);
                    self.sent.push((to.0, message));
                }
                Output::Close { connection, close } => {
                    self.closed.push((connection.0, close.code, close.reason().to_owned()));
                    self.attachments.remove(&connection.0);
                }
                Output::Attach { connection, attachment } => {
                    self.attachments.insert(connection.0, attachment);
                }
                Output::Call { .. } | Output::Reply { .. } => {}
            }
        }
    }

    /// Holds a message that leaves against what a restore would bring back now.
    fn check(&mut self, message: &ServerMessage) {
        let holds = match message {
            ServerMessage::Snap(snap) => scores(snap) == self.disk.scores(),
            ServerMessage::Roster { roster, .. } => {
                let seats: Vec<u16> = self.disk.seats().iter().map(|(seat, _)| seat.0).collect();
                roster.iter().map(|row| row.seat).collect::<Vec<_>>() == seats
            }
            ServerMessage::Welcome(welcome) => welcome.you.as_ref().is_none_or(|you| {
                self.disk.seats().iter().any(|(seat, record)| {
                    let is_stay = (seat.0, record.occupancy.0) == (you.seat, you.occ);
                    is_stay && Secret(record.token).token() == you.token
                })
            }),
            _ => true,
        };
        if !holds {
            let kind = if matches!(message, ServerMessage::Welcome(_)) { "welcome" } else { "frame" };
            self.violations.push(format!("{kind} {}", message.to_json()));
        }
    }

    /// Another one at each call.
    fn secret(&mut self) -> [u8; 16] {
        self.secrets += 1;
        u128::from(self.secrets).to_le_bytes()
    }

    pub fn hello(&mut self, connection: u32, hello: &Hello) {
        let secret = self.secret();
        self.host.handle_hello(ConnectionId(connection), hello, None, secret, self.now_ms);
        self.drain();
    }

    /// A new player comes in.
    pub fn join(&mut self, connection: u32) -> Welcome {
        self.hello(connection, &hello());
        self.welcome(connection)
    }

    /// Someone knocks with a token.
    pub fn knock(&mut self, connection: u32, token: &str) -> Welcome {
        self.hello(connection, &Hello { token: Some(token.to_owned()), ..hello() });
        self.welcome(connection)
    }

    pub fn say(&mut self, connection: u32, text: &str) {
        self.host.handle_message(ConnectionId(connection), text, self.now_ms);
        self.drain();
    }

    /// One entry for the tick after the newest, such as `{"fire":true}`.
    pub fn input(&mut self, connection: u32, controls: &str) {
        let facts = self.facts();
        let (epoch, tick) = (facts.epoch, facts.tick + 1);
        self.say(connection, &format!(r#"{{"t":"in","e":{epoch},"s":[[{tick},{controls}]]}}"#));
    }

    pub fn lose(&mut self, connection: u32) {
        self.host.handle_close(ConnectionId(connection), self.now_ms);
        self.attachments.remove(&connection);
        self.drain();
    }

    /// Runs the next `ticks`, each at its due time.
    pub fn ticks(&mut self, ticks: u32) {
        for _ in 0..ticks {
            let Some(due) = self.host.next_tick_ms() else { return };
            self.now_ms = self.now_ms.max(due);
            self.host.handle_tick(self.now_ms);
            self.drain();
        }
    }

    /// Runs ticks until `ms` from now.
    pub fn run_ms(&mut self, ms: u64) {
        let until = self.now_ms + ms;
        while self.host.next_tick_ms().is_some_and(|due| due <= until) {
            self.ticks(1);
        }
        self.now_ms = until;
    }

    /// The process dies, sockets and all, and comes back.
    pub fn crash(&mut self) {
        self.attachments.clear();
        self.come_back();
    }

    /// The room is made anew from storage and the sockets that are attached still.
    pub fn come_back(&mut self) {
        let attached: Vec<_> =
            self.attachments.iter().map(|(id, bytes)| (ConnectionId(*id), bytes.clone())).collect();
        self.sent.clear();
        self.closed.clear();
        self.host = Host::restore(setup(self.game), &self.disk.stored(), &attached, self.now_ms)
            .expect("the save restores");
        self.drain();
    }

    pub fn facts(&self) -> Facts {
        self.host.facts(self.now_ms)
    }

    /// The newest welcome of a connection.
    pub fn welcome(&self, connection: u32) -> Welcome {
        self.welcomes(connection).pop().expect("welcomed")
    }

    pub fn welcomes(&self, connection: u32) -> Vec<Welcome> {
        let welcome = |message: &ServerMessage| match message {
            ServerMessage::Welcome(welcome) => Some(welcome.as_ref().clone()),
            _ => None,
        };
        self.to(connection).filter_map(welcome).collect()
    }

    pub fn snaps(&self, connection: u32) -> Vec<Snap> {
        let snap = |message: &ServerMessage| match message {
            ServerMessage::Snap(snap) => Some(snap.clone()),
            _ => None,
        };
        self.to(connection).filter_map(snap).collect()
    }

    pub fn to(&self, connection: u32) -> impl Iterator<Item = &ServerMessage> {
        self.sent.iter().filter(move |(to, _)| *to == connection).map(|(_, message)| message)
    }

    /// The code of the newest close of a connection.
    pub fn close_of(&self, connection: u32) -> Option<CloseCode> {
        self.closed.iter().rev().find(|(id, ..)| *id == connection).map(|(_, code, _)| *code)
    }
}

/// The score that a snapshot shows of each seat.
pub fn scores(snap: &Snap) -> BTreeMap<u16, i64> {
    let score = |body: &crate::wire::snap::SnapBody| Some((body.seat?, body.f.get("score")?.as_i64()?));
    snap.d.1.iter().filter_map(score).collect()
}
