//! The world of the small model: two rooms with their disks, the Lobby with its row, D1 with its record, one account, and
//! what is on its way between them. The real host and the real lease steps; every message is delivered by hand.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use roundtable::host::{
    CallId, CommitOutcome, ConnectionId, Host, Output, ReplyId, Setup, Stored, StoredRow, Write,
};
use roundtable::limits::WRITE_BACK_MS;
use roundtable::lobby::leases::{
    LeaseRow, Next, Record, RecordsAway, after_read, after_release, first, is_newer_record, is_unstored,
};
use roundtable::rules::adapter::game;
use roundtable::wire::client_message::{Build, Hello};
use roundtable::wire::lease::{LobbyAnswer, LobbyRequest, Stamp, TableAnswer, TableRequest};
use roundtable::wire::server_message::ServerMessage;

use super::mint::Mint;

const ACCOUNT: &str = "ada";
const ROOMS: [&str; 2] = ["a", "b"];
const TICK_MS: u64 = 50;
const GRACE_TICKS: u32 = 10_000 / 50 + 1;
const START_MS: u64 = 1_700_000_000_000;

#[derive(Clone, Default)]
struct Disk {
    stored: Stored,
    slots: BTreeMap<u32, StoredRow>,
    /// The fingerprint of what it holds, once somebody asked for it.
    shown: RefCell<Option<String>>,
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
struct Table {
    host: Option<Host>,
    /// Messages to a former incarnation are for nobody.
    incarnation: u32,
    disk: Disk,
    next_connection: u32,
    here: Vec<u32>,
    fate: Option<Fate>,
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
struct Operation {
    for_room: usize,
    incarnation: u32,
    call: CallId,
    lease: u64,
    /// The row as it was when it began to wait.
    row: Option<LeaseRow>,
}

#[derive(Default)]
pub struct World {
    tables: [Table; 2],
    row: Option<LeaseRow>,
    record: Option<Record>,
    operations: BTreeMap<u32, Operation>,
    /// Whose turn it is.
    turn: Option<u32>,
    next: u32,
    pub net: Vec<Message>,
    /// Calls that a room waits for.
    waiting: Vec<(usize, u32, CallId)>,
    now_ms: u64,
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

    fn stored(&self, room: usize) -> Option<Stored> {
        let disk = &self.tables[room].disk;
        let mut journal: Vec<StoredRow> = disk.slots.values().cloned().collect();
        journal.sort_by_key(|row| row.seq);
        (disk.stored.save_seq > 0).then(|| Stored { journal, ..disk.stored.clone() })
    }

    fn restored(&self, room: usize) -> Option<Host> {
        let stored = self.stored(room)?;
        Some(Host::restore(World::setup(room), &stored, &[], self.now_ms).expect("the save restores"))
    }

    /// One event of a room. The first one of an incarnation restores it.
    fn hear(&mut self, room: usize, hear: impl FnOnce(&mut Host, u64)) {
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

    fn drain(&mut self, room: usize) {
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

    // ---- The Lobby and D1 ----

    pub fn deliver(&mut self, message: Message) {
        match message {
            Message::ToLobby { room, incarnation, call, request } => {
                let is_grant = matches!(request, LobbyRequest::Grant { .. });
                // Returns and copies come in between, which the steps must bear.
                let next = if self.turn.is_some() && is_grant {
                    Next::Answer { answer: LobbyAnswer::Busy, write: None }
                } else {
                    first(self.row.as_ref(), &request)
                };
                let row = self.row.clone();
                self.go_on(Operation { for_room: room, incarnation, call, lease: 0, row }, next);
            }
            Message::ToTable { room, operation, request } => {
                let reply = ReplyId(operation);
                if self.tables[room].host.is_none() && self.stored(room).is_none() {
                    // No room was ever made there.
                    return self.net.push(Message::TableSays { operation, answer: TableAnswer::Absent });
                }
                self.hear(room, |host, now| host.handle_release(reply, &request, now));
            }
            Message::LobbySays { room, incarnation, call, answer } => {
                self.answer(room, incarnation, call, Some(answer));
            }
            Message::TableSays { operation, answer } => self.table_said(operation, Some(answer)),
            Message::ToRead { operation } => {
                self.net.push(Message::Read { operation, record: self.record.clone() });
            }
            Message::Read { operation, record } => self.was_read(operation, Ok(record)),
            Message::ToStore(row) => self.store(*row),
            Message::Stored(stamp) => {
                if let Some(row) = self.row.as_mut().filter(|row| stamp > row.stored) {
                    row.stored = stamp;
                }
            }
        }
    }

    fn answer(&mut self, room: usize, incarnation: u32, call: CallId, answer: Option<LobbyAnswer>) {
        self.waiting.retain(|waits| *waits != (room, incarnation, call));
        if self.tables[room].incarnation == incarnation && self.tables[room].host.is_some() {
            self.hear(room, |host, now| host.handle_answer(call, answer, now));
        }
    }

    fn take(&mut self, number: u32) -> Option<Operation> {
        self.turn = self.turn.filter(|turn| *turn != number);
        self.operations.remove(&number)
    }

    fn table_said(&mut self, number: u32, answer: Option<TableAnswer>) {
        let Some(operation) = self.take(number) else { return };
        let stale = roundtable::mutation::is_on(roundtable::mutation::Mutation::NoReread);
        let row = if stale { &operation.row } else { &self.row };
        let next = after_release(row.as_ref(), operation.lease, ROOMS[operation.for_room], answer);
        self.go_on(operation, next);
    }

    pub fn was_read(&mut self, number: u32, record: Result<Option<Record>, RecordsAway>) {
        let Some(operation) = self.take(number) else { return };
        let next = after_read(self.row.as_ref(), ACCOUNT, ROOMS[operation.for_room], record);
        self.go_on(operation, next);
    }

    fn go_on(&mut self, operation: Operation, next: Next) {
        let (wait, lease) = match next {
            Next::Answer { answer, write } => {
                if let Some(row) = write {
                    self.put(*row);
                }
                let Operation { for_room: room, incarnation, call, .. } = operation;
                return self.net.push(Message::LobbySays { room, incarnation, call, answer });
            }
            Next::Read => (None, 0),
            Next::Release { room, lease } => (Some(room), lease),
        };
        self.next += 1;
        let number = self.next;
        self.turn = Some(number);
        self.net.push(match wait {
            None => Message::ToRead { operation: number },
            Some(holder) => {
                let room = ROOMS.iter().position(|name| *name == holder).expect("one of the two");
                let (account, game) = (ACCOUNT.to_owned(), "mint".to_owned());
                Message::ToTable {
                    room,
                    operation: number,
                    request: TableRequest::Release { v: 1, account, game, lease },
                }
            }
        });
        let row = self.row.clone();
        self.operations.insert(number, Operation { lease, row, ..operation });
    }

    fn put(&mut self, row: LeaseRow) {
        let falls = self.row.as_ref().is_some_and(|now| row.lease < now.lease || row.stamp < now.stamp);
        if falls {
            self.wrong.get_or_insert(format!("the Lobby's row falls to {} {:?}", row.lease, row.stamp));
        }
        self.row = Some(row);
    }

    /// D1 is given a copy.
    fn store(&mut self, row: LeaseRow) {
        let Some(body) = row.body else { return };
        let stamp = row.stamp;
        let former = self.record.as_ref().map(|record| record.stamp);
        if former.is_none_or(|former| is_newer_record(stamp, former)) {
            if former.is_some_and(|former| stamp < former) {
                self.wrong.get_or_insert(format!("D1 falls from {former:?} to {stamp:?}"));
            }
            self.record = Some(Record { stamp, schema: row.schema, room: row.from_room, body });
        }
        self.net.push(Message::Stored(stamp));
    }

    /// The Lobby's alarm: it gives D1 what that lacks.
    pub fn flush(&mut self) {
        if let Some(row) = self.row.clone().filter(is_unstored) {
            self.net.push(Message::ToStore(Box::new(row)));
        }
    }

    pub fn crash_lobby(&mut self) {
        self.operations.clear();
        self.turn = None;
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
        facts.seats > facts.people as usize || facts.holds.returning > host.awaited().len()
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

    // ---- What came of it ----

    pub fn deliver_all(&mut self) {
        while !self.net.is_empty() {
            let message = self.net.remove(0);
            self.deliver(message);
        }
    }

    /// Nothing fails, nobody stays: in the end the character is home, and D1 has it.
    pub fn settle(&mut self) {
        self.quiet();
        if self.row.as_ref().is_some_and(|row| row.room.is_some()) {
            // A grant that no room remembers: whoever asks next calls it back.
            self.crash_lobby();
            let there = self.row.as_ref().and_then(|row| row.room.as_deref()) == Some(ROOMS[0]);
            self.come(usize::from(there), false);
            self.deliver_all();
            self.quiet();
        }
    }

    fn quiet(&mut self) {
        for _ in 0..6 {
            for room in 0..2 {
                self.tables[room].fate = None;
                self.lose(room);
                self.alarm(room);
            }
            self.flush();
            self.deliver_all();
            while let Some(number) = self.operations.keys().next().copied() {
                self.give_up_operation(number);
                self.deliver_all();
            }
            while let Some((room, of, call)) = self.waiting.first().copied() {
                self.give_up_call((room, of, call));
                self.deliver_all();
            }
        }
    }

    /// How many rooms hold the character, a room that has crashed as it would come back.
    pub fn holders(&self) -> usize {
        let held = |room: usize| match &self.tables[room].host {
            Some(host) => host.facts(self.now_ms).holds.held,
            None => self.restored(room).map_or(0, |host| host.facts(self.now_ms).holds.held),
        };
        held(0) + held(1)
    }

    /// What is wrong once all is quiet.
    pub fn verdict(&self) -> Option<String> {
        if let Some(wrong) = &self.wrong {
            return Some(wrong.clone());
        }
        let gold = |body: &roundtable::wire::lease::CharacterBody| body.f["gold"].as_u64().unwrap_or(0);
        let row = self.row.as_ref();
        let home = row.and_then(|row| row.body.as_ref()).map_or(0, gold);
        let kept = self.record.as_ref().map_or(0, |record| gold(&record.body));
        let minted = self.minted();
        let room = row.and_then(|row| row.room.clone());
        let is_well = room.is_none() && self.holders() == 0 && home == minted && kept == minted;
        (!is_well).then(|| {
            format!(
                "{home} gold at home, {kept} in D1, {minted} minted, held by {room:?}, {} holders",
                self.holders()
            )
        })
    }

    /// In both rooms, as a spectator of what is stored is told.
    fn minted(&self) -> u64 {
        let minted = |room: usize| {
            let Some(mut host) = self.restored(room) else { return 0 };
            let watch = Hello { v: 1, game: "mint".to_owned(), watch: true, ..Hello::default() };
            host.handle_hello(ConnectionId(1), &watch, None, [0; 16], self.now_ms);
            while host.poll_commit().is_some() {
                host.handle_commit(CommitOutcome::Taken { rows_written: 1 }, self.now_ms);
            }
            let text = std::iter::from_fn(|| host.poll_output()).find_map(|output| match output {
                Output::Send { text, .. } => Some(text),
                _ => None,
            });
            match ServerMessage::parse(&text.expect("a welcome")) {
                Ok(ServerMessage::Welcome(welcome)) => {
                    welcome.shared["hall"]["minted"].as_u64().expect("a count")
                }
                other => panic!("a welcome, not {other:?}"),
            }
        };
        minted(0) + minted(1)
    }

    // ---- Telling states apart ----

    /// What is stored.
    pub fn durable(&self) -> String {
        let mut out = format!("{:?}|{:?}", self.row, self.record);
        for room in 0..2 {
            let mut shown = self.tables[room].disk.shown.borrow_mut();
            let shown = shown
                .get_or_insert_with(|| format!("{:?}", self.restored(room).map(|host| host.fingerprint())));
            let _ = write!(out, "|{shown}");
        }
        out
    }

    /// Everything that decides what may come of this state; clocks and numbers that only rise are not in it.
    pub fn fingerprint(&self) -> String {
        let mut out = self.durable();
        for (room, table) in self.tables.iter().enumerate() {
            let memory = table.host.as_ref().map(|host| {
                let awaited: Vec<String> =
                    host.awaited().iter().map(|call| self.name_of(room, *call)).collect();
                (host.fingerprint(), awaited)
            });
            let _ = write!(out, "|{memory:?} {} {:?}", table.here.len(), table.fate);
        }
        let mut net: Vec<String> = self.net.iter().map(|message| self.shape(message)).collect();
        net.sort();
        let operations: Vec<String> = self.operations.keys().map(|number| self.operation(*number)).collect();
        let _ = write!(out, "|{net:?}|{operations:?}|{}", self.turn.is_some());
        out
    }

    /// Which call of a room this is, of those that it waits for.
    fn name_of(&self, room: usize, call: CallId) -> String {
        let place = self.waiting.iter().filter(|(of, ..)| *of == room).position(|(.., one)| *one == call);
        format!("{room}#{place:?}")
    }

    fn operation(&self, number: u32) -> String {
        match self.operations.get(&number) {
            None => "none".to_owned(),
            Some(Operation { for_room, incarnation, call, lease, .. }) => {
                let lives = self.tables[*for_room].incarnation == *incarnation;
                format!("{lives} {} {lease}", self.name_of(*for_room, *call))
            }
        }
    }

    pub fn shape(&self, message: &Message) -> String {
        let lives = |room: &usize, incarnation: &u32| self.tables[*room].incarnation == *incarnation;
        match message {
            Message::ToLobby { room, incarnation, call, request } => {
                format!("{} {} {request:?}", lives(room, incarnation), self.name_of(*room, *call))
            }
            Message::LobbySays { room, incarnation, call, answer } => {
                format!("{} {} {answer:?}", lives(room, incarnation), self.name_of(*room, *call))
            }
            Message::ToTable { room, operation, request } => {
                format!("to {room} of {} {request:?}", self.operation(*operation))
            }
            Message::TableSays { operation, answer } => {
                format!("said to {} {answer:?}", self.operation(*operation))
            }
            Message::ToRead { operation } => format!("read for {}", self.operation(*operation)),
            Message::Read { operation, record } => format!("read {} {record:?}", self.operation(*operation)),
            Message::ToStore(row) => format!("store {:?}", row.stamp),
            Message::Stored(stamp) => format!("stored {stamp:?}"),
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
