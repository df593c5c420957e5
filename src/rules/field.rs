//! Field types: a value with bounds that knows its type, its run of words, and how to fit.
//!
//! While a handler runs a field holds what was written; `fit` brings it in bounds when the handler ends, and says what
//! was written if it had to change. Reals are quantised then, so stored, simulated and sent values are the same: that
//! is what a real is, and no note is made of it.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

use crate::rules::schema::FieldType;

/// A type that a kind's field, or an action's argument, can have.
pub trait Field: Clone + Default + 'static {
    const TYPE: FieldType;
    /// Adds its words, as `FieldType` describes them. Only after `fit`.
    fn put(&self, words: &mut Vec<i32>);
    /// Takes its words off the front; none when they end too soon or one is out of bounds.
    fn take(words: &mut &[i32]) -> Option<Self>;
    /// Brings it in bounds. Returns what had to be done, if anything.
    fn fit(&mut self) -> Option<Fitted>;
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
        let written = written.to_string().chars().take(crate::limits::NOTE_CHARS_MAX).collect();
        Fitted { what, written }
    }
}

/// Takes one word off the front.
pub fn take_word(words: &mut &[i32]) -> Option<i32> {
    let (&word, rest) = words.split_first()?;
    *words = rest;
    Some(word)
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

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Int<const MIN: i32, const MAX: i32>(i64);

impl<const MIN: i32, const MAX: i32> Int<MIN, MAX> {
    const ORDERED: () = assert!(MIN <= MAX, "the least value of an Int is above its greatest");

    /// The number, as written.
    #[must_use]
    pub fn get(self) -> i64 {
        self.0
    }
}

impl<const MIN: i32, const MAX: i32> Default for Int<MIN, MAX> {
    /// The number in bounds that is nearest to 0.
    fn default() -> Self {
        Int(0i64.clamp(i64::from(MIN), i64::from(MAX)))
    }
}

impl<const MIN: i32, const MAX: i32> Field for Int<MIN, MAX> {
    const TYPE: FieldType = {
        let () = Self::ORDERED;
        FieldType::Int { min: MIN, max: MAX }
    };
    fn put(&self, words: &mut Vec<i32>) {
        // Fitted, so it lies between two i32.
        words.push(self.0 as i32);
    }
    fn take(words: &mut &[i32]) -> Option<Self> {
        let word = take_word(words)?;
        (MIN..=MAX).contains(&word).then_some(Int(i64::from(word)))
    }
    fn fit(&mut self) -> Option<Fitted> {
        let written = self.0;
        self.0 = written.clamp(i64::from(MIN), i64::from(MAX));
        (self.0 != written).then(|| Fitted::new("clamped", written))
    }
}

impl<const MIN: i32, const MAX: i32> From<i32> for Int<MIN, MAX> {
    fn from(value: i32) -> Self {
        Int(i64::from(value))
    }
}

impl<const MIN: i32, const MAX: i32> AddAssign<i32> for Int<MIN, MAX> {
    fn add_assign(&mut self, by: i32) {
        self.0 = self.0.saturating_add(i64::from(by));
    }
}

impl<const MIN: i32, const MAX: i32> SubAssign<i32> for Int<MIN, MAX> {
    fn sub_assign(&mut self, by: i32) {
        self.0 = self.0.saturating_sub(i64::from(by));
    }
}

impl<const MIN: i32, const MAX: i32> PartialEq<i32> for Int<MIN, MAX> {
    fn eq(&self, other: &i32) -> bool {
        self.0 == i64::from(*other)
    }
}

impl<const MIN: i32, const MAX: i32> PartialOrd<i32> for Int<MIN, MAX> {
    fn partial_cmp(&self, other: &i32) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(&i64::from(*other))
    }
}

impl<const MIN: i32, const MAX: i32> fmt::Debug for Int<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A real from `MIN` to `MAX` in steps of `1 / PER_UNIT`.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Real<const MIN: i32, const MAX: i32, const PER_UNIT: i32>(f64);

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Real<MIN, MAX, PER_UNIT> {
    const FITS: () = {
        assert!(MIN <= MAX && PER_UNIT > 0, "a Real needs MIN <= MAX and steps");
        assert!(
            (MIN as i64) * (PER_UNIT as i64) >= i32::MIN as i64
                && (MAX as i64) * (PER_UNIT as i64) <= i32::MAX as i64,
            "a Real has more steps than 32 bits hold"
        );
    };

    /// The value, as written.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    fn steps_of(value: f64) -> i32 {
        let value = if value.is_nan() { 0.0 } else { value };
        let bounded = value.clamp(f64::from(MIN), f64::from(MAX));
        // Within i32 by `FITS`.
        libm::round(bounded * f64::from(PER_UNIT)) as i32
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Default for Real<MIN, MAX, PER_UNIT> {
    /// The value in bounds that is nearest to 0.
    fn default() -> Self {
        Real(0f64.clamp(f64::from(MIN), f64::from(MAX)))
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Field for Real<MIN, MAX, PER_UNIT> {
    const TYPE: FieldType = {
        let () = Self::FITS;
        FieldType::Real { min: MIN, max: MAX, per_unit: PER_UNIT }
    };
    fn put(&self, words: &mut Vec<i32>) {
        words.push(Self::steps_of(self.0));
    }
    fn take(words: &mut &[i32]) -> Option<Self> {
        let steps = take_word(words)?;
        (MIN * PER_UNIT..=MAX * PER_UNIT)
            .contains(&steps)
            .then(|| Real(f64::from(steps) / f64::from(PER_UNIT)))
    }
    fn fit(&mut self) -> Option<Fitted> {
        let written = self.0;
        self.0 = f64::from(Self::steps_of(written)) / f64::from(PER_UNIT);
        let fitted = (f64::from(MIN)..=f64::from(MAX)).contains(&written);
        let what = if written.is_nan() { "zeroed" } else { "clamped" };
        (!fitted).then(|| Fitted::new(what, written))
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> From<f64> for Real<MIN, MAX, PER_UNIT> {
    fn from(value: f64) -> Self {
        Real(value)
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> AddAssign<f64> for Real<MIN, MAX, PER_UNIT> {
    fn add_assign(&mut self, by: f64) {
        self.0 += by;
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> SubAssign<f64> for Real<MIN, MAX, PER_UNIT> {
    fn sub_assign(&mut self, by: f64) {
        self.0 -= by;
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Add<f64> for Real<MIN, MAX, PER_UNIT> {
    type Output = f64;
    fn add(self, by: f64) -> f64 {
        self.0 + by
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Sub<f64> for Real<MIN, MAX, PER_UNIT> {
    type Output = f64;
    fn sub(self, by: f64) -> f64 {
        self.0 - by
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Mul<f64> for Real<MIN, MAX, PER_UNIT> {
    type Output = f64;
    fn mul(self, by: f64) -> f64 {
        self.0 * by
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> PartialEq<f64> for Real<MIN, MAX, PER_UNIT> {
    fn eq(&self, other: &f64) -> bool {
        self.0 == *other
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> PartialOrd<f64> for Real<MIN, MAX, PER_UNIT> {
    fn partial_cmp(&self, other: &f64) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(other)
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> fmt::Debug for Real<MIN, MAX, PER_UNIT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_int_holds_what_was_written_until_it_is_fitted() {
        let mut hp: Int<0, 100> = 90.into();
        hp += 50;
        assert_eq!(hp.get(), 140);
        assert_eq!(hp.fit(), Some(Fitted::new("clamped", 140)));
        assert_eq!(hp, 100);
        assert_eq!(hp.fit(), None);
    }

    #[test]
    fn a_default_is_the_value_in_bounds_nearest_to_zero() {
        assert_eq!(Int::<5, 9>::default(), 5);
        assert_eq!(Int::<-9, -5>::default(), -5);
        assert_eq!(Real::<2, 3, 10>::default(), 2.0);
    }

    /// F18: every value that is no number, or none a game means, ends in bounds and on a step.
    #[test]
    fn a_real_fits_every_float_there_is() {
        for written in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 5e-324] {
            let mut speed: Real<-10, 10, 100> = written.into();
            let note = speed.fit();
            assert_eq!(note.is_some(), written != 5e-324, "{written}");
            assert!((-10.0..=10.0).contains(&speed.get()), "{written} became {speed:?}");
            let mut words = Vec::new();
            speed.put(&mut words);
            assert_eq!(Real::<-10, 10, 100>::take(&mut &words[..]), Some(speed));
        }
        let mut zero: Real<-10, 10, 100> = (-0.0).into();
        assert_eq!(zero.fit(), None);
        assert_eq!(zero.get().to_bits(), 0f64.to_bits(), "minus zero is zero");
    }

    #[test]
    fn a_real_is_stored_in_steps() {
        let mut v: Real<0, 10, 4> = 1.3.into();
        assert_eq!(v.fit(), None);
        assert_eq!(v, 1.25);
        let mut words = Vec::new();
        v.put(&mut words);
        assert_eq!(words, [5]);
    }

    #[test]
    fn a_word_out_of_bounds_is_no_field() {
        assert!(Int::<0, 5>::take(&mut &[6][..]).is_none());
        assert!(bool::take(&mut &[2][..]).is_none());
        assert!(Real::<0, 1, 10>::take(&mut &[11][..]).is_none());
        assert!(bool::take(&mut &[][..]).is_none());
    }
}
