//! What a room's counts mean in money and in the free plan's day.
//!
//! The numbers are those of <https://developers.cloudflare.com/durable-objects/platform/pricing>, read on 2026-12-01. Free:
//! a day has 100,000 rows written, 100,000 requests and 13,000 GB-s, all objects of the account together, until 00:00 UTC.
//! Paid: $1.00 a million rows, $0.15 a million requests, $12.50 a million GB-s beyond what the $5 a month include. An
//! object is billed for 128 MB whatever it uses (1,000,000 s are 128,000 GB-s there); 20 messages that come in are one
//! request; what goes out is free; each alarm that is set is a row.
//!
//! Left out, because a room has hardly any: rows read (a restore's, $0.001 a million), the Worker's requests (one a
//! connection), storage ($0.20 a GB and month), and what the Lobby and D1 write of it.

use serde::Serialize;

use crate::host::Host;
use crate::host::costs::{MESSAGES_PER_REQUEST, Tally};
use crate::limits::COST_MEASURED_MS_MIN;

const FREE_ROWS_PER_DAY: f64 = 100_000.0;
const FREE_REQUESTS_PER_DAY: f64 = 100_000.0;
const FREE_GB_S_PER_DAY: f64 = 13_000.0;
const USD_PER_ROW: f64 = 1.00 / 1e6;
const USD_PER_REQUEST: f64 = 0.15 / 1e6;
const USD_PER_GB_S: f64 = 12.50 / 1e6;
const OBJECT_GB: f64 = 0.128;

const HOUR_MS: f64 = 3_600_000.0;

/// What the room costs, as `/facts` tells it.
#[derive(Clone, Debug, Serialize)]
pub struct CostFacts {
    /// Of this day (UTC).
    pub today: TallyFacts,
    /// Since the room began.
    pub total: TallyFacts,
    /// What the room may write a day before movement is committed more seldom.
    pub rows_per_day: u32,
    /// How long movement waits for a commit now; none while no row of the day is left for it.
    pub movement_ms: Option<u64>,
    /// What the four below are taken over: `today`, or `total` while today is too short; none while both are, and so are
    /// they.
    pub measured: Option<&'static str>,
    /// Hours a day that rooms like this one can be played on the free plan, one after the other or side by side: the least
    /// of what the plan has of a thing, by what an hour of this room takes of it.
    pub room_hours_per_free_day: Option<f64>,
    /// The thing that is used up first: `rows`, `requests` or `duration`.
    pub bound_by: Option<&'static str>,
    /// The same hours, by the people who were here on average.
    pub player_hours_per_free_day: Option<f64>,
    /// An hour of this room on the paid plan, beyond what its month includes.
    pub usd_per_room_hour: Option<f64>,
}

/// Counts of some stretch of time.
#[derive(Clone, Debug, Serialize)]
pub struct TallyFacts {
    /// Of commits, and one for each alarm that was set.
    pub rows_written: u64,
    /// Of them, what nothing but the cadence of movement made due.
    pub movement_rows: u64,
    pub alarms_set: u64,
    /// As they are billed: a message that comes in is a twentieth.
    pub requests: f64,
    pub messages_in: u64,
    pub bytes_out: u64,
    /// Somebody's seat was held.
    pub room_seconds: f64,
    /// Of them, those the object was billed for: none in a room that runs by events, which may sleep.
    pub active_seconds: f64,
    /// Summed over the people who were here.
    pub player_seconds: f64,
}

/// What an hour of a room takes.
struct Rates {
    rows: f64,
    requests: f64,
    gb_s: f64,
    people: f64,
}

impl Tally {
    fn requests_billed(&self) -> f64 {
        self.requests as f64 + self.messages_in as f64 / MESSAGES_PER_REQUEST as f64
    }

    fn facts(&self) -> TallyFacts {
        TallyFacts {
            rows_written: self.rows_written,
            movement_rows: self.movement_rows,
            alarms_set: self.alarms_set,
            requests: self.requests_billed(),
            messages_in: self.messages_in,
            bytes_out: self.bytes_out,
            room_seconds: self.room_ms as f64 / 1_000.0,
            active_seconds: self.active_ms as f64 / 1_000.0,
            player_seconds: self.player_ms as f64 / 1_000.0,
        }
    }

    /// None while too little was measured.
    fn rates(&self) -> Option<Rates> {
        if self.room_ms < COST_MEASURED_MS_MIN {
            return None;
        }
        let hours = self.room_ms as f64 / HOUR_MS;
        Some(Rates {
            rows: self.rows_written as f64 / hours,
            requests: self.requests_billed() / hours,
            gb_s: self.active_ms as f64 / 1_000.0 * OBJECT_GB / hours,
            people: self.player_ms as f64 / self.room_ms as f64,
        })
    }
}

impl Rates {
    /// Room-hours a free day, and what binds them.
    fn hours_per_free_day(&self) -> (f64, &'static str) {
        let hours = [
            (FREE_ROWS_PER_DAY, self.rows, "rows"),
            (FREE_REQUESTS_PER_DAY, self.requests, "requests"),
            (FREE_GB_S_PER_DAY, self.gb_s, "duration"),
        ];
        // A room whose people came in has rows and requests: something binds.
        let hours = hours.into_iter().filter(|(_, rate, _)| *rate > 0.0);
        let hours = hours.map(|(allowance, rate, name)| (allowance / rate, name));
        hours.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((24.0, "duration"))
    }

    fn usd_per_hour(&self) -> f64 {
        self.rows * USD_PER_ROW + self.requests * USD_PER_REQUEST + self.gb_s * USD_PER_GB_S
    }
}

impl Host {
    pub(super) fn cost_facts(&self, now_ms: u64) -> CostFacts {
        let (today, total) = (self.costs.today(now_ms), self.costs.total());
        let measured = today.rates().map(|rates| (rates, "today"));
        let measured = measured.or_else(|| total.rates().map(|rates| (rates, "total")));
        let hours = measured.as_ref().map(|(rates, _)| rates.hours_per_free_day());
        let player_hours = |(rates, _): &(Rates, _)| hours.map(|(hours, _)| hours * rates.people);
        CostFacts {
            today: today.facts(),
            total: total.facts(),
            rows_per_day: self.schema.room.rows_per_day,
            movement_ms: self.movement_ms(now_ms),
            measured: measured.as_ref().map(|(_, of)| *of),
            room_hours_per_free_day: hours.map(|(hours, _)| rounded(hours, 10.0)),
            bound_by: hours.map(|(_, name)| name),
            player_hours_per_free_day: measured.as_ref().and_then(player_hours).map(|h| rounded(h, 10.0)),
            usd_per_room_hour: measured.as_ref().map(|(rates, _)| rounded(rates.usd_per_hour(), 1e6)),
        }
    }
}

fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{CARDS, LASTING, Rig};

    /// An hour at 1 durable row, 0.1 alarms and 4 people with 4 messages each a second.
    const HOUR: Tally = Tally {
        rows_written: 3_960,
        movement_rows: 0,
        alarms_set: 360,
        requests: 360,
        messages_in: 57_600,
        bytes_out: 1,
        room_ms: 3_600_000,
        active_ms: 3_600_000,
        player_ms: 4 * 3_600_000,
    };

    #[test]
    fn the_hours_of_a_free_day_are_the_least_of_what_it_has_by_what_an_hour_takes() {
        let hours = |tally: Tally| tally.rates().expect("measured").hours_per_free_day();
        let (by_rows, name) = hours(HOUR);
        assert_eq!((rounded(by_rows, 10.0), name), (25.3, "rows"));
        let (by_duration, name) = hours(Tally { rows_written: 720, ..HOUR });
        assert_eq!((rounded(by_duration, 10.0), name), (28.2, "duration"));
        let (by_requests, name) = hours(Tally { messages_in: 10 * HOUR.messages_in, ..HOUR });
        assert_eq!((rounded(by_requests, 10.0), name), (3.4, "requests"));
        let asleep = Tally { rows_written: 100, active_ms: 0, messages_in: 0, requests: 10, ..HOUR };
        assert_eq!(hours(asleep), (1_000.0, "rows"));
    }

    #[test]
    fn the_price_of_an_hour_is_the_sum_of_its_parts() {
        // $0.00396 of rows, $0.000486 of requests, $0.00576 of duration.
        let usd = HOUR.rates().expect("measured").usd_per_hour();
        assert!((usd - 0.010_206).abs() < 1e-9, "{usd}");
    }

    #[test]
    fn nothing_is_said_of_what_was_hardly_measured() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.run_ms(COST_MEASURED_MS_MIN - 100);
        let costs = serde_json::to_value(rig.facts()).expect("JSON")["costs"].clone();
        for name in ["measured", "room_hours_per_free_day", "bound_by", "usd_per_room_hour"] {
            assert!(costs[name].is_null(), "{name}");
        }
        rig.join(2);
        rig.run_ms(100);
        let facts = rig.facts().costs;
        assert_eq!((facts.measured, facts.bound_by), (Some("today"), Some("duration")));
        assert_eq!(facts.room_hours_per_free_day, Some(28.2));
        assert!(facts.player_hours_per_free_day.is_some_and(|hours| (28.2..56.4).contains(&hours)));
        let tomorrow = rig.host.facts(rig.now_ms + crate::limits::DAY_MS).costs;
        assert_eq!((tomorrow.measured, tomorrow.today.rows_written), (Some("total"), 0));
        assert_eq!(tomorrow.total.rows_written, facts.total.rows_written);
    }

    #[test]
    fn a_room_that_sleeps_between_events_is_bound_by_rows_or_requests() {
        let mut rig = Rig::new(&CARDS);
        rig.join(1);
        for number in 1..=20 {
            rig.now_ms += 25_000;
            rig.act(1, number, "bump", r#"{"by":1}"#);
        }
        let facts = rig.facts().costs;
        assert_eq!((facts.total.active_seconds, facts.total.room_seconds), (0.0, 500.0));
        assert_eq!(facts.bound_by, Some("rows"));
        assert!(facts.room_hours_per_free_day.is_some_and(|hours| hours > 500.0));
    }
}
