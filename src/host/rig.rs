//! A disk and a rig for the host's tests: the platform, without sockets and SQL.
//!
//! The rig holds all that leaves against what a restore would bring back at that moment.

mod leases;

use std::collections::BTreeMap;

use crate::host::RecordRow;
use crate::host::actions::Answer;
use crate::host::holds::{Hold, State};
use crate::host::ledger::Ledger;
use crate::host::parking::ParkRow;
use crate::host::records::Records;
use crate::host::save::{self, Loaded};
use crate::host::seat_record::{Attachment, SeatRecord};
use crate::host::secrets::Secret;
use crate::host::stub::{LASTING, Stub};
use crate::host::stub_lobby::Lobby;
use crate::host::{
    Attached, CallId, Commit, CommitOutcome, ConnectionId, Facts, Host, Output, RecordingWrite, ReplyId,
    Setup, Stored, StoredRecording, StoredRow, Write,
};
use crate::rules::cut::Cut;
use crate::rules::face::{BodyRow, Game, Snapshot};
use crate::rules::ids::Seat;
use crate::rules::schema::{Pace, Room};
use crate::wire::client_message::{Build, Hello};
use crate::wire::close::CloseCode;
use crate::wire::lease::{LobbyRequest, Stamp, TableAnswer};
use crate::wire::server_message::{ServerMessage, Welcome};
use crate::wire::snap::Snap;

/// Storage as the platform keeps it: a save, and a ring of rows.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    save: Vec<u8>,
    save_seq: u64,
    slots: BTreeMap<u32, StoredRow>,
    pub commits: Vec<Commit>,
    pub parked: Option<ParkRow>,
    /// Of the newest run.
    pub recording: Option<(u64, BTreeMap<u32, Vec<u8>>)>,
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

    pub fn keep(&mut self, write: RecordingWrite) {
        let known = self.recording.take().filter(|(run, _)| *run == write.run);
        let mut parts = known.map(|(_, parts)| parts).unwrap_or_default();
        parts.extend(write.parts);
        self.recording = Some((write.run, parts));
    }

    pub fn stored(&self) -> Stored {
        let mut journal: Vec<StoredRow> = self.slots.values().cloned().collect();
        journal.sort_by_key(|row| row.seq);
        let at = self.commits.last().map(|commit| (commit.epoch, commit.tick)).unwrap_or_default();
        let (save, parked) = (self.save.clone(), self.parked.clone());
        Stored { save, save_seq: self.save_seq, journal, at, parked }
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

    fn loaded(&self) -> Option<Loaded> {
        // Whatever any of the stubs stores.
        let room = Room::lasting().characters().seats(4).pace(Pace::OnEvent);
        self.cut().map(|cut| save::load(&cut, "stub", &room, false, 0).expect("a save"))
    }

    fn seats(&self) -> Vec<(Seat, SeatRecord)> {
        self.loaded().map(|loaded| loaded.seats).unwrap_or_default()
    }

    pub fn records(&self) -> Records {
        self.loaded().map(|loaded| loaded.records).unwrap_or_default()
    }

    pub fn holds(&self) -> BTreeMap<String, Hold> {
        self.loaded().map(|loaded| loaded.holds).unwrap_or_default()
    }

    /// The newest number of an account that is not admitted any more.
    pub fn spent(&self, account: &str) -> Stamp {
        let spent = self.loaded().map(|loaded| loaded.spent).unwrap_or_default();
        spent.values().find(|(known, _)| known == account).map_or_else(Stamp::default, |(_, stamp)| *stamp)
    }
}

/// Where in an event the process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dies {
    Never,
    BeforeTheCommit,
    /// And before anything has left.
    AfterTheCommit,
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
    pub lobby: Lobby,
    /// Under way, oldest first.
    pub calls: Vec<(CallId, LobbyRequest)>,
    pub batches: Vec<(CallId, Vec<RecordRow>)>,
    pub replies: Vec<(ReplyId, TableAnswer)>,
    /// How far the next drains come.
    pub dies: Dies,
    /// The object sleeps between two incarnations, and does not fall.
    pub slept: bool,
    game: &'static Stub,
    secrets: u32,
}

pub const START_MS: u64 = 1_700_000_000_000;

pub fn setup(game: &'static Stub) -> Setup {
    Setup {
        game,
        game_name: "stub".to_owned(),
        room: "x".to_owned(),
        build: Build { id: "b1".to_owned(), at: 1 },
        leases: true,
        stopwatch: None,
        load: Default::default(),
        slept: true,
    }
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
            lobby: Lobby::default(),
            calls: Vec::new(),
            batches: Vec::new(),
            replies: Vec::new(),
            dies: Dies::Never,
            slept: true,
            game,
            secrets: 0,
        }
    }

    /// Commits what is due and performs what may leave, in the order that the host asks for.
    pub fn drain(&mut self) {
        if self.dies == Dies::BeforeTheCommit {
            return;
        }
        if let Some(commit) = self.host.poll_commit() {
            let outcome = if self.disk_fails {
                CommitOutcome::Failed
            } else {
                self.disk.write(&commit);
                CommitOutcome::Taken { rows_written: 1 }
            };
            self.host.handle_commit(outcome, self.now_ms);
            if let Some(write) = self.host.poll_recording().filter(|_| !self.disk_fails) {
                self.disk.keep(write);
            }
        }
        let sent = self.sent.len();
        while let Some(output) = self.host.poll_output().filter(|_| self.dies == Dies::Never) {
            match output {
                Output::Send { to, text } => {
                    let message = ServerMessage::parse(&text).expect("our own message");
                    self.check_did(to.0, &message);
                    self.sent.push((to.0, message));
                }
                Output::Close { connection, close } => {
                    self.closed.push((connection.0, close.code, close.reason().to_owned()));
                    self.attachments.remove(&connection.0);
                }
                Output::Attach { connection, attachment } => {
                    self.attachments.insert(connection.0, attachment);
                }
                Output::Call { call, request } => {
                    self.check_request(&request);
                    self.calls.push((call, *request));
                }
                Output::Record { call, rows } => self.batches.push((call, rows)),
                Output::Reply { reply, answer } => {
                    self.check_reply(&answer);
                    self.replies.push((reply, answer));
                }
            }
        }
        self.check_from(sent);
    }

    /// Holds what has left against what a restore would bring back now. Of several steps in one event, which one commit
    /// has, what shows the last one counts.
    fn check_from(&mut self, from: usize) {
        let (tick, ticks) = (self.facts().tick, self.host.next_tick_ms().is_some());
        for i in from..self.sent.len() {
            let message = self.sent[i].1.clone();
            let (ServerMessage::Snap(Snap { k, .. }) | ServerMessage::Roster { k, .. }) = &message else {
                self.check(&message);
                continue;
            };
            if ticks || *k == tick {
                self.check(&message);
            }
        }
    }

    /// The answer to an action is stored with its seat, if that is held still.
    fn check_did(&mut self, to: u32, message: &ServerMessage) {
        let ServerMessage::Did { n, k, ok: true, .. } = message else { return };
        let attached = self.attachments.get(&to).and_then(|bytes| Attachment::from_bytes(bytes));
        let stay = attached.and_then(|attachment| attachment.seat);
        let is_this = |answer: &Answer| (answer.number, answer.tick.0) == (*n, *k);
        let is_stored = self.disk.seats().iter().all(|(seat, record)| {
            stay != Some((*seat, record.occupancy)) || record.answers.iter().any(is_this)
        });
        if !is_stored {
            self.violations.push(format!("did {}", message.to_json()));
        }
    }

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

    /// A return rests on the commit that made it; a grant is asked for what no commit has.
    fn check_request(&mut self, request: &LobbyRequest) {
        let holds = self.disk.holds();
        let is_stored = match request {
            LobbyRequest::Grant { account, .. } => !holds.contains_key(account),
            LobbyRequest::Copy(copy) => {
                holds.get(&copy.account).is_some_and(|hold| hold.seat().is_some() && hold.stamp == copy.stamp)
            }
            LobbyRequest::Confirm { account, .. } => holds.contains_key(account),
            LobbyRequest::Break { .. } | LobbyRequest::Look { .. } | LobbyRequest::Forget { .. } => false,
            LobbyRequest::Return(copy) => holds.get(&copy.account).is_some_and(|hold| {
                matches!(&hold.state, State::Returning(kept) if kept.body == copy.body)
                    && hold.stamp == copy.stamp
            }),
        };
        if !is_stored {
            self.violations.push(format!("call {request:?}"));
        }
    }

    fn check_reply(&mut self, answer: &TableAnswer) {
        let TableAnswer::Released(copy) = answer else { return };
        let hold = self.disk.holds().remove(&copy.account);
        let is_stored = hold.is_some_and(|hold| hold.seat().is_none() && hold.stamp == copy.stamp);
        if !is_stored {
            self.violations.push(format!("reply {answer:?}"));
        }
    }

    /// Another one at each call.
    fn secret(&mut self) -> [u8; 16] {
        self.secrets += 1;
        u128::from(self.secrets).to_le_bytes()
    }

    pub fn hello(&mut self, connection: u32, hello: &Hello) {
        self.hello_as(connection, None, hello);
    }

    /// The alarm fires when it is due.
    pub fn alarm(&mut self) {
        let due = self.host.next_alarm_ms(self.now_ms).expect("an alarm");
        self.now_ms = self.now_ms.max(due);
        self.host.handle_alarm(self.now_ms);
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

    /// An action with its number, such as `"bump"` with `{"by":1}`.
    pub fn act(&mut self, connection: u32, number: u32, action: &str, args: &str) {
        let epoch = self.facts().epoch;
        self.say(connection, &format!(r#"{{"t":"do","e":{epoch},"n":{number},"a":"{action}","x":{args}}}"#));
    }

    /// The answers to actions that a connection was sent: number, tick, and why not.
    pub fn dids(&self, connection: u32) -> Vec<(u32, u32, Option<String>)> {
        let did = |message: &ServerMessage| match message {
            ServerMessage::Did { n, k, why, .. } => Some((*n, *k, why.clone())),
            _ => None,
        };
        self.to(connection).filter_map(did).collect()
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
        let attached: Vec<_> = (self.attachments.iter())
            .map(|(id, attachment)| Attached {
                connection: ConnectionId(*id),
                attachment: attachment.clone(),
                secret: [0xa0 | *id as u8; 16],
            })
            .collect();
        self.sent.clear();
        self.closed.clear();
        self.calls.clear();
        self.batches.clear();
        self.replies.clear();
        self.dies = Dies::Never;
        let setup = Setup { slept: self.slept, ..setup(self.game) };
        self.host =
            Host::restore(setup, &self.disk.stored(), &attached, self.now_ms).expect("the save restores");
        if let Some((run, parts)) = &self.disk.recording {
            let bytes = parts.values().flatten().copied().collect();
            self.host.resume_recording(StoredRecording { run: *run, bytes });
        }
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
