//! Isle, played by the rules alone: gold, the island's count, the market, portals, and characters that leave and come back.

use roundtable::games::isle::{Coin, Deed, Island, Isle, Pad, Walker};
use roundtable::prelude::*;
use roundtable::rules::character::Character;
use roundtable::rules::datum::Datum;
use roundtable::rules::motion::Pose;
use roundtable::test::Play;

/// Walks a seat to the nearest coin until it has `gold`.
fn collect(play: &mut Play<Isle>, seat: SeatId, gold: i32) {
    for _ in 0..4_000 {
        if play.body::<Walker>(seat).gold >= gold {
            return play.rest(seat);
        }
        let me = play.at(seat);
        let coins = play.all::<Coin>().into_iter();
        let nearest =
            coins.min_by(|a, b| a.distance(me).total_cmp(&b.distance(me))).expect("there is a coin");
        play.hold(seat, Pad { r#move: (nearest.at - me).unit() });
        play.run(1);
    }
    panic!("no {gold} gold after 200 s");
}

/// A walker with so much gold and so many shells, by the stall.
fn rich(play: &mut Play<Isle>, name: &str, gold: i32, shells: i32) -> SeatId {
    let seat = play.join(name);
    play.put(seat, (5.0, 5.0));
    play.set::<Walker>(seat, |walker| (walker.gold, walker.shells) = (gold.into(), shells.into()));
    seat
}

fn purse(play: &Play<Isle>, seat: SeatId) -> (i32, i32) {
    let walker = play.body::<Walker>(seat);
    (walker.gold.get(), walker.shells.get())
}

#[test]
fn gold_and_coins_on_the_ground_are_what_was_minted() {
    for seed in 0..8 {
        let mut play = Play::<Isle>::seeded(seed);
        let (ada, bob) = (play.join("Ada"), play.join("Bob"));
        collect(&mut play, ada, 5);
        collect(&mut play, bob, 3);
        let carried = purse(&play, ada).0 + purse(&play, bob).0;
        assert_eq!(play.shared::<Island>().minted.get(), play.all::<Coin>().len() as i32 + carried);
        assert_eq!(play.all::<Coin>().len(), 24);
    }
}

#[test]
fn nobody_comes_ashore_in_vain() {
    for seed in 0..8 {
        let mut play = Play::<Isle>::seeded(seed);
        let ada = play.join("Ada");
        for gold in 1..12 {
            collect(&mut play, ada, gold);
            let near = play.all::<Coin>().into_iter().any(|coin| coin.at.length() <= 10.0);
            assert!(near, "no coin near the landing");
        }
    }
}

#[test]
fn shells_are_bought_at_the_stall_alone_and_the_till_has_the_gold() {
    let mut play = Play::<Isle>::seeded(3);
    let ada = rich(&mut play, "Ada", 10, 0);
    assert_eq!(play.act(ada, Deed::Buy { shells: 4.into() }), Err("that costs 12 gold".to_owned()));
    play.act(ada, Deed::Buy { shells: 3.into() }).expect("they cost 9");
    assert_eq!((purse(&play, ada), play.shared::<Island>().till.get()), ((1, 3), 9));
    assert_eq!(play.effects(), ["deal"]);
    play.put(ada, (20.0, -20.0));
    assert_eq!(play.act(ada, Deed::Buy { shells: 1.into() }), Err("you are not at the stall".to_owned()));
}

#[test]
fn a_trade_happens_whole_or_not_at_all() {
    let mut play = Play::<Isle>::seeded(3);
    let (ada, bob) = (rich(&mut play, "Ada", 10, 0), rich(&mut play, "Bob", 0, 4));
    let offer = |to| Deed::Offer { to: Some(to), gold: 6.into(), shells: 2.into() };
    let accept = Deed::Accept { from: Some(ada) };
    assert_eq!(play.act(bob, &accept), Err("there is no offer to you".to_owned()));
    play.act(ada, offer(bob)).expect("an offer");
    play.act(ada, Deed::Buy { shells: 3.into() }).expect("the gold is spent meanwhile");
    assert_eq!(play.act(bob, &accept), Err("they no longer have that much gold".to_owned()));
    play.set::<Walker>(ada, |walker| walker.gold = 6.into());
    play.act(bob, &accept).expect("a trade");
    assert_eq!((purse(&play, ada), purse(&play, bob)), ((0, 5), (6, 2)));
    assert_eq!(play.act(bob, &accept), Err("there is no offer to you".to_owned()), "once");
}

#[test]
fn a_portal_sends_its_traveller() {
    let mut play = Play::<Isle>::seeded(3);
    let ada = play.join("Ada");
    assert_eq!(play.act(ada, Deed::Enter), Err("there is no portal here".to_owned()));
    play.put(ada, (26.0, 26.0));
    play.act(ada, Deed::Enter).expect("a portal");
    assert_eq!((play.given.travels[0].seat, play.given.travels[0].room.as_str()), (ada, "dawn"));
}

/// B17
#[test]
fn a_character_leaves_with_its_gold_and_comes_back_with_it() {
    let mut play = Play::<Isle>::seeded(2);
    let ada = play.join("Ada");
    collect(&mut play, ada, 4);
    let copy = play.character(ada);
    let left = play.leave(ada);
    assert_eq!((&copy, play.character(ada)), (&left, None));
    let mut other = Play::<Isle>::seeded(77);
    let ada = other.join_with("Ada", left.expect("a character"));
    assert_eq!(purse(&other, ada), (4, 0));
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
        let mut play = Play::<Isle>::seeded(1);
        let ada = play.join_with("Ada", given);
        assert_eq!(purse(&play, ada).0, gold);
    }
}

#[test]
fn a_restored_isle_has_its_gold_coins_and_count() {
    let mut play = Play::<Isle>::seeded(4);
    let ada = play.join("Ada");
    collect(&mut play, ada, 3);
    let again = play.restored();
    assert_eq!((again.digest(), again.snapshot()), (play.digest(), play.snapshot()));
}

#[test]
fn only_what_is_picked_up_is_durable() {
    let mut play = Play::<Isle>::seeded(4);
    let ada = play.join("Ada");
    let (mut mark, mut gold) = (play.sim().durable_mark(), 0);
    for tick in 0..400 {
        play.hold(ada, Pad { r#move: Vec2::at_angle(f64::from(tick) * 0.05) });
        play.run(1);
        let now = purse(&play, ada).0;
        assert_eq!(play.sim().durable_mark() != mark, now != gold);
        (mark, gold) = (play.sim().durable_mark(), now);
    }
}
