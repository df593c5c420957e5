//! Seats: a record each, with its body and its name. Absent: who decides for it and whose it is (`upkeep`).

use crate::limits::SEATS_MAX;
use crate::rules::cut::{Cut, SaveError, put_varint};
use crate::rules::engine::{Engine, Head};
use crate::rules::ids::{BodyId, Seat};
use crate::rules::save::SECTION_SEAT;
use crate::rules::save::bytes::take_u32;

/// Bytes of a seat's name in a save: `NAME_CHARS_MAX` characters of at most 4 bytes, rounded up.
const NAME_BYTES_MAX: usize = 128;

pub fn put(engine: &Engine, each: &mut dyn FnMut(u8, u32, &[u8])) {
    let mut out = Vec::new();
    for (seat, state) in &engine.seats {
        out.clear();
        put_varint(&mut out, state.body.map_or(0, |id| u64::from(id.0)));
        out.extend_from_slice(state.name.as_bytes());
        each(SECTION_SEAT, u32::from(seat.0), &out);
    }
}

pub fn take(engine: &mut Engine, cut: &Cut) -> Result<(), SaveError> {
    for (id, record) in cut.section(SECTION_SEAT) {
        let number = u16::try_from(id).ok().filter(|n| *n < engine.schema.room.seats.min(SEATS_MAX));
        let seat = Seat(number.ok_or(SaveError::Corrupt("seat"))?);
        take_seat(engine, seat, record)?;
    }
    let owned = |head: &Head| match head.seat {
        None => true,
        Some(seat) => engine.seats.get(&seat).is_some_and(|state| state.body == Some(head.id)),
    };
    if engine.heads.iter().all(owned) { Ok(()) } else { Err(SaveError::Corrupt("a body of an empty seat")) }
}

fn take_seat(engine: &mut Engine, seat: Seat, record: &[u8]) -> Result<(), SaveError> {
    let rest = &mut &record[..];
    let body = match take_u32(rest)? {
        0 => None,
        id => Some(BodyId(id)),
    };
    if body.is_some_and(|id| engine.head(id).is_none_or(|head| head.seat != Some(seat))) {
        return Err(SaveError::Corrupt("seat's body"));
    }
    if rest.len() > NAME_BYTES_MAX {
        return Err(SaveError::Corrupt("seat's name"));
    }
    let name = std::str::from_utf8(rest).map_err(|_| SaveError::Corrupt("seat's name"))?.to_owned();
    let state = engine.seats.entry(seat).or_default();
    (state.name, state.body) = (name, body);
    Ok(())
}
