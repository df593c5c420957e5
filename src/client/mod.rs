//! The netplay client, sans-I/O: the browser, native bots and the simulation share it.
//!
//! The owner feeds events with the time as an argument and then drains `poll_output` until none;
//! `handle_timeout` at least once a second (a spurious call is harmless). Every connection has a generation:
//! `Output::Connect` names it, the owner passes it with the socket's events, and what a dead socket still
//! says is ignored. Milliseconds throughout; own clock and room's clock may differ by any amount. Absent:
//! sockets, clocks, randomness (a seed), drawing.
//!
//! Methods are getters, `handle_*` (events), commands, `poll_output` (effects), and `frame`.

mod actions;
mod backoff;
mod clock;
mod effects;
mod frame;
mod inputs;
mod link;
mod receive;
mod snapshots;
mod stats;
#[cfg(test)]
mod tests;
mod transmit;

use std::collections::VecDeque;

use serde::Serialize;
use serde_json::json;

use crate::client::actions::Actions;
use crate::client::clock::Clock;
use crate::client::effects::{Effects, ShownEffect};
use crate::client::inputs::Inputs;
use crate::client::link::{Due, Link, Loss, Verdict};
use crate::client::snapshots::Snapshots;
use crate::client::stats::Meter;
use crate::limits::{SAY_CHARS_MAX, SEATS_MAX};
use crate::rules::ids::Tick;
use crate::rules::input::Controls;
use crate::wire::client_message::{Build, ClientMessage, Hello, InputEntry};
use crate::wire::close::CloseCode;
use crate::wire::names::{clean_name, clean_text};
use crate::wire::server_message::{AreaInfo, RosterRow, RoundInfo, Welcome};
use crate::wire::{PROTOCOL_REVISION, PROTOCOL_VERSION};

pub use crate::client::frame::{FRAME_LAYOUT, FrameHeader, HEADER_LEN};
pub use crate::client::link::{LastDisconnect, LinkState};
pub use crate::client::snapshots::{Details, Scene, SceneBody};
pub use crate::client::stats::{NetStats, TelemetrySource};

/// Shared state of a room: values by name.
pub type Shared = serde_json::Map<String, serde_json::Value>;

/// What a client is made with.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// What it says of itself. `v`, `rev` and `coast` are filled in; `token` is the one kept from before, if
    /// any.
    pub hello: Hello,
    /// The page was reloaded once already because the room said it was older.
    pub reloaded: bool,
    /// Of the jitter of reconnecting.
    pub seed: u64,
}

/// What the owner has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Open a socket; its events carry this generation.
    Connect {
        generation: u32,
    },
    Send {
        generation: u32,
        text: String,
    },
    /// Close that generation's socket; nothing it says is heard any more.
    Close {
        generation: u32,
        code: u16,
        reason: &'static str,
    },
    /// Keep this resume token for this room and tab.
    StoreToken(String),
    /// Get a session of an account and answer with `handle_session`.
    NeedSession,
    /// The room runs a newer build and cannot speak with this one: reload the page, once.
    Reload,
    /// Go to the room of this name.
    Travel {
        room: String,
    },
    Notice(Notice),
    /// Somebody spoke.
    Say {
        seat: u16,
        text: String,
    },
    /// What became of an action, by the id that `act` gave: once for each.
    Did {
        id: u32,
        /// Of the room; none when it was not the room that answered.
        tick: Option<u32>,
        /// Why not, in words for the player.
        result: Result<(), String>,
    },
}

/// Something the player should be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// The link is back, in the same seat.
    Back,
    /// The link is back, but the former seat is gone: this is a new one.
    NewSeat,
    /// The room was restored from its last commit.
    Restored,
    /// A newer build is live: a reload is offered.
    NewBuild,
}

/// The netplay client. See the module for the order of calls.
pub struct Client {
    hello: Hello,
    link: Link,
    clock: Clock,
    inputs: Inputs,
    actions: Actions,
    snapshots: Snapshots,
    effects: Effects,
    meter: Meter,
    welcome: Option<Box<Welcome>>,
    shared: Shared,
    areas: Vec<AreaInfo>,
    /// `g`: the tick of the newest snapshot received on this connection.
    held_tick: Option<Tick>,
    is_hidden: bool,
    is_spoken_of: bool,
    live_build: Option<Build>,
    welcome_version: u32,
    room_version: u32,
    shown: Vec<ShownEffect>,
    outputs: VecDeque<Output>,
}

impl Client {
    /// A client that dials at the next `handle_timeout`.
    #[must_use]
    pub fn new(setup: Setup, now_ms: f64) -> Client {
        let mut hello = setup.hello;
        hello.bots = hello.bots.map(|seats| seats.min(SEATS_MAX));
        (hello.v, hello.rev, hello.coast) = (PROTOCOL_VERSION, Some(PROTOCOL_REVISION), Some(1));
        Client {
            live_build: hello.build.clone(),
            hello,
            link: Link::new(setup.seed, setup.reloaded, now_ms),
            clock: Clock::default(),
            inputs: Inputs::new(now_ms),
            actions: Actions::default(),
            snapshots: Snapshots::new(),
            effects: Effects::default(),
            meter: Meter::default(),
            welcome: None,
            shared: Shared::new(),
            areas: Vec::new(),
            held_tick: None,
            is_hidden: false,
            is_spoken_of: false,
            welcome_version: 0,
            room_version: 0,
            shown: Vec::new(),
            outputs: VecDeque::new(),
        }
    }

    // ---- Events ----

    /// The socket is open: says hello.
    pub fn handle_opened(&mut self, generation: u32, now_ms: f64) {
        if self.link.is_live(generation) && self.link.state == LinkState::Connecting {
            self.link.opened(now_ms);
            self.held_tick = None;
            self.send(&ClientMessage::Hello(Box::new(self.hello.clone())), now_ms);
        }
    }

    /// The socket closed. `code` is what the browser says, 1006 for none.
    pub fn handle_closed(&mut self, generation: u32, code: u16, reason: &str, now_ms: f64) {
        if self.link.is_live(generation) {
            let reason = (!reason.is_empty()).then(|| reason.to_owned());
            self.lose(Loss { why: "close", code: Some(code), reason }, now_ms);
        }
    }

    /// The socket failed. A browser says nothing else about it, so there is no code; the socket is closed.
    pub fn handle_failed(&mut self, generation: u32, now_ms: f64) {
        if self.link.is_live(generation) {
            self.hang_up("error", now_ms);
        }
    }

    /// The browser came online: a back-off is cut short.
    pub fn handle_online(&mut self, now_ms: f64) {
        self.link.online(now_ms);
        self.handle_timeout(now_ms);
    }

    /// A session as it was asked for; none: it could not be had, and is asked for again after a while. One that nobody
    /// asked for is dropped.
    pub fn handle_session(&mut self, token: Option<String>, now_ms: f64) {
        if self.link.is_session_asked() {
            self.link.session_came(token.is_some(), now_ms);
            self.hello.session = token.or(self.hello.session.take());
            self.handle_timeout(now_ms);
        }
    }

    /// The page was hidden or shown. The room is told at once, since the timers of a hidden page are slow.
    pub fn handle_hidden(&mut self, is_hidden: bool, now_ms: f64) {
        if self.is_hidden != is_hidden {
            self.is_hidden = is_hidden;
            if self.link.is_up() {
                self.ping(now_ms);
            }
        }
    }

    /// Time has passed: dials, pings, sends inputs, or gives a silent link up, whatever is due.
    pub fn handle_timeout(&mut self, now_ms: f64) {
        match self.link.poll(now_ms) {
            Some(Due::Dial) => {
                let generation = self.link.dial(now_ms);
                self.outputs.push_back(Output::Connect { generation });
            }
            Some(Due::Silent) => self.hang_up("silent", now_ms),
            None => {}
        }
        if self.link.is_up() {
            let is_ping_due = match self.is_event_driven() {
                true => self.clock.is_event_ping_due(now_ms),
                false => self.clock.is_ping_due(now_ms),
            };
            if is_ping_due {
                self.ping(now_ms);
            }
            self.send_inputs(now_ms);
        }
    }

    // ---- Commands ----

    /// What the player holds from now on, as words in the order of the welcome's inputs.
    pub fn set_controls(&mut self, controls: Controls, now_ms: f64) {
        self.inputs.set(controls, self.target_tick(now_ms));
        if self.link.is_up() {
            self.send_inputs(now_ms);
        }
    }

    /// Says something to the room.
    pub fn say(&mut self, text: &str, now_ms: f64) {
        let text = clean_text(text, SAY_CHARS_MAX);
        if self.link.is_up() && !text.is_empty() {
            self.send(&ClientMessage::Say(text), now_ms);
        }
    }

    /// The player's name, from the next seat on: a name is that of a stay.
    pub fn set_name(&mut self, name: &str) {
        self.hello.name = Some(clean_name(name));
    }

    /// Gives the seat up and ends the link.
    pub fn leave(&mut self, now_ms: f64) {
        if self.link.is_up() {
            self.send(&ClientMessage::Leave, now_ms);
            self.hello.token = None;
            self.hang_up("left", now_ms);
        }
    }

    /// Tries again: after an end, or without waiting. `watch`: as a spectator.
    pub fn connect_again(&mut self, watch: bool, now_ms: f64) {
        self.hello.watch = watch;
        if self.link.is_up() {
            self.hang_up("left", now_ms);
        }
        self.link.again(now_ms);
        self.handle_timeout(now_ms);
    }

    // ---- Effects ----

    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    // ---- Getters ----

    #[must_use]
    pub fn state(&self) -> LinkState {
        self.link.state
    }

    #[must_use]
    pub fn welcome(&self) -> Option<&Welcome> {
        self.welcome.as_deref()
    }

    #[must_use]
    pub fn seat(&self) -> Option<u16> {
        self.welcome.as_ref()?.you.as_ref().map(|you| you.seat)
    }

    #[must_use]
    pub fn roster(&self) -> &[RosterRow] {
        self.welcome.as_ref().map_or(&[], |welcome| &welcome.roster)
    }

    #[must_use]
    pub fn round(&self) -> &RoundInfo {
        &self.snapshots.round
    }

    /// What the room shares with everyone, as it last said.
    #[must_use]
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The areas there are, as the room last said.
    #[must_use]
    pub fn areas(&self) -> &[AreaInfo] {
        &self.areas
    }

    /// Texts and lists of the newest bodies: `{id: {field: value}}`.
    #[must_use]
    pub fn details(&self) -> &Details {
        &self.snapshots.details
    }

    /// No ticks: the room speaks when something happens.
    #[must_use]
    pub fn is_event_driven(&self) -> bool {
        self.welcome.as_ref().is_some_and(|welcome| welcome.hz.is_none())
    }

    #[must_use]
    pub fn epoch(&self) -> u32 {
        self.snapshots.epoch
    }

    /// The newest bodies held, not smoothed: what a program decides by.
    #[must_use]
    pub fn newest(&self) -> Option<&Scene> {
        self.snapshots.newest()
    }

    /// Own entries that the room has not said it used.
    pub fn pending_inputs(&self) -> impl Iterator<Item = &InputEntry> {
        self.inputs.pending().iter()
    }

    /// The link's account for a page: state, why it is not up, and what may be done about it.
    #[must_use]
    pub fn link_json(&self, now_ms: f64) -> String {
        let loss = self.link.last_loss.as_ref().filter(|_| !self.link.is_up());
        let code = loss.and_then(|loss| loss.code);
        json!({
            "state": self.link.state,
            "why": loss.map(|loss| loss.why),
            "code": code,
            "name": code.and_then(CloseCode::from_code).map(CloseCode::name),
            "reason": loss.and_then(|loss| loss.reason.as_deref()),
            "retryInMs": self.link.retry_in_ms(now_ms),
            "watch": self.hello.watch,
            "wasUp": self.welcome.is_some(),
            "lastDisconnect": self.link.last_disconnect,
        })
        .to_string()
    }

    // ---- Inner ----

    /// Ends the live connection from this side.
    fn hang_up(&mut self, why: &'static str, now_ms: f64) {
        let generation = self.link.generation();
        let code = CloseCode::Lost.code();
        self.outputs.push_back(Output::Close { generation, code, reason: why });
        self.lose(Loss::of(why), now_ms);
    }

    fn lose(&mut self, loss: Loss, now_ms: f64) {
        self.held_tick = None;
        let verdict = self.link.lose(loss, now_ms);
        if self.link.state == LinkState::Ended {
            self.end_actions();
        }
        match verdict {
            Verdict::Wait | Verdict::Final => {}
            Verdict::Reload => self.outputs.push_back(Output::Reload),
            Verdict::Travel(room) => self.outputs.push_back(Output::Travel { room }),
            Verdict::Session => self.outputs.push_back(Output::NeedSession),
        }
    }
}
