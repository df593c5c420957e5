//! What a room costs: rows, requests and time, since it began and since this day (UTC) began.
//!
//! The counts ride in the room's own record of each commit that is made anyway and never make one due, so a crash loses
//! what came since the last commit, and no more. They are what the platform bills of this object, not of the Worker before
//! it, nor of the Lobby beside it. From them comes how long movement may wait (`movement_ms`), which nothing durable ever
//! does. Absent: prices (`prices.rs`).

use serde::{Deserialize, Serialize};

use crate::host::Host;
use crate::limits::{COST_GAP_MS_MAX, COST_SLEEP_MS_MAX, DAY_MS, MOVEMENT_MS, MOVEMENT_MS_MAX, PULSE_MS};

/// Messages that come in on sockets and are billed as one request.
pub(super) const MESSAGES_PER_REQUEST: u64 = 20;

/// Counts of some stretch of time. Part of saves: a new one needs a new version of the room's record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// Of commits, and one for each alarm that was set.
    pub rows_written: u64,
    /// Of commits that nothing but the cadence made due.
    pub movement_rows: u64,
    pub alarms_set: u64,
    /// Upgrades, calls of others to this room, this room's to others, alarms that fired.
    pub requests: u64,
    pub messages_in: u64,
    pub bytes_out: u64,
    /// A person's seat was held.
    pub room_ms: u64,
    /// The object was in memory for it and could not hibernate.
    pub active_ms: u64,
    /// The same for each person who was here.
    pub player_ms: u64,
}

/// The counts as a commit has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CostRecord {
    /// Days since 1970 that `today` is of.
    day: u64,
    /// Up to when time was counted.
    at_ms: u64,
    today: Tally,
    total: Tally,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    kept: CostRecord,
    /// Rows of the dearest commit of this incarnation: a fold may be several.
    dearest_rows: u64,
}

/// Who is there to be paid for.
#[derive(Clone, Copy, Debug)]
struct Presence {
    /// A person's seat is held.
    live: bool,
    /// Time goes on by itself, so the object stays awake.
    ticks: bool,
    people: u64,
}

impl Costs {
    pub(super) fn new(now_ms: u64) -> Costs {
        let kept = CostRecord { day: now_ms / DAY_MS, at_ms: now_ms, ..CostRecord::default() };
        Costs { kept, dearest_rows: 1 }
    }

    /// `slept`: people were here all the time, and the object slept.
    pub(super) fn restore(kept: CostRecord, slept: bool, now_ms: u64) -> Costs {
        let earliest_ms = if slept { now_ms.saturating_sub(COST_SLEEP_MS_MAX) } else { now_ms };
        let at_ms = kept.at_ms.clamp(earliest_ms, now_ms);
        Costs { kept: CostRecord { at_ms, ..kept }, dearest_rows: 1 }
    }

    /// What the commit that is being made has of it: itself as one row.
    pub(super) fn record(&self) -> CostRecord {
        let mut kept = self.kept;
        for tally in [&mut kept.today, &mut kept.total] {
            tally.rows_written = tally.rows_written.saturating_add(1);
        }
        kept
    }

    pub(super) fn total(&self) -> &Tally {
        &self.kept.total
    }

    /// Of the day that `now_ms` is in.
    pub(super) fn today(&self, now_ms: u64) -> Tally {
        if now_ms / DAY_MS > self.kept.day { Tally::default() } else { self.kept.today }
    }

    fn add(&mut self, now_ms: u64, add: impl Fn(&mut Tally)) {
        let day = now_ms / DAY_MS;
        // A clock that was set back goes on with the later day.
        if day > self.kept.day {
            (self.kept.day, self.kept.today) = (day, Tally::default());
        }
        add(&mut self.kept.today);
        add(&mut self.kept.total);
    }

    /// Counts the time since the last call, of a room in which nothing has changed since. What passes over the midnight is
    /// the new day's.
    fn pass(&mut self, now_ms: u64, presence: Presence, gap_ms_max: u64) {
        let passed_ms = now_ms.saturating_sub(self.kept.at_ms).min(gap_ms_max);
        self.kept.at_ms = now_ms;
        if !presence.live || passed_ms == 0 {
            return;
        }
        self.add(now_ms, |tally| {
            more(&mut tally.room_ms, passed_ms);
            more(&mut tally.active_ms, if presence.ticks { passed_ms } else { 0 });
            more(&mut tally.player_ms, passed_ms.saturating_mul(presence.people));
        });
    }

    /// A commit was taken. `movement`: nothing but the cadence made it due.
    pub(super) fn commit(&mut self, rows: u64, movement: bool, now_ms: u64) {
        self.dearest_rows = self.dearest_rows.max(rows);
        self.add(now_ms, |tally| {
            more(&mut tally.rows_written, rows);
            more(&mut tally.movement_rows, if movement { rows } else { 0 });
        });
    }

    fn alarm_set(&mut self, now_ms: u64) {
        self.add(now_ms, |tally| {
            more(&mut tally.rows_written, 1);
            more(&mut tally.alarms_set, 1);
        });
    }

    fn request(&mut self, now_ms: u64) {
        self.add(now_ms, |tally| more(&mut tally.requests, 1));
    }

    pub(super) fn message_in(&mut self, now_ms: u64) {
        self.add(now_ms, |tally| more(&mut tally.messages_in, 1));
    }

    pub(super) fn bytes_out(&mut self, bytes: u64, now_ms: u64) {
        self.add(now_ms, |tally| more(&mut tally.bytes_out, bytes));
    }

    /// How long movement alone waits for a commit at `now_ms`, in milliseconds; none while no row is left for it.
    ///
    /// `MOVEMENT_MS` until half of the day's rows are written: the room may be quiet later. From then on what is left
    /// after alarms and durable commits, as they came so far today, is spread over the rest of the day.
    pub(super) fn movement_ms(&self, rows_per_day: u32, now_ms: u64) -> Option<u64> {
        let (today, budget) = (self.today(now_ms), u64::from(rows_per_day));
        if today.rows_written.saturating_mul(2) < budget {
            // A fold of a large save must fit all the same.
            let fits = today.rows_written.saturating_add(self.dearest_rows) <= budget;
            return fits.then_some(MOVEMENT_MS);
        }
        let left = budget.saturating_sub(today.rows_written);
        if left < self.dearest_rows {
            return None;
        }
        let passed_ms = (now_ms % DAY_MS).max(1);
        let left_ms = DAY_MS - now_ms % DAY_MS;
        let cadence = today.movement_rows.saturating_add(today.alarms_set);
        let durable = u128::from(today.rows_written.saturating_sub(cadence));
        let durable_to_come = durable * u128::from(left_ms) / u128::from(passed_ms);
        let to_come = durable_to_come + u128::from(left_ms / PULSE_MS);
        let free = u128::from(left).saturating_sub(to_come);
        let spread_ms = u128::from(left_ms).checked_div(free).unwrap_or(u128::MAX);
        Some(u64::try_from(spread_ms).unwrap_or(u64::MAX).clamp(MOVEMENT_MS, MOVEMENT_MS_MAX))
    }
}

fn more(count: &mut u64, by: u64) {
    // A save may say anything.
    *count = count.saturating_add(by);
}

impl Host {
    /// An alarm was set: a row.
    pub fn handle_alarm_set(&mut self, now_ms: u64) {
        self.costs.alarm_set(now_ms);
    }

    /// A request that this room was asked, or asked of another object; the host's own calls are counted by itself.
    pub fn handle_request(&mut self, now_ms: u64) {
        self.costs.request(now_ms);
    }

    /// Counts the time up to this event. To be called before anything in the room changes by it.
    pub(super) fn pass_time(&mut self) {
        self.pass_time_of(COST_GAP_MS_MAX);
    }

    /// The same after a sleep, in which all who are connected were here.
    pub(super) fn pass_sleep(&mut self) {
        self.pass_time_of(COST_SLEEP_MS_MAX);
    }

    fn pass_time_of(&mut self, gap_ms_max: u64) {
        let presence = Presence {
            live: self.schedule.is_live() && !self.has_ended(),
            ticks: !self.is_event_driven(),
            people: self.people() as u64,
        };
        self.costs.pass(self.now_ms, presence, gap_ms_max);
    }

    /// How long movement alone waits for a commit; none while no row of the day is left for it.
    pub(super) fn movement_ms(&self, now_ms: u64) -> Option<u64> {
        self.costs.movement_ms(self.schema.room.rows_per_day, now_ms)
    }
}

#[cfg(test)]
mod tests;
