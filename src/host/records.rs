//! Records that the rules gave out, until D1 has them (B48).
//!
//! They leave the room through its commits: each is part of every cut from the step that made it on, by a number that no
//! other record of the room ever has. They are sent in that order, a batch at a time, only once that commit was taken, and
//! again, with back-off, until D1 is known to have them: what is sent twice has the same id, and is there once. A crash
//! forgets which batch is under way, and what it undid was never sent. Up to a number wait; those beyond it are lost, and
//! counted.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::host::save::{bytes, read};
use crate::host::{CallId, Host, Output};
use crate::limits::{CALL_LOST_MS, RECORD_BATCH_MAX, RECORD_BYTES_MAX, RECORDS_WAITING_MAX};
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::Record;
use crate::rules::ids::{Epoch, Tick};
use crate::wire::lease::retry_ms;

/// 128 random bits, by which a room is told from all others that ever had or will have its name.
pub(super) type RoomUid = [u8; 16];

/// A record as it is given to D1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordRow {
    /// Of the room, epoch, tick, and the number in the room: `<base64url>-<epoch>-<tick>-<number>`.
    pub id: String,
    pub owner: String,
    pub key: String,
    pub value: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Records {
    waiting: BTreeMap<u32, Waiting>,
    /// The number of the next one.
    next: u32,
    /// The newest commit that was taken has those below this number.
    committed: u32,
    /// Lost since this incarnation began: too many, or too long.
    lost: u64,
    /// The call under way, and the last number of its batch.
    sending: Option<(CallId, u32)>,
    failures: u32,
    /// When the next batch is sent; while one is under way, when that is given up.
    due_ms: u64,
}

/// A record, and when it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub epoch: Epoch,
    pub tick: Tick,
    pub owner: String,
    pub key: String,
    pub value: String,
}

impl Waiting {
    fn row(&self, room: RoomUid, number: u32) -> RecordRow {
        let id = format!("{}-{}-{}-{number}", URL_SAFE_NO_PAD.encode(room), self.epoch.0, self.tick.0);
        let (owner, key, value) = (self.owner.clone(), self.key.clone(), self.value.clone());
        RecordRow { id, owner, key, value }
    }

    fn is_short(&self) -> bool {
        self.owner.len() + self.key.len() + self.value.len() <= RECORD_BYTES_MAX
    }
}

impl Records {
    /// What the rules gave out in a tick.
    pub(super) fn add(&mut self, records: &[Record], epoch: Epoch, tick: Tick) {
        for Record { owner, key, value } in records {
            let (owner, key, value) = (owner.clone(), key.clone(), value.clone());
            let record = Waiting { epoch, tick, owner, key, value };
            let fits = record.is_short() && self.waiting.len() < RECORDS_WAITING_MAX && self.next < u32::MAX;
            if fits {
                self.waiting.insert(self.next, record);
                self.next += 1;
            } else {
                self.lost += 1;
            }
        }
    }

    pub(super) fn next(&self) -> u32 {
        self.next
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    pub(super) fn write(&self, cut: &mut Cut, section: u8) {
        for (id, record) in &self.waiting {
            cut.put(section, *id, bytes(record));
        }
    }

    /// # Errors
    /// Too many, too long, of a number that is to come, or no record.
    pub(super) fn load(cut: &Cut, section: u8, next: u32) -> Result<Records, SaveError> {
        let mut waiting = BTreeMap::new();
        for (id, record) in cut.section(section) {
            let record: Waiting = read(record, "record")?;
            if !record.is_short() || id >= next || waiting.len() >= RECORDS_WAITING_MAX {
                return Err(SaveError::Corrupt("a record, or too many"));
            }
            waiting.insert(id, record);
        }
        Ok(Records { waiting, next, committed: next, ..Records::default() })
    }

    /// A commit was taken that has all records below this number.
    pub(super) fn commit(&mut self, next: u32) {
        self.committed = next;
    }

    /// Begins to send what is due: its rows. A batch that was never answered is given up.
    fn begin(&mut self, call: CallId, room: RoomUid, now_ms: u64) -> Option<Vec<RecordRow>> {
        if self.sending.is_some() {
            self.fail(now_ms);
            return None;
        }
        let batch = self.waiting.range(..self.committed).take(RECORD_BATCH_MAX);
        let rows = batch.clone().map(|(number, record)| record.row(room, *number)).collect();
        let (last, _) = batch.last()?;
        (self.sending, self.due_ms) = (Some((call, *last)), now_ms.saturating_add(CALL_LOST_MS));
        Some(rows)
    }

    /// A batch was not taken, or nobody knows: it is sent again later.
    fn fail(&mut self, now_ms: u64) {
        (self.sending, self.due_ms) = (None, now_ms.saturating_add(retry_ms(self.failures)));
        self.failures = self.failures.saturating_add(1);
    }

    /// The answer to a batch. Says whether it is of the one under way, and was taken.
    fn answered(&mut self, call: CallId, taken: bool, now_ms: u64) -> bool {
        let Some((_, last)) = self.sending.filter(|(sent, _)| *sent == call) else { return false };
        if taken {
            self.waiting.retain(|number, _| *number > last);
            (self.sending, self.failures, self.due_ms) = (None, 0, 0);
        } else {
            self.fail(now_ms);
        }
        taken
    }

    /// When something is due that no answer brings about.
    pub(super) fn next_ms(&self) -> Option<u64> {
        self.waiting.range(..self.committed).next().map(|_| self.due_ms)
    }

    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Waiting)> {
        self.waiting.iter().map(|(number, record)| (*number, record))
    }
}

impl Host {
    /// Sends the records that are due, of those that are committed.
    pub(super) fn send_records(&mut self) {
        if !self.setup.leases || self.records.next_ms().is_none_or(|due| due > self.now_ms) {
            return;
        }
        let call = self.holds.call();
        if let Some(rows) = self.records.begin(call, self.uid, self.now_ms) {
            self.outbox.push(0, Output::Record { call, rows });
        }
    }

    /// D1 has a batch of records, or is not known to. One of no call that is under way is passed over.
    pub fn handle_recorded(&mut self, call: CallId, taken: bool, now_ms: u64) {
        self.now_ms = now_ms;
        self.pass_time();
        self.do_due_before();
        if self.has_ended() {
            return;
        }
        // In a room that goes on, the next commit leaves them out: until then a crash sends them once more. One that
        // rests must not have anything left to do.
        if self.records.answered(call, taken, now_ms) && !self.ticks_on() {
            self.ledger.want_now();
        }
        self.send_records();
        self.finish_event();
    }

    /// A further tick is due.
    fn ticks_on(&self) -> bool {
        self.schedule.next_ms().is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::host::stub::{CARDS, LASTING, MATCH, Rig, Stub};

    fn record(value: &str) -> Record {
        Record { owner: "ada".to_owned(), key: "best".to_owned(), value: value.to_owned() }
    }

    /// B48
    #[test]
    fn records_have_numbers_of_their_own_and_read_back() {
        let mut records = Records::default();
        records.add(&[record("7"), record("8")], Epoch(1), Tick(5));
        records.add(&[record("9")], Epoch(2), Tick(6));
        let names: Vec<_> =
            records.iter().map(|(number, r)| (number, r.epoch.0, r.tick.0, r.value.as_str())).collect();
        assert_eq!(names, [(0, 1, 5, "7"), (1, 1, 5, "8"), (2, 2, 6, "9")]);
        let mut cut = Cut::default();
        records.write(&mut cut, 20);
        assert!(Records::load(&cut, 20, 2).is_err(), "a number that is to come");
        records.commit(3);
        assert_eq!(Records::load(&cut, 20, 3), Ok(records));
    }

    #[test]
    fn what_waits_is_bounded_and_the_rest_is_counted() {
        let mut records = Records::default();
        for tick in 0..RECORDS_WAITING_MAX as u32 + 3 {
            records.add(&[record("1")], Epoch(1), Tick(tick));
        }
        records.add(&[record(&"x".repeat(RECORD_BYTES_MAX))], Epoch(1), Tick(0));
        assert_eq!((records.len(), records.lost()), (RECORDS_WAITING_MAX, 4));
    }

    /// A room whose rules have recorded so many values.
    fn recorded(game: &'static Stub, count: u32) -> Rig {
        let mut rig = Rig::new(game);
        rig.join(1);
        for number in 1..=count {
            rig.act(1, number, "record", "{}");
            rig.ticks(1);
        }
        rig
    }

    /// B48
    #[test]
    fn a_record_is_sent_once_its_commit_was_taken_and_forgotten_once_d1_has_it() {
        for game in [&MATCH, &LASTING, &CARDS] {
            let mut rig = Rig::new(game);
            rig.join(1);
            rig.disk_fails = true;
            rig.act(1, 1, "record", "{}");
            rig.ticks(1);
            assert!(rig.batches.is_empty(), "what is not committed never leaves");
            rig = recorded(game, 1);
            let rows = rig.recorded(true);
            assert_eq!((rows.len(), rows[0].owner.as_str(), rows[0].key.as_str()), (1, "seat0", "score"));
            rig.say(1, r#"{"t":"leave"}"#);
            assert_eq!((rig.facts().records, rig.disk.records().len()), (0, 0));
            assert_eq!((rig.batches.len(), rig.host.next_alarm_ms(rig.now_ms)), (0, None));
        }
    }

    /// B48, F31
    #[test]
    fn a_record_keeps_its_id_however_often_it_is_sent_also_from_a_paused_room() {
        let mut rig = recorded(&LASTING, 1);
        rig.say(1, r#"{"t":"leave"}"#);
        let first = rig.recorded(false);
        let mut waits = Vec::new();
        for _ in 0..3 {
            let before = rig.now_ms;
            rig.alarm();
            waits.push(rig.now_ms - before);
            assert_eq!(rig.recorded(false), first);
        }
        assert_eq!(waits, [retry_ms(0), retry_ms(1), retry_ms(2)]);
        rig.crash();
        assert_eq!(rig.batches[0].1, first, "what was under way is sent anew");
        // Never answered: given up, and sent again.
        rig.alarm();
        rig.alarm();
        assert_eq!(rig.batches.len(), 2);
        rig.recorded(true);
        assert_eq!(rig.disk.records().len(), 1, "an answer to a call that was given up says nothing");
        assert_eq!(rig.recorded(true), first);
        assert_eq!((rig.disk.records().len(), rig.host.next_alarm_ms(rig.now_ms)), (0, None));
    }

    #[test]
    fn two_rooms_of_one_name_do_not_have_the_same_records() {
        let ids = |seed| {
            let mut rig = Rig::new(&LASTING);
            rig.host = Host::create(crate::host::stub::setup(&LASTING), seed, rig.now_ms);
            rig.join(1);
            rig.act(1, 1, "record", "{}");
            rig.ticks(1);
            rig.recorded(true)[0].id.clone()
        };
        assert_ne!(ids(1), ids(2));
        assert_eq!(ids(1), ids(1));
    }

    #[test]
    fn so_many_go_together_in_the_order_they_were_made() {
        let count = RECORD_BATCH_MAX as u32 + 3;
        let mut rig = recorded(&LASTING, 0);
        rig.batches.clear();
        for number in 1..=count {
            rig.act(1, number, "record", "{}");
            rig.ticks(1);
        }
        let mut sizes = Vec::new();
        let mut ids = Vec::new();
        while !rig.batches.is_empty() {
            let rows = rig.recorded(true);
            sizes.push(rows.len());
            ids.extend(rows.into_iter().map(|row| row.id));
        }
        assert_eq!(sizes, [1, RECORD_BATCH_MAX, 2]);
        assert!(ids.iter().zip(&ids[1..]).all(|(a, b)| a != b) && ids[2].ends_with("-2"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut cut = Cut::default();
            cut.put(20, 0, bytes);
            let _ = Records::load(&cut, 20, 9);
        }
    }
}
