//! How long the parts of a tick take, and the line about it in the log (B42).
//!
//! The host has no clock: `Setup::stopwatch` reads one, in milliseconds, for these figures alone. Nothing is decided by
//! it, and a simulation has none. In production the platform's clock stands still while code runs, so there they are about
//! nothing; they are for a room that is served locally, where workerd's clock runs on. What is shown is the newest stretch
//! of `TIMINGS_MS` that is over.

use serde::Serialize;

use crate::host::Host;
use crate::limits::{TIMING_SAMPLES_MAX, TIMINGS_MS};

/// A part of a tick. `Tick` is all of it, from its begin until what it led to has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Rules,
    /// Addressing what is sent: a frame to each connection, effects, rosters.
    Frames,
    Snapshot,
    /// A commit: the cut, its difference, and storage taking it.
    Checkpoint,
    /// Writing a snapshot as text.
    Encode,
    /// The platform taking what leaves.
    Send,
    Tick,
}

const PARTS: usize = 7;
const NAMES: [&str; PARTS] = ["rules", "frames", "snapshot", "checkpoint", "encode", "send", "tick"];

/// Milliseconds of the parts, over the newest stretch that is over; none of a part that did not come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TimingFacts {
    pub rules: Option<Timing>,
    pub frames: Option<Timing>,
    pub snapshot: Option<Timing>,
    pub checkpoint: Option<Timing>,
    pub encode: Option<Timing>,
    pub send: Option<Timing>,
    pub tick: Option<Timing>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Timing {
    pub p50: f64,
    /// Of a clock of whole milliseconds it says more than the median does.
    pub mean: f64,
    pub max: f64,
    pub count: u64,
}

/// Samples of one part in this stretch.
#[derive(Clone, Debug, Default)]
struct Samples {
    /// The first of them.
    kept: Vec<f64>,
    sum: f64,
    max: f64,
    count: u64,
}

impl Samples {
    fn add(&mut self, ms: f64) {
        self.sum += ms;
        self.max = self.max.max(ms);
        self.count += 1;
        if self.kept.len() < TIMING_SAMPLES_MAX {
            self.kept.push(ms);
        }
    }

    /// What came, and none from here on.
    fn take(&mut self) -> Option<Timing> {
        self.kept.sort_by(f64::total_cmp);
        let p50 = self.kept.get(self.kept.len() / 2).copied();
        let mean = self.sum / self.count.max(1) as f64;
        let timing = p50.map(|p50| Timing { p50, mean, max: self.max, count: self.count });
        self.kept.clear();
        (self.sum, self.max, self.count) = (0.0, 0.0, 0);
        timing
    }
}

#[derive(Debug)]
pub(super) struct Timings {
    stopwatch: Option<fn() -> f64>,
    samples: [Samples; PARTS],
    /// When this tick, this commit and this sending began.
    tick: Option<f64>,
    checkpoint: Option<f64>,
    send: Option<f64>,
    began_ms: u64,
    /// What had been counted when the stretch began.
    before: Counts,
    shown: [Option<Timing>; PARTS],
}

/// What the line tells of a stretch.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    ticks: u64,
    late: u64,
    slips: u64,
    inputs: u64,
    late_entries: u64,
    dropped: u64,
    errors: u64,
    stops: u64,
    cuts: u64,
}

impl Timings {
    pub(super) fn new(stopwatch: Option<fn() -> f64>, now_ms: u64) -> Timings {
        Timings {
            stopwatch,
            samples: Default::default(),
            tick: None,
            checkpoint: None,
            send: None,
            began_ms: now_ms,
            before: Counts::default(),
            shown: [None; PARTS],
        }
    }

    pub(super) fn start(&self) -> Option<f64> {
        self.stopwatch.map(|read| read())
    }

    /// The part that began then is over.
    pub(super) fn stop(&mut self, part: Part, began: Option<f64>) {
        if let (Some(began), Some(now)) = (began, self.start()) {
            // A clock may be set back.
            self.samples[part as usize].add((now - began).max(0.0));
        }
    }

    pub(super) fn tick_begins(&mut self) {
        self.tick = self.start();
    }

    pub(super) fn commit_begins(&mut self) {
        self.checkpoint = self.start();
    }

    pub(super) fn commit_ends(&mut self) {
        let began = self.checkpoint.take();
        self.stop(Part::Checkpoint, began);
    }

    pub(super) fn send_begins(&mut self) {
        if self.send.is_none() {
            self.send = self.start();
        }
    }

    /// All that may leave has left.
    pub(super) fn all_left(&mut self) {
        for (part, began) in [(Part::Send, self.send.take()), (Part::Tick, self.tick.take())] {
            self.stop(part, began);
        }
    }

    pub(super) fn facts(&self) -> TimingFacts {
        let [rules, frames, snapshot, checkpoint, encode, send, tick] = self.shown;
        TimingFacts { rules, frames, snapshot, checkpoint, encode, send, tick }
    }

    fn said(&self) -> String {
        let part = |(name, timing): (&&str, &Option<Timing>)| {
            timing.map(|Timing { p50, mean, max, .. }| format!(" {name} {p50:.2}/{mean:.2}/{max:.2}"))
        };
        let parts: String = NAMES.iter().zip(&self.shown).filter_map(part).collect();
        if parts.is_empty() { parts } else { format!("; ms, p50/mean/max:{parts}") }
    }
}

impl Host {
    /// Of this incarnation so far.
    fn counts(&self) -> Counts {
        let (tally, counters) = (self.sim.tally(), &self.counters);
        Counts {
            ticks: counters.ticks,
            late: self.schedule.late_ticks(),
            slips: self.schedule.slips(),
            inputs: counters.inputs_used,
            late_entries: counters.inputs_late,
            dropped: counters.inputs_dropped,
            errors: tally.errors,
            stops: tally.budget_stops,
            cuts: tally.ticks_cut,
        }
    }

    /// The line about the stretch that is over now, if one is. Nothing of a stretch without ticks is said.
    pub(super) fn poll_timings(&mut self, now_ms: u64) -> Option<String> {
        let passed_ms = now_ms.saturating_sub(self.timings.began_ms);
        if passed_ms < TIMINGS_MS {
            return None;
        }
        let (now, before) = (self.counts(), self.timings.before);
        self.timings.shown = std::array::from_fn(|i| self.timings.samples[i].take());
        (self.timings.began_ms, self.timings.before) = (now_ms, now);
        let since = |count: fn(&Counts) -> u64| count(&now).saturating_sub(count(&before));
        let ticks = since(|c| c.ticks);
        if ticks == 0 {
            return None;
        }
        let worst = self.sim.tally().worst.unwrap_or_else(|| "none".to_owned());
        Some(format!(
            "tick {}: {} s: ticks {ticks}, late {}, slips {}, inputs {}, late entries {}, dropped {}, errors {}, \
             stops {}, cuts {}, worst {worst}{}",
            self.sim.tick(),
            passed_ms / 1_000,
            since(|c| c.late),
            since(|c| c.slips),
            since(|c| c.inputs),
            since(|c| c.late_entries),
            since(|c| c.dropped),
            since(|c| c.errors),
            since(|c| c.stops),
            since(|c| c.cuts),
            self.timings.said(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::host::Setup;
    use crate::host::stub::{LASTING, MATCH, Rig, setup};

    thread_local! {
        static READS: Cell<u32> = const { Cell::new(0) };
    }

    /// Each look is a millisecond later.
    fn slow_watch() -> f64 {
        READS.set(READS.get() + 1);
        f64::from(READS.get())
    }

    fn timed() -> Rig {
        let mut rig = Rig::new(&LASTING);
        let setup = Setup { stopwatch: Some(slow_watch), ..setup(&LASTING) };
        rig.host = Host::create(setup, 7, rig.now_ms);
        rig.join(1);
        rig
    }

    /// B42
    #[test]
    fn the_parts_of_a_tick_are_timed_and_told_in_the_facts_and_in_a_line_every_ten_seconds() {
        let mut rig = timed();
        rig.input(1, r#"{"fire":true}"#);
        let mut lines = Vec::new();
        for _ in 0..401 {
            rig.ticks(1);
            lines.extend(rig.host.poll_log(rig.now_ms));
        }
        let [first, second] = &lines[..] else { panic!("{lines:?}") };
        assert!(first.starts_with("tick 200: 10 s: ticks "), "{first}");
        for name in NAMES {
            assert!(first.contains(&format!(" {name} ")) && second.contains(&format!(" {name} ")), "{name}");
        }
        assert!(first.contains("ms, p50/mean/max: rules 1.00/1.00/1.00"), "{first}");
        let timings = rig.facts().timings;
        let count = |timing: Option<Timing>| timing.expect("timed").count;
        assert_eq!((count(timings.rules), count(timings.tick), count(timings.checkpoint)), (200, 200, 2));
        assert!(timings.tick.expect("timed").p50 > timings.rules.expect("timed").p50);
    }

    /// B42
    #[test]
    fn the_line_counts_what_came_since_the_line_before() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        let entries = r#"{"t":"in","e":1,"s":[[1,{}],[900,{}]]}"#;
        rig.ticks(3);
        rig.say(1, entries);
        rig.now_ms += 60_000;
        rig.host.handle_take_over(rig.now_ms);
        rig.run_ms(0);
        let line = rig.host.poll_log(rig.now_ms).expect("a line");
        for said in [", late 39,", ", slips 1160,", ", late entries 1,", ", dropped 1,"] {
            assert!(line.contains(said), "{said} in {line}");
        }
        assert!(!line.contains("p50"), "nothing was timed: {line}");
        rig.run_ms(10_000);
        let line = rig.host.poll_log(rig.now_ms).expect("a line");
        for said in [", late 0,", ", slips 0,", ", late entries 0,", ", dropped 0,"] {
            assert!(line.contains(said), "{said} in {line}");
        }
        assert_eq!(rig.facts().timings, TimingFacts::default());
    }

    /// B42
    #[test]
    fn a_line_that_nobody_takes_costs_the_room_nothing_and_a_room_that_rests_says_none() {
        let mut rig = timed();
        rig.ticks(1_000);
        let (tick, alive) = (rig.facts().tick, rig.facts().alive);
        assert!(alive && rig.host.poll_log(rig.now_ms).is_some());
        assert_eq!(rig.host.poll_log(rig.now_ms), None, "said or lost, it is said once");
        rig.say(1, r#"{"t":"leave"}"#);
        assert_eq!((rig.host.poll_log(rig.now_ms + TIMINGS_MS), rig.facts().tick), (None, tick));
    }

    #[test]
    fn many_samples_are_counted_and_few_are_kept() {
        let mut samples = Samples::default();
        (0..3 * TIMING_SAMPLES_MAX).for_each(|i| samples.add(i as f64));
        assert!(samples.kept.len() == TIMING_SAMPLES_MAX);
        let timing = samples.take().expect("some");
        assert_eq!(
            (timing.max, timing.count),
            ((3 * TIMING_SAMPLES_MAX - 1) as f64, 3 * TIMING_SAMPLES_MAX as u64)
        );
        assert_eq!(samples.take(), None);
    }
}
