//! Owner-moved kinds: whether a body can be where its client says it is.
//!
//! The server does not know how the client moved, only that it went on the map, around the shapes, and no faster than the
//! kind. Pure. A claim that is taken is the body's pose, word for word; what it says beyond its place is made to fit.

use crate::limits::{
    CLAIM_SKIN_STEPS, CLAIM_SLACK_STEPS, CLAIM_TICKS_MAX, CLAIM_TRIES_MAX, POSITION_STEPS_PER_METRE,
    SLIDE_RADIUS_METRES_MIN,
};
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
    let seconds = f64::from(ticks.clamp(1, CLAIM_TICKS_MAX)) / f64::from(hz.max(1));
    if kind.speed > 0.0 && here.distance(there) > kind.speed * seconds + metres(CLAIM_SLACK_STEPS) {
        return Err(ClaimError::Speed);
    }
    let freedom = if here.z == there.z { Freedom::Plane } else { Freedom::Space };
    if !gets_there(Walker { map, radius, freedom }, here, there) {
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

/// Whether a body that goes straight on and slides off what it meets gets there. It may have slid around a pillar.
fn gets_there(walker: Walker<'_>, from: Vec3, to: Vec3) -> bool {
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
    [cut.x, cut.y, cut.z].map(|steps| libm::trunc(steps) as i32)
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
