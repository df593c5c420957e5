//! One room's policy, sans-I/O: seats, resume tokens, inputs, the tick schedule, commits, and what may leave
//! when.
//!
//! The platform feeds events with the time as an argument and then drains, always in this order:
//! `poll_commit` → perform it → `handle_commit` → `poll_output` until none. Nothing that rests on uncommitted
//! state of a persistent room is handed out by `poll_output` before `handle_commit` said it was taken.
//! Absent: clocks, sockets, SQL, randomness (secrets are arguments), `async`.
//!
//! Methods are getters, `handle_*` (events), or `poll_*` (effects).

mod act;
mod actions;
mod admin;
mod admit;
mod bots;
mod caretaker;
mod connections;
mod costs;
mod counters;
mod events;
pub mod export;
mod facts;
#[cfg(feature = "mutations")]
mod fingerprint;
mod hold_record;
mod holds;
mod inputs;
mod join;
mod ledger;
pub mod life;
mod outbox;
pub mod overrun;
pub mod parking;
mod prices;
mod publish;
pub mod pulse;
mod recording;
mod records;
mod restore;
mod returns;
mod revoked;
mod room_record;
mod save;
mod schedule;
mod seat_record;
mod seats;
mod secrets;
mod sight;
mod spent;
mod step;
mod stored;
mod talk;
mod tick;
mod timings;

#[cfg(test)]
mod act_checker;
#[cfg(test)]
mod checker;
#[cfg(test)]
mod lease_checker;
#[cfg(test)]
mod life_checker;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod stub;
#[cfg(test)]
mod stub_lobby;

pub use facts::{
    ActionFacts, DriverFacts, Facts, HandlerFacts, HoldFacts, InputFacts, LastFault, LostFacts, MindFacts,
    StorageFacts,
};
pub use recording::{RecordingFacts, RecordingWrite, StoredRecording};
pub use records::RecordRow;
pub use stored::{Commit, CommitOutcome, Stored, StoredRow, Write};

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::host::connections::Connections;
use crate::host::costs::Costs;
use crate::host::counters::Counters;
use crate::host::holds::Holds;
use crate::host::ledger::Ledger;
use crate::host::outbox::Outbox;
use crate::host::overrun::{Load, Overrun};
use crate::host::records::{Records, RoomUid};
use crate::host::schedule::Schedule;
use crate::host::seats::Seats;
use crate::host::sight::SendTimes;
use crate::host::timings::Timings;
use crate::rules::face::{Game, Given, Snapshot};
use crate::rules::ids::Epoch;
use crate::rules::replay::recorded::Recorded;
use crate::rules::schema::{Lifetime, Schema};
use crate::wire::client_message::Build;
use crate::wire::close::{Close, CloseCode};
use crate::wire::describe::GameInfo;
use crate::wire::lease::{LobbyRequest, TableAnswer};

/// A connection of this incarnation of the room. The platform numbers sockets, each greater than those
/// before, and keeps the number in the attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u32);

/// A call to another object. Its answer comes by `handle_answer`, once: the platform says `None` when it was lost or
/// has taken longer than `PEER_CALL_MS`, and hands in no answer to a call of a former incarnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// A request from another object, numbered by the platform. Its answer leaves as `Output::Reply`; one that never does
/// (this incarnation ended) is answered `busy` by the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplyId(pub u32);

/// What a room is made with.
#[derive(Clone)]
pub struct Setup {
    pub game: &'static dyn Game,
    pub game_name: String,
    pub room: String,
    pub build: Build,
    /// There is a Lobby that leases characters. Without one (offline) a game with characters asks for none.
    pub leases: bool,
    /// Reads a clock in milliseconds, for the timings among the facts; nothing is decided by it. A simulation has none.
    pub stopwatch: Option<fn() -> f64>,
    /// What the rooms of this isolate know of each other's load.
    pub load: Rc<RefCell<Load>>,
    /// Sockets that are attached outlived a sleep of the object, not a fault in it: after a fault they need a welcome,
    /// whatever storage says.
    pub slept: bool,
}

impl Setup {
    /// Game and room: no two of an isolate have the same.
    pub(super) fn label(&self) -> String {
        format!("{}/{}", self.game_name, self.room)
    }
}

/// A socket that outlived the former incarnation of its room.
#[derive(Clone, Debug)]
pub struct Attached {
    pub connection: ConnectionId,
    /// The bytes of its newest `Output::Attach`.
    pub attachment: Vec<u8>,
    /// 128 random bits for the token of its welcome, if it needs one.
    pub secret: [u8; 16],
}

/// How an incarnation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub why: String,
    pub sort: EndSort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndSort {
    /// As somebody wanted it.
    Stopped,
    /// Not as it should: several of these park the room.
    Failed,
    /// A lasting room ran too few of its ticks: it is parked at once.
    Overrun,
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
    /// Ask the lease object of the request's account.
    Call { call: CallId, request: Box<LobbyRequest> },
    /// Give these to D1, each once by its id; `handle_recorded` hears of it, as a call is answered.
    Record { call: CallId, rows: Vec<RecordRow> },
    /// The answer to a request of another object.
    Reply { reply: ReplyId, answer: TableAnswer },
}

impl Output {
    /// The connection it is for, if it is for one.
    #[must_use]
    pub fn connection(&self) -> Option<ConnectionId> {
        match self {
            Output::Send { to, .. } => Some(*to),
            Output::Close { connection, .. } | Output::Attach { connection, .. } => Some(*connection),
            Output::Call { .. } | Output::Record { .. } | Output::Reply { .. } => None,
        }
    }
}

/// One room in memory. See the module for the order of calls.
pub struct Host {
    setup: Setup,
    schema: Schema,
    /// What every welcome says of the game.
    info: GameInfo,
    info_hash: String,
    /// What the copies of characters say they were written by.
    schema_hash: String,
    sim: Recorded,
    /// The snapshot of the newest tick; kept for its memory.
    snapshot: Snapshot,
    /// What everyone was last told of the shared kinds, and the words it was made from.
    shared_words: Vec<i32>,
    shared: Map<String, Value>,
    epoch: Epoch,
    uid: RoomUid,
    seats: Seats,
    holds: Holds,
    records: Records,
    connections: Connections,
    /// Seats that a player wishes to be held.
    bots_asked: u16,
    /// Actions that came in so far: their order.
    arrivals: u64,
    sent: SendTimes,
    schedule: Schedule,
    ledger: Ledger,
    outbox: Outbox,
    counters: Counters,
    costs: Costs,
    timings: Timings,
    overrun: Overrun,
    /// Of the newest event.
    now_ms: u64,
    /// The rules' durable mark when the newest commit was made.
    durable_mark: u64,
    /// Since when every step of a match room has failed.
    broken_since_ms: Option<u64>,
    /// Since when a lasting world has stood still, and does not know it yet.
    slept_since_ms: Option<u64>,
    /// Records that the newest cut had: the number after the last.
    records_cut: u32,
    /// What the rules gave out between two steps, for the next one to show.
    carried: Given,
    /// When an event-driven room gives actions again that were not come to.
    retry_ms: u64,
    ended: Option<End>,
    /// The room stops once this is written.
    stopping: bool,
}

impl Host {
    /// When the next tick is due; none while paused or stopped.
    #[must_use]
    pub fn next_tick_ms(&self) -> Option<u64> {
        self.schedule.next_ms().filter(|_| !self.has_ended())
    }

    /// Nobody has ever been let in: nothing is stored, nobody is connected, and nobody's character is asked for.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.ledger.is_new() && self.connections.is_empty() && self.holds.is_empty()
    }

    /// This incarnation has ended: drop it after draining; the next event restores from the last commit.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// How it ended, if it has.
    #[must_use]
    pub fn end_of(&self) -> Option<&End> {
        self.ended.as_ref()
    }

    /// The commit that is due, if one is; then `handle_commit` must follow.
    pub fn poll_commit(&mut self) -> Option<Commit> {
        // A simulation that broke must not be saved over a good one.
        if self.has_ended() || self.broken_since_ms.is_some() || !self.ledger.is_due(self.now_ms) {
            return None;
        }
        self.timings.commit_begins();
        self.carry();
        let cut = self.cut();
        self.records_cut = self.records.next();
        self.durable_mark = self.sim.durable_mark();
        Some(self.ledger.make(cut, self.epoch, self.sim.tick()))
    }

    /// What became of the commit that `poll_commit` gave out.
    pub fn handle_commit(&mut self, outcome: CommitOutcome, now_ms: u64) {
        self.now_ms = now_ms;
        self.timings.commit_ends();
        match outcome {
            CommitOutcome::Taken { rows_written } => {
                self.counters.commits += 1;
                self.counters.rows_written += rows_written;
                self.costs.commit(rows_written, self.ledger.is_movement(), now_ms);
                if self.ledger.taken(now_ms) {
                    // Welcomes waited through failures: what they say of the others may be old by now.
                    self.seats.tell_roster();
                }
                self.outbox.release(self.ledger.covered());
                self.records.commit(self.records_cut);
                self.send_records();
            }
            CommitOutcome::Failed => {
                self.counters.failed_writes += 1;
                self.counters.error("a commit failed");
                self.ledger.failed(now_ms);
                if self.commits_first() {
                    self.end("storage-or-tick-failed");
                }
            }
            CommitOutcome::Away { until_ms, why } => {
                self.counters.failed_writes += 1;
                self.counters.error(&format!("storage refused: {why}"));
                self.ledger.failed(now_ms);
                self.end_as(CloseCode::Limit, &format!("until {until_ms}: {why}"), EndSort::Failed);
            }
        }
        self.stop_if_asked();
    }

    /// The next thing to do on a socket, in order. Sends to a socket that is gone are to be passed over.
    pub fn poll_output(&mut self) -> Option<Output> {
        let Some(output) = self.outbox.pop() else {
            self.timings.all_left();
            return None;
        };
        self.timings.send_begins();
        match &output {
            Output::Send { text, .. } => {
                self.counters.frames_out += 1;
                self.counters.bytes_out += text.len() as u64;
                self.counters.frame_ms = Some(self.now_ms);
                self.costs.bytes_out(text.len() as u64, self.now_ms);
            }
            Output::Call { .. } | Output::Record { .. } => self.handle_request(self.now_ms),
            _ => {}
        }
        Some(output)
    }

    fn is_persistent(&self) -> bool {
        self.schema.room.lifetime == Lifetime::Persistent
    }

    /// Nothing is shown before its commit was taken.
    fn commits_first(&self) -> bool {
        self.is_persistent() || self.is_event_driven()
    }

    /// Ends this incarnation: what waits for a commit never leaves, nothing is written any more, and
    /// everybody is sent away to come back to the last commit.
    fn end(&mut self, why: &str) {
        let why = format!("{why} at tick {}", self.sim.tick());
        self.end_as(CloseCode::Storage, &why, EndSort::Failed);
    }

    fn end_as(&mut self, code: CloseCode, why: &str, sort: EndSort) {
        if self.has_ended() {
            return;
        }
        self.ended = Some(End { why: why.to_owned(), sort });
        self.outbox.drop_waiting();
        for connection in std::mem::take(&mut self.connections).into_keys() {
            self.counters.close(code);
            self.outbox.push(0, Output::Close { connection, close: Close::new(code, why) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{LASTING, MATCH, Rig, hello};
    use crate::rules::ids::Tick;
    use crate::wire::server_message::ServerMessage;

    const FIRE: &str = r#"{"t":"in","e":1,"s":[[1,{"fire":true}]]}"#;

    fn texts(host: &mut Host) -> Vec<String> {
        let text = |output| match output {
            Output::Send { text, .. } => Some(text.to_string()),
            _ => None,
        };
        std::iter::from_fn(|| host.poll_output()).filter_map(text).collect()
    }

    /// B25
    #[test]
    fn frames_of_a_durable_tick_wait_for_its_commit_and_leave_in_order() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.say(1, FIRE);
        rig.now_ms += 50;
        rig.host.handle_tick(rig.now_ms);
        assert_eq!(texts(&mut rig.host), [""; 0]);
        let commit = rig.host.poll_commit().expect("a commit");
        assert_eq!((commit.tick, texts(&mut rig.host).len()), (Tick(1), 0));
        // A second tick before the word of the first is in: its frames follow.
        rig.host.handle_tick(rig.now_ms + 50);
        assert_eq!((rig.host.poll_commit(), texts(&mut rig.host).len()), (None, 0));
        rig.host.handle_commit(CommitOutcome::Taken { rows_written: 1 }, rig.now_ms);
        let kinds: Vec<String> = texts(&mut rig.host).iter().map(|text| text[6..10].to_owned()).collect();
        assert_eq!(kinds, ["snap", "fx\",", "rost", "snap"]);
    }

    /// B25, B26
    #[test]
    fn a_failed_commit_shows_nothing_of_its_tick_and_ends_a_lasting_room() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.say(1, FIRE);
        rig.disk_fails = true;
        let (sent, commits) = (rig.sent.len(), rig.disk.commits.len());
        rig.ticks(1);
        assert_eq!((rig.sent.len(), rig.close_of(1)), (sent, Some(CloseCode::Storage)));
        assert!(rig.host.has_ended() && rig.facts().storage.failed_writes == 1);
        rig.disk_fails = false;
        rig.ticks(5);
        rig.hello(2, &hello());
        assert_eq!(rig.close_of(2), Some(CloseCode::Storage));
        assert_eq!(rig.disk.commits.len(), commits, "nothing is saved over the last good one");
        rig.crash();
        assert_eq!((rig.facts().epoch, rig.disk.scores()[&0]), (2, 0));
    }

    #[test]
    fn frames_of_a_match_room_do_not_wait() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.say(1, r#"{"t":"in","e":1,"s":[[1,{"over":true}]]}"#);
        rig.host.handle_tick(rig.now_ms + 50);
        let sent = texts(&mut rig.host);
        assert!(rig.host.poll_commit().is_some());
        assert!(sent.iter().any(|text| text.starts_with(r#"{"t":"snap""#)));
        let over = sent.iter().find(|text| text.starts_with(r#"{"t":"round""#)).expect("a round");
        let ServerMessage::Round { round, .. } = ServerMessage::parse(over).expect("our own") else {
            panic!("a round")
        };
        assert_eq!((round.live, round.results), (0, vec![(0, 0, 1)]));
    }

    #[test]
    fn outputs_are_counted() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.ticks(10);
        let facts = rig.facts();
        assert_eq!((facts.frames_out, facts.rows_written), (rig.sent.len() as u64, 1));
        assert!(facts.bytes_out > 10 * facts.frames_out);
    }
}
