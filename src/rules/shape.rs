//! The static shapes of a map, and the way out of them for a body.
//!
//! Boxes, discs and polygons lie in the plane; in a map with height they are prisms without end. Blocks and spheres have
//! a height of their own. A body is a disc, or in space a sphere around the same centre. Lengths in metres.

use crate::limits::MAP_HALF_METRES_MAX;
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
                out_of_box(flat - centre.flat(), half.flat(), slice(radius, above.max(0.0))?)
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
            Shape::Disc { centre, radius } => (at.flat().distance(centre) - radius).max(0.0),
            Shape::Box { centre, half } => {
                let from = at.flat() - centre;
                (from - nearest_in(from.into(), half.into()).flat()).length()
            }
            Shape::Polygon(points) => polygon::outside(points, at.flat(), f64::INFINITY)
                .map_or(f64::INFINITY, |(out, _)| out.max(0.0)),
            Shape::Block { centre, half } => (at - centre).distance(nearest_in(at - centre, half)),
            Shape::Sphere { centre, radius } => (at.distance(centre) - radius).max(0.0),
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
    (from_centre < radius).then(|| libm::sqrt(radius * radius - from_centre * from_centre))
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

fn out_of_sphere(from_centre: Vec3, reach: f64) -> Option<Vec3> {
    let distance = from_centre.length();
    if distance >= reach {
        return None;
    }
    let way = if distance > 0.0 { from_centre.unit() } else { Vec3::new(1.0, 0.0, 0.0) };
    Some(way * (reach - distance))
}

fn out_of_box(from_centre: Vec2, half: Vec2, radius: f64) -> Option<Vec2> {
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
    let axis = |v: f64, half: f64| v.clamp(-half.max(0.0), half.max(0.0));
    Vec3::new(axis(at.x, half.x), axis(at.y, half.y), axis(at.z, half.z))
}

fn sign(v: f64) -> f64 {
    if v < 0.0 { -1.0 } else { 1.0 }
}
