//! The way home of a character: taken from its seat, committed as returning, sent until the Lobby says `done`.
//!
//! A return is sent only after the commit that made it was taken, as is the answer to a release, which gives the Lobby
//! the same copy. Neither needs a tick, so a paused room does both. Absent: how a character comes in (`admit.rs`).

use crate::host::holds::{Hold, Return, State};
use crate::host::seats::Holder;
use crate::host::{Host, Output, ReplyId};
use crate::limits::PULSE_MS;
use crate::rules::character::Character;
use crate::rules::ids::Seat;
use crate::wire::character::to_body;
use crate::wire::close::{Close, CloseCode};
use crate::wire::lease::{Copy, LEASE_VERSION, LobbyAnswer, LobbyRequest, Stamp, TableAnswer, TableRequest};
use crate::wire::names::is_account;

impl Host {
    /// When the alarm must fire: the earliest of the next pulse (live), the next try to send a character home, and the
    /// end of a grant that is never answered; none when there is nothing to do. Never at or before `now_ms`.
    #[must_use]
    pub fn next_alarm_ms(&self, now_ms: u64) -> Option<u64> {
        let pulse = self.schedule.is_live().then(|| now_ms.saturating_add(PULSE_MS));
        let due =
            self.holds.next_ms().filter(|_| self.needs_leases()).map(|due| due.max(now_ms.saturating_add(1)));
        pulse.into_iter().chain(due).min().filter(|_| !self.ended)
    }

    /// The alarm fired: does what is due without ticks, also in a paused room. A spurious call is harmless.
    pub fn handle_alarm(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        self.do_due();
    }

    pub(super) fn do_due(&mut self) {
        if !self.ended {
            self.give_up_asks();
            self.send_returns();
        }
    }

    /// The character of a seat that was left, if the seat had one, returns: committed at once, without a tick.
    pub(super) fn give_back(&mut self, seat: Seat, character: Option<&Character>) {
        let body = character.map(|character| to_body(character, &self.schema));
        let copy = Return::new(self.schema_hash.clone(), body, self.now_ms);
        self.holds.give_back(seat, copy);
        self.ledger.want_now();
        self.send_returns();
    }

    /// Sends home what is due. It leaves when the commit it rests on was taken.
    pub(super) fn send_returns(&mut self) {
        if !self.needs_leases() {
            return;
        }
        for (call, account) in self.holds.begin_returns(self.now_ms) {
            if let Some(copy) = self.holds.hold(&account).and_then(|hold| self.copy(&account, hold)) {
                self.outbox.push(self.gate(), Output::Call { call, request: LobbyRequest::Return(copy) });
            }
        }
    }

    /// The last copy of a returning character.
    fn copy(&self, account: &str, hold: &Hold) -> Option<Copy> {
        let State::Returning(copy) = &hold.state else { return None };
        Some(Copy {
            v: LEASE_VERSION,
            account: account.to_owned(),
            game: self.setup.game_name.clone(),
            room: self.setup.room.clone(),
            stamp: hold.stamp,
            schema: copy.schema.clone(),
            body: copy.body.clone(),
        })
    }

    /// The Lobby answered a return. Only its word lets the character be forgotten, and that is a commit.
    pub(super) fn returned(&mut self, account: &str, answer: Option<&LobbyAnswer>) {
        if answer == Some(&LobbyAnswer::Done) {
            self.holds.forget(account);
            return self.ledger.want_now();
        }
        let why = answer.map_or("the Lobby did not answer", |_| "the Lobby did not take it");
        self.counters.lease_error("return", why);
        self.holds.fail(account, self.now_ms);
    }

    /// The Lobby asks for a character back. The answer leaves once what it says is committed.
    pub fn handle_release(&mut self, reply: ReplyId, request: &TableRequest, now_ms: u64) {
        self.now_ms = now_ms;
        let TableRequest::Release { v, account, game, lease } = request;
        let is_ours = *game == self.setup.game_name && is_account(account) && *lease > 0;
        let answer = if self.ended || *v > LEASE_VERSION || !is_ours || !self.needs_leases() {
            TableAnswer::Busy
        } else {
            self.release(account, *lease)
        };
        self.pause_if_empty();
        self.outbox.push(self.gate(), Output::Reply { reply, answer });
    }

    fn release(&mut self, account: &str, lease: u64) -> TableAnswer {
        let known = self.holds.hold(account).map(|hold| (hold.stamp.lease, hold.seat()));
        let ours = known.filter(|(number, _)| *number <= lease);
        if let Some((_, Some(seat))) = ours {
            if let Some(Holder::Here(connection)) = self.seats.held(seat).map(|held| held.holder) {
                let close = Close::new(CloseCode::Taken, "your character was called to another room");
                self.close(connection, close);
            }
            self.free_seat(seat);
        }
        // The number is not the one held here, if any is.
        if ours.is_none_or(|(number, _)| number < lease) {
            self.spend(account, lease);
        }
        let copy = self.holds.hold(account).filter(|hold| hold.stamp.lease <= lease);
        copy.and_then(|hold| self.copy(account, hold)).map_or(TableAnswer::Absent, TableAnswer::Released)
    }

    /// Grants of this account up to that number are not admitted any more, those on their way included.
    fn spend(&mut self, account: &str, lease: u64) {
        if let Some(ask) = self.holds.ask_mut(account) {
            ask.called_away = true;
        }
        if self.holds.spend(account, Stamp { lease, seq: 0 }) {
            self.ledger.want_now();
        }
    }
}
