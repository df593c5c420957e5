//! A character read out of a save without its game, by the schema that the save itself carries: for a room whose game this
//! build does not have, or whose save it cannot use.
//!
//! Gives what the game that wrote the save would have given, for a field's type says how its words are shown. Nothing is
//! changed. Absent: saves of version 0, which do not say what their fields are.

use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError, take_varint};
use crate::rules::ids::Seat;
use crate::rules::save::bytes::{take_byte, take_words};
use crate::rules::save::layout::Layout;
use crate::rules::save::rows::take_pose;
use crate::rules::save::{SECTION_BODY, VERSION};

/// The character of a seat; none when it has no body.
///
/// # Errors
/// A body's record that is none by this layout.
pub fn character_of(cut: &Cut, layout: &Layout, seat: Seat) -> Result<Option<Character>, SaveError> {
    const DAMAGED: SaveError = SaveError::Corrupt("body's fields");
    for (_, record) in cut.section(SECTION_BODY) {
        let rest = &mut &record[..];
        let kind = layout.kinds.get(usize::from(take_byte(rest)?)).ok_or(DAMAGED)?;
        if take_varint(rest)? != u64::from(seat.0) + 1 {
            continue;
        }
        let pose = take_pose(rest, VERSION)?;
        let values = kind.values(&take_words(rest)?).ok_or(DAMAGED)?;
        let names = kind.fields.iter().map(|field| field.name.clone());
        return Ok(Some(Character { kind: kind.name.clone(), pose, fields: names.zip(values).collect() }));
    }
    Ok(None)
}
