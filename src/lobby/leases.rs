//! Leases: one row an account, and what a grant, a return and a release do to it. Sans-I/O.
//!
//! An operation is a chain of steps: each reads the row as it is *now*, and says what to do next (`Next`):
//! read D1, ask the holder, or answer, with the row to commit first. After every await the caller asks again
//! with the row read again. One operation an account at a time (`Turns`); a second is told `busy` at once,
//! never queued.
//!
//! A character is in one place: home (this row, then D1), or with the room the row names. Only the Lobby
//! writes D1.

use std::collections::BTreeMap;

use crate::limits::LEASE_TURN_MS_MAX;
use crate::lobby::{SHARDS, forget};
use crate::mutation::{self, Mutation};
use crate::wire::lease::{CharacterBody, Copy, LEASE_VERSION, LobbyAnswer, LobbyRequest, Stamp, TableAnswer};
use crate::wire::names::{is_account, is_room_name};

/// What the Lobby's storage holds of an account's character in this game.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaseRow {
    pub account: String,
    /// The newest grant's number.
    pub lease: u64,
    /// The room that holds it; none: home.
    pub room: Option<String>,
    /// Of the copy in `body`.
    pub stamp: Stamp,
    /// Schema hash of the copy, hexadecimal.
    pub schema: String,
    /// The room the copy came from.
    pub from_room: String,
    /// The newest copy, kept until D1 has it and after; none for a character that has never had a body.
    pub body: Option<CharacterBody>,
    /// D1 has a copy this new.
    pub stored: Stamp,
    /// The account was deleted. What is left is this mark, and D1 is told of it as of a copy.
    pub gone: bool,
}

/// What D1 holds of a character.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub stamp: Stamp,
    pub schema: String,
    pub room: String,
    pub body: CharacterBody,
}

/// D1 could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordsAway;

/// What an operation does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Read the account's record from D1, then `after_read`.
    Read,
    /// Ask this room to release this lease, then `after_release`.
    Release { room: String, lease: u64 },
    /// Commit the row, if there is one, then answer.
    Answer { answer: LobbyAnswer, write: Option<Box<LeaseRow>> },
}

impl Next {
    pub(super) fn plain(answer: LobbyAnswer) -> Next {
        Next::Answer { answer, write: None }
    }
}

/// What a request is about: the account and the room, if it is one for this object.
#[must_use]
pub fn addressed<'a>(request: &'a LobbyRequest, game: &str, shard: u8) -> Option<(&'a str, &'a str)> {
    let (account, asked) = request.about();
    let room = match request {
        LobbyRequest::Grant { room, .. } | LobbyRequest::Confirm { room, .. } => room,
        LobbyRequest::Copy(copy) | LobbyRequest::Return(copy) => &copy.room,
        LobbyRequest::Break { .. } | LobbyRequest::Look { .. } | LobbyRequest::Forget { .. } => "",
    };
    let is_room = room.is_empty() || is_room_name(room);
    (asked == game && is_account(account) && self::shard(account) == shard && is_room)
        .then_some((account, room))
}

/// The first step of any operation.
#[must_use]
pub fn first(row: Option<&LeaseRow>, request: &LobbyRequest) -> Next {
    match request {
        LobbyRequest::Grant { v, .. } if *v > LEASE_VERSION => Next::plain(LobbyAnswer::Busy),
        LobbyRequest::Grant { room, .. } => grant(row, room),
        LobbyRequest::Copy(copy) => take_copy(row, copy, false),
        LobbyRequest::Return(copy) => take_copy(row, copy, true),
        // Of one that was never broken.
        LobbyRequest::Confirm { .. } => Next::plain(LobbyAnswer::Done),
        LobbyRequest::Break { .. } => match row.and_then(|row| Some((row.room.clone()?, row.lease))) {
            Some((room, lease)) => Next::Release { room, lease },
            None => Next::plain(LobbyAnswer::Home),
        },
        // Looked up beside the steps: it changes nothing.
        LobbyRequest::Look { .. } => Next::plain(LobbyAnswer::Busy),
        LobbyRequest::Forget { v, .. } if *v > LEASE_VERSION => Next::plain(LobbyAnswer::Busy),
        LobbyRequest::Forget { account, .. } => forget::forget(row, account),
    }
}

/// A room wants an account's character.
#[must_use]
pub fn grant(row: Option<&LeaseRow>, room: &str) -> Next {
    let Some(row) = row else { return Next::Read };
    match &row.room {
        _ if row.gone => Next::plain(LobbyAnswer::Gone),
        None => lease_to(row, room),
        // The answer to the first asking was lost, or the room was restored: its own committed state wins.
        Some(holder) if holder == room => {
            Next::plain(LobbyAnswer::Granted { lease: row.lease, body: row.body.clone() })
        }
        Some(holder) => Next::Release { room: holder.clone(), lease: row.lease },
    }
}

fn lease_to(row: &LeaseRow, room: &str) -> Next {
    let next = LeaseRow { lease: row.lease + 1, room: Some(room.to_owned()), ..row.clone() };
    let answer = LobbyAnswer::Granted { lease: next.lease, body: next.body.clone() };
    let write = (!mutation::is(Mutation::GrantBeforeCommit)).then(|| Box::new(next));
    Next::Answer { answer, write }
}

/// Whether a copy takes the place of another: in a row, and by the same rule in D1 (`platform::records` has it in SQL).
#[must_use]
pub fn is_newer(copy: Stamp, than: Stamp) -> bool {
    if mutation::is(Mutation::CompareLeaseOnly) { copy.lease >= than.lease } else { copy > than }
}

/// The same, in D1.
#[must_use]
pub fn is_newer_record(copy: Stamp, than: Stamp) -> bool {
    is_newer(copy, than) || mutation::is(Mutation::UnconditionalRecord)
}

/// D1 has answered a grant. `row` as it is now.
#[must_use]
pub fn after_read(
    row: Option<&LeaseRow>,
    account: &str,
    room: &str,
    record: Result<Option<Record>, RecordsAway>,
) -> Next {
    if row.is_some() {
        return grant(row, room);
    }
    let fresh = |record: Option<Record>| {
        let stamp = record.as_ref().map_or_else(Stamp::default, |r| r.stamp);
        let (schema, from_room, body) =
            record.map_or_else(Default::default, |r| (r.schema, r.room, Some(r.body)));
        LeaseRow {
            account: account.to_owned(),
            lease: stamp.lease,
            room: None,
            stamp,
            schema,
            from_room,
            body,
            stored: stamp,
            gone: false,
        }
    };
    match record {
        Ok(record) => lease_to(&fresh(record), room),
        Err(RecordsAway) => Next::plain(LobbyAnswer::Away),
    }
}

/// The holder has answered a release, or has not within its deadline (`None`). `row` as it is now.
#[must_use]
pub fn after_release(row: Option<&LeaseRow>, lease: u64, room: &str, answer: Option<TableAnswer>) -> Next {
    let Some(row) = row else { return Next::Read };
    if (row.lease != lease || row.room.is_none()) && !mutation::is(Mutation::NoReread) {
        // It came home, or went elsewhere, while we asked.
        return grant(Some(row), room);
    }
    match answer {
        Some(TableAnswer::Released(copy)) => {
            let home = LeaseRow { room: None, ..with_copy(row, &copy) };
            lease_to(&home, room)
        }
        // The grant never arrived there: what we have is the newest.
        Some(TableAnswer::Absent) => lease_to(&LeaseRow { room: None, ..row.clone() }, room),
        Some(TableAnswer::Busy) | None => Next::plain(LobbyAnswer::Busy),
    }
}

/// A room sends a copy of a character; with `last` it is the return. Repeats and older ones are told `done`,
/// without effect.
#[must_use]
pub fn take_copy(row: Option<&LeaseRow>, copy: &Copy, last: bool) -> Next {
    if copy.v > LEASE_VERSION {
        return Next::plain(LobbyAnswer::Busy);
    }
    let Some(row) =
        row.filter(|row| copy.stamp.lease == row.lease && row.room.as_deref() == Some(&*copy.room))
    else {
        return Next::plain(LobbyAnswer::Done);
    };
    let mut next = with_copy(row, copy);
    if last {
        next.room = None;
    }
    let write = (next != *row).then(|| Box::new(next));
    Next::Answer { answer: LobbyAnswer::Done, write }
}

pub(super) fn with_copy(row: &LeaseRow, copy: &Copy) -> LeaseRow {
    match &copy.body {
        Some(body) if is_newer(copy.stamp, row.stamp) => LeaseRow {
            stamp: copy.stamp,
            schema: copy.schema.clone(),
            from_room: copy.room.clone(),
            body: Some(body.clone()),
            ..row.clone()
        },
        _ => row.clone(),
    }
}

/// Whether D1 still lacks the copy of a row, or that its account was deleted.
#[must_use]
pub fn is_unstored(row: &LeaseRow) -> bool {
    (row.body.is_some() || row.gone) && row.stamp > row.stored
}

/// Whose operation is under way.
#[derive(Default)]
pub struct Turns {
    /// By account: the operation's number and when it began.
    turns: BTreeMap<String, (u64, u64)>,
    next: u64,
}

impl Turns {
    /// The number of the operation that may begin; none while another one of this account is under way. One
    /// that took longer than any can is dead and in nobody's way: what it might still do meets the row as it
    /// is then.
    pub fn begin(&mut self, account: &str, now_ms: u64) -> Option<u64> {
        let alive = |(_, began_ms): &(u64, u64)| now_ms.saturating_sub(*began_ms) <= LEASE_TURN_MS_MAX;
        if self.turns.get(account).is_some_and(alive) {
            return None;
        }
        self.next += 1;
        self.turns.insert(account.to_owned(), (self.next, now_ms));
        Some(self.next)
    }

    pub fn end(&mut self, account: &str, turn: u64) {
        if self.turns.get(account).is_some_and(|(current, _)| *current == turn) {
            self.turns.remove(account);
        }
    }
}

/// The number of the object that keeps an account's lease, from the account's first hash byte.
#[must_use]
pub fn shard(account: &str) -> u8 {
    use sha2::Digest as _;
    sha2::Sha256::digest(account.as_bytes())[0] % SHARDS
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn granted(next: &Next) -> (LeaseRow, Option<u32>) {
        let Next::Answer { answer: LobbyAnswer::Granted { lease, body }, write: Some(row) } = next else {
            panic!("not granted: {next:?}")
        };
        assert_eq!(*lease, row.lease);
        (row.as_ref().clone(), body.as_ref().and_then(|b| b.f["gold"].as_u64()).map(|gold| gold as u32))
    }

    fn new_in(room: &str) -> LeaseRow {
        granted(&after_read(None, "ada", room, Ok(None))).0
    }

    #[test]
    fn an_account_the_lobby_has_never_seen_is_read_from_the_records() {
        assert_eq!(grant(None, "a"), Next::Read);
        let record =
            Record { stamp: Stamp { lease: 7, seq: 2 }, schema: "5".into(), room: "b".into(), body: body(4) };
        let (row, gold) = granted(&after_read(None, "ada", "a", Ok(Some(record))));
        assert_eq!((row.lease, gold, row.room.as_deref()), (8, Some(4), Some("a")));
        assert!(!is_unstored(&row));
        let away = after_read(None, "ada", "a", Err(RecordsAway));
        assert_eq!(away, Next::plain(LobbyAnswer::Away));
    }

    #[test]
    fn the_same_room_is_given_the_same_lease_again() {
        let row = new_in("a");
        let Next::Answer { answer: LobbyAnswer::Granted { lease, .. }, write: None } = grant(Some(&row), "a")
        else {
            panic!("a repeat")
        };
        assert_eq!(lease, 1);
    }

    #[test]
    fn another_room_gets_it_only_from_the_holder() {
        let row = new_in("a");
        assert_eq!(grant(Some(&row), "b"), Next::Release { room: "a".into(), lease: 1 });
        let released = Some(TableAnswer::Released(Box::new(copy("a", 1, 3, 9))));
        let (row, gold) = granted(&after_release(Some(&row), 1, "b", released));
        assert_eq!((row.lease, gold, row.room.as_deref()), (2, Some(9), Some("b")));
        assert!(is_unstored(&row), "D1 lacks what the release brought");
    }

    #[test]
    fn a_holder_that_does_not_answer_keeps_it() {
        let row = new_in("a");
        for answer in [None, Some(TableAnswer::Busy)] {
            assert_eq!(after_release(Some(&row), 1, "b", answer), Next::plain(LobbyAnswer::Busy));
        }
    }

    #[test]
    fn a_release_that_comes_late_meets_the_row_as_it_is_now() {
        let row = new_in("a");
        let Next::Answer { write: Some(home), .. } = take_copy(Some(&row), &copy("a", 1, 1, 5), true) else {
            panic!("returned")
        };
        let (row, gold) = granted(&after_release(Some(home.as_ref()), 1, "b", Some(TableAnswer::Absent)));
        assert_eq!((row.lease, gold), (2, Some(5)), "the return that overtook the answer counts");
    }

    #[test]
    fn an_older_or_repeated_copy_is_done_without_effect() {
        let row = new_in("a");
        let Next::Answer { write: Some(home), .. } = take_copy(Some(&row), &copy("a", 1, 2, 5), true) else {
            panic!("returned")
        };
        assert_eq!(home.room, None);
        for late in [copy("a", 1, 2, 5), copy("a", 1, 1, 1), copy("a", 0, 9, 1), copy("b", 1, 9, 1)] {
            let next = take_copy(Some(home.as_ref()), &late, true);
            assert_eq!(next, Next::plain(LobbyAnswer::Done), "{late:?}");
        }
        let (again, _) = granted(&grant(Some(home.as_ref()), "b"));
        assert_eq!(take_copy(Some(&again), &copy("a", 1, 7, 1), true), Next::plain(LobbyAnswer::Done));
    }

    #[test]
    fn a_copy_in_between_keeps_the_hold() {
        let row = new_in("a");
        let Next::Answer { write: Some(row), .. } = take_copy(Some(&row), &copy("a", 1, 1, 5), false) else {
            panic!("taken")
        };
        assert_eq!((row.room.as_deref(), row.stamp.seq), (Some("a"), 1));
    }

    #[test]
    fn a_return_without_a_body_brings_home_what_was_there() {
        let mut row = new_in("a");
        row.body = Some(body(3));
        let Next::Answer { write: Some(home), .. } =
            take_copy(Some(&row), &Copy { body: None, ..copy("a", 1, 1, 0) }, true)
        else {
            panic!("returned")
        };
        assert_eq!((home.room, home.body), (None, Some(body(3))));
    }

    #[test]
    fn a_message_of_a_later_version_is_busy() {
        let row = new_in("a");
        let (account, game, room) = ("ada".to_owned(), "isle".to_owned(), "b".to_owned());
        for later in [
            LobbyRequest::Return(Copy { v: 2, ..copy("a", 1, 1, 5) }),
            LobbyRequest::Forget { v: 2, account: account.clone(), game: game.clone() },
            LobbyRequest::Grant { v: 2, account, game, room },
        ] {
            assert_eq!(first(Some(&row), &later), Next::plain(LobbyAnswer::Busy));
        }
    }

    #[test]
    fn a_second_operation_of_an_account_is_turned_away() {
        let mut turns = Turns::default();
        let first = turns.begin("ada", 0).expect("the first");
        assert_eq!(turns.begin("ada", 1), None);
        let bob = turns.begin("bob", 1);
        assert!(bob.is_some());
        turns.end("ada", first);
        assert!(turns.begin("ada", 1).is_some());
    }

    #[test]
    fn an_operation_that_never_ended_locks_nobody_out() {
        let mut turns = Turns::default();
        let dead = turns.begin("ada", 0).expect("the first");
        assert_eq!(turns.begin("ada", LEASE_TURN_MS_MAX), None);
        assert!(turns.begin("ada", LEASE_TURN_MS_MAX + 1).is_some());
        turns.end("ada", dead);
        assert_eq!(turns.begin("ada", LEASE_TURN_MS_MAX + 2), None, "the later one is still under way");
    }

    #[test]
    fn a_request_for_another_object_is_none_of_ours() {
        let asked = |game: &str, account: &str, room: &str| LobbyRequest::Grant {
            v: 1,
            account: account.to_owned(),
            game: game.to_owned(),
            room: room.to_owned(),
        };
        let shard = shard("ada");
        assert_eq!(addressed(&asked("isle", "ada", "a"), "isle", shard), Some(("ada", "a")));
        for (request, shard) in [
            (asked("arena", "ada", "a"), shard),
            (asked("isle", "ada", "a"), shard ^ 1),
            (asked("isle", "ada", "A/b"), shard),
            (asked("isle", "", "a"), self::shard("")),
        ] {
            assert_eq!(addressed(&request, "isle", shard), None, "{request:?}");
        }
    }
}
