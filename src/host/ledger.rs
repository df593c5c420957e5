//! The commits of a room: when one is wanted, what it writes, and what was taken.
//!
//! Each want has a number; a commit covers every want before it was made, and outputs wait for the number
//! they rest on. A commit is the difference to the one before: a row of the journal ring, or a fold into the
//! whole save when the ring is full, the row too large or nothing is stored yet. Absent: what is in a cut,
//! and storage.

use crate::host::{Commit, Stored, Write};
use crate::limits::{
    JOURNAL_ROW_BYTES_MAX, JOURNAL_SLOTS, MOVEMENT_MS, SAVE_BYTES_MAX, SAVE_CHUNK_BYTES_MAX,
};
use crate::mutation::{self, Mutation};
use crate::rules::cut::{Cut, SECTION_HOST, SaveError};
use crate::rules::ids::{Epoch, Tick};

#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// As of the last commit that was taken; none before the first.
    last: Option<Cut>,
    seq: u64,
    save_seq: u64,
    /// Of the newest fold.
    save_bytes: usize,
    pending: Option<Pending>,
    wanted: u64,
    /// The newest want that has an answer waiting.
    urgent: u64,
    /// The newest want that is not of movement alone.
    must: u64,
    covered: u64,
    /// After a failed write: not before this time, unless something urgent comes.
    retry_ms: Option<u64>,
    /// The newest write failed.
    failed: bool,
    /// The next commit is the whole save.
    folds: bool,
    taken_ms: u64,
    taken_tick: Tick,
}

#[derive(Debug)]
struct Pending {
    cut: Cut,
    seq: u64,
    covers: u64,
    tick: Tick,
    /// How large the save is that it writes, if it folds.
    folds: Option<usize>,
    /// Nothing but movement made it due.
    movement: bool,
}

impl Ledger {
    /// Reads what is stored: the last committed cut, and a ledger that goes on from it.
    ///
    /// # Errors
    /// Bytes that are no save, too many of them, or a gap in the journal.
    pub(super) fn restore(stored: &Stored, now_ms: u64) -> Result<(Cut, Ledger), SaveError> {
        if stored.save.len() > SAVE_BYTES_MAX {
            return Err(SaveError::Corrupt("larger than a save may be"));
        }
        let mut cut = Cut::default();
        cut.apply(&stored.save)?;
        let mut seq = stored.save_seq;
        // Rows up to the save are left over in their slots until the ring comes round.
        for row in stored.journal.iter().filter(|row| row.seq > stored.save_seq) {
            if row.seq != seq + 1 {
                return Err(SaveError::Gap);
            }
            if row.bytes.len() > JOURNAL_ROW_BYTES_MAX {
                return Err(SaveError::Corrupt("larger than a row may be"));
            }
            cut.apply(&row.bytes)?;
            seq = row.seq;
        }
        let last = Some(cut.clone());
        let (save_seq, save_bytes) = (stored.save_seq, stored.save.len());
        Ok((cut, Ledger { last, seq, save_seq, save_bytes, taken_ms: now_ms, ..Ledger::default() }))
    }

    /// A commit is due: with the next cadence of a failing storage, at the latest.
    pub(super) fn want(&mut self) {
        self.wanted += 1;
        self.must = self.wanted;
    }

    /// As `want`, but for movement alone.
    pub(super) fn want_movement(&mut self) {
        self.wanted += 1;
    }

    /// A commit is due and an answer waits for it: it is tried at once, whatever failed before.
    pub(super) fn want_now(&mut self) {
        self.want();
        self.urgent = self.wanted;
        self.retry_ms = None;
    }

    /// As `want_now`, and the commit is the whole save.
    pub(super) fn want_fold(&mut self) {
        self.folds = true;
        self.want_now();
    }

    /// The newest write failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    pub(super) fn wanted(&self) -> u64 {
        self.wanted
    }

    pub(super) fn urgent(&self) -> u64 {
        self.urgent
    }

    pub(super) fn covered(&self) -> u64 {
        self.covered
    }

    pub(super) fn is_due(&self, now_ms: u64) -> bool {
        let may = self.retry_ms.is_none_or(|retry| retry <= now_ms);
        self.pending.is_none() && self.wanted > self.covered && may
    }

    /// Nothing was ever stored of this room.
    pub(super) fn is_new(&self) -> bool {
        self.last.is_none()
    }

    /// Whether movement has gone uncommitted for as long as it may (`wait_ms`), by the clock or by ticks: a clock that
    /// stands still must not stretch it.
    pub(super) fn movement_is_due(&self, now_ms: u64, tick: Tick, hz: u32, wait_ms: u64) -> bool {
        let ticks = u64::from(tick.0.saturating_sub(self.taken_tick.0));
        now_ms.saturating_sub(self.taken_ms) >= wait_ms || ticks * 1_000 >= wait_ms * u64::from(hz)
    }

    /// Nothing but movement made the pending commit due.
    pub(super) fn is_movement(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.movement)
    }

    /// Makes the commit that is due, of the state as `cut` has it.
    pub(super) fn make(&mut self, cut: Cut, epoch: Epoch, tick: Tick) -> Commit {
        let seq = self.seq + 1;
        let row = match &self.last {
            Some(last) if !self.folds && seq - self.save_seq < u64::from(JOURNAL_SLOTS) => {
                Some(row_of(&cut, last))
            }
            _ => None,
        };
        let write = match row {
            Some(bytes) if bytes.len() <= JOURNAL_ROW_BYTES_MAX => {
                // Less than JOURNAL_SLOTS, which is a u32.
                Write::Row { slot: (seq % u64::from(JOURNAL_SLOTS)) as u32, bytes }
            }
            _ => {
                let save = cut.difference(&Cut::default());
                Write::Save { chunks: save.chunks(SAVE_CHUNK_BYTES_MAX).map(<[u8]>::to_vec).collect() }
            }
        };
        let folds = match &write {
            Write::Save { chunks } => Some(chunks.iter().map(Vec::len).sum()),
            Write::Row { .. } => None,
        };
        let movement = self.must <= self.covered;
        self.pending = Some(Pending { cut, seq, covers: self.wanted, tick, folds, movement });
        Commit { seq, epoch, tick, write }
    }

    /// The pending commit was taken. Says whether writes had failed before it.
    pub(super) fn taken(&mut self, now_ms: u64) -> bool {
        let Some(pending) = self.pending.take() else { return false };
        self.last = Some(pending.cut);
        self.seq = pending.seq;
        if let Some(bytes) = pending.folds {
            (self.save_seq, self.save_bytes, self.folds) = (pending.seq, bytes, false);
        }
        self.covered = pending.covers;
        self.retry_ms = None;
        self.taken_ms = now_ms;
        self.taken_tick = pending.tick;
        std::mem::take(&mut self.failed)
    }

    /// Nothing of the pending commit is stored; it is wanted still.
    pub(super) fn failed(&mut self, now_ms: u64) {
        if self.pending.take().is_some() {
            self.retry_ms = Some(now_ms + MOVEMENT_MS);
            self.failed = true;
        }
    }

    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// Bytes of the save as it was last folded, without the journal since.
    pub(super) fn save_bytes(&self) -> usize {
        self.save_bytes
    }

    pub(super) fn save_seq(&self) -> u64 {
        self.save_seq
    }
}

/// First section of the rules that holds neither bodies, seats nor shared state.
const SECTION_TIMERS: u8 = 5;

/// What a row of the journal says: all that differs from the commit before it.
fn row_of(cut: &Cut, last: &Cut) -> Vec<u8> {
    if !mutation::is(Mutation::JournalDurableOnly) {
        return cut.difference(last);
    }
    // What bodies are and what the host keeps; not the timers and areas, nor which bodies and seats are gone.
    let mut kept = last.clone();
    for section in cut.sections().filter(|section| *section < SECTION_TIMERS || *section >= SECTION_HOST) {
        cut.section(section).for_each(|(id, record)| kept.put(section, id, record.to_vec()));
    }
    kept.difference(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::Disk;

    fn cut(id: u32, bytes: usize) -> Cut {
        let mut cut = Cut::default();
        cut.put(1, id, vec![id as u8; bytes]);
        cut
    }

    /// Commits `cut` and writes it to `disk`; says whether it was folded.
    fn commit(ledger: &mut Ledger, disk: &mut Disk, cut: Cut) -> bool {
        ledger.want();
        let commit = ledger.make(cut, Epoch(1), Tick(1));
        disk.write(&commit);
        ledger.taken(0);
        matches!(commit.write, Write::Save { .. })
    }

    #[test]
    fn the_ring_folds_before_a_row_would_be_lost() {
        let (mut ledger, mut disk) = (Ledger::default(), Disk::default());
        let folds: Vec<u32> = (1..=600).filter(|i| commit(&mut ledger, &mut disk, cut(*i % 7, 4))).collect();
        assert_eq!(folds, [1, 1 + JOURNAL_SLOTS, 1 + 2 * JOURNAL_SLOTS]);
        let (restored, ledger) = Ledger::restore(&disk.stored(), 0).expect("a save");
        assert_eq!((restored, ledger.seq(), ledger.save_seq()), (cut(600 % 7, 4), 600, 513));
    }

    #[test]
    fn every_commit_restores_as_it_was() {
        let (mut ledger, mut disk) = (Ledger::default(), Disk::default());
        for i in 1..=2 * JOURNAL_SLOTS + 3 {
            commit(&mut ledger, &mut disk, cut(i, 3));
            assert_eq!(Ledger::restore(&disk.stored(), 0).expect("a save").0, cut(i, 3));
        }
    }

    #[test]
    fn a_row_too_large_folds_in_chunks() {
        let (mut ledger, mut disk) = (Ledger::default(), Disk::default());
        commit(&mut ledger, &mut disk, cut(1, 1));
        ledger.want();
        let large = cut(2, 2 * SAVE_CHUNK_BYTES_MAX);
        let commit = ledger.make(large.clone(), Epoch(1), Tick(2));
        let Write::Save { chunks } = &commit.write else { panic!("a fold") };
        assert_eq!(chunks.len(), 3);
        assert!(chunks.iter().all(|chunk| chunk.len() <= SAVE_CHUNK_BYTES_MAX));
        disk.write(&commit);
        assert_eq!(Ledger::restore(&disk.stored(), 0).expect("a save").0, large);
    }

    #[test]
    fn a_gap_in_the_journal_is_refused() {
        let (mut ledger, mut disk) = (Ledger::default(), Disk::default());
        for i in 1..6 {
            commit(&mut ledger, &mut disk, cut(i, 1));
        }
        let mut stored = disk.stored();
        stored.journal.remove(1);
        assert_eq!(Ledger::restore(&stored, 0).err(), Some(SaveError::Gap));
        let oversized = Stored { save: vec![1; SAVE_BYTES_MAX + 1], ..Stored::default() };
        assert!(matches!(Ledger::restore(&oversized, 0), Err(SaveError::Corrupt(_))));
        assert!(matches!(Ledger::restore(&Stored::default(), 0), Err(SaveError::Corrupt(_))));
    }

    #[test]
    fn a_failed_commit_is_wanted_again_and_diffs_from_the_last_taken() {
        let (mut ledger, mut disk) = (Ledger::default(), Disk::default());
        commit(&mut ledger, &mut disk, cut(1, 1));
        ledger.want();
        let failed = ledger.make(cut(2, 1), Epoch(1), Tick(2));
        ledger.failed(100);
        assert!(!ledger.is_due(100) && ledger.is_due(100 + MOVEMENT_MS));
        ledger.want_now();
        assert!(ledger.is_due(101));
        let again = ledger.make(cut(3, 1), Epoch(1), Tick(3));
        assert_eq!(again.seq, failed.seq);
        disk.write(&again);
        assert_eq!(Ledger::restore(&disk.stored(), 0).expect("a save").0, cut(3, 1));
    }

    #[test]
    fn one_commit_is_pending_at_a_time() {
        let mut ledger = Ledger::default();
        ledger.want();
        let first = ledger.make(cut(1, 1), Epoch(1), Tick(1));
        ledger.want();
        assert!(!ledger.is_due(0));
        ledger.taken(0);
        assert_eq!((first.seq, ledger.covered(), ledger.wanted()), (1, 1, 2));
        assert!(ledger.is_due(0));
    }

    #[test]
    fn movement_is_bounded_by_the_clock_and_by_ticks() {
        let mut ledger = Ledger::default();
        ledger.want();
        ledger.make(cut(1, 1), Epoch(1), Tick(10));
        ledger.taken(1_000);
        assert!(!ledger.movement_is_due(5_999, Tick(109), 20, MOVEMENT_MS));
        assert!(ledger.movement_is_due(6_000, Tick(11), 20, MOVEMENT_MS));
        assert!(ledger.movement_is_due(1_000, Tick(110), 20, MOVEMENT_MS));
        assert!(!ledger.movement_is_due(6_000, Tick(110), 20, 2 * MOVEMENT_MS));
    }
}
