//! The world of the lease tests: rooms with their disks, the Lobby with its row, and what is on its way between them.

use std::collections::BTreeMap;

use roundtable::host::{
    CallId, CommitOutcome, ConnectionId, Host, Output, ReplyId, Setup, Stored, StoredRow, Write,
};
use roundtable::lobby::leases::{LeaseRow, Next, after_read, after_release, first};
use roundtable::rules::adapter::game;
use roundtable::wire::client_message::{Build, Hello};
use roundtable::wire::lease::{LobbyAnswer, LobbyRequest, TableAnswer, TableRequest};
use roundtable::wire::server_message::ServerMessage;

use super::mint::Mint;

const ACCOUNT: &str = "ada";
const ROOMS: [&str; 2] = ["a", "b"];
const TICK_MS: u64 = 50;
const GRACE_TICKS: u32 = 10_000 / 50 + 1;

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Come(usize),
    Lose(usize),
    Leave(usize),
    Mint(usize),
    GraceEnds(usize),
    Alarm(usize),
    Crash(usize),
    /// The room's next write does.
    WriteFails(usize),
    /// The n-th message arrives; with `true` it will arrive again.
    Deliver(usize, bool),
    Drop(usize),
    /// The n-th call of a room, or request of the Lobby, has taken too long.
    GiveUp(usize),
    LobbyCrashes,
    /// The operation under way counts as dead, though it may still go on.
    TurnDies,
}

#[derive(Clone, Default)]
struct Disk {
    stored: Stored,
    slots: BTreeMap<u32, StoredRow>,
}

#[derive(Default)]
struct Table {
    host: Option<Host>,
    /// Messages to a former incarnation are for nobody.
    incarnation: u32,
    disk: Disk,
    next_connection: u32,
    here: Vec<u32>,
    write_fails: bool,
}

#[derive(Clone)]
enum Message {
    ToLobby { room: usize, incarnation: u32, call: CallId, request: LobbyRequest },
    ToTable { room: usize, operation: u32, request: TableRequest },
    LobbySays { room: usize, incarnation: u32, call: CallId, answer: LobbyAnswer },
    TableSays { operation: u32, answer: TableAnswer },
}

/// An operation of the Lobby that waits for a room.
struct Operation {
    for_room: usize,
    incarnation: u32,
    call: CallId,
    lease: u64,
}

#[derive(Default)]
pub struct World {
    tables: [Table; 2],
    row: Option<LeaseRow>,
    operations: BTreeMap<u32, Operation>,
    /// Whose turn it is.
    turn: Option<u32>,
    /// A return has to wait for its turn too; else it comes in between, which the steps must bear as well.
    returns_wait: bool,
    next: u32,
    net: Vec<Message>,
    /// Calls that a room waits for.
    waiting: Vec<(usize, u32, CallId)>,
    now_ms: u64,
    /// Names of the codes of closes.
    pub closes: Vec<&'static str>,
}

impl World {
    pub fn new(returns_wait: bool) -> World {
        World { now_ms: 1_700_000_000_000, returns_wait, ..World::default() }
    }

    /// What is left if every process dies now.
    pub fn crashed(&self) -> World {
        let tables = [0, 1].map(|room| Table { disk: self.tables[room].disk.clone(), ..Table::default() });
        let (row, now_ms, returns_wait) = (self.row.clone(), self.now_ms + 1, self.returns_wait);
        World { tables, row, now_ms, returns_wait, ..World::default() }
    }

    pub fn apply(&mut self, event: Event) {
        self.now_ms += 1;
        match event {
            Event::Come(room) => self.come(room, false),
            Event::Lose(room) => {
                if let Some(connection) = self.tables[room].here.pop() {
                    self.hear(room, |host, now| host.handle_close(ConnectionId(connection), now));
                }
            }
            Event::Leave(room) => self.say(room, r#"{"t":"leave"}"#),
            Event::Mint(room) => self.mint(room),
            Event::GraceEnds(room) => self.ticks(room, GRACE_TICKS),
            Event::Alarm(room) => {
                self.hear(room, |_, _| {});
                let now_ms = self.now_ms;
                let due = self.tables[room].host.as_ref().and_then(|host| host.next_alarm_ms(now_ms));
                if let Some(due) = due {
                    self.now_ms = due;
                    self.hear(room, Host::handle_alarm);
                }
            }
            Event::Crash(room) => self.crash(room),
            Event::WriteFails(room) => self.tables[room].write_fails = true,
            Event::Deliver(n, again) => {
                if !self.net.is_empty() {
                    let at = n % self.net.len();
                    let message = if again { self.net[at].clone() } else { self.net.remove(at) };
                    self.deliver(message);
                }
            }
            Event::Drop(n) => {
                if !self.net.is_empty() {
                    self.net.remove(n % self.net.len());
                }
            }
            Event::GiveUp(n) => self.give_up(n),
            Event::LobbyCrashes => {
                self.operations.clear();
                self.turn = None;
            }
            Event::TurnDies => self.turn = None,
        }
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

    /// One event of a room. The first one of an incarnation restores it; a hello makes it.
    fn hear(&mut self, room: usize, hear: impl FnOnce(&mut Host, u64)) {
        if self.tables[room].host.is_none() {
            let Some(stored) = self.stored(room) else { return };
            let host =
                Host::restore(World::setup(room), &stored, &[], self.now_ms).expect("the save restores");
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
            let outcome = if std::mem::take(&mut table.write_fails) {
                CommitOutcome::Failed
            } else {
                table.disk.write(commit.seq, commit.write);
                CommitOutcome::Taken { rows_written: 1 }
            };
            host.handle_commit(outcome, self.now_ms);
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
                Output::Close { connection, close } => {
                    self.tables[room].here.retain(|here| *here != connection.0);
                    self.closes.push(close.code.name());
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

    fn crash(&mut self, room: usize) {
        let table = &mut self.tables[room];
        table.host = None;
        table.here.clear();
        table.incarnation += 1;
    }

    fn come(&mut self, room: usize, watch: bool) {
        self.hear(room, |_, _| {});
        if self.tables[room].host.is_none() && self.stored(room).is_none() {
            self.tables[room].host = Some(Host::create(World::setup(room), 7, self.now_ms));
        }
        let table = &mut self.tables[room];
        if table.host.is_none() {
            // It could not be restored just now, and says so to whoever knocks.
            return;
        }
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

    fn mint(&mut self, room: usize) {
        for pad in [r#"{"mint":true}"#, "{}"] {
            self.hear(room, |_, _| {});
            let Some(host) = &self.tables[room].host else { return };
            let facts = host.facts(self.now_ms);
            let (epoch, tick) = (facts.epoch, facts.tick + 1);
            self.say(room, &format!(r#"{{"t":"in","e":{epoch},"s":[[{tick},{pad}]]}}"#));
            self.ticks(room, 1);
        }
    }

    fn ticks(&mut self, room: usize, ticks: u32) {
        for _ in 0..ticks {
            self.now_ms += TICK_MS;
            self.hear(room, Host::handle_tick);
        }
    }

    // ---- The Lobby ----

    fn deliver(&mut self, message: Message) {
        match message {
            Message::ToLobby { room, incarnation, call, request } => {
                let is_grant = matches!(request, LobbyRequest::Grant { .. });
                let next = if self.turn.is_some() && (is_grant || self.returns_wait) {
                    Next::Answer { answer: LobbyAnswer::Busy, write: None }
                } else {
                    first(self.row.as_ref(), &request)
                };
                self.go_on(Operation { for_room: room, incarnation, call, lease: 0 }, next);
            }
            Message::ToTable { room, operation, request } => {
                let reply = ReplyId(operation);
                if self.tables[room].host.is_none() && self.stored(room).is_none() {
                    // No room was ever made there.
                    return self.deliver(Message::TableSays { operation, answer: TableAnswer::Absent });
                }
                self.hear(room, |host, now| host.handle_release(reply, &request, now));
            }
            Message::LobbySays { room, incarnation, call, answer } => {
                self.waiting.retain(|waits| *waits != (room, incarnation, call));
                if self.tables[room].incarnation == incarnation && self.tables[room].host.is_some() {
                    self.hear(room, |host, now| host.handle_answer(call, Some(answer), now));
                }
            }
            Message::TableSays { operation, answer } => self.table_said(operation, Some(answer)),
        }
    }

    fn table_said(&mut self, number: u32, answer: Option<TableAnswer>) {
        let Some(operation) = self.operations.remove(&number) else { return };
        self.turn = self.turn.filter(|turn| *turn != number);
        let next = after_release(self.row.as_ref(), operation.lease, ROOMS[operation.for_room], answer);
        self.go_on(operation, next);
    }

    fn go_on(&mut self, operation: Operation, next: Next) {
        match next {
            Next::Read => {
                let room = ROOMS[operation.for_room];
                let next = after_read(self.row.as_ref(), ACCOUNT, room, Ok(None));
                self.go_on(operation, next);
            }
            Next::Release { room, lease } => {
                self.next += 1;
                self.turn = Some(self.next);
                let holder = ROOMS.iter().position(|name| *name == room).expect("one of the two");
                let (account, game) = (ACCOUNT.to_owned(), "mint".to_owned());
                let request = TableRequest::Release { v: 1, account, game, lease };
                self.net.push(Message::ToTable { room: holder, operation: self.next, request });
                self.operations.insert(self.next, Operation { lease, ..operation });
            }
            Next::Answer { answer, write } => {
                self.row = write.map(|row| *row).or(self.row.take());
                let Operation { for_room: room, incarnation, call, .. } = operation;
                self.net.push(Message::LobbySays { room, incarnation, call, answer });
            }
        }
    }

    fn give_up(&mut self, n: usize) {
        if !self.waiting.is_empty() && n.is_multiple_of(2) {
            let (room, incarnation, call) = self.waiting.remove(n % self.waiting.len());
            if self.tables[room].incarnation == incarnation && self.tables[room].host.is_some() {
                self.hear(room, |host, now| host.handle_answer(call, None, now));
            }
        } else if let Some(number) = self.operations.keys().nth(n % self.operations.len().max(1)).copied() {
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

    /// Nothing fails, nobody stays: in the end the character is home.
    pub fn settle(&mut self) {
        self.quiet();
        if !self.is_home() {
            // A grant that no room remembers: whoever asks next calls it back.
            self.turn = None;
            let there = self.row.as_ref().and_then(|row| row.room.as_deref()) == Some(ROOMS[0]);
            self.apply(Event::Come(usize::from(there)));
            self.deliver_all();
            self.quiet();
        }
    }

    fn quiet(&mut self) {
        for _ in 0..6 {
            for room in 0..2 {
                self.tables[room].write_fails = false;
                while !self.tables[room].here.is_empty() {
                    self.apply(Event::Lose(room));
                }
                self.ticks(room, GRACE_TICKS);
                self.apply(Event::Alarm(room));
            }
            self.deliver_all();
            while let Some(number) = self.operations.keys().next().copied() {
                self.table_said(number, None);
                self.deliver_all();
            }
        }
    }

    /// How many rooms hold the character, a room that has crashed as it would come back.
    pub fn holders(&self) -> usize {
        let held = |room: usize| {
            let table = &self.tables[room];
            let restored = || {
                let stored = self.stored(room)?;
                Some(Host::restore(World::setup(room), &stored, &[], self.now_ms).expect("the save restores"))
            };
            match &table.host {
                Some(host) => host.facts(self.now_ms).holds.held,
                None => restored().map_or(0, |host| host.facts(self.now_ms).holds.held),
            }
        };
        held(0) + held(1)
    }

    pub fn is_home(&self) -> bool {
        self.row.as_ref().is_none_or(|row| row.room.is_none())
    }

    pub fn lease(&self) -> u64 {
        self.row.as_ref().map_or(0, |row| row.lease)
    }

    /// Of the Lobby's copy.
    pub fn gold(&self) -> u64 {
        let gold = |row: &LeaseRow| row.body.as_ref()?.f["gold"].as_u64();
        self.row.as_ref().and_then(gold).unwrap_or(0)
    }

    /// In both rooms, as a spectator of what is stored is told.
    pub fn minted(&self) -> u64 {
        let minted = |room: usize| {
            let Some(stored) = self.stored(room) else { return 0 };
            let mut host =
                Host::restore(World::setup(room), &stored, &[], self.now_ms).expect("the save restores");
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
}

impl Disk {
    fn write(&mut self, seq: u64, write: Write) {
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
