//! The save of a room as one file, for an operator: what `make check-save FILE` reads.
//!
//! Made of what is stored and of nothing else, so it is had of a room that this build cannot open, too, and that is when
//! it is wanted. What cannot be folded is given as far as it goes, and said. It holds the tokens of seats: it is for who
//! may read the room's storage anyway. Absent: judging the save; `check_save` does.

use crate::host::Stored;
use crate::rules::cut::{Cut, SaveError};

/// A save as it is handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    pub bytes: Vec<u8>,
    /// The commit it is of.
    pub seq: u64,
    /// What is not in it.
    pub lacks: Option<String>,
}

/// Folds save and journal into one whole cut, as far as they go.
#[must_use]
pub fn export(stored: &Stored) -> Export {
    let mut cut = Cut::default();
    let mut seq = stored.save_seq;
    if let Err(error) = cut.apply(&stored.save) {
        // As it is stored: somebody may yet make something of it.
        let lacks = format!("{error}; these are its bytes, without the journal");
        return Export { bytes: stored.save.clone(), seq, lacks: Some(lacks) };
    }
    let mut lacks = None;
    for row in stored.journal.iter().filter(|row| row.seq > stored.save_seq) {
        let applied = if row.seq == seq + 1 { cut.apply(&row.bytes) } else { Err(SaveError::Gap) };
        if let Err(error) = applied {
            lacks = Some(format!("{error}: commits after {seq} are not in it, up to {}", newest(stored)));
            break;
        }
        seq = row.seq;
    }
    Export { bytes: cut.difference(&Cut::default()), seq, lacks }
}

fn newest(stored: &Stored) -> u64 {
    stored.journal.iter().map(|row| row.seq).max().unwrap_or(stored.save_seq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Host;
    use crate::host::StoredRow;
    use crate::host::stub::{LASTING, Rig, setup};

    fn played() -> (Rig, Stored) {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        for fire in [true, false, true, false, true] {
            rig.input(1, if fire { r#"{"fire":true}"# } else { "{}" });
            rig.ticks(1);
        }
        let stored = rig.disk.stored();
        (rig, stored)
    }

    #[test]
    fn a_save_is_the_last_commit_in_one_piece() {
        let (rig, stored) = played();
        assert!(stored.journal.len() > 2);
        let export = export(&stored);
        assert_eq!((export.seq, &export.lacks), (rig.disk.commits.last().expect("one").seq, &None));
        let whole = Stored { save: export.bytes, save_seq: export.seq, ..Stored::default() };
        let [once, again] = [&stored, &whole].map(|stored| {
            Host::restore(setup(&LASTING), stored, &[], rig.now_ms).expect("a room").facts(rig.now_ms).digest
        });
        assert_eq!(once, again);
    }

    #[test]
    fn what_cannot_be_folded_is_given_as_far_as_it_goes_and_said() {
        let (_, stored) = played();
        let mut gap = stored.clone();
        let lost = gap.journal.remove(1);
        let export_of_gap = export(&gap);
        assert_eq!(export_of_gap.seq, lost.seq - 1);
        assert!(export_of_gap.lacks.expect("said").contains("gap"));
        let mut cut = Cut::default();
        cut.apply(&export_of_gap.bytes).expect("a save still");
        let mut damaged = stored.clone();
        damaged.journal[2].bytes.truncate(3);
        assert_eq!(export(&damaged).seq, damaged.journal[1].seq);
        let unread = Stored { save: vec![9, 9], ..stored.clone() };
        let export_of_unread = export(&unread);
        assert_eq!((&export_of_unread.bytes[..], export_of_unread.lacks.is_some()), (&[9, 9][..], true));
        // What the ring has left over from before the save is no gap.
        let mut left_over = stored;
        left_over.journal.insert(0, StoredRow { seq: 0, bytes: vec![] });
        assert_eq!(export(&left_over).lacks, None);
    }
}
