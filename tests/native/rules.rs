//! The rules runtime: handlers that fail, rounds, fields in bounds, digests.

use proptest::prelude::*;
use roundtable::rules::ids;

use crate::fixtures::{Gather, Play};

/// A handler that fails loses all it did, is named, and the room goes on.
#[test]
fn a_handler_that_panics_changes_nothing_and_is_named() {
    let mut cheating = Play::new::<Gather>(5);
    let mut honest = Play::new::<Gather>(5);
    for play in [&mut cheating, &mut honest] {
        play.join(0);
        play.ticks(3);
    }
    cheating.push(0, 0.0, 0.0, true);
    honest.push(0, 0.0, 0.0, false);
    let given = cheating.tick();
    honest.tick();
    assert_eq!(given.faults_count, 1);
    assert_eq!(given.faults[0].handler, "gatherer.tick");
    assert_eq!(given.faults[0].message, "caught cheating");
    assert_eq!(given.effects, []);
    assert_eq!(cheating.sim.digest(), honest.sim.digest(), "nothing of it is left, random draws included");
    cheating.push(0, 1.0, 0.0, false);
    honest.push(0, 1.0, 0.0, false);
    cheating.ticks(20);
    honest.ticks(20);
    assert_eq!(cheating.sim.digest(), honest.sim.digest());
}

#[test]
fn a_join_that_fails_leaves_the_seat_without_a_body() {
    let mut play = Play::new::<Gather>(1);
    play.join(7);
    let given = play.tick();
    assert_eq!(given.faults[0].handler, "join");
    assert!(play.snapshot().bodies.iter().all(|row| row.seat.is_none()));
    play.ticks(5);
    play.leave(7);
    play.tick();
}

/// What join returned is made to fit, and noted with what was written.
#[test]
fn a_value_out_of_bounds_is_fitted_and_noted() {
    let mut play = Play::new::<Gather>(1);
    play.join(0);
    let given = play.tick();
    assert_eq!(play.field(0, "mood"), 100);
    assert_eq!(given.notes_count, 1);
    assert_eq!((given.notes[0].handler.as_str(), given.notes[0].field.as_str()), ("gatherer.join", "mood"));
    assert_eq!(given.notes[0].written, "7");
}

#[test]
fn touching_takes_and_scores() {
    let mut play = Play::new::<Gather>(3);
    play.join(0);
    let mut chimes = 0;
    for i in 0..300u32 {
        let angle = f64::from(i) * 0.05;
        play.push(0, libm::cos(angle), libm::sin(angle), false);
        chimes += play.tick().effects.iter().filter(|effect| effect.name == "chime").count();
    }
    assert!(chimes > 0);
    assert_eq!(play.field(0, "gems"), chimes as i32);
    assert_eq!(play.snapshot().shared, [chimes as i32]);
    assert_eq!(play.sim.standing()[0].score, chimes as i32);
    assert_eq!(play.snapshot().bodies.len(), 21, "each gem taken made another");
}

/// When the break is over every held seat joins again as if it had just joined.
#[test]
fn a_round_ends_rests_and_begins_anew_with_the_same_seats() {
    let mut play = Play::new::<Gather>(3);
    play.join(0);
    play.join(2);
    play.ticks(399);
    assert!(play.sim.round().live);
    assert!(play.tick().round_changed);
    assert!(!play.sim.round().live);
    let frozen = play.at(0);
    play.push(0, 1.0, 0.0, true);
    let given = play.tick();
    assert_eq!((play.at(0), given.faults_count), (frozen, 0), "nothing acts in the break");
    play.push(0, 0.0, 0.0, false);
    play.ticks(38);
    assert!(play.tick().round_changed);
    let round = play.sim.round();
    assert_eq!((round.number, round.live, round.ends_at), (2, true, Some(ids::Tick(840))));
    assert_eq!(play.field(0, "gems"), 0);
    assert_eq!(play.snapshot().shared, [0], "shared state starts anew");
    assert_eq!(play.snapshot().bodies.len(), 22);
    assert!(play.snapshot().bodies.iter().any(|row| row.seat == Some(ids::Seat(2))));
}

/// B18.
#[test]
fn equal_scores_share_a_place() {
    let mut play = Play::new::<Gather>(3);
    for seat in 0..4 {
        play.join(seat);
    }
    play.tick();
    let places: Vec<u16> = play.sim.standing().iter().map(|row| row.place).collect();
    let scores: Vec<i32> = play.sim.standing().iter().map(|row| row.score).collect();
    for (i, place) in places.iter().enumerate() {
        assert_eq!(usize::from(*place), 1 + scores.iter().filter(|s| **s > scores[i]).count());
    }
}

/// The seed is an argument; nothing else makes two rooms differ.
#[test]
fn a_seed_decides_a_room() {
    let run = |seed| {
        let mut play = Play::new::<Gather>(seed);
        play.join(1);
        play.push(1, 0.3, 0.9, false);
        play.ticks(50);
        play.sim.digest()
    };
    assert_eq!(run(8), run(8));
    assert_ne!(run(8), run(9));
}

#[test]
fn the_durable_mark_moves_with_durable_fields_alone() {
    let mut play = Play::new::<Gather>(3);
    let empty = play.sim.durable_mark();
    play.join(0);
    let joined = play.sim.durable_mark();
    assert_ne!(empty, joined, "a body with a durable field was made");
    let (mut gems, mut mark) = (0, joined);
    for i in 0..200u32 {
        let angle = f64::from(i) * 0.05;
        play.push(0, libm::cos(angle), libm::sin(angle), false);
        play.tick();
        assert_eq!(play.sim.durable_mark() != mark, play.field(0, "gems") != gems);
        (gems, mark) = (play.field(0, "gems"), play.sim.durable_mark());
    }
    assert!(gems > 0);
}

#[derive(Clone, Debug)]
enum Op {
    Join(u16),
    Leave(u16),
    Push(u16, f64, f64, bool),
    Tick,
}

fn op() -> impl Strategy<Value = Op> {
    let wild =
        prop_oneof![-2.0..2.0, Just(f64::NAN), Just(f64::INFINITY), Just(-0.0), Just(1e308), Just(5e-324)];
    prop_oneof![
        1 => (0u16..8).prop_map(Op::Join),
        1 => (0u16..8).prop_map(Op::Leave),
        4 => (0u16..8, wild.clone(), wild, any::<bool>()).prop_map(|(s, x, y, b)| Op::Push(s, x, y, b)),
        8 => Just(Op::Tick),
    ]
}

fn apply(play: &mut Play, op: &Op) {
    match *op {
        Op::Join(seat) => play.join(seat),
        Op::Leave(seat) => play.leave(seat),
        Op::Push(seat, x, y, button) => play.push(seat, x, y, button),
        Op::Tick => {
            play.tick();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// F18, and §3.3: any inputs leave every field in bounds, and a room restored at any point goes on as the one it
    /// was cut from.
    #[test]
    fn a_restored_room_goes_on_like_the_one_it_was_cut_from(
        before in prop::collection::vec(op(), 0..120),
        after in prop::collection::vec(op(), 0..60),
        seed in any::<u64>(),
    ) {
        let mut play = Play::new::<Gather>(seed);
        for op in &before {
            apply(&mut play, op);
            play.check_bounds();
        }
        let mut again = play.restored();
        prop_assert_eq!(again.sim.digest(), play.sim.digest());
        for op in &after {
            apply(&mut play, op);
            apply(&mut again, op);
            prop_assert_eq!(again.sim.digest(), play.sim.digest());
        }
        prop_assert_eq!(again.snapshot(), play.snapshot());
    }
}
