//! Straight lines through a map: where one first meets a shape or a sphere.
//!
//! A part of a line is from 0 at its start to 1 at its end. A line that starts inside meets at 0. Lines whose ends are
//! no numbers meet nothing, and nothing is met beyond `RAY_METRES_MAX`.

use crate::limits::RAY_METRES_MAX;
use crate::rules::exact::{at_least, at_most, clamp, root};
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

/// The straight line between two points, for holding against many spheres.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    from: Vec3,
    /// Its end, no farther than there is anything, and what share of the whole lies before that.
    end: Vec3,
    share: f64,
}

impl Line {
    /// None when the ends are no numbers: such a line meets nothing.
    #[must_use]
    pub fn new(from: Vec3, to: Vec3) -> Option<Line> {
        bounded(from, to).map(|(end, share)| Line { from, end, share })
    }

    /// The part of the line at which it first meets a sphere; in the plane a disc.
    #[must_use]
    pub fn sphere(&self, centre: Vec3, radius: f64) -> Option<f64> {
        into_sphere(self.from, self.end, centre, radius).map(|part| part * self.share)
    }
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
    at_least(at_least(v.x.abs(), v.y.abs()), v.z.abs())
}

fn into_sphere(from: Vec3, to: Vec3, centre: Vec3, radius: f64) -> Option<f64> {
    let way = to - from;
    let square = at_least(way.dot(way), f64::MIN_POSITIVE);
    let along = way.dot(centre - from) / square;
    let meets = (from + way * clamp(along, 0.0, 1.0)).distance(centre) < radius;
    if !meets {
        return None;
    }
    if from.distance(centre) < radius {
        return Some(0.0);
    }
    // Half a chord before the point of the line that is nearest to the centre.
    let off = (from + way * along).distance(centre);
    let half = root(at_least(radius * radius - off * off, 0.0) / square);
    Some(clamp(along - half, 0.0, 1.0))
}

/// The part of the line from `from` along `way` (0 to 1) that lies in a slab around 0 on one axis.
fn slab(from: f64, way: f64, half: f64, part: (f64, f64)) -> Option<(f64, f64)> {
    if way == 0.0 {
        return (from.abs() <= half).then_some(part);
    }
    let (a, b) = ((-half - from) / way, (half - from) / way);
    let (enter, leave) = (at_least(at_most(a, b), part.0), at_most(at_least(a, b), part.1));
    (enter <= leave).then_some((enter, leave))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::shape::tests::{places, shapes, wild};

    fn ray_sphere(from: Vec3, to: Vec3, centre: Vec3, radius: f64) -> Option<f64> {
        Line::new(from, to)?.sphere(centre, radius)
    }

    fn map(shapes: Vec<Shape>) -> Map {
        Map { shapes: shapes.leak(), ..Map::deep(20, 20, 6) }
    }

    proptest! {
        /// A point every 2 mm: the first inside a shape is where the ray ends, and none is when it does not.
        #[test]
        fn a_ray_ends_where_a_fine_search_finds_a_shape_first(
            list in prop::collection::vec(shapes(), 1..6), from in places(), to in places(),
        ) {
            let map = map(list);
            let parts = (from.distance(to) * 500.0).max(1.0) as u32;
            let inside = |i: u32| map.clearance(from + (to - from) * (f64::from(i) / f64::from(parts))) < 1e-9;
            let first = (0..=parts).find(|i| inside(*i)).map(|i| f64::from(i) / f64::from(parts));
            let hit = map.ray(from, to);
            let reach = hit.map_or(1.0, |hit| hit.part);
            // A search may step over a corner; a ray may not end late, nor where nothing is.
            prop_assert!(first.is_none_or(|first| reach <= first + 1e-6), "{:?} {:?}", hit, first);
            if let Some(hit) = hit {
                prop_assert!(map.shapes[hit.shape].distance(hit.at) < 1e-6, "{:?}", hit);
                prop_assert!(hit.at.distance(from + (to - from) * hit.part) < 1e-9);
                prop_assert!(map.ray(from, from + (to - from) * (hit.part - 1e-3)).is_none() || hit.part < 2e-3);
            }
            prop_assert_eq!(hit.is_none(), map.is_open(from, to));
        }

        #[test]
        fn a_ray_meets_a_sphere_as_it_meets_the_shape(
            from in places(), to in places(), centre in places(), radius in 0.01..3.0f64,
        ) {
            let map = map(vec![Shape::sphere(centre, radius)]);
            prop_assert_eq!(ray_sphere(from, to, centre, radius), map.ray(from, to).map(|hit| hit.part));
        }

        /// F18
        #[test]
        fn a_ray_of_wild_numbers_meets_nothing_or_a_place_on_its_way(
            shape in shapes(), n in prop::array::uniform7(wild()),
        ) {
            let [x, y, z, a, b, c, radius] = n;
            let (from, to) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
            let hit = map(vec![shape]).ray(from, to);
            prop_assert!(hit.is_none_or(|hit| hit.at.is_finite() && (0.0..=1.0).contains(&hit.part)), "{:?}", hit);
            let part = ray_sphere(from, to, Vec3::new(c, z, a), radius);
            prop_assert!(part.is_none_or(|part| (0.0..=1.0).contains(&part)), "{:?}", part);
        }
    }

    #[test]
    fn the_first_shape_on_the_way_is_met_where_its_surface_is() {
        let map = map(vec![
            Shape::disc(6.0, 0.0, 1.0),
            Shape::sphere(Vec3::new(0.0, 0.0, 1.0), 1.0),
            Shape::cuboid(Vec3::new(-5.0, 0.0, 1.0), Vec3::new(2.0, 2.0, 2.0)),
        ]);
        let ray = |from: Vec3, to: Vec3| map.ray(from, to).map(|hit| (hit.at, hit.shape));
        let far = Vec3::new(1e300, 0.0, 0.0);
        assert_eq!(ray(Vec3::new(2.0, 0.0, 0.0), far), Some((Vec3::new(5.0, 0.0, 0.0), 0)));
        assert_eq!(ray(Vec3::new(-3.0, 0.0, 1.0), far), Some((Vec3::new(-1.0, 0.0, 1.0), 1)));
        assert_eq!(
            ray(Vec3::new(-3.0, 0.0, 2.5), far),
            Some((Vec3::new(5.0, 0.0, 2.5), 0)),
            "over the sphere"
        );
        let down = ray(Vec3::new(-5.0, 0.5, 6.0), Vec3::new(-5.0, 0.5, 0.0));
        assert_eq!(down, Some((Vec3::new(-5.0, 0.5, 2.0), 2)));
        assert_eq!(ray(Vec3::new(-5.0, 0.0, 1.0), far).map(|hit| hit.0.x), Some(-5.0), "from inside");
    }
}
