//! Straight lines through a map: where one first meets a shape or a sphere.
//!
//! A part of a line is from 0 at its start to 1 at its end. A line that starts inside meets at 0. Lines whose ends are
//! no numbers meet nothing, and nothing is met beyond `RAY_METRES_MAX`.

use crate::limits::RAY_METRES_MAX;
use crate::rules::map::Map;
use crate::rules::polygon;
use crate::rules::shape::Shape;
use crate::rules::vec3::Vec3;

/// Where a ray ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Metres.
    pub at: Vec3,
    /// How much of the ray's length lies before it, 0 to 1.
    pub part: f64,
    /// The shape, by its place in the map's list.
    pub shape: usize,
}

impl Map {
    /// The first shape on the straight line between two points; of two at the same place the earlier in the list.
    #[must_use]
    pub fn ray(&self, from: impl Into<Vec3>, to: impl Into<Vec3>) -> Option<RayHit> {
        let from = from.into();
        let (end, share) = bounded(from, to.into())?;
        let mut first: Option<(f64, usize)> = None;
        for (index, shape) in self.shapes.iter().enumerate() {
            if let Some(part) =
                shape.entry(from, end).filter(|part| first.is_none_or(|(best, _)| *part < best))
            {
                first = Some((part, index));
            }
        }
        first.map(|(part, shape)| RayHit { at: from + (end - from) * part, part: part * share, shape })
    }
}

/// The part of the straight line between two points at which it first meets a sphere; in the plane a disc.
#[must_use]
pub fn ray_sphere(from: Vec3, to: Vec3, centre: Vec3, radius: f64) -> Option<f64> {
    let (end, share) = bounded(from, to)?;
    into_sphere(from, end, centre, radius).map(|part| part * share)
}

impl Shape {
    /// The part of the straight line between two points at which it first meets the shape.
    #[must_use]
    pub fn entry(&self, from: Vec3, to: Vec3) -> Option<f64> {
        match *self {
            Shape::Disc { centre, radius } => {
                into_sphere(from.flat().into(), to.flat().into(), centre.into(), radius)
            }
            Shape::Sphere { centre, radius } => into_sphere(from, to, centre, radius),
            Shape::Polygon(points) => polygon::entry(points, from.flat(), to.flat()),
            Shape::Box { centre, half } => {
                let (way, from) = (to - from, from.flat() - centre);
                let part = slab(from.x, way.x, half.x, (0.0, 1.0))?;
                slab(from.y, way.y, half.y, part).map(|part| part.0)
            }
            Shape::Block { centre, half } => {
                let (way, from) = (to - from, from - centre);
                let part = slab(from.x, way.x, half.x, (0.0, 1.0))?;
                let part = slab(from.y, way.y, half.y, part)?;
                slab(from.z, way.z, half.z, part).map(|part| part.0)
            }
        }
    }
}

/// The end of a ray cut to the longest there is, and what share of the whole that is: squares of more would overflow.
fn bounded(from: Vec3, to: Vec3) -> Option<(Vec3, f64)> {
    // Half of each, since their difference may be no number.
    let half = to * 0.5 - from * 0.5;
    let cut = half.cut(RAY_METRES_MAX * 0.5);
    let near = from.cut(RAY_METRES_MAX) == from;
    if !half.is_finite() || !near {
        return None;
    }
    let share = if cut == half { 1.0 } else { longest(cut) / longest(half) };
    Some(if share < 1.0 { (from + cut * 2.0, share) } else { (to, 1.0) })
}

fn longest(v: Vec3) -> f64 {
    v.x.abs().max(v.y.abs()).max(v.z.abs())
}

fn into_sphere(from: Vec3, to: Vec3, centre: Vec3, radius: f64) -> Option<f64> {
    let way = to - from;
    let square = way.dot(way).max(f64::MIN_POSITIVE);
    let along = way.dot(centre - from) / square;
    let meets = (from + way * along.clamp(0.0, 1.0)).distance(centre) < radius;
    if !meets {
        return None;
    }
    if from.distance(centre) < radius {
        return Some(0.0);
    }
    // Half a chord before the point of the line that is nearest to the centre.
    let off = (from + way * along).distance(centre);
    let half = libm::sqrt((radius * radius - off * off).max(0.0) / square);
    Some((along - half).clamp(0.0, 1.0))
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
