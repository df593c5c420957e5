//! Field types: a value with bounds that knows its type, its run of words, and how to fit.
//!
//! While a handler runs a field holds what was written; `fit` brings it in bounds when the handler ends, and says what
//! was written if it had to change. Reals, vectors and angles are quantised then, so stored, simulated and sent values
//! are the same: that is what they are, and no note is made of it. Arithmetic saturates: it never panics for a number
//! being too great. Absent: names of fields and what is said of them (`schema`), values without a type (`datum`).

mod choice;
mod int;
mod list;
mod plane;
mod real;
mod reference;
mod text;

pub use choice::{choice_held, choice_of};
pub use int::Int;
pub use list::List;
pub use plane::{Angle, Vector};
pub use real::Real;
pub use text::{Text, is_kept};

use std::fmt;

use crate::rules::schema::FieldType;

/// A type that a kind's field, or an action's argument, can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type for a field of a kind or an argument of an action",
    label = "not a field type",
    note = "field types have bounds: bool, Int<MIN, MAX>, Real<MIN, MAX, STEPS_PER_UNIT>, Vector<MAX, STEPS_PER_UNIT>, \
            Angle, Text<CHARS>, List<TYPE, MOST>, Option<SeatId>, Option<BodyId>, and enums with `#[derive(Choice)]`"
)]
pub trait Field: Clone + Default + 'static {
    const TYPE: FieldType;
    /// Adds its words, as `FieldType` describes them. Only after `fit`.
    fn put(&self, words: &mut Vec<i32>);
    /// Takes its words off the front; none when they end too soon or one is out of bounds.
    fn take(words: &mut &[i32]) -> Option<Self>;
    /// Brings it in bounds. Returns what had to be done, if anything.
    fn fit(&mut self) -> Option<Fitted>;
    /// Adds its words as they are once it is fitted.
    fn put_fitted(&self, words: &mut Vec<i32>) {
        let mut value = self.clone();
        value.fit();
        value.put(words);
    }
}

/// What was done to a written value to make it fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// `clamped`, `zeroed` (it was no number), `cut` (too long) or `dropped` (no such thing).
    pub what: &'static str,
    /// What was written, short.
    pub written: String,
}

impl Fitted {
    pub fn new(what: &'static str, written: impl fmt::Display) -> Fitted {
        // A note is a line of a log: what was written must not break it.
        let shown = |c| if is_kept(c) { c } else { '\u{fffd}' };
        let written = written.to_string();
        let written = written.chars().take(crate::limits::NOTE_CHARS_MAX).map(shown).collect();
        Fitted { what, written }
    }
}

/// Takes one word off the front.
pub fn take_word(words: &mut &[i32]) -> Option<i32> {
    let (&word, rest) = words.split_first()?;
    *words = rest;
    Some(word)
}

/// Takes a length from 0 to `max` off the front.
fn take_length(words: &mut &[i32], max: u16) -> Option<usize> {
    usize::try_from(take_word(words)?).ok().filter(|length| *length <= usize::from(max))
}

impl Field for bool {
    const TYPE: FieldType = FieldType::Bool;
    fn put(&self, words: &mut Vec<i32>) {
        words.push(i32::from(*self));
    }
    fn take(words: &mut &[i32]) -> Option<bool> {
        let word = take_word(words)?;
        matches!(word, 0 | 1).then_some(word == 1)
    }
    fn fit(&mut self) -> Option<Fitted> {
        None
    }
}

#[cfg(test)]
mod tests;
