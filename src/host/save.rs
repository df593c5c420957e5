//! The host's own records in a cut: the room, and each held seat. Also what a socket keeps through
//! hibernation.
//!
//! These are twins of the host's types, written for storage alone, so that the one can change without the
//! other. All of it is checked before use. Inputs are not among them: a restored seat is away, and an away
//! seat's input is neutral.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::rules::cut::{Cut, SECTION_HOST, SaveError};
use crate::rules::ids::{Epoch, Occupancy, Seat};
use crate::wire::names::clean_name;

const SECTION_ROOM: u8 = SECTION_HOST;
/// One record a held seat, by its number.
const SECTION_SEATS: u8 = SECTION_HOST + 1;

/// The room itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RoomRecord {
    pub game: String,
    pub epoch: Epoch,
    pub next_occupancy: Occupancy,
    /// Of the newest snapshot: stamps rise through restores.
    pub stamp_ms: u64,
    /// Memory holds nothing newer than this commit, and will not before the next: the room is paused.
    pub settled: bool,
    /// Records of the whole cut, this one included: a cut that lost its tail would still be well formed.
    pub records: u32,
}

/// A held seat. Which connection has it is not stored: that ends with the incarnation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeatRecord {
    pub occupancy: Occupancy,
    pub driver: DriverRecord,
    pub name: String,
    pub token: [u8; 16],
    pub former_token: Option<[u8; 16]>,
}

/// Who moves a seat. New ones are added at the end: the index is what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum DriverRecord {
    Person,
}

/// What is kept with a socket, so that a wake finds its connection again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Attachment {
    /// None: a spectator.
    pub seat: Option<(Seat, Occupancy)>,
}

impl Attachment {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        bytes(&self)
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Attachment> {
        read(bytes, "attachment").ok()
    }
}

/// Adds the host's records to `cut`, which has the rules' already.
pub(super) fn write(cut: &mut Cut, mut room: RoomRecord, seats: impl Iterator<Item = (Seat, SeatRecord)>) {
    for (seat, record) in seats {
        cut.put(SECTION_SEATS, u32::from(seat.0), bytes(&record));
    }
    room.records = count(cut) + 1;
    cut.put(SECTION_ROOM, 0, bytes(&room));
}

fn count(cut: &Cut) -> u32 {
    let records: usize = cut.sections().map(|section| cut.section(section).count()).sum();
    u32::try_from(records).unwrap_or(u32::MAX)
}

/// Reads the host's records of a cut of a room of `game` with `seats` seats.
///
/// # Errors
/// Anything missing, left over, or out of bounds; another game.
pub(super) fn load(
    cut: &Cut,
    game: &str,
    seats: u16,
) -> Result<(RoomRecord, Vec<(Seat, SeatRecord)>), SaveError> {
    if cut.sections().any(|section| section > SECTION_SEATS) {
        return Err(SaveError::Corrupt("unknown section"));
    }
    if cut.section(SECTION_ROOM).any(|(id, _)| id != 0) {
        return Err(SaveError::Corrupt("more than one room"));
    }
    let room = cut.record(SECTION_ROOM, 0).ok_or(SaveError::Corrupt("no room"))?;
    let room: RoomRecord = read(room, "room")?;
    if room.records != count(cut) {
        return Err(SaveError::Corrupt("records are missing or left over"));
    }
    if room.game != game {
        return Err(SaveError::Corrupt("of another game"));
    }
    let held = load_seats(cut, &room, seats)?;
    if room.settled && !held.is_empty() {
        return Err(SaveError::Corrupt("settled with seats held"));
    }
    Ok((room, held))
}

fn load_seats(cut: &Cut, room: &RoomRecord, seats: u16) -> Result<Vec<(Seat, SeatRecord)>, SaveError> {
    let mut held = Vec::new();
    let mut occupancies = BTreeSet::new();
    for (id, record) in cut.section(SECTION_SEATS) {
        let record: SeatRecord = read(record, "seat")?;
        let seat = u16::try_from(id).ok().filter(|seat| *seat < seats);
        let seat = Seat(seat.ok_or(SaveError::Corrupt("a seat the room does not have"))?);
        let known = !occupancies.insert(record.occupancy) || record.occupancy >= room.next_occupancy;
        if known || clean_name(&record.name) != record.name {
            return Err(SaveError::Corrupt("a seat's holder"));
        }
        held.push((seat, record));
    }
    Ok(held)
}

fn bytes<R: Serialize>(record: &R) -> Vec<u8> {
    // Plain structs of numbers, texts and options into a growing vector: postcard has nothing to refuse.
    postcard::to_allocvec(record).unwrap_or_default()
}

fn read<R: DeserializeOwned>(bytes: &[u8], what: &'static str) -> Result<R, SaveError> {
    match postcard::take_from_bytes(bytes) {
        Ok((record, [])) => Ok(record),
        _ => Err(SaveError::Corrupt(what)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn room() -> RoomRecord {
        let (epoch, next_occupancy) = (Epoch(3), Occupancy(9));
        let game = "stub".to_owned();
        RoomRecord { game, epoch, next_occupancy, stamp_ms: 77, settled: false, records: 0 }
    }

    fn holder(occupancy: u32) -> SeatRecord {
        SeatRecord {
            occupancy: Occupancy(occupancy),
            driver: DriverRecord::Person,
            name: "Ada".to_owned(),
            token: [1; 16],
            former_token: Some([2; 16]),
        }
    }

    fn cut(room: &RoomRecord, seats: &[(u16, SeatRecord)]) -> Cut {
        let mut cut = Cut::default();
        write(&mut cut, room.clone(), seats.iter().map(|(seat, record)| (Seat(*seat), record.clone())));
        cut
    }

    #[test]
    fn records_read_back() {
        let seats = [(0, holder(4)), (3, holder(8))];
        let (read, held) = load(&cut(&room(), &seats), "stub", 4).expect("a save");
        assert_eq!(read, RoomRecord { records: 3, ..room() });
        assert_eq!(held, [(Seat(0), holder(4)), (Seat(3), holder(8))]);
    }

    #[test]
    fn a_damaged_save_is_refused() {
        let good = cut(&room(), &[(0, holder(4))]);
        let with = |section, id, record: &[u8]| {
            let mut cut = good.clone();
            cut.put(section, id, record.to_vec());
            cut
        };
        let settled = RoomRecord { settled: true, ..room() };
        let renamed = SeatRecord { name: " Ada\u{202e}".to_owned(), ..holder(4) };
        let mut left_over = bytes(&room());
        left_over.push(0);
        for (what, bad) in [
            ("no room", Cut::default()),
            ("an unknown section", with(SECTION_SEATS + 1, 0, &[])),
            ("two rooms", with(SECTION_ROOM, 1, &bytes(&room()))),
            ("bytes left over", with(SECTION_ROOM, 0, &left_over)),
            ("truncated", with(SECTION_ROOM, 0, &bytes(&room())[1..])),
            ("a seat beyond the last", cut(&room(), &[(4, holder(5))])),
            ("a record too many", with(1, 1, &[])),
            ("a holder twice", cut(&room(), &[(0, holder(4)), (1, holder(4))])),
            ("a holder of the future", with(SECTION_SEATS, 1, &bytes(&holder(9)))),
            ("a name that is not clean", with(SECTION_SEATS, 0, &bytes(&renamed))),
            ("settled with seats", cut(&settled, &[(0, holder(4))])),
            ("another game", cut(&RoomRecord { game: "other".to_owned(), ..room() }, &[])),
        ] {
            assert!(load(&bad, "stub", 4).is_err(), "{what}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = Attachment::from_bytes(&bytes);
            let mut cut = Cut::default();
            cut.put(SECTION_ROOM, 0, bytes.clone());
            cut.put(SECTION_SEATS, 0, bytes);
            let _ = load(&cut, "stub", 4);
        }
    }

    #[test]
    fn an_attachment_reads_back() {
        for seat in [None, Some((Seat(3), Occupancy(9)))] {
            let attachment = Attachment { seat };
            assert_eq!(Attachment::from_bytes(&attachment.to_bytes()), Some(attachment));
        }
    }
}
