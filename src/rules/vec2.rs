//! Plane vectors, in metres unless said otherwise. `f64` with exact operations only, so every target agrees.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use crate::rules::exact::root;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec2 {
    pub x: f64,
    pub y: f64,
}

impl Vec2 {
    pub const ZERO: Vec2 = Vec2 { x: 0.0, y: 0.0 };

    #[must_use]
    pub const fn new(x: f64, y: f64) -> Vec2 {
        Vec2 { x, y }
    }

    /// The unit vector at `radians` from +x, counter-clockwise.
    #[must_use]
    pub fn at_angle(radians: f64) -> Vec2 {
        Vec2::new(libm::cos(radians), libm::sin(radians))
    }

    /// Radians from +x counter-clockwise, -π to π; 0 for the zero vector.
    #[must_use]
    pub fn angle(self) -> f64 {
        libm::atan2(self.y, self.x)
    }

    #[must_use]
    pub fn dot(self, other: Vec2) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// The z of the cross product: above 0 when `other` lies to the left of it.
    #[must_use]
    pub fn cross(self, other: Vec2) -> f64 {
        self.x * other.y - self.y * other.x
    }

    #[must_use]
    pub fn length(self) -> f64 {
        root(self.dot(self))
    }

    #[must_use]
    pub fn distance(self, other: Vec2) -> f64 {
        (self - other).length()
    }

    /// The same direction with length 1; zero stays zero.
    #[must_use]
    pub fn unit(self) -> Vec2 {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { Vec2::ZERO }
    }

    #[must_use]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl Add for Vec2 {
    type Output = Vec2;
    fn add(self, other: Vec2) -> Vec2 {
        Vec2::new(self.x + other.x, self.y + other.y)
    }
}

impl AddAssign for Vec2 {
    fn add_assign(&mut self, other: Vec2) {
        *self = *self + other;
    }
}

impl Sub for Vec2 {
    type Output = Vec2;
    fn sub(self, other: Vec2) -> Vec2 {
        Vec2::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Vec2 {
    type Output = Vec2;
    fn mul(self, by: f64) -> Vec2 {
        Vec2::new(self.x * by, self.y * by)
    }
}

impl Neg for Vec2 {
    type Output = Vec2;
    fn neg(self) -> Vec2 {
        Vec2::new(-self.x, -self.y)
    }
}
