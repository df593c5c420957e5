//! Whether a room runs too few of its ticks, and whether that is its own doing (B40).
//!
//! Rooms of an isolate share a thread, so a room that is late may be held up by another. The suspect is the room whose
//! tick was the newest to take longer than a period; where no tick can be seen to (in production the clock stands still
//! while code runs), the one whose handlers used the most fuel since. Late ticks are blamed on the suspect. Judged at
//! take-over only, when no timer holds the clock back, over `OVERRUN_MS` at least: a room that was blamed for most late
//! ticks and ran under `OVERRUN_PERCENT` of those that were due is overrun. Absent: what becomes of it (`life.rs`).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::limits::{LOAD_ROOMS_MAX, OVERRUN_MS, OVERRUN_PERCENT};

/// What the rooms of an isolate know of each other.
#[derive(Debug, Default)]
pub struct Load {
    /// The room whose tick was the newest to take longer than its period.
    slow: Option<String>,
    /// Units that each room's handlers used between its last two take-overs.
    fuel: BTreeMap<String, u64>,
}

impl Load {
    /// A room takes over its ticks: since it did so last its handlers used so many units.
    fn used(&mut self, room: &str, units: u64) {
        if self.fuel.len() < LOAD_ROOMS_MAX || self.fuel.contains_key(room) {
            self.fuel.insert(room.to_owned(), units);
        }
    }

    /// The room that late ticks are blamed on, and no longer known to be slow.
    fn suspect(&mut self) -> Option<String> {
        let most = self.fuel.iter().max_by_key(|(_, units)| **units).map(|(room, _)| room.clone());
        self.slow.take().or(most)
    }
}

/// One room's account, from take-over to take-over.
#[derive(Debug, Default)]
pub(super) struct Overrun {
    load: Rc<RefCell<Load>>,
    since_ms: Option<u64>,
    ran: u64,
    /// Of the rules' account, at the last take-over.
    units: u64,
    /// Late ticks, those that slipped too, and those of them that were this room's own doing.
    late: u64,
    blamed: u64,
}

/// A room ran so few of the ticks that were due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overrunning {
    pub ran: u64,
    pub due: u64,
}

impl Overrun {
    pub(super) fn new(load: Rc<RefCell<Load>>) -> Overrun {
        Overrun { load, ..Overrun::default() }
    }

    /// A tick of the room ran, so long as far as the clock showed.
    pub(super) fn ran(&mut self, room: &str, took_ms: f64, hz: u32) {
        self.ran += 1;
        if took_ms * f64::from(hz) > 1_000.0 {
            self.load.borrow_mut().slow = Some(room.to_owned());
        }
    }

    /// The room rests: what was due meanwhile was not.
    pub(super) fn rest(&mut self) {
        self.since_ms = None;
    }

    /// A take-over found so many ticks late; `units` is all that the room's handlers ever used.
    pub(super) fn judge(
        &mut self,
        room: &str,
        late: u64,
        units: u64,
        hz: u32,
        now_ms: u64,
    ) -> Option<Overrunning> {
        let used = units.saturating_sub(std::mem::replace(&mut self.units, units));
        self.load.borrow_mut().used(room, used);
        if late > 0 {
            let suspect = self.load.borrow_mut().suspect();
            self.late += late;
            self.blamed += if suspect.as_deref() == Some(room) { late } else { 0 };
        }
        let Some(since_ms) = self.since_ms else {
            self.begin(now_ms);
            return None;
        };
        let passed_ms = now_ms.saturating_sub(since_ms);
        if passed_ms < OVERRUN_MS {
            return None;
        }
        let (ran, due) = (self.ran, passed_ms * u64::from(hz) / 1_000);
        let is_overrun = ran * 100 < due * OVERRUN_PERCENT && self.blamed * 2 > self.late;
        self.begin(now_ms);
        is_overrun.then_some(Overrunning { ran, due })
    }

    fn begin(&mut self, now_ms: u64) {
        (self.since_ms, self.ran, self.late, self.blamed) = (Some(now_ms), 0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HZ: u32 = 20;

    fn two() -> (Overrun, Overrun) {
        let load = Rc::<RefCell<Load>>::default();
        (Overrun::new(Rc::clone(&load)), Overrun::new(load))
    }

    /// Runs so many ticks in ten seconds, each taking so long, then judges with the rest late.
    fn pulse(room: &mut Overrun, name: &str, ticks: u64, took_ms: f64, now_ms: u64) -> Option<Overrunning> {
        (0..ticks).for_each(|_| room.ran(name, took_ms, HZ));
        room.judge(name, 200 - ticks, 0, HZ, now_ms)
    }

    /// B40
    #[test]
    fn a_room_whose_own_ticks_are_slow_is_overrun_and_the_one_beside_it_is_not() {
        let (mut slow, mut calm) = two();
        assert_eq!(
            (pulse(&mut calm, "calm", 200, 1.0, 0), pulse(&mut slow, "slow", 100, 90.0, 0)),
            (None, None)
        );
        (0..100).for_each(|_| slow.ran("slow", 90.0, HZ));
        assert_eq!(pulse(&mut calm, "calm", 100, 1.0, 10_000), None, "it is held up by the other");
        slow.ran("slow", 90.0, HZ);
        assert_eq!(slow.judge("slow", 99, 0, HZ, 10_000), Some(Overrunning { ran: 101, due: 200 }));
    }

    /// B40
    #[test]
    fn where_the_clock_shows_nothing_the_room_that_used_the_most_fuel_is_blamed() {
        let (mut hungry, mut calm) = two();
        hungry.judge("hungry", 0, 0, HZ, 0);
        calm.judge("calm", 0, 0, HZ, 0);
        (0..100).for_each(|_| (hungry.ran("hungry", 0.0, HZ), calm.ran("calm", 0.0, HZ)).0);
        assert!(hungry.judge("hungry", 100, 5_000_000, HZ, 10_000).is_some());
        assert_eq!(calm.judge("calm", 100, 1_000, HZ, 10_000), None);
    }

    /// B40
    #[test]
    fn a_room_that_runs_nine_ticks_of_ten_is_not_overrun_nor_is_one_judged_too_soon() {
        let (mut room, _) = two();
        room.judge("room", 0, 0, HZ, 0);
        assert_eq!(pulse(&mut room, "room", 180, 90.0, 10_000), None);
        assert!(pulse(&mut room, "room", 179, 90.0, 20_000).is_some());
        assert_eq!(pulse(&mut room, "room", 10, 90.0, 20_000 + OVERRUN_MS - 1), None);
        room.rest();
        assert_eq!(pulse(&mut room, "room", 0, 90.0, 90_000), None, "it rested");
    }
}
