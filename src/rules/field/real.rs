//! `Real`: a number with a range and a step. It reads and counts as an `f64` does, and is put on a step when it is fitted.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::rules::exact::round;
use crate::rules::field::{Field, Fitted, take_word};
use crate::rules::must::must;
use crate::rules::schema::FieldType;

/// A real from `MIN` to `MAX` in steps of `1 / PER_UNIT`.
#[derive(Clone, Copy)]
pub struct Real<const MIN: i32, const MAX: i32, const PER_UNIT: i32>(f64);

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Real<MIN, MAX, PER_UNIT> {
    const FITS: () = {
        must(MIN <= MAX && PER_UNIT > 0, "a Real needs MIN <= MAX and steps");
        must(
            fits_32_bits(MIN, PER_UNIT) && fits_32_bits(MAX, PER_UNIT),
            "a Real has more steps than 32 bits hold",
        );
    };
    pub const MIN: f64 = MIN as f64;
    pub const MAX: f64 = MAX as f64;

    /// A whole number known when the game is compiled: `Real::of::<3>()`. One out of bounds does not compile.
    #[must_use]
    pub const fn of<const N: i32>() -> Self {
        const { must(MIN <= N && N <= MAX, "this number is out of the bounds of its Real") };
        Real(N as f64)
    }

    /// The value, as written.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    pub fn set(&mut self, value: impl Into<Self>) {
        *self = value.into();
    }
}

/// Whether so many units in steps are a word.
pub(super) const fn fits_32_bits(units: i32, per_unit: i32) -> bool {
    let steps = units as i64 * per_unit as i64;
    steps >= i32::MIN as i64 && steps <= i32::MAX as i64
}

/// The steps of a value brought in bounds; what is no number is the step nearest to 0.
pub(super) fn steps_of(value: f64, min: i32, max: i32, per_unit: i32) -> i32 {
    let value = if value.is_nan() { 0.0 } else { value };
    let bounded = value.clamp(f64::from(min), f64::from(max));
    // A word, by `fits_32_bits`.
    round(bounded * f64::from(per_unit)) as i32
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Default for Real<MIN, MAX, PER_UNIT> {
    /// The value in bounds that is nearest to 0.
    fn default() -> Self {
        let () = Self::FITS;
        Real(0f64.clamp(Self::MIN, Self::MAX))
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Field for Real<MIN, MAX, PER_UNIT> {
    const TYPE: FieldType = {
        let () = Self::FITS;
        FieldType::Real { min: MIN, max: MAX, per_unit: PER_UNIT }
    };
    fn put(&self, words: &mut Vec<i32>) {
        words.push(steps_of(self.0, MIN, MAX, PER_UNIT));
    }
    fn take(words: &mut &[i32]) -> Option<Self> {
        let steps = take_word(words)?;
        let bounds = MIN * PER_UNIT..=MAX * PER_UNIT;
        bounds.contains(&steps).then(|| Real(f64::from(steps) / f64::from(PER_UNIT)))
    }
    fn fit(&mut self) -> Option<Fitted> {
        let written = self.0;
        self.0 = f64::from(steps_of(written, MIN, MAX, PER_UNIT)) / f64::from(PER_UNIT);
        let fitted = (Self::MIN..=Self::MAX).contains(&written);
        let what = if written.is_nan() { "zeroed" } else { "clamped" };
        (!fitted).then(|| Fitted::new(what, written))
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> From<f64> for Real<MIN, MAX, PER_UNIT> {
    fn from(value: f64) -> Self {
        Real(value)
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> From<i32> for Real<MIN, MAX, PER_UNIT> {
    fn from(value: i32) -> Self {
        Real(f64::from(value))
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> From<Real<MIN, MAX, PER_UNIT>> for f64 {
    fn from(value: Real<MIN, MAX, PER_UNIT>) -> f64 {
        value.0
    }
}

/// Arithmetic with an `f64` or another `Real`; what it gives back is an `f64`.
macro_rules! counts {
    ($($op:ident $f:ident $op_assign:ident $f_assign:ident $sign:tt;)+) => {$(
        impl<const MIN: i32, const MAX: i32, const P: i32> $op<f64> for Real<MIN, MAX, P> {
            type Output = f64;
            fn $f(self, by: f64) -> f64 {
                self.0 $sign by
            }
        }
        impl<const MIN: i32, const MAX: i32, const P: i32> $op<Real<MIN, MAX, P>> for f64 {
            type Output = f64;
            fn $f(self, by: Real<MIN, MAX, P>) -> f64 {
                self $sign by.0
            }
        }
        impl<const MIN: i32, const MAX: i32, const P: i32, const A: i32, const B: i32, const Q: i32>
            $op<Real<A, B, Q>> for Real<MIN, MAX, P>
        {
            type Output = f64;
            fn $f(self, by: Real<A, B, Q>) -> f64 {
                self.0 $sign by.0
            }
        }
        impl<const MIN: i32, const MAX: i32, const P: i32> $op_assign<f64> for Real<MIN, MAX, P> {
            fn $f_assign(&mut self, by: f64) {
                self.0 = self.0 $sign by;
            }
        }
        impl<const MIN: i32, const MAX: i32, const P: i32, const A: i32, const B: i32, const Q: i32>
            $op_assign<Real<A, B, Q>> for Real<MIN, MAX, P>
        {
            fn $f_assign(&mut self, by: Real<A, B, Q>) {
                self.0 = self.0 $sign by.0;
            }
        }
    )+};
}

counts! {
    Add add AddAssign add_assign +;
    Sub sub SubAssign sub_assign -;
    Mul mul MulAssign mul_assign *;
    Div div DivAssign div_assign /;
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> Neg for Real<MIN, MAX, PER_UNIT> {
    type Output = f64;
    fn neg(self) -> f64 {
        -self.0
    }
}

impl<const MIN: i32, const MAX: i32, const P: i32, const A: i32, const B: i32, const Q: i32>
    PartialEq<Real<A, B, Q>> for Real<MIN, MAX, P>
{
    fn eq(&self, other: &Real<A, B, Q>) -> bool {
        self.0 == other.0
    }
}

impl<const MIN: i32, const MAX: i32, const P: i32, const A: i32, const B: i32, const Q: i32>
    PartialOrd<Real<A, B, Q>> for Real<MIN, MAX, P>
{
    fn partial_cmp(&self, other: &Real<A, B, Q>) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> PartialEq<f64> for Real<MIN, MAX, PER_UNIT> {
    fn eq(&self, other: &f64) -> bool {
        self.0 == *other
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> PartialOrd<f64> for Real<MIN, MAX, PER_UNIT> {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> PartialEq<Real<MIN, MAX, PER_UNIT>> for f64 {
    fn eq(&self, other: &Real<MIN, MAX, PER_UNIT>) -> bool {
        *self == other.0
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> PartialOrd<Real<MIN, MAX, PER_UNIT>> for f64 {
    fn partial_cmp(&self, other: &Real<MIN, MAX, PER_UNIT>) -> Option<Ordering> {
        self.partial_cmp(&other.0)
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> fmt::Debug for Real<MIN, MAX, PER_UNIT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const MIN: i32, const MAX: i32, const PER_UNIT: i32> fmt::Display for Real<MIN, MAX, PER_UNIT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
