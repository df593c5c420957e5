//! A room through its incarnations, sans-I/O: what its object keeps while hosts come and go.
//!
//! An object has one `Life` from its making to its end. Each event of the object goes like this, without an await:
//!
//! 1. `begin_event`; if it `wants_storage`, storage is read and told by `handle_stored`, and what that leads to is drained;
//! 2. `hear`, which gives the event to the host if there is one, and is drained: `poll_commit` and `handle_commit` until
//!    none, then `poll_output` until none, and again until both have nothing;
//! 3. `end_event`: an incarnation that has ended is dropped, and counted if it failed;
//!
//! and then, with awaits, `poll_act` until none (`pulse.rs`). A panic of the host anywhere in it is told by `handle_panic`
//! instead. The next event finds nothing in memory then, and reads storage: what was not committed never happened.
//!
//! A room that fails again and again is parked, one whose storage refuses is left alone (`parking.rs`), and one whose
//! save this build cannot use is refused and kept as it is: each says why to whoever knocks, and in its facts. Absent:
//! what the room itself does (`Host`), storage, alarms and timers.

mod facts;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::host::caretaker::Caretaker;
use crate::host::parking::{ParkRow, Parking, Rest};
use crate::host::pulse::{Act, Generation, Pulse, Wanted};
use crate::host::{Attached, Commit, CommitOutcome, End, EndSort, Host, Output, ReplyId, Setup, Stored};
use crate::limits::{PANIC_RESTORE_MS, PANIC_RESTORE_MS_MAX, PARK_CHARS_MAX};
use crate::rules::ids::{Epoch, Tick};
use crate::wire::close::{Close, CloseCode};
use crate::wire::lease::TableRequest;

pub use self::facts::{LifeFacts, RoomFacts};

/// What storage said of a room.
#[derive(Debug)]
pub enum Found {
    /// Nothing was ever committed.
    Nothing,
    Stored(Box<Stored>),
    /// The rows are not what was written: they are kept as they are.
    Damaged(String),
    /// Storage did not answer: the next event tries again, or, if it names a time, the first one after that.
    Refused {
        why: String,
        until_ms: Option<u64>,
    },
}

/// What the object does for its room, besides what the host wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    Room(Output),
    /// Say `bye` to every socket, close and forget it.
    CloseAll(Close),
    /// Store that the room is parked, if storage takes it: nothing rests on that.
    Park(ParkRow),
    /// A line for the log.
    Say(String),
}

/// What is in memory.
enum State {
    /// Nothing: an event looks into storage first.
    Unread,
    /// Storage holds no room. The first good hello makes one.
    Absent,
    Live(Box<Host>),
    /// What is stored cannot be used by this build, which says why; the characters in it can be given back, unless it is
    /// damaged.
    Refused(String, Option<Box<Caretaker>>),
}

pub struct Life {
    /// Game and room.
    name: (String, String),
    /// None: this build has no such game.
    setup: Option<Setup>,
    state: State,
    pub pulse: Pulse,
    parking: Rc<RefCell<Parking>>,
    deeds: VecDeque<Deed>,
    /// Hosts that this object had so far: an answer to a call is for the one that asked.
    incarnation: u64,
    /// When the object began, and when its first frame left.
    began_ms: u64,
    first_frame_ms: Option<u64>,
    /// Panics on end, and when the alarm restores the room after the newest.
    panics: u32,
    restore_ms: Option<u64>,
    /// Of the last commit, and of the one under way: for the facts of a room that is not up.
    stored_at: (Epoch, Tick),
    pending_at: Option<(Epoch, Tick)>,
}

impl Life {
    /// Of an object that begins, of that game and room. `parking` is what its isolate remembers of the room.
    #[must_use]
    pub fn new(
        (game, room): (&str, &str),
        setup: Option<Setup>,
        parking: Rc<RefCell<Parking>>,
        now_ms: u64,
    ) -> Life {
        let mut life = Life {
            name: (game.to_owned(), room.to_owned()),
            setup,
            state: State::Unread,
            pulse: Pulse::default(),
            parking,
            deeds: VecDeque::new(),
            incarnation: 0,
            began_ms: now_ms,
            first_frame_ms: None,
            panics: 0,
            restore_ms: None,
            stored_at: (Epoch(0), Tick(0)),
            pending_at: None,
        };
        if life.parking.borrow_mut().take_up() {
            life.fail("the platform reset the object", now_ms);
        }
        life
    }

    // ---- An event ----

    pub fn begin_event(&mut self) {
        self.pulse.begin_event();
    }

    /// Storage is to be read before the event goes on. A room that is left alone is read for a release alone, which must
    /// be answered whatever state the room is in.
    #[must_use]
    pub fn wants_storage(&self, is_release: bool, now_ms: u64) -> bool {
        let waits = self.restore_ms.is_some_and(|at| now_ms < at) || self.rest(now_ms).is_some();
        matches!(self.state, State::Unread) && (is_release || !waits)
    }

    /// What storage holds, and the sockets that outlived what was in memory. `is_release` as in `wants_storage`.
    pub fn handle_stored(&mut self, found: Found, attached: &[Attached], is_release: bool, now_ms: u64) {
        let stored = match found {
            Found::Nothing => {
                self.state = State::Absent;
                return;
            }
            Found::Stored(stored) => stored,
            Found::Damaged(why) => return self.refuse(&why),
            Found::Refused { why, until_ms } => {
                self.say(format!("storage refused: {why}"));
                return match until_ms {
                    Some(until) => self.leave_alone(until, &why, now_ms),
                    None => {
                        self.close_all(Close::new(CloseCode::Storage, "the room's storage did not answer"))
                    }
                };
            }
        };
        self.stored_at = stored.at;
        if let Some(row) = stored.parked.clone() {
            self.parking.borrow_mut().load(row);
            if let Some(rest) = self.rest(now_ms).filter(|_| !is_release) {
                return self.close_all(rest.close(now_ms));
            }
        }
        self.restore(&stored, attached, now_ms);
    }

    fn restore(&mut self, stored: &Stored, attached: &[Attached], now_ms: u64) {
        // What was in memory before and is not any more fell; only a new object can have slept.
        let slept = self.incarnation == 0;
        let Some(setup) = self.setup.clone() else {
            return self.refuse_kept("this build has no such game", stored, now_ms);
        };
        match Host::restore(Setup { slept, ..setup }, stored, attached, now_ms) {
            Ok(host) => {
                self.say("restored".to_owned());
                self.begin(host);
            }
            Err(error) => self.refuse_kept(&error.to_string(), stored, now_ms),
        }
    }

    /// What is stored cannot be used, and is kept: its characters can be given back.
    fn refuse_kept(&mut self, why: &str, stored: &Stored, now_ms: u64) {
        self.refuse(why);
        match Caretaker::open(&self.name.0, &self.name.1, stored, now_ms) {
            Ok(caretaker) => {
                let State::Refused(_, kept) = &mut self.state else { return };
                *kept = Some(Box::new(caretaker));
            }
            Err(error) => self.say(format!("its characters cannot be given back either: {error}")),
        }
    }

    /// The Lobby asks for a character back, or to drop it.
    pub fn release(&mut self, reply: ReplyId, request: &TableRequest, now_ms: u64) {
        match &mut self.state {
            State::Live(host) => host.handle_release(reply, request, now_ms),
            State::Refused(_, Some(caretaker)) => caretaker.handle_release(reply, request, now_ms),
            _ => {}
        }
    }

    /// Gives an event to the room, if it is up. Says whether it was.
    pub fn hear(&mut self, hear: impl FnOnce(&mut Host)) -> bool {
        let State::Live(host) = &mut self.state else { return false };
        hear(host);
        true
    }

    /// The room for a hello: the one that is up, or a new one if there is none yet.
    ///
    /// # Errors
    /// Why nobody is let in.
    pub fn make(&mut self, seed: u128, now_ms: u64) -> Result<(), Close> {
        if let Some(rest) = self.rest(now_ms) {
            return Err(rest.close(now_ms));
        }
        match &self.state {
            State::Live(_) => return Ok(()),
            State::Refused(why, _) => return Err(refused(why)),
            State::Unread => return Err(Close::new(CloseCode::Storage, "the room is being restored")),
            State::Absent => {}
        }
        let setup = self.setup.clone().ok_or_else(|| Close::new(CloseCode::Room, "there is no such game"))?;
        self.say("made".to_owned());
        self.begin(Host::create(setup, seed, now_ms));
        Ok(())
    }

    fn begin(&mut self, host: Host) {
        self.incarnation += 1;
        self.restore_ms = None;
        self.state = State::Live(Box::new(host));
    }

    /// Why a socket is not even taken, if it is not.
    #[must_use]
    pub fn refusal(&self, now_ms: u64) -> Option<Close> {
        match &self.state {
            State::Refused(why, _) => Some(refused(why)),
            _ => self.rest(now_ms).map(|rest| rest.close(now_ms)),
        }
    }

    pub fn poll_commit(&mut self) -> Option<Commit> {
        let commit = match &mut self.state {
            State::Live(host) => host.poll_commit(),
            State::Refused(_, Some(caretaker)) => caretaker.poll_commit(),
            _ => None,
        };
        self.pending_at = commit.as_ref().map(|commit| (commit.epoch, commit.tick));
        commit
    }

    pub fn handle_commit(&mut self, outcome: CommitOutcome, now_ms: u64) {
        match &outcome {
            CommitOutcome::Taken { .. } => self.stored_at = self.pending_at.take().unwrap_or(self.stored_at),
            CommitOutcome::Failed => {}
            CommitOutcome::Away { until_ms, why } => self.parking.borrow_mut().leave_alone(*until_ms, why),
        }
        match &mut self.state {
            State::Live(host) => host.handle_commit(outcome, now_ms),
            State::Refused(_, Some(caretaker)) => {
                caretaker.handle_commit(&outcome, now_ms);
                if caretaker.has_failed() {
                    // What is in memory is not what is stored.
                    self.state = State::Unread;
                }
            }
            _ => {}
        }
    }

    pub fn poll_output(&mut self) -> Option<Deed> {
        let first = self.deeds.pop_front();
        first.or_else(|| match &mut self.state {
            State::Live(host) => host.poll_output().map(Deed::Room),
            State::Refused(_, Some(caretaker)) => caretaker.poll_reply().map(Deed::Room),
            _ => None,
        })
    }

    /// The event is over and drained. A room that was made for a hello and then refused it was never there; an
    /// incarnation that has ended is dropped.
    pub fn end_event(&mut self, now_ms: u64) {
        let State::Live(host) = &mut self.state else { return };
        if let Some(line) = host.poll_log(now_ms) {
            self.deeds.push_back(Deed::Say(line));
        }
        let (end, is_unused, is_up) = (host.end_of().cloned(), host.is_unused(), !host.is_settled());
        self.parking.borrow_mut().set_up(is_up);
        if let Some(End { why, sort }) = end {
            let is_away = self.rest(now_ms).is_some_and(|rest| rest.away);
            self.drop_host(&why);
            match sort {
                EndSort::Failed if !is_away => self.fail(&why, now_ms),
                EndSort::Overrun => self.park(&why, now_ms),
                EndSort::Failed | EndSort::Stopped => {}
            }
        } else if is_unused {
            self.state = State::Absent;
        } else if self.rest(now_ms).is_some_and(|rest| !rest.away) {
            self.drop_host("read for a release alone");
        }
    }

    /// The host panicked: nothing in memory is used again, and the alarm restores the room if no event does before.
    pub fn handle_panic(&mut self, now_ms: u64) {
        let wait_ms = PANIC_RESTORE_MS.saturating_mul(1 << self.panics.min(16)).min(PANIC_RESTORE_MS_MAX);
        self.panics = self.panics.saturating_add(1);
        self.deeds.clear();
        self.drop_host("the host panicked");
        self.restore_ms = Some(now_ms.saturating_add(wait_ms));
        self.fail("a panic", now_ms);
    }

    /// A tick went through: panics before it were not on end.
    pub fn calm(&mut self) {
        self.panics = 0;
    }

    // ---- Ends ----

    fn drop_host(&mut self, why: &str) {
        self.say(format!("this incarnation ended: {why}"));
        self.pulse.stop();
        self.parking.borrow_mut().set_up(false);
        self.state = State::Unread;
    }

    fn fail(&mut self, why: &str, now_ms: u64) {
        let why: String = why.chars().take(PARK_CHARS_MAX).collect();
        let row = self.parking.borrow_mut().fail(&why, now_ms);
        if let Some(row) = row {
            self.parked(row, now_ms);
        }
    }

    fn park(&mut self, why: &str, now_ms: u64) {
        let why: String = why.chars().take(PARK_CHARS_MAX).collect();
        let row = self.parking.borrow_mut().park(&why, now_ms);
        self.parked(row, now_ms);
    }

    fn parked(&mut self, row: ParkRow, now_ms: u64) {
        self.say(format!("parked until {}, time {}: {}", row.until_ms, row.times, row.why));
        self.deeds.push_back(Deed::Park(row));
        if let Some(rest) = self.rest(now_ms) {
            self.close_all(rest.close(now_ms));
        }
    }

    fn leave_alone(&mut self, until_ms: u64, why: &str, now_ms: u64) {
        self.parking.borrow_mut().leave_alone(until_ms, why);
        if let Some(rest) = self.rest(now_ms) {
            self.close_all(rest.close(now_ms));
        }
    }

    fn refuse(&mut self, why: &str) {
        let why: String = why.chars().take(PARK_CHARS_MAX).collect();
        self.say(format!("cannot be restored: {why}"));
        self.close_all(refused(&why));
        self.state = State::Refused(why, None);
    }

    fn close_all(&mut self, close: Close) {
        self.deeds.push_back(Deed::CloseAll(close));
    }

    fn say(&mut self, line: String) {
        self.deeds.push_back(Deed::Say(line));
    }

    fn rest(&self, now_ms: u64) -> Option<Rest> {
        self.parking.borrow().rest(now_ms)
    }

    // ---- The alarm and the loop ----

    /// The next thing to do with the alarm and the loop.
    pub fn poll_act(&mut self, now_ms: u64) -> Option<Act> {
        let wanted = self.wanted(now_ms);
        self.pulse.poll(wanted, now_ms)
    }

    /// No frame has left yet.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.first_frame_ms.is_none()
    }

    /// The first frame has left, at that time.
    pub fn handle_sent(&mut self, now_ms: u64) {
        self.first_frame_ms.get_or_insert(now_ms);
    }

    /// What became of setting the alarm: when it fires, or none if storage refused.
    pub fn handle_alarm_set(&mut self, set_ms: Option<u64>, now_ms: u64) {
        self.pulse.handle_set(set_ms);
        if let Some(host) = self.host_mut().filter(|_| set_ms.is_some()) {
            host.handle_alarm_set(now_ms);
        }
    }

    /// What the room wants of its alarm.
    #[must_use]
    pub fn wanted(&self, now_ms: u64) -> Wanted {
        match &self.state {
            State::Live(host) => match host.next_alarm_ms(now_ms) {
                Some(due) if host.next_tick_ms().is_some() => Wanted::Pulse(due),
                Some(due) => Wanted::Alarm(due),
                None => Wanted::Never,
            },
            State::Absent | State::Refused(..) => Wanted::Never,
            State::Unread => {
                let rest = self.rest(now_ms).map(|rest| rest.until_ms);
                rest.max(self.restore_ms).map_or(Wanted::Unknown, Wanted::Alarm)
            }
        }
    }

    /// When the loop of that number ticks next; none when it is to end.
    #[must_use]
    pub fn next_tick_ms(&self, generation: Generation, now_ms: u64) -> Option<u64> {
        if !self.pulse.may_tick(generation, now_ms) {
            return None;
        }
        self.host()?.next_tick_ms()
    }

    /// The loop of that number has ended. Says whether what the room wants now is to be asked for: not if another loop
    /// runs; and one that nothing vouched for waits for an event, lest a superseded object goes on for ever.
    pub fn handle_loop_end(&mut self, generation: Generation, now_ms: u64) -> bool {
        if !self.pulse.is_current(generation) {
            return !self.pulse.is_running();
        }
        self.pulse.begin_event();
        let is_vouched = !matches!(self.wanted(now_ms), Wanted::Pulse(_));
        if !is_vouched {
            self.pulse.stop();
        }
        is_vouched
    }

    // ---- Getters ----

    #[must_use]
    pub fn host(&self) -> Option<&Host> {
        match &self.state {
            State::Live(host) => Some(host),
            _ => None,
        }
    }

    fn host_mut(&mut self) -> Option<&mut Host> {
        match &mut self.state {
            State::Live(host) => Some(host),
            _ => None,
        }
    }

    /// Nothing was ever committed here, so nothing is held here.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self.state, State::Absent)
    }

    /// The number of the host in memory: an answer is for the one that asked.
    #[must_use]
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }
}

fn refused(why: &str) -> Close {
    Close::new(CloseCode::Parked, format!("this build cannot open the room's save: {why}"))
}
