//! The simulation: the real rules, host, client and lease code, with virtual time, links, storage, Lobby and records, in
//! one thread from one seed.
//!
//! `SIM_SEED` is the first seed and `SIM_RUNS` how many there are; a seed that finds something prints the command that
//! repeats it, and the end of what happened. ARCHITECTURE.md says what is simulated and what is not.

mod beat;
mod checkers;
mod dice;
mod disk;
mod faults;
mod games;
mod inbox;
mod lobby;
#[cfg(feature = "mutations")]
mod mutations;
mod net;
mod object;
mod phases;
mod player;
mod records;
mod scenarios;
#[cfg(feature = "mutations")]
mod small;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use phases::{Outcome, run};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs the seeds from `first` on, on as many threads as there are cores. Gives the first that found something.
fn sweep(first: u64, runs: u64, each: impl Fn(u64) -> Outcome + Sync) -> Option<(u64, Outcome)> {
    let (next, worst) = (AtomicU64::new(first), Mutex::new(None));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + runs || worst.lock().expect("no panic").is_some() {
                        return;
                    }
                    let outcome = each(seed);
                    if !outcome.found.is_empty() {
                        worst.lock().expect("no panic").get_or_insert((seed, outcome));
                    }
                }
            });
        }
    });
    worst.into_inner().expect("no panic")
}

#[test]
fn no_seed_finds_anything() {
    let (first, runs) = (setting("SIM_SEED", 1), setting("SIM_RUNS", 100));
    if let Some((seed, _)) = sweep(first, runs, |seed| run(seed, false)) {
        let Outcome { found, log, events, ms } = run(seed, true);
        let from = log.len().saturating_sub(setting("SIM_LINES", 60) as usize);
        panic!(
            "seed {seed}: after {events} events in {ms} ms:\n{}\n{found:#?}\n\nSIM_SEED={seed} SIM_RUNS=1 sh scripts/sim.sh",
            log[from..].join("\n")
        );
    }
}

/// What the first seeds must have in their logs: a fault that never strikes proves nothing.
const STRIKES: &[&str] = &[
    "dies InAlarm",
    "dies AfterReArm",
    "dies InRestore",
    "dies AfterRestore",
    "dies AfterCommit",
    "dies MidOutputs",
    "the process dies",
    "it was evicted",
    "a transaction throws",
    "a write could not be flushed",
    "is superseded",
    "a superseded object touched storage",
    "sleeps",
    "woke with its sockets",
    "its alarm is lost",
    "storage refuses until midnight",
    "free tier",
    "overloaded",
    "parked until",
    "the host panicked",
    "the room was stopped",
    "is half-open",
    "reads slowly",
    "its thread is busy",
    "your character was called to another room",
    "Character return is still pending",
    "travels to",
    "(4014)",
];

#[test]
fn every_fault_strikes_within_the_first_seeds() {
    let logs = Mutex::new(Vec::new());
    sweep(1, 100, |seed| {
        let outcome = run(seed, true);
        logs.lock().expect("no panic").push(outcome.log.join("\n"));
        outcome
    });
    let logs = logs.into_inner().expect("no panic");
    let missing: Vec<_> = STRIKES.iter().filter(|mark| !logs.iter().any(|log| log.contains(*mark))).collect();
    if std::env::var("SIM_LOG").is_ok() {
        println!("{}", logs.join("\n"));
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_seed_gives_the_same_run_each_time() {
    for seed in 1..5 {
        let (a, b) = (run(seed, true), run(seed, true));
        assert_eq!((a.events, a.ms, a.log), (b.events, b.ms, b.log));
    }
}
