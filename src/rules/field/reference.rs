//! References: a seat or a body by its number, or none. Whether it is still there is for the rules to ask the world.

use crate::limits::SEATS_MAX;
use crate::rules::field::{Field, Fitted, take_word};
use crate::rules::ids::{BodyId, Seat};
use crate::rules::schema::FieldType;

impl Field for Option<Seat> {
    const TYPE: FieldType = FieldType::Seat;
    fn put(&self, words: &mut Vec<i32>) {
        words.push(self.map_or(0, |seat| i32::from(seat.0) + 1));
    }
    fn take(words: &mut &[i32]) -> Option<Self> {
        // 0 is none, so that the greatest seat is one less than the greatest word.
        let word = u16::try_from(take_word(words)?).ok().filter(|word| *word <= SEATS_MAX)?;
        Some(word.checked_sub(1).map(Seat))
    }
    fn fit(&mut self) -> Option<Fitted> {
        let written = self.take_if(|seat| seat.0 >= SEATS_MAX)?;
        Some(Fitted::new("dropped", written))
    }
}

impl Field for Option<BodyId> {
    const TYPE: FieldType = FieldType::Body;
    fn put(&self, words: &mut Vec<i32>) {
        // Fitted, so it lies between two i32.
        words.push(self.map_or(0, |id| id.0 as i32));
    }
    fn take(words: &mut &[i32]) -> Option<Self> {
        let word = u32::try_from(take_word(words)?).ok()?;
        Some((word != 0).then_some(BodyId(word)))
    }
    fn fit(&mut self) -> Option<Fitted> {
        // No body is numbered 0: that is where a room's own row lies.
        let written = self.take_if(|id| id.0 == 0 || i32::try_from(id.0).is_err())?;
        Some(Fitted::new("dropped", written))
    }
}
