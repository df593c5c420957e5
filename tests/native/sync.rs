//! The sync test: a room restored at any tick goes on as the one it was saved from. Random play of every game, with every
//! value in its bounds all along; a game that is not deterministic is caught by it.
//!
//! `SYNC_RUNS` says how many runs of the kitchen; `make test` asks for 500.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI32, Ordering};

use roundtable::games::GAMES;
use roundtable::prelude::*;
use roundtable::rules::adapter::game;
use roundtable::rules::face::{Game, Note};
use roundtable::rules::replay::{Op, Replay};

use crate::fixtures::{Gather, check_bounds, snapshot};
use crate::kitchen::{Kitchen, hush};
use crate::script::Author;
use crate::sky::Sky;

/// Steps that a restored room runs beside the one it was saved from.
const BESIDE: u32 = 20;
const STEPS: u32 = 200;
const RUNS: u64 = 40;

/// Plays at random for so many steps; at each a copy is restored that has to be the same `BESIDE` steps later.
fn sync(game: &dyn Game, seed: u64, steps: u32) -> Result<(), String> {
    hush();
    let schema = game.schema();
    let mut author = Author::new(game, seed, 1_000_000);
    let mut copies: VecDeque<(u32, Replay<'_>)> = VecDeque::new();
    while author.room.sim.tick().0 < steps {
        let before = author.room.sim.tick().0;
        let op = author.next(1).map_err(|fault| format!("{fault:?}"))?;
        for (_, copy) in &mut copies {
            copy.apply(&op).map_err(|fault| format!("{op}: {fault:?}"))?;
        }
        for Note { what, .. } in &author.room.given.notes {
            assert!(["clamped", "zeroed", "cut", "dropped"].contains(what), "{what}");
        }
        let now = author.room.sim.tick().0;
        if now == before {
            continue;
        }
        check_bounds(&schema, &snapshot(&*author.room.sim));
        let digest = author.room.sim.digest();
        while copies.front().is_some_and(|(until, _)| *until <= now) {
            let (until, copy) = copies.pop_front().expect("a copy");
            if copy.sim.digest() != digest {
                return Err(format!("saved at step {}, another room at {now} after {op}", until - BESIDE));
            }
        }
        copies.push_back((now + BESIDE, author.room.fork().map_err(|error| error.to_string())?));
    }
    Ok(())
}

/// How many runs of the kitchen.
fn runs() -> u64 {
    std::env::var("SYNC_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS)
}

/// F18: never a panic, never a value out of its bounds; and §3.3, at every tick.
#[test]
fn a_kitchen_restored_at_any_tick_goes_on_as_the_one_it_was_saved_from() {
    let halves = [0, 1].map(|half| {
        std::thread::spawn(move || {
            for seed in (half..runs()).step_by(2) {
                sync(game::<Kitchen>(), seed, STEPS).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            }
        })
    });
    for half in halves {
        half.join().expect("a half without a fault");
    }
}

#[test]
fn every_shipped_game_restored_at_any_tick_goes_on_as_it_was() {
    for (name, game) in GAMES {
        for seed in 0..4 {
            sync(game(), seed, STEPS).unwrap_or_else(|why| panic!("{name}, seed {seed}: {why}"));
        }
    }
    sync(game::<Gather>(), 1, 500).expect("gather");
    sync(game::<Sky>(), 1, STEPS).expect("sky");
}

/// Every random run goes through each of these, else it proves little.
#[test]
fn random_play_meets_all_that_a_room_can() {
    let (mut faults, mut stops, mut refused, mut answers, mut rounds, mut claims) = (0, 0, 0, 0, 0, 0);
    for seed in 0..6 {
        let mut author = Author::new(game::<Kitchen>(), seed, 0);
        while author.room.sim.tick().0 < 600 {
            let op = author.next(1).expect("it goes on");
            let given = &author.room.given;
            faults += given.faults.iter().filter(|fault| !fault.stopped).count();
            stops += given.faults.iter().filter(|fault| fault.stopped).count();
            refused += given.done.iter().filter(|done| done.result.is_err()).count();
            answers += usize::from(matches!(op, Op::Answer { .. }));
            rounds += usize::from(given.restarted);
            claims += given.claims_refused.len();
        }
    }
    let met = [faults, stops, refused, answers, rounds, claims];
    assert!(met.iter().all(|count| *count > 4), "{met:?}");
}

/// Reads what is no part of its room, as a game must not.
struct Lottery;

static DRAWN: AtomicI32 = AtomicI32::new(0);

#[derive(Input, Clone, Default)]
struct Pad {
    go: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
struct Ticket {
    number: Int<0, 1_000_000>,
}

impl Rules for Lottery {
    type Kinds = (Ticket,);
    type Input = Pad;
    const ROOM: Room = Room::rounds(0).map(Map::flat(40, 40));
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Ticket::default(), Anywhere)
    }
}

impl Body<Lottery> for Ticket {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.go, map);
    }
    fn tick(&mut self, _: &Me, _: &mut World<Lottery>) {
        self.number = DRAWN.fetch_add(1, Ordering::Relaxed).into();
    }
}

#[test]
fn a_game_that_is_not_deterministic_is_caught() {
    let caught = sync(game::<Lottery>(), 1, STEPS).expect_err("it is not the same twice");
    assert!(caught.contains("another room"), "{caught}");
}
