//! What the runtime guarantees whatever a game's handlers do: whole failures, fuel, order, characters, results.

use roundtable::limits::{ANSWER_CHARS_MAX, AVOIDED_MAX, FUEL_PER_HANDLER, FUEL_PER_TICK, OWNER_CHARS_MAX};
use roundtable::prelude::*;
use roundtable::rules::face::{Driver, SeatInfo};
use roundtable::test::Play;

use crate::kitchen::{Board, Cook, Deed, Kitchen, Mood, Pad, Pan};

fn everything(ends: i32) -> Deed {
    Deed::Everything { ends: ends.into(), word: "soup".into() }
}

/// A room with two cooks, a bot and an ai, some ticks in.
fn kitchen(seed: u64) -> (Play<Kitchen>, SeatId) {
    let mut play = Play::<Kitchen>::seeded(seed);
    let ada = play.join("Ada");
    play.join("Bob");
    play.join_bot("Bot");
    play.join_ai("Mind");
    play.hold(ada, Pad { go: Vec2::new(0.4, 0.1), ..Pad::default() });
    play.run(25);
    (play, ada)
}

/// B19, B20. Whatever ends a handler early, nothing it did stays: not in the room, and not in what it gives out.
#[test]
fn a_handler_that_fails_changes_nothing() {
    for (ends, named) in [(1, "a pan on the head"), (2, "nothing is ready"), (3, "it used up its fuel")] {
        for seed in 0..12 {
            let (mut failed, ada) = kitchen(seed);
            let mut calm = failed.restored();
            assert!(failed.act(ada, everything(ends)).is_err());
            calm.run(1);
            assert_eq!(failed.digest(), calm.digest(), "seed {seed}: {named}");
            let (given, quiet) = (&failed.given, &calm.given);
            assert_eq!((&given.effects, &given.asks), (&quiet.effects, &quiet.asks));
            assert_eq!((&given.records, &given.travels), (&quiet.records, &quiet.travels));
            assert_eq!((&given.notes, given.areas_changed), (&quiet.notes, quiet.areas_changed));
            let fault = given.faults.first().expect("it is counted and named");
            assert_eq!((fault.handler.as_str(), fault.message.as_str()), ("cook.act", named));
            let tally = failed.sim().tally();
            assert_eq!((tally.errors, tally.budget_stops), if ends == 3 { (0, 1) } else { (1, 0) });
        }
    }
}

#[test]
fn an_action_that_is_refused_changes_nothing_and_is_no_fault() {
    let (mut refused, ada) = kitchen(3);
    let mut calm = refused.restored();
    assert_eq!(refused.act(ada, everything(4)), Err("not in my kitchen".to_owned()));
    calm.run(1);
    assert_eq!((refused.digest(), refused.given.faults_count), (calm.digest(), 0));
}

#[test]
fn an_action_that_succeeds_does_all_it_says() {
    let (mut play, ada) = kitchen(5);
    assert_eq!(play.act(ada, everything(0)), Ok(()));
    let given = play.given.clone();
    assert_eq!((given.records.len(), given.travels.len()), (1, 1));
    assert!(given.areas_changed && given.effects.iter().any(|effect| effect.name == "all"));
    assert_eq!(play.body::<Cook>(ada).word, "soup");
    let spots = List::from([1.into(), 2.into()]);
    let say = Deed::Say { mood: Mood::Mad, to: Some(SeatId(1)), spots: spots.clone() };
    assert_eq!(play.act(ada, &say), Ok(()));
    let cook = play.body::<Cook>(ada);
    assert_eq!((cook.friend, cook.spots.len()), (Some(SeatId(1)), 2));
}

/// B21. The seed is an argument: the same one gives the same room for ever, another one another room; a restored room goes
/// on with the generator of its save.
#[test]
fn a_room_follows_from_its_seed() {
    let digests = |seed| {
        let (mut play, _) = kitchen(seed);
        let mut again = play.restored();
        (0..20).for_each(|_| [&mut play, &mut again].into_iter().for_each(|room| room.run(1)));
        assert_eq!(play.digest(), again.digest());
        play.digest()
    };
    assert_eq!(digests(21), digests(21));
    assert_ne!(digests(21), digests(22));
}

/// B12. Join sees the seat's driver, owner and character; an owner is cut to its greatest length.
#[test]
fn join_sees_who_sits_down() {
    let mut play = Play::<Kitchen>::seeded(1);
    let owner = Some("o".repeat(500));
    let info = SeatInfo { name: "Ada".to_owned(), driver: Driver::Ai, owner, ..SeatInfo::default() };
    let ada = play.sit(info);
    let (driver, owner) = play.world(|w| (w.driver(ada), w.owner_of(ada).map(str::len)));
    assert_eq!((driver, owner), (Some(Driver::Ai), Some(OWNER_CHARS_MAX)));
    play.set::<Cook>(ada, |cook| cook.stars = 9.into());
    let character = play.character(ada).expect("a character");
    let mut other = Play::<Kitchen>::seeded(2);
    let again = other.join_with("Ada", character);
    assert_eq!(other.body::<Cook>(again).stars, 9);
}

/// B13. What join returned is made to fit, noted with what was written; it costs fuel, and a join that fails gives none.
#[test]
fn what_join_returns_is_fitted_and_noted() {
    let mut play = Play::<Kitchen>::seeded(1);
    play.sim().observe(true);
    let ada = play.join("Ada");
    assert_eq!(play.body::<Cook>(ada).hp, 100);
    let note = play.given.notes.first().expect("a note");
    assert_eq!((note.handler.as_str(), note.what, note.field.as_str()), ("cook.join", "clamped", "hp"));
    assert_eq!(note.written, "200");
    let join = play.given.runs.iter().find(|run| run.handler == "join").expect("it is observed");
    assert!(join.units >= 20, "two bodies were made: {} units", join.units);
    let pans = play.all::<Pan>().len();
    play.join("cursed");
    assert_eq!(play.given.faults[0].handler, "join");
    assert_eq!(play.all::<Pan>().len(), pans, "its pan is gone too");
    assert_eq!(play.snapshot().bodies.iter().filter(|row| row.seat.is_some()).count(), 1);
}

/// B14. The leave handler first, then the character as that left it, then the body, then the seat.
#[test]
fn leaving_takes_the_character_after_the_leave_handler() {
    let mut play = Play::<Kitchen>::seeded(4);
    let ada = play.join("Ada");
    play.put(ada, (2.0, -3.0));
    let (open, id) = (play.shared::<Board>().open, play.id(ada));
    let character = play.leave(ada).expect("a character");
    assert_eq!(character.body::<Cook>().expect("a cook").word, "bye");
    assert_eq!(character.pose.at, [1_024, -1_536, 0]);
    assert_ne!(play.shared::<Board>().open, open, "the room's leave ran");
    assert!(play.world(|w| w.seen(id)).is_none() && play.character(ada).is_none());
}

/// B15, B16. A new match takes every character, clears the room, and joins every seat again as if just seated.
#[test]
fn a_new_match_keeps_seats_and_characters_and_nothing_else() {
    let (mut play, ada) = kitchen(7);
    play.set::<Cook>(ada, |cook| cook.stars = 33.into());
    assert_eq!(play.act(ada, everything(0)), Ok(()));
    let (old, round) = (play.id(ada), play.sim().round().number);
    assert_eq!(play.act(ada, Deed::Restart), Ok(()));
    assert!(play.given.restarted && play.given.round_changed);
    assert!(play.id(ada) > old && play.sim().round().number == round + 1);
    let cook = play.body::<Cook>(ada);
    assert_eq!((cook.stars.get(), cook.hp.get(), cook.word.is_empty()), (33, 100, true));
    assert!(play.snapshot().areas.is_empty(), "areas are gone");
    assert!(play.sim().minds().iter().all(|mind| mind.asks.is_empty() && mind.goal.is_empty()));
    assert_eq!(play.shared::<Board>().text, "");
    let made = play.shared::<Board>().made.get();
    assert_eq!(play.all::<Pan>().len(), made as usize, "only the pans of this match");
    play.run(10);
    assert_ne!(play.shared::<Board>().text, "all", "timers of the last match are gone");
}

/// B16, B18. Results name seat, body, driver, score and place; ties share one.
#[test]
fn results_have_places_that_ties_share() {
    let (mut play, ada) = kitchen(9);
    for (seat, stars) in [(0, 7), (1, 9), (2, 7), (3, 2)] {
        play.set::<Cook>(SeatId(seat), |cook| cook.stars = stars.into());
    }
    assert_eq!(play.act(ada, Deed::EndRound), Ok(()));
    play.run(1);
    assert!(!play.sim().round().live && play.given.round_changed);
    let ids: Vec<BodyId> = (0..4).map(|seat| play.id(SeatId(seat))).collect();
    let rows = play.sim().standing();
    let seen: Vec<_> = rows.iter().map(|row| (row.seat.0, row.driver.name(), row.score, row.place)).collect();
    assert_eq!(seen, [(1, "person", 9, 1), (0, "person", 7, 2), (2, "bot", 7, 2), (3, "ai", 2, 4)]);
    assert!(rows.iter().all(|row| row.body == Some(ids[usize::from(row.seat.0)])));
    let at = play.at(ada);
    play.run(10);
    assert_eq!(play.at(ada), at, "a break is still");
    assert_eq!(play.act(ada, everything(0)), Err("the round is over".to_owned()));
}

/// B24. An ai's answer is cut to 256 characters; without one the floor answers at the deadline; 16 bodies are ignored.
#[test]
fn minds_are_asked_answered_and_bounded() {
    let mut play = Play::<Kitchen>::seeded(11);
    let mind = play.join_ai("Mind");
    let stir = Pad { stir: Button::DOWN, ..Pad::default() };
    play.hold(mind, &stir);
    play.run(1);
    let ask = play.given.asks.first().cloned().expect("a question");
    assert_eq!((ask.seat, ask.question.as_str()), (mind, "what now?"));
    play.answer(ask.id, &"é".repeat(5_000));
    play.run(1);
    let goal = play.sim().minds()[0].goal.clone();
    assert_eq!(goal.chars().count(), ANSWER_CHARS_MAX);
    play.answer(ask.id, "too late, it is closed");
    play.rest(mind);
    play.run(1);
    play.hold(mind, &stir);
    play.run(1);
    assert_eq!(play.sim().minds()[0].asks.len(), 1);
    play.run(10);
    assert_eq!(play.sim().minds()[0].goal, "floor", "nobody answered in time");
    play.world(|w| {
        let me = w.all::<Cook>().first().copied().map(|other| Me {
            id: other.id,
            seat: Some(mind),
            driver: Driver::Ai,
            at: other.at,
            z: 0.0,
            velocity: Vec2::ZERO,
            heading: 0.0,
        });
        (1..40).for_each(|id| {
            w.avoid(&me.expect("its body"), BodyId(id));
        });
    });
    let avoided = play.sim().minds()[0].avoided.clone();
    assert_eq!((avoided.len(), avoided[0]), (AVOIDED_MAX, BodyId(24)));
    let restored = play.restored().sim().minds();
    assert_eq!(restored, play.sim().minds(), "B53: it is part of the save");
}

/// B20. A spawn loop without end is stopped, named, and leaves nothing.
#[test]
fn an_endless_loop_of_spawns_is_stopped_and_named() {
    let (mut play, ada) = kitchen(13);
    let bodies = play.snapshot().bodies.len();
    assert_eq!(play.act(ada, Deed::Flood), Err("that went wrong".to_owned()));
    assert!(play.snapshot().bodies.len() <= bodies + 2);
    let tally = play.sim().tally();
    assert_eq!((tally.budget_stops, tally.worst.as_deref()), (1, Some("cook.act")));
    assert!(tally.max_units > FUEL_PER_HANDLER && tally.max_units < FUEL_PER_HANDLER + 100);
    assert!(play.given.faults.iter().any(|fault| fault.stopped && fault.handler == "cook.act"));
}

mod greedy {
    //! Bodies whose tick and touch cost a lot.
    use super::*;

    #[derive(Input, Clone, Default)]
    pub struct Pad;

    #[derive(Kind, Clone, Default)]
    #[kind(radius = 0.5)]
    pub struct Hog {
        pub runs: Int<0, 1_000_000>,
        pub touched: Int<0, 1_000_000>,
    }

    #[derive(Kind, Clone, Default)]
    #[kind(player)]
    pub struct Watcher;

    pub struct Greedy<const COST: u32, const CROWDED: bool>;

    impl<const COST: u32, const CROWDED: bool> Rules for Greedy<COST, CROWDED> {
        type Kinds = (Hog, Watcher);
        type Input = Pad;
        const ROOM: Room = Room::rounds(0).map(Map::flat(400, 400));
        fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
            Entry::new(Watcher, Anywhere)
        }
    }

    impl<const COST: u32, const CROWDED: bool> Body<Greedy<COST, CROWDED>> for Watcher {}

    impl<const COST: u32, const CROWDED: bool> Body<Greedy<COST, CROWDED>> for Hog {
        fn tick(&mut self, _: &Me, w: &mut World<Greedy<COST, CROWDED>>) {
            self.runs += 1;
            (0..COST).for_each(|_| {
                w.random();
            });
        }
        fn touch(&mut self, _: &Me, _: &Other, w: &mut World<Greedy<COST, CROWDED>>) {
            self.touched += 1;
            (0..COST).for_each(|_| {
                w.random();
            });
        }
    }

    /// So many hogs; the most ticks that any waited for its turn, and how often the worst off was touched.
    pub fn longest_wait<const COST: u32, const CROWDED: bool>(hogs: u32, ticks: u32) -> (u32, i32) {
        let mut play = Play::<Greedy<COST, CROWDED>>::seeded(1);
        play.world(|w| {
            for i in 0..hogs {
                let apart = if CROWDED { 0.1 } else { 3.0 };
                w.spawn(Hog::default(), At(Vec2::new(f64::from(i) * apart - 150.0, 0.0)));
            }
        });
        let hogs: Vec<BodyId> = play.all::<Hog>().iter().map(|hog| hog.id).collect();
        let (mut waits, mut last, mut longest) = (vec![0; hogs.len()], vec![0; hogs.len()], 0);
        for _ in 0..ticks {
            play.run(1);
            for (i, id) in hogs.iter().enumerate() {
                let runs = play.world(|w| w.body::<Hog>(*id)).expect("a hog").runs.get();
                waits[i] = if runs > last[i] { 0 } else { waits[i] + 1 };
                last[i] = runs;
                longest = longest.max(waits[i] + 1);
            }
        }
        assert!(play.sim().tally().ticks_cut > 0, "the fuel was to be used up");
        let touched = hogs.iter().map(|id| play.world(|w| w.body::<Hog>(*id)).expect("a hog").touched.get());
        (longest, touched.min().unwrap_or(0))
    }
}

/// With n bodies of cost f each and a tick's limit L, each runs at least once in every ⌈n·f/L⌉ + 1 ticks.
#[test]
fn fuel_that_is_short_is_shared_fairly() {
    fn bound(n: u32, cost: u32) -> u32 {
        (n * (cost + 5)).div_ceil(FUEL_PER_TICK) + 1
    }
    assert!(greedy::longest_wait::<9_000, false>(40, 60).0 <= bound(40, 9_000));
    assert!(greedy::longest_wait::<17_000, false>(25, 60).0 <= bound(25, 17_000));
    assert!(greedy::longest_wait::<600, false>(100, 30).0 <= bound(100, 600));
}

/// Touches may use half a tick: they starve no body's tick, and their own turns go round.
#[test]
fn a_flood_of_touches_starves_nobody() {
    let (longest, touched) = greedy::longest_wait::<2_000, true>(60, 200);
    assert!(longest <= (60 * 2_005u32).div_ceil(FUEL_PER_TICK / 2) + 1, "{longest} ticks");
    assert!(touched > 0, "every one was touched");
}

/// B20: pairs of bodies that were too many for a tick are not lost without a word.
#[test]
fn a_tick_with_more_pairs_than_it_may_have_is_counted() {
    let (mut play, _) = kitchen(1);
    play.run(2);
    assert_eq!(play.sim().tally().ticks_crowded, 0);
    play.world(|w| {
        for _ in 0..300 {
            w.spawn(Pan::default(), At(Vec2::ZERO));
        }
    });
    play.run(1);
    assert_eq!(play.sim().tally().ticks_crowded, 1);
}
