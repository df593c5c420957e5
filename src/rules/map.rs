//! The space of a room: its size, its static shapes, and how far a body may stand in it.
//!
//! A `Map` is constant data of a game. Lengths in metres. A body's z is the height of its centre above the ground, 0 when
//! it stands there, and at most the map's depth; ground and ceiling stop the centre, the edges and shapes the body's disc
//! or sphere. On a flat map the depth is 0, so all is at z = 0. Absent: bodies; they meet in `touch`.

use crate::limits::{MAP_DEPTH_METRES_MAX, MAP_HALF_METRES_MAX, SHAPES_MAX};
use crate::rules::exact::{at_least, at_most, clamp};
pub use crate::rules::shape::Shape;
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;

/// A map around the origin: x from -width/2 to width/2, y likewise, z from 0 to its depth, with static shapes in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Map {
    /// Half the width and half the height, metres.
    pub half: Vec2,
    /// How high bodies may rise, metres; 0 on a flat map.
    pub depth: f64,
    pub shapes: &'static [Shape],
    /// How the ground is drawn, such as `grid #1b2330`.
    pub ground: &'static str,
}

impl Map {
    /// An empty map of `width` by `height` metres.
    ///
    /// # Panics
    /// When a side is zero or wider than the limit: at compile time, in the constant a game declares.
    #[must_use]
    pub const fn flat(width: u32, height: u32) -> Map {
        let side_max = 2 * MAP_HALF_METRES_MAX;
        assert!(width > 0 && height > 0, "a map has an extent");
        assert!(width <= side_max && height <= side_max, "a map is at most 32,768 m wide");
        let half = Vec2::new(width as f64 / 2.0, height as f64 / 2.0);
        Map { half, depth: 0.0, shapes: &[], ground: "grid #1b2330" }
    }

    /// An empty map of `width` by `height` metres in which bodies may rise to `depth` metres.
    ///
    /// # Panics
    /// When a side is zero or beyond the limit: at compile time, in the constant a game declares.
    #[must_use]
    pub const fn deep(width: u32, height: u32, depth: u32) -> Map {
        assert!(depth > 0 && depth <= MAP_DEPTH_METRES_MAX, "a map with height is 1 to 16,384 m high");
        let mut map = Map::flat(width, height);
        map.depth = depth as f64;
        map
    }

    /// Puts static shapes on the map.
    ///
    /// # Panics
    /// When there are more than the limit, or one is not sound (`Shape::is_sound`): at compile time.
    #[must_use]
    pub const fn shapes(mut self, shapes: &'static [Shape]) -> Map {
        assert!(shapes.len() <= SHAPES_MAX, "a map has at most 1,024 shapes");
        let mut i = 0;
        while i < shapes.len() {
            assert!(
                shapes[i].is_sound(),
                "a shape has finite numbers and no size below 0; a polygon has 3 to 16 corners, convex and counter-clockwise"
            );
            i += 1;
        }
        self.shapes = shapes;
        self
    }

    /// How the ground is drawn.
    #[must_use]
    pub const fn ground(mut self, ground: &'static str) -> Map {
        self.ground = ground;
        self
    }

    /// The nearest point to `at` where a disc lies within the edge; the middle of an axis too narrow for it.
    #[must_use]
    pub fn within(&self, at: Vec2, radius: f64) -> Vec2 {
        let axis = |v: f64, half: f64| {
            let room = at_least(half - radius, 0.0);
            clamp(v, -room, room)
        };
        Vec2::new(axis(at.x, self.half.x), axis(at.y, self.half.y))
    }

    /// The same in space: the nearest point where a body lies within the edge, and between ground and ceiling.
    #[must_use]
    pub fn within3(&self, at: Vec3, radius: f64) -> Vec3 {
        Vec3::above(self.within(at.flat(), radius), clamp(at.z, 0.0, at_least(self.depth, 0.0)))
    }

    /// Whether the straight line between two points meets no shape.
    #[must_use]
    pub fn is_open(&self, from: impl Into<Vec3>, to: impl Into<Vec3>) -> bool {
        let (from, to) = (from.into(), to.into());
        !self.shapes.iter().any(|shape| shape.meets(from, to))
    }

    /// Whether a body at `at` lies within the edge and clear of every shape.
    #[must_use]
    pub fn is_clear(&self, at: impl Into<Vec3>, radius: f64) -> bool {
        let at = at.into();
        self.within3(at, radius) == at
            && self.shapes.iter().all(|shape| shape.push_aside(at, radius).is_none())
    }

    /// Metres from a point to the nearest shape; 0 inside one.
    #[must_use]
    pub fn clearance(&self, at: Vec3) -> f64 {
        self.shapes.iter().fold(f64::INFINITY, |least, shape| at_most(shape.distance(at), least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: Map =
        Map::flat(20, 20).shapes(&[Shape::block(5.0, 0.0, 2.0, 4.0), Shape::disc(-5.0, 0.0, 1.0)]);

    #[test]
    fn a_line_is_open_unless_a_shape_lies_on_it() {
        let open = |a: (f64, f64), b: (f64, f64)| MAP.is_open(Vec2::new(a.0, a.1), Vec2::new(b.0, b.1));
        assert!(!open((0.0, 0.0), (9.0, 0.0)));
        assert!(!open((5.0, -5.0), (5.0, 5.0)));
        assert!(open((0.0, 3.0), (9.0, 3.0)));
        assert!(open((0.0, 0.0), (3.0, 0.0)), "the box begins where the line has ended");
        assert!(!open((-9.0, 0.5), (0.0, 0.5)));
        assert!(open((-9.0, 1.5), (0.0, 1.5)));
        assert!(open((0.0, 0.0), (0.0, 0.0)));
    }

    #[test]
    fn a_push_out_ends_the_overlap_from_anywhere_inside() {
        for i in 0..400 {
            let at = Vec2::new(3.2 + f64::from(i % 20) * 0.18, -2.9 + f64::from(i / 20) * 0.29);
            for shape in MAP.shapes {
                if let Some(push) = shape.push_out(at, 0.5) {
                    assert!(shape.push_out(at + push * 1.000_001, 0.5).is_none(), "{at:?} {push:?}");
                }
            }
        }
        assert!(MAP.shapes[1].push_out(Vec2::new(-5.0, 0.0), 0.5).is_some(), "dead centre has a way out");
    }

    #[test]
    fn a_map_with_height_has_a_ground_and_a_ceiling() {
        const DEEP: Map = Map::deep(20, 10, 4).shapes(&[
            Shape::cuboid(Vec3::new(0.0, 0.0, 1.0), Vec3::new(2.0, 2.0, 2.0)),
            Shape::disc(5.0, 0.0, 1.0),
        ]);
        assert_eq!(DEEP.within3(Vec3::new(99.0, -99.0, 99.0), 0.5), Vec3::new(9.5, -4.5, 4.0));
        assert_eq!(DEEP.within3(Vec3::new(0.0, 0.0, -1.0), 0.5), Vec3::ZERO);
        assert_eq!(MAP.within3(Vec3::new(1.0, 1.0, 1.0), 0.5).z, 0.0, "a flat map has no height");
        assert!(!DEEP.is_clear(Vec2::new(1.2, 0.0), 0.5));
        assert!(DEEP.is_clear(Vec3::new(1.2, 0.0, 2.6), 0.5), "above the block");
        assert!(!DEEP.is_clear(Vec3::new(5.0, 0.0, 3.9), 0.5), "a disc has no top");
        assert!(DEEP.is_open(Vec3::new(-3.0, 0.0, 2.5), Vec3::new(3.0, 0.0, 2.5)));
        assert!(!DEEP.is_open(Vec2::new(-3.0, 0.0), Vec2::new(3.0, 0.0)));
    }
}
