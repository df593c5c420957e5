//! An account that is deleted: its character is taken from whoever holds it, and only a mark is left of it. Sans-I/O.
//!
//! The mark refuses grants for good and makes late copies harmless; D1 is told of it as of a copy, again until it has heard.

use crate::lobby::leases::{LeaseRow, Next, grant};
use crate::wire::lease::{LobbyAnswer, Stamp, TableAnswer};

/// The account is deleted: its character is taken from the room that holds it, and only a mark is kept.
#[must_use]
pub fn forget(row: Option<&LeaseRow>, account: &str) -> Next {
    match row {
        Some(row) if row.gone => Next::plain(LobbyAnswer::Done),
        Some(LeaseRow { room: Some(holder), lease, .. }) => {
            Next::Release { room: holder.clone(), lease: *lease }
        }
        row => Next::Answer { answer: LobbyAnswer::Done, write: Some(Box::new(mark(row, account))) },
    }
}

/// The holder has answered the release that a `forget` asked for. `row` as it is now.
#[must_use]
pub fn after_forget(row: Option<&LeaseRow>, lease: u64, account: &str, answer: Option<&TableAnswer>) -> Next {
    match row {
        Some(row) if row.lease == lease && row.room.is_some() => match answer {
            Some(TableAnswer::Released(_) | TableAnswer::Absent) => {
                forget(Some(&LeaseRow { room: None, ..row.clone() }), account)
            }
            Some(TableAnswer::Busy) | None => Next::plain(LobbyAnswer::Busy),
        },
        // It came home, or went elsewhere, while we asked.
        row => forget(row, account),
    }
}

/// What is left of a deleted account: newer than every copy there was, so that D1 has to hear of it.
fn mark(row: Option<&LeaseRow>, account: &str) -> LeaseRow {
    let (lease, stored) = row.map_or_else(Default::default, |row| (row.lease, row.stored));
    LeaseRow {
        account: account.to_owned(),
        lease: lease + 1,
        room: None,
        stamp: Stamp { lease: lease + 1, seq: 0 },
        schema: String::new(),
        from_room: String::new(),
        body: None,
        stored,
        gone: true,
    }
}

/// An account that the Lobby has never seen was deleted, says D1: marked as D1 has it, and refused.
#[must_use]
pub fn found_deleted(row: Option<&LeaseRow>, account: &str, room: &str) -> Next {
    if row.is_some() {
        return grant(row, room);
    }
    let mark = mark(None, account);
    let write = Some(Box::new(LeaseRow { stored: mark.stamp, ..mark }));
    Next::Answer { answer: LobbyAnswer::Gone, write }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::leases::{after_read, after_release, is_unstored, take_copy};
    use crate::wire::lease::{CharacterBody, Copy};

    fn body(gold: u32) -> CharacterBody {
        let f = [("gold".to_owned(), serde_json::json!(gold))].into_iter().collect();
        CharacterBody { kind: "walker".to_owned(), at: vec![0.0; 2], velocity: vec![0.0; 2], heading: 0, f }
    }

    fn copy(room: &str, lease: u64, seq: u64, gold: u32) -> Copy {
        Copy {
            v: 1,
            account: "ada".to_owned(),
            game: "isle".to_owned(),
            room: room.to_owned(),
            stamp: Stamp { lease, seq },
            schema: "5".to_owned(),
            body: Some(body(gold)),
        }
    }

    fn new_in(room: &str) -> LeaseRow {
        let Next::Answer { write: Some(row), .. } = after_read(None, "ada", room, Ok(None)) else {
            panic!("granted")
        };
        *row
    }

    #[test]
    fn a_deleted_account_leaves_a_mark_that_refuses_grants_and_copies() {
        let held = new_in("a");
        assert_eq!(forget(Some(&held), "ada"), Next::Release { room: "a".into(), lease: 1 });
        for answer in [None, Some(&TableAnswer::Busy)] {
            let next = after_forget(Some(&held), 1, "ada", answer);
            assert_eq!(next, Next::plain(LobbyAnswer::Busy), "nothing is lost");
        }
        let released = TableAnswer::Released(Box::new(copy("a", 1, 3, 9)));
        let home = LeaseRow { room: None, body: Some(body(9)), ..held.clone() };
        for next in [
            after_forget(Some(&held), 1, "ada", Some(&released)),
            after_forget(Some(&held), 1, "ada", Some(&TableAnswer::Absent)),
            after_forget(Some(&home), 1, "ada", None),
            forget(Some(&home), "ada"),
            forget(None, "ada"),
        ] {
            let Next::Answer { answer: LobbyAnswer::Done, write: Some(gone) } = next else {
                panic!("forgotten")
            };
            assert!(
                gone.gone && is_unstored(&gone) && gone.body.is_none() && gone.room.is_none(),
                "{gone:?}"
            );
            let gone = Some(gone.as_ref());
            assert_eq!(grant(gone, "b"), Next::plain(LobbyAnswer::Gone));
            assert_eq!(after_read(gone, "ada", "b", Ok(None)), Next::plain(LobbyAnswer::Gone));
            assert_eq!(after_release(gone, 1, "b", Some(released.clone())), Next::plain(LobbyAnswer::Gone));
            assert_eq!(forget(gone, "ada"), Next::plain(LobbyAnswer::Done), "again, without effect");
            for late in [copy("a", 1, 9, 1), copy("a", 2, 9, 1)] {
                assert_eq!(take_copy(gone, &late, true), Next::plain(LobbyAnswer::Done), "{late:?}");
            }
        }
        // It went on to another room while the first was asked.
        let moved = LeaseRow { lease: 2, room: Some("b".into()), ..held };
        let next = after_forget(Some(&moved), 1, "ada", Some(&TableAnswer::Absent));
        assert_eq!(next, Next::Release { room: "b".into(), lease: 2 });
    }

    #[test]
    fn an_account_that_the_records_call_deleted_is_refused_for_good() {
        let Next::Answer { answer: LobbyAnswer::Gone, write: Some(row) } = found_deleted(None, "ada", "a")
        else {
            panic!("refused")
        };
        assert!(!is_unstored(&row), "D1 knows");
        assert_eq!(grant(Some(&row), "a"), Next::plain(LobbyAnswer::Gone));
    }
}
