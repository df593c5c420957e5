//! Records that the rules gave out and nobody has taken yet (B48).
//!
//! They leave the room through its commits: each is part of every cut from the step that made it on, named by epoch, tick
//! and its place in that tick, so that whoever stores it does so once. What sends them out of the room comes with the
//! accounts; until then they are kept, up to a number, and those beyond it are counted as lost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::host::save::{bytes, read};
use crate::limits::{RECORD_BYTES_MAX, RECORDS_WAITING_MAX};
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::Record;
use crate::rules::ids::{Epoch, Tick};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Records {
    /// By a number that rises while any waits.
    waiting: BTreeMap<u32, Waiting>,
    /// Lost since this incarnation began: too many, or too long.
    lost: u64,
}

/// A record, and what it is known by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub epoch: Epoch,
    pub tick: Tick,
    pub index: u32,
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
        for (index, Record { owner, key, value }) in (0..).zip(records) {
            let (owner, key, value) = (owner.clone(), key.clone(), value.clone());
            let record = Waiting { epoch, tick, index, owner, key, value };
            let id = self.waiting.last_key_value().map_or(0, |(id, _)| id.saturating_add(1));
            if record.is_short() && self.waiting.len() < RECORDS_WAITING_MAX && id < u32::MAX {
                self.waiting.insert(id, record);
            } else {
                self.lost += 1;
            }
        }
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
    /// Too many, too long, or no record.
    pub(super) fn load(cut: &Cut, section: u8) -> Result<Records, SaveError> {
        let mut waiting = BTreeMap::new();
        for (id, record) in cut.section(section) {
            let record: Waiting = read(record, "record")?;
            if !record.is_short() || waiting.len() >= RECORDS_WAITING_MAX {
                return Err(SaveError::Corrupt("too many records, or one too long"));
            }
            waiting.insert(id, record);
        }
        Ok(Records { waiting, lost: 0 })
    }

    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting.values()
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
    fn records_are_named_by_tick_and_place_and_read_back() {
        let mut records = Records::default();
        records.add(&[record("7"), record("8")], Epoch(1), Tick(5));
        records.add(&[record("9")], Epoch(2), Tick(6));
        let names: Vec<_> =
            records.iter().map(|r| (r.epoch.0, r.tick.0, r.index, r.value.as_str())).collect();
        assert_eq!(names, [(1, 5, 0, "7"), (1, 5, 1, "8"), (2, 6, 0, "9")]);
        let mut cut = Cut::default();
        records.write(&mut cut, 20);
        assert_eq!(Records::load(&cut, 20), Ok(records));
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
            let _ = Records::load(&cut, 20);
        }
    }
}
