//! Arena, played by the rules alone.

use roundtable::games::arena::{Arena, Fighter, Medkit, Pad};
use roundtable::prelude::*;
use roundtable::test::Play;

const FIRE: Pad = Pad { r#move: Vec2::ZERO, fire: Button::DOWN };

fn facing(way: Vec2) -> Pad {
    Pad { r#move: way, fire: Button::DOWN }
}

/// Two fighters on open ground, one to the left of the other, and no medkit near.
fn duel(seed: u64) -> (Play<Arena>, SeatId, SeatId) {
    let mut play = Play::<Arena>::seeded(seed);
    let (ada, bob) = (play.join("Ada"), play.join("Bob"));
    for medkit in play.all::<Medkit>() {
        play.world(|w| w.despawn(medkit.id));
    }
    play.put(ada, (-4.0, 0.0 - 4.0));
    play.put(bob, (1.0, -4.0));
    (play, ada, bob)
}

/// B45: where its target stood as the shooter saw it is where a shot lands.
#[test]
fn five_hits_fell_a_fighter_who_is_back_later() {
    let (mut play, ada, bob) = duel(4);
    play.hold(ada, facing(Vec2::new(0.01, 0.0)));
    play.run(1);
    assert_eq!(play.body::<Fighter>(bob).hp, 80);
    play.run(31);
    assert_eq!(play.body::<Fighter>(bob).hp, 20);
    play.run(1);
    assert_eq!((play.body::<Fighter>(bob).hp.get(), play.body::<Fighter>(ada).score.get()), (0, 1));
    assert_eq!(play.effects(), ["shot", "hit", "fall"]);
    assert_eq!(play.snapshot().areas[0].name, "smoke");
    let lies = play.at(bob);
    play.rest(ada);
    play.hold(bob, Pad { r#move: Vec2::new(1.0, 0.0), ..Pad::default() });
    play.run(38);
    assert_eq!(play.at(bob), lies, "the fallen lie still");
    play.rest(bob);
    play.run(1);
    assert_eq!(play.body::<Fighter>(bob).hp, 100);
    assert_eq!(play.effects(), ["rise"]);
    assert_eq!(play.body::<Fighter>(ada).score, 1, "the fallen are not felled again");
}

#[test]
fn neither_pillar_nor_smoke_lets_a_shot_through() {
    let (mut play, ada, bob) = duel(4);
    play.put(ada, (-4.0, 0.0));
    play.put(bob, (4.0, 0.0));
    play.hold(ada, facing(Vec2::new(0.01, 0.0)));
    play.run(8);
    assert_eq!(play.body::<Fighter>(bob).hp, 100, "the pillar in the middle hides it");
    let (mut play, ada, bob) = duel(4);
    play.world(|w| w.area("smoke", Vec2::new(1.0, -4.0), 2.0, 100));
    play.hold(ada, facing(Vec2::new(0.01, 0.0)));
    play.run(8);
    assert_eq!(play.body::<Fighter>(bob).hp, 100, "smoke hides it");
}

#[test]
fn a_shot_needs_reloading_and_holding_fire_repeats_it() {
    let mut play = Play::<Arena>::seeded(4);
    let ada = play.join("Ada");
    play.hold(ada, FIRE);
    play.run(80);
    assert_eq!(play.effects().iter().filter(|effect| **effect == "shot").count(), 10);
}

#[test]
fn a_medkit_heals_once_and_is_elsewhere_later() {
    let (mut play, ada, _) = duel(4);
    play.set::<Fighter>(ada, |fighter| fighter.hp = 50.into());
    let at = play.at(ada);
    play.world(|w| w.spawn(Medkit, At(at)));
    play.run(1);
    assert_eq!((play.body::<Fighter>(ada).hp.get(), play.all::<Medkit>().len()), (90, 0));
    play.run(12 * 20);
    assert_eq!(play.all::<Medkit>().len(), 1);
}

#[test]
fn bots_hunt_and_fell_each_other() {
    let mut play = Play::<Arena>::seeded(4);
    let bots = [play.join_bot("Ash"), play.join_bot("Birch"), play.join_bot("Clover")];
    play.run(60 * 20);
    let scores: i32 = bots.iter().map(|bot| play.body::<Fighter>(*bot).score.get()).sum();
    assert!(scores > 3, "{scores} in a minute");
    assert_eq!(play.given.faults, []);
}

/// The match room has nothing durable: it is saved at intervals.
#[test]
fn nothing_in_the_arena_is_durable() {
    let mut play = Play::<Arena>::seeded(4);
    let mark = play.sim().durable_mark();
    let ada = play.join("Ada");
    play.hold(ada, facing(Vec2::new(1.0, 0.0)));
    play.run(50);
    assert_eq!(play.sim().durable_mark(), mark);
}
