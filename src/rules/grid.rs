//! A uniform grid over the bodies of a tick, for finding neighbours: which overlap, which lie near a point.
//!
//! Cells are hashed to buckets, so a wide map costs no more than a narrow one. Every answer is in the order of ids, and
//! the same however the heads are stored. The buffers are kept from tick to tick. Contract: `rebuild` first; what moves
//! after it is found where it was.

use std::cell::Cell;

use crate::limits::{PAIRS_PER_TICK_MAX, POSITION_STEPS_PER_METRE, SOLID_TOUCH_STEPS};
use crate::rules::engine::Head;
use crate::rules::exact::{at_least, floor};
use crate::rules::ids::BodyId;
use crate::rules::motion::{to_space, to_steps};
use crate::rules::schema::KindSpec;
use crate::rules::vec3::Vec3;

/// Two bodies that overlap, as indices of heads.
pub type Pair = (u32, u32);

/// The bodies of a tick by where they are.
#[derive(Default)]
pub struct Grid {
    /// A cell is 2 to the power of this many steps wide.
    shift: u32,
    /// By rising id; elsewhere a body is its place in here.
    bodies: Vec<Placed>,
    /// Where each bucket begins in `placed`; the last is the end.
    starts: Vec<u32>,
    /// The bodies again, bucket by bucket: those of a row of cells lie side by side.
    placed: Vec<Placed>,
    /// Pairs of bodies, each as one number.
    keys: Vec<u64>,
    pairs: Vec<Pair>,
    is_full: bool,
    found: Cell<Vec<u32>>,
}

#[derive(Clone, Copy, Default)]
struct Placed {
    id: BodyId,
    /// Its place among the bodies.
    number: u32,
    /// Its head's index.
    index: u32,
    at: [i32; 3],
    cell: [i32; 2],
    /// Steps.
    radius: i32,
    solid: bool,
}

impl Grid {
    /// Takes in the bodies that are there.
    pub fn rebuild(&mut self, heads: &[Head], kinds: &[KindSpec]) {
        self.rebuild_of(heads, kinds, |_| true);
    }

    /// Takes in the bodies of some kinds.
    pub fn rebuild_of(&mut self, heads: &[Head], kinds: &[KindSpec], takes: impl Fn(&KindSpec) -> bool) {
        self.bodies.clear();
        for (index, head) in heads.iter().enumerate().filter(|(_, head)| !head.gone) {
            let Some(kind) = kinds.get(usize::from(head.kind)).filter(|kind| takes(kind)) else { continue };
            let (id, at, radius) = (head.id, head.pose.at, to_steps(at_least(kind.radius, 0.0)));
            // At most BODIES_MAX heads.
            let index = index as u32;
            self.bodies.push(Placed { id, index, at, radius, solid: kind.solid, ..Placed::default() });
        }
        if !self.bodies.is_sorted_by_key(|body| body.id) {
            self.bodies.sort_unstable_by_key(|body| body.id);
        }
        // At least twice as wide as the average body: two cells each way hold what it can touch.
        let radii: i64 = self.bodies.iter().map(|body| i64::from(body.radius)).sum();
        let width = 4 * radii / (self.bodies.len() as i64).max(1);
        let least = i64::from(POSITION_STEPS_PER_METRE) / 4;
        self.shift = width.clamp(least, 1 << 30).cast_unsigned().next_power_of_two().ilog2();
        for (number, body) in (0..).zip(&mut self.bodies) {
            body.number = number;
            body.cell = [body.at[0] >> self.shift, body.at[1] >> self.shift];
        }
        self.fill_buckets();
    }

    /// Counts the bodies of each bucket, then puts each in its place.
    fn fill_buckets(&mut self) {
        let buckets = (2 * self.bodies.len()).next_power_of_two();
        self.starts.clear();
        self.starts.resize(buckets + 2, 0);
        self.placed.clear();
        self.placed.resize(self.bodies.len(), Placed::default());
        for body in &self.bodies {
            self.starts[bucket(body.cell[0], body.cell[1], buckets) + 2] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        // Now the second next of each says where it begins; putting the bodies in moves that on to where it ends.
        for body in &self.bodies {
            let next = &mut self.starts[bucket(body.cell[0], body.cell[1], buckets) + 1];
            self.placed[*next as usize] = *body;
            *next += 1;
        }
        self.starts.pop();
    }

    /// Takes the bodies in anew and finds the pairs that overlap, both ways round, in the order of ids. Solid ones touch
    /// when they lie against each other. `keep` takes the list back, for the next tick.
    #[must_use]
    pub fn overlaps(&mut self, heads: &[Head], kinds: &[KindSpec]) -> Vec<Pair> {
        self.rebuild(heads, kinds);
        self.find_pairs(SOLID_TOUCH_STEPS);
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        let index = |number: u64| self.bodies[number as usize].index;
        pairs.extend(self.keys.iter().map(|key| (index(key >> 32), index(key & 0xffff_ffff))));
        pairs
    }

    /// Takes back what `overlaps` gave, so that the next one need not allocate.
    pub fn keep(&mut self, pairs: Vec<Pair>) {
        self.pairs = pairs;
    }

    /// Whether the last pairs were more than there may be, so that some were left out.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The pairs of solid bodies at most so many steps apart, as indices of heads, each once, in the order of ids.
    pub(crate) fn solid_pairs(&mut self, steps: i32) -> impl Iterator<Item = Pair> {
        self.find_pairs(steps);
        let index = |number: u64| self.bodies[number as usize].index;
        let once = self.keys.iter().filter(|key| **key >> 32 < **key & 0xffff_ffff);
        once.map(move |key| (index(key >> 32), index(key & 0xffff_ffff)))
    }

    fn find_pairs(&mut self, solid_skin: i32) {
        let mut keys = std::mem::take(&mut self.keys);
        let mut full = false;
        keys.clear();
        for body in &self.bodies {
            // The larger of two looks for the smaller, so that one giant does not make all others look far.
            let reach = 2 * i64::from(body.radius) + if body.solid { i64::from(solid_skin) } else { 0 };
            let (x, y) = (i64::from(body.at[0]), i64::from(body.at[1]));
            self.each_in([x - reach, y - reach], [x + reach, y + reach], |met| {
                let looks = met.radius < body.radius || met.radius == body.radius && met.number < body.number;
                if looks && touch(body, met, solid_skin) {
                    full |= keys.len() >= PAIRS_PER_TICK_MAX;
                    if !full {
                        keys.push(u64::from(body.number) << 32 | u64::from(met.number));
                        keys.push(u64::from(met.number) << 32 | u64::from(body.number));
                    }
                }
            });
            if full {
                break;
            }
        }
        keys.sort_unstable();
        (self.keys, self.is_full) = (keys, full);
    }

    /// Hands out the bodies whose centres lie within `metres` of a point, as indices of heads, by rising id; says how
    /// many were looked at.
    pub fn near(&self, at: Vec3, metres: f64, mut each: impl FnMut(usize)) -> usize {
        let mut found = self.found.take();
        found.clear();
        let mut looked = 0;
        // `as` saturates, and makes 0 of what is no number, which is near nothing anyway.
        let steps = |metres: f64| floor(metres * f64::from(POSITION_STEPS_PER_METRE)) as i64;
        let low = [steps(at.x - metres), steps(at.y - metres)];
        let high = [steps(at.x + metres), steps(at.y + metres)];
        self.each_in(low, high, |body| {
            looked += 1;
            if to_space(body.at).distance(at) <= metres {
                found.push(body.number);
            }
        });
        found.sort_unstable();
        for number in &found {
            each(self.bodies[*number as usize].index as usize);
        }
        self.found.set(found);
        looked
    }

    /// Hands out the bodies of the cells that a rectangle meets, in steps. Inlined with what is done to each, which is
    /// little: it runs for every body of a tick.
    #[inline(always)]
    fn each_in(&self, low: [i64; 2], high: [i64; 2], mut each: impl FnMut(&Placed)) {
        // No body lies in a cell beyond the range of an `i32`.
        let cell = |steps: i64| (steps >> self.shift).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let (left, right) = (cell(low[0]), cell(high[0]));
        let (bottom, top) = (cell(low[1]), cell(high[1]));
        let side = |low: i32, high: i32| (i64::from(high) - i64::from(low) + 1).max(0);
        let (wide, tall) = (side(left, right), side(bottom, top));
        if wide == 0 || tall == 0 {
            return;
        }
        // As many cells as bodies: all bodies then.
        let all = wide.saturating_mul(tall) > self.bodies.len() as i64;
        let (bottom, top) = if all { (0, 0) } else { (bottom, top) };
        for y in bottom..=top {
            let parts = if all { [(0, self.placed.len()), (0, 0)] } else { self.row(left, wide as usize, y) };
            for (from, to) in parts {
                for body in &self.placed[from..to] {
                    // Other cells share the buckets.
                    if all || (body.cell[1] == y && body.cell[0] >= left && body.cell[0] <= right) {
                        each(body);
                    }
                }
            }
        }
    }

    /// Where the bodies of a row of fewer cells than there are buckets lie in `placed`: in two parts when the buckets
    /// begin anew on the way.
    fn row(&self, left: i32, wide: usize, y: i32) -> [(usize, usize); 2] {
        let buckets = self.starts.len().saturating_sub(1);
        let first = bucket(left, y, buckets);
        let end = first + wide;
        let start = |bucket: usize| self.starts[bucket] as usize;
        if end <= buckets {
            [(start(first), start(end)), (0, 0)]
        } else {
            [(start(first), start(buckets)), (0, start(end - buckets))]
        }
    }
}

/// The bucket of a cell; `buckets` is a power of two. The next cell of a row has the next bucket, rows lie anywhere.
fn bucket(x: i32, y: i32, buckets: usize) -> usize {
    let mixed = y.cast_unsigned().wrapping_mul(0x9e37_79b1);
    x.cast_unsigned().wrapping_add(mixed ^ (mixed >> 15)) as usize & (buckets - 1)
}

#[inline(always)]
fn touch(a: &Placed, b: &Placed, solid_skin: i32) -> bool {
    let skin = if a.solid && b.solid { solid_skin } else { 0 };
    let reach = i64::from(a.radius) + i64::from(b.radius) + i64::from(skin);
    let apart = |axis: usize| i64::from(a.at[axis]) - i64::from(b.at[axis]);
    let (x, y, z) = (apart(0), apart(1), apart(2));
    // Most are farther than that along one axis alone.
    if x.abs() >= reach || y.abs() >= reach || z.abs() >= reach {
        return false;
    }
    // Whole steps on a map: their squares are exact.
    let (x, y, z, reach) = (x as f64, y as f64, z as f64, reach as f64);
    x * x + y * y + z * z < reach * reach
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::motion::Pose;

    type Ids = Vec<(BodyId, BodyId)>;

    /// All overlapping pairs, both ways round, sorted.
    pub(crate) fn overlaps(heads: &[Head], kinds: &[KindSpec]) -> Ids {
        ids(&Grid::default().overlaps(heads, kinds), heads)
    }

    fn ids(pairs: &[Pair], heads: &[Head]) -> Ids {
        pairs.iter().map(|(a, b)| (heads[*a as usize].id, heads[*b as usize].id)).collect()
    }

    const fn kind(radius: f64, solid: bool) -> KindSpec {
        KindSpec { radius, solid, ..KindSpec::PLAIN }
    }

    const KINDS: [KindSpec; 4] = [kind(0.3, false), kind(1.0, true), kind(0.3, true), kind(6.0, false)];

    /// Bodies by rising id, on a map of so many metres around the middle.
    fn crowd(half: f64, height: f64) -> impl Strategy<Value = Vec<Head>> {
        let axis = move || (-half..half).prop_map(to_steps);
        let body = (axis(), axis(), (0.0..=height).prop_map(to_steps), 0..20u8);
        prop::collection::vec(body, 0..120).prop_map(|bodies| {
            let head = |(i, (x, y, z, draw)): (usize, (i32, i32, i32, u8))| Head {
                id: BodyId(i as u32 * 3 + 1),
                // One giant among twenty.
                kind: if draw == 0 { 3 } else { draw % 3 },
                seat: None,
                pose: Pose { at: [x, y, z], ..Pose::default() },
                gone: draw == 19,
            };
            bodies.into_iter().enumerate().map(head).collect()
        })
    }

    fn all_pairs(heads: &[Head]) -> Ids {
        let there: Vec<&Head> = heads.iter().filter(|head| !head.gone).collect();
        let mut pairs = Vec::new();
        for a in &there {
            for b in there.iter().filter(|b| b.id != a.id) {
                let kinds = [a, b].map(|head| &KINDS[head.kind as usize]);
                let skin = if kinds.iter().all(|kind| kind.solid) { SOLID_TOUCH_STEPS } else { 0 };
                let reach = i64::from(to_steps(kinds[0].radius) + to_steps(kinds[1].radius) + skin);
                let apart = [0, 1, 2].map(|axis| i64::from(a.pose.at[axis] - b.pose.at[axis]));
                if apart.iter().map(|steps| steps * steps).sum::<i64>() < reach * reach {
                    pairs.push((a.id, b.id));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    proptest! {
        #[test]
        fn the_grid_finds_the_pairs_that_comparing_all_finds(
            heads in prop_oneof![crowd(8.0, 0.0), crowd(12.0, 6.0), crowd(16_000.0, 0.0)],
        ) {
            prop_assert_eq!(overlaps(&heads, &KINDS), all_pairs(&heads));
        }

        #[test]
        fn the_grid_finds_who_is_near_as_looking_at_all_does(
            heads in crowd(12.0, 6.0), x in -14.0..14.0f64, y in -14.0..14.0f64, metres in -1.0..30.0f64,
        ) {
            let mut grid = Grid::default();
            grid.rebuild(&heads, &KINDS);
            let (at, mut found) = (Vec3::new(x, y, 1.0), Vec::new());
            let looked = grid.near(at, metres, |index| found.push(index));
            let close = |head: &Head| !head.gone && to_space(head.pose.at).distance(at) <= metres;
            let all: Vec<usize> = (0..heads.len()).filter(|index| close(&heads[*index])).collect();
            prop_assert!(looked >= found.len() && looked <= heads.len());
            prop_assert_eq!(found, all);
        }

        #[test]
        fn the_order_of_storage_and_what_a_grid_held_before_do_not_matter(
            heads in crowd(8.0, 0.0), before in crowd(30.0, 6.0),
        ) {
            let mut grid = Grid::default();
            let used = grid.overlaps(&before, &KINDS);
            grid.keep(used);
            let turned: Vec<Head> = heads.iter().rev().copied().collect();
            let pairs = grid.overlaps(&turned, &KINDS);
            prop_assert_eq!(ids(&pairs, &turned), overlaps(&heads, &KINDS));
        }

        /// F18
        #[test]
        fn wild_places_are_survived(n in prop::array::uniform4(crate::rules::shape::tests::wild())) {
            let at = [to_steps(n[0]), i32::MIN, to_steps(n[1])];
            let head = |id| Head { id: BodyId(id), kind: 3, seat: None, pose: Pose { at, ..Pose::default() }, gone: false };
            let mut grid = Grid::default();
            let heads = [head(1), head(2)];
            prop_assert_eq!(grid.overlaps(&heads, &KINDS).len(), 2);
            let mut found = 0;
            grid.near(Vec3::new(n[0], n[1], n[2]), n[3], |_| found += 1);
            grid.near(Vec3::ZERO, f64::INFINITY, |_| found += 1);
            prop_assert!(found >= 2);
            Grid::default().near(Vec3::new(n[0], n[1], n[2]), n[3], |_| panic!("an empty grid has nobody"));
        }
    }

    #[test]
    fn a_heap_of_all_bodies_at_one_spot_gives_a_bounded_list() {
        let head = |id| Head { id: BodyId(id), kind: 0, seat: None, pose: Pose::default(), gone: false };
        let heads: Vec<Head> = (1..=8_192).map(head).collect();
        let mut grid = Grid::default();
        let pairs = grid.overlaps(&heads, &KINDS);
        assert!(pairs.len() == PAIRS_PER_TICK_MAX && grid.is_full());
        assert!(pairs.is_sorted());
        assert!(grid.overlaps(&heads[..256], &KINDS).len() == 256 * 255 && !grid.is_full());
    }
}
