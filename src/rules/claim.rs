//! Owner-moved kinds: whether a body can be where its client says it is.
//!
//! The server does not know how the client moved, only that it went on the map, around the shapes, and no faster than the
//! kind. Pure. A claim that is taken is the body's pose, word for word; what it says beyond its place is made to fit.

use crate::limits::{
    CLAIM_SKIN_STEPS, CLAIM_SLACK_STEPS, CLAIM_TICKS_MAX, CLAIM_TRIES_MAX, POSITION_STEPS_PER_METRE,
    SLIDE_RADIUS_METRES_MIN,
};
use crate::rules::exact::trunc;
use crate::rules::input::CIRCLE_STEPS;
use crate::rules::map::Map;
use crate::rules::motion::{Pose, to_space, to_steps};
use crate::rules::schema::KindSpec;
use crate::rules::slide::{Freedom, Walker};
use crate::rules::vec3::Vec3;

/// Why a claim is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimError {
    /// Farther than the kind gets in the time.
    Speed,
    /// A shape is in the way, or there.
    Wall,
    /// Off the map.
    Bounds,
    /// A number that no position or velocity has.
    Number,
}

/// The pose that a claim makes of a body at `from`, so many ticks after the last claim that was taken.
///
/// # Errors
/// Why the body cannot be there.
pub fn check(
    from: &Pose,
    claim: &Pose,
    kind: &KindSpec,
    map: &Map,
    hz: u32,
    ticks: u32,
) -> Result<Pose, ClaimError> {
    // What does not fit in an `i32` was made the greatest or the least.
    if claim.at.iter().chain(&claim.velocity).any(|word| [i32::MIN, i32::MAX].contains(word)) {
        return Err(ClaimError::Number);
    }
    let radius = kind.radius.max(SLIDE_RADIUS_METRES_MIN);
    let (here, there) = (to_space(from.at), to_space(claim.at));
    let held = map.within3(there, radius);
    if [held.x, held.y, held.z].map(to_steps) != claim.at {
        return Err(ClaimError::Bounds);
    }
    let ticks = f64::from(ticks.clamp(1, CLAIM_TICKS_MAX));
    let seconds = ticks / f64::from(hz.max(1));
    let freedom = if here.z == there.z { Freedom::Plane } else { Freedom::Space };
    let walker = Walker { map, radius, freedom };
    // Out of a shape that it was put into, it comes at once.
    let here = if walker.is_inside(here) { walker.settle(here).0 } else { here };
    let speed = if kind.speed > 0.0 { kind.speed } else { f64::INFINITY };
    let slack = metres(CLAIM_SLACK_STEPS);
    if here.distance(there) > speed * seconds + slack {
        return Err(ClaimError::Speed);
    }
    if !gets_there(walker, here, there, speed * seconds / ticks + slack) {
        return Err(ClaimError::Wall);
    }
    Ok(Pose {
        at: claim.at,
        velocity: slowed(claim.velocity, kind.speed),
        heading: turned(from.heading, claim.heading, kind.turn * seconds),
    })
}

fn metres(steps: f64) -> f64 {
    steps / f64::from(POSITION_STEPS_PER_METRE)
}

/// Whether a body gets from one place to the other, in so many metres a tick.
///
/// A step of a tick no longer than its radius, from a clear place to a clear one, passes through nothing: a point of a
/// wall on its way would be a radius from both. A longer one is walked: straight on, sliding off what it meets, since it
/// may have gone around a pillar.
fn gets_there(walker: Walker<'_>, from: Vec3, to: Vec3, a_tick: f64) -> bool {
    let is_clear = |at: Vec3| walker.map.clearance(at) >= walker.radius - metres(CLAIM_SKIN_STEPS);
    let short = from.distance(to) <= walker.radius.min(a_tick);
    if short && is_clear(from) {
        return is_clear(to);
    }
    let mut at = from;
    for _ in 0..CLAIM_TRIES_MAX {
        at = walker.walk(at, to - at);
        if at.distance(to) <= metres(CLAIM_SKIN_STEPS) {
            return true;
        }
    }
    false
}

/// A velocity no faster than the kind, metres a second; 0 is any.
fn slowed(velocity: [i32; 3], speed: f64) -> [i32; 3] {
    if speed <= 0.0 || speed.is_nan() {
        return velocity;
    }
    let [x, y, z] = velocity.map(f64::from);
    let cut = Vec3::new(x, y, z).cut(speed * f64::from(POSITION_STEPS_PER_METRE));
    // Towards 0, where rounding could make it faster again.
    [cut.x, cut.y, cut.z].map(|steps| trunc(steps) as i32)
}

/// The claimed heading, as far as the kind turns; 0 radians is any.
fn turned(from: u16, claim: u16, radians: f64) -> u16 {
    if radians <= 0.0 || radians.is_nan() {
        return claim;
    }
    let most = (radians / std::f64::consts::TAU * CIRCLE_STEPS).clamp(1.0, 32_768.0) as i32;
    // The shorter way: 65,536ths of the circle wrap as an `i16` does.
    let turn = i32::from(claim.wrapping_sub(from) as i16).clamp(-most, most);
    from.wrapping_add(turn as u16)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::map::Shape;
    use crate::rules::motion::Motion;
    use crate::rules::shape::tests::{places, shapes, wild};

    const HZ: u32 = 20;
    const KIND: KindSpec = KindSpec { speed: 6.0, turn: 3.0, owner_moved: true, ..KindSpec::PLAIN };
    const MAP: Map =
        Map::flat(20, 20).shapes(&[Shape::block(5.0, 0.0, 0.2, 6.0), Shape::disc(-5.0, 0.0, 1.0)]);

    fn pose(x: f64, y: f64) -> Pose {
        Pose { at: [to_steps(x), to_steps(y), 0], ..Pose::default() }
    }

    fn claimed(from: (f64, f64), to: (f64, f64), ticks: u32) -> Result<Pose, ClaimError> {
        check(&pose(from.0, from.1), &pose(to.0, to.1), &KIND, &MAP, HZ, ticks)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// A client that runs the same movement is believed every tick, whatever it slides along.
        #[test]
        fn an_honest_client_is_believed(
            list in prop::collection::vec(shapes(), 0..8), from in places(), deep in any::<bool>(),
            ways in prop::collection::vec((places(), 1..12), 1..8),
        ) {
            let flat = Map { shapes: list.leak(), ..Map::flat(20, 20) };
            let map = if deep { Map { depth: 6.0, ..flat } } else { flat };
            let at = [from.x, from.y, from.z].map(to_steps);
            let mut here = Motion::new(&Pose { at, ..Pose::default() }, &KIND, HZ).pose(&map);
            prop_assume!(map.is_clear(to_space(here.at), KIND.radius));
            for (way, ticks) in ways {
                for _ in 0..ticks {
                    let mut motion = Motion::new(&here, &KIND, HZ);
                    motion.fly(way * 3.0, &map);
                    let there = motion.pose(&map);
                    let taken = check(&here, &there, &KIND, &map, HZ, 1);
                    prop_assert_eq!(taken.map(|pose| pose.at), Ok(there.at), "{:?} to {:?}", here, there);
                    here = there;
                }
            }
        }

        /// F18: whatever is claimed, what is taken is on the map, clear of shapes, near enough, and no faster than the kind.
        #[test]
        fn what_is_taken_could_be(
            list in prop::collection::vec(shapes(), 0..8), from in places(), step in places(), share in 0.0..0.2f64,
            n in prop::array::uniform6(wild()), heading in any::<u16>(), ticks in any::<u32>(), odd in 0..9u8,
        ) {
            let map = Map { shapes: list.leak(), ..Map::deep(20, 20, 6) };
            prop_assume!(map.is_clear(from, KIND.radius));
            let from = Pose { at: [from.x, from.y, from.z].map(to_steps), ..Pose::default() };
            let near = to_space(from.at) + step * share;
            let mut at = [near.x, near.y, near.z].map(to_steps);
            if odd < 3 {
                at[usize::from(odd)] = to_steps(n[0]);
            }
            let claim = Pose { at, velocity: [n[3], n[4], n[5]].map(to_steps), heading };
            if let Ok(taken) = check(&from, &claim, &KIND, &map, HZ, ticks) {
                let at = to_space(taken.at);
                prop_assert_eq!(taken.at, claim.at);
                let skin = metres(CLAIM_SKIN_STEPS + CLAIM_SLACK_STEPS);
                prop_assert!(map.clearance(at) >= KIND.radius - skin);
                prop_assert!(map.within3(at, 0.0) == at);
                let most = KIND.speed * f64::from(CLAIM_TICKS_MAX) / f64::from(HZ);
                prop_assert!(at.distance(to_space(from.at)) <= most + skin);
                prop_assert!(to_space(taken.velocity).length() <= KIND.speed);
            }
        }
    }

    #[test]
    fn a_claim_within_the_kinds_speed_is_taken_and_a_farther_one_is_not() {
        assert_eq!(claimed((0.0, 0.0), (0.3, 0.0), 1).map(|pose| pose.at), Ok(pose(0.3, 0.0).at));
        assert_eq!(claimed((0.0, 0.0), (0.31, 0.0), 1), Err(ClaimError::Speed));
        assert!(claimed((0.0, 0.0), (0.6, 0.0), 2).is_ok(), "a tick without a claim is travel saved up");
        assert!(claimed((0.0, 0.0), (3.0, 0.0), u32::MAX).is_ok());
        assert_eq!(
            claimed((0.0, 0.0), (3.1, 0.0), u32::MAX),
            Err(ClaimError::Speed),
            "but not an hour of it"
        );
        assert!(claimed((0.0, 0.0), (0.3, 0.0), 0).is_ok());
    }

    #[test]
    fn a_claim_through_or_in_a_wall_or_off_the_map_is_refused() {
        assert_eq!(claimed((4.0, 0.0), (6.0, 0.0), 10), Err(ClaimError::Wall));
        assert_eq!(claimed((4.0, 0.0), (4.6, 0.0), 10), Err(ClaimError::Wall));
        assert_eq!(claimed((9.0, 9.0), (9.8, 9.0), 10), Err(ClaimError::Bounds));
        let above = Pose { at: [0, 0, 1], ..Pose::default() };
        assert_eq!(
            check(&Pose::default(), &above, &KIND, &MAP, HZ, 1),
            Err(ClaimError::Bounds),
            "a flat map"
        );
        assert!(claimed((-6.6, 0.1), (-5.0, 1.6), 10).is_ok(), "around the pillar");
    }

    #[test]
    fn a_gap_too_narrow_for_the_body_is_no_way_for_its_claim() {
        const FENCE: Map =
            Map::flat(20, 20).shapes(&[Shape::disc(0.0, 0.5, 0.1), Shape::disc(0.0, -0.5, 0.1)]);
        let (from, to) = (pose(-0.7, 0.0), pose(0.7, 0.0));
        assert_eq!(check(&from, &to, &KIND, &FENCE, HZ, 10), Err(ClaimError::Wall));
        assert!(check(&from, &to, &KindSpec { radius: 0.3, ..KIND }, &FENCE, HZ, 10).is_ok());
    }

    #[test]
    fn velocity_and_heading_are_made_to_fit() {
        let claim = Pose { velocity: [300_000, 400_000, 0], heading: 40_000, ..Pose::default() };
        let taken = check(&Pose::default(), &claim, &KIND, &MAP, HZ, 1).expect("it stands still");
        assert_eq!(taken.velocity, [1_843, 2_457, 0], "3.6 and 4.8 m/s, rounded towards 0");
        assert_eq!(i32::from(taken.heading as i16), -1_564, "3 radians a second for a tick, the shorter way");
        let any = KindSpec { speed: 0.0, turn: 0.0, ..KIND };
        let taken = check(&Pose::default(), &claim, &any, &MAP, HZ, 1).expect("any speed");
        assert_eq!(taken, claim);
        assert!(check(&pose(-9.0, -9.0), &pose(9.0, 9.0), &any, &MAP, HZ, 1).is_ok());
        assert_eq!(check(&pose(-9.0, 0.0), &pose(9.0, 0.0), &any, &MAP, HZ, 1), Err(ClaimError::Wall));
    }

    /// F18
    #[test]
    fn a_number_that_did_not_fit_is_refused() {
        for wild in [i32::MIN, i32::MAX] {
            for axis in 0..3 {
                let mut claim = Pose::default();
                claim.velocity[axis] = wild;
                assert_eq!(check(&Pose::default(), &claim, &KIND, &MAP, HZ, 1), Err(ClaimError::Number));
            }
        }
        let no_number = KindSpec { speed: f64::NAN, turn: f64::NAN, radius: f64::NAN, ..KIND };
        assert!(check(&Pose::default(), &Pose::default(), &no_number, &MAP, 0, 1).is_ok());
    }
}
