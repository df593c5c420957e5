//! A room's Durable Object: a `Life`, its sockets, its one alarm and the loop of its ticks, in the order that
//! `host::life` asks for.
//!
//! What is sent after a write waits until the disk has it (the output gate). An object that is reset loses its memory,
//! what it has not sent and its sockets; one that sleeps keeps its sockets; one that was superseded goes on until it next
//! touches storage. Absent: what comes in from clients and from the Lobby (`inbox.rs`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use roundtable::host::life::{Deed, Found, Life};
use roundtable::host::parking::storage_is_away;
use roundtable::host::pulse::Generation;
use roundtable::host::{Attached, CallId, Commit, CommitOutcome, ConnectionId, Host, Output};
use roundtable::wire::close::Close;
use roundtable::wire::lease::LobbyRequest;

use crate::checkers::Basis;
use crate::disk::Op;
use crate::faults::Point;
use crate::net::Down;
use crate::world::{Event, World};

/// An object: its room and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub room: usize,
    pub object: u32,
}

/// A socket that was accepted.
#[derive(Clone)]
pub struct Socket {
    pub link: usize,
    pub said_hello: bool,
    pub attachment: Vec<u8>,
}

#[derive(Clone, Default)]
pub struct Sockets {
    pub open: BTreeMap<ConnectionId, Socket>,
    pub next: u32,
}

pub struct Object {
    pub number: u32,
    pub life: Life,
    pub sockets: Sockets,
    /// The loop's timer: whose it is and when it is due.
    pub timer: Option<(Generation, u64)>,
    /// What waits for a write to be on disk.
    gate: VecDeque<(u64, Sent)>,
    pub is_superseded: bool,
    /// Touched storage though it is superseded.
    pub fallen: bool,
    /// The clock it last saw.
    pub seen_ms: u64,
    /// When it last had something to do.
    pub active_ms: u64,
    /// Calls that are under way.
    pub calls: BTreeSet<CallId>,
    /// The release that is being answered, by the Lobby's number.
    pub replies: BTreeMap<u32, u64>,
    pub next_reply: u32,
    /// Acts that wait for storage.
    pub acting: u32,
    /// Settings of the alarm that storage has not answered.
    pub setting: u32,
    /// What it last committed, or was restored from.
    pub basis: Option<Rc<Basis>>,
}

/// What has left the room, but for the gate.
pub enum Sent {
    Room(Output),
    /// With the number of the host that asks.
    Call(u64, CallId, Box<LobbyRequest>),
    Bye(usize, Close),
}

impl Object {
    pub fn new(number: u32, life: Life, sockets: Sockets, now_ms: u64) -> Object {
        Object {
            number,
            life,
            sockets,
            timer: None,
            gate: VecDeque::new(),
            is_superseded: false,
            fallen: false,
            seen_ms: 0,
            active_ms: now_ms,
            calls: BTreeSet::new(),
            replies: BTreeMap::new(),
            next_reply: 0,
            acting: 0,
            setting: 0,
            basis: None,
        }
    }

    pub fn gate_len(&self) -> usize {
        self.gate.len()
    }

    /// Nothing of it is under way: the platform may put it to sleep.
    pub fn is_idle(&self) -> bool {
        let waits = self.sockets.open.values().any(|socket| !socket.said_hello);
        !waits && self.timer.is_none() && self.gate.is_empty() && self.calls.is_empty() && self.acting == 0
    }
}

impl World {
    pub fn object(&mut self, at: At) -> Option<&mut Object> {
        self.rooms[at.room].objects.iter_mut().find(|object| object.number == at.object)
    }

    pub fn life(&mut self, at: At) -> &mut Life {
        &mut self.object(at).expect("the object that hears").life
    }

    /// The object's clock. Production's never passes a timer that is pending.
    pub fn clock(&mut self, at: At) -> u64 {
        let (now, clamped) = (self.now, self.clamped);
        let object = self.object(at).expect("the object that hears");
        let timer = object.timer.filter(|_| clamped).map_or(u64::MAX, |(_, due)| due);
        object.seen_ms = object.seen_ms.max(now.min(timer));
        object.seen_ms
    }

    // ---- One event ----

    /// The event begins: storage is read if the room wants it. False: the object is no more.
    pub fn begin(&mut self, at: At, is_release: bool) -> bool {
        let now = self.clock(at);
        let object = self.object(at).expect("the object that hears");
        object.active_ms = object.active_ms.max(now);
        object.life.begin_event();
        if object.life.wants_storage(is_release, now) {
            self.restore(at, is_release, now);
        }
        self.goes_on(at)
    }

    fn restore(&mut self, at: At, is_release: bool, now: u64) {
        let found = self.read(at, now);
        let sockets = self.object(at).expect("the object that hears").sockets.open.clone();
        let with_hello = sockets.into_iter().filter(|(_, socket)| socket.said_hello);
        let attached: Vec<Attached> = with_hello
            .map(|(connection, socket)| Attached {
                connection,
                attachment: socket.attachment,
                secret: self.dice.bytes(),
            })
            .collect();
        let life = self.life(at);
        let slept = life.incarnation() == 0 && !attached.is_empty();
        life.handle_stored(found, &attached, is_release, now);
        self.check_restored(at, slept);
        if self.may_die(Point::InRestore, at) {
            return;
        }
        self.drain(at);
        if !self.may_die(Point::AfterRestore, at) && !is_release && self.goes_on(at) {
            // A restore is an event of its own; a release follows in the same one.
            self.end(at);
        }
    }

    fn read(&mut self, at: At, now: u64) -> Found {
        let world_now = self.now;
        if self.object(at).is_some_and(|object| object.is_superseded) {
            self.object(at).expect("it is there").fallen = true;
            return Found::Refused { why: "this object was superseded".to_owned(), until_ms: None };
        }
        let disk = &self.rooms[at.room].disk;
        if let Some(why) = disk.refusal(world_now) {
            return Found::Refused { why: why.to_owned(), until_ms: storage_is_away(why, now) };
        }
        disk.rows().stored().map_or(Found::Nothing, |stored| Found::Stored(Box::new(stored)))
    }

    /// Nothing has died so far, and the object has not fallen.
    pub fn goes_on(&mut self, at: At) -> bool {
        self.death.is_none() && self.object(at).is_some_and(|object| !object.fallen)
    }

    /// The event is heard: what it leads to is done, and acts begin.
    pub fn finish(&mut self, at: At) {
        if self.goes_on(at) {
            self.drain(at);
        }
        if self.goes_on(at) {
            self.end(at);
        }
        self.act(at);
    }

    /// The event is over: an incarnation that has ended is dropped.
    pub fn end(&mut self, at: At) {
        let now = self.clock(at);
        self.life(at).end_event(now);
        self.drain(at);
        if self.object(at).is_some_and(|object| !object.life.pulse.is_running()) {
            self.cancel_timer(at);
        }
    }

    /// An event of the host.
    pub fn event(&mut self, at: At, hear: impl FnOnce(&mut Host, u64)) {
        if self.begin(at, false) {
            let now = self.clock(at);
            self.life(at).hear(|host| hear(host, now));
        }
        self.finish(at);
    }

    /// Commits, then sends, until the room wants nothing more.
    pub fn drain(&mut self, at: At) {
        while self.death.is_none() {
            while let Some(commit) = self.life(at).poll_commit() {
                let now = self.clock(at);
                let outcome = self.commit(at, commit, now);
                let is_taken = matches!(outcome, CommitOutcome::Taken { .. });
                self.life(at).handle_commit(outcome, now);
                if is_taken && self.may_die(Point::AfterCommit, at) {
                    return;
                }
            }
            let Some(deed) = self.life(at).poll_output() else { return };
            self.perform(at, deed);
            if self.may_die(Point::MidOutputs, at) {
                return;
            }
        }
    }

    fn commit(&mut self, at: At, commit: Commit, now: u64) -> CommitOutcome {
        if self.object(at).is_some_and(|object| object.is_superseded) {
            self.object(at).expect("it is there").fallen = true;
            return CommitOutcome::Failed;
        }
        if let Some(why) = self.rooms[at.room].disk.refusal(self.now) {
            return match storage_is_away(why, now) {
                Some(until_ms) => CommitOutcome::Away { until_ms, why: why.to_owned() },
                None => CommitOutcome::Failed,
            };
        }
        if self.dice.chance(self.rates.commit_throws) {
            self.trace(|| format!("{at:?}: a transaction throws"));
            return CommitOutcome::Failed;
        }
        self.check_commit(at, &commit);
        self.put(at, Op::Commit(commit));
        CommitOutcome::Taken { rows_written: 1 }
    }

    fn perform(&mut self, at: At, deed: Deed) {
        match deed {
            Deed::Room(Output::Attach { connection, attachment }) => {
                let object = self.object(at).expect("the object that hears");
                if let Some(socket) = object.sockets.open.get_mut(&connection) {
                    (socket.said_hello, socket.attachment) = (true, attachment);
                }
            }
            Deed::Room(output) => {
                self.check_output(at, &output);
                self.send(at, output);
            }
            Deed::CloseAll(close) => {
                let object = self.object(at).expect("the object that hears");
                let all: Vec<usize> =
                    std::mem::take(&mut object.sockets.open).values().map(|s| s.link).collect();
                all.into_iter().for_each(|link| self.pass(at, Sent::Bye(link, close.clone())));
            }
            Deed::Park(row) => {
                let refuses = self.rooms[at.room].disk.refusal(self.now).is_some();
                let object = self.object(at).expect("the object that hears");
                object.fallen |= object.is_superseded;
                if !refuses && !object.is_superseded {
                    self.put(at, Op::Park(row));
                }
            }
            Deed::Say(line) => self.trace(|| format!("{at:?}: {line}")),
        }
    }

    // ---- The output gate ----

    fn send(&mut self, at: At, output: Output) {
        match output {
            Output::Close { connection, close } => self.close(at, connection, &close),
            Output::Call { call, request } => {
                let incarnation = self.life(at).incarnation();
                self.pass(at, Sent::Call(incarnation, call, request));
            }
            output => self.pass(at, Sent::Room(output)),
        }
    }

    /// Says why, closes and forgets a socket.
    pub fn close(&mut self, at: At, connection: ConnectionId, close: &Close) {
        let object = self.object(at).expect("the object that hears");
        if let Some(socket) = object.sockets.open.remove(&connection) {
            self.pass(at, Sent::Bye(socket.link, close.clone()));
        }
    }

    fn pass(&mut self, at: At, sent: Sent) {
        let disk = &self.rooms[at.room].disk;
        let (writes, is_flushed) = (disk.writes, disk.is_flushed());
        let object = self.object(at).expect("the object that hears");
        // A superseded object's own writes were on disk, or it would have fallen.
        if (is_flushed || object.is_superseded) && object.gate.is_empty() {
            self.go_out(at, sent);
        } else {
            object.gate.push_back((writes, sent));
        }
    }

    fn go_out(&mut self, at: At, sent: Sent) {
        match sent {
            Sent::Room(Output::Send { to, text }) => {
                let link = self.object(at).and_then(|object| object.sockets.open.get(&to)).map(|s| s.link);
                if let Some(link) = link {
                    self.note_shown(at.room, &text);
                    self.send_down(link, Down::Text(text));
                }
            }
            Sent::Call(incarnation, call, request) => self.call(at, incarnation, call, *request),
            Sent::Room(Output::Reply { reply, answer }) => self.reply(at, reply, answer),
            Sent::Room(Output::Record { call, rows }) => self.record(at, call, rows),
            Sent::Room(Output::Attach { .. } | Output::Call { .. } | Output::Close { .. }) => {}
            Sent::Bye(link, close) => self.close_down(link, &close),
        }
    }

    /// A write, which reaches the disk in a while. Its fate is drawn then.
    pub fn put(&mut self, at: At, op: Op) {
        let number = self.rooms[at.room].disk.write(op);
        let wait = if self.dice.chance(self.rates.slow_disk) {
            self.dice.within(20, 400)
        } else {
            self.dice.within(0, 3)
        };
        let room = &mut self.rooms[at.room];
        room.flush_ms = room.flush_ms.max(self.now + wait);
        let due = room.flush_ms;
        if wait == 0 && due == self.now {
            self.flushed(at.room, number);
        } else {
            self.at(due, Event::Flush { room: at.room, number });
        }
    }

    /// The disk is to have the writes up to this number. It may fail to: what was sent after them never leaves.
    pub fn flush(&mut self, room: usize, number: u64) {
        let newest = self.newest(room).filter(|_| self.rooms[room].disk.flushed < number);
        match newest {
            Some(at) if self.dice.chance(self.rates.flush_fails) => {
                self.rooms[room].disk.lose();
                self.reset(at, "a write could not be flushed");
            }
            _ => self.flushed(room, number),
        }
    }

    /// The disk has the writes up to this number: what waited for them leaves, and an alarm among them is set.
    pub fn flushed(&mut self, room: usize, number: u64) {
        let disk = &mut self.rooms[room].disk;
        if disk.flushed >= number {
            return;
        }
        let before = disk.on_disk().alarm;
        disk.flush(number);
        if let Some((due, setting)) = disk.on_disk().alarm.filter(|alarm| Some(*alarm) != before) {
            self.set_alarm_event(room, due, setting);
        }
        self.open_gates(room);
    }

    pub fn open_gates(&mut self, room: usize) {
        let flushed = self.rooms[room].disk.flushed;
        for index in 0..self.rooms[room].objects.len() {
            let at = At { room, object: self.rooms[room].objects[index].number };
            while let Some((_, sent)) =
                self.rooms[room].objects[index].gate.pop_front_if(|(number, _)| *number <= flushed)
            {
                self.go_out(at, sent);
            }
        }
    }

    fn set_alarm_event(&mut self, room: usize, due: u64, setting: u64) {
        let late = if self.dice.chance(self.rates.alarm_late) {
            self.dice.within(100, 60_000)
        } else {
            self.dice.within(0, 5)
        };
        self.at(due.max(self.now) + late, Event::Alarm { room, setting });
    }
}
