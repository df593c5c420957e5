//! `Int`: a whole number with bounds. It reads and counts as an `i32` does, and holds more than one while it is written.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Rem, Sub, SubAssign};

use crate::rules::field::{Field, Fitted, take_word};
use crate::rules::must::must;
use crate::rules::schema::FieldType;

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Clone, Copy)]
pub struct Int<const MIN: i32, const MAX: i32>(i64);

impl<const MIN: i32, const MAX: i32> Int<MIN, MAX> {
    const ORDERED: () = must(MIN <= MAX, "the least value of an Int is above its greatest");
    pub const MIN: i32 = MIN;
    pub const MAX: i32 = MAX;

    /// A number known when the game is compiled: `Int::of::<100>()`. One out of bounds does not compile.
    #[must_use]
    pub const fn of<const N: i32>() -> Self {
        const { must(MIN <= N && N <= MAX, "this number is out of the bounds of its Int") };
        Int(N as i64)
    }

    /// The number, as written.
    #[must_use]
    pub const fn get(self) -> i32 {
        in_i32(self.0)
    }

    pub fn set(&mut self, value: impl Into<Self>) {
        *self = value.into();
    }
}

const fn in_i32(value: i64) -> i32 {
    if value > i32::MAX as i64 {
        i32::MAX
    } else if value < i32::MIN as i64 {
        i32::MIN
    } else {
        value as i32
    }
}

impl<const MIN: i32, const MAX: i32> Default for Int<MIN, MAX> {
    /// The number in bounds that is nearest to 0.
    fn default() -> Self {
        let () = Self::ORDERED;
        Int(0i64.clamp(i64::from(MIN), i64::from(MAX)))
    }
}

impl<const MIN: i32, const MAX: i32> Field for Int<MIN, MAX> {
    const TYPE: FieldType = {
        let () = Self::ORDERED;
        FieldType::Int { min: MIN, max: MAX }
    };
    fn put(&self, words: &mut Vec<i32>) {
        words.push(self.get());
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

/// What the whole numbers of Rust do to an `Int` that gives nothing back: any of them may be written, added, compared.
macro_rules! written_by {
    ($($n:ty)+) => {$(
        impl<const MIN: i32, const MAX: i32> From<$n> for Int<MIN, MAX> {
            fn from(value: $n) -> Self {
                Int(i64::try_from(value as i128).unwrap_or(i64::MAX))
            }
        }
        impl<const MIN: i32, const MAX: i32> AddAssign<$n> for Int<MIN, MAX> {
            fn add_assign(&mut self, by: $n) {
                *self += Self::from(by);
            }
        }
        impl<const MIN: i32, const MAX: i32> SubAssign<$n> for Int<MIN, MAX> {
            fn sub_assign(&mut self, by: $n) {
                *self -= Self::from(by);
            }
        }
        impl<const MIN: i32, const MAX: i32> PartialEq<$n> for Int<MIN, MAX> {
            fn eq(&self, other: &$n) -> bool {
                i128::from(self.0) == *other as i128
            }
        }
        impl<const MIN: i32, const MAX: i32> PartialOrd<$n> for Int<MIN, MAX> {
            fn partial_cmp(&self, other: &$n) -> Option<Ordering> {
                Some(i128::from(self.0).cmp(&(*other as i128)))
            }
        }
    )+};
}

written_by!(i32 i64 u16 u32 u64 usize);

impl<const MIN: i32, const MAX: i32, const A: i32, const B: i32> AddAssign<Int<A, B>> for Int<MIN, MAX> {
    fn add_assign(&mut self, by: Int<A, B>) {
        self.0 = self.0.saturating_add(by.0);
    }
}

impl<const MIN: i32, const MAX: i32, const A: i32, const B: i32> SubAssign<Int<A, B>> for Int<MIN, MAX> {
    fn sub_assign(&mut self, by: Int<A, B>) {
        self.0 = self.0.saturating_sub(by.0);
    }
}

impl<const MIN: i32, const MAX: i32> MulAssign<i32> for Int<MIN, MAX> {
    fn mul_assign(&mut self, by: i32) {
        self.0 = self.0.saturating_mul(i64::from(by));
    }
}

/// Arithmetic that gives something back gives an `i32`, kept within one.
macro_rules! gives_i32 {
    ($($op:ident $f:ident $exact:ident;)+) => {$(
        impl<const MIN: i32, const MAX: i32> $op<i32> for Int<MIN, MAX> {
            type Output = i32;
            fn $f(self, by: i32) -> i32 {
                in_i32(self.0.$exact(i64::from(by)))
            }
        }
        impl<const MIN: i32, const MAX: i32> $op<Int<MIN, MAX>> for i32 {
            type Output = i32;
            fn $f(self, by: Int<MIN, MAX>) -> i32 {
                in_i32(i64::from(self).$exact(by.0))
            }
        }
        impl<const MIN: i32, const MAX: i32, const A: i32, const B: i32> $op<Int<A, B>> for Int<MIN, MAX> {
            type Output = i32;
            fn $f(self, by: Int<A, B>) -> i32 {
                in_i32(self.0.$exact(by.0))
            }
        }
    )+};
}

// By 0 the last two panic, as they do for an `i32`: there is no number to give.
gives_i32! {
    Add add saturating_add;
    Sub sub saturating_sub;
    Mul mul saturating_mul;
    Div div saturating_div;
    Rem rem wrapping_rem;
}

impl<const MIN: i32, const MAX: i32> Mul<f64> for Int<MIN, MAX> {
    type Output = f64;
    fn mul(self, by: f64) -> f64 {
        f64::from(self) * by
    }
}

impl<const MIN: i32, const MAX: i32, const A: i32, const B: i32> PartialEq<Int<A, B>> for Int<MIN, MAX> {
    fn eq(&self, other: &Int<A, B>) -> bool {
        self.0 == other.0
    }
}

impl<const MIN: i32, const MAX: i32, const A: i32, const B: i32> PartialOrd<Int<A, B>> for Int<MIN, MAX> {
    fn partial_cmp(&self, other: &Int<A, B>) -> Option<Ordering> {
        Some(self.0.cmp(&other.0))
    }
}

impl<const MIN: i32, const MAX: i32> Eq for Int<MIN, MAX> {}

impl<const MIN: i32, const MAX: i32> Hash for Int<MIN, MAX> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }
}

impl<const MIN: i32, const MAX: i32> Ord for Int<MIN, MAX> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<const MIN: i32, const MAX: i32> PartialEq<Int<MIN, MAX>> for i32 {
    fn eq(&self, other: &Int<MIN, MAX>) -> bool {
        i64::from(*self) == other.0
    }
}

impl<const MIN: i32, const MAX: i32> PartialOrd<Int<MIN, MAX>> for i32 {
    fn partial_cmp(&self, other: &Int<MIN, MAX>) -> Option<Ordering> {
        Some(i64::from(*self).cmp(&other.0))
    }
}

impl<const MIN: i32, const MAX: i32> From<Int<MIN, MAX>> for i32 {
    fn from(value: Int<MIN, MAX>) -> i32 {
        value.get()
    }
}

impl<const MIN: i32, const MAX: i32> From<Int<MIN, MAX>> for f64 {
    fn from(value: Int<MIN, MAX>) -> f64 {
        value.0 as f64
    }
}

impl<const MIN: i32, const MAX: i32> fmt::Debug for Int<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const MIN: i32, const MAX: i32> fmt::Display for Int<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
