//! The static shapes of a map, and the way out of them for a body.
//!
//! Boxes, discs and polygons lie in the plane; in a map with height they are prisms without end. Blocks and spheres have
//! a height of their own. A body is a disc, or in space a sphere around the same centre. Lengths in metres.

use crate::limits::MAP_HALF_METRES_MAX;
use crate::rules::exact::{at_least, clamp, root};
use crate::rules::polygon;
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;

/// A static obstacle, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Centre and half-extents along the axes.
    Box {
        centre: Vec2,
        half: Vec2,
    },
    Disc {
        centre: Vec2,
        radius: f64,
    },
    /// The corners of a convex polygon, counter-clockwise.
    Polygon(&'static [Vec2]),
    /// A box with a bottom and a top: centre and half-extents along the three axes.
    Block {
        centre: Vec3,
        half: Vec3,
    },
    Sphere {
        centre: Vec3,
        radius: f64,
    },
}

impl Shape {
    /// A box around (x, y), `width` by `height`.
    #[must_use]
    pub const fn block(x: f64, y: f64, width: f64, height: f64) -> Shape {
        Shape::Box { centre: Vec2::new(x, y), half: Vec2::new(width / 2.0, height / 2.0) }
    }

    /// A disc around (x, y).
    #[must_use]
    pub const fn disc(x: f64, y: f64, radius: f64) -> Shape {
        Shape::Disc { centre: Vec2::new(x, y), radius }
    }

    /// A polygon of these corners.
    ///
    /// # Panics
    /// At compile time, in the constant a game declares, when the corners are not 3 to 16, at least 2 mm apart, convex
    /// and counter-clockwise.
    #[must_use]
    pub const fn polygon(corners: &'static [Vec2]) -> Shape {
        assert!(
            polygon::is_convex(corners),
            "a polygon has 3 to 16 corners, convex and counter-clockwise; split one with a dent into several"
        );
        Shape::Polygon(corners)
    }

    /// A block in space: its centre, and its size along the three axes.
    #[must_use]
    pub const fn cuboid(centre: Vec3, size: Vec3) -> Shape {
        Shape::Block { centre, half: Vec3::new(size.x / 2.0, size.y / 2.0, size.z / 2.0) }
    }

    /// A sphere in space.
    #[must_use]
    pub const fn sphere(centre: Vec3, radius: f64) -> Shape {
        Shape::Sphere { centre, radius }
    }

    /// Whether its numbers are finite, near a map, and of a body in the world: `Map::shapes` asserts it.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        match *self {
            Shape::Box { centre, half } => {
                is_near(centre.x) && is_near(centre.y) && is_size(half.x) && is_size(half.y)
            }
            Shape::Disc { centre, radius } => is_near(centre.x) && is_near(centre.y) && is_size(radius),
            Shape::Polygon(points) => polygon::is_convex(points),
            Shape::Block { centre, half } => {
                let sized = is_size(half.x) && is_size(half.y) && is_size(half.z);
                is_near(centre.x) && is_near(centre.y) && is_near(centre.z) && sized
            }
            Shape::Sphere { centre, radius } => {
                is_near(centre.x) && is_near(centre.y) && is_near(centre.z) && is_size(radius)
            }
        }
    }

    /// The way out in the plane for a disc on the ground: the shortest push that ends the overlap, if there is one.
    #[must_use]
    pub fn push_out(&self, at: Vec2, radius: f64) -> Option<Vec2> {
        self.push_aside(at.into(), radius)
    }

    /// The way out for a sphere that keeps its height.
    #[must_use]
    pub fn push_aside(&self, at: Vec3, radius: f64) -> Option<Vec2> {
        let flat = at.flat();
        match *self {
            Shape::Disc { centre, radius: own } => out_of_disc(flat - centre, own + radius),
            Shape::Box { centre, half } => out_of_box(flat - centre, half, radius),
            Shape::Polygon(points) => {
                polygon::outside(points, flat, radius).map(|(out, way)| way * (radius - out))
            }
            Shape::Block { centre, half } => {
                let above = (at.z - centre.z).abs() - half.z;
                out_of_box(flat - centre.flat(), half.flat(), slice(radius, at_least(above, 0.0))?)
            }
            Shape::Sphere { centre, radius: own } => {
                out_of_disc(flat - centre.flat(), slice(own + radius, (at.z - centre.z).abs())?)
            }
        }
    }

    /// The way out for a sphere that may go up and down: the shortest push that ends the overlap, if there is one.
    #[must_use]
    pub fn push_away(&self, at: Vec3, radius: f64) -> Option<Vec3> {
        match *self {
            Shape::Block { centre, half } => out_of_block(at - centre, half, radius),
            Shape::Sphere { centre, radius: own } => out_of_sphere(at - centre, own + radius),
            Shape::Box { .. } | Shape::Disc { .. } | Shape::Polygon(_) => {
                self.push_aside(at, radius).map(Vec3::from)
            }
        }
    }

    /// Metres from a point to its surface; 0 inside. On a straight line it falls, then rises: the shape is convex.
    #[must_use]
    pub fn distance(&self, at: Vec3) -> f64 {
        match *self {
            Shape::Disc { centre, radius } => at_least(at.flat().distance(centre) - radius, 0.0),
            Shape::Box { centre, half } => {
                let from = at.flat() - centre;
                (from - nearest_in(from.into(), half.into()).flat()).length()
            }
            Shape::Polygon(points) => polygon::outside(points, at.flat(), f64::INFINITY)
                .map_or(f64::INFINITY, |(out, _)| at_least(out, 0.0)),
            Shape::Block { centre, half } => (at - centre).distance(nearest_in(at - centre, half)),
            Shape::Sphere { centre, radius } => at_least(at.distance(centre) - radius, 0.0),
        }
    }

    /// Whether the straight line between two points meets it.
    #[must_use]
    pub fn meets(&self, from: impl Into<Vec3>, to: impl Into<Vec3>) -> bool {
        self.entry(from.into(), to.into()).is_some()
    }
}

const fn is_near(metres: f64) -> bool {
    let far = 2.0 * MAP_HALF_METRES_MAX as f64;
    metres >= -far && metres <= far
}

const fn is_size(metres: f64) -> bool {
    metres >= 0.0 && is_near(metres)
}

/// The radius of a sphere's cut so far from its centre, if there is one.
fn slice(radius: f64, from_centre: f64) -> Option<f64> {
    (from_centre < radius).then(|| root(radius * radius - from_centre * from_centre))
}

fn out_of_disc(from_centre: Vec2, reach: f64) -> Option<Vec2> {
    // Most shapes are far away; the root below is never less than either axis.
    if from_centre.x.abs() >= reach || from_centre.y.abs() >= reach {
        return None;
    }
    let distance = from_centre.length();
    if distance >= reach {
        return None;
    }
    // Dead centre has no nearest way out; +x is as good as any and the same everywhere.
    let way = if distance > 0.0 { from_centre.unit() } else { Vec2::new(1.0, 0.0) };
    Some(way * (reach - distance))
}

fn out_of_sphere(from_centre: Vec3, reach: f64) -> Option<Vec3> {
    let distance = from_centre.length();
    if distance >= reach {
        return None;
    }
    let way = if distance > 0.0 { from_centre.unit() } else { Vec3::new(1.0, 0.0, 0.0) };
    Some(way * (reach - distance))
}

fn out_of_box(from_centre: Vec2, half: Vec2, radius: f64) -> Option<Vec2> {
    if from_centre.x.abs() - half.x > radius || from_centre.y.abs() - half.y > radius {
        return None;
    }
    let near = nearest_in(from_centre.into(), half.into()).flat();
    if near != from_centre {
        return out_of_disc(from_centre - near, radius);
    }
    // The centre lies inside: out by the nearest side.
    let (right, top) = (half.x - from_centre.x.abs(), half.y - from_centre.y.abs());
    Some(if right <= top {
        Vec2::new(sign(from_centre.x) * (right + radius), 0.0)
    } else {
        Vec2::new(0.0, sign(from_centre.y) * (top + radius))
    })
}

fn out_of_block(from_centre: Vec3, half: Vec3, radius: f64) -> Option<Vec3> {
    let near = nearest_in(from_centre, half);
    if near != from_centre {
        return out_of_sphere(from_centre - near, radius);
    }
    let up = half.z - from_centre.z.abs();
    let aside = out_of_box(from_centre.flat(), half.flat(), radius);
    aside.filter(|push| push.length() <= up + radius).map(Vec3::from).or(Some(Vec3::new(
        0.0,
        0.0,
        sign(from_centre.z) * (up + radius),
    )))
}

/// The point of a box around 0 that is nearest to `at`.
fn nearest_in(at: Vec3, half: Vec3) -> Vec3 {
    let axis = |v: f64, half: f64| clamp(v, -at_least(half, 0.0), at_least(half, 0.0));
    Vec3::new(axis(at.x, half.x), axis(at.y, half.y), axis(at.z, half.z))
}

fn sign(v: f64) -> f64 {
    if v < 0.0 { -1.0 } else { 1.0 }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn at(x: f64, y: f64) -> Vec2 {
        Vec2::new(x, y)
    }

    /// A shape of each sort within 8 m of the middle.
    pub(crate) fn shapes() -> impl Strategy<Value = Shape> {
        let spot = || (-8.0..8.0f64, -8.0..8.0f64);
        let size = || 0.02..3.0f64;
        prop_oneof![
            (spot(), size(), size()).prop_map(|((x, y), w, h)| Shape::block(x, y, w, h)),
            (spot(), size()).prop_map(|((x, y), radius)| Shape::disc(x, y, radius)),
            (spot(), size(), 3..9u32, 0.0..6.0f64).prop_map(|((x, y), radius, corners, turn)| {
                let corner =
                    |i| Vec2::at_angle(turn + f64::from(i) / f64::from(corners) * std::f64::consts::TAU);
                let points: Vec<Vec2> = (0..corners).map(|i| at(x, y) + corner(i) * radius).collect();
                Shape::Polygon(points.leak())
            }),
            (spot(), 0.0..6.0f64, size(), size(), size())
                .prop_map(|((x, y), z, w, h, d)| Shape::cuboid(Vec3::new(x, y, z), Vec3::new(w, h, d))),
            (spot(), 0.0..6.0f64, size()).prop_map(|((x, y), z, r)| Shape::sphere(Vec3::new(x, y, z), r)),
        ]
    }

    pub(crate) fn places() -> impl Strategy<Value = Vec3> {
        (-9.0..9.0f64, -9.0..9.0f64, 0.0..6.0f64).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    /// Numbers nobody means.
    pub(crate) fn wild() -> impl Strategy<Value = f64> {
        const WILD: &[f64] =
            &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, f64::MAX, -0.0, 5e-324, 1e155];
        prop_oneof![prop::sample::select(WILD), any::<f64>(), -20.0..20.0f64]
    }

    proptest! {
        #[test]
        fn a_push_ends_the_overlap_and_there_is_none_without(
            shape in shapes(), at in places(), radius in 0.01..1.5f64,
        ) {
            prop_assert!(shape.is_sound());
            let gap = shape.distance(at) - radius;
            let aside = shape.push_aside(at, radius);
            let away = shape.push_away(at, radius);
            prop_assert_eq!(aside.is_some(), away.is_some());
            if gap.abs() > 1e-9 {
                prop_assert_eq!(aside.is_some(), gap < 0.0);
            }
            for push in aside.map(Vec3::from).into_iter().chain(away) {
                prop_assert!((shape.distance(at + push) - radius).abs() < 1e-6, "{:?}", push);
            }
            if let (Some(aside), Some(away)) = (aside, away) {
                prop_assert!(away.length() <= aside.length() + 1e-9, "the free way is the shorter");
                prop_assert!(gap < -radius + 1e-9 || (away.length() + gap).abs() < 1e-9, "no longer than it need be");
            }
        }

        #[test]
        fn the_distance_falls_then_rises_along_a_line(shape in shapes(), from in places(), to in places()) {
            let ends = (shape.distance(from), shape.distance(to));
            for i in 0..=20 {
                let part = f64::from(i) / 20.0;
                let chord = ends.0 + (ends.1 - ends.0) * part;
                prop_assert!(shape.distance(from + (to - from) * part) <= chord + 1e-9);
            }
        }

        /// F18
        #[test]
        fn wild_numbers_are_survived(shape in shapes(), n in prop::array::uniform7(wild())) {
            let [x, y, z, radius, a, b, c] = n;
            let _ = shape.push_out(at(x, y), radius);
            let _ = shape.push_away(Vec3::new(x, y, z), radius);
            let _ = (shape.distance(Vec3::new(x, y, z)), shape.meets(Vec3::new(x, y, z), Vec3::new(a, b, c)));
            let wrong = [
                Shape::block(x, y, a, b),
                Shape::disc(x, y, radius),
                Shape::cuboid(Vec3::new(x, y, z), Vec3::new(a, b, c)),
                Shape::sphere(Vec3::new(x, y, z), radius),
                Shape::Polygon(&[]),
            ];
            for shape in wrong {
                let _ = (shape.push_away(Vec3::ZERO, 0.5), shape.distance(Vec3::ZERO), shape.meets(at(a, b), at(x, y)));
                let numbers = [x, y];
                prop_assert!(!shape.is_sound() || numbers.iter().all(|n| n.abs() <= 32_768.0));
            }
        }
    }

    #[test]
    fn dead_centre_has_a_way_out() {
        for shape in [
            Shape::disc(1.0, 1.0, 1.0),
            Shape::block(1.0, 1.0, 2.0, 2.0),
            Shape::polygon(const { &[at(0.0, 0.0), at(2.0, 0.0), at(2.0, 2.0), at(0.0, 2.0)] }),
            Shape::sphere(Vec3::new(1.0, 1.0, 0.0), 1.0),
        ] {
            let push = shape.push_out(at(1.0, 1.0), 0.5).expect("it overlaps");
            assert_eq!(push.length(), 1.5, "{shape:?}");
        }
    }

    #[test]
    fn a_block_is_gone_round_or_over() {
        let block = Shape::cuboid(Vec3::new(0.0, 0.0, 1.0), Vec3::new(4.0, 4.0, 2.0));
        let top = Vec3::new(0.5, 0.0, 2.25);
        assert_eq!(block.push_away(top, 0.5), Some(Vec3::new(0.0, 0.0, 0.25)));
        let aside = block.push_aside(top, 0.5).expect("it dips in");
        assert!(aside.y == 0.0 && aside.x > 1.5 && aside.x < 2.0, "{aside:?}");
        assert_eq!(block.push_aside(Vec3::new(0.0, 0.0, 2.5), 0.5), None, "it lies on top");
    }

    /// The bits of 20,000 pushes and lines, the same on every target and in every release.
    #[test]
    fn pushes_and_lines_have_the_same_bits_for_ever() {
        let shapes = [Shape::block(1.0, -0.5, 3.0, 2.0), Shape::disc(-2.0, 1.0, 1.5)];
        let mut rng = crate::rules::rng::Rng::new(11);
        let mut spot = || Vec2::new(rng.unit() * 10.0 - 5.0, rng.unit() * 10.0 - 5.0);
        let mut bytes: Vec<u8> = Vec::new();
        for _ in 0..20_000 {
            let (from, to) = (spot(), spot());
            for shape in &shapes {
                let push = shape.push_out(from, 0.7).unwrap_or(Vec2::ZERO);
                bytes.extend([push.x, push.y].map(f64::to_bits).map(u64::to_le_bytes).concat());
                bytes.push(u8::from(shape.meets(from, to)));
            }
        }
        assert_eq!(xxhash_rust::xxh64::xxh64(&bytes, 0), 0x29e3_9cf2_ec3c_1d4e);
    }
}
