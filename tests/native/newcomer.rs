//! A newcomer's game: made from a clone and docs/write-a-game.md alone, and kept as it came. What the page teaches has to
//! be enough for it; tests/browser/newcomer.test.mjs plays it in the page, which has no line about it.

#[path = "../worker/newcomer.rs"]
pub mod game;

use game::{Gardener, Mole, Moles};
use roundtable::prelude::*;
use roundtable::test::Play;

#[test]
fn a_mole_that_is_touched_is_whacked_and_gone_until_the_bell() {
    let mut play = Play::<Moles>::seeded(1);
    let ada = play.join("Ada");
    let mole = play.all::<Mole>()[0].at;
    play.put(ada, (mole.x, mole.y));
    play.run(1);
    assert_eq!(play.body::<Gardener>(ada).whacked, 1);
    assert_eq!(play.all::<Mole>().len(), 7);
}

#[test]
fn the_bell_brings_the_moles_up_elsewhere() {
    let mut play = Play::<Moles>::seeded(1);
    let ada = play.join("Ada");
    play.put(ada, (0.0, 0.0));
    let before: Vec<Vec2> = play.all::<Mole>().iter().map(|mole| mole.at).collect();
    play.run(5 * 20 + 1);
    let after: Vec<Vec2> = play.all::<Mole>().iter().map(|mole| mole.at).collect();
    assert!(before != after, "they came up elsewhere");
    assert_eq!(after.len(), 8);
}
