//! The rules runtime in a small game: rounds, scores, seeds, what is durable.

use roundtable::prelude::*;
use roundtable::rules::ids;
use roundtable::test::Play;

use crate::fixtures::{Bank, Gather, GatherPad, Gatherer, Gem};

/// Walks in a circle.
fn circling(tick: u32) -> GatherPad {
    GatherPad { go: Vec2::at_angle(f64::from(tick) * 0.05), ..GatherPad::default() }
}

/// A handler that fails loses all it did, is named, and the room goes on.
#[test]
fn a_handler_that_panics_changes_nothing_and_is_named() {
    let mut cheating = Play::<Gather>::seeded(5);
    let ada = cheating.join("Ada");
    cheating.run(3);
    let mut honest = cheating.restored();
    cheating.hold(ada, GatherPad { cheat: Button::DOWN, ..GatherPad::default() });
    cheating.run(1);
    honest.run(1);
    let given = &cheating.given;
    assert_eq!((given.faults_count, given.faults[0].handler.as_str()), (1, "gatherer.tick"));
    assert_eq!(given.faults[0].message, "caught cheating");
    assert_eq!(given.effects, []);
    assert_eq!(cheating.digest(), honest.digest(), "nothing of it is left, random draws included");
    for play in [&mut cheating, &mut honest] {
        play.hold(ada, circling(0));
        play.run(20);
    }
    assert_eq!(cheating.digest(), honest.digest());
}

#[test]
fn a_join_that_fails_leaves_the_seat_without_a_body() {
    let mut play = Play::<Gather>::seeded(1);
    let cursed = play.join("player 7");
    assert_eq!(play.given.faults[0].handler, "join");
    assert!(play.snapshot().bodies.iter().all(|row| row.seat.is_none()));
    play.run(5);
    assert_eq!(play.leave(cursed), None);
    play.run(1);
}

#[test]
fn touching_takes_and_scores() {
    let mut play = Play::<Gather>::seeded(3);
    let ada = play.join("Ada");
    let mut chimes = 0;
    for tick in 0..300 {
        play.hold(ada, circling(tick));
        play.run(1);
        chimes += play.effects().iter().filter(|effect| **effect == "chime").count();
    }
    assert!(chimes > 0);
    assert_eq!(play.body::<Gatherer>(ada).gems, chimes as i32);
    assert_eq!(play.shared::<Bank>().taken, chimes as i32);
    assert_eq!(play.sim().standing()[0].score, chimes as i32);
    assert_eq!(play.all::<Gem>().len(), 20, "each gem taken made another");
}

/// When the break is over every held seat joins again as if it had just joined.
#[test]
fn a_round_ends_rests_and_begins_anew_with_the_same_seats() {
    let mut play = Play::<Gather>::seeded(3);
    let (ada, _) = (play.join("Ada"), play.join("Bob"));
    play.run(399);
    assert!(play.sim().round().live);
    play.run(1);
    assert!(play.given.round_changed && !play.sim().round().live);
    let frozen = play.at(ada);
    play.hold(ada, GatherPad { go: Vec2::new(1.0, 0.0), cheat: Button::DOWN });
    play.run(1);
    assert_eq!((play.at(ada), play.given.faults_count), (frozen, 0), "nothing acts in the break");
    play.rest(ada);
    play.run(38);
    assert!(!play.given.round_changed);
    play.run(1);
    let round = play.sim().round();
    assert_eq!((round.number, round.live, round.ends_at), (2, true, Some(ids::Tick(840))));
    assert_eq!(play.body::<Gatherer>(ada).gems, 0);
    assert_eq!(play.shared::<Bank>().taken, 0, "shared state starts anew");
    assert_eq!((play.all::<Gem>().len(), play.all::<Gatherer>().len()), (20, 2));
}

/// The seed is an argument; nothing else makes two rooms differ.
#[test]
fn a_seed_decides_a_room() {
    let run = |seed| {
        let mut play = Play::<Gather>::seeded(seed);
        let ada = play.join("Ada");
        play.hold(ada, circling(20));
        play.run(50);
        play.digest()
    };
    assert_eq!(run(8), run(8));
    assert_ne!(run(8), run(9));
}

#[test]
fn the_durable_mark_moves_with_durable_fields_alone() {
    let mut play = Play::<Gather>::seeded(3);
    let empty = play.sim().durable_mark();
    let ada = play.join("Ada");
    let joined = play.sim().durable_mark();
    assert_ne!(empty, joined, "a body with a durable field was made");
    let (mut gems, mut mark) = (0, joined);
    for tick in 0..200 {
        play.hold(ada, circling(tick));
        play.run(1);
        let now = play.body::<Gatherer>(ada).gems.get();
        assert_eq!(play.sim().durable_mark() != mark, now != gems);
        (gems, mark) = (now, play.sim().durable_mark());
    }
    assert!(gems > 0);
}
