//! When a room that keeps failing is left alone, and when storage is.
//!
//! Three incarnations that fail within a minute park the room: nothing of it ticks and nobody is let in for `PARK_MS_MIN`,
//! twice as long each time, up to `PARK_MS_MAX`. What comes back has one try, until it has held for `PARK_CALM_MS`. An
//! incarnation fails by a write that failed, a step that broke, a panic, or by the platform resetting the object while
//! its room was up; a process that died does not count, nobody's rules did that.
//!
//! Storage that refuses (a daily limit, overload) is no fault of the room: it is left alone until the time that it names,
//! and nothing is counted. Absent: where this is kept. The platform keeps one for each room for as long as its isolate
//! lives, which outlives an object that is reset, and stores `ParkRow` for what outlives both.

use crate::limits::{
    FAILURES_MAX, FAILURES_WINDOW_MS, LIMIT_MS_MIN, OVERLOAD_MS, PARK_CALM_MS, PARK_MS_MAX, PARK_MS_MIN,
};
use crate::wire::close::{Close, CloseCode};

/// What is stored of a parked room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParkRow {
    pub until_ms: u64,
    /// Parkings on end, this one included.
    pub times: u32,
    /// For people: what failed.
    pub why: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parking {
    /// When the newest incarnations failed.
    failed_ms: Vec<u64>,
    parked: Option<ParkRow>,
    /// Storage refuses until then, because of this.
    away: Option<(u64, String)>,
    /// A room is up in memory, and storage does not have all of it: an object that begins and finds this was reset.
    up: bool,
}

/// Why a room is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    pub until_ms: u64,
    pub why: String,
    /// Storage refuses; else it is parked.
    pub away: bool,
}

impl Rest {
    /// What a client is told. Its number says when to come again (`client::backoff`).
    #[must_use]
    pub fn close(&self, now_ms: u64) -> Close {
        if self.away {
            return Close::new(CloseCode::Limit, format!("until {}: {}", self.until_ms, self.why));
        }
        let seconds = self.until_ms.saturating_sub(now_ms).div_ceil(1_000).max(1);
        Close::new(CloseCode::Parked, format!("parked for {seconds} s: {}", self.why))
    }
}

impl Parking {
    /// As it was stored.
    pub fn load(&mut self, row: ParkRow) {
        if self.parked.as_ref().is_none_or(|known| known.until_ms < row.until_ms) {
            self.parked = Some(row);
        }
    }

    /// An incarnation failed. Gives the row to store if that parks the room.
    pub fn fail(&mut self, why: &str, now_ms: u64) -> Option<ParkRow> {
        self.up = false;
        self.failed_ms.retain(|at| now_ms.saturating_sub(*at) < FAILURES_WINDOW_MS);
        self.failed_ms.push(now_ms);
        let is_parked = self.times(now_ms) > 0 || self.failed_ms.len() >= FAILURES_MAX;
        is_parked.then(|| self.park(why, now_ms))
    }

    /// Parks the room, and gives the row to store.
    pub fn park(&mut self, why: &str, now_ms: u64) -> ParkRow {
        let times = self.times(now_ms);
        self.up = false;
        self.failed_ms.clear();
        let wait_ms = PARK_MS_MIN.saturating_mul(1 << times.min(16)).min(PARK_MS_MAX);
        let until_ms = now_ms.saturating_add(wait_ms);
        let row = ParkRow { until_ms, times: times.saturating_add(1), why: why.to_owned() };
        self.parked = Some(row.clone());
        row
    }

    /// Parkings on end up to now: what has held for long since is forgotten.
    fn times(&self, now_ms: u64) -> u32 {
        let held = |row: &&ParkRow| now_ms < row.until_ms.saturating_add(PARK_CALM_MS);
        self.parked.as_ref().filter(held).map_or(0, |row| row.times)
    }

    /// Storage refuses until then.
    pub fn leave_alone(&mut self, until_ms: u64, why: &str) {
        self.up = false;
        self.away = Some((until_ms, why.to_owned()));
    }

    /// Why the room is left alone now, if it is.
    #[must_use]
    pub fn rest(&self, now_ms: u64) -> Option<Rest> {
        let away = self.away.as_ref().filter(|(until, _)| now_ms < *until);
        let away = away.map(|(until, why)| Rest { until_ms: *until, why: why.clone(), away: true });
        let parked = self.parked.as_ref().filter(|row| now_ms < row.until_ms);
        let parked = parked.map(|row| Rest { until_ms: row.until_ms, why: row.why.clone(), away: false });
        away.or(parked)
    }

    /// Failures of the last minute, and parkings on end.
    #[must_use]
    pub fn counts(&self) -> (usize, u32) {
        (self.failed_ms.len(), self.parked.as_ref().map_or(0, |row| row.times))
    }

    /// A room is up, and memory holds more than storage; or no longer.
    pub fn set_up(&mut self, up: bool) {
        self.up = up;
    }

    /// An object begins though one of this room was up: it was reset.
    pub fn take_up(&mut self) -> bool {
        std::mem::take(&mut self.up)
    }

    /// There is nothing to remember of it.
    #[must_use]
    pub fn is_calm(&self, now_ms: u64) -> bool {
        let old = self.failed_ms.iter().all(|at| now_ms.saturating_sub(*at) >= FAILURES_WINDOW_MS);
        let parked = self.parked.as_ref().map_or(0, |row| row.until_ms.saturating_add(PARK_CALM_MS));
        !self.up && old && now_ms >= parked && self.away.as_ref().is_none_or(|(until, _)| now_ms >= *until)
    }
}

/// When storage that refused with these words is to be tried again; none if the words are of a write that failed.
///
/// A daily limit of the free plan ends at midnight UTC ("Exceeded allowed rows written in Durable Objects free tier");
/// an overloaded object or account is to be let alone for a while, as its documentation asks.
/// Source: developers.cloudflare.com/durable-objects, "Limits" and "Troubleshooting" (read 2026-12-01).
#[must_use]
pub fn storage_is_away(text: &str, now_ms: u64) -> Option<u64> {
    const DAY_MS: u64 = 86_400_000;
    let text = text.to_ascii_lowercase();
    if text.contains("free tier") || text.contains("exceeded allowed") || text.contains("daily limit") {
        let midnight_ms = now_ms - now_ms % DAY_MS + DAY_MS;
        return Some(midnight_ms.max(now_ms + LIMIT_MS_MIN));
    }
    let is_loaded = text.contains("overloaded") || text.contains("too much load");
    is_loaded.then(|| now_ms + OVERLOAD_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000_000;

    #[test]
    fn three_failures_within_a_minute_park_and_each_time_for_twice_as_long() {
        let mut parking = Parking::default();
        assert_eq!(parking.fail("a", NOW), None);
        assert_eq!(parking.fail("b", NOW + 1_000), None);
        let row = parking.fail("c", NOW + 59_999).expect("parked");
        assert_eq!((row.until_ms, row.times, row.why.as_str()), (NOW + 59_999 + PARK_MS_MIN, 1, "c"));
        let rest = parking.rest(NOW + 60_000).expect("at rest");
        assert!(!rest.away && parking.rest(row.until_ms).is_none());
        // One try, and an hour at most.
        let mut now = row.until_ms;
        for times in 2..12 {
            now += 5_000;
            let row = parking.fail("d", now).expect("parked again");
            let wait = (PARK_MS_MIN << (times - 1)).min(PARK_MS_MAX);
            assert_eq!((row.until_ms - now, row.times), (wait, times));
            now = row.until_ms;
        }
        // What held for long has its three tries back.
        now += PARK_CALM_MS;
        assert!(parking.is_calm(now));
        assert_eq!((parking.fail("e", now), parking.fail("e", now)), (None, None));
        assert_eq!(parking.fail("e", now).map(|row| row.times), Some(1));
    }

    #[test]
    fn failures_that_lie_apart_park_nothing() {
        let mut parking = Parking::default();
        assert!((0..100).all(|n| parking.fail("x", NOW + n * FAILURES_WINDOW_MS / 2).is_none()));
    }

    #[test]
    fn a_stored_parking_goes_on_in_another_isolate() {
        let mut parking = Parking::default();
        parking.load(ParkRow { until_ms: NOW + 5, times: 3, why: "x".to_owned() });
        assert_eq!(
            parking.rest(NOW).map(|rest| rest.close(NOW)).map(|close| close.code),
            Some(CloseCode::Parked)
        );
        assert_eq!(parking.fail("y", NOW + 10).map(|row| row.times), Some(4));
    }

    #[test]
    fn storage_that_refuses_names_a_time_and_a_write_that_failed_does_not() {
        let midnight = 1_700_006_400_000;
        let day = storage_is_away("Error: Exceeded allowed rows written in Durable Objects free tier.", NOW);
        assert_eq!(day, Some(midnight));
        assert_eq!(storage_is_away("free tier", midnight - 1), Some(midnight - 1 + LIMIT_MS_MIN));
        assert_eq!(storage_is_away("Durable Object is overloaded.", NOW), Some(NOW + OVERLOAD_MS));
        assert_eq!(storage_is_away("UNIQUE constraint failed", NOW), None);
        let mut parking = Parking::default();
        parking.leave_alone(midnight, "a daily limit");
        let close = parking.rest(NOW).expect("away").close(NOW);
        assert_eq!((close.code, close.reason()), (CloseCode::Limit, "until 1700006400000: a daily limit"));
        assert!(parking.rest(midnight).is_none());
    }
}
