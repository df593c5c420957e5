//! The host's own records in a cut: the room (`room_record.rs`), each held seat (`seat_record.rs`), each character's hold
//! and the lease numbers that are spent (`hold_record.rs`), and what the rules want recorded (`records.rs`).
//!
//! These are twins of the host's types, written for storage alone, so that the one can change without the
//! other. All of it is checked before use. Inputs are not among them: a restored seat is away, and an away
//! seat's input is neutral. Nor are actions that wait: they are given again.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::host::hold_record::{HoldRecord, SpentRecord, load_holds, load_spent};
use crate::host::holds::{Hold, Holds};
use crate::host::records::Records;
pub(super) use crate::host::room_record::RoomRecord;
use crate::host::seat_record::{SeatRecord, load_seats};
use crate::rules::cut::{Cut, SECTION_HOST, SaveError};
use crate::rules::ids::Seat;
use crate::rules::schema::{Pace, Room};
use crate::wire::lease::Stamp;

pub(super) const SECTION_ROOM: u8 = SECTION_HOST;
/// One record a held seat, by its number.
const SECTION_SEATS: u8 = SECTION_HOST + 1;
/// One record a hold, by its own number.
pub(super) const SECTION_HOLDS: u8 = SECTION_HOST + 2;
/// One record a slot of the ring.
pub(super) const SECTION_SPENT: u8 = SECTION_HOST + 3;
const SECTION_RECORDS: u8 = SECTION_HOST + 4;
const SECTION_LAST: u8 = SECTION_RECORDS;

/// The host's part of a cut, checked.
#[derive(Debug)]
pub(super) struct Loaded {
    pub room: RoomRecord,
    pub seats: Vec<(Seat, SeatRecord)>,
    pub holds: BTreeMap<String, Hold>,
    pub spent: BTreeMap<u32, (String, Stamp)>,
    pub records: Records,
}

/// Adds the host's records to `cut`, which has the rules' already.
pub(super) fn write(
    cut: &mut Cut,
    mut room: RoomRecord,
    seats: impl Iterator<Item = (Seat, SeatRecord)>,
    holds: &Holds,
    records: &Records,
) {
    for (seat, record) in seats {
        cut.put(SECTION_SEATS, u32::from(seat.0), record.to_bytes());
    }
    records.write(cut, SECTION_RECORDS);
    for (account, hold) in holds.iter() {
        cut.put(SECTION_HOLDS, hold.id, bytes(&HoldRecord::new(account, hold)));
    }
    for (slot, account, Stamp { lease, seq }) in holds.spent.iter() {
        cut.put(SECTION_SPENT, slot, bytes(&SpentRecord { account: account.to_owned(), lease, seq }));
    }
    room.records = count(cut) + 1;
    cut.put(SECTION_ROOM, 0, bytes(&room));
}

pub(super) fn count(cut: &Cut) -> u32 {
    let records: usize = cut.sections().map(|section| cut.section(section).count()).sum();
    u32::try_from(records).unwrap_or(u32::MAX)
}

/// Reads the host's records of a cut of such a room of `game`. `leases`: its characters are leased.
///
/// # Errors
/// Anything missing, left over, or out of bounds; another game.
pub(super) fn load(
    cut: &Cut,
    game: &str,
    declared: &Room,
    leases: bool,
    now_ms: u64,
) -> Result<Loaded, SaveError> {
    if cut.sections().any(|section| section > SECTION_LAST) {
        return Err(SaveError::Corrupt("unknown section"));
    }
    if cut.section(SECTION_ROOM).any(|(id, _)| id != 0) {
        return Err(SaveError::Corrupt("more than one room"));
    }
    let room = cut.record(SECTION_ROOM, 0).ok_or(SaveError::Corrupt("no room"))?;
    let room = RoomRecord::from_bytes(room)?;
    if room.records != count(cut) {
        return Err(SaveError::Corrupt("records are missing or left over"));
    }
    if room.game != game {
        return Err(SaveError::Corrupt("of another game"));
    }
    let seats = load_seats(cut, SECTION_SEATS, room.next_occupancy, declared.seats)?;
    if room.settled && !seats.is_empty() && declared.pace != Pace::OnEvent {
        return Err(SaveError::Corrupt("settled with seats held"));
    }
    let (holds, spent) = (load_holds(cut, now_ms)?, load_spent(cut)?);
    let has_characters = !holds.is_empty() || !spent.is_empty();
    if has_characters && !declared.characters {
        return Err(SaveError::Corrupt("characters in a game without them"));
    }
    check_seats(&seats, &holds, declared.characters && leases)?;
    let records = Records::load(cut, SECTION_RECORDS, room.next_record)?;
    Ok(Loaded { room, seats, holds, spent, records })
}

/// Each held character has a held seat of its own, and where they are leased each held seat has one.
fn check_seats(
    seats: &[(Seat, SeatRecord)],
    holds: &BTreeMap<String, Hold>,
    leased: bool,
) -> Result<(), SaveError> {
    let mut free: BTreeSet<Seat> = seats.iter().map(|(seat, _)| *seat).collect();
    if !holds.values().filter_map(Hold::body_seat).all(|seat| free.remove(&seat)) {
        return Err(SaveError::Corrupt("a held character without a seat of its own"));
    }
    if leased && !free.is_empty() {
        return Err(SaveError::Corrupt("a held seat without its character"));
    }
    Ok(())
}

pub(super) fn bytes<R: Serialize>(record: &R) -> Vec<u8> {
    // Plain structs of numbers, texts and options into a growing vector: postcard has nothing to refuse.
    postcard::to_allocvec(record).unwrap_or_default()
}

pub(super) fn read<R: DeserializeOwned>(bytes: &[u8], what: &'static str) -> Result<R, SaveError> {
    match postcard::take_from_bytes(bytes) {
        Ok((record, [])) => Ok(record),
        _ => Err(SaveError::Corrupt(what)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::host::costs::CostRecord;
    use crate::host::hold_record::StateRecord;
    use crate::host::holds::{Return, State};
    use crate::host::records::RoomUid;
    use crate::host::room_record::{RoomRecord1, RoomRecord2};
    use crate::host::seat_record::tests::holder;
    use crate::host::spent::Spent;
    use crate::limits::{HOLDS_MAX, SPENT_MAX};
    use crate::rules::ids::{Epoch, Occupancy};
    use crate::wire::lease::CharacterBody;

    fn room() -> RoomRecord {
        let (epoch, next_occupancy) = (Epoch(3), Occupancy(9));
        let game = "stub".to_owned();
        RoomRecord {
            game,
            epoch,
            next_occupancy,
            stamp_ms: 77,
            settled: false,
            records: 0,
            bots_asked: 3,
            next_record: 4,
            costs: CostRecord::default(),
            uid: [5; 16],
        }
    }

    fn cut(room: &RoomRecord, seats: &[(u16, SeatRecord)]) -> Cut {
        cut_with(room, seats, &[], &[])
    }

    fn cut_with(
        room: &RoomRecord,
        seats: &[(u16, SeatRecord)],
        holds: &[(&str, u64, State)],
        spent: &[(&str, u64)],
    ) -> Cut {
        let mut cut = Cut::default();
        let mut kept = Holds::new(BTreeMap::new(), Spent::new(4, BTreeMap::new()), 0);
        for (account, lease, state) in holds {
            kept.insert((*account).to_owned(), Stamp { lease: *lease, seq: 1 }, state.clone());
        }
        for (account, lease) in spent {
            kept.spend(account, Stamp { lease: *lease, seq: 0 });
        }
        let seats = seats.iter().map(|(seat, record)| (Seat(*seat), record.clone()));
        write(&mut cut, room.clone(), seats, &kept, &Records::default());
        cut
    }

    /// As a room of four seats without characters does.
    fn load_plain(cut: &Cut) -> Result<Loaded, SaveError> {
        load(cut, "stub", &Room::lasting().seats(4), true, 0)
    }

    fn load_leased(cut: &Cut) -> Result<Loaded, SaveError> {
        load(cut, "stub", &Room::lasting().characters().seats(4), true, 0)
    }

    fn returning(body: Option<CharacterBody>) -> State {
        State::Returning(Return::new("5".to_owned(), body, 0))
    }

    fn walker() -> CharacterBody {
        let f = [("score".to_owned(), serde_json::json!(7))].into_iter().collect();
        CharacterBody {
            kind: "walker".to_owned(),
            at: vec![0.001_953_125, -20.5],
            velocity: vec![3.0, 0.0],
            heading: 9,
            f,
        }
    }

    #[test]
    fn records_read_back() {
        let seats = [(0, holder(4)), (3, holder(8))];
        let loaded = load_plain(&cut(&room(), &seats)).expect("a save");
        assert_eq!(loaded.room, RoomRecord { records: 3, ..room() });
        assert_eq!(loaded.seats, [(Seat(0), holder(4)), (Seat(3), holder(8))]);
    }

    #[test]
    fn a_room_of_a_former_build_is_read_and_one_that_runs_by_events_sleeps_with_its_seats() {
        let RoomRecord { game, epoch, next_occupancy, stamp_ms, .. } = room();
        let old = RoomRecord1 { game, epoch, next_occupancy, stamp_ms, settled: true, records: 2 };
        let mut cut = cut(&room(), &[(0, holder(4))]);
        cut.put(SECTION_ROOM, 0, bytes(&old));
        assert!(load_plain(&cut).is_err(), "settled with seats");
        let by_events = Room::lasting().seats(4).pace(Pace::OnEvent);
        let loaded = load(&cut, "stub", &by_events, true, 0).expect("a save");
        assert_eq!((loaded.room.bots_asked, loaded.room.records, loaded.seats.len()), (0, 2, 1));
        let RoomRecord { game, epoch, next_occupancy, stamp_ms, bots_asked, next_record, .. } = room();
        let (settled, records) = (false, 2);
        let old =
            RoomRecord2 { game, epoch, next_occupancy, stamp_ms, settled, records, bots_asked, next_record };
        cut.put(SECTION_ROOM, 0, bytes(&old));
        let uid = RoomUid::default();
        assert_eq!(load_plain(&cut).expect("a save").room, RoomRecord { records: 2, uid, ..room() });
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
            ("an unknown section", with(SECTION_LAST + 1, 0, &[])),
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
            assert!(load_plain(&bad).is_err(), "{what}");
        }
    }

    #[test]
    fn characters_read_back_each_with_its_copy() {
        let holds = [
            ("ada", 7, State::Held(Seat(3))),
            ("bob", 9, returning(Some(walker()))),
            ("eve", 2, returning(None)),
        ];
        let cut = cut_with(&room(), &[(3, holder(4))], &holds, &[("kim", 5), ("ada", 6)]);
        let loaded = load_leased(&cut).expect("a save");
        for (account, lease, state) in holds {
            let hold = &loaded.holds[account];
            assert_eq!((hold.stamp, &hold.state), (Stamp { lease, seq: 1 }, &state));
        }
        let spent: Vec<_> =
            loaded.spent.values().map(|(account, stamp)| (account.as_str(), stamp.lease)).collect();
        assert_eq!((loaded.holds.len(), spent), (3, vec![("kim", 5), ("ada", 6)]));
    }

    #[test]
    fn a_paused_room_with_characters_on_their_way_home_is_settled() {
        let settled = RoomRecord { settled: true, ..room() };
        assert!(load_leased(&cut_with(&settled, &[], &[("bob", 9, returning(None))], &[])).is_ok());
    }

    /// B36
    #[test]
    fn characters_are_checked_strictly() {
        let held = |seat| State::Held(Seat(seat));
        let seat = [(0, holder(4))];
        let hold = |account: &str, lease| HoldRecord {
            account: account.to_owned(),
            lease,
            seq: 0,
            state: StateRecord::Returning { schema: String::new(), body: None },
        };
        let damaged = |section, id, record: Vec<u8>| {
            let mut cut = cut_with(&room(), &seat, &[("ada", 7, held(0))], &[("kim", 5)]);
            cut.put(section, id, record);
            // One record more: the count must not be what refuses it.
            let records = count(&cut);
            cut.put(SECTION_ROOM, 0, bytes(&RoomRecord { records, ..room() }));
            cut
        };
        let spent = |account: &str, lease| bytes(&SpentRecord { account: account.to_owned(), lease, seq: 0 });
        let unread = StateRecord::Returning { schema: String::new(), body: Some("{}".to_owned()) };
        assert!(load_leased(&damaged(SECTION_HOLDS, 1, bytes(&hold("bob", 1)))).is_ok());
        for (what, bad) in [
            ("a seat without a character", cut(&room(), &seat)),
            ("a character without a seat", cut_with(&room(), &[], &[("ada", 7, held(0))], &[])),
            (
                "a seat beyond the last",
                cut_with(&room(), &seat, &[("ada", 7, held(0)), ("bob", 1, held(4))], &[]),
            ),
            ("two on a seat", cut_with(&room(), &seat, &[("ada", 7, held(0)), ("bob", 7, held(0))], &[])),
            ("an account twice", damaged(SECTION_HOLDS, 1, bytes(&hold("ada", 9)))),
            ("no account", damaged(SECTION_HOLDS, 1, bytes(&hold("", 9)))),
            ("an account too long", damaged(SECTION_HOLDS, 1, bytes(&hold(&"x".repeat(65), 9)))),
            ("an account with a dot", damaged(SECTION_HOLDS, 1, bytes(&hold("b.b", 9)))),
            ("lease 0", damaged(SECTION_HOLDS, 1, bytes(&hold("bob", 0)))),
            ("a hold beyond the last", damaged(SECTION_HOLDS, HOLDS_MAX as u32, bytes(&hold("bob", 9)))),
            (
                "a body unread",
                damaged(SECTION_HOLDS, 1, bytes(&HoldRecord { state: unread, ..hold("bob", 9) })),
            ),
            ("a spent account twice", damaged(SECTION_SPENT, 1, spent("kim", 6))),
            ("a spent lease 0", damaged(SECTION_SPENT, 1, spent("bob", 0))),
            ("a spent slot beyond the last", damaged(SECTION_SPENT, SPENT_MAX, spent("bob", 1))),
        ] {
            assert!(load_leased(&bad).is_err(), "{what}");
        }
        for with in
            [cut_with(&room(), &[], &[("bob", 9, returning(None))], &[]), damaged(SECTION_HOLDS, 1, vec![])]
        {
            assert!(load_plain(&with).is_err(), "characters in a game without them");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut cut = Cut::default();
            cut.put(SECTION_ROOM, 0, bytes.clone());
            cut.put(SECTION_SEATS, 0, bytes.clone());
            cut.put(SECTION_HOLDS, 0, bytes.clone());
            cut.put(SECTION_SPENT, 0, bytes.clone());
            let _ = load_leased(&cut);
            let _ = (HoldRecord::load(0, &bytes, 0), read::<SpentRecord>(&bytes, "spent lease"));
        }
    }
}
