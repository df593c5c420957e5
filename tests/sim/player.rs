//! A player: the real client, driven by a bot with moods.
//!
//! It plays, leaves and comes again, loads its page anew with the newest token or an old one, and may have a second tab on
//! the same account and tokens. Absent: the link itself (`net.rs`).

use std::collections::BTreeSet;

use roundtable::client::{Client, LinkState, Output, Setup};
use roundtable::limits::INPUT_QUEUE_MAX;
use roundtable::lobby::session;
use roundtable::rules::input::Controls;
use roundtable::wire::client_message::Hello;
use serde_json::json;

use crate::checkers::Checker;
use crate::games::Kind;
use crate::net::{Down, Up};
use crate::world::{Event, World};

pub const SECRET: &[u8] = b"the secret of the simulation";

/// What a walker has in mind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Coins,
    Portal,
    Stall,
}

pub struct Player {
    pub client: Client,
    pub account: String,
    /// Every token it was ever given, the newest last.
    tokens: Vec<String>,
    pub room: usize,
    /// The client's number of the connection it has, and the link.
    pub link: Option<(u32, usize)>,
    /// It does what a scenario says and nothing else.
    pub is_scripted: bool,
    /// It wants to play.
    pub wants: bool,
    goal: Goal,
    /// When it last heard of a tick or a step.
    pub heard_ms: u64,
    /// Strikes that were answered with yes, and those nobody knows of.
    pub struck: u64,
    pub unknown: u64,
    strikes: BTreeSet<u32>,
    /// The state of its link that was last spoken of.
    told: Option<LinkState>,
}

impl Player {
    /// Strikes that are not answered yet.
    pub fn waiting(&self) -> u64 {
        self.strikes.len() as u64
    }
}

impl World {
    pub fn add_player(&mut self) {
        let number = self.players.len();
        // The third is a second tab of the first.
        let account = format!("player-{}", if number == 2 { 0 } else { number });
        let room = self.dice.index(self.rooms.len());
        let client = self.new_client(&account, None);
        let player = Player {
            client,
            account,
            tokens: Vec::new(),
            room,
            link: None,
            is_scripted: false,
            wants: true,
            goal: if self.dice.chance(0.3) { Goal::Portal } else { Goal::Coins },
            heard_ms: 0,
            struck: 0,
            unknown: 0,
            strikes: BTreeSet::new(),
            told: None,
        };
        self.players.push(player);
        let first = self.dice.within(0, 2_000);
        self.at(self.now + first, Event::Player(number));
    }

    fn new_client(&mut self, account: &str, token: Option<String>) -> Client {
        let session = Some(session::issue(account, self.now, SECRET));
        let name = Some(account.to_owned());
        let hello = Hello { game: self.kind.name().to_owned(), name, token, session, ..Hello::default() };
        Client::new(Setup { hello, reloaded: false, seed: self.dice.word() }, self.now as f64)
    }

    /// The page is loaded anew, with this token.
    fn reload(&mut self, number: usize, token: Option<String>) {
        if let Some((_, link)) = self.players[number].link.take() {
            self.close_from_client(link);
        }
        let account = self.players[number].account.clone();
        let client = self.new_client(&account, token);
        let player = &mut self.players[number];
        player.unknown += std::mem::take(&mut player.strikes).len() as u64;
        player.client = client;
    }

    // ---- Its own time ----

    pub fn play(&mut self, number: usize) {
        let now = self.now as f64;
        self.players[number].client.handle_timeout(now);
        self.pump(number);
        let state = self.players[number].client.state();
        if self.players[number].told != Some(state) {
            self.players[number].told = Some(state);
            let last = self.players[number].client.stats(now).last_disconnect;
            let why = last.map(|last| {
                format!("{} ({}) {}", last.why, last.code.unwrap_or(0), last.reason.unwrap_or_default())
            });
            self.trace(|| format!("player {number}: {state:?} {why:?}"));
        }
        match state {
            LinkState::Online if !self.players[number].wants => self.leave(number),
            LinkState::Online if self.players[number].is_scripted => {}
            LinkState::Online => self.decide(number),
            LinkState::Ended if self.players[number].wants => {
                // Whom the room sent away for good presses the button after a while.
                self.players[number].client.connect_again(false, now);
            }
            LinkState::Waiting if !self.players[number].wants => self.leave(number),
            _ => {}
        }
        self.pump(number);
        if !self.is_calm {
            self.change_mood(number);
            self.pump(number);
        }
        let wait = match self.players[number].client.state() {
            LinkState::Waiting => self.dice.within(100, 1_000),
            LinkState::Ended => self.dice.within(2_000, 6_000),
            _ => self.dice.within(60, 140),
        };
        self.at(self.now + wait, Event::Player(number));
    }

    fn leave(&mut self, number: usize) {
        let now = self.now as f64;
        self.players[number].client.leave(now);
        self.pump(number);
        if self.players[number].client.state() != LinkState::Ended {
            // Gone without a word.
            self.reload(number, None);
            self.players[number].client.leave(now);
        }
    }

    fn change_mood(&mut self, number: usize) {
        let newest = self.players[number].tokens.last().cloned();
        match self.dice.within(0, 400) {
            0 | 1 => self.players[number].wants = false,
            2..=8 => self.players[number].wants = true,
            9 => self.reload(number, newest),
            10 => self.reload(number, None),
            11 => {
                let tokens = self.players[number].tokens.len();
                let old = self.dice.index(tokens);
                let token = self.players[number].tokens.get(old).cloned();
                self.reload(number, token);
            }
            12 if self.rooms.len() > 1 => {
                // By the address bar, the former tab's link still open for a while.
                self.players[number].room = self.dice.index(self.rooms.len());
                self.reload(number, None);
            }
            13 => self.players[number].client.handle_hidden(true, self.now as f64),
            14 => self.players[number].client.handle_hidden(false, self.now as f64),
            15 => self.players[number].client.say("hello", self.now as f64),
            16..=25 => {
                let goals = [Goal::Coins, Goal::Portal, Goal::Stall];
                self.players[number].goal = goals[self.dice.index(3)];
            }
            _ => {}
        }
    }

    // ---- Playing ----

    fn decide(&mut self, number: usize) {
        let now = self.now as f64;
        let client = &self.players[number].client;
        if client.seat().is_none() {
            return;
        }
        self.checks.expect(client.pending_inputs().count() <= INPUT_QUEUE_MAX, Checker::Queues, || {
            "a client's inputs".into()
        });
        match self.kind {
            Kind::Arena | Kind::Mint => {
                let mut controls = Controls::default();
                if self.dice.chance(0.5) {
                    controls.0[0] = self.dice.within(0, 254) as i16 - 127;
                    controls.0[1] = self.dice.within(0, 100) as i16 - 50;
                }
                controls.0[2] = (self.dice.word() & 1) as i16;
                if self.dice.chance(0.4) {
                    self.players[number].client.set_controls(controls, now);
                }
                if self.kind == Kind::Mint && self.dice.chance(0.1) {
                    let name = match self.dice.within(0, 99) {
                        0..15 => "go",
                        15..45 => "hand",
                        _ => "strike",
                    };
                    self.do_it(number, name, serde_json::Value::Null);
                }
            }
            Kind::Cards => {
                if self.dice.chance(0.1) {
                    let cards = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Star"];
                    let card = cards[self.dice.index(8)];
                    let draws = self.dice.chance(0.3);
                    let (name, args) =
                        if draws { ("draw", json!({})) } else { ("play", json!({ "card": card })) };
                    self.do_it(number, name, args);
                }
            }
            Kind::Isle => self.walk(number),
        }
    }

    fn walk(&mut self, number: usize) {
        let player = &self.players[number];
        let (Some(scene), Some(welcome)) = (player.client.newest(), player.client.welcome()) else { return };
        let seat = player.client.seat();
        let Some(me) = scene.bodies.iter().find(|body| body.seat == seat) else { return };
        let wanted = match player.goal {
            Goal::Coins => "coin",
            Goal::Portal => "portal",
            Goal::Stall => "stall",
        };
        let kind = welcome.kinds.iter().position(|kind| kind.name == wanted);
        let distance = |at: &[f64; 3]| (at[0] - me.at[0]).abs() + (at[1] - me.at[1]).abs();
        let all = scene.bodies.iter().filter(|body| Some(body.kind) == kind);
        let Some(nearest) = all.min_by(|a, b| distance(&a.at).total_cmp(&distance(&b.at))) else { return };
        let away = distance(&nearest.at);
        let (x, y) = (nearest.at[0] - me.at[0], nearest.at[1] - me.at[1]);
        let most = x.abs().max(y.abs()).max(0.01);
        let mut controls = Controls::default();
        (controls.0[0], controls.0[1]) = ((x / most * 89.0) as i16, (y / most * 89.0) as i16);
        let goal = player.goal;
        let now = self.now as f64;
        self.players[number].client.set_controls(controls, now);
        if away < 2.0 && self.dice.chance(0.3) {
            match goal {
                Goal::Coins => {}
                Goal::Portal => self.do_it(number, "enter", json!({})),
                Goal::Stall => self.do_it(number, "buy", json!({ "shells": 1 })),
            }
        }
    }

    pub fn do_it(&mut self, number: usize, name: &str, args: serde_json::Value) {
        let args = args.as_object().cloned().unwrap_or_default();
        let player = &mut self.players[number];
        let id = player.client.act(name, args, self.now as f64);
        if name == "strike" {
            player.strikes.insert(id);
        }
    }

    // ---- The client's outputs, and its link ----

    pub fn pump(&mut self, number: usize) {
        while let Some(output) = self.players[number].client.poll_output() {
            match output {
                Output::Connect { generation } => {
                    let link = self.dial(number, generation, self.players[number].room);
                    self.players[number].link = Some((generation, link));
                }
                Output::Send { generation, text } => {
                    if let Some((_, link)) = self.players[number].link.filter(|(of, _)| *of == generation) {
                        self.send_up(link, Up::Text(text));
                    }
                }
                Output::Close { generation, .. } => {
                    if let Some((_, link)) = self.players[number].link.take_if(|(of, _)| *of == generation) {
                        self.send_up(link, Up::Closed);
                    }
                }
                Output::StoreToken(token) => self.players[number].tokens.push(token),
                Output::NeedSession => {
                    let token = session::issue(&self.players[number].account, self.now, SECRET);
                    self.players[number].client.handle_session(Some(token), self.now as f64);
                }
                Output::Travel { room } => {
                    self.trace(|| format!("player {number} travels to {room}"));
                    if let Some(room) = self.rooms.iter().position(|of| of.setup.room == room) {
                        self.players[number].room = room;
                        self.players[number].goal = Goal::Coins;
                        self.reload(number, None);
                    }
                }
                Output::Did { id, tick, result } => {
                    let player = &mut self.players[number];
                    if player.strikes.remove(&id) {
                        // One that no room answered may have happened or not.
                        player.struck += u64::from(result.is_ok());
                        player.unknown += u64::from(tick.is_none());
                    }
                }
                Output::Reload => {
                    self.checks.violate(Checker::Clients, || "a client was told to reload".into())
                }
                Output::Notice(_) | Output::Say { .. } => {}
            }
        }
    }

    /// Something arrives at the client.
    pub fn down(&mut self, link: usize, what: Down) {
        let (number, generation) = (self.links[link].player, self.links[link].generation);
        if self.is_cut(link) || self.players[number].link != Some((generation, link)) {
            return;
        }
        let now = self.now as f64;
        match what {
            Down::Opened => self.players[number].client.handle_opened(generation, now),
            Down::Text(text) => {
                self.check_shown(link, &text);
                if text.starts_with(r#"{"t":"snap""#) {
                    self.players[number].heard_ms = self.now;
                }
                self.players[number].client.handle_text(generation, &text, now);
            }
            Down::Closed(code, reason) => {
                self.players[number].link = None;
                self.players[number].client.handle_closed(generation, code, &reason, now);
            }
        }
        self.pump(number);
    }

    /// The client hears that its link broke.
    pub fn lost_down(&mut self, link: usize) {
        let (number, generation) = (self.links[link].player, self.links[link].generation);
        if self.players[number].link == Some((generation, link)) {
            self.players[number].link = None;
            let now = self.now as f64;
            if self.dice.chance(0.3) {
                self.players[number].client.handle_failed(generation, now);
            } else {
                self.players[number].client.handle_closed(generation, 1006, "", now);
            }
            self.pump(number);
        }
    }

    /// It has a body in its room, and hears of it.
    pub fn plays(&self, number: usize) -> bool {
        let player = &self.players[number];
        let Some(seat) = player.client.seat() else { return false };
        let body =
            player.client.newest().is_some_and(|scene| scene.bodies.iter().any(|b| b.seat == Some(seat)));
        let hears = self.kind == Kind::Cards || player.heard_ms + 1_000 > self.now;
        player.client.state() == LinkState::Online && body && hears
    }
}
