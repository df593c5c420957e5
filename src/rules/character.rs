//! A character: what a seat's body carries out of a room and into the next. Fields by name, so that a game may grow.
//!
//! Taken when a seat is left (after its leave handler) and handed to `join` when the account sits down again. Absent:
//! accounts and leases; the host and the Lobby keep those. `evolve` makes an old one fit.

use crate::rules::datum::{Datum, show};
use crate::rules::evolve::{Report, character_row};
use crate::rules::kind::{Column, Kind};
use crate::rules::motion::Pose;
use crate::rules::schema::{KindSpec, runs};

/// A body's kind, pose and fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    /// Its kind's name.
    pub kind: String,
    pub pose: Pose,
    /// Field names with their values, in the kind's order.
    pub fields: Vec<(String, Datum)>,
}

impl Character {
    /// The body of this character; none when it is of another kind, or a field does not convert. A field that it lacks
    /// has its default, one that the kind no longer has is passed over, a value out of bounds is drawn in.
    #[must_use]
    pub fn body<K: Kind>(&self) -> Option<K> {
        if self.kind != K::SPEC.name && !K::SPEC.was.contains(&self.kind.as_str()) {
            return None;
        }
        let column: Column<K> = Column::default();
        let words = character_row(&K::SPEC, &column, self, &mut Report::default()).ok()?;
        K::from_words(&words)
    }
}

/// The fields of a row by name.
#[must_use]
pub fn fields_of(kind: &KindSpec, words: &[i32]) -> Vec<(String, Datum)> {
    let shown =
        runs(kind.fields, words).map(|(field, run)| Some((field.name.to_owned(), show(field.ty, run)?)));
    shown.flatten().collect()
}
