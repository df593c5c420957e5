//! Arena, played by the rules alone.

use roundtable::games::arena::Arena;
use roundtable::prelude::Vec2;

use crate::fixtures::Play;

/// Walks seat 0 at seat 1 and fires until `done`, at most `ticks` ticks.
fn hunt(play: &mut Play, ticks: u32, mut done: impl FnMut(&Play) -> bool) {
    for _ in 0..ticks {
        if done(play) {
            return;
        }
        let way: Vec2 = play.at(1) - play.at(0);
        let far = way.length() > 2.0;
        let way = way.unit() * if far { 1.0 } else { 0.1 };
        play.push(0, way.x, way.y, true);
        play.tick();
    }
    panic!(
        "not done after {ticks} ticks: {:?} {:?} hp {} score {}",
        play.at(0),
        play.at(1),
        play.field(1, "hp"),
        play.field(0, "score")
    );
}

#[test]
fn five_hits_fell_a_fighter_who_is_back_later() {
    for seed in 0..60 {
        let mut play = Play::new::<Arena>(seed);
        play.join(0);
        play.join(1);
        play.tick();
        assert_eq!(play.field(1, "hp"), 100);
        hunt(&mut play, 400, |play| play.field(1, "hp") == 80);
        hunt(&mut play, 400, |play| play.field(0, "score") == 1);
        assert_eq!(play.field(1, "hp"), 0);
        let lies = play.at(1);
        play.push(0, 0.0, 0.0, false);
        play.push(1, 1.0, 0.0, false);
        play.ticks(20);
        assert_eq!(play.at(1), lies, "the fallen lie still");
        play.push(1, 0.0, 0.0, false);
        play.ticks(21);
        assert_eq!(play.field(1, "hp"), 100);
        assert_eq!(play.field(0, "score"), 1, "the fallen are not felled again");
    }
}

#[test]
fn a_shot_needs_reloading_and_holding_fire_repeats_it() {
    let mut play = Play::new::<Arena>(4);
    play.join(0);
    play.push(0, 0.0, 0.0, true);
    let shots: usize =
        (0..80).map(|_| play.tick().effects.iter().filter(|effect| effect.name == "shot").count()).sum();
    assert_eq!(shots, 10);
}

/// The match room has nothing durable: it is saved at intervals.
#[test]
fn nothing_in_the_arena_is_durable() {
    let mut play = Play::new::<Arena>(4);
    let mark = play.sim.durable_mark();
    play.join(0);
    play.push(0, 1.0, 0.0, true);
    play.ticks(50);
    assert_eq!(play.sim.durable_mark(), mark);
}
