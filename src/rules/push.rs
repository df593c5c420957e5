//! Pushing solid bodies apart: what moved into each other stands side by side again, on the map and out of its shapes.
//!
//! Pure, and the same however the heads are stored: pairs are taken in the order of ids, one after the other. Each of a
//! pair goes half the way; a body that its client moves stays, since only the client may move it, and the other goes all
//! of it. A crowd takes a few ticks. Absent: speed; nothing bounces.

use crate::limits::{
    POSITION_STEPS_PER_METRE, PUSH_LOOK_STEPS, PUSH_ROUNDS_MAX, PUSH_SKIN_STEPS, SLIDE_RADIUS_METRES_MIN,
};
use crate::rules::engine::Head;
use crate::rules::exact::{at_least, clamp};
use crate::rules::grid::{Grid, Pair};
use crate::rules::ids::BodyId;
use crate::rules::map::Map;
use crate::rules::motion::{space_steps, to_space, to_steps};
use crate::rules::schema::KindSpec;
use crate::rules::slide::{Freedom, Walker};
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;

/// What pushing works on, kept from tick to tick for its memory.
#[derive(Default)]
pub struct Crowd {
    grid: Grid,
    /// Solid bodies that overlap or may by being pushed, as indices of heads.
    pairs: Vec<Pair>,
    /// A pushed one for each head.
    pushed: Vec<Pushed>,
}

/// A body that may be pushed.
struct Pushed {
    /// Metres: where it is, and where it is pushed to.
    from: Vec3,
    to: Vec3,
    /// In whole steps, as the grid compares them.
    radius: f64,
    gives_way: bool,
}

impl Crowd {
    /// Moves solid bodies that overlap apart. False when they were too many: the pairs that may lie in a tick.
    pub fn push_apart(&mut self, heads: &mut [Head], kinds: &[KindSpec], map: &Map) -> bool {
        self.grid.rebuild_of(heads, kinds, |kind| kind.solid);
        self.pairs.clear();
        self.pairs.extend(self.grid.solid_pairs(PUSH_LOOK_STEPS));
        if self.pairs.is_empty() {
            return true;
        }
        self.pushed.clear();
        self.pushed.extend(heads.iter().map(|head| Pushed::new(head, &kinds[usize::from(head.kind)])));
        for _ in 0..PUSH_ROUNDS_MAX {
            let mut free = true;
            for (a, b) in &self.pairs {
                free &= !part(&mut self.pushed, *a as usize, *b as usize, heads);
            }
            if free {
                break;
            }
            for (head, pushed) in heads.iter_mut().zip(&mut self.pushed).filter(|(_, it)| it.from != it.to) {
                let at = settled(pushed.from, pushed.to, &kinds[usize::from(head.kind)], map);
                head.pose.at = space_steps(at);
                pushed.from = to_space(head.pose.at);
                pushed.to = pushed.from;
            }
        }
        !self.grid.is_full()
    }
}

impl Pushed {
    fn new(head: &Head, kind: &KindSpec) -> Pushed {
        let at = to_space(head.pose.at);
        Pushed { from: at, to: at, radius: f64::from(to_steps(kind.radius)), gives_way: !kind.owner_moved }
    }
}

/// Pushes the two bodies of a pair apart if they overlap and one of them may move.
fn part(all: &mut [Pushed], a: usize, b: usize, heads: &[Head]) -> bool {
    let (first, second) = (&all[a], &all[b]);
    let between = second.to - first.to;
    let distance = between.length();
    let radii = first.radius + second.radius;
    if distance * f64::from(POSITION_STEPS_PER_METRE) >= radii {
        return false;
    }
    let moves = (first.gives_way, second.gives_way);
    let share = match moves {
        (false, false) => return false,
        (true, true) => 0.5,
        _ => 1.0,
    };
    let way = if distance > 0.0 { between.unit() } else { any_way(heads[a].id, heads[b].id) };
    let reach = (radii + PUSH_SKIN_STEPS) / f64::from(POSITION_STEPS_PER_METRE);
    let push = way * ((reach - distance) * share);
    if moves.0 {
        all[a].to = all[a].to - push;
    }
    if moves.1 {
        all[b].to += push;
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
    let radius = at_least(kind.radius, SLIDE_RADIUS_METRES_MIN);
    // Who stands on the ground is not pushed into it, and goes aside as one who walks.
    let to = Vec3::above(to.flat(), clamp(to.z, 0.0, at_least(map.depth, 0.0)));
    let freedom = if to.z == from.z { Freedom::Plane } else { Freedom::Space };
    Walker { map, radius, freedom }.walk(from, (to - from).cut(radius * 0.5))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::SLIDE_SKIN_STEPS;
    use crate::rules::grid::tests::overlaps;
    use crate::rules::motion::Pose;
    use crate::rules::shape::tests::shapes;

    fn push_apart(heads: &mut [Head], kinds: &[KindSpec], map: &Map) {
        assert!(Crowd::default().push_apart(heads, kinds, map));
    }

    const fn kind(radius: f64, solid: bool, owner_moved: bool) -> KindSpec {
        KindSpec { radius, solid, owner_moved, ..KindSpec::PLAIN }
    }

    const KINDS: [KindSpec; 4] =
        [kind(0.3, true, false), kind(1.0, true, false), kind(0.5, false, false), kind(0.5, true, true)];

    fn head(id: u32, kind: u8, at: Vec3) -> Head {
        let pose = Pose { at: [at.x, at.y, at.z].map(to_steps), ..Pose::default() };
        Head { id: BodyId(id), kind, seat: None, pose, gone: false }
    }

    /// Bodies of the first so many kinds within so many metres of the middle.
    fn crowd(kinds: u8, half: f64, height: f64) -> impl Strategy<Value = Vec<Head>> {
        let body = (0..kinds, -half..half, -half..half, 0.0..=height);
        prop::collection::vec(body, 0..40).prop_map(|bodies| {
            let numbered = (1..).zip(bodies);
            numbered.map(|(id, (kind, x, y, z))| head(id, kind, Vec3::new(x, y, z))).collect()
        })
    }

    fn overlapping(heads: &[Head]) -> usize {
        let mut grid = Grid::default();
        grid.rebuild_of(heads, &KINDS, |kind| kind.solid);
        grid.solid_pairs(0).count()
    }

    proptest! {
        #[test]
        fn on_open_ground_no_solid_bodies_overlap_after_a_while(
            heads in crowd(3, 4.0, 0.0), tall in crowd(3, 3.0, 3.0),
        ) {
            for (mut heads, map) in [(heads, Map::flat(60, 60)), (tall, Map::deep(60, 60, 9))] {
                let soft: Vec<Head> = heads.iter().filter(|head| head.kind == 2).copied().collect();
                for _ in 0..60 {
                    push_apart(&mut heads, &KINDS, &map);
                }
                prop_assert_eq!(overlapping(&heads), 0);
                prop_assert_eq!(heads.iter().filter(|head| head.kind == 2).copied().collect::<Vec<_>>(), soft);
                let settled = heads.clone();
                push_apart(&mut heads, &KINDS, &map);
                prop_assert_eq!(heads, settled, "what is apart stays");
            }
        }

        #[test]
        fn the_order_of_storage_does_not_matter(heads in crowd(4, 3.0, 2.0), list in prop::collection::vec(shapes(), 0..4)) {
            let map = Map { shapes: list.leak(), ..Map::deep(20, 20, 6) };
            let (mut one, mut other) = (heads.clone(), heads);
            other.reverse();
            push_apart(&mut one, &KINDS, &map);
            push_apart(&mut other, &KINDS, &map);
            other.reverse();
            prop_assert_eq!(one, other);
        }

        /// However full it is, whoever was on the map and clear of shapes stays so.
        #[test]
        fn nobody_is_pushed_off_the_map_or_into_a_shape(
            heads in crowd(4, 5.0, 2.0), list in prop::collection::vec(shapes(), 0..6), depth in 0..4u32,
        ) {
            let flat = Map { shapes: list.leak(), ..Map::flat(10, 10) };
            let map = Map { depth: f64::from(depth), ..flat };
            let radius = |head: &Head| KINDS[head.kind as usize].radius;
            let mut heads = heads;
            heads.retain(|head| map.is_clear(to_space(head.pose.at), radius(head)));
            let skin = 2.0 * SLIDE_SKIN_STEPS / f64::from(POSITION_STEPS_PER_METRE);
            for _ in 0..5 {
                push_apart(&mut heads, &KINDS, &map);
                for head in &heads {
                    let at = to_space(head.pose.at);
                    let held = map.within3(at, radius(head));
                    prop_assert_eq!([held.x, held.y, held.z].map(to_steps), head.pose.at);
                    prop_assert!(map.clearance(at) >= radius(head) - skin, "{:?}", head);
                }
            }
        }
    }

    #[test]
    fn two_at_the_very_same_spot_part_the_same_way_each_time() {
        let map = Map::flat(60, 60);
        let run = |a: u32, b: u32| {
            let mut heads = [head(a, 0, Vec3::ZERO), head(b, 0, Vec3::ZERO)];
            for _ in 0..2 {
                push_apart(&mut heads, &KINDS, &map);
            }
            assert_eq!(overlapping(&heads), 0, "{heads:?}");
            heads.map(|head| head.pose.at)
        };
        assert_eq!(run(1, 2), run(1, 2));
        assert_ne!(run(1, 2), run(1, 3));
    }

    #[test]
    fn a_body_that_its_client_moves_stays_and_the_other_gives_way() {
        let mut heads = [
            head(1, 3, Vec3::ZERO),
            head(2, 0, Vec3::new(0.5, 0.0, 0.0)),
            head(3, 3, Vec3::new(-0.9, 0.0, 0.0)),
        ];
        let before = heads;
        for _ in 0..3 {
            push_apart(&mut heads, &KINDS, &Map::flat(60, 60));
        }
        assert_eq!((heads[0], heads[2]), (before[0], before[2]));
        assert!(to_space(heads[1].pose.at).x >= 0.8, "{heads:?}");
    }

    #[test]
    fn solid_bodies_that_lie_against_each_other_touch() {
        let mut heads = [head(1, 0, Vec3::ZERO), head(2, 1, Vec3::new(0.5, 0.4, 0.0))];
        push_apart(&mut heads, &KINDS, &Map::flat(60, 60));
        push_apart(&mut heads, &KINDS, &Map::flat(60, 60));
        assert_eq!(overlapping(&heads), 0);
        assert_eq!(overlaps(&heads, &KINDS).len(), 2);
    }
}
