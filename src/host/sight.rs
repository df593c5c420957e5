//! What a seat sees when it acts: how far in the past the bodies are that it is shown (B45).
//!
//! Measured by the room's own stamps alone: when a tick was sent, and when a message came in that names it. The client
//! says how far behind it draws, within bounds, and nothing else; a tick that was never sent counts for nothing, and one
//! named late makes a longer way, which is capped. Absent: the shots (`rules`).

use std::collections::VecDeque;

use crate::limits::{
    HISTORY_MS, INTERPOLATION_MS, INTERPOLATION_MS_MAX, INTERPOLATION_MS_MIN, REWIND_MS_MAX, RTT_SAMPLES_MAX,
    RTT_WINDOW_MS, SEND_TIMES_MAX,
};
use crate::rules::ids::Tick;

/// A trip longer than this makes no difference.
const TRIP_MS_MAX: u64 = HISTORY_MS as u64;

/// When the newest ticks of this incarnation were sent.
#[derive(Clone, Debug, Default)]
pub(super) struct SendTimes {
    /// The first one ever.
    first: Option<Tick>,
    times: VecDeque<(Tick, u64)>,
}

impl SendTimes {
    pub(super) fn sent(&mut self, tick: Tick, now_ms: u64) {
        self.first.get_or_insert(tick);
        self.times.push_back((tick, now_ms));
        let is_old = |(_, at): &(Tick, u64)| now_ms.saturating_sub(*at) > TRIP_MS_MAX;
        while self.times.len() > SEND_TIMES_MAX || self.times.front().is_some_and(is_old) {
            self.times.pop_front();
        }
    }

    /// Milliseconds since `tick` was sent; none if it never was. What is older than is remembered was sent `TRIP_MS_MAX`
    /// ago, as far as anyone may gain by it.
    pub(super) fn age_ms(&self, tick: Tick, now_ms: u64) -> Option<u64> {
        let (oldest, _) = self.times.front()?;
        if tick < *oldest {
            return self.first.filter(|first| *first <= tick).map(|_| TRIP_MS_MAX);
        }
        let sent = self.times.iter().rev().find(|(sent, _)| *sent == tick);
        sent.map(|(_, at)| now_ms.saturating_sub(*at))
    }
}

/// Of one seat, since its connection was welcomed.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    interpolation_ms: u64,
    /// When each was measured, and the round trip; both rising, so that the first is the least.
    trips: VecDeque<(u64, u64)>,
}

impl Default for Sight {
    fn default() -> Sight {
        // A whole number of milliseconds.
        Sight { interpolation_ms: INTERPOLATION_MS as u64, trips: VecDeque::new() }
    }
}

impl Sight {
    /// A message came in that names a tick sent `trip_ms` ago.
    pub(super) fn heard(&mut self, trip_ms: u64, now_ms: u64) {
        while self.trips.back().is_some_and(|(_, before)| *before >= trip_ms) {
            self.trips.pop_back();
        }
        // A full one is of the last seconds, each longer than the one before: the newest matter least.
        if self.trips.len() >= RTT_SAMPLES_MAX {
            self.trips.pop_back();
        }
        self.trips.push_back((now_ms, trip_ms));
        self.age(now_ms);
    }

    /// Its client says how far behind it draws others.
    pub(super) fn draws_behind(&mut self, ms: f64) {
        // Held to its bounds, so it fits; `as` takes what is no number for 0.
        self.interpolation_ms = (ms as u64).clamp(INTERPOLATION_MS_MIN, INTERPOLATION_MS_MAX);
    }

    /// The newest one is kept however old it is: nothing better is known.
    fn age(&mut self, now_ms: u64) {
        let is_old = |(at, _): &(u64, u64)| now_ms.saturating_sub(*at) > RTT_WINDOW_MS;
        while self.trips.len() > 1 && self.trips.front().is_some_and(is_old) {
            self.trips.pop_front();
        }
    }

    /// Whole ticks between what the seat sees and the tick that its input is used in.
    pub(super) fn rewind(&mut self, now_ms: u64, hz: u32) -> u16 {
        self.age(now_ms);
        let (hz, trip_ms) = (u64::from(hz), self.trips.front().map_or(0, |(_, trip)| *trip));
        // One period is one tick.
        let ticks = (self.interpolation_ms.saturating_add(trip_ms).saturating_mul(hz)).div_ceil(1_000) + 1;
        let most = (self.interpolation_ms + u64::from(REWIND_MS_MAX)).min(TRIP_MS_MAX) * hz / 1_000;
        u16::try_from(ticks.min(most)).unwrap_or(u16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HZ: u32 = 20;

    /// B45
    #[test]
    fn the_rewind_is_round_trip_interpolation_and_a_period_in_whole_ticks_rounded_up() {
        let mut sight = Sight::default();
        assert_eq!(sight.rewind(0, HZ), 4, "150 + 50 ms");
        for (trip_ms, ticks) in [(1, 5), (50, 5), (51, 6), (100, 6), (200, 8), (201, 8), (3_600_000, 8)] {
            let mut sight = Sight::default();
            sight.heard(trip_ms, 0);
            assert_eq!(sight.rewind(0, HZ), ticks, "{trip_ms} ms");
        }
        for (said, ticks) in
            [(50.0, 2), (0.0, 2), (-5.0, 2), (100.0, 3), (250.0, 6), (1e300, 6), (f64::NAN, 2)]
        {
            sight.draws_behind(said);
            assert_eq!(sight.rewind(0, HZ), ticks, "{said} ms");
        }
    }

    /// B45
    #[test]
    fn the_least_round_trip_of_five_seconds_counts() {
        let mut sight = Sight::default();
        for (at, trip) in [(0, 150), (1_000, 60), (2_000, 140), (3_000, 120)] {
            sight.heard(trip, at);
        }
        assert_eq!(sight.rewind(6_000, HZ), 6, "60 ms");
        assert_eq!(sight.rewind(6_001, HZ), 7, "120 ms");
        assert_eq!(sight.trips.len(), 1, "140 ms was never the least");
        assert_eq!(sight.rewind(90_000, HZ), 7, "nothing better is known");
    }

    /// F21
    #[test]
    fn no_round_trip_rewinds_beyond_the_cap() {
        for hz in [1, 7, 20, 30, 60, 144] {
            for interpolation in [50u32, 99, 150, 250] {
                let mut sight = Sight::default();
                sight.draws_behind(f64::from(interpolation));
                sight.heard(3_600_000, 0);
                let ms = u64::from(sight.rewind(0, hz)) * 1_000;
                assert!(ms <= u64::from(interpolation + REWIND_MS_MAX) * u64::from(hz));
            }
        }
    }

    /// F22
    #[test]
    fn only_ticks_that_were_sent_tell_of_the_way() {
        let mut times = SendTimes::default();
        assert_eq!(times.age_ms(Tick(1), 0), None);
        for tick in 10..200 {
            times.sent(Tick(tick), u64::from(tick) * 50);
        }
        let now = 199 * 50 + 7;
        assert_eq!((times.age_ms(Tick(199), now), times.age_ms(Tick(197), now)), (Some(7), Some(107)));
        assert_eq!((times.age_ms(Tick(200), now), times.age_ms(Tick(9), now)), (None, None));
        assert_eq!(times.age_ms(Tick(10), now), Some(TRIP_MS_MAX), "long ago");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (mut times, mut sight) = (SendTimes::default(), Sight::default());
        for n in 0..10_000 {
            times.sent(Tick(n), 0);
            sight.heard(u64::from(n), 0);
        }
        assert_eq!((times.times.len(), sight.trips.len()), (SEND_TIMES_MAX, RTT_SAMPLES_MAX));
    }
}
