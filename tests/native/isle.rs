//! Isle, played by the rules alone: gold, the island's count, and characters that leave and come back.

use roundtable::games::isle::Isle;
use roundtable::prelude::Vec2;
use roundtable::rules::character::Character;
use roundtable::rules::datum::Datum;
use roundtable::rules::face::SeatInfo;
use roundtable::rules::ids;
use roundtable::rules::motion::{Pose, to_metres};

use crate::fixtures::Play;

const COIN: u8 = 1;

/// Walks a seat to the nearest coin until it has `gold`.
fn collect(play: &mut Play, seat: u16, gold: i32) {
    for _ in 0..4_000 {
        if play.field(seat, "gold") >= gold {
            play.push(seat, 0.0, 0.0, false);
            return;
        }
        let me = play.at(seat);
        let snapshot = play.snapshot();
        let coins = snapshot.bodies.iter().filter(|row| row.kind == COIN).map(|row| to_metres(row.at));
        let nearest =
            coins.min_by(|a, b| a.distance(me).total_cmp(&b.distance(me))).expect("there is a coin");
        let way: Vec2 = (nearest - me).unit();
        play.push(seat, way.x, way.y, false);
        play.tick();
    }
    panic!("no {gold} gold after 200 s");
}

fn coins(play: &Play) -> usize {
    play.snapshot().bodies.iter().filter(|row| row.kind == COIN).count()
}

#[test]
fn gold_and_coins_on_the_ground_are_what_was_minted() {
    for seed in 0..8 {
        let mut play = Play::new::<Isle>(seed);
        play.join(0);
        play.join(1);
        collect(&mut play, 0, 5);
        collect(&mut play, 1, 3);
        let carried = play.field(0, "gold") + play.field(1, "gold");
        assert_eq!(play.snapshot().shared, [coins(&play) as i32 + carried, 0]);
        assert_eq!(coins(&play), 24);
    }
}

#[test]
fn nobody_comes_ashore_in_vain() {
    for seed in 0..8 {
        let mut play = Play::new::<Isle>(seed);
        play.join(0);
        for gold in 1..12 {
            collect(&mut play, 0, gold);
            let near = play.snapshot().bodies.into_iter().filter(|row| row.kind == COIN);
            assert!(
                near.filter(|row| to_metres(row.at).length() <= 10.0).count() > 0,
                "none near the landing"
            );
        }
        assert!(Play::new::<Isle>(seed).snapshot().bodies.len() == 24 + 3);
    }
}

/// B17
#[test]
fn a_character_leaves_with_its_gold_and_comes_back_with_it() {
    let mut play = Play::new::<Isle>(2);
    play.join(3);
    collect(&mut play, 3, 4);
    let copy = play.sim.character(ids::Seat(3));
    let left = play.sim.leave(ids::Seat(3), 0);
    assert_eq!(copy, left);
    assert_eq!(play.sim.character(ids::Seat(3)), None);
    let mut other = Play::new::<Isle>(77);
    let ada = SeatInfo { name: "Ada".to_owned(), character: left, ..SeatInfo::default() };
    other.sim.join(&ada, 0);
    assert_eq!(other.field(0, "gold"), 4);
}

#[test]
fn a_character_of_another_make_is_fitted() {
    let character = |kind: &str, fields: &[(&str, i32)]| Character {
        kind: kind.to_owned(),
        pose: Pose::default(),
        fields: fields
            .iter()
            .map(|(name, word)| ((*name).to_owned(), Datum::Int(i64::from(*word))))
            .collect(),
    };
    for (given, gold) in [
        (character("walker", &[("gold", 9), ("gone", 3)]), 9),
        (character("walker", &[]), 0),
        (character("walker", &[("gold", -5)]), 0),
        (character("wraith", &[("gold", 9)]), 0),
    ] {
        let mut play = Play::new::<Isle>(1);
        play.sim.join(&SeatInfo { character: Some(given), ..SeatInfo::default() }, 0);
        assert_eq!(play.field(0, "gold"), gold);
    }
}

#[test]
fn a_restored_isle_has_its_gold_coins_and_count() {
    let mut play = Play::new::<Isle>(4);
    play.join(0);
    collect(&mut play, 0, 3);
    let again = play.restored();
    assert_eq!(again.sim.digest(), play.sim.digest());
    assert_eq!(again.snapshot(), play.snapshot());
}

#[test]
fn only_what_is_picked_up_is_durable() {
    let mut play = Play::new::<Isle>(4);
    play.join(0);
    let (mut mark, mut gold) = (play.sim.durable_mark(), 0);
    for i in 0..400 {
        let angle = f64::from(i) * 0.05;
        play.push(0, libm::cos(angle), libm::sin(angle), false);
        play.tick();
        assert_eq!(play.sim.durable_mark() != mark, play.field(0, "gold") != gold);
        (mark, gold) = (play.sim.durable_mark(), play.field(0, "gold"));
    }
}
