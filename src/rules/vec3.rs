//! Vectors in space, in metres unless said otherwise: x and y in the plane, z up. `f64` with exact operations only, so
//! every target agrees.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use crate::rules::exact::{at_least, root};
use crate::rules::vec2::Vec2;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

impl Vec3 {
    pub const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };

    #[must_use]
    pub const fn new(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3 { x, y, z }
    }

    /// The point above a point of the plane.
    #[must_use]
    pub const fn above(at: Vec2, z: f64) -> Vec3 {
        Vec3 { x: at.x, y: at.y, z }
    }

    /// Its part in the plane.
    #[must_use]
    pub const fn flat(self) -> Vec2 {
        Vec2::new(self.x, self.y)
    }

    #[must_use]
    pub fn dot(self, other: Vec3) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[must_use]
    pub fn length(self) -> f64 {
        root(self.dot(self))
    }

    #[must_use]
    pub fn distance(self, other: Vec3) -> f64 {
        (self - other).length()
    }

    /// The same direction with length 1; zero stays zero.
    #[must_use]
    pub fn unit(self) -> Vec3 {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { Vec3::ZERO }
    }

    /// The same direction, no longer than `length`. Cut along the longest axis first: the square of a wild number is
    /// infinite, and so would its length be.
    #[must_use]
    pub fn cut(self, length: f64) -> Vec3 {
        let longest = at_least(at_least(self.x.abs(), self.y.abs()), self.z.abs());
        let bounded = if longest > length { self * (length / longest) } else { self };
        let long = bounded.length();
        if long > length { bounded * (length / long) } else { bounded }
    }

    #[must_use]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl From<Vec2> for Vec3 {
    fn from(at: Vec2) -> Vec3 {
        Vec3::above(at, 0.0)
    }
}

impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        Vec3::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl AddAssign for Vec3 {
    fn add_assign(&mut self, other: Vec3) {
        *self = *self + other;
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, other: Vec3) -> Vec3 {
        Vec3::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f64> for Vec3 {
    type Output = Vec3;
    fn mul(self, by: f64) -> Vec3 {
        Vec3::new(self.x * by, self.y * by, self.z * by)
    }
}

impl Neg for Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        Vec3::new(-self.x, -self.y, -self.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_of_the_plane_is_a_point_at_height_0() {
        let at = Vec2::new(3.0, -4.0);
        assert_eq!(Vec3::from(at), Vec3::new(3.0, -4.0, 0.0));
        assert_eq!(Vec3::from(at).length().to_bits(), at.length().to_bits());
        assert_eq!(Vec3::above(at, 7.0).flat(), at);
    }

    /// F18
    #[test]
    fn a_wild_vector_is_cut_to_a_finite_length() {
        for wild in [1e308, f64::MAX, 1e200, -1e155] {
            let cut = Vec3::new(wild, wild, -wild).cut(5.0);
            assert!((cut.length() - 5.0).abs() < 1e-9, "{cut:?}");
        }
        let short = Vec3::new(1.0, 2.0, 2.0);
        assert_eq!(short.cut(3.0), short);
        assert_eq!(Vec3::ZERO.cut(0.0), Vec3::ZERO);
    }
}
