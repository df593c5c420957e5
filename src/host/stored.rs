//! What passes between a room and its storage: what is there, what is to be written, and what became of it.
//!
//! Bytes only: what is in them is `save.rs`'s and the rules'. Absent: when a commit is due (`ledger.rs`).

use crate::host::parking::ParkRow;
use crate::rules::ids::{Epoch, Tick};

/// What storage holds of a room. `journal` in rising order of `seq`; rows up to `save_seq` are passed over.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    pub save: Vec<u8>,
    pub save_seq: u64,
    pub journal: Vec<StoredRow>,
    /// Epoch and tick of the newest commit, as its row says.
    pub at: (Epoch, Tick),
    /// That the room is parked.
    pub parked: Option<ParkRow>,
}

#[derive(Clone, Debug)]
pub struct StoredRow {
    pub seq: u64,
    pub bytes: Vec<u8>,
}

/// One commit: all of it in one transaction, before any output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Rises by one with each commit of a room, through restores. A fold's is the new `save_seq`.
    pub seq: u64,
    pub epoch: Epoch,
    pub tick: Tick,
    pub write: Write,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// One journal row, put in `slot` with REPLACE.
    Row { slot: u32, bytes: Vec<u8> },
    /// A fold: the whole save in chunks, replacing the former one.
    Save { chunks: Vec<Vec<u8>> },
}

/// What the platform says of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    Taken {
        rows_written: u64,
    },
    /// The transaction threw: nothing of it is stored.
    Failed,
    /// Storage takes nothing before that time (a daily limit, overload). No fault of the room.
    Away {
        until_ms: u64,
        why: String,
    },
}
