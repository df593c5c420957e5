//! A uniform grid over the bodies of a tick, for finding neighbours.
//!
//! Cells are as wide as the largest body's diameter, so bodies that overlap lie in the same cell or in adjacent ones. The
//! grid is a sorted list of (cell, body): no hashing, stable order, rebuilt each tick.

use crate::rules::engine::Head;
use crate::rules::ids::BodyId;
use crate::rules::motion::to_steps;
use crate::rules::schema::KindSpec;

#[derive(Default)]
pub struct Grid;
impl Grid {
    pub fn overlaps(&mut self, heads: &[Head], kinds: &[KindSpec]) -> Vec<Pair> {
        overlaps(heads, kinds)
    }
}

/// A pair of bodies whose discs overlap, in the order of their ids.
pub type Pair = (BodyId, BodyId);

/// All overlapping pairs, both ways round, sorted.
#[must_use]
pub fn overlaps(heads: &[Head], kinds: &[KindSpec]) -> Vec<Pair> {
    let radius = |head: &Head| to_steps(kinds[usize::from(head.kind)].radius);
    let Some(widest) = heads.iter().map(radius).max() else {
        return Vec::new();
    };
    let width = (2 * widest).max(1);
    let cell = |head: &Head| (head.pose.at[1].div_euclid(width), head.pose.at[0].div_euclid(width));
    let mut cells: Vec<((i32, i32), usize)> =
        heads.iter().enumerate().filter(|(_, head)| !head.gone).map(|(i, head)| (cell(head), i)).collect();
    cells.sort_unstable();
    let mut pairs = Vec::new();
    for &((row, column), i) in &cells {
        for near_row in row - 1..=row + 1 {
            let start = cells.partition_point(|(c, _)| *c < (near_row, column - 1));
            let in_reach = cells[start..].iter().take_while(|(c, _)| *c <= (near_row, column + 1));
            for &(_, j) in in_reach {
                let (a, b) = (&heads[i], &heads[j]);
                if i != j && near(a, b, radius(a) + radius(b)) {
                    pairs.push((a.id, b.id));
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn near(a: &Head, b: &Head, reach: i32) -> bool {
    let square = |v: i64| v * v;
    let apart = |axis: usize| i64::from(a.pose.at[axis]) - i64::from(b.pose.at[axis]);
    square(apart(0)) + square(apart(1)) < square(i64::from(reach))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::motion::Pose;
    use crate::rules::rng::Rng;

    fn kind(radius: f64) -> KindSpec {
        KindSpec { name: "disc", player: false, shared: false, radius, look: "", bar: None, fields: &[] }
    }

    #[test]
    fn the_grid_finds_the_pairs_that_comparing_all_finds() {
        let kinds = [kind(0.3), kind(1.0)];
        let mut rng = Rng::new(7);
        let mut axis = |_| to_steps(rng.unit() * 24.0 - 12.0);
        let heads: Vec<Head> = (0..300)
            .map(|i| Head {
                id: BodyId(i),
                kind: (i % 2) as u8,
                seat: None,
                pose: Pose { at: [axis(()), axis(())], ..Pose::default() },
                gone: i % 17 == 0,
            })
            .collect();
        let mut all = Vec::new();
        for a in heads.iter().filter(|h| !h.gone) {
            for b in heads.iter().filter(|h| !h.gone && h.id != a.id) {
                let reach = to_steps(kinds[a.kind as usize].radius) + to_steps(kinds[b.kind as usize].radius);
                if near(a, b, reach) {
                    all.push((a.id, b.id));
                }
            }
        }
        assert!(all.len() > 50);
        assert_eq!(overlaps(&heads, &kinds), all);
    }
}
