//! What must hold at every moment, and what is found when it does not.
//!
//! Each commit is replayed by itself, apart from the host: the state that its rows give must be the state that the host
//! had. What leaves an object is held against the newest commit of that object, and what reaches a client against what
//! that link has shown it. Absent: what must come true in the end (`phases.rs`).

use std::collections::BTreeMap;
use std::rc::Rc;

use roundtable::host::{Commit, Output, Write};
use roundtable::limits::{CONNECTIONS_MAX, HOLDS_MAX, RECORDS_WAITING_MAX};
use roundtable::rules::cut::Cut;
use roundtable::rules::face::{Sim, Snapshot};
use roundtable::rules::ids::{Epoch, Tick};
use roundtable::rules::schema::{Lifetime, Pace, Schema, runs};
use roundtable::wire::lease::{CharacterBody, Copy, LobbyRequest, Stamp};
use roundtable::wire::shared::shared_state;
use roundtable::wire::values::shown;

use crate::object::At;
use crate::world::{Event, World};

/// Who noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checker {
    /// No frame above the committed state ever left.
    Publish,
    /// Epoch and tick never go back on a connection, nor the epoch of a room.
    Order,
    /// What is stored, replayed, is what the host had.
    Replay,
    /// What a room had when it stopped or came to rest is stored.
    Rest,
    /// An alarm vouches for every tick.
    Alarm,
    /// Every queue is under its limit.
    Queues,
    /// Leases and copies never fall, and say the same each time.
    Leases,
    /// Whatever a client is told makes sense to it.
    Clients,
    /// A record has one id and one content, however often it is sent.
    Records,
    /// Nothing is lost and nothing doubles.
    Conservation,
    /// Once nothing goes wrong any more, all play again, and all comes home.
    Liveness,
}

/// What a commit holds, as far as frames can be held against it.
pub struct Basis {
    pub seq: u64,
    pub epoch: Epoch,
    pub tick: Tick,
    pub digest: String,
    /// The durable fields of each seat's body, as a snapshot shows them.
    durable: BTreeMap<u16, Vec<String>>,
    shared: String,
}

#[derive(Default)]
struct OfRoom {
    /// As written, whether or not it is on disk.
    cut: Cut,
    /// By the number of the commit.
    bases: BTreeMap<u64, Rc<Basis>>,
    newest: Option<Rc<Basis>>,
    /// The newest epoch that anyone was shown.
    shown_epoch: u32,
}

pub struct Checks {
    pub found: Vec<(Checker, String)>,
    rooms: Vec<OfRoom>,
    copies: BTreeMap<(String, Stamp), Option<CharacterBody>>,
    last_text: Option<Rc<str>>,
}

impl Checks {
    pub fn new(rooms: usize) -> Checks {
        let rooms = (0..rooms).map(|_| OfRoom::default()).collect();
        Checks { found: Vec::new(), rooms, copies: BTreeMap::new(), last_text: None }
    }

    pub fn has_failed(&self) -> bool {
        !self.found.is_empty()
    }

    pub fn violate(&mut self, checker: Checker, what: impl FnOnce() -> String) {
        self.found.push((checker, what()));
    }

    pub fn expect(&mut self, holds: bool, checker: Checker, what: impl FnOnce() -> String) {
        if !holds {
            self.violate(checker, what);
        }
    }

    /// A copy says the same each time it is sent.
    pub fn copy(&mut self, copy: &Copy) {
        let key = (copy.account.clone(), copy.stamp);
        let first = self.copies.entry(key).or_insert_with(|| copy.body.clone());
        if *first != copy.body {
            self.violate(Checker::Leases, || format!("another copy of the same number: {copy:?}"));
        }
    }
}

impl World {
    pub fn check_copy(&mut self, request: &LobbyRequest) {
        if let LobbyRequest::Copy(copy) | LobbyRequest::Return(copy) = request {
            self.checks.copy(copy);
        }
    }

    // ---- Commits ----

    /// The commit is about to be written.
    pub fn check_commit(&mut self, at: At, commit: &Commit) {
        let now = self.now;
        let live = self.object(at).and_then(|object| object.life.host()).map(|host| host.facts(now).digest);
        let live = live.expect("a host that commits");
        let of = &mut self.checks.rooms[at.room];
        let follows = of.newest.as_ref().is_none_or(|newest| {
            commit.seq == newest.seq + 1
                && (commit.epoch > newest.epoch || commit.epoch == newest.epoch && commit.tick >= newest.tick)
        });
        let applied = match &commit.write {
            Write::Row { bytes, .. } => of.cut.apply(bytes),
            Write::Save { chunks } => {
                of.cut = Cut::default();
                of.cut.apply(&chunks.concat())
            }
        };
        let replayed = applied.and_then(|()| self.rooms[at.room].game.restore(&of.cut));
        let room = &self.rooms[at.room];
        match replayed {
            Ok(sim) => {
                let basis = Rc::new(basis_of(&room.schema, &*sim, commit));
                let digest = basis.digest.clone();
                of.bases.insert(commit.seq, Rc::clone(&basis));
                of.newest = Some(Rc::clone(&basis));
                let room = at.room;
                self.object(at).expect("it commits").basis = Some(basis);
                let what = || {
                    format!("room {room}, commit {}: replayed it is {digest}, in memory {live}", commit.seq)
                };
                self.checks.expect(digest == live, Checker::Replay, what);
            }
            Err(error) => {
                self.checks
                    .violate(Checker::Replay, || format!("commit {} cannot be read: {error}", commit.seq));
            }
        }
        self.checks.expect(follows, Checker::Order, || format!("commit {} does not follow", commit.seq));
    }

    /// Writes were lost: what is stored is what is on disk.
    pub fn rewrite_checks(&mut self, room: usize) {
        let of = &mut self.checks.rooms[room];
        let stored = self.rooms[room].disk.rows().stored();
        of.cut = Cut::default();
        of.newest = None;
        let Some(stored) = stored else { return };
        let mut seq = stored.save_seq;
        of.cut.apply(&stored.save).expect("what was written can be read");
        for row in &stored.journal {
            of.cut.apply(&row.bytes).expect("what was written can be read");
            seq = row.seq;
        }
        of.newest = of.bases.get(&seq).cloned();
    }

    /// The room was read from storage, if it was there.
    pub fn check_restored(&mut self, at: At, slept: bool) {
        let now = self.now;
        let newest = self.checks.rooms[at.room].newest.clone();
        let shown = self.checks.rooms[at.room].shown_epoch;
        let object = self.object(at).expect("it was restored");
        let Some(host) = object.life.host() else {
            let facts = object.life.facts(now);
            let (is_refused, why) = (facts.state == "refused", facts.why);
            let what = || format!("what was committed is refused: {why:?}");
            return self.checks.expect(!is_refused, Checker::Replay, what);
        };
        let facts = host.facts(now);
        object.basis.clone_from(&newest);
        let Some(newest) = newest else {
            return self.checks.violate(Checker::Replay, || "restored from nothing".into());
        };
        let same = (&facts.digest, facts.tick) == (&newest.digest, newest.tick.0);
        let what = || {
            format!(
                "{at:?}: restored to {} at {}, committed was {} at {}",
                facts.digest, facts.tick, newest.digest, newest.tick
            )
        };
        self.checks.expect(same, Checker::Replay, what);
        let wakes = slept && facts.epoch == newest.epoch.0;
        if wakes {
            self.trace(|| format!("{at:?} woke with its sockets"));
        }
        let what = || format!("{at:?}: restored in epoch {}, {shown} was shown", facts.epoch);
        self.checks.expect(wakes || facts.epoch > shown, Checker::Order, what);
    }

    /// What the object knows of its newest commit is all that its room is: it has stopped, or come to rest.
    pub fn check_rest(&mut self, at: At, what: &str) {
        let now = self.now;
        let Some(object) = self.object(at) else { return };
        let (Some(host), Some(basis)) = (object.life.host(), object.basis.clone()) else { return };
        let facts = host.facts(now);
        // A room whose write failed has said so, and may hold what is not stored.
        let (digest, failed) = (facts.digest, facts.storage.failed_writes);
        let what =
            || format!("{at:?} {what}: it is {digest}, stored is {} of commit {}", basis.digest, basis.seq);
        self.checks.expect(digest == basis.digest || failed > 0, Checker::Rest, what);
    }

    // ---- What leaves ----

    fn commits_first(&self, room: usize) -> bool {
        let room = &self.rooms[room].schema.room;
        room.lifetime == Lifetime::Persistent || room.pace == Pace::OnEvent
    }

    pub fn check_output(&mut self, at: At, output: &Output) {
        let Output::Send { text, .. } = output else { return };
        if self.checks.last_text.as_ref().is_some_and(|last| Rc::ptr_eq(last, text)) {
            return;
        }
        self.checks.last_text = Some(Rc::clone(text));
        let is_snap = text.starts_with(r#"{"t":"snap""#);
        let is_welcome = text.starts_with(r#"{"t":"welcome""#);
        let (epoch, tick) = (number(text, "\"e\":"), number(text, "\"k\":"));
        let is_pong = text.starts_with(r#"{"t":"pong""#);
        let by_events = self.rooms[at.room].schema.room.pace == Pace::OnEvent;
        let is_lasting = self.rooms[at.room].schema.room.lifetime == Lifetime::Persistent;
        let commits_first = self.commits_first(at.room);
        let Some(basis) = self.object(at).and_then(|object| object.basis.clone()) else {
            return self
                .checks
                .expect(is_pong, Checker::Publish, || format!("before any commit: {}", head(text)));
        };
        if is_snap || is_welcome {
            let epoch = epoch.unwrap_or(u32::MAX);
            let what = || format!("epoch {epoch} left, {} is committed", basis.epoch.0);
            self.checks.expect(epoch == basis.epoch.0, Checker::Publish, what);
        }
        let is_early = by_events && !is_pong && tick.is_some_and(|tick| tick > basis.tick.0);
        self.checks.expect(!is_early, Checker::Publish, || {
            format!("step {tick:?} left, {} is committed", basis.tick)
        });
        if is_lasting && commits_first && is_snap {
            let wrong = basis.durable.iter().find(|(seat, fields)| !shows(text, **seat, fields));
            let what = || {
                format!(
                    "tick {tick:?} shows what commit {} has not: {wrong:?} in {}",
                    basis.seq,
                    bodies(text)
                )
            };
            self.checks.expect(wrong.is_none(), Checker::Publish, what);
        }
        if is_lasting && text.starts_with(r#"{"t":"shared""#) {
            let what = || format!("{} left, commit {} has {}", head(text), basis.seq, basis.shared);
            self.checks.expect(text.contains(&basis.shared), Checker::Publish, what);
        }
    }

    /// A frame has passed the gate.
    pub fn note_shown(&mut self, room: usize, text: &str) {
        if text.starts_with(r#"{"t":"snap""#) || text.starts_with(r#"{"t":"welcome""#) {
            let shown = &mut self.checks.rooms[room].shown_epoch;
            *shown = (*shown).max(number(text, "\"e\":").unwrap_or(0));
        }
    }

    /// A frame reaches a client.
    pub fn check_shown(&mut self, link: usize, text: &str) {
        let is_snap = text.starts_with(r#"{"t":"snap""#);
        if !is_snap && !text.starts_with(r#"{"t":"welcome""#) {
            return;
        }
        let now = (number(text, "\"e\":").unwrap_or(0), number(text, "\"k\":").unwrap_or(0));
        let before = std::mem::replace(&mut self.links[link].shown, now);
        let rises = if is_snap && self.rooms[self.links[link].room].schema.room.pace == Pace::Ticks {
            now > before || now == before && before.1 == 0
        } else {
            now.0 > before.0 || now >= before
        };
        // The tick of a welcome is shown again by nothing but a later one.
        self.checks
            .expect(rises, Checker::Order, || format!("link {link} was shown {before:?}, then {now:?}"));
    }

    // ---- The object ----

    /// A loop begins, or a tick is about to run.
    pub fn check_vouched(&mut self, at: At) {
        let room = &self.rooms[at.room];
        let is_set = room.disk.rows().alarm.is_some() || room.alarm_lost;
        // What storage was asked and has not answered counts; a refusal ends the loop.
        let is_superseded = self.object(at).is_none_or(|object| object.is_superseded || object.setting > 0);
        let what = || format!("{at:?} ticks, or is to, and no alarm is set");
        self.checks.expect(is_set || is_superseded, Checker::Alarm, what);
    }

    /// The queues of every room.
    pub fn look(&mut self) {
        let now = self.now;
        for room in 0..self.rooms.len() {
            let Some(at) = self.newest(room) else { continue };
            let object = self.object(at).expect("it is there");
            let (gate, sockets) = (object.gate_len(), object.sockets.open.len());
            let Some(facts) = object.life.host().map(|host| host.facts(now)) else { continue };
            let holds = facts.holds.held + facts.holds.returning + facts.holds.asked;
            let fits = facts.records <= RECORDS_WAITING_MAX
                && holds <= HOLDS_MAX
                && facts.connections <= CONNECTIONS_MAX
                && sockets <= CONNECTIONS_MAX
                && gate <= 4_096;
            let what = || format!("room {room}: {gate} held by the gate, {sockets} sockets, {holds} holds");
            self.checks.expect(fits, Checker::Queues, what);
        }
        self.at(now + 2_000, Event::Look);
        // A room at rest whose alarm was lost stands still until somebody looks at it.
        for room in 0..self.rooms.len() {
            if self.is_calm && self.rooms[room].alarm_lost {
                let at = self.wake(room);
                self.event(at, |_, _| {});
            }
        }
    }
}

fn basis_of(schema: &Schema, sim: &dyn Sim, commit: &Commit) -> Basis {
    let mut snapshot = Snapshot::default();
    sim.snapshot(&mut snapshot);
    let mut durable = BTreeMap::new();
    for body in &snapshot.bodies {
        let fields = schema.kinds[usize::from(body.kind)].fields;
        let runs = runs(fields, snapshot.words(body)).filter(|(field, _)| field.durable);
        let fields: Vec<String> =
            runs.map(|(field, run)| format!("\"{}\":{}", field.name, shown(field.ty, run))).collect();
        if let Some(seat) = body.seat.filter(|_| !fields.is_empty()) {
            durable.insert(seat.0, fields);
        }
    }
    let shared = shared_state(schema, &snapshot.shared);
    Basis {
        seq: commit.seq,
        epoch: commit.epoch,
        tick: commit.tick,
        digest: format!("{:016x}", sim.digest()),
        durable,
        shared: serde_json::to_string(&shared).expect("words are numbers"),
    }
}

/// The number after the first such key.
fn number(text: &str, key: &str) -> Option<u32> {
    let from = text.find(key)? + key.len();
    let digits = text[from..].bytes().take_while(u8::is_ascii_digit).count();
    text[from..from + digits].parse().ok()
}

/// Whether a snapshot shows these fields for a seat's body; one that has gone since shows nothing.
fn shows(text: &str, seat: u16, fields: &[String]) -> bool {
    let Some(from) = text.find(&format!("\"seat\":{seat},")) else { return false };
    let end = text[from..].find("\"id\":").map_or(text.len(), |end| from + end);
    let shown = &text[from..end];
    fields.iter().all(|field| {
        shown
            .find(field.as_str())
            .is_some_and(|at| !shown[at + field.len()..].starts_with(|c: char| c.is_ascii_digit()))
    })
}

fn head(text: &str) -> &str {
    &text[..text.len().min(160)]
}

fn bodies(text: &str) -> &str {
    let from = text.find("\"seat\":").unwrap_or(0);
    head(&text[from..])
}
