//! What an operator asks of a room: an orderly stop, a tick now, everything said again, and somebody removed.
//!
//! A stop folds one last checkpoint, if no write has failed before it and the room has not ended; whether or not that is
//! taken, the room stops (B27). Its players are sent away to come back, and the next event restores it. Absent: who may
//! ask (`platform`).

use crate::host::seats::Holder;
use crate::host::{EndSort, Host};
use crate::mutation::{self, Mutation};
use crate::rules::ids::Seat;
use crate::wire::close::{Close, CloseCode};
use crate::wire::server_message::ServerMessage;

impl Host {
    /// Stops the room for now.
    pub fn handle_stop(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        if self.has_ended() {
            return;
        }
        self.stopping = true;
        if self.may_write() && !mutation::is(Mutation::FoldWithoutForce) {
            self.ledger.want_fold();
        }
        self.stop_if_asked();
    }

    /// Everything that the stop waits for is written, or will never be.
    pub(super) fn stop_if_asked(&mut self) {
        let waits = self.may_write() && self.ledger.is_due(self.now_ms);
        if self.stopping && !waits {
            self.end_as(CloseCode::Storage, "the room was stopped, and comes back", EndSort::Stopped);
        }
    }

    /// A simulation that broke must not be saved over a good one, nor anything after a write that failed.
    fn may_write(&self) -> bool {
        self.broken_since_ms.is_none() && !self.ledger.has_failed()
    }

    /// Runs a tick now, beside the schedule, which stays as it is (B43). Nothing in a room that rests.
    pub fn handle_tick_now(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        if self.has_ended() || !self.schedule.is_live() {
            return;
        }
        if self.is_event_driven() {
            self.do_due_before();
            self.step_of_event();
            self.finish_event();
        } else {
            let stamp_ms = self.schedule.stamp(now_ms);
            self.run_tick(stamp_ms);
        }
    }

    /// Removes who sits there: the seat is free, a character goes home, and the client does not come back by itself. Whether
    /// anybody did.
    pub fn handle_kick(&mut self, seat: Seat, now_ms: u64) -> bool {
        self.now_ms = now_ms;
        self.pass_time();
        self.do_due_before();
        let holder = self.seats.held(seat).map(|held| held.holder);
        let Some(holder) = holder.filter(|holder| !self.has_ended() && !matches!(holder, Holder::Bot)) else {
            return false;
        };
        self.free_seat(seat);
        if let Holder::Here(connection) = holder {
            self.close(connection, Close::new(CloseCode::Kicked, "you were removed from this room"));
        }
        self.finish_event();
        true
    }

    /// Says the round, the roster and the shared state again to everyone (B46). What a welcome alone says, the kinds and
    /// controls that the room has, no room changes while it is up.
    pub fn announce(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        if self.has_ended() {
            return;
        }
        let k = self.sim.tick().0;
        self.shared = self.shared_now();
        let (round, roster, shared) = (self.round_info(), self.seats.roster(), self.shared.clone());
        self.send_all(ServerMessage::Round { k, round }.to_json());
        self.send_all(ServerMessage::Roster { k, roster }.to_json());
        self.send_all(ServerMessage::Shared { k, shared }.to_json());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Write;
    use crate::host::stub::{CARDS, CHARACTERS, LASTING, MATCH, Rig, break_steps, hello};

    impl Rig {
        fn stop(&mut self) {
            self.host.handle_stop(self.now_ms);
            self.drain();
        }
    }

    /// B27
    #[test]
    fn a_stop_folds_one_last_checkpoint_and_sends_everyone_away_to_come_back() {
        for game in [&MATCH, &LASTING, &CARDS] {
            let mut rig = Rig::new(game);
            let you = rig.join(1).you.expect("a seat");
            rig.ticks(20);
            let (digest, tick) = (rig.facts().digest, rig.facts().tick);
            rig.stop();
            assert!(matches!(rig.disk.commits.last().expect("a commit").write, Write::Save { .. }));
            assert_eq!((rig.host.has_ended(), rig.close_of(1)), (true, Some(CloseCode::Storage)));
            assert!(rig.host.end_of().is_some_and(|end| end.sort == EndSort::Stopped), "it is no failure");
            rig.crash();
            assert_eq!((rig.facts().digest, rig.facts().tick), (digest, tick));
            assert_eq!(rig.knock(2, &you.token).you.expect("a seat").occ, you.occ);
        }
    }

    /// B27
    #[test]
    fn a_stop_after_a_write_that_failed_or_a_step_that_broke_writes_nothing_and_stops() {
        for broken in [false, true] {
            let mut rig = Rig::new(&MATCH);
            rig.join(1);
            rig.disk_fails = !broken;
            rig.ticks(110);
            rig.disk_fails = false;
            break_steps(broken);
            rig.ticks(1);
            break_steps(false);
            let commits = rig.disk.commits.len();
            rig.stop();
            assert_eq!((rig.disk.commits.len(), rig.host.has_ended()), (commits, true), "broken: {broken}");
        }
    }

    /// B27
    #[test]
    fn a_stop_whose_checkpoint_fails_stops_all_the_same() {
        for game in [&MATCH, &LASTING] {
            let mut rig = Rig::new(game);
            rig.join(1);
            rig.ticks(5);
            let commits = rig.disk.commits.len();
            rig.disk_fails = true;
            rig.stop();
            assert_eq!((rig.disk.commits.len(), rig.host.has_ended()), (commits, true));
            rig.stop();
            assert_eq!(rig.disk.commits.len(), commits, "and a second stop changes nothing");
        }
    }

    /// F4
    #[test]
    fn a_join_at_any_point_of_a_stop_is_served_by_the_next_incarnation_or_told_why() {
        for before_commit in [true, false] {
            let mut rig = Rig::new(&CHARACTERS);
            rig.enter(1, "ada");
            rig.ticks(3);
            rig.host.handle_stop(rig.now_ms);
            if !before_commit {
                rig.drain();
            }
            rig.hello_as(2, Some("bob"), &hello());
            assert_eq!(rig.close_of(2), Some(CloseCode::Storage), "it is sent away to come back");
            rig.crash();
            assert!(rig.enter(3, "bob").you.is_some());
            assert!(rig.violations.is_empty(), "{:?}", rig.violations);
        }
    }

    /// B43
    #[test]
    fn a_tick_now_never_throws_and_keeps_the_schedule() {
        let mut rig = Rig::new(&LASTING);
        rig.host.handle_tick_now(rig.now_ms);
        assert_eq!(rig.facts().tick, 0, "nobody is there");
        rig.join(1);
        rig.ticks(2);
        let next = rig.host.next_tick_ms();
        for _ in 0..3 {
            rig.host.handle_tick_now(rig.now_ms);
            rig.drain();
        }
        assert_eq!((rig.facts().tick, rig.host.next_tick_ms()), (5, next));
        rig.ticks(2);
        assert!(rig.snaps(1).windows(2).all(|pair| pair[0].st < pair[1].st && pair[0].k + 1 == pair[1].k));
        break_steps(true);
        rig.host.handle_tick_now(rig.now_ms);
        rig.drain();
        break_steps(false);
        assert!(rig.host.has_ended());
        rig.host.handle_tick_now(rig.now_ms);
    }

    /// B46
    #[test]
    fn an_announcement_says_everything_again() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        rig.ticks(1);
        let sent = rig.sent.len();
        rig.host.announce(rig.now_ms);
        rig.drain();
        let said: Vec<_> =
            rig.sent[sent..].iter().map(|(_, message)| message.to_json()[6..11].to_owned()).collect();
        assert_eq!(said, ["round", "roste", "share"]);
    }

    /// F9
    #[test]
    fn who_is_removed_is_told_so_once_the_character_is_committed_as_returning() {
        let mut rig = Rig::new(&CHARACTERS);
        let seat = rig.enter(1, "ada").you.expect("a seat").seat;
        rig.enter(2, "bob");
        rig.ticks(3);
        assert!(rig.host.handle_kick(Seat(seat), rig.now_ms));
        assert!(rig.closed.is_empty(), "not before the commit");
        rig.drain();
        assert_eq!((rig.close_of(1), rig.facts().closes["kicked"]), (Some(CloseCode::Kicked), 1));
        assert_eq!((rig.facts().holds.held, rig.facts().holds.returning), (1, 1));
        rig.answer_all();
        assert!(!rig.lobby.is_there("ada"));
        // Nobody is there now, one who is away may be removed too, and a bot never.
        assert!(
            !rig.host.handle_kick(Seat(seat), rig.now_ms) && !rig.host.handle_kick(Seat(999), rig.now_ms)
        );
        rig.lose(2);
        assert!(rig.host.handle_kick(Seat(1), rig.now_ms));
        rig.drain();
        assert!(rig.facts().paused);
    }
}
