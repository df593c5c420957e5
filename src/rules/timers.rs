//! Timers: names that come due, for the room or for one body.
//!
//! Counted in ticks; in an event-driven room in milliseconds. In order of their due time, then of their making. Absent:
//! running the handlers; `stages.rs` does.

use crate::limits::TIMERS_MAX;
use crate::rules::ids::BodyId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// Rises; tells timers of one due time apart.
    pub id: u32,
    /// A tick, or milliseconds.
    pub due: u64,
    /// None: the room's.
    pub body: Option<BodyId>,
    pub name: String,
}

/// The timers of a room, by rising (due, id).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timers {
    pub list: Vec<Timer>,
    pub next_id: u32,
}

impl Timers {
    /// Sets a timer; none when there are as many as there may be.
    pub fn set(&mut self, due: u64, body: Option<BodyId>, name: &str) -> Option<u32> {
        let id = self.next_id;
        if self.list.len() >= TIMERS_MAX || id == u32::MAX {
            return None;
        }
        self.next_id += 1;
        self.put(Timer { id, due, body, name: name.to_owned() });
        Some(id)
    }

    /// Puts a timer in its place: a new one, or one that a failed handler had taken.
    pub fn put(&mut self, timer: Timer) {
        let place = self.list.partition_point(|other| (other.due, other.id) < (timer.due, timer.id));
        self.list.insert(place, timer);
    }

    pub fn remove(&mut self, id: u32) -> Option<Timer> {
        let place = self.list.iter().position(|timer| timer.id == id)?;
        Some(self.list.remove(place))
    }

    /// The timers of this name and body.
    pub fn named(&self, body: Option<BodyId>, name: &str) -> Vec<u32> {
        let mine = self.list.iter().filter(|timer| timer.body == body && timer.name == name);
        mine.map(|timer| timer.id).collect()
    }

    /// Takes the first timer that is due.
    pub fn take_due(&mut self, now: u64) -> Option<Timer> {
        let due = self.list.first().is_some_and(|timer| timer.due <= now);
        due.then(|| self.list.remove(0))
    }

    pub fn first_due(&self) -> Option<u64> {
        self.list.first().map(|timer| timer.due)
    }

    /// Drops the timers of bodies that are no more.
    pub fn keep(&mut self, is_there: impl Fn(BodyId) -> bool) {
        self.list.retain(|timer| timer.body.is_none_or(&is_there));
    }
}
