//! Breaking a lease: an operator frees a character from a room that does not give it back. Sans-I/O.
//!
//! A break is first a release like any other. Only a room that has not given the character back for `BREAK_WAIT_MS` may be
//! passed over, by force: the character is home from then on, as the newest copy the Lobby has of it. That may lose what it
//! did since, or double what it gave away: it is the one operation that can, and is logged as an incident. What was
//! revoked is remembered until the room has said that it dropped it: it is told again and again, and asks by itself when it
//! comes back.

use serde::{Deserialize, Serialize};

use crate::limits::{BREAK_WAIT_MS, REVOKED_MAX};
use crate::lobby::leases::{LeaseRow, with_copy};
use crate::wire::lease::{LobbyAnswer, TableAnswer};

/// What is remembered of the breaks of an account's lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaks {
    /// The lease that is to be broken, and since when its room has not given it back, in milliseconds.
    pub asked: Option<(u64, u64)>,
    /// What rooms have not yet said to have dropped.
    pub revoked: Vec<Revoked>,
}

/// Leases of a room up to a number, broken by force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revoked {
    pub room: String,
    pub lease: u64,
}

/// What comes of asking the holder: all of it is committed before the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub answer: LobbyAnswer,
    pub row: Option<Box<LeaseRow>>,
    pub breaks: Breaks,
}

/// The holder has answered the release of this lease, or has not in time (`None`). `row` as it is now.
#[must_use]
pub fn after_release(
    row: Option<&LeaseRow>,
    mut breaks: Breaks,
    lease: u64,
    answer: Option<TableAnswer>,
    force: bool,
    now_ms: u64,
) -> Broken {
    let held = row.and_then(|row| Some((row, row.room.as_ref()?)));
    let Some((row, room)) = held.filter(|(row, _)| row.lease == lease) else {
        // It came home while we asked, or went elsewhere.
        let answer = if held.is_some() { LobbyAnswer::Busy } else { LobbyAnswer::Home };
        return Broken { answer, row: None, breaks };
    };
    let home = |row: LeaseRow| Some(Box::new(LeaseRow { room: None, ..row }));
    let (answer, row) = match answer {
        Some(TableAnswer::Released(copy)) => (LobbyAnswer::Home, home(with_copy(row, &copy))),
        Some(TableAnswer::Absent) => (LobbyAnswer::Home, home(row.clone())),
        Some(TableAnswer::Busy) | None => {
            let since_ms = breaks.asked.filter(|(asked, _)| *asked == lease).map_or(now_ms, |(_, ms)| ms);
            let force_at_ms = since_ms.saturating_add(BREAK_WAIT_MS);
            if force && now_ms >= force_at_ms {
                breaks.revoke(room, lease);
                (LobbyAnswer::Forced, home(row.clone()))
            } else {
                breaks.asked = Some((lease, since_ms));
                return Broken { answer: LobbyAnswer::Waits { force_at_ms }, row: None, breaks };
            }
        }
    };
    breaks.asked = None;
    Broken { answer, row, breaks }
}

impl Breaks {
    fn revoke(&mut self, room: &str, lease: u64) {
        self.revoked.retain(|revoked| revoked.room != room);
        if self.revoked.len() >= REVOKED_MAX {
            self.revoked.remove(0);
        }
        self.revoked.push(Revoked { room: room.to_owned(), lease });
    }

    /// A room that comes back asks whether its lease stands.
    #[must_use]
    pub fn confirm(&self, room: &str, lease: u64) -> LobbyAnswer {
        let revoked = self.revoked.iter().find(|revoked| revoked.room == room && lease <= revoked.lease);
        revoked.map_or(LobbyAnswer::Done, |revoked| LobbyAnswer::Revoked { lease: revoked.lease })
    }

    /// The room has dropped it.
    pub fn dropped(&mut self, done: &Revoked) {
        self.revoked.retain(|revoked| revoked != done);
    }

    /// There is nothing left to remember.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.asked.is_none() && self.revoked.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::leases::{Next, after_read, grant, take_copy};
    use crate::wire::lease::{CharacterBody, Copy, Stamp};

    fn held() -> LeaseRow {
        let Next::Answer { write: Some(row), .. } = after_read(None, "ada", "a", Ok(None)) else { panic!() };
        *row
    }

    fn copy(seq: u64) -> Copy {
        let body = CharacterBody {
            kind: "walker".to_owned(),
            at: vec![0.0; 2],
            velocity: vec![0.0; 2],
            heading: 0,
            f: Default::default(),
        };
        let (account, game, room) = ("ada".to_owned(), "isle".to_owned(), "a".to_owned());
        Copy {
            v: 1,
            account,
            game,
            room,
            stamp: Stamp { lease: 1, seq },
            schema: String::new(),
            body: Some(body),
        }
    }

    #[test]
    fn a_break_is_first_a_release() {
        let row = held();
        let released = Some(TableAnswer::Released(Box::new(copy(3))));
        let broken = after_release(Some(&row), Breaks::default(), 1, released, true, 5);
        let home = broken.row.expect("it is home");
        assert_eq!((broken.answer, home.room, home.stamp.seq), (LobbyAnswer::Home, None, 3));
        let broken = after_release(Some(&row), Breaks::default(), 1, Some(TableAnswer::Absent), true, 5);
        assert!(broken.answer == LobbyAnswer::Home && broken.breaks.is_empty());
        // What came home meanwhile is not broken, nor what is elsewhere by now.
        let came = LeaseRow { room: None, ..row.clone() };
        assert_eq!(after_release(Some(&came), Breaks::default(), 1, None, true, 5).answer, LobbyAnswer::Home);
        let moved = LeaseRow { lease: 2, ..row };
        let broken = after_release(Some(&moved), Breaks::default(), 1, None, true, u64::MAX);
        assert_eq!((broken.answer, broken.row), (LobbyAnswer::Busy, None));
    }

    #[test]
    fn only_a_room_that_has_not_answered_for_long_is_passed_over_and_what_it_had_is_void() {
        let row = held();
        let ask = |breaks: &Breaks, now_ms| after_release(Some(&row), breaks.clone(), 1, None, true, now_ms);
        let first = ask(&Breaks::default(), 1_000);
        let force_at_ms = 1_000 + BREAK_WAIT_MS;
        assert_eq!((&first.answer, &first.row), (&LobbyAnswer::Waits { force_at_ms }, &None));
        let soon = ask(&first.breaks, force_at_ms - 1);
        assert_eq!(soon.answer, LobbyAnswer::Waits { force_at_ms }, "counted from the first asking");
        let plain = after_release(Some(&row), first.breaks.clone(), 1, None, false, force_at_ms);
        assert_eq!(plain.answer, LobbyAnswer::Waits { force_at_ms }, "nobody said to force it");
        let forced = ask(&first.breaks, force_at_ms);
        let home = *forced.row.expect("it is home");
        assert_eq!((forced.answer, &home.room), (LobbyAnswer::Forced, &None));

        assert_eq!(forced.breaks.confirm("a", 1), LobbyAnswer::Revoked { lease: 1 });
        assert_eq!(forced.breaks.confirm("a", 2), LobbyAnswer::Done, "a later lease of the same room stands");
        assert_eq!(forced.breaks.confirm("b", 1), LobbyAnswer::Done);
        // What the room still sends changes nothing, before and after the next grant.
        assert_eq!(
            take_copy(Some(&home), &copy(9), true),
            Next::Answer { answer: LobbyAnswer::Done, write: None }
        );
        let Next::Answer { write: Some(again), .. } = grant(Some(&home), "b") else { panic!("granted") };
        assert_eq!(again.lease, 2);
        assert_eq!(
            take_copy(Some(&again), &copy(9), true),
            Next::Answer { answer: LobbyAnswer::Done, write: None }
        );

        let mut breaks = forced.breaks;
        breaks.dropped(&Revoked { room: "a".to_owned(), lease: 1 });
        assert!(breaks.is_empty());
    }

    #[test]
    fn a_room_that_was_asked_under_another_lease_is_given_its_time_anew() {
        let breaks = Breaks { asked: Some((7, 1)), ..Breaks::default() };
        let row = held();
        let broken = after_release(Some(&row), breaks, 1, Some(TableAnswer::Busy), true, 10 * BREAK_WAIT_MS);
        assert_eq!(broken.answer, LobbyAnswer::Waits { force_at_ms: 11 * BREAK_WAIT_MS });
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut breaks = Breaks::default();
        for lease in 1..40 {
            breaks.revoke(&format!("room{lease}"), lease);
            breaks.revoke("a", lease);
        }
        assert_eq!(
            (breaks.revoked.len(), breaks.confirm("a", 39)),
            (REVOKED_MAX, LobbyAnswer::Revoked { lease: 39 })
        );
    }
}
