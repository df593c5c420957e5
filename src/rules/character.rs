//! A character: what a seat's body carries out of a room and into the next. Fields by name, so that a game may grow.
//!
//! Taken when a seat is left (after its leave handler) and handed to `join` when the account sits down again. Absent:
//! accounts and leases; the host and the Lobby keep those.

use crate::rules::datum::{Datum, read};
use crate::rules::kind::Kind;
use crate::rules::motion::Pose;
use crate::rules::schema::runs;

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
    /// The body of this character; none when it is of another kind. A field that it lacks has its default, one that the
    /// kind no longer has is passed over, a value out of bounds is drawn in.
    #[must_use]
    pub fn body<K: Kind>(&self) -> Option<K> {
        if self.kind != K::SPEC.name {
            return None;
        }
        let (mut plain, mut words) = (Vec::new(), Vec::new());
        K::default().put(&mut plain);
        for (spec, run) in runs(K::SPEC.fields, &plain) {
            let before = words.len();
            let kept = self.fields.iter().find(|(name, _)| name == spec.name);
            if kept.is_none_or(|(_, datum)| read(spec.ty, datum, &mut words).is_err()) {
                words.truncate(before);
                words.extend_from_slice(run);
            }
        }
        K::from_words(&words)
    }
}
