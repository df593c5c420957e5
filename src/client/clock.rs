//! The room's clock as the client sees it, and the round-trip time, from pings.
//!
//! A pong says that the room's clock read `st` somewhere between sending the ping and hearing the answer, so
//! each gives an interval for the offset; the shortest of the recent ones is the best. Two that cannot both
//! be true mean that the clock stepped, and the older ones are thrown away. What is drawn follows the offset
//! smoothly. Absent: clocks.

use std::collections::VecDeque;

use crate::limits::{CLOCK_SAMPLES_MAX, CLOCK_STEP_MS, EVENT_PING_MS, PING_MS, PINGS_MAX};

/// How fast the drawn time may run faster or slower to meet the room's clock: nobody sees 5 %.
const SLEW: f64 = 0.05;
/// Milliseconds of error over which the drawn time jumps instead.
const JUMP_MS: f64 = 500.0;

#[derive(Clone, Copy, Debug)]
struct Sample {
    /// The offset lies between these: room's clock less own.
    low: f64,
    high: f64,
}

impl Sample {
    fn rtt(self) -> f64 {
        self.high - self.low
    }
}

#[derive(Debug, Default)]
pub(super) struct Clock {
    outstanding: VecDeque<f64>,
    pinged_at: Option<f64>,
    samples: VecDeque<Sample>,
    /// From the stamp of the welcome, until the first pong.
    guess: Option<f64>,
    drawn: Option<(f64, f64)>,
}

impl Clock {
    /// A welcome came at `now_ms`: what was measured on another connection or incarnation is not used.
    pub fn restart(&mut self, stamp_ms: f64, now_ms: f64) {
        self.outstanding.clear();
        self.samples.clear();
        self.pinged_at = None;
        self.guess = Some(stamp_ms - now_ms);
    }

    /// A frame stamped `stamp_ms` was heard: the room's clock reads at least that. A clock that stepped
    /// forward shows itself here before the next pong.
    pub fn heard(&mut self, stamp_ms: f64, now_ms: f64) {
        let least = stamp_ms - now_ms;
        if self.best().is_some_and(|best| least > best.high + CLOCK_STEP_MS) {
            self.samples.clear();
            self.guess = Some(least);
        }
        self.guess = self.guess.map(|guess| guess.max(least));
    }

    /// Whether it is time for a ping.
    pub fn is_ping_due(&self, now_ms: f64) -> bool {
        self.pinged_at.is_none_or(|at| now_ms - at >= PING_MS)
    }

    /// The same in an event-driven room: whenever the room's clock has gone round, so that everyone's pings come together.
    pub fn is_event_ping_due(&self, now_ms: f64) -> bool {
        let offset = self.offset_ms().unwrap_or_default();
        let turn = |own_ms: f64| libm::floor((own_ms + offset) / EVENT_PING_MS);
        self.pinged_at.is_none_or(|at| now_ms - at >= EVENT_PING_MS || turn(now_ms) > turn(at))
    }

    /// A ping is sent: gives its `c`. The oldest outstanding one is forgotten when there are too many.
    pub fn ping(&mut self, now_ms: f64) -> f64 {
        if self.outstanding.len() >= PINGS_MAX {
            self.outstanding.pop_front();
        }
        self.outstanding.push_back(now_ms);
        self.pinged_at = Some(now_ms);
        now_ms
    }

    /// A pong came; one that answers no outstanding ping is ignored.
    pub fn pong(&mut self, c: f64, stamp_ms: f64, now_ms: f64) {
        let Some(index) = self.outstanding.iter().position(|sent| *sent == c) else { return };
        // Answers come in order, so older ones will not be answered any more.
        self.outstanding.drain(..=index);
        if now_ms < c {
            return;
        }
        let sample = Sample { low: stamp_ms - now_ms, high: stamp_ms - c };
        if let Some(best) = self.best() {
            let apart = sample.low > best.high + CLOCK_STEP_MS || sample.high < best.low - CLOCK_STEP_MS;
            if apart {
                self.samples.clear();
            }
        }
        if self.samples.len() >= CLOCK_SAMPLES_MAX {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    fn best(&self) -> Option<Sample> {
        self.samples.iter().copied().min_by(|a, b| a.rtt().total_cmp(&b.rtt()))
    }

    /// The round trip: the median of the recent ones, so that one stall does not show.
    pub fn rtt_ms(&self) -> Option<f64> {
        let mut trips: Vec<f64> = self.samples.iter().map(|sample| sample.rtt()).collect();
        trips.sort_by(f64::total_cmp);
        trips.get(trips.len() / 2).copied()
    }

    /// Room's clock less own.
    pub fn offset_ms(&self) -> Option<f64> {
        self.best().map(|s| (s.low + s.high) / 2.0).or(self.guess)
    }

    /// What the room's clock reads now, as well as is known.
    pub fn room_ms(&self, now_ms: f64) -> Option<f64> {
        self.offset_ms().map(|offset| now_ms + offset)
    }

    /// The room's clock as it is heard, the way to here behind it: what the delay of drawing is counted from, so that
    /// a long way alone starves nothing. Never runs back, and jumps only where the error is large.
    pub fn heard_ms(&mut self, now_ms: f64) -> Option<f64> {
        let target = self.best().map(|best| best.low).or(self.guess)?;
        let offset = match self.drawn {
            Some((at, offset)) if (target - offset).abs() <= JUMP_MS => {
                let reach = (now_ms - at).max(0.0) * SLEW;
                offset + (target - offset).clamp(-reach, reach)
            }
            _ => target,
        };
        self.drawn = Some((now_ms, offset));
        Some(now_ms + offset)
    }

    #[cfg(test)]
    pub fn outstanding(&self) -> usize {
        self.outstanding.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One ping answered: `there` and `back` are the ways' milliseconds, `ahead` the room's clock less ours.
    fn round_trip(clock: &mut Clock, now: f64, there: f64, back: f64, ahead: f64) {
        let c = clock.ping(now);
        clock.pong(c, now + there + ahead, now + there + back);
    }

    /// B3: the oldest ping is forgotten, and an answer to it is no answer.
    #[test]
    fn at_most_sixteen_pings_are_outstanding() {
        let mut clock = Clock::default();
        for i in 0..40 {
            clock.ping(f64::from(i));
        }
        assert_eq!(clock.outstanding(), PINGS_MAX);
        clock.pong(0.0, 5_000.0, 50.0);
        assert_eq!(clock.rtt_ms(), None);
        clock.pong(39.0, 5_000.0, 50.0);
        assert_eq!((clock.rtt_ms(), clock.outstanding()), (Some(11.0), 0));
    }

    /// Whenever each of them joined, the object is left alone for the rest of the turn.
    #[test]
    fn clients_of_an_event_driven_room_ping_together() {
        let mut moments = Vec::new();
        for joined in 0..50 {
            let mut clock = Clock::default();
            let (joined, ahead) = (1.0 + f64::from(joined) * 731.0, f64::from(joined) * 12_345.0);
            clock.restart(joined + ahead, joined);
            round_trip(&mut clock, joined, 5.0, 5.0, ahead);
            for frame in 0..2_000 {
                let now = joined + f64::from(frame) * 100.0;
                if clock.is_event_ping_due(now) {
                    clock.ping(now);
                    moments.push((now + ahead) % EVENT_PING_MS);
                }
            }
        }
        assert!((50 * 7..=50 * 8).contains(&moments.len()), "one a turn: {}", moments.len());
        assert!(moments.iter().all(|at| *at < 100.0 + 1e-6), "{moments:?}");
    }

    #[test]
    fn the_offset_is_that_of_the_quickest_recent_ping() {
        let mut clock = Clock::default();
        round_trip(&mut clock, 0.0, 300.0, 20.0, 7_000.0);
        round_trip(&mut clock, 2_000.0, 20.0, 20.0, 7_000.0);
        round_trip(&mut clock, 4_000.0, 20.0, 500.0, 7_000.0);
        assert_eq!(clock.offset_ms(), Some(7_000.0));
    }

    #[test]
    fn a_clock_that_steps_is_believed_at_the_next_pong() {
        for step in [-10_000.0, 10_000.0] {
            let mut clock = Clock::default();
            for i in 0..8 {
                round_trip(&mut clock, f64::from(i) * 2_000.0, 10.0, 10.0, 500.0);
            }
            round_trip(&mut clock, 16_000.0, 40.0, 40.0, 500.0 + step);
            assert_eq!(clock.offset_ms(), Some(500.0 + step));
        }
    }

    #[test]
    fn drawn_time_follows_a_small_correction_smoothly_and_never_runs_back() {
        let mut clock = Clock::default();
        clock.restart(1_000.0, 0.0);
        let mut last = clock.heard_ms(0.0).expect("a welcome gives a guess");
        round_trip(&mut clock, 0.0, 0.0, 0.0, 900.0);
        for frame in 1..200 {
            let drawn = clock.heard_ms(f64::from(frame) * 16.0).expect("known");
            let run = drawn - last;
            assert!((15.0..=17.0).contains(&run), "frame {frame} ran {run} ms");
            last = drawn;
        }
        assert!((last - (199.0 * 16.0 + 900.0)).abs() < 1.0);
    }

    #[test]
    fn an_answer_that_nobody_asked_for_changes_nothing() {
        let mut clock = Clock::default();
        clock.pong(f64::NAN, 1.0, 2.0);
        clock.pong(-5.0, 1e300, 2.0);
        assert_eq!((clock.offset_ms(), clock.rtt_ms()), (None, None));
    }
}
