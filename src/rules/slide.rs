//! Collide-and-slide: how far a body gets along a way among the shapes of a map.
//!
//! Pure, and the same on every target. A body is a sphere, on a flat map a disc. It goes in sub-steps of half a radius,
//! each pushed out of what it overlaps, so what it is pushed along it slides along. A sub-step that cannot be settled (a
//! gap too narrow, a corner too sharp) is not made: nothing passes through a wall, however it is squeezed.

use crate::limits::{
    POSITION_STEPS_PER_METRE, SLIDE_ITERATIONS_MAX, SLIDE_SEARCH_STEPS, SLIDE_SKIN_STEPS, SLIDE_SUBSTEPS_MAX,
};
use crate::rules::map::Map;
use crate::rules::shape::Shape;
use crate::rules::vec3::Vec3;

/// Which way a body gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Aside only: it keeps its height.
    Plane,
    /// Up and down as well.
    Space,
}

/// A body on its way.
#[derive(Clone, Copy, Debug)]
pub struct Walker<'a> {
    pub map: &'a Map,
    /// Metres, at least `SLIDE_RADIUS_METRES_MIN`.
    pub radius: f64,
    pub freedom: Freedom,
}

impl Walker<'_> {
    /// Where a body at `from` ends that goes along `way`, metres. Both are finite, and `way` no longer than a squared
    /// `f64` can say.
    #[must_use]
    pub fn walk(&self, from: Vec3, way: Vec3) -> Vec3 {
        // Half a radius a sub-step, so that no wall is jumped over.
        let stride = (self.radius * 0.5).max(1.0 / f64::from(POSITION_STEPS_PER_METRE));
        let parts = libm::ceil(way.length() / stride).max(1.0);
        if parts > f64::from(SLIDE_SUBSTEPS_MAX) {
            return self.walk_far(from, way, stride);
        }
        let mut at = from;
        for _ in 0..parts as u32 {
            at = self.step(at, way * (1.0 / parts)).unwrap_or(at);
        }
        self.map.within3(at, self.radius)
    }

    /// A way of too many strides: as far as nothing is in the way in one step, by strides where something is.
    fn walk_far(&self, from: Vec3, way: Vec3, stride: f64) -> Vec3 {
        let length = way.length();
        let (mut at, mut gone, mut most) = (from, 0.0, 1.0);
        for _ in 0..SLIDE_SUBSTEPS_MAX {
            let left = way * (1.0 - gone);
            let open = self.map.shapes.iter().map(|shape| open_part(shape, at, left, self.radius * 0.5));
            let open = open.fold(1.0, f64::min) * (1.0 - gone);
            let part = open.max(stride / length).min(most).min(1.0 - gone);
            match self.step(at, way * part) {
                Some(next) => (at, gone) = (next, gone + part),
                // What does not settle may when it does not go as deep.
                None => most = part * 0.5,
            }
            if gone >= 1.0 {
                break;
            }
        }
        self.map.within3(at, self.radius)
    }

    /// A sub-step, if it can be made.
    fn step(&self, from: Vec3, way: Vec3) -> Option<Vec3> {
        let (to, pushes) = self.settle(from + way);
        // One push leads out the side it came in by.
        (pushes < 2 || self.is_sound(from, to)).then_some(to)
    }

    /// Pushes a body out of what it overlaps, the edge last: it holds whatever a corner does. Says how many pushes it
    /// took; one that may have left an overlap counts as several.
    #[must_use]
    pub fn settle(&self, mut at: Vec3) -> (Vec3, u32) {
        let mut pushes = 0;
        for _ in 0..SLIDE_ITERATIONS_MAX {
            let before = pushes;
            for shape in self.map.shapes {
                if let Some(push) = self.push(shape, at) {
                    at += push;
                    pushes += 1;
                }
            }
            let held = self.map.within3(at, self.radius);
            let free = pushes == before && held == at;
            at = held;
            if free {
                return (at, pushes);
            }
        }
        (at, pushes + 2)
    }

    fn push(&self, shape: &Shape, at: Vec3) -> Option<Vec3> {
        let aside = || shape.push_aside(at, self.radius).map(Vec3::from);
        match self.freedom {
            Freedom::Plane => aside(),
            Freedom::Space => {
                let away = shape.push_away(at, self.radius)?;
                // Through the ground or the ceiling is no way out.
                let height = at.z + away.z;
                if height >= 0.0 && height <= self.map.depth { Some(away) } else { aside() }
            }
        }
    }

    /// Whether a settled sub-step leads on: no deeper into anything, and not through it.
    fn is_sound(&self, from: Vec3, to: Vec3) -> bool {
        let was = self.map.clearance(from);
        if was < self.radius * 0.5 {
            // It began inside; any way out will do.
            return true;
        }
        let skin = SLIDE_SKIN_STEPS / f64::from(POSITION_STEPS_PER_METRE);
        self.map.clearance(to) >= was.min(self.radius - skin) && self.map.is_open(from, to)
    }
}

/// The part (0 to 1) of a way along which a point stays so far from a shape. The distance of a convex shape falls, then
/// rises along a straight line, so its least is found by thirds, and where it falls short first by halves.
fn open_part(shape: &Shape, from: Vec3, way: Vec3, metres: f64) -> f64 {
    let blocked = |part: f64| shape.distance(from + way * part) < metres;
    if shape.distance(from) >= metres + way.length() {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..SLIDE_SEARCH_STEPS {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if blocked(a) {
            return halved(blocked, a);
        }
        if shape.distance(from + way * a) <= shape.distance(from + way * b) {
            high = b;
        } else {
            low = a;
        }
    }
    if blocked(high) { halved(blocked, high) } else { 1.0 }
}

/// The last part before `high` that is not blocked.
fn halved(blocked: impl Fn(f64) -> bool, mut high: f64) -> f64 {
    let mut low = 0.0;
    for _ in 0..SLIDE_SEARCH_STEPS {
        let middle = (low + high) / 2.0;
        if blocked(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}
