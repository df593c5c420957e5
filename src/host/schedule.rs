//! When ticks are due: `due(n) = base + n · 1000 / hz`, in whole numbers, so nothing drifts.
//!
//! Lateness is judged at take-over only. In production a tick always sees its due time, however late it is:
//! the clock never passes a pending timer, so between take-overs there is nothing to judge by. A room that runs by events
//! has stamps alone. Absent: what a tick does.

use crate::limits::CATCHUP_TICKS_MAX;

#[derive(Clone, Debug)]
pub(super) struct Schedule {
    hz: u64,
    /// Time goes on by itself.
    ticks: bool,
    /// A person's seat is held.
    live: bool,
    base_ms: u64,
    /// The tick after `base_ms` that comes next, from 1.
    next: u64,
    /// Of the newest snapshot; the next one is greater.
    stamp_ms: u64,
    late_ticks: u64,
    slips: u64,
}

impl Schedule {
    /// Paused. `hz`: none for a room that runs by events. `stamp_ms` is that of the newest snapshot ever sent.
    pub(super) fn new(hz: Option<u32>, stamp_ms: u64) -> Schedule {
        let (ticks, hz) = (hz.is_some(), u64::from(hz.unwrap_or(1).max(1)));
        Schedule { hz, ticks, live: false, base_ms: 0, next: 1, stamp_ms, late_ticks: 0, slips: 0 }
    }

    /// Starts anew from `now_ms`: what passed meanwhile is not made up.
    pub(super) fn resume(&mut self, now_ms: u64) {
        self.live = true;
        self.base_ms = now_ms;
        self.next = 1;
    }

    pub(super) fn pause(&mut self) {
        self.live = false;
    }

    pub(super) fn is_live(&self) -> bool {
        self.live
    }

    pub(super) fn next_ms(&self) -> Option<u64> {
        (self.live && self.ticks).then(|| self.due_ms(self.next))
    }

    /// Takes the next tick if it is due: its stamp.
    pub(super) fn take(&mut self, now_ms: u64) -> Option<u64> {
        let due_ms = self.next_ms().filter(|due| *due <= now_ms)?;
        self.next += 1;
        // It is due, so its due time is the earlier one; ticks of a changed base still keep their stamps
        // apart.
        self.stamp_ms = due_ms.max(self.stamp_ms + 1);
        Some(self.stamp_ms)
    }

    /// No timer is pending now: counts what is late, and lets slip what is beyond the catch-up limit.
    pub(super) fn take_over(&mut self, now_ms: u64) {
        let Some(next_ms) = self.next_ms() else { return };
        if next_ms > now_ms {
            // Further off than a period: the clock was set back.
            if next_ms - now_ms > 2 + 1_000 / self.hz {
                self.resume(now_ms);
            }
            return;
        }
        let due = self.last_due(now_ms) + 1 - self.next;
        let slipped = due.saturating_sub(u64::from(CATCHUP_TICKS_MAX));
        // The newest is on time, or will be run before the next is due.
        self.late_ticks += due - 1 - slipped;
        self.slips += slipped;
        self.next += slipped;
    }

    pub(super) fn stamp_ms(&self) -> u64 {
        self.stamp_ms
    }

    /// The stamp of a snapshot outside of the schedule.
    pub(super) fn stamp(&mut self, now_ms: u64) -> u64 {
        self.stamp_ms = now_ms.max(self.stamp_ms.saturating_add(1));
        self.stamp_ms
    }

    /// Ticks found late at take-overs.
    pub(super) fn late_ticks(&self) -> u64 {
        self.late_ticks
    }

    /// Ticks that were never run because the room fell behind.
    pub(super) fn slips(&self) -> u64 {
        self.slips
    }

    fn due_ms(&self, n: u64) -> u64 {
        self.base_ms + n * 1_000 / self.hz
    }

    /// The greatest n with `due_ms(n) <= now_ms`.
    fn last_due(&self, now_ms: u64) -> u64 {
        let passed = now_ms.saturating_sub(self.base_ms);
        // n · 1000 / hz < passed + 1, rounded down on the left.
        ((passed + 1) * self.hz - 1) / 1_000
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn live(hz: u32, now_ms: u64) -> Schedule {
        let mut schedule = Schedule::new(Some(hz), 0);
        schedule.resume(now_ms);
        schedule
    }

    /// F5
    #[test]
    fn ten_minutes_of_slow_handlers_are_exactly_twelve_thousand_ticks() {
        let (mut schedule, start) = (live(20, 1_000), 1_000);
        let (mut now, mut ticks) = (start, 0);
        while let Some(next) = schedule.next_ms().filter(|next| *next <= start + 600_000) {
            now = next.max(now);
            assert!(schedule.take(now).is_some());
            ticks += 1;
            now += if ticks % 7 == 0 { 180 } else { 11 };
        }
        assert_eq!(ticks, 12_000);
    }

    #[test]
    fn a_rate_that_divides_no_second_does_not_drift() {
        let mut schedule = live(60, 5);
        for _ in 0..3_600 {
            let due = schedule.next_ms().expect("live");
            schedule.take(due);
        }
        assert_eq!(schedule.next_ms(), Some(5 + 60_000 + 16));
    }

    /// B39
    #[test]
    fn a_stamp_is_the_due_time_and_always_rises() {
        let mut schedule = live(20, 1_000);
        assert_eq!(schedule.take(1_049), None);
        assert_eq!(schedule.take(1_170), Some(1_050));
        assert_eq!(schedule.take(1_170), Some(1_100));
        schedule.resume(900);
        assert_eq!(schedule.take(950), Some(1_101));
        assert_eq!(schedule.take(950), None);
    }

    /// F6
    #[test]
    fn take_over_catches_up_to_the_limit_and_slips_the_rest() {
        let mut schedule = live(20, 0);
        schedule.take_over(600_000);
        let mut ticks = 0;
        while schedule.take(600_000).is_some() {
            ticks += 1;
        }
        assert_eq!(ticks, CATCHUP_TICKS_MAX);
        assert_eq!(schedule.slips(), 12_000 - u64::from(CATCHUP_TICKS_MAX));
        assert_eq!(schedule.late_ticks(), u64::from(CATCHUP_TICKS_MAX) - 1);
        assert_eq!(schedule.next_ms(), Some(600_050));
    }

    #[test]
    fn a_clock_set_back_starts_anew() {
        let mut schedule = live(20, 3_600_000);
        schedule.take_over(1_000);
        assert_eq!(schedule.next_ms(), Some(1_050));
    }

    #[test]
    fn resume_makes_no_burst() {
        let mut schedule = live(20, 0);
        schedule.take(50);
        schedule.pause();
        assert_eq!((schedule.next_ms(), schedule.take(9_999)), (None, None));
        schedule.resume(10_000);
        assert_eq!(schedule.next_ms(), Some(10_050));
    }

    #[test]
    fn a_room_that_runs_by_events_has_stamps_and_no_ticks() {
        let mut schedule = Schedule::new(None, 500);
        schedule.resume(1_000);
        schedule.take_over(9_000);
        assert_eq!((schedule.is_live(), schedule.next_ms(), schedule.take(9_000)), (true, None, None));
        assert_eq!([schedule.stamp(400), schedule.stamp(400), schedule.stamp(900)], [501, 502, 900]);
    }

    proptest! {
        #[test]
        fn the_last_due_is_the_last_due(hz in 1..200u32, base in 0..9_999u64, passed in 0..99_999u64) {
            let schedule = live(hz, base);
            let n = schedule.last_due(base + passed);
            prop_assert!(schedule.due_ms(n) <= base + passed && schedule.due_ms(n + 1) > base + passed);
        }
    }
}
