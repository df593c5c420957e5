//! Collide-and-slide: how far a body gets along a way among the shapes of a map.
//!
//! Pure, and the same on every target. A body is a sphere, on a flat map a disc. It goes in sub-steps of half a radius,
//! each pushed out of what it overlaps, so what it is pushed along it slides along. A sub-step that cannot be settled (a
//! gap too narrow, a corner too sharp) is not made: nothing passes through a wall, however it is squeezed.

use crate::limits::{
    POSITION_STEPS_PER_METRE, SLIDE_ITERATIONS_MAX, SLIDE_SEARCH_STEPS, SLIDE_SKIN_STEPS, SLIDE_SUBSTEPS_MAX,
    SLIDE_TRIES_MAX,
};
use crate::rules::exact::{at_least, at_most, ceil};
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
        let stride = at_least(self.radius * 0.5, 1.0 / f64::from(POSITION_STEPS_PER_METRE));
        let parts = at_least(ceil(way.length() / stride), 1.0);
        if parts > f64::from(SLIDE_SUBSTEPS_MAX) {
            return self.walk_far(from, way, stride);
        }
        let mut at = from;
        for _ in 0..parts as u32 {
            at = self.step(at, way * (1.0 / parts)).unwrap_or(at);
        }
        self.map.within3(at, self.radius)
    }

    /// The same, but it ends at most so many metres from `from`: a push around a corner is no gain in speed. Only out of a
    /// shape may it go farther.
    #[must_use]
    pub fn walk_at_most(&self, from: Vec3, mut way: Vec3, metres: f64) -> Vec3 {
        for _ in 0..SLIDE_TRIES_MAX {
            let to = self.walk(from, way);
            let gone = to.distance(from);
            if gone <= metres || self.is_inside(from) {
                return to;
            }
            way = way * (metres / gone);
        }
        self.map.within3(from, self.radius)
    }

    /// Whether it lies so deep in a shape that the nearest way out may be across it.
    #[must_use]
    pub fn is_inside(&self, at: Vec3) -> bool {
        self.map.clearance(at) < self.radius * 0.5
    }

    /// A way of too many strides: as far as nothing is in the way in one step, by strides where something is.
    fn walk_far(&self, from: Vec3, way: Vec3, stride: f64) -> Vec3 {
        let length = way.length();
        let (mut at, mut gone, mut most) = (from, 0.0, 1.0);
        for _ in 0..SLIDE_SUBSTEPS_MAX {
            let left = way * (1.0 - gone);
            let part = |shape| open_part(shape, at, left, self.radius * 0.5);
            let open =
                self.map.shapes.iter().fold(1.0, |least, shape| at_most(part(shape), least)) * (1.0 - gone);
            let part = at_most(at_most(at_least(open, stride / length), most), 1.0 - gone);
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
        // Less than the skin only for what was put deeper: otherwise rounding would let it creep in tick by tick.
        let put_there = was < self.radius - 2.0 * skin;
        let least = if put_there { was } else { self.radius - skin };
        self.map.clearance(to) >= least && self.map.is_open(from, to)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::motion::{to_space, to_steps};
    use crate::rules::shape::tests::{places, shapes};
    use crate::rules::vec2::Vec2;

    fn freedoms() -> impl Strategy<Value = Freedom> {
        prop_oneof![Just(Freedom::Plane), Just(Freedom::Space)]
    }

    fn skin() -> f64 {
        SLIDE_SKIN_STEPS / f64::from(POSITION_STEPS_PER_METRE) + 1e-9
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// From a clear start, at any speed: every tick it ends clear, on the map, and in the room it began in.
        #[test]
        fn nothing_is_passed_through(
            list in prop::collection::vec(shapes(), 0..12), freedom in freedoms(), from in places(),
            ways in prop::collection::vec((places(), 0.01..100.0f64, 1..20), 1..8), radius in 0.02..1.0f64,
        ) {
            let map = Map { shapes: [list, room()].concat().leak(), ..Map::deep(20, 20, 6) };
            let walker = Walker { map: &map, radius, freedom };
            let from = to_space([from.x, from.y, from.z].map(to_steps));
            prop_assume!(map.is_clear(from, radius));
            let (is_inside, mut at) = (in_room(from), from);
            let ticks = ways.into_iter().flat_map(|(way, reach, times)| (0..times).map(move |_| way * (reach * 0.05)));
            for way in ticks {
                let way = if freedom == Freedom::Plane { Vec3::from(way.flat()) } else { way };
                let next = walker.walk(at, way);
                let depth = radius - map.clearance(next);
                prop_assert!(depth <= 2.0 * skin(), "{:?} in by {}", next, depth);
                prop_assert_eq!(map.within3(next, radius), next);
                prop_assert_eq!(in_room(next), is_inside, "{:?} to {:?}", at, next);
                prop_assert!(freedom == Freedom::Space || next.z == at.z.min(6.0));
                // As it is stored.
                at = to_space([next.x, next.y, next.z].map(to_steps));
            }
        }

        /// A body that begins inside is out after a while, or at least on the map.
        #[test]
        fn what_begins_inside_one_shape_gets_out(shape in shapes(), from in places(), freedom in freedoms()) {
            let map = Map { shapes: vec![shape].leak(), ..Map::deep(40, 40, 9) };
            let walker = Walker { map: &map, radius: 0.5, freedom };
            let mut at = from;
            for _ in 0..4 {
                at = walker.walk(at, Vec3::new(0.01, 0.0, 0.0));
            }
            prop_assert!(map.clearance(at) >= 0.5 - skin(), "{:?}", at);
        }
    }

    /// The thin walls of a triangular room without a door; its corners are sharp.
    fn room() -> Vec<Shape> {
        let wall = |(a, b): (&Vec2, &Vec2)| {
            let along = *b - *a;
            let thick = Vec2::new(along.y, -along.x).unit() * 0.01;
            Shape::Polygon(vec![*a, *a + thick, *b + thick, *b].leak())
        };
        let next = ROOM.iter().cycle().skip(1);
        ROOM.iter().zip(next).map(wall).collect()
    }

    const ROOM: [Vec2; 3] = [at(-8.0, -4.0), at(7.0, -2.0), at(6.0, 5.0)];

    fn in_room(at: Vec3) -> bool {
        crate::rules::polygon::outside(&ROOM, at.flat(), 0.0).is_some()
    }

    const fn at(x: f64, y: f64) -> Vec2 {
        Vec2::new(x, y)
    }

    fn walk(map: &Map, from: Vec2, way: Vec2, times: u32) -> Vec3 {
        let walker = Walker { map, radius: 0.5, freedom: Freedom::Plane };
        (0..times).fold(from.into(), |at, _| walker.walk(at, way.into()))
    }

    #[test]
    fn thin_walls_that_meet_in_a_sharp_corner_hold() {
        const LEFT: &[Vec2] = &[at(0.0, 0.0), at(8.0, 1.0), at(8.0, 1.01), at(0.0, 0.01)];
        const RIGHT: &[Vec2] = &[at(0.0, 0.0), at(0.0, -0.01), at(8.0, -1.01), at(8.0, -1.0)];
        const MAP: Map = Map::flat(40, 40).shapes(&[Shape::polygon(LEFT), Shape::polygon(RIGHT)]);
        for (x, y) in [(-0.3, 0.0), (-0.3, 0.02), (-0.25, -0.03), (-40.0, 1.0), (-1e6, 0.0)] {
            let there = walk(&MAP, at(12.0, 0.0), at(x, y), 200);
            assert!(there.x > 3.0 && there.y.abs() < 1.0, "{there:?}");
        }
    }

    #[test]
    fn a_gap_narrower_than_the_body_holds() {
        const MAP: Map =
            Map::flat(400, 400).shapes(&[Shape::disc(0.0, 100.2, 100.0), Shape::disc(0.0, -100.2, 100.0)]);
        assert!(walk(&MAP, at(12.0, 0.0), at(-0.3, 0.0), 300).x > 5.0);
        assert!(walk(&MAP, at(12.0, 0.0), at(-300.0, 0.0), 3).x > 5.0);
    }

    #[test]
    fn a_very_fast_body_crosses_open_ground_and_stops_at_a_wall() {
        const MAP: Map = Map::flat(400, 400).shapes(&[Shape::block(100.0, 0.0, 0.1, 50.0)]);
        assert_eq!(walk(&MAP, at(0.0, 0.0), at(-180.0, 60.0), 1), Vec3::new(-180.0, 60.0, 0.0));
        let stopped = walk(&MAP, at(0.0, 0.0), at(150_000.0, 0.0), 1);
        assert!((stopped.x - 99.45).abs() < 1e-6, "{stopped:?}");
        let slid = walk(&MAP, at(99.0, 0.0), at(20.0, 20.0), 1);
        assert!(slid.x < 99.46 && slid.y > 5.0, "{slid:?}");
    }
}
