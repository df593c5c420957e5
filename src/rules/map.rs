//! The ground of a room: its size, its static shapes, and how far a disc may stand in it.
//!
//! A `Map` is constant data of a game. Lengths in metres. Absent: bodies; they meet in `touch`.

use crate::limits::{MAP_HALF_METRES_MAX, SHAPES_MAX};
use crate::rules::vec2::Vec2;

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

    /// The way out for a disc at `at`: the shortest push that ends the overlap, if there is one.
    #[must_use]
    pub fn push_out(&self, at: Vec2, radius: f64) -> Option<Vec2> {
        match *self {
            Shape::Disc { centre, radius: own } => out_of_disc(at - centre, own + radius),
            Shape::Box { centre, half } => out_of_box(at - centre, half, radius),
        }
    }

    /// Whether the straight line between two points meets it.
    #[must_use]
    pub fn meets(&self, from: Vec2, to: Vec2) -> bool {
        let way = to - from;
        match *self {
            Shape::Disc { centre, radius } => {
                let along = way.dot(centre - from) / way.dot(way).max(f64::MIN_POSITIVE);
                (from + way * along.clamp(0.0, 1.0)).distance(centre) < radius
            }
            Shape::Box { centre, half } => {
                let from = from - centre;
                slab(from.x, way.x, half.x, (0.0, 1.0))
                    .and_then(|part| slab(from.y, way.y, half.y, part))
                    .is_some()
            }
        }
    }
}

/// The part of the line from `from` along `way` (0 to 1) that lies in a slab around 0 on one axis.
fn slab(from: f64, way: f64, half: f64, part: (f64, f64)) -> Option<(f64, f64)> {
    if way == 0.0 {
        return (from.abs() <= half).then_some(part);
    }
    let (a, b) = ((-half - from) / way, (half - from) / way);
    let (enter, leave) = (part.0.max(a.min(b)), part.1.min(a.max(b)));
    (enter <= leave).then_some((enter, leave))
}

fn out_of_disc(from_centre: Vec2, reach: f64) -> Option<Vec2> {
    let distance = from_centre.length();
    if distance >= reach {
        return None;
    }
    // Dead centre has no nearest way out; +x is as good as any and the same everywhere.
    let way = if distance > 0.0 { from_centre.unit() } else { Vec2::new(1.0, 0.0) };
    Some(way * (reach - distance))
}

fn out_of_box(from_centre: Vec2, half: Vec2, radius: f64) -> Option<Vec2> {
    let near = Vec2::new(from_centre.x.clamp(-half.x, half.x), from_centre.y.clamp(-half.y, half.y));
    if near != from_centre {
        return out_of_disc(from_centre - near, radius);
    }
    // The centre lies inside: out by the nearest side.
    let (right, top) = (half.x - from_centre.x.abs(), half.y - from_centre.y.abs());
    let sign = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
    Some(if right <= top {
        Vec2::new(sign(from_centre.x) * (right + radius), 0.0)
    } else {
        Vec2::new(0.0, sign(from_centre.y) * (top + radius))
    })
}

/// A flat map around the origin: x from -width/2 to width/2, y likewise, with static shapes on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Map {
    /// Half the width and half the height, metres.
    pub half: Vec2,
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
        Map { half: Vec2::new(width as f64 / 2.0, height as f64 / 2.0), shapes: &[], ground: "grid #1b2330" }
    }

    /// Puts static shapes on the map.
    ///
    /// # Panics
    /// When there are more than the limit: at compile time.
    #[must_use]
    pub const fn shapes(mut self, shapes: &'static [Shape]) -> Map {
        assert!(shapes.len() <= SHAPES_MAX, "a map has at most 1,024 shapes");
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
            let room = (half - radius).max(0.0);
            v.clamp(-room, room)
        };
        Vec2::new(axis(at.x, self.half.x), axis(at.y, self.half.y))
    }

    /// Whether the straight line between two points meets no shape.
    #[must_use]
    pub fn is_open(&self, from: Vec2, to: Vec2) -> bool {
        !self.shapes.iter().any(|shape| shape.meets(from, to))
    }

    /// Whether a disc at `at` lies within the edge and clear of every shape.
    #[must_use]
    pub fn is_clear(&self, at: Vec2, radius: f64) -> bool {
        self.within(at, radius) == at && self.shapes.iter().all(|shape| shape.push_out(at, radius).is_none())
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
}
