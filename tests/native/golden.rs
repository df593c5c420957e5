//! Golden replays: a log of each game, and the digests that every target gets from it.
//!
//! tests/vectors/golden/<game>.log is what comes in, <game>.digests what must come out: here, in an optimised build
//! (benches/src/replay.rs), in workerd and in Chromium. When rules change on purpose the digests change:
//! `GOLDEN=write cargo test --test native write_golden -- --ignored` writes them anew, and logs that are missing.

use std::fs;
use std::path::PathBuf;

use roundtable::games::GAMES;
use roundtable::rules::adapter::game;
use roundtable::rules::face::Game;
use roundtable::rules::motion::to_height;
use roundtable::rules::replay::{Log, Op, Replay, ReplayFault, replay};

use crate::fixtures::snapshot;
use crate::kitchen::Kitchen;
use crate::script::Author;
use crate::sky::Sky;

/// Steps of a log; of an arena's past the end of its round and the break.
const STEPS: u32 = 2_400;
const ARENA_STEPS: u32 = 4_000;

fn steps(name: &str) -> u32 {
    if name == "arena" { ARENA_STEPS } else { STEPS }
}

/// The games that ship, and those made for tests: one that uses everything on a flat map, and one in space.
fn all() -> impl Iterator<Item = (&'static str, &'static dyn Game)> {
    let shipped = GAMES.iter().map(|(name, game)| (*name, game()));
    shipped.chain([("kitchen", game::<Kitchen>()), ("sky", game::<Sky>())])
}

/// The games that have a log; a new one has none until it is written.
fn games() -> Vec<(&'static str, &'static dyn Game)> {
    all().filter(|(name, _)| path(name, "log").exists()).collect()
}

fn path(name: &str, ending: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/vectors/golden/{name}.{ending}"))
}

fn read(name: &str, ending: &str) -> String {
    let path = path(name, ending);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(digests: &[u64]) -> String {
    digests.iter().map(|digest| format!("{digest:016x}\n")).collect()
}

/// A log with joins, leaves, bots, actions, and a save on the way.
fn write_log(game: &dyn Game, steps: u32) -> Log {
    let mut author = Author::new(game, 2_026, 1_700_000_000_000);
    let mut log = Log { seed: 2_026, now_ms: 1_700_000_000_000, ops: Vec::new() };
    let mut saved = false;
    while author.room.sim.tick().0 < steps {
        if !saved && author.room.sim.tick().0 >= steps / 2 {
            author.room.apply(&Op::Save).expect("what it saves, it restores");
            log.ops.push((0, Op::Save));
            saved = true;
        }
        log.ops.push((0, author.next(6).expect("it goes on")));
    }
    log
}

/// F20. The digests natively; the same vectors are run in workerd and in Chromium.
#[test]
fn every_game_gives_its_golden_digests() {
    for (name, game) in games() {
        let digests = replay(game, &read(name, "log")).unwrap_or_else(|error| panic!("{name}.log, {error}"));
        assert!(digests.len() as u32 > steps(name) / 60 && digests[0] != digests[1], "{name}");
        let expected = read(name, "digests");
        for (i, (is, was)) in lines(&digests).lines().zip(expected.lines()).enumerate() {
            assert_eq!(is, was, "{name}: another room within the 60 steps before step {}", (i + 1) * 60);
        }
        assert_eq!(lines(&digests).len(), expected.len(), "{name}");
    }
}

#[test]
fn golden_logs_have_all_that_they_are_to_prove() {
    let names: Vec<&str> = games().iter().map(|(name, _)| *name).collect();
    assert!(
        ["arena", "cards", "isle", "kitchen", "sky"].iter().all(|name| names.contains(name)),
        "{names:?}"
    );
    for (name, game) in games() {
        let log = Log::parse(&read(name, "log")).expect("a log");
        let count = |is: fn(&Op) -> bool| log.ops.iter().filter(|(_, op)| is(op)).count();
        assert!(count(|op| matches!(op, Op::Join { .. } | Op::Back { .. })) > 5, "{name}: joins");
        assert!(count(|op| matches!(op, Op::Leave(_))) > 3, "{name}: leaves");
        assert!(count(|op| op.to_string().contains(" bot ")) > 0, "{name}: bots");
        assert_eq!(count(|op| matches!(op, Op::Save)), 1, "{name}: a save");
        let acts = count(|op| matches!(op, Op::Act { .. }));
        assert_eq!(acts > 10, !game.schema().actions.is_empty(), "{name}: actions");
        assert_eq!(format!("{log}"), read(name, "log"), "{name}: as it would be written");
    }
}

/// Where a panic is the end of the instance (the browser's build) a log must have none.
#[test]
fn no_handler_of_a_game_that_browsers_replay_fails_in_its_log() {
    for (name, game) in games().into_iter().filter(|(name, _)| *name != "kitchen") {
        let log = Log::parse(&read(name, "log")).expect("a log");
        let mut room = Replay::new(game, log.seed, log.now_ms);
        for (line, op) in &log.ops {
            let (op, times) = if let Op::Tick(steps) = op { (&Op::Tick(1), *steps) } else { (op, 1) };
            for _ in 0..times {
                room.apply(op).expect("it runs");
                assert_eq!(room.given.faults, [], "{name}.log, line {line}");
            }
        }
        assert_eq!(room.sim.tally().errors, 0, "{name}");
    }
}

/// F20: a log in which nobody left the ground would prove nothing of space.
#[test]
fn the_log_of_the_sky_has_bodies_at_every_height_that_meet_there() {
    let log = Log::parse(&read("sky", "log")).expect("a log");
    let mut room = Replay::new(game::<Sky>(), log.seed, log.now_ms);
    let (mut heights, mut caught, mut smoke) = ([0u32; 13], 0, 0);
    for (_, op) in &log.ops {
        room.apply(op).expect("it runs");
        let snapshot = snapshot(&room.sim);
        for body in &snapshot.bodies {
            heights[to_height(body.at) as usize] += 1;
        }
        caught += room.given.effects.iter().filter(|effect| effect.at[2] > 0).count();
        smoke += snapshot.areas.iter().filter(|area| area.name == "smoke" && area.at[2] > 0).count();
    }
    assert!(heights.iter().all(|bodies| *bodies > 50), "{heights:?}");
    assert!(caught > 5 && smoke > 20, "{caught} {smoke}");
}

#[test]
fn a_log_that_asks_for_what_cannot_be_is_refused() {
    let arena = GAMES[0].1();
    for (line, why) in
        [("join 16 person Ada", "seat"), ("leave 3", "seat"), ("hold 3 - 0", "seat"), ("act 3 0 -", "seat")]
    {
        let error = replay(arena, &format!("room 1 0\ntick 2\n{line}\n")).expect_err(line);
        assert_eq!((error.line, error.why), (3, ReplayFault::Word(why)));
    }
    let twice = "room 1 0\njoin 1 bot Ada\njoin 1 bot Bob\n";
    assert_eq!(replay(arena, twice).expect_err("it is held").line, 3);
    assert_eq!(replay(arena, "room 1 0\ntick 61\n").expect("two digests").len(), 2);
}

#[test]
#[ignore = "writes tests/vectors/golden; see above"]
fn write_golden() {
    assert_eq!(std::env::var("GOLDEN").as_deref(), Ok("write"), "GOLDEN=write says that this is meant");
    for (name, game) in all() {
        if !path(name, "log").exists() {
            fs::write(path(name, "log"), write_log(game, steps(name)).to_string()).expect("a log");
        }
        let digests = replay(game, &read(name, "log")).expect("a log of this game");
        fs::write(path(name, "digests"), lines(&digests)).expect("digests");
    }
}
