//! One room's policy, sans-I/O: seats, resume tokens, inputs, the tick schedule, commits, and what may leave
//! when.
//!
//! The platform feeds events with the time as an argument and then drains, always in this order:
//! `poll_commit` → perform it → `handle_commit` → `poll_output` until none. Nothing that rests on uncommitted
//! state of a persistent room is handed out by `poll_output` before `handle_commit` said it was taken.
//! Absent: clocks, sockets, SQL, randomness (secrets are arguments), `async`.
//!
//! Methods are getters, `handle_*` (events), or `poll_*` (effects).

use serde::Serialize;

use crate::rules::face::Game;
use crate::rules::ids::{Epoch, Tick};
use crate::wire::client_message::{Build, Hello};
use crate::wire::close::Close;

/// A connection of this incarnation of the room. The platform numbers sockets and keeps the number in the
/// attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u32);

/// What a room is made with.
#[derive(Clone)]
pub struct Setup {
    pub game: &'static dyn Game,
    pub game_name: String,
    pub room: String,
    pub build: Build,
}

/// What storage holds of a room. `journal` in rising order of `seq`.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    pub save: Vec<u8>,
    pub save_seq: u64,
    pub journal: Vec<StoredRow>,
}

#[derive(Clone, Debug)]
pub struct StoredRow {
    pub seq: u64,
    pub bytes: Vec<u8>,
}

/// One commit: all of it in one transaction, before any output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Rises by one with each commit of a room, through restores.
    pub seq: u64,
    pub epoch: Epoch,
    pub tick: Tick,
    pub write: Write,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// One journal row, put in `slot` with REPLACE.
    Row { slot: u32, bytes: Vec<u8> },
    /// A fold: the whole save in chunks, replacing the former one.
    Save { chunks: Vec<Vec<u8>> },
}

/// What the platform says of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    Taken {
        rows_written: u64,
    },
    /// The transaction threw: nothing of it is stored.
    Failed,
}

/// What leaves a room.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A text frame.
    Send { to: ConnectionId, text: std::rc::Rc<str> },
    /// Send `bye`, close the socket, forget the connection.
    Close { connection: ConnectionId, close: Close },
    /// Keep these bytes with the socket, so that a wake from hibernation finds its connection again (at most
    /// 2 kB).
    Attach { connection: ConnectionId, attachment: Vec<u8> },
}

/// One room in memory. See the module for the order of calls.
pub struct Host {}

impl Host {
    /// A new room; nothing is stored yet.
    pub fn create(setup: Setup, seed: u64, now_ms: u64) -> Host {
        let _ = (setup, seed, now_ms);
        todo!()
    }
    /// The room from its last commit. `attached` are the sockets that outlived the former incarnation
    /// (hibernation).
    pub fn restore(
        setup: Setup,
        stored: &Stored,
        attached: &[(ConnectionId, Vec<u8>)],
        now_ms: u64,
    ) -> Result<Host, crate::rules::cut::SaveError> {
        let _ = (setup, stored, attached, now_ms);
        todo!()
    }

    /// A checked hello on a connection that has not said one. `secret`: 128 random bits for its token.
    pub fn handle_hello(&mut self, connection: ConnectionId, hello: &Hello, secret: [u8; 16], now_ms: u64) {
        let _ = (connection, hello, secret, now_ms);
        todo!()
    }
    /// A text message of a connection that has said hello.
    pub fn handle_message(&mut self, connection: ConnectionId, text: &str, now_ms: u64) {
        let _ = (connection, text, now_ms);
        todo!()
    }
    /// The socket is gone (closed or failed; the first word counts).
    pub fn handle_close(&mut self, connection: ConnectionId, now_ms: u64) {
        let _ = (connection, now_ms);
        todo!()
    }
    /// A loop takes over the ticks: lateness is judged here and nowhere else (no timer is pending now).
    pub fn handle_take_over(&mut self, now_ms: u64) {
        let _ = now_ms;
        todo!()
    }
    /// Runs the tick that is due, if one is; a spurious call is harmless.
    pub fn handle_tick(&mut self, now_ms: u64) {
        let _ = now_ms;
        todo!()
    }

    /// When the next tick is due; none while paused or stopped.
    pub fn next_tick_ms(&self) -> Option<u64> {
        todo!()
    }
    /// When the alarm must fire: next pulse (live), else none. Never at or before `now_ms`.
    pub fn next_alarm_ms(&self, now_ms: u64) -> Option<u64> {
        let _ = now_ms;
        todo!()
    }
    /// This incarnation has ended: drop it after draining; the next event restores from the last commit.
    pub fn has_ended(&self) -> bool {
        todo!()
    }

    pub fn poll_commit(&mut self) -> Option<Commit> {
        todo!()
    }
    pub fn handle_commit(&mut self, outcome: CommitOutcome, now_ms: u64) {
        let _ = (outcome, now_ms);
        todo!()
    }
    pub fn poll_output(&mut self) -> Option<Output> {
        todo!()
    }

    pub fn facts(&self, now_ms: u64) -> Facts {
        let _ = now_ms;
        todo!()
    }
}

/// What an operator sees of a room (camelless names: `rows_written`), serialised as the answer of `/facts`.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    pub tick: u32,
}
