//! A held seat as a save keeps it, and what a socket keeps of it through hibernation.
//!
//! Records of former builds are read too: what they lack has its first value. All of it is checked before use. Absent:
//! which connection has the seat; that ends with the incarnation, or is found again by the socket's attachment.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::host::actions::{Actions, Answer};
use crate::host::save::{bytes, read};
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::Driver;
use crate::rules::ids::{Occupancy, Seat};
use crate::wire::names::{clean_name, is_account};

/// A held seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeatRecord {
    pub occupancy: Occupancy,
    pub driver: DriverRecord,
    pub name: String,
    /// Zeros of a seat that no token opens.
    pub token: [u8; 16],
    pub former_token: Option<[u8; 16]>,
    /// The account, if it has one.
    pub owner: Option<String>,
    pub rebase: u32,
    /// In an event-driven room: when the grace of an away seat ends. The room sleeps meanwhile.
    pub away_until_ms: Option<u64>,
    /// The newest number is part of every commit, and so is what happened.
    pub answers: Vec<Answer>,
}

/// The same before seats had drivers of their own and actions.
#[derive(Serialize, Deserialize)]
struct SeatRecord1 {
    occupancy: Occupancy,
    driver: DriverRecord,
    name: String,
    token: [u8; 16],
    former_token: Option<[u8; 16]>,
}

impl From<SeatRecord1> for SeatRecord {
    fn from(old: SeatRecord1) -> SeatRecord {
        let SeatRecord1 { occupancy, driver, name, token, former_token } = old;
        let (owner, away_until_ms, answers) = (None, None, Vec::new());
        SeatRecord { occupancy, driver, name, token, former_token, owner, rebase: 0, away_until_ms, answers }
    }
}

/// Who moves a seat. New ones are added at the end: the index is what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum DriverRecord {
    Person,
    Bot,
    Ai,
}

impl DriverRecord {
    pub(super) fn new(driver: Driver) -> DriverRecord {
        match driver {
            Driver::Person => DriverRecord::Person,
            Driver::Bot => DriverRecord::Bot,
            Driver::Ai => DriverRecord::Ai,
        }
    }

    pub(super) fn driver(self) -> Driver {
        match self {
            DriverRecord::Person => Driver::Person,
            DriverRecord::Bot => Driver::Bot,
            DriverRecord::Ai => Driver::Ai,
        }
    }
}

impl SeatRecord {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        bytes(self)
    }

    pub(super) fn from_bytes(record: &[u8]) -> Result<SeatRecord, SaveError> {
        read(record, "seat").or_else(|_| read::<SeatRecord1>(record, "seat").map(SeatRecord::from))
    }

    /// Whether a room can have such a seat at all.
    fn is_sound(&self) -> bool {
        let is_token = self.driver != DriverRecord::Bot || self.token == [0; 16];
        let is_owner = self.owner.as_ref().is_none_or(|owner| is_account(owner));
        is_token && is_owner && clean_name(&self.name) == self.name
    }
}

/// The held seats of a room of so many, `next` being the first stay that there has not been.
///
/// # Errors
/// A seat the room does not have, a stay twice or of the future, or anything that no seat holds.
pub(super) fn load_seats(
    cut: &Cut,
    section: u8,
    next: Occupancy,
    seats: u16,
) -> Result<Vec<(Seat, SeatRecord)>, SaveError> {
    let mut held = Vec::new();
    let mut occupancies = BTreeSet::new();
    for (id, record) in cut.section(section) {
        let record = SeatRecord::from_bytes(record)?;
        let seat = u16::try_from(id).ok().filter(|seat| *seat < seats);
        let seat = Seat(seat.ok_or(SaveError::Corrupt("a seat the room does not have"))?);
        let known = !occupancies.insert(record.occupancy) || record.occupancy >= next;
        if known || !record.is_sound() {
            return Err(SaveError::Corrupt("a seat's holder"));
        }
        Actions::restore(record.answers.clone())?;
        held.push((seat, record));
    }
    Ok(held)
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

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::ids::Tick;

    pub(in crate::host) fn holder(occupancy: u32) -> SeatRecord {
        SeatRecord {
            occupancy: Occupancy(occupancy),
            driver: DriverRecord::Person,
            name: "Ada".to_owned(),
            token: [1; 16],
            former_token: Some([2; 16]),
            owner: Some("ada".to_owned()),
            rebase: 3,
            away_until_ms: Some(99),
            answers: vec![Answer { number: 7, tick: Tick(4), why: Some("no".to_owned()) }],
        }
    }

    #[test]
    fn a_seat_of_a_former_build_is_read() {
        let (occupancy, name, token) = (Occupancy(4), "Ada".to_owned(), [1; 16]);
        let driver = DriverRecord::Person;
        let old = bytes(&SeatRecord1 { occupancy, driver, name, token, former_token: Some([2; 16]) });
        let read = SeatRecord::from_bytes(&old).expect("a seat");
        let plain = SeatRecord { owner: None, rebase: 0, away_until_ms: None, answers: vec![], ..holder(4) };
        assert_eq!(read, plain);
        assert_eq!(SeatRecord::from_bytes(&holder(4).to_bytes()), Ok(holder(4)));
    }

    #[test]
    fn what_no_seat_holds_is_refused() {
        let load = |record: SeatRecord| {
            let mut cut = Cut::default();
            cut.put(17, 0, record.to_bytes());
            load_seats(&cut, 17, Occupancy(9), 4)
        };
        assert!(load(holder(4)).is_ok());
        for bad in [
            SeatRecord { owner: Some("no account".to_owned()), ..holder(4) },
            SeatRecord { driver: DriverRecord::Bot, ..holder(4) },
            SeatRecord { name: " Ada\u{202e}".to_owned(), ..holder(4) },
            SeatRecord { answers: vec![Answer { number: 0, tick: Tick(1), why: None }], ..holder(4) },
            holder(9),
        ] {
            assert!(load(bad.clone()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_attachment_reads_back() {
        for seat in [None, Some((Seat(3), Occupancy(9)))] {
            let attachment = Attachment { seat };
            assert_eq!(Attachment::from_bytes(&attachment.to_bytes()), Some(attachment));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = (Attachment::from_bytes(&bytes), SeatRecord::from_bytes(&bytes));
        }
    }
}
