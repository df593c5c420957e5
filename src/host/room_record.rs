//! The room's own record in a save, and its former layouts.
//!
//! Fields are stored by their order, so each change of them is a new version: the newest that fits is read.

use serde::{Deserialize, Serialize};

use crate::host::costs::CostRecord;
use crate::host::records::RoomUid;
use crate::host::save::read;
use crate::rules::cut::SaveError;
use crate::rules::ids::{Epoch, Occupancy};

/// The room itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RoomRecord {
    pub game: String,
    pub epoch: Epoch,
    pub next_occupancy: Occupancy,
    /// Of the newest snapshot: stamps rise through restores.
    pub stamp_ms: u64,
    /// Memory holds nothing newer than this commit, and will not before the next event: the room is paused, or it runs
    /// by events.
    pub settled: bool,
    /// Records of the whole cut, this one included: a cut that lost its tail would still be well formed.
    pub records: u32,
    /// Seats that a player wishes to be held, by bots if need be.
    pub bots_asked: u16,
    /// The number of the next record of the rules.
    pub next_record: u32,
    pub costs: CostRecord,
    pub uid: RoomUid,
}

/// The same before rooms had a `uid`.
#[derive(Serialize, Deserialize)]
pub(super) struct RoomRecord3 {
    pub game: String,
    pub epoch: Epoch,
    pub next_occupancy: Occupancy,
    pub stamp_ms: u64,
    pub settled: bool,
    pub records: u32,
    pub bots_asked: u16,
    pub next_record: u32,
    pub costs: CostRecord,
}

/// The same before costs were counted.
#[derive(Serialize, Deserialize)]
pub(super) struct RoomRecord2 {
    pub game: String,
    pub epoch: Epoch,
    pub next_occupancy: Occupancy,
    pub stamp_ms: u64,
    pub settled: bool,
    pub records: u32,
    pub bots_asked: u16,
    pub next_record: u32,
}

/// The same before there were bots and records.
#[derive(Serialize, Deserialize)]
pub(super) struct RoomRecord1 {
    pub game: String,
    pub epoch: Epoch,
    pub next_occupancy: Occupancy,
    pub stamp_ms: u64,
    pub settled: bool,
    pub records: u32,
}

impl RoomRecord {
    /// # Errors
    /// Bytes that are of no version.
    pub(super) fn from_bytes(record: &[u8]) -> Result<RoomRecord, SaveError> {
        let former = || read::<RoomRecord3>(record, "room");
        let before = |_| read::<RoomRecord2>(record, "room").map(RoomRecord3::from);
        let first = |_| read::<RoomRecord1>(record, "room").map(|old| RoomRecord2::from(old).into());
        read(record, "room").or_else(|_| former().or_else(before).or_else(first).map(RoomRecord::from))
    }
}

impl From<RoomRecord3> for RoomRecord {
    /// One that has no `uid` yet is given one at its restore.
    fn from(old: RoomRecord3) -> RoomRecord {
        let RoomRecord3 {
            game,
            epoch,
            next_occupancy,
            stamp_ms,
            settled,
            records,
            bots_asked,
            next_record,
            costs,
        } = old;
        let uid = RoomUid::default();
        RoomRecord {
            game,
            epoch,
            next_occupancy,
            stamp_ms,
            settled,
            records,
            bots_asked,
            next_record,
            costs,
            uid,
        }
    }
}

impl From<RoomRecord2> for RoomRecord3 {
    fn from(old: RoomRecord2) -> RoomRecord3 {
        let RoomRecord2 { game, epoch, next_occupancy, stamp_ms, settled, records, bots_asked, next_record } =
            old;
        let costs = CostRecord::default();
        RoomRecord3 {
            game,
            epoch,
            next_occupancy,
            stamp_ms,
            settled,
            records,
            bots_asked,
            next_record,
            costs,
        }
    }
}

impl From<RoomRecord1> for RoomRecord2 {
    fn from(old: RoomRecord1) -> RoomRecord2 {
        let RoomRecord1 { game, epoch, next_occupancy, stamp_ms, settled, records } = old;
        let (bots_asked, next_record) = (0, 0);
        RoomRecord2 { game, epoch, next_occupancy, stamp_ms, settled, records, bots_asked, next_record }
    }
}
