//! What a step owes whom: nobody starves, breaks are still, seats find room, characters outlive a join that fails.

use roundtable::limits::{BODIES_MAX, FUEL_PER_TICK};
use roundtable::prelude::*;
use roundtable::test::Play;

use crate::kitchen::{Cook, Deed, Kitchen};

/// Chains of spawns that never end, and bodies that count their ticks.
struct Chain;

#[derive(Input, Clone, Default)]
struct Still;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.1)]
struct Link;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.1)]
struct Clock {
    ticks: Int<0, 1_000_000>,
    spawned: bool,
}

/// Moved by its client, or by `steer` when a bot has it.
#[derive(Kind, Clone, Default)]
#[kind(player, owner_moved, radius = 0.1, speed = 5.0)]
struct Dancer;

impl Rules for Chain {
    type Kinds = (Link, Clock, Dancer);
    type Input = Still;
    const ROOM: Room = Room::rounds(0).map(Map::flat(40, 40));
    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        Entry::new(Dancer, At(Vec2::new(f64::from(seat.seat.0) * 3.0, 0.0)))
    }
}

impl Body<Chain> for Link {
    fn spawn(&mut self, me: &Me, w: &mut World<Chain>) {
        w.spawn(Link, At(me.at));
        w.despawn(me.id);
    }
}

impl Body<Chain> for Clock {
    fn spawn(&mut self, _: &Me, _: &mut World<Chain>) {
        self.spawned = true;
    }
    fn tick(&mut self, _: &Me, w: &mut World<Chain>) {
        if !self.spawned {
            w.fail("a tick before its spawn");
        }
        self.ticks += 1;
    }
}

impl Body<Chain> for Dancer {
    fn steer(&self, motion: &mut Motion, _: &Still, map: &Map) {
        motion.slide(Vec2::new(0.0, 2.0), map);
    }
}

#[test]
fn spawns_without_end_starve_nobody() {
    let mut play = Play::<Chain>::seeded(1);
    play.world(|w| (w.spawn(Link, At(Vec2::ZERO)), w.spawn(Clock::default(), At(Vec2::ZERO))));
    let clock = play.all::<Clock>()[0].id;
    play.run(1);
    play.world(|w| w.spawn(Clock::default(), At(Vec2::ZERO)));
    play.run(49);
    let late = play.all::<Clock>()[1].id;
    assert_eq!(play.given.faults, []);
    assert_eq!(play.body::<Clock>(clock).ticks, 50, "the chain may have half of each tick before it");
    assert!(play.body::<Clock>(late).ticks >= 48, "one behind the chain has its turn in it");
    let tally = play.sim().tally();
    assert_eq!(tally.ticks_cut, 50);
    assert!(tally.max_tick_units < FUEL_PER_TICK + 1_000);
}

/// B20: a tick is cut when a handler waits for the next, and then only.
#[test]
fn a_tick_in_which_all_have_their_turn_is_not_cut() {
    let mut play = Play::<Chain>::seeded(1);
    play.world(|w| w.spawn(Clock::default(), At(Vec2::ZERO)));
    play.run(30);
    let tally = play.sim().tally();
    assert_eq!((tally.ticks, tally.ticks_cut, tally.ticks_cut_on_end, tally.errors), (30, 0, 0, 0));
    assert!(tally.handlers >= 60 && tally.worst.is_some() && tally.max_units >= 5);
    assert_eq!(format!("{:?}", tally.stage), "Idle");
}

/// F26: a claim that is refused is told of, and the body is where it was.
#[test]
fn an_owner_moved_body_obeys_its_client_or_its_bot() {
    let mut play = Play::<Chain>::seeded(1);
    let (ada, bot) = (play.join("Ada"), play.join_bot("Bot"));
    play.run(10);
    assert_eq!(play.at(ada), Vec2::ZERO, "nobody moves it but its client");
    assert!((play.at(bot).y - 1.0).abs() < 0.01, "{:?}", play.at(bot));
    play.claim(ada, (0.1, 0.0), (2.0, 0.0));
    play.run(1);
    assert!((play.at(ada).x - 0.1).abs() < 0.01);
    play.claim(ada, (9.0, 0.0), (2.0, 0.0));
    play.run(1);
    assert_eq!(play.given.claims_refused, [ada]);
    assert!((play.at(ada).x - 0.1).abs() < 0.01, "it is put back");
}

/// B13: bodies of the rules leave room for those of seats.
#[test]
fn a_seat_finds_room_in_a_full_world() {
    let mut play = Play::<Chain>::seeded(1);
    for _ in 0..BODIES_MAX / 1_000 + 1 {
        play.world(|w| w.scatter(1_000, Clock::default()));
    }
    let clocks = play.all::<Clock>().len();
    assert_eq!(clocks, BODIES_MAX as usize - 8);
    assert!(play.world(|w| w.spawn(Link, Anywhere)).is_none());
    let seats: Vec<SeatId> = (0..8).map(|i| play.join(&format!("Ada {i}"))).collect();
    assert_eq!(play.all::<Dancer>().len(), seats.len());
    assert_eq!(play.restored().digest(), play.digest());
}

/// B16: a character is never lost by a join that fails; it plays on as it is.
#[test]
fn a_character_outlives_a_join_that_fails() {
    let mut play = Play::<Kitchen>::seeded(3);
    let ada = play.join("Ada");
    play.set::<Cook>(ada, |cook| (cook.stars, cook.word) = (9.into(), "soup".into()));
    let character = play.leave(ada).expect("a character");
    let cursed = play.join_with("cursed", character);
    assert_eq!(play.given.faults[0].handler, "join");
    let cook = play.body::<Cook>(cursed);
    assert_eq!((cook.stars.get(), &*cook.word, play.character(cursed).is_some()), (9, "bye", true));
    play.act(cursed, Deed::Restart).expect("a new match");
    assert_eq!(play.body::<Cook>(cursed).stars, 9);
    assert_eq!(play.leave(cursed).expect("a character").body::<Cook>().expect("a cook").stars, 9);
}

/// A room that runs by events: its timers count.
struct Chimes;

#[derive(Action, Clone)]
enum Ring {
    After { ms: Int<1, 1_000_000> },
    Over,
}

#[derive(Input, Clone, Default)]
#[input(actions = Ring, on_event)]
struct Bell;

#[derive(Kind, Clone, Default)]
#[kind(player)]
struct Ringer;

#[derive(Kind, Clone, Default)]
#[kind(shared)]
struct Tower {
    rung: Int<0, 1_000>,
    heard_ms: Int<0, 2_000_000_000>,
    rounds: Int<0, 1_000>,
}

impl Rules for Chimes {
    type Kinds = (Ringer, Tower);
    type Input = Bell;
    const ROOM: Room = Room::rounds(60).breaks(5).pace(Pace::OnEvent);
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Ringer, Anywhere)
    }
    fn timer(w: &mut World<Self>, _: &str) {
        let now = w.now_ms() as i32;
        w.share::<Tower>(|tower| (tower.rung, tower.heard_ms) = ((tower.rung + 1).into(), now.into()));
    }
}

impl Body<Chimes> for Tower {}
impl Body<Chimes> for Ringer {
    fn act(&mut self, me: &Me, ring: Ring, w: &mut World<Chimes>) -> Result<(), Refusal> {
        match ring {
            Ring::After { ms } => {
                w.after(ms.get() as u32, "room");
                w.after_me(me, ms.get() as u32 + 1, "mine");
            }
            Ring::Over => w.end_round(),
        }
        Ok(())
    }
    fn timer(&mut self, _: &Me, _: &str, w: &mut World<Chimes>) {
        Chimes::timer(w, "mine");
    }
}

/// F6: a due timer runs at its own time, however late the room hears of it.
#[test]
fn timers_of_an_event_room_run_in_order_at_their_own_time() {
    let mut play = Play::<Chimes>::seeded(1);
    let ada = play.join("Ada");
    let start = play.now_ms();
    play.act(ada, Ring::After { ms: 500.into() }).expect("a timer");
    assert_eq!(play.sim().next_due_ms(), Some(start + 500));
    play.wait_ms(499);
    assert_eq!(play.shared::<Tower>().rung, 0);
    play.wait_ms(1);
    assert_eq!(
        (play.shared::<Tower>().rung.get(), play.shared::<Tower>().heard_ms.get()),
        (1, start as i32 + 500)
    );
    play.wait_ms(10_000);
    assert_eq!(
        (play.shared::<Tower>().rung.get(), play.shared::<Tower>().heard_ms.get()),
        (2, start as i32 + 501)
    );
    play.wait_ms(51_000);
    assert!(!play.sim().round().live, "a minute is over");
}

/// In a break timers wait, whatever events there are; a room saved in it goes on.
#[test]
fn a_break_of_an_event_room_is_still_and_can_be_saved() {
    let mut play = Play::<Chimes>::seeded(1);
    let (ada, bob) = (play.join("Ada"), play.join("Bob"));
    play.act(ada, Ring::After { ms: 100.into() }).expect("a timer");
    play.act(ada, Ring::Over).expect("the end");
    assert!(!play.sim().round().live && play.given.round_changed);
    play.wait_ms(1_000);
    assert_eq!(play.act(bob, Ring::Over), Err("the round is over".to_owned()));
    play.leave(bob);
    assert_eq!(play.shared::<Tower>().rung, 0);
    let mut again = play.restored();
    for room in [&mut play, &mut again] {
        room.wait_ms(3_999);
        assert!(!room.sim().round().live);
        room.wait_ms(1);
        assert_eq!((room.sim().round().number, room.sim().round().live), (2, true));
        room.wait_ms(5_000);
        assert_eq!(room.shared::<Tower>().rung, 0, "timers of the last match are gone");
    }
    assert_eq!(play.digest(), again.digest());
}
