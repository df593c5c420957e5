//! Leases that an operator broke by force, because this room did not answer: what is held under one is dropped, without the
//! leave handler and without a return, for the character has gone on elsewhere from an older copy.
//!
//! The Lobby tells the room, again and again until it says that it has dropped it. A room that was away for long enough
//! that a lease may have been broken asks by itself when it is restored, and lets a moment pass before its first tick, so
//! that a revoked body takes no part any more. Absent: who may break a lease, and when (`lobby::breaks`).

use crate::host::holds::State;
use crate::host::seats::Holder;
use crate::host::{CallId, Host, Output};
use crate::limits::{BREAK_WAIT_MS, CONFIRM_MS};
use crate::rules::ids::Seat;
use crate::wire::close::{Close, CloseCode};
use crate::wire::lease::{LEASE_VERSION, LobbyAnswer, LobbyRequest};

impl Host {
    /// Drops what is here under leases up to this number, and admits none of them any more.
    pub(super) fn revoke(&mut self, account: &str, lease: u64) {
        let held = self.holds.hold(account).filter(|hold| hold.stamp.lease <= lease).map(|hold| hold.seat());
        if let Some(seat) = held {
            if let Some(seat) = seat {
                self.expel(seat);
            }
            self.holds.forget(account);
            self.counters.lease_error("hold", "a lease was broken by force");
            self.ledger.want_now();
        }
        self.spend(account, lease);
        self.step_of_event();
    }

    fn expel(&mut self, seat: Seat) {
        let holder = self.seats.held(seat).map(|held| held.holder);
        self.sim.expel(seat, self.now_ms);
        self.seats.free_up(seat);
        if let Some(Holder::Here(connection)) = holder {
            self.close(connection, Close::new(CloseCode::Taken, "your character was freed from this room"));
        }
    }

    /// A room that was away since `since_ms` asks whether its leases still stand. Says until when its ticks wait for it.
    pub(super) fn confirm(&mut self, since_ms: u64) -> u64 {
        let away_ms = self.now_ms.saturating_sub(since_ms);
        if !self.needs_leases() || since_ms == 0 || away_ms < BREAK_WAIT_MS {
            return self.now_ms;
        }
        let held = self.holds.iter().filter(|(_, hold)| matches!(hold.state, State::Held(_)));
        let held: Vec<(String, u64)> =
            held.map(|(account, hold)| (account.to_owned(), hold.stamp.lease)).collect();
        for (account, lease) in &held {
            let call = self.holds.confirm(account);
            let (account, game, room) =
                (account.clone(), self.setup.game_name.clone(), self.setup.room.clone());
            let request = LobbyRequest::Confirm { v: LEASE_VERSION, account, game, room, lease: *lease };
            self.outbox.push(self.gate(), Output::Call { call, request: Box::new(request) });
        }
        if held.is_empty() { self.now_ms } else { self.now_ms.saturating_add(CONFIRM_MS) }
    }

    /// The answer to such a question, if it is one. One that is lost is made up for by the Lobby, which tells the room.
    pub(super) fn confirmed(&mut self, call: CallId, answer: Option<&LobbyAnswer>) -> bool {
        let Some(account) = self.holds.take_confirm(call) else { return false };
        if let Some(LobbyAnswer::Revoked { lease }) = answer {
            self.revoke(&account, *lease);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::ReplyId;
    use crate::host::stub::{CHARACTERS, Rig, seen};
    use crate::limits::GRACE_MS;
    use crate::wire::lease::{Stamp, TableAnswer, TableRequest};

    fn revoke(rig: &mut Rig, account: &str, lease: u64) -> TableAnswer {
        let (account, game) = (account.to_owned(), "stub".to_owned());
        rig.host.handle_release(ReplyId(1), &TableRequest::Revoke { v: 1, account, game, lease }, rig.now_ms);
        rig.drain();
        rig.replies.pop().expect("a reply").1
    }

    fn two() -> Rig {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        rig.enter(2, "bob");
        rig.ticks(3);
        rig
    }

    #[test]
    fn what_was_revoked_is_dropped_without_its_leave_handler_and_never_returns() {
        let mut rig = two();
        let left = seen().leaves.len();
        assert_eq!(revoke(&mut rig, "ada", 1), TableAnswer::Absent);
        assert_eq!(rig.close_of(1), Some(CloseCode::Taken));
        assert_eq!((rig.facts().holds.held, rig.facts().seats, seen().leaves.len()), (1, 1, left));
        assert_eq!((rig.disk.holds().len(), rig.disk.spent("ada")), (1, Stamp { lease: 1, seq: 0 }));
        assert!(rig.calls.is_empty(), "no return");
        assert_eq!(revoke(&mut rig, "ada", 1), TableAnswer::Absent, "once more, without effect");
        rig.crash();
        rig.run_ms(GRACE_MS / 2);
        assert_eq!(rig.facts().seats, 1);
        assert_eq!(revoke(&mut rig, "bob", 1), TableAnswer::Absent, "one who is away");
        assert_eq!((rig.facts().seats, rig.facts().paused), (0, true));
    }

    #[test]
    fn a_return_that_was_revoked_is_not_sent_any_more_and_a_newer_hold_is_not_touched() {
        let mut rig = two();
        rig.say(1, r#"{"t":"leave"}"#);
        assert_eq!((revoke(&mut rig, "ada", 1), rig.facts().outbox), (TableAnswer::Absent, 0));
        rig.say(2, r#"{"t":"leave"}"#);
        rig.calls.drain(..1);
        rig.answer_all();
        rig.enter(3, "bob");
        assert_eq!(revoke(&mut rig, "bob", 1), TableAnswer::Absent);
        assert_eq!((rig.facts().holds.held, rig.close_of(3)), (1, None));
    }

    #[test]
    fn a_room_that_was_away_for_long_asks_whether_its_leases_stand_before_it_ticks() {
        let mut rig = two();
        rig.crash();
        assert!(rig.calls.is_empty(), "a short absence breaks nothing");
        rig.now_ms += BREAK_WAIT_MS;
        rig.crash();
        let tick = rig.facts().tick;
        let asked = |(_, request): &(CallId, LobbyRequest)| matches!(request, LobbyRequest::Confirm { .. });
        assert!(rig.calls.len() == 2 && rig.calls.iter().all(asked), "{:?}", rig.calls);
        rig.run_ms(CONFIRM_MS - 50);
        assert_eq!(rig.facts().tick, tick);
        rig.answer(Some(LobbyAnswer::Revoked { lease: 1 }));
        rig.answer(Some(LobbyAnswer::Done));
        assert_eq!((rig.facts().seats, rig.disk.holds().len()), (1, 1));
        rig.run_ms(1_000);
        assert!(rig.facts().tick > tick && rig.disk.holds().contains_key("bob"));
    }

    #[test]
    fn a_lobby_that_says_nothing_holds_the_room_up_for_a_moment_only() {
        let mut rig = two();
        rig.now_ms += BREAK_WAIT_MS;
        rig.crash();
        rig.answer(None);
        let tick = rig.facts().tick;
        rig.run_ms(CONFIRM_MS + 500);
        assert!(rig.facts().tick > tick && rig.facts().holds.held == 2);
    }
}
