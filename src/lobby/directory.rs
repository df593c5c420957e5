//! The directory: which rooms of a game are listed, and which one a player in a hurry is sent to.
//!
//! Rooms tell of themselves when people come or go and at each pulse; a room that has not been heard for
//! `LISTED_MS` is not listed. So the list converges by itself after any crash, of a room or of the Lobby. What is
//! kept in storage is written seldom, for the rows. Absent: storage, clocks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::limits::{LIST_KEPT_MS, LIST_ROOMS_MAX, LIST_ROWS_MAX, LISTED_ASLEEP_MS, LISTED_MS};
use crate::wire::names::PRIVATE_PREFIX;

/// What a room tells of itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Summary {
    /// Version of this message: a higher one is not understood.
    pub v: u32,
    pub room: String,
    /// Seats that people hold, those away within their grace included.
    pub people: u32,
    /// Seats of the room.
    pub seats: u32,
    /// Its last tick and its last frame are no older than `ALIVE_MS`.
    pub alive: bool,
    /// It runs by events and sleeps in between: it is heard no more often than its players.
    #[serde(default)]
    pub sleeps: bool,
}

/// Version of `Summary`.
pub const SUMMARY_VERSION: u32 = 1;

/// A room as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    pub room: String,
    pub people: u32,
    pub seats: u32,
    pub alive: bool,
}

/// What is written down of a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub room: String,
    pub people: u32,
    pub seats: u32,
    pub at_ms: u64,
}

/// What storage must do about an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    Put(Kept),
    Remove(String),
}

struct Entry {
    people: u32,
    seats: u32,
    alive: bool,
    sleeps: bool,
    heard_ms: u64,
    kept_ms: u64,
}

/// The rooms of one game.
#[derive(Default)]
pub struct Directory {
    rooms: BTreeMap<String, Entry>,
}

impl Directory {
    /// The directory as it was written down. A room may have been heard for `LIST_KEPT_MS` since without a write.
    #[must_use]
    pub fn restore(kept: Vec<Kept>, now_ms: u64) -> Directory {
        let entry = |kept: Kept| {
            let heard_ms = kept.at_ms.saturating_add(LIST_KEPT_MS).min(now_ms);
            let Kept { room, people, seats, at_ms } = kept;
            (room, Entry { people, seats, alive: true, sleeps: false, heard_ms, kept_ms: at_ms })
        };
        Directory { rooms: kept.into_iter().map(entry).collect() }
    }

    /// A room told of itself. Returns what to write down.
    pub fn update(&mut self, summary: Summary, now_ms: u64) -> Vec<Keep> {
        let mut writes = self.forget_silent(now_ms);
        let Summary { v, room, people, seats, alive, sleeps } = summary;
        if v > SUMMARY_VERSION || room.starts_with(PRIVATE_PREFIX) {
            return writes;
        }
        if people == 0 {
            if self.rooms.remove(&room).is_some() {
                writes.push(Keep::Remove(room));
            }
            return writes;
        }
        let known = self.rooms.get(&room);
        if known.is_none() && self.rooms.len() >= LIST_ROOMS_MAX {
            return writes;
        }
        let due =
            known.is_none_or(|e| e.people != people || now_ms.saturating_sub(e.kept_ms) >= LIST_KEPT_MS);
        let kept_ms = if due { now_ms } else { known.map_or(now_ms, |e| e.kept_ms) };
        if due {
            writes.push(Keep::Put(Kept { room: room.clone(), people, seats, at_ms: now_ms }));
        }
        self.rooms.insert(room, Entry { people, seats, alive, sleeps, heard_ms: now_ms, kept_ms });
        writes
    }

    /// The rooms with people, fullest first.
    #[must_use]
    pub fn list(&self, now_ms: u64) -> Vec<Listed> {
        let mut listed: Vec<Listed> = self
            .rooms
            .iter()
            .filter(|(_, entry)| entry.is_listed(now_ms))
            .map(|(room, e)| Listed { room: room.clone(), people: e.people, seats: e.seats, alive: e.alive })
            .collect();
        listed.sort_by(|a, b| b.people.cmp(&a.people).then_with(|| a.room.cmp(&b.room)));
        listed.truncate(LIST_ROWS_MAX);
        listed
    }

    /// The fullest room that lives and has a seat free.
    #[must_use]
    pub fn quick(&self, now_ms: u64) -> Option<String> {
        self.list(now_ms)
            .into_iter()
            .find(|room| room.alive && room.people < room.seats)
            .map(|room| room.room)
    }

    fn forget_silent(&mut self, now_ms: u64) -> Vec<Keep> {
        let silent: Vec<String> =
            self.rooms.iter().filter(|(_, e)| !e.is_listed(now_ms)).map(|(room, _)| room.clone()).collect();
        silent
            .into_iter()
            .map(|room| {
                self.rooms.remove(&room);
                Keep::Remove(room)
            })
            .collect()
    }
}

impl Entry {
    fn is_listed(&self, now_ms: u64) -> bool {
        let listed_ms = if self.sleeps { LISTED_ASLEEP_MS } else { LISTED_MS };
        now_ms.saturating_sub(self.heard_ms) <= listed_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(room: &str, people: u32) -> Summary {
        Summary { v: SUMMARY_VERSION, room: room.to_owned(), people, seats: 4, alive: true, sleeps: false }
    }

    fn names(directory: &Directory, now_ms: u64) -> Vec<String> {
        directory.list(now_ms).into_iter().map(|listed| listed.room).collect()
    }

    #[test]
    fn a_room_is_listed_while_it_is_heard_and_its_row_goes_with_it() {
        let mut directory = Directory::default();
        assert_eq!(directory.update(summary("a", 1), 1_000).len(), 1);
        assert_eq!(names(&directory, 1_000 + LISTED_MS), ["a"]);
        assert!(names(&directory, 1_001 + LISTED_MS).is_empty());
        let writes = directory.update(summary("b", 1), 1_001 + LISTED_MS);
        assert!(writes.contains(&Keep::Remove("a".to_owned())));
    }

    #[test]
    fn a_room_that_sleeps_between_events_is_listed_for_longer() {
        let mut directory = Directory::default();
        directory.update(Summary { sleeps: true, ..summary("cards", 2) }, 1_000);
        assert_eq!(names(&directory, 1_000 + LISTED_ASLEEP_MS), ["cards"]);
        assert!(names(&directory, 1_001 + LISTED_ASLEEP_MS).is_empty());
    }

    #[test]
    fn a_private_room_is_never_listed() {
        let mut directory = Directory::default();
        assert!(directory.update(summary("p-abc", 1), 1_000).is_empty());
        assert_eq!((names(&directory, 1_000).len(), directory.quick(1_000)), (0, None));
    }

    #[test]
    fn an_empty_room_leaves_the_list_at_once() {
        let mut directory = Directory::default();
        directory.update(summary("a", 2), 0);
        assert_eq!(directory.update(summary("a", 0), 1), [Keep::Remove("a".to_owned())]);
        assert!(directory.update(summary("a", 0), 2).is_empty());
        assert!(directory.list(2).is_empty());
    }

    #[test]
    fn rows_are_written_for_changes_and_else_seldom() {
        let mut directory = Directory::default();
        let rows: usize = (0..60).map(|pulse| directory.update(summary("a", 1), pulse * 10_000).len()).sum();
        assert_eq!(rows, 20);
        assert_eq!(directory.update(summary("a", 2), 600_001).len(), 1);
    }

    #[test]
    fn a_restored_list_shows_the_living_and_forgets_the_dead() {
        let kept = |room: &str, at_ms| Kept { room: room.to_owned(), people: 1, seats: 4, at_ms };
        let now = 1_000_000;
        let rows = vec![kept("lives", now - LIST_KEPT_MS), kept("dead", now - LIST_KEPT_MS - LISTED_MS - 1)];
        let directory = Directory::restore(rows, now);
        assert_eq!(names(&directory, now), ["lives"]);
        assert!(names(&directory, now + LISTED_MS + 1).is_empty());
    }

    #[test]
    fn quick_takes_the_fullest_room_with_a_seat_free() {
        let mut directory = Directory::default();
        for (room, people) in [("few", 1), ("full", 4), ("more", 3)] {
            directory.update(summary(room, people), 0);
        }
        directory.update(Summary { alive: false, ..summary("stuck", 3) }, 0);
        assert_eq!(directory.quick(0), Some("more".to_owned()));
        assert_eq!(directory.quick(LISTED_MS + 1), None);
    }

    #[test]
    fn a_message_of_a_newer_version_changes_nothing() {
        let mut directory = Directory::default();
        assert!(directory.update(Summary { v: SUMMARY_VERSION + 1, ..summary("a", 1) }, 0).is_empty());
        assert!(directory.list(0).is_empty());
    }
}
