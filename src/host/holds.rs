//! The characters of a room, by account: held by a seat, or returning to the Lobby; and the grants that are under way.
//!
//! A hold is in every cut, so what a restore brings back is what the last commit had. A grant that is under way is not:
//! it reserves its seat, and a crash forgets it, which the Lobby's same-room repeat makes harmless. Absent: when what
//! happens (`admit.rs`, `returns.rs`), records in a cut (`save.rs`).

use std::collections::{BTreeMap, BTreeSet};

use crate::host::secrets::Secret;
use crate::host::spent::Spent;
use crate::host::{CallId, ConnectionId};
use crate::limits::{CALL_LOST_MS, HOLDS_MAX, OUTBOX_CALLS_MAX, WRITE_BACK_MS};
use crate::rules::ids::Seat;
use crate::wire::lease::{CharacterBody, Stamp, retry_ms};

/// Bits of a call's number below the time at which its incarnation began: no two incarnations share one.
const CALL_BITS: u32 = 20;

pub(super) struct Holds {
    holds: BTreeMap<String, Hold>,
    asks: BTreeMap<String, Ask>,
    /// Questions whether a lease still stands.
    confirms: BTreeMap<CallId, String>,
    pub spent: Spent,
    next_call: u64,
}

/// The lease of an account's character.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hold {
    /// Of its record in a cut.
    pub id: u32,
    /// Its lease, and the newest copy that was made under it; 0: none yet.
    pub stamp: Stamp,
    pub state: State,
    copying: Copying,
}

/// When a held character is copied home next. Not in a cut: after a restore it is copied once more.
#[derive(Clone, Debug, Default, PartialEq)]
struct Copying {
    due_ms: u64,
    call: Option<CallId>,
    /// Hash of the newest copy's body.
    sent: Option<u64>,
}

impl Hold {
    pub(super) fn new(id: u32, stamp: Stamp, state: State) -> Hold {
        Hold { id, stamp, state, copying: Copying::default() }
    }

    /// The seat whose body is in the rules' records for it.
    pub(super) fn body_seat(&self) -> Option<Seat> {
        match &self.state {
            State::Held(seat) => Some(*seat),
            State::Returning(copy) => copy.left,
        }
    }

    /// Whose body it is; none while it returns.
    pub(super) fn seat(&self) -> Option<Seat> {
        match self.state {
            State::Held(seat) => Some(seat),
            State::Returning(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    Held(Seat),
    Returning(Return),
}

/// A character on its way home: its last copy, and how the sending goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Return {
    pub schema: String,
    /// None: no body was ever made under this lease.
    pub body: Option<CharacterBody>,
    /// The seat whose body is still among the rules' records: the room was given back from without running its game.
    pub left: Option<Seat>,
    failures: u32,
    /// When it is sent next; while a call is under way, when that is given up.
    due_ms: u64,
    call: Option<CallId>,
}

impl Return {
    pub(super) fn new(schema: String, body: Option<CharacterBody>, now_ms: u64) -> Return {
        Return { schema, body, left: None, failures: 0, due_ms: now_ms, call: None }
    }

    /// Of a character whose body was left where it was.
    pub(super) fn left_behind(
        schema: String,
        body: Option<CharacterBody>,
        seat: Seat,
        now_ms: u64,
    ) -> Return {
        Return { left: Some(seat), ..Return::new(schema, body, now_ms) }
    }

    fn fail(&mut self, now_ms: u64) {
        self.call = None;
        self.due_ms = now_ms.saturating_add(retry_ms(self.failures));
        self.failures = self.failures.saturating_add(1);
    }
}

/// A grant under way, and who waits for it. The connection may be gone meanwhile.
pub(super) struct Ask {
    pub connection: ConnectionId,
    pub seat: Seat,
    pub name: String,
    pub secret: Secret,
    /// Another room has called for the character since: if its grant is refused, that is why.
    pub called_away: bool,
    call: CallId,
    until_ms: u64,
}

impl Holds {
    /// `now_ms`: when this incarnation began.
    pub(super) fn new(holds: BTreeMap<String, Hold>, spent: Spent, now_ms: u64) -> Holds {
        Holds {
            holds,
            asks: BTreeMap::new(),
            confirms: BTreeMap::new(),
            spent,
            next_call: now_ms.wrapping_shl(CALL_BITS),
        }
    }

    pub(super) fn hold(&self, account: &str) -> Option<&Hold> {
        self.holds.get(account)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Hold)> {
        self.holds.iter().map(|(account, hold)| (account.as_str(), hold))
    }

    pub(super) fn ask_mut(&mut self, account: &str) -> Option<&mut Ask> {
        self.asks.get_mut(account)
    }

    pub(super) fn is_asking(&self, account: &str) -> bool {
        self.asks.contains_key(account)
    }

    pub(super) fn asks(&self) -> usize {
        self.asks.len()
    }

    /// A grant under way is to sit down there.
    pub(super) fn is_reserved(&self, seat: Seat) -> bool {
        self.asks.values().any(|ask| ask.seat == seat)
    }

    pub(super) fn is_full(&self) -> bool {
        self.holds.len() + self.asks.len() >= HOLDS_MAX
    }

    /// Nothing is held, returning or asked for.
    pub(super) fn is_empty(&self) -> bool {
        self.holds.is_empty() && self.asks.is_empty()
    }

    /// The number of a call that is about to be made.
    pub(super) fn call(&mut self) -> CallId {
        self.next_call = self.next_call.wrapping_add(1);
        CallId(self.next_call)
    }

    /// The calls that are waited for.
    #[cfg(feature = "mutations")]
    pub(super) fn open_calls(&self) -> Vec<CallId> {
        let returns = self.returning().filter_map(|copy| copy.call);
        let copies = self.holds.values().filter_map(|hold| hold.copying.call);
        self.asks.values().map(|ask| ask.call).chain(returns).chain(copies).collect()
    }

    // ---- Grants ----

    /// Begins a grant for who waits in `connection`.
    pub(super) fn ask(
        &mut self,
        account: &str,
        connection: ConnectionId,
        seat: Seat,
        name: String,
        secret: Secret,
        now_ms: u64,
    ) -> CallId {
        let call = self.call();
        let until_ms = now_ms.saturating_add(CALL_LOST_MS);
        let ask = Ask { connection, seat, name, secret, called_away: false, call, until_ms };
        self.asks.insert(account.to_owned(), ask);
        call
    }

    /// The grant that this call was for is under way no more.
    pub(super) fn take_ask(&mut self, call: CallId) -> Option<(String, Ask)> {
        let account = self.asks.iter().find(|(_, ask)| ask.call == call)?.0.clone();
        self.asks.remove_entry(&account)
    }

    /// The calls of grants that should have been answered long ago.
    pub(super) fn overdue_asks(&self, now_ms: u64) -> Vec<CallId> {
        self.asks.values().filter(|ask| ask.until_ms <= now_ms).map(|ask| ask.call).collect()
    }

    /// The number of a question whether this account's lease stands.
    pub(super) fn confirm(&mut self, account: &str) -> CallId {
        let call = self.call();
        self.confirms.insert(call, account.to_owned());
        call
    }

    pub(super) fn take_confirm(&mut self, call: CallId) -> Option<String> {
        self.confirms.remove(&call)
    }

    // ---- Holds ----

    pub(super) fn insert(&mut self, account: String, stamp: Stamp, state: State) {
        // `is_full` was asked before the grant, so there are fewer than HOLDS_MAX and one below it is free.
        let taken: BTreeSet<u32> = self.holds.values().map(|hold| hold.id).collect();
        let id = (0..).find(|id| !taken.contains(id)).unwrap_or(u32::MAX);
        self.holds.insert(account, Hold::new(id, stamp, state));
    }

    /// The character of a seat was taken from its body: it returns, with one more copy.
    pub(super) fn give_back(&mut self, seat: Seat, copy: Return) {
        let held = self.holds.values_mut().find(|hold| hold.seat() == Some(seat));
        if let Some(hold) = held {
            hold.stamp.seq = hold.stamp.seq.saturating_add(1);
            (hold.state, hold.copying) = (State::Returning(copy), Copying::default());
        }
    }

    /// The Lobby has it: forgotten, but for its number, which is never admitted again.
    pub(super) fn forget(&mut self, account: &str) {
        if let Some(hold) = self.holds.remove(account) {
            self.spend(account, hold.stamp);
        }
    }

    /// Grants up to this number are never admitted again. Says whether that is new.
    pub(super) fn spend(&mut self, account: &str, stamp: Stamp) -> bool {
        let asks = &self.asks;
        self.spent.add(account, stamp, |kept| asks.contains_key(kept))
    }

    // ---- Copies ----

    /// Held characters that are due to be copied home, each with its seat and a call for it. The others of the room are due
    /// at the same times, so that one commit does for all.
    pub(super) fn begin_copies(&mut self, phase_ms: u64, now_ms: u64) -> Vec<(CallId, String, Seat)> {
        let next_ms =
            (now_ms - phase_ms.min(now_ms)) / WRITE_BACK_MS * WRITE_BACK_MS + WRITE_BACK_MS + phase_ms;
        let free = OUTBOX_CALLS_MAX.saturating_sub(self.calls());
        let mut begun = Vec::new();
        for (account, hold) in &mut self.holds {
            let State::Held(seat) = hold.state else { continue };
            let copying = &mut hold.copying;
            if copying.due_ms == 0 {
                copying.due_ms = next_ms;
            } else if copying.due_ms <= now_ms && begun.len() < free {
                self.next_call = self.next_call.wrapping_add(1);
                // One that was not answered by now is lost, and this one is newer.
                (copying.due_ms, copying.call) = (next_ms, Some(CallId(self.next_call)));
                begun.push((CallId(self.next_call), account.clone(), seat));
            }
        }
        begun
    }

    /// The copy that is sent by a call, numbered; none if the last one was the same.
    pub(super) fn number_copy(&mut self, account: &str, body: u64) -> Option<Stamp> {
        let hold = self.holds.get_mut(account)?;
        if hold.copying.sent.replace(body) == Some(body) {
            hold.copying.call = None;
            return None;
        }
        hold.stamp.seq = hold.stamp.seq.saturating_add(1);
        Some(hold.stamp)
    }

    /// A copy was answered: it is not sent again, for the next one is newer.
    pub(super) fn copied(&mut self, call: CallId, taken: bool) {
        let sent = self.holds.values_mut().find(|hold| hold.copying.call == Some(call));
        if let Some(Hold { copying, .. }) = sent {
            copying.call = None;
            copying.sent = copying.sent.filter(|_| taken);
        }
    }

    // ---- Returns ----

    /// Seats whose bodies were left behind by characters that were given back; they are taken away now.
    pub(super) fn take_left(&mut self) -> Vec<Seat> {
        let left = self.holds.values_mut().filter_map(|hold| match &mut hold.state {
            State::Returning(copy) => copy.left.take(),
            State::Held(_) => None,
        });
        left.collect()
    }

    fn returning(&self) -> impl Iterator<Item = &Return> {
        self.holds.values().filter_map(|hold| match &hold.state {
            State::Returning(copy) => Some(copy),
            State::Held(_) => None,
        })
    }

    /// How many are on their way home.
    pub(super) fn outbox(&self) -> usize {
        self.returning().count()
    }

    fn calls(&self) -> usize {
        let copies = self.holds.values().filter(|hold| hold.copying.call.is_some()).count();
        self.returning().filter(|copy| copy.call.is_some()).count() + copies
    }

    /// The account whose return this call sent.
    pub(super) fn returning_by(&self, call: CallId) -> Option<String> {
        let sent = |hold: &Hold| matches!(&hold.state, State::Returning(copy) if copy.call == Some(call));
        self.holds.iter().find(|(_, hold)| sent(hold)).map(|(account, _)| account.clone())
    }

    /// The Lobby did not take it: it is sent again later.
    pub(super) fn fail(&mut self, account: &str, now_ms: u64) {
        if let Some(Hold { state: State::Returning(copy), .. }) = self.holds.get_mut(account) {
            copy.fail(now_ms);
        }
    }

    /// Gives up returns that were never answered, and begins those that are due: the accounts, each with its call.
    pub(super) fn begin_returns(&mut self, now_ms: u64) -> Vec<(CallId, String)> {
        for hold in self.holds.values_mut() {
            if let State::Returning(copy) = &mut hold.state
                && copy.call.is_some()
                && copy.due_ms <= now_ms
            {
                copy.fail(now_ms);
            }
        }
        let free = OUTBOX_CALLS_MAX.saturating_sub(self.calls());
        let mut begun = Vec::new();
        for (account, hold) in &mut self.holds {
            let State::Returning(copy) = &mut hold.state else { continue };
            if copy.call.is_none() && copy.due_ms <= now_ms && begun.len() < free {
                self.next_call = self.next_call.wrapping_add(1);
                copy.call = Some(CallId(self.next_call));
                copy.due_ms = now_ms.saturating_add(CALL_LOST_MS);
                begun.push((CallId(self.next_call), account.clone()));
            }
        }
        begun
    }

    /// When something is due that no answer brings about.
    pub(super) fn next_ms(&self) -> Option<u64> {
        // What waits for one of the calls under way is sent when that is answered.
        let may_send = self.calls() < OUTBOX_CALLS_MAX;
        let returns = self.returning().filter(|copy| copy.call.is_some() || may_send).map(|copy| copy.due_ms);
        returns.chain(self.asks.values().map(|ask| ask.until_ms)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returning(count: u32) -> Holds {
        let mut holds = Holds::new(BTreeMap::new(), Spent::new(8, BTreeMap::new()), 1_000);
        for n in 0..count {
            let copy = Return::new(String::new(), None, 1_000);
            holds.insert(format!("a{n:03}"), Stamp { lease: 1, seq: 1 }, State::Returning(copy));
        }
        holds
    }

    #[test]
    fn so_many_returns_are_under_way_and_no_more() {
        let mut holds = returning(50);
        assert_eq!(holds.begin_returns(1_000).len(), OUTBOX_CALLS_MAX);
        assert_eq!(holds.begin_returns(1_000).len(), 0);
        // What waits for those is no reason to wake before one of them is given up.
        assert_eq!(holds.next_ms(), Some(1_000 + CALL_LOST_MS));
        holds.forget("a000");
        holds.fail("a001", 1_000);
        let begun: Vec<String> = holds.begin_returns(1_000).into_iter().map(|(_, account)| account).collect();
        assert_eq!(begun, ["a020", "a021"]);
    }

    #[test]
    fn the_records_of_holds_take_the_lowest_numbers() {
        let mut holds = returning(3);
        holds.forget("a001");
        holds.insert("b".to_owned(), Stamp { lease: 1, seq: 0 }, State::Held(Seat(0)));
        assert_eq!(holds.hold("b").map(|hold| hold.id), Some(1));
        assert_eq!(holds.spent.of("a001"), Stamp { lease: 1, seq: 1 });
    }
}
