//! Records that the rules gave out and nobody has taken yet (B48).
//!
//! They leave the room through its commits: each is part of every cut from the step that made it on, by a number that no
//! other record of the room ever has, so that whoever stores it does so once: what a crash undid was never sent. What
//! sends them out of the room comes with the accounts; until then they are kept, up to a number, and those beyond it are
//! counted as lost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::host::save::{bytes, read};
use crate::limits::{RECORD_BYTES_MAX, RECORDS_WAITING_MAX};
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::Record;
use crate::rules::ids::{Epoch, Tick};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Records {
    waiting: BTreeMap<u32, Waiting>,
    /// The number of the next one.
    next: u32,
    /// Lost since this incarnation began: too many, or too long.
    lost: u64,
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
        Ok(Records { waiting, next, lost: 0 })
    }

    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Waiting)> {
        self.waiting.iter().map(|(number, record)| (*number, record))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut cut = Cut::default();
            cut.put(20, 0, bytes);
            let _ = Records::load(&cut, 20, 9);
        }
    }
}
