//! Convex polygons of the plane: their points run counter-clockwise, so the inside lies to the left of each side.
//!
//! Contract: `is_convex` held when the map was declared (`Map::shapes` asserts it), so no side here is without length.

use crate::limits::{MAP_HALF_METRES_MAX, POLYGON_POINTS_MAX, POSITION_STEPS_PER_METRE};
use crate::rules::exact::{at_least, at_most, clamp};
use crate::rules::vec2::Vec2;

/// Whether the points are 3 to `POLYGON_POINTS_MAX`, near a map, at least a step apart, and the corners of a convex
/// polygon in counter-clockwise order: each of them lies to the left of every side that it is no end of.
#[must_use]
pub const fn is_convex(points: &[Vec2]) -> bool {
    if points.len() < 3 || points.len() > POLYGON_POINTS_MAX {
        return false;
    }
    let far = 2.0 * MAP_HALF_METRES_MAX as f64;
    let step = 1.0 / POSITION_STEPS_PER_METRE as f64;
    let mut i = 0;
    while i < points.len() {
        let next = (i + 1) % points.len();
        let (a, b) = (points[i], points[next]);
        let (x, y) = (b.x - a.x, b.y - a.y);
        // Comparisons that are false of what is no number.
        let near = a.x >= -far && a.x <= far && a.y >= -far && a.y <= far;
        let long = x * x + y * y >= step * step;
        if !near || !long {
            return false;
        }
        let mut j = 0;
        while j < points.len() {
            let left = x * (points[j].y - a.y) - y * (points[j].x - a.x) > 0.0;
            if j != i && j != next && !left {
                return false;
            }
            j += 1;
        }
        i += 1;
    }
    true
}

/// How far a point lies outside, metres, below 0 inside, and the way out of there as a unit vector. None when that is
/// `reach` or more.
#[must_use]
pub fn outside(points: &[Vec2], at: Vec2, reach: f64) -> Option<(f64, Vec2)> {
    let mut side = (f64::NEG_INFINITY, Vec2::ZERO);
    for (from, along) in sides(points) {
        let normal = Vec2::new(along.y, -along.x).unit();
        let out = normal.dot(at - from);
        if out >= reach {
            return None;
        }
        if out > side.0 {
            side = (out, normal);
        }
    }
    if side.0 <= 0.0 {
        // Of a point that is no number no side says anything.
        return Some(side).filter(|(out, _)| out.is_finite());
    }
    let nearest = nearest_on_edge(points, at).unwrap_or(side);
    (nearest.0 < reach).then_some(nearest)
}

/// From a point outside: the distance of the edge's nearest point and the way from it.
fn nearest_on_edge(points: &[Vec2], at: Vec2) -> Option<(f64, Vec2)> {
    let mut least = f64::INFINITY;
    let mut nearest = None;
    for (from, along) in sides(points) {
        let part = along.dot(at - from) / along.dot(along);
        let apart = at - (from + along * clamp(part, 0.0, 1.0));
        let distance = apart.length();
        if distance < least {
            least = distance;
            // A way across a side is the side's own: the difference of two close points has few digits.
            let normal = Vec2::new(along.y, -along.x).unit();
            let across = part > 0.0 && part < 1.0;
            nearest = Some(if across { (normal.dot(at - from), normal) } else { (distance, apart.unit()) });
        }
    }
    // A point on a corner has no way from it; the caller knows the side it lies before.
    nearest.filter(|(distance, _)| *distance > 0.0)
}

/// The part (0 to 1) of the line between two points at which it is inside first.
#[must_use]
pub fn entry(points: &[Vec2], from: Vec2, to: Vec2) -> Option<f64> {
    let way = to - from;
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (corner, along) in sides(points) {
        // Both above 0 to the left, which is inside.
        let (at, gain) = (along.cross(from - corner), along.cross(way));
        if gain > 0.0 {
            enter = at_least(-at / gain, enter);
        } else if gain < 0.0 {
            leave = at_most(-at / gain, leave);
        } else if at < 0.0 {
            return None;
        }
    }
    (enter <= leave).then_some(enter)
}

/// Each side as its first point and the way to its second.
fn sides(points: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| (*a, *b - *a))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(x: f64, y: f64) -> Vec2 {
        Vec2::new(x, y)
    }

    const HOUSE: &[Vec2] = &[at(0.0, 0.0), at(4.0, 0.0), at(4.0, 2.0), at(2.0, 4.0), at(0.0, 2.0)];

    #[test]
    fn only_the_corners_of_a_convex_polygon_counter_clockwise_pass() {
        assert!(is_convex(HOUSE));
        let clockwise: Vec<Vec2> = HOUSE.iter().rev().copied().collect();
        let star: Vec<Vec2> = [0, 2, 4, 1, 3].iter().map(|i| HOUSE[*i]).collect();
        let dent = [at(0.0, 0.0), at(4.0, 0.0), at(1.0, 1.0), at(0.0, 4.0)];
        let straight = [at(0.0, 0.0), at(2.0, 0.0), at(4.0, 0.0), at(0.0, 4.0)];
        let doubled = [at(0.0, 0.0), at(4.0, 0.0), at(4.0, 0.0), at(0.0, 4.0)];
        let tiny = [at(0.0, 0.0), at(1e-9, 0.0), at(0.0, 1e-9)];
        let many: Vec<Vec2> = (0..17).map(|i| Vec2::at_angle(f64::from(i) * 0.36)).collect();
        for wrong in [&clockwise[..], &star, &dent, &straight, &doubled, &tiny, &many, &HOUSE[..2], &[]] {
            assert!(!is_convex(wrong), "{wrong:?}");
        }
        assert!(is_convex(&many[..16]));
    }

    /// F18
    #[test]
    fn corners_that_are_no_numbers_do_not_pass() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
            for i in 0..3 {
                let mut points = [at(0.0, 0.0), at(4.0, 0.0), at(0.0, 4.0)];
                points[i].x = bad;
                assert!(!is_convex(&points), "{points:?}");
            }
        }
    }

    #[test]
    fn a_point_is_as_far_outside_as_its_nearest_side_or_corner() {
        let far = |x, y| outside(HOUSE, at(x, y), f64::INFINITY).expect("within any reach").0;
        assert_eq!(far(2.0, -3.0), 3.0);
        assert_eq!(far(7.0, -4.0), 5.0, "from the corner");
        assert_eq!(far(1.0, 1.5), -1.0, "inside");
        assert_eq!(far(4.0, 1.0), 0.0, "on a side");
        assert_eq!(far(4.0, 2.0), 0.0, "on a corner");
        assert!((far(4.0, 4.0) - libm::sqrt(2.0)).abs() < 1e-12);
        assert_eq!(outside(HOUSE, at(2.0, -3.0), 3.0), None);
    }
}
