//! The world of the small model: two rooms with their disks, the Lobby with its row, D1 with its record, one account, and
//! what is on its way between them. The real host and the real lease steps; every message is delivered by hand.

use std::cell::RefCell;
use std::collections::BTreeMap;

use roundtable::host::{CallId, CommitOutcome, ConnectionId, Host, Output, Setup, Stored, StoredRow, Write};
use roundtable::limits::WRITE_BACK_MS;
use roundtable::lobby::leases::{LeaseRow, Record, RecordsAway, is_unstored};
use roundtable::rules::adapter::game;
use roundtable::wire::client_message::{Build, Hello};
use roundtable::wire::lease::{LobbyAnswer, LobbyRequest, Stamp, TableAnswer, TableRequest};

use super::mint::Mint;

pub(super) const ACCOUNT: &str = "ada";
pub(super) const ROOMS: [&str; 2] = ["a", "b"];
const TICK_MS: u64 = 50;
const GRACE_TICKS: u32 = 10_000 / 50 + 1;
const START_MS: u64 = 1_700_000_000_000;

#[derive(Clone, Default)]
pub(super) struct Disk {
    stored: Stored,
    slots: BTreeMap<u32, StoredRow>,
    /// The fingerprint of what it holds, once somebody asked for it.
    pub(super) shown: RefCell<Option<String>>,
}

/// What becomes of a room's next commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The transaction throws.
    Fails,
    /// It is on disk, and the process dies before anything leaves.
    Kills,
}

#[derive(Default)]
pub(super) struct Table {
    pub(super) host: Option<Host>,
    /// Messages to a former incarnation are for nobody.
    pub(super) incarnation: u32,
    pub(super) disk: Disk,
    next_connection: u32,
    pub(super) here: Vec<u32>,
    pub(super) fate: Option<Fate>,
}

#[derive(Clone)]
pub enum Message {
    ToLobby { room: usize, incarnation: u32, call: CallId, request: LobbyRequest },
    ToTable { room: usize, operation: u32, request: TableRequest },
    LobbySays { room: usize, incarnation: u32, call: CallId, answer: LobbyAnswer },
    TableSays { operation: u32, answer: TableAnswer },
    ToRead { operation: u32 },
    Read { operation: u32, record: Option<Record> },
    ToStore(Box<LeaseRow>),
    Stored(Stamp),
}

/// An operation of the Lobby that waits for a room or for D1.
#[derive(Clone)]
pub(super) struct Operation {
    pub(super) for_room: usize,
    pub(super) incarnation: u32,
    pub(super) call: CallId,
    pub(super) lease: u64,
    /// The row as it was when it began to wait.
    pub(super) row: Option<LeaseRow>,
}

#[derive(Default)]
pub struct World {
    pub(super) tables: [Table; 2],
    pub(super) row: Option<LeaseRow>,
    pub(super) record: Option<Record>,
    pub(super) operations: BTreeMap<u32, Operation>,
    /// Whose turn it is.
    pub(super) turn: Option<u32>,
    pub(super) next: u32,
    pub net: Vec<Message>,
    /// Calls that a room waits for.
    pub(super) waiting: Vec<(usize, u32, CallId)>,
    pub(super) now_ms: u64,
    /// What a checker found.
    pub wrong: Option<String>,
}

impl World {
    pub fn new() -> World {
        World { now_ms: START_MS, ..World::default() }
    }

    /// What is left if every process dies now, and every message is lost.
    pub fn crashed(&self) -> World {
        let tables = [0, 1].map(|room| Table { disk: self.tables[room].disk.clone(), ..Table::default() });
        let (row, record, now_ms) = (self.row.clone(), self.record.clone(), self.now_ms + 1);
        World { tables, row, record, now_ms, ..World::default() }
    }

    // ---- Rooms ----

    fn setup(room: usize) -> Setup {
        Setup {
            game: game::<Mint>(),
            game_name: "mint".to_owned(),
            room: ROOMS[room].to_owned(),
            build: Build { id: "b".to_owned(), at: 1 },
            leases: true,
            stopwatch: None,
            load: Default::default(),
            slept: true,
        }
    }

    pub(super) fn stored(&self, room: usize) -> Option<Stored> {
        let disk = &self.tables[room].disk;
        let mut journal: Vec<StoredRow> = disk.slots.values().cloned().collect();
        journal.sort_by_key(|row| row.seq);
        (disk.stored.save_seq > 0).then(|| Stored { journal, ..disk.stored.clone() })
    }

    pub(super) fn restored(&self, room: usize) -> Option<Host> {
        let stored = self.stored(room)?;
        Some(Host::restore(World::setup(room), &stored, &[], self.now_ms).expect("the save restores"))
    }

    /// One event of a room. The first one of an incarnation restores it.
    pub(super) fn hear(&mut self, room: usize, hear: impl FnOnce(&mut Host, u64)) {
        self.now_ms += 1;
        if self.tables[room].host.is_none() {
            let Some(host) = self.restored(room) else { return };
            self.tables[room].host = Some(host);
            self.drain(room);
        }
        let now_ms = self.now_ms;
        if let Some(host) = &mut self.tables[room].host {
            hear(host, now_ms);
        }
        self.drain(room);
    }

    pub(super) fn drain(&mut self, room: usize) {
        let Some(mut host) = self.tables[room].host.take() else { return };
        let incarnation = self.tables[room].incarnation;
        while let Some(commit) = host.poll_commit() {
            let table = &mut self.tables[room];
            let fate = table.fate.take();
            if fate != Some(Fate::Fails) {
                table.disk.write(commit.seq, commit.write);
            }
            if fate == Some(Fate::Kills) {
                return self.crash(room);
            }
            let taken = CommitOutcome::Taken { rows_written: 1 };
            host.handle_commit(if fate.is_some() { CommitOutcome::Failed } else { taken }, self.now_ms);
        }
        while let Some(output) = host.poll_output() {
            match output {
                Output::Call { call, request } => {
                    self.waiting.push((room, incarnation, call));
                    self.net.push(Message::ToLobby { room, incarnation, call, request: *request });
                }
                Output::Reply { reply, answer } => {
                    self.net.push(Message::TableSays { operation: reply.0, answer });
                }
                Output::Close { connection, .. } => {
                    self.tables[room].here.retain(|here| *here != connection.0);
                }
                Output::Send { .. } | Output::Attach { .. } | Output::Record { .. } => {}
            }
        }
        if host.has_ended() {
            self.crash(room);
        } else {
            self.tables[room].host = Some(host);
        }
    }

    pub fn crash(&mut self, room: usize) {
        let table = &mut self.tables[room];
        (table.host, table.fate) = (None, None);
        table.here.clear();
        table.incarnation += 1;
        let incarnation = table.incarnation;
        self.waiting.retain(|(of, number, _)| *of != room || *number == incarnation);
    }

    pub fn set_fate(&mut self, room: usize, fate: Fate) {
        self.tables[room].fate = Some(fate);
    }

    pub fn come(&mut self, room: usize, watch: bool) {
        self.hear(room, |_, _| {});
        if self.tables[room].host.is_none() && self.stored(room).is_none() {
            self.tables[room].host = Some(Host::create(World::setup(room), 7, self.now_ms));
        }
        let table = &mut self.tables[room];
        table.next_connection += 1;
        let connection = table.next_connection;
        table.here.push(connection);
        let hello = Hello { v: 1, game: "mint".to_owned(), watch, ..Hello::default() };
        let account = Some(ACCOUNT).filter(|_| !watch);
        let secret = u128::from(connection).to_le_bytes();
        self.hear(room, |host, now| {
            host.handle_hello(ConnectionId(connection), &hello, account, secret, now);
        });
    }

    fn say(&mut self, room: usize, text: &str) {
        if let Some(connection) = self.tables[room].here.last().copied() {
            self.hear(room, |host, now| host.handle_message(ConnectionId(connection), text, now));
        }
    }

    pub fn leave(&mut self, room: usize) {
        self.say(room, r#"{"t":"leave"}"#);
    }

    /// The connection is lost, and the grace ends.
    pub fn lose(&mut self, room: usize) {
        while let Some(connection) = self.tables[room].here.pop() {
            self.hear(room, |host, now| host.handle_close(ConnectionId(connection), now));
        }
        self.ticks(room, GRACE_TICKS);
    }

    pub fn mint(&mut self, room: usize) {
        for pad in [r#"{"mint":true}"#, "{}"] {
            self.hear(room, |_, _| {});
            let Some(host) = &self.tables[room].host else { return };
            let facts = host.facts(self.now_ms);
            let (epoch, tick) = (facts.epoch, facts.tick + 1);
            self.say(room, &format!(r#"{{"t":"in","e":{epoch},"s":[[{tick},{pad}]]}}"#));
            self.ticks(room, 1);
        }
    }

    /// Long enough for a copy to be sent home; whoever is here stays.
    pub fn copy(&mut self, room: usize) {
        let until_ms = self.now_ms + WRITE_BACK_MS + 66_000;
        while self.now_ms < until_ms && !self.net.iter().any(|message| message.is_copy_of(room)) {
            self.say(room, r#"{"t":"ping","c":1}"#);
            self.now_ms += 20_000;
            self.ticks(room, 1);
        }
    }

    pub fn ticks(&mut self, room: usize, ticks: u32) {
        for _ in 0..ticks {
            self.now_ms += TICK_MS;
            self.hear(room, Host::handle_tick);
        }
    }

    /// The alarm fires for what is due.
    pub fn alarm(&mut self, room: usize) {
        self.hear(room, |_, _| {});
        let now_ms = self.now_ms;
        let due = self.tables[room].host.as_ref().and_then(|host| host.next_alarm_ms(now_ms));
        if let Some(due) = due {
            self.now_ms = due;
            self.hear(room, Host::handle_alarm);
        }
    }

    // ---- What can happen ----

    pub fn is_here(&self, room: usize) -> bool {
        !self.tables[room].here.is_empty()
    }

    pub fn holds(&self, room: usize) -> bool {
        self.tables[room].host.as_ref().is_some_and(|host| host.facts(self.now_ms).holds.held > 0)
    }

    /// Seats that are away, or something that is due and no call is under way for: time would bring it about.
    pub fn time_does_something(&self, room: usize) -> bool {
        let Some(host) = &self.tables[room].host else { return self.stored(room).is_some() };
        let facts = host.facts(self.now_ms);
        facts.seats > facts.people || facts.holds.returning > host.open_calls().len()
    }

    /// D1 lacks a copy; and whether one is on its way to it.
    pub fn owes(&self) -> Option<bool> {
        let under_way = |message: &Message| matches!(message, Message::ToStore(_) | Message::Stored(_));
        self.row.as_ref().filter(|row| is_unstored(row)).map(|_| self.net.iter().any(under_way))
    }

    /// Calls that a room waits for, and whether something of them is on its way.
    pub fn calls(&self) -> Vec<(usize, u32, CallId, bool)> {
        let is_of = |call: CallId, message: &Message| match message {
            Message::ToLobby { call: of, .. } | Message::LobbySays { call: of, .. } => *of == call,
            _ => false,
        };
        let under_way = |call| {
            self.net.iter().any(|message| is_of(call, message))
                || self.operations.values().any(|operation| operation.call == call)
        };
        self.waiting.iter().map(|(room, of, call)| (*room, *of, *call, under_way(*call))).collect()
    }

    pub fn give_up_call(&mut self, (room, incarnation, call): (usize, u32, CallId)) {
        self.answer(room, incarnation, call, None);
    }

    /// Operations of the Lobby, and whether something of them is on its way.
    pub fn operations(&self) -> Vec<(u32, bool)> {
        let of = |message: &Message| match message {
            Message::ToTable { operation, .. }
            | Message::TableSays { operation, .. }
            | Message::ToRead { operation }
            | Message::Read { operation, .. } => Some(*operation),
            _ => None,
        };
        let under_way = |number: u32| self.net.iter().any(|message| of(message) == Some(number));
        self.operations.keys().map(|number| (*number, under_way(*number))).collect()
    }

    pub fn give_up_operation(&mut self, number: u32) {
        if self.operations.get(&number).is_some_and(|operation| operation.lease == 0) {
            self.was_read(number, Err(RecordsAway));
        } else {
            self.table_said(number, None);
        }
    }
}

impl Message {
    fn is_copy_of(&self, of: usize) -> bool {
        matches!(self, Message::ToLobby { room, request: LobbyRequest::Copy(_), .. } if *room == of)
    }
}

impl Disk {
    fn write(&mut self, seq: u64, write: Write) {
        self.shown.take();
        match write {
            Write::Row { slot, bytes } => {
                self.slots.insert(slot, StoredRow { seq, bytes });
            }
            Write::Save { chunks } => {
                self.stored.save = chunks.concat();
                self.stored.save_seq = seq;
            }
        }
    }
}
