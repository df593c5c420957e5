//! `Vector` and `Angle`: a place or a way in the plane, and a direction.

use std::fmt;
use std::ops::{Add, AddAssign, Deref, DerefMut, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::rules::field::real::{fits_32_bits, steps_of};
use crate::rules::field::{Field, Fitted, take_word};
use crate::rules::input::angle_word;
use crate::rules::motion::to_radians;
use crate::rules::must::must;
use crate::rules::schema::FieldType;
use crate::rules::vec2::Vec2;

/// Two reals, each from `-MAX` to `MAX` in steps of `1 / PER_UNIT`. It has the parts and methods of a `Vec2`.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Vector<const MAX: i32, const PER_UNIT: i32>(Vec2);

impl<const MAX: i32, const PER_UNIT: i32> Vector<MAX, PER_UNIT> {
    const FITS: () = {
        must(MAX > 0 && PER_UNIT > 0, "a Vector needs a greatest value above 0, and steps");
        must(fits_32_bits(MAX, PER_UNIT), "a Vector has more steps than 32 bits hold");
    };

    /// The vector, as written.
    #[must_use]
    pub const fn get(self) -> Vec2 {
        self.0
    }

    pub fn set(&mut self, value: impl Into<Self>) {
        *self = value.into();
    }
}

impl<const MAX: i32, const PER_UNIT: i32> Field for Vector<MAX, PER_UNIT> {
    const TYPE: FieldType = {
        let () = Self::FITS;
        FieldType::Vector { max: MAX, per_unit: PER_UNIT }
    };
    fn put(&self, words: &mut Vec<i32>) {
        words.extend([self.0.x, self.0.y].map(|part| steps_of(part, -MAX, MAX, PER_UNIT)));
    }
    fn take(words: &mut &[i32]) -> Option<Self> {
        let mut part = || {
            let steps = take_word(words)?;
            let bounds = -MAX * PER_UNIT..=MAX * PER_UNIT;
            bounds.contains(&steps).then(|| f64::from(steps) / f64::from(PER_UNIT))
        };
        Some(Vector(Vec2::new(part()?, part()?)))
    }
    fn fit(&mut self) -> Option<Fitted> {
        let written = self.0;
        let fitted = |part| f64::from(steps_of(part, -MAX, MAX, PER_UNIT)) / f64::from(PER_UNIT);
        self.0 = Vec2::new(fitted(written.x), fitted(written.y));
        let bounds = f64::from(-MAX)..=f64::from(MAX);
        let fits = bounds.contains(&written.x) && bounds.contains(&written.y);
        let what = if written.x.is_nan() || written.y.is_nan() { "zeroed" } else { "clamped" };
        (!fits).then(|| Fitted::new(what, Vector::<MAX, PER_UNIT>(written)))
    }
}

impl<const MAX: i32, const PER_UNIT: i32> Deref for Vector<MAX, PER_UNIT> {
    type Target = Vec2;
    fn deref(&self) -> &Vec2 {
        &self.0
    }
}

impl<const MAX: i32, const PER_UNIT: i32> DerefMut for Vector<MAX, PER_UNIT> {
    fn deref_mut(&mut self) -> &mut Vec2 {
        &mut self.0
    }
}

impl<const MAX: i32, const PER_UNIT: i32> From<Vec2> for Vector<MAX, PER_UNIT> {
    fn from(value: Vec2) -> Self {
        Vector(value)
    }
}

impl<const MAX: i32, const PER_UNIT: i32> From<Vector<MAX, PER_UNIT>> for Vec2 {
    fn from(value: Vector<MAX, PER_UNIT>) -> Vec2 {
        value.0
    }
}

impl<const MAX: i32, const PER_UNIT: i32> AddAssign<Vec2> for Vector<MAX, PER_UNIT> {
    fn add_assign(&mut self, by: Vec2) {
        self.0 += by;
    }
}

impl<const MAX: i32, const PER_UNIT: i32> SubAssign<Vec2> for Vector<MAX, PER_UNIT> {
    fn sub_assign(&mut self, by: Vec2) {
        self.0 = self.0 - by;
    }
}

impl<const MAX: i32, const PER_UNIT: i32> MulAssign<f64> for Vector<MAX, PER_UNIT> {
    fn mul_assign(&mut self, by: f64) {
        self.0 = self.0 * by;
    }
}

impl<const MAX: i32, const PER_UNIT: i32> Add<Vec2> for Vector<MAX, PER_UNIT> {
    type Output = Vec2;
    fn add(self, by: Vec2) -> Vec2 {
        self.0 + by
    }
}

impl<const MAX: i32, const PER_UNIT: i32> Sub<Vec2> for Vector<MAX, PER_UNIT> {
    type Output = Vec2;
    fn sub(self, by: Vec2) -> Vec2 {
        self.0 - by
    }
}

impl<const MAX: i32, const PER_UNIT: i32> Mul<f64> for Vector<MAX, PER_UNIT> {
    type Output = Vec2;
    fn mul(self, by: f64) -> Vec2 {
        self.0 * by
    }
}

impl<const MAX: i32, const PER_UNIT: i32> Neg for Vector<MAX, PER_UNIT> {
    type Output = Vec2;
    fn neg(self) -> Vec2 {
        -self.0
    }
}

impl<const MAX: i32, const PER_UNIT: i32> PartialEq<Vec2> for Vector<MAX, PER_UNIT> {
    fn eq(&self, other: &Vec2) -> bool {
        self.0 == *other
    }
}

impl<const MAX: i32, const PER_UNIT: i32> fmt::Debug for Vector<MAX, PER_UNIT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const MAX: i32, const PER_UNIT: i32> fmt::Display for Vector<MAX, PER_UNIT> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.0.x, self.0.y)
    }
}

/// A direction, in radians from +x counter-clockwise; fitted, it is one of 65,536 from 0 up to a whole turn.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Angle(f64);

impl Angle {
    /// Radians, as written.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    pub fn set(&mut self, value: impl Into<Self>) {
        *self = value.into();
    }

    /// The unit vector that way.
    #[must_use]
    pub fn way(self) -> Vec2 {
        Vec2::at_angle(self.0)
    }
}

impl Field for Angle {
    const TYPE: FieldType = FieldType::Angle;
    fn put(&self, words: &mut Vec<i32>) {
        words.push(i32::from(angle_word(self.0)));
    }
    fn take(words: &mut &[i32]) -> Option<Angle> {
        u16::try_from(take_word(words)?).ok().map(|word| Angle(to_radians(word)))
    }
    fn fit(&mut self) -> Option<Fitted> {
        let written = self.0;
        // Any number of turns is a direction: nothing to note.
        self.0 = to_radians(angle_word(written));
        (!written.is_finite()).then(|| Fitted::new("zeroed", written))
    }
}

impl From<f64> for Angle {
    fn from(radians: f64) -> Angle {
        Angle(radians)
    }
}

impl From<Angle> for f64 {
    fn from(value: Angle) -> f64 {
        value.0
    }
}

impl AddAssign<f64> for Angle {
    fn add_assign(&mut self, by: f64) {
        self.0 += by;
    }
}

impl SubAssign<f64> for Angle {
    fn sub_assign(&mut self, by: f64) {
        self.0 -= by;
    }
}

impl Add<f64> for Angle {
    type Output = f64;
    fn add(self, by: f64) -> f64 {
        self.0 + by
    }
}

impl Sub<f64> for Angle {
    type Output = f64;
    fn sub(self, by: f64) -> f64 {
        self.0 - by
    }
}

impl PartialEq<f64> for Angle {
    fn eq(&self, other: &f64) -> bool {
        self.0 == *other
    }
}

impl PartialOrd<f64> for Angle {
    fn partial_cmp(&self, other: &f64) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(other)
    }
}

impl fmt::Debug for Angle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Angle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
