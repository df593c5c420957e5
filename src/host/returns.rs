//! The way home of a character: taken from its seat, committed as returning, sent until the Lobby says `done`.
//!
//! A return is sent only after the commit that made it was taken, as is the answer to a release, which gives the Lobby
//! the same copy. Neither needs a tick, so a paused room does both. Absent: how a character comes in (`admit.rs`).

use crate::host::holds::{Hold, Return, State};
use crate::host::seats::Holder;
use crate::host::{Host, Output, ReplyId};
use crate::limits::PULSE_MS;
use crate::mutation::{self, Mutation};
use crate::rules::character::Character;
use crate::rules::ids::Seat;
use crate::wire::character::to_body;
use crate::wire::close::{Close, CloseCode};
use crate::wire::lease::{
    CharacterBody, Copy, LEASE_VERSION, LobbyAnswer, LobbyRequest, Stamp, TableAnswer, TableRequest,
};
use crate::wire::names::is_account;

impl Host {
    /// When the alarm must fire: the earliest of the next pulse (a live room that ticks), the next timer or end of a
    /// grace (a room that runs by events), the next try to send a character home or records to D1, and the end of a grant that
    /// is never answered; none when there is nothing to do. Never at or before `now_ms`.
    #[must_use]
    pub fn next_alarm_ms(&self, now_ms: u64) -> Option<u64> {
        let pulse = self.schedule.next_ms().map(|_| now_ms.saturating_add(PULSE_MS));
        let returns = self.holds.next_ms().filter(|_| self.needs_leases());
        let records = self.records.next_ms().filter(|_| self.setup.leases);
        let due = returns.into_iter().chain(records).chain(self.next_event_ms()).min();
        let due = due.map(|due| due.max(now_ms.saturating_add(1)));
        pulse.into_iter().chain(due).min().filter(|_| !self.has_ended())
    }

    /// The alarm fired: does what is due without ticks, also in a paused room. A spurious call is harmless.
    pub fn handle_alarm(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        self.pass_time();
        self.handle_request(now_ms);
        self.do_due_before();
        self.do_due();
        self.finish_event();
    }

    pub(super) fn do_due(&mut self) {
        if !self.has_ended() {
            self.give_up_asks();
            self.send_returns();
            self.send_copies();
            self.send_records();
        }
    }

    /// The character of a seat that was left, if the seat had one, returns: committed at once, without a tick.
    pub(super) fn give_back(&mut self, seat: Seat, character: Option<&Character>) {
        let body = character.map(to_body);
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
                let request = Box::new(LobbyRequest::Return(copy));
                self.outbox.push(self.gate(), Output::Call { call, request });
                if mutation::is(Mutation::ForgetBeforeWord) {
                    self.holds.forget(&account);
                }
            }
        }
    }

    /// Copies home what is held for long, so that a profile page is fresh: each copy is numbered, and leaves when the commit
    /// that has its number was taken.
    pub(super) fn send_copies(&mut self) {
        if !self.needs_leases() || self.has_ended() {
            return;
        }
        let phase_ms = u64::from(u16::from_le_bytes([self.uid[0], self.uid[1]]));
        for (call, account, seat) in self.holds.begin_copies(phase_ms, self.now_ms) {
            let body = self.sim.character(seat).map(|character| to_body(&character));
            let text = serde_json::to_string(&body).unwrap_or_default();
            let stamp = self.holds.number_copy(&account, xxhash_rust::xxh64::xxh64(text.as_bytes(), 0));
            let (Some(stamp), Some(_)) = (stamp, &body) else { continue };
            self.ledger.want();
            let copy = self.stamped(account, stamp, self.schema_hash.clone(), body);
            self.outbox.push(self.gate(), Output::Call { call, request: Box::new(LobbyRequest::Copy(copy)) });
        }
    }

    /// The last copy of a returning character.
    fn copy(&self, account: &str, hold: &Hold) -> Option<Copy> {
        let State::Returning(copy) = &hold.state else { return None };
        Some(self.stamped(account.to_owned(), hold.stamp, copy.schema.clone(), copy.body.clone()))
    }

    fn stamped(&self, account: String, stamp: Stamp, schema: String, body: Option<CharacterBody>) -> Copy {
        let (game, room) = (self.setup.game_name.clone(), self.setup.room.clone());
        Copy { v: LEASE_VERSION, account, game, room, stamp, schema, body }
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

    /// The Lobby asks for a character back, or to drop it. The answer leaves once what it says is committed.
    pub fn handle_release(&mut self, reply: ReplyId, request: &TableRequest, now_ms: u64) {
        self.now_ms = now_ms;
        self.pass_time();
        self.handle_request(now_ms);
        self.do_due_before();
        let (v, account, game, lease) = request.parts();
        let is_ours = game == self.setup.game_name && is_account(account) && lease > 0;
        let answer = if self.has_ended() || v > LEASE_VERSION || !is_ours || !self.needs_leases() {
            TableAnswer::Busy
        } else if matches!(request, TableRequest::Revoke { .. }) {
            self.revoke(account, lease);
            TableAnswer::Absent
        } else {
            self.release(account, lease)
        };
        self.finish_event();
        self.outbox.push(self.gate(), Output::Reply { reply, answer });
    }

    fn release(&mut self, account: &str, lease: u64) -> TableAnswer {
        let known = self.holds.hold(account).map(|hold| (hold.stamp.lease, hold.seat()));
        let ours = known.filter(|(number, _)| *number <= lease);
        if let Some((_, Some(seat))) = ours {
            let holder = self.seats.held(seat).map(|held| held.holder);
            self.free_seat(seat);
            if let Some(Holder::Here(connection)) = holder {
                let close = Close::new(CloseCode::Taken, "your character was called to another room");
                self.close(connection, close);
            }
        }
        // The number is not the one held here, if any is.
        if ours.is_none_or(|(number, _)| number < lease) {
            self.spend(account, lease);
        }
        let copy = self.holds.hold(account).filter(|hold| hold.stamp.lease <= lease);
        let copy = copy.and_then(|hold| self.copy(account, hold)).map(Box::new);
        copy.map_or(TableAnswer::Absent, TableAnswer::Released)
    }

    /// Grants of this account up to that number are not admitted any more, those on their way included.
    pub(super) fn spend(&mut self, account: &str, lease: u64) {
        if let Some(ask) = self.holds.ask_mut(account) {
            ask.called_away = true;
        }
        if self.holds.spend(account, Stamp { lease, seq: 0 }) {
            self.ledger.want_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{CHARACTERS, Rig, hello};
    use crate::limits::{GRACE_MS, OUTBOX_RETRY_MS_MAX, OUTBOX_RETRY_MS_MIN, WRITE_BACK_MS};
    use crate::wire::client_message::Hello;
    use crate::wire::server_message::ServerMessage;

    const LEAVE: &str = r#"{"t":"leave"}"#;

    /// Ada plays, and has scored once.
    fn played() -> Rig {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        rig.input(1, r#"{"fire":true}"#);
        rig.ticks(1);
        rig.input(1, "{}");
        rig.ticks(4);
        rig
    }

    fn copy_of(answer: Option<TableAnswer>) -> Copy {
        let Some(TableAnswer::Released(copy)) = answer else { panic!("not released: {answer:?}") };
        *copy
    }

    fn score(copy: &Copy) -> Option<i64> {
        copy.body.as_ref()?.f["score"].as_i64()
    }

    /// B33
    #[test]
    fn leaving_commits_the_character_as_returning_without_a_tick() {
        let mut rig = played();
        rig.enter(2, "bob");
        rig.ticks(1);
        let (tick, commits, sent) = (rig.facts().tick, rig.disk.commits.len(), rig.sent.len());
        rig.say(1, LEAVE);
        assert_eq!((rig.facts().tick, rig.disk.commits.len()), (tick, commits + 1));
        assert_eq!(rig.sent.len(), sent, "frames follow with the next tick");
        let [(_, LobbyRequest::Return(copy))] = &rig.calls[..] else { panic!("a return") };
        assert_eq!((copy.stamp, score(copy)), (Stamp { lease: 1, seq: 1 }, Some(1)));
        rig.ticks(1);
        assert!(matches!(rig.to(2).last(), Some(ServerMessage::Roster { roster, .. }) if roster.len() == 1));
    }

    /// B33
    #[test]
    fn losing_the_connection_for_longer_than_the_grace_returns_the_character() {
        let mut rig = played();
        rig.lose(1);
        rig.run_ms(GRACE_MS - 50);
        assert_eq!((rig.facts().holds.held, rig.calls.len()), (1, 0));
        rig.run_ms(100);
        assert_eq!((rig.facts().holds.held, rig.facts().holds.returning, rig.facts().paused), (0, 1, true));
        assert!(rig.lobby.is_there("ada"));
        rig.answer_all();
        assert_eq!((rig.lobby.is_there("ada"), rig.lobby.score("ada")), (false, Some(1)));
        assert_eq!((rig.facts().outbox, rig.host.next_alarm_ms(rig.now_ms)), (0, None));
    }

    #[test]
    fn a_character_that_is_held_for_long_is_copied_home_each_copy_newer_and_committed_before_it_leaves() {
        let mut rig = played();
        let stay = |rig: &mut Rig, connection| {
            let until_ms = rig.now_ms + WRITE_BACK_MS;
            while rig.calls.is_empty() && rig.now_ms <= until_ms {
                rig.say(connection, r#"{"t":"ping","c":1}"#);
                rig.run_ms(5_000);
            }
        };
        stay(&mut rig, 1);
        let [(_, LobbyRequest::Copy(copy))] = &rig.calls[..] else { panic!("a copy: {:?}", rig.calls) };
        assert_eq!((copy.stamp, score(copy)), (Stamp { lease: 1, seq: 1 }, Some(1)));
        assert_eq!(rig.disk.holds()["ada"].stamp, copy.stamp);
        rig.answer_all();
        assert_eq!((rig.lobby.score("ada"), rig.lobby.is_there("ada")), (Some(1), true), "it stays");
        // Nothing has changed: no copy. After a crash the room does not know that, and its copy is newer all the same.
        stay(&mut rig, 1);
        assert!(rig.calls.is_empty());
        rig.crash();
        rig.run_ms(GRACE_MS / 2);
        rig.enter(2, "ada");
        rig.input(2, r#"{"fire":true}"#);
        stay(&mut rig, 2);
        let LobbyRequest::Copy(copy) = &rig.calls[0].1 else { panic!("a copy") };
        assert_eq!((copy.stamp, score(copy)), (Stamp { lease: 1, seq: 2 }, Some(2)));
        // One that is lost is not sent again; the return is newer.
        rig.answer(None);
        rig.say(2, LEAVE);
        let LobbyRequest::Return(copy) = &rig.calls[0].1 else { panic!("a return") };
        assert_eq!((copy.stamp, rig.calls.len()), (Stamp { lease: 1, seq: 3 }, 1));
    }

    #[test]
    fn the_copies_of_a_room_are_one_commit() {
        let mut rig = played();
        rig.enter(2, "bob");
        rig.ticks(100);
        let mut copies = 0;
        for _ in 0..WRITE_BACK_MS / 50 {
            let commits = rig.disk.commits.len();
            rig.ticks(1);
            if !rig.calls.is_empty() {
                copies += rig.calls.len();
                assert_eq!(rig.disk.commits.len(), commits + 1);
                rig.answer_all();
            }
        }
        assert_eq!(copies, 2);
    }

    #[test]
    fn a_return_leaves_only_after_its_commit() {
        let mut rig = played();
        rig.host.handle_message(crate::host::ConnectionId(1), LEAVE, rig.now_ms);
        let none =
            std::iter::from_fn(|| rig.host.poll_output()).all(|out| !matches!(out, Output::Call { .. }));
        assert!(none);
        rig.disk_fails = true;
        rig.drain();
        assert!(rig.host.has_ended() && rig.calls.is_empty());
        rig.disk_fails = false;
        rig.crash();
        assert_eq!((rig.facts().holds.held, rig.calls.len()), (1, 0), "it never left");
    }

    #[test]
    fn a_return_is_sent_until_the_lobby_says_done_also_in_a_paused_room() {
        let mut rig = played();
        rig.say(1, LEAVE);
        let LobbyRequest::Return(first) = rig.calls[0].1.clone() else { panic!("a return") };
        let mut waits = Vec::new();
        for answer in
            [None, Some(LobbyAnswer::Busy), Some(LobbyAnswer::Away), None].into_iter().cycle().take(12)
        {
            rig.answer(answer);
            assert!(rig.facts().paused && rig.calls.is_empty());
            let before = rig.now_ms;
            rig.alarm();
            waits.push(rig.now_ms - before);
            assert_eq!(rig.calls[0].1, LobbyRequest::Return(first.clone()), "the same copy each time");
        }
        let doubling = (0..12).map(|n| (OUTBOX_RETRY_MS_MIN << n).min(OUTBOX_RETRY_MS_MAX));
        assert_eq!(waits, doubling.collect::<Vec<_>>());
        assert_eq!(rig.facts().last_lease_error.as_deref(), Some("return: the Lobby did not answer"));
        let commits = rig.disk.commits.len();
        rig.answer(Some(LobbyAnswer::Done));
        assert_eq!((rig.disk.commits.len(), rig.disk.holds().len()), (commits + 1, 0));
        assert_eq!(rig.disk.spent("ada"), first.stamp);
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), None);
    }

    #[test]
    fn a_return_that_is_never_answered_is_sent_again() {
        let mut rig = played();
        rig.say(1, LEAVE);
        rig.alarm();
        assert_eq!(rig.calls.len(), 1, "given up");
        rig.alarm();
        assert_eq!(rig.calls.len(), 2, "and sent again");
        rig.answer(Some(LobbyAnswer::Done));
        assert_eq!(rig.facts().outbox, 1, "only the newest call counts");
        rig.answer(Some(LobbyAnswer::Done));
        assert_eq!(rig.facts().outbox, 0);
    }

    #[test]
    fn a_live_room_sends_returns_again_with_its_ticks() {
        let mut rig = played();
        rig.enter(2, "bob");
        rig.say(1, LEAVE);
        rig.answer(None);
        rig.run_ms(OUTBOX_RETRY_MS_MIN - 50);
        assert!(rig.calls.is_empty());
        rig.run_ms(100);
        assert_eq!(rig.calls.len(), 1);
    }

    /// B32
    #[test]
    fn a_returning_character_is_waited_for_and_its_seat_never_follows_a_new_occupant() {
        let mut rig = played();
        rig.say(1, LEAVE);
        let pending = rig.calls.remove(0);
        let bob = rig.enter(2, "bob").you.expect("a seat");
        assert_eq!(bob.seat, 0);
        rig.hello_as(3, Some("ada"), &hello());
        let (_, code, reason) = rig.closed.last().expect("closed");
        assert_eq!((*code, reason.as_str()), (CloseCode::Returning, "Character return is still pending"));
        assert!(rig.calls.is_empty());
        rig.calls.push(pending);
        rig.answer_all();
        let ada = rig.enter(4, "ada").you.expect("a seat");
        assert_eq!((ada.seat, rig.disk.holds()["ada"].stamp), (1, Stamp { lease: 2, seq: 0 }));
        rig.say(4, LEAVE);
        rig.answer_all();
        assert_eq!((rig.lobby.score("ada"), rig.facts().holds.held), (Some(1), 1));
    }

    /// B37
    #[test]
    fn after_a_crash_what_returned_is_sent_at_once_and_who_played_is_away() {
        let mut rig = played();
        rig.enter(2, "bob");
        rig.say(2, LEAVE);
        let LobbyRequest::Return(copy) = rig.calls[0].1.clone() else { panic!("a return") };
        for _ in 0..3 {
            rig.crash();
            assert_eq!(rig.calls.len(), 1);
            assert_eq!(rig.calls[0].1, LobbyRequest::Return(copy.clone()));
            assert_eq!((rig.facts().holds.held, rig.facts().people), (1, 0));
        }
        rig.answer_all();
        rig.run_ms(GRACE_MS + 50);
        rig.answer_all();
        assert_eq!((rig.lobby.score("ada"), rig.lobby.score("bob")), (Some(1), Some(0)));
        assert_eq!((rig.lobby.is_there("ada"), rig.facts().outbox), (false, 0));
    }

    /// B35
    #[test]
    fn a_paused_room_with_returns_is_settled_and_has_no_seats() {
        let mut rig = played();
        rig.hello(2, &Hello { watch: true, ..hello() });
        rig.say(1, LEAVE);
        rig.come_back();
        assert_eq!((rig.facts().epoch, rig.facts().spectators, rig.sent.len()), (1, 1, 0), "it was a wake");
        assert_eq!((rig.facts().seats, rig.facts().holds.returning, rig.calls.len()), (0, 1, 1));
    }

    /// B34
    #[test]
    fn a_release_takes_the_character_and_answers_after_the_commit() {
        let mut rig = played();
        let request = TableRequest::Release { v: 1, account: "ada".into(), game: "stub".into(), lease: 1 };
        rig.host.handle_release(ReplyId(9), &request, rig.now_ms);
        assert_eq!(rig.host.poll_output(), None);
        rig.drain();
        let (reply, answer) = rig.replies.pop().expect("a reply");
        let copy = copy_of(Some(answer));
        assert_eq!((reply, copy.stamp, score(&copy)), (ReplyId(9), Stamp { lease: 1, seq: 1 }, Some(1)));
        let (_, code, reason) = rig.closed.last().expect("closed");
        assert_eq!((*code, reason.as_str()), (CloseCode::Taken, "your character was called to another room"));
        assert!(rig.facts().paused && rig.disk.holds()["ada"].seat().is_none());
        // Asked again, in a paused room and after a crash, it gives the same copy.
        assert_eq!(copy_of(rig.release_number("ada", 1)), copy);
        rig.crash();
        assert_eq!(copy_of(rig.release_number("ada", 1)), copy);
        assert_eq!(rig.calls[0].1, LobbyRequest::Return(copy));
        rig.answer(Some(LobbyAnswer::Done));
        assert_eq!(rig.release_number("ada", 1), Some(TableAnswer::Absent));
    }

    #[test]
    fn a_release_whose_commit_fails_is_not_answered() {
        let mut rig = played();
        rig.disk_fails = true;
        assert_eq!(rig.release_number("ada", 1), None);
        assert!(rig.host.has_ended());
        assert_eq!(rig.release_number("ada", 1), Some(TableAnswer::Busy), "asked again, the room says so");
        rig.disk_fails = false;
        rig.crash();
        assert_eq!(score(&copy_of(rig.release_number("ada", 1))), Some(1));
    }

    #[test]
    fn a_release_of_another_number_than_the_one_held() {
        let mut rig = played();
        rig.say(1, LEAVE);
        rig.answer_all();
        rig.enter(2, "ada");
        // One that comes late takes nothing from the newer hold.
        assert_eq!(rig.release_number("ada", 1), Some(TableAnswer::Absent));
        assert_eq!((rig.close_of(2), rig.facts().holds.held), (None, 1));
        // One that runs ahead takes what is there, and no grant up to it is admitted.
        assert_eq!(copy_of(rig.release_number("ada", 4)).stamp, Stamp { lease: 2, seq: 1 });
        assert_eq!(rig.disk.spent("ada"), Stamp { lease: 4, seq: 0 });
    }

    #[test]
    fn a_release_that_cannot_be_meant_for_this_room_is_busy() {
        let mut rig = played();
        for (v, account, game, lease) in [
            (2, "ada", "stub", 1),
            (1, "ada", "other", 1),
            (1, "not an account", "stub", 1),
            (1, "ada", "stub", 0),
        ] {
            let request = TableRequest::Release { v, account: account.into(), game: game.into(), lease };
            rig.host.handle_release(ReplyId(1), &request, rig.now_ms);
            rig.drain();
            assert_eq!(rig.replies.pop().expect("a reply").1, TableAnswer::Busy, "{request:?}");
        }
        assert_eq!((rig.facts().holds.held, rig.close_of(1)), (1, None));
    }

    #[test]
    fn the_alarm_of_a_live_room_is_its_pulse_or_what_is_due_before() {
        let mut rig = played();
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), Some(rig.now_ms + PULSE_MS));
        rig.enter(2, "bob");
        rig.say(2, LEAVE);
        rig.answer(None);
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), Some(rig.now_ms + OUTBOX_RETRY_MS_MIN));
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms + 9_000), Some(rig.now_ms + 9_001), "never in the past");
    }
}
