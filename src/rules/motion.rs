//! Movement: what `steer` may change of a body, and collide-and-slide against the map.
//!
//! Pure: the same body, input and map give the same motion in the Table and in the browser. Positions are whole steps
//! between ticks (`Place`), so a prediction that starts from what was sent ends where the server does. A kind's greatest
//! speed and rate of turning hold here, whatever `steer` asks for.

use crate::limits::{
    POSITION_STEPS_PER_METRE, RAY_METRES_MAX, SLIDE_RADIUS_METRES_MIN, SPEED_METRES_PER_SECOND_MAX,
};
use crate::rules::exact::{at_least, at_most, floor, round};
use crate::rules::input::{CIRCLE_STEPS, angle_word};
use crate::rules::map::Map;
use crate::rules::schema::KindSpec;
use crate::rules::slide::{Freedom, Walker};
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;

/// A body's position, velocity and heading as they are stored: whole steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pose {
    /// Steps of `1 / POSITION_STEPS_PER_METRE` metres; z is 0 on a flat map.
    pub at: [i32; 3],
    /// Steps a second.
    pub velocity: [i32; 3],
    /// 65,536ths of the circle.
    pub heading: u16,
}

/// Metres as whole steps. A value that is not finite is 0: callers clamp to the map first.
#[must_use]
pub fn to_steps(metres: f64) -> i32 {
    if !metres.is_finite() {
        return 0;
    }
    // `as` saturates; the map bounds positions long before.
    round(metres * f64::from(POSITION_STEPS_PER_METRE)) as i32
}

/// Steps as metres, in the plane.
#[must_use]
pub fn to_metres(steps: [i32; 3]) -> Vec2 {
    let axis = |s: i32| f64::from(s) / f64::from(POSITION_STEPS_PER_METRE);
    Vec2::new(axis(steps[0]), axis(steps[1]))
}

/// Metres above the ground.
#[must_use]
pub fn to_height(steps: [i32; 3]) -> f64 {
    f64::from(steps[2]) / f64::from(POSITION_STEPS_PER_METRE)
}

/// Steps as metres, in space.
#[must_use]
pub fn to_space(steps: [i32; 3]) -> Vec3 {
    Vec3::above(to_metres(steps), to_height(steps))
}

/// A point in metres as whole steps.
#[must_use]
pub fn space_steps(at: Vec3) -> [i32; 3] {
    // Not `map`: that is a call for each where the build is for size.
    [to_steps(at.x), to_steps(at.y), to_steps(at.z)]
}

/// A stored heading as radians, 0 to 2π.
#[must_use]
pub fn to_radians(heading: u16) -> f64 {
    f64::from(heading) / CIRCLE_STEPS * std::f64::consts::TAU
}

/// A body being moved for one tick.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// Metres.
    pub at: Vec2,
    /// Metres above the ground; 0 on a flat map.
    pub z: f64,
    /// Metres a second, of the last tick.
    pub velocity: Vec2,
    /// Metres a second upwards, of the last tick.
    pub climb: f64,
    /// Radians from +x counter-clockwise.
    pub heading: f64,
    radius: f64,
    seconds: f64,
    /// Metres a second, at most.
    speed: f64,
    /// Radians of this tick, at most; none is any.
    turn: Option<f64>,
    /// The heading the tick began with.
    faced: f64,
}

impl Motion {
    #[must_use]
    pub fn new(pose: &Pose, kind: &KindSpec, hz: u32) -> Motion {
        let seconds = 1.0 / f64::from(hz.max(1));
        let speed = if kind.speed > 0.0 { kind.speed } else { SPEED_METRES_PER_SECOND_MAX };
        // A turn that no stored heading could show would never add up to one.
        let turn = at_least(kind.turn * seconds, std::f64::consts::TAU / CIRCLE_STEPS);
        let heading = to_radians(pose.heading);
        Motion {
            at: to_metres(pose.at),
            z: to_height(pose.at),
            velocity: to_metres(pose.velocity),
            climb: to_height(pose.velocity),
            heading,
            radius: at_least(kind.radius, SLIDE_RADIUS_METRES_MIN),
            seconds,
            speed: at_most(speed, SPEED_METRES_PER_SECOND_MAX),
            turn: (kind.turn > 0.0).then_some(turn),
            faced: heading,
        }
    }

    /// Seconds of a tick.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Turns to look at an angle: the shorter way, as far as the kind turns in a tick. Half a turn is clockwise.
    pub fn face(&mut self, radians: f64) {
        if !radians.is_finite() {
            return;
        }
        self.heading = match self.turn {
            Some(turn) => self.faced + shorter(radians - self.faced).clamp(-turn, turn),
            None => radians,
        };
    }

    /// Moves at `velocity` (metres a second) for a tick, sliding along edge and shapes, and looks that way. It keeps its
    /// height.
    pub fn slide(&mut self, velocity: Vec2, map: &Map) {
        self.go(velocity.into(), map, Freedom::Plane);
    }

    /// The same in space, sliding over and under shapes as well. On a flat map it is `slide`.
    pub fn fly(&mut self, velocity: Vec3, map: &Map) {
        self.go(velocity, map, if map.depth > 0.0 { Freedom::Space } else { Freedom::Plane });
    }

    fn go(&mut self, velocity: Vec3, map: &Map, freedom: Freedom) {
        let velocity = if velocity.is_finite() { velocity.cut(self.speed) } else { Vec3::ZERO };
        let from = Vec3::above(self.at, self.z);
        // From a place far off the map no way leads back; its squares are no numbers.
        let from = if from.is_finite() { from.cut(RAY_METRES_MAX) } else { Vec3::ZERO };
        let path = velocity * self.seconds;
        let most = self.speed * self.seconds + 0.5 / f64::from(POSITION_STEPS_PER_METRE);
        let to = Walker { map, radius: self.radius, freedom }.walk_at_most(from, path, most);
        let moved = (to - from) * (1.0 / self.seconds);
        (self.at, self.z) = (to.flat(), to.z);
        (self.velocity, self.climb) = (moved.flat(), moved.z);
        if path.flat() != Vec2::ZERO {
            self.face(path.flat().angle());
        }
    }

    /// Back to whole steps, within the map.
    #[must_use]
    pub fn pose(&self, map: &Map) -> Pose {
        let at = if self.at.is_finite() { self.at } else { Vec2::ZERO };
        let z = if self.z.is_finite() { self.z } else { 0.0 };
        let at = map.within3(Vec3::above(at, z), self.radius);
        let velocity = Vec3::above(self.velocity, self.climb);
        Pose { at: space_steps(at), velocity: space_steps(velocity), heading: angle_word(self.heading) }
    }
}

/// The same angle between half a turn clockwise and half a turn counter-clockwise.
fn shorter(radians: f64) -> f64 {
    let turns = radians / std::f64::consts::TAU;
    (turns - floor(turns + 0.5)) * std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::map::Shape;
    use crate::rules::rng::Rng;
    use crate::rules::shape::tests::{places, shapes, wild};

    const MAP: Map =
        Map::flat(20, 20).shapes(&[Shape::block(5.0, 0.0, 2.0, 4.0), Shape::disc(-5.0, 0.0, 1.0)]);

    const KIND: KindSpec = KindSpec::PLAIN;

    fn walk(at: Vec2, velocity: Vec2, ticks: u32) -> Motion {
        let pose = Pose { at: [to_steps(at.x), to_steps(at.y), 0], ..Pose::default() };
        let mut motion = Motion::new(&pose, &KIND, 20);
        for _ in 0..ticks {
            motion.slide(velocity, &MAP);
            motion = Motion::new(&motion.pose(&MAP), &KIND, 20);
        }
        motion
    }

    #[test]
    fn open_ground_is_crossed_at_the_given_speed() {
        let there = walk(Vec2::ZERO, Vec2::new(0.0, 6.0), 20);
        assert!((there.at.y - 6.0).abs() < 0.05, "{:?}", there.at);
        assert!((there.heading - std::f64::consts::FRAC_PI_2).abs() < 1e-3);
    }

    #[test]
    fn a_wall_stops_what_runs_into_it_and_lets_it_slide_along() {
        let there = walk(Vec2::new(2.0, 0.0), Vec2::new(6.0, 1.0), 20);
        assert!((there.at.x - 3.5).abs() < 0.01, "{:?}", there.at);
        assert!(there.at.y > 0.9);
    }

    #[test]
    fn a_fast_body_does_not_pass_through_a_wall() {
        let there = walk(Vec2::new(2.0, 0.0), Vec2::new(150.0, 0.0), 1);
        assert!(there.at.x <= 3.51, "{:?}", there.at);
    }

    #[test]
    fn a_round_pillar_is_slid_around() {
        let there = walk(Vec2::new(-8.0, 0.1), Vec2::new(6.0, 0.0), 40);
        assert!(there.at.x > -3.0, "{:?}", there.at);
    }

    #[test]
    fn the_edge_holds() {
        let there = walk(Vec2::new(0.0, 9.0), Vec2::new(0.0, 30.0), 10);
        assert!((there.at.y - 9.5).abs() < 0.01);
    }

    /// F18.
    #[test]
    fn a_velocity_that_is_no_number_moves_nothing() {
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
            let there = walk(Vec2::new(1.0, 1.0), Vec2::new(bad, 1.0), 3);
            assert_eq!(there.at, Vec2::new(1.0, 1.0));
        }
    }

    #[test]
    fn a_motion_with_wild_numbers_becomes_a_pose_on_the_map() {
        for bad in [f64::NAN, f64::INFINITY, 1e308, -1e308] {
            let mut motion = Motion::new(&Pose::default(), &KIND, 20);
            motion.at = Vec2::new(bad, bad);
            motion.velocity = Vec2::new(bad, -bad);
            motion.heading = bad;
            let at = to_metres(motion.pose(&MAP).at);
            assert!(at.x.abs() <= 9.5 && at.y.abs() <= 9.5, "{at:?}");
        }
    }

    /// The bits of 20,000 slides, the same on every target and in every release: predictions and replays rest on them.
    #[test]
    fn slides_have_the_same_bits_for_ever() {
        let mut rng = Rng::new(7);
        let mut axis = |reach: f64| (rng.unit() * 2.0 - 1.0) * reach;
        let mut bytes: Vec<u8> = Vec::new();
        for _ in 0..20_000 {
            let at = [to_steps(axis(9.5)), to_steps(axis(9.5)), 0];
            let mut motion = Motion::new(&Pose { at, ..Pose::default() }, &KIND, 20);
            motion.slide(Vec2::new(axis(60.0), axis(60.0)), &MAP);
            let numbers = [motion.at.x, motion.at.y, motion.velocity.x, motion.velocity.y, motion.heading];
            bytes.extend(numbers.map(f64::to_bits).map(u64::to_le_bytes).concat());
        }
        assert_eq!(xxhash_rust::xxh64::xxh64(&bytes, 0), 0x553d_6a2c_7346_ed53);
    }

    #[test]
    fn a_kind_is_no_faster_than_it_says() {
        let kind = KindSpec { speed: 4.0, ..KIND };
        let mut motion = Motion::new(&Pose::default(), &kind, 20);
        motion.slide(Vec2::new(0.0, -1e308), &MAP);
        assert!((motion.velocity.y + 4.0).abs() < 1e-9, "{motion:?}");
        let mut motion = Motion::new(&Pose::default(), &kind, 20);
        motion.fly(Vec3::new(30.0, 0.0, 40.0), &Map::deep(20, 20, 5));
        assert!((motion.velocity.x - 2.4).abs() < 1e-9 && (motion.climb - 3.2).abs() < 1e-9, "{motion:?}");
    }

    #[test]
    fn a_kind_turns_the_shorter_way_and_no_faster_than_it_says() {
        let kind = KindSpec { turn: 2.0, ..KIND };
        let start = Pose { heading: 1_000, ..Pose::default() };
        let turned = |radians: f64| {
            let mut motion = Motion::new(&start, &kind, 20);
            motion.face(radians + to_radians(1_000));
            // Asking again in the same tick banks nothing.
            motion.face(radians + to_radians(1_000));
            i32::from(motion.pose(&MAP).heading) - 1_000
        };
        let most = (0.1 / std::f64::consts::TAU * CIRCLE_STEPS) as i32;
        assert!((turned(1.0) - most).abs() <= 1);
        assert!((turned(-3.0).rem_euclid(65_536) - 65_536 + most).abs() <= 1);
        assert!((turned(3.5).rem_euclid(65_536) - 65_536 + most).abs() <= 1, "the other way is shorter");
        assert_eq!(turned(0.05), (0.05 / std::f64::consts::TAU * CIRCLE_STEPS).round() as i32);
        let mut motion = Motion::new(&start, &kind, 20);
        motion.slide(Vec2::new(-3.0, 0.1), &MAP);
        assert!(
            (i32::from(motion.pose(&MAP).heading) - 1_000 - most).abs() <= 1,
            "a slide turns it no faster"
        );
    }

    #[test]
    fn what_flies_goes_over_a_block_and_under_the_ceiling() {
        const DEEP: Map =
            Map::deep(20, 20, 4).shapes(&[Shape::cuboid(Vec3::new(5.0, 0.0, 0.5), Vec3::new(2.0, 4.0, 1.0))]);
        let fly = |velocity: Vec3, z: f64| {
            let mut pose = Pose { at: [0, 0, to_steps(z)], ..Pose::default() };
            for _ in 0..60 {
                let mut motion = Motion::new(&pose, &KIND, 20);
                motion.fly(velocity, &DEEP);
                pose = motion.pose(&DEEP);
            }
            to_space(pose.at)
        };
        assert_eq!(fly(Vec3::new(0.0, 0.0, 9.0), 1.0).z, 4.0);
        assert_eq!(fly(Vec3::new(0.0, 0.0, -9.0), 1.0).z, 0.0);
        assert!((fly(Vec3::new(3.0, 0.0, 0.0), 0.0).x - 3.5).abs() < 0.01, "its side stops what is low");
        assert!(fly(Vec3::new(3.0, 0.0, 0.0), 1.3).x > 6.0, "its edge lifts what is high");
        let landed = fly(Vec3::new(1.7, 0.0, -0.6), 3.0);
        assert!((landed.z - 1.5).abs() < 0.01, "it slides on the top: {landed:?}");
    }

    proptest! {
        #[test]
        fn a_slide_depends_on_its_arguments_alone(
            list in prop::collection::vec(shapes(), 0..6), at in places(), way in places(),
        ) {
            let map = Map { shapes: list.leak(), ..Map::deep(20, 20, 6) };
            let pose = Pose { at: [at.x, at.y, at.z].map(to_steps), ..Pose::default() };
            let go = || {
                let mut motion = Motion::new(&pose, &KIND, 20);
                motion.slide(way.flat(), &map);
                motion.fly(way, &map);
                motion
            };
            let bits = |m: Motion| [m.at.x, m.at.y, m.z, m.velocity.x, m.climb, m.heading].map(f64::to_bits);
            prop_assert_eq!(bits(go()), bits(go()));
        }

        /// F18
        #[test]
        fn whatever_steer_writes_the_pose_is_on_the_map_and_the_numbers_are_numbers(
            list in prop::collection::vec(shapes(), 0..4), n in prop::array::uniform9(wild()),
            speed in wild(), turn in wild(), radius in wild(), depth in 0..9u32,
        ) {
            let flat = Map { shapes: list.leak(), ..Map::flat(20, 20) };
            let map = Map { depth: f64::from(depth), ..flat };
            let kind = KindSpec { speed, turn, radius: radius.abs().min(9.0), ..KIND };
            let mut motion = Motion::new(&Pose::default(), &kind, 20);
            motion.at = Vec2::new(n[0], n[1]);
            (motion.z, motion.climb, motion.velocity) = (n[2], n[3], Vec2::new(n[4], n[3]));
            motion.face(n[4]);
            let start = motion;
            motion.slide(Vec2::new(n[5], n[6]), &map);
            prop_assert!(motion.at.is_finite() && motion.velocity.is_finite() && motion.heading.is_finite());
            motion.fly(Vec3::new(n[7], n[8], n[6]), &map);
            prop_assert!(motion.z.is_finite() && motion.climb.is_finite(), "{:?}", motion);
            for motion in [start, motion] {
                let at = to_space(motion.pose(&map).at);
                prop_assert!(at.x.abs() <= 10.0 && at.y.abs() <= 10.0 && at.z >= 0.0 && at.z <= map.depth);
            }
        }
    }
}
