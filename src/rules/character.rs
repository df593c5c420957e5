//! A character: what a seat's body carries out of a room and into the next. Fields by name, so that a game may grow.
//!
//! Taken when a seat is left (after its leave handler) and handed to `join` when the account sits down again. Absent:
//! accounts and leases; the host and the Lobby keep those.

use crate::rules::kind::Kind;
use crate::rules::motion::Pose;

/// A body's kind, pose and fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Character {
    /// Its kind's name.
    pub kind: String,
    pub pose: Pose,
    /// Field names with their words, in the kind's order.
    pub fields: Vec<(String, i32)>,
}

impl Character {
    /// The body of this character; none when it is of another kind. A field that it lacks has its default, one that the
    /// kind no longer has is passed over, a value out of bounds is drawn in.
    #[must_use]
    pub fn body<K: Kind>(&self) -> Option<K> {
        if self.kind != K::SPEC.name {
            return None;
        }
        let mut values = Vec::new();
        K::default().values(&mut values);
        for (value, spec) in values.iter_mut().zip(K::SPEC.fields) {
            if let Some((_, kept)) = self.fields.iter().find(|(name, _)| name == spec.name) {
                let (min, max) = spec.ty.bounds();
                *value = (*kept).clamp(min, max);
            }
        }
        K::from_values(&values)
    }
}
