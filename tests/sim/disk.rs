//! The storage of one object, as its platform keeps it: rows and one alarm, on disk, and what was written and is on its
//! way there.
//!
//! A write is seen by whoever reads next, and is on disk a while later, in order; what dies in between is lost, and what
//! was to be sent after it must wait for it (the output gate, `object.rs`). A transaction is all or nothing. Absent: what
//! the bytes mean.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use roundtable::host::parking::ParkRow;
use roundtable::host::{Commit, Stored, StoredRow, Write};
use roundtable::rules::ids::{Epoch, Tick};

#[derive(Clone, Default)]
pub struct Rows {
    save: Rc<Vec<u8>>,
    save_seq: u64,
    journal: BTreeMap<u32, Rc<StoredRow>>,
    /// Of the newest commit; none before the first.
    pub newest: Option<(u64, Epoch, Tick)>,
    parked: Option<ParkRow>,
    /// When the alarm fires, and the number of that setting.
    pub alarm: Option<(u64, u64)>,
}

/// One write.
pub enum Op {
    Commit(Commit),
    Park(ParkRow),
    Alarm(Option<(u64, u64)>),
}

#[derive(Default)]
pub struct Disk {
    on_disk: Rows,
    written: Rows,
    on_its_way: VecDeque<(u64, Rc<Op>)>,
    /// Writes so far, and how many of them are on disk.
    pub writes: u64,
    pub flushed: u64,
    /// Storage refuses until then, with these words.
    pub refuses: Option<(u64, &'static str)>,
}

impl Rows {
    fn apply(&mut self, op: &Op) {
        match op {
            Op::Alarm(alarm) => self.alarm = *alarm,
            Op::Park(row) => self.parked = Some(row.clone()),
            Op::Commit(Commit { seq, epoch, tick, write }) => {
                self.newest = Some((*seq, *epoch, *tick));
                match write {
                    Write::Row { slot, bytes } => {
                        self.journal.insert(*slot, Rc::new(StoredRow { seq: *seq, bytes: bytes.clone() }));
                    }
                    Write::Save { chunks } => (self.save, self.save_seq) = (Rc::new(chunks.concat()), *seq),
                }
            }
        }
    }

    /// As a restore reads it; none if nothing was ever committed.
    pub fn stored(&self) -> Option<Stored> {
        let (_, epoch, tick) = self.newest?;
        let rows = self.journal.values().filter(|row| row.seq > self.save_seq);
        let mut journal: Vec<StoredRow> = rows.map(|row| StoredRow::clone(row)).collect();
        journal.sort_by_key(|row| row.seq);
        let (save, save_seq, parked) = (self.save.to_vec(), self.save_seq, self.parked.clone());
        Some(Stored { save, save_seq, journal, at: (epoch, tick), parked })
    }
}

impl Disk {
    /// Takes a write; gives its number, under which it is flushed.
    pub fn write(&mut self, op: Op) -> u64 {
        self.writes += 1;
        self.written.apply(&op);
        self.on_its_way.push_back((self.writes, Rc::new(op)));
        self.writes
    }

    /// Writes up to this number are on disk.
    pub fn flush(&mut self, number: u64) {
        while let Some((number, op)) = self.on_its_way.pop_front_if(|(of, _)| *of <= number) {
            self.on_disk.apply(&op);
            self.flushed = number;
        }
    }

    /// Whatever is on its way is lost.
    pub fn lose(&mut self) {
        self.on_its_way.clear();
        self.written = self.on_disk.clone();
        // Numbers go on: nothing waits for those that were lost.
        self.flushed = self.writes;
    }

    /// The newest numbers that are on their way.
    pub fn is_flushed(&self) -> bool {
        self.on_its_way.is_empty()
    }

    /// As whoever reads sees it.
    pub fn rows(&self) -> &Rows {
        &self.written
    }

    pub fn on_disk(&self) -> &Rows {
        &self.on_disk
    }

    pub fn refusal(&self, now_ms: u64) -> Option<&'static str> {
        self.refuses.filter(|(until, _)| now_ms < *until).map(|(_, why)| why)
    }

    /// The alarm fires, or is lost: it is not set any more.
    pub fn take_alarm(&mut self) {
        (self.written.alarm, self.on_disk.alarm) = (None, None);
    }
}
