//! Pushing solid bodies apart: what moved into each other stands side by side again, on the map and out of its shapes.
//!
//! Pure, and the same however the heads are stored: pairs are taken in the order of ids, one after the other. Each of a
//! pair goes half the way; a body that its client moves stays, since only the client may move it, and the other goes all
//! of it. A crowd takes a few ticks. Absent: speed; nothing bounces.

use crate::limits::{POSITION_STEPS_PER_METRE, PUSH_ROUNDS_MAX, PUSH_SKIN_STEPS, SLIDE_RADIUS_METRES_MIN};
use crate::rules::engine::Head;
use crate::rules::grid::Grid;
use crate::rules::ids::BodyId;
use crate::rules::map::Map;
use crate::rules::motion::{to_space, to_steps};
use crate::rules::schema::KindSpec;
use crate::rules::slide::{Freedom, Walker};
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;

/// Moves solid bodies that overlap apart.
pub fn push_apart(heads: &mut [Head], kinds: &[KindSpec], map: &Map) {
    Crowd::default().push_apart(heads, kinds, map);
}

/// The buffers of pushing, kept from tick to tick.
#[derive(Default)]
pub struct Crowd {
    grid: Grid,
    /// Where each head is pushed to, from where.
    ways: Vec<(Vec3, Vec3)>,
}

impl Crowd {
    /// Moves solid bodies that overlap apart.
    pub fn push_apart(&mut self, heads: &mut [Head], kinds: &[KindSpec], map: &Map) {
        for _ in 0..PUSH_ROUNDS_MAX {
            self.grid.rebuild_of(heads, kinds, |kind| kind.solid);
            self.ways.clear();
            self.ways.extend(heads.iter().map(|head| to_space(head.pose.at)).map(|at| (at, at)));
            let mut free = true;
            for (a, b) in self.grid.pairs() {
                free &= !part(&mut self.ways, [a, b], heads, kinds);
            }
            if free {
                return;
            }
            for (head, (from, to)) in heads.iter_mut().zip(&self.ways) {
                if from != to {
                    let kind = &kinds[usize::from(head.kind)];
                    let at = settled(*from, *to, kind, map);
                    head.pose.at = [at.x, at.y, at.z].map(to_steps);
                }
            }
        }
    }
}

/// Pushes the two bodies of a pair apart, if one of them may move.
fn part(ways: &mut [(Vec3, Vec3)], pair: [usize; 2], heads: &[Head], kinds: &[KindSpec]) -> bool {
    let [a, b] = pair;
    let [first, second] = pair.map(|index| &kinds[usize::from(heads[index].kind)]);
    let moves = [first, second].map(|kind| !kind.owner_moved);
    let share = match moves {
        [false, false] => return false,
        [true, true] => 0.5,
        _ => 1.0,
    };
    let between = ways[b].1 - ways[a].1;
    let distance = between.length();
    // In whole steps, as the grid compares them.
    let radii = f64::from(to_steps(first.radius)) + f64::from(to_steps(second.radius));
    let reach = (radii + PUSH_SKIN_STEPS) / f64::from(POSITION_STEPS_PER_METRE);
    if distance < reach {
        let way = if distance > 0.0 { between.unit() } else { any_way(heads[a].id, heads[b].id) };
        let push = way * ((reach - distance) * share);
        if moves[0] {
            ways[a].1 = ways[a].1 - push;
        }
        if moves[1] {
            ways[b].1 += push;
        }
    }
    true
}

/// The way from the first to the second of two bodies at the very same place: theirs for ever, and another pair's not.
fn any_way(a: BodyId, b: BodyId) -> Vec3 {
    let mixed = (a.0 ^ b.0.rotate_left(16)).wrapping_mul(0x9e37_79b1);
    Vec2::at_angle(f64::from(mixed) / 4_294_967_296.0 * std::f64::consts::TAU).into()
}

/// Where a pushed body ends: half a radius on at most, so that a heap spreads rather than bursts.
fn settled(from: Vec3, to: Vec3, kind: &KindSpec, map: &Map) -> Vec3 {
    let radius = kind.radius.max(SLIDE_RADIUS_METRES_MIN);
    // Who stands on the ground is not pushed into it, and goes aside as one who walks.
    let to = Vec3::above(to.flat(), to.z.clamp(0.0, map.depth.max(0.0)));
    let freedom = if to.z == from.z { Freedom::Plane } else { Freedom::Space };
    Walker { map, radius, freedom }.walk(from, (to - from).cut(radius * 0.5))
}
