//! One tick: step the rules, free the seats whose time is up, and pause when nobody is there.
//!
//! Absent: what a step leads to (`step.rs`), what a tick is worth (`rules`), rooms without ticks (`events.rs`).

use crate::host::overrun::Overrunning;
use crate::host::schedule::Schedule;
use crate::host::seats::Holder;
use crate::host::timings::Part;
use crate::host::{EndSort, Host};
use crate::limits::{FAULT_MS_MAX, SILENT_MS};
use crate::mutation::{self, Mutation};
use crate::rules::face::{Broken, Driver, Moment, SeatInput};
use crate::wire::close::{Close, CloseCode};

impl Host {
    /// A loop takes over the ticks: lateness is judged here and nowhere else (no timer is pending now).
    pub fn handle_take_over(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        let late = |schedule: &Schedule| schedule.late_ticks() + schedule.slips();
        let before = late(&self.schedule);
        self.schedule.take_over(now_ms);
        if self.has_ended() || !self.schedule.is_live() || self.is_event_driven() {
            return self.overrun.rest();
        }
        let (late, hz) = (late(&self.schedule) - before, self.schema.room.hz);
        let (room, tally) = (self.setup.label(), self.sim.tally());
        if let Some(Overrunning { ran, due }) = self.overrun.judge(&room, late, tally.units, hz, now_ms) {
            let worst = tally.worst.as_deref().unwrap_or("no handler");
            self.end_overrun(&format!("overrun: {ran} of {due} ticks ran, most fuel: {worst}"));
        }
    }

    /// A lasting world is parked, a match goes on from its last save, as after any fault.
    fn end_overrun(&mut self, why: &str) {
        let sort = if self.is_persistent() { EndSort::Overrun } else { EndSort::Failed };
        self.counters.error(why);
        self.end_as(CloseCode::Storage, why, sort);
    }

    /// Runs the tick that is due, if one is; a spurious call is harmless.
    pub fn handle_tick(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        if self.has_ended() {
            return;
        }
        let Some(stamp_ms) = self.schedule.take(now_ms) else { return };
        self.run_tick(stamp_ms);
    }

    pub(super) fn run_tick(&mut self, stamp_ms: u64) {
        let now_ms = self.now_ms;
        self.pass_time();
        self.timings.tick_begins();
        self.go_on();
        let (inputs, actions) = (self.inputs(), self.actions_to_do());
        let began = self.timings.start();
        let stepped = self.sim.step(&Moment { now_ms, inputs: &inputs, actions: &actions });
        self.timings.stop(Part::Rules, began);
        let took_ms = began.zip(self.timings.start()).map_or(0.0, |(began, ended)| ended - began);
        self.overrun.ran(&self.setup.label(), took_ms, self.schema.room.hz);
        if let Err(broken) = stepped {
            return self.suffer(&broken);
        }
        self.close_silent();
        self.free_overdue();
        self.finish_step(stamp_ms);
        self.do_due();
        self.finish_event();
    }

    /// What each seat does in the next tick; away seats are neutral, and bots are the rules' own.
    fn inputs(&mut self) -> Vec<SeatInput> {
        let (tick, hz) = (self.sim.tick().plus(1), self.schema.room.hz);
        let mut inputs = Vec::new();
        for (seat, held) in self.seats.iter_mut().filter(|(_, held)| held.driver != Driver::Bot) {
            let (mut input, used) = held.input.input_for(seat, tick, &self.schema.controls);
            input.rewind = held.sight.rewind(self.now_ms, hz);
            self.counters.inputs_used += used;
            inputs.push(input);
        }
        inputs
    }

    /// The rules' simulation itself failed. A lasting world ends at once: what it has in memory is no state
    /// of it. A match room is given `FAULT_MS_MAX` to come round, sends nothing meanwhile, and is not saved.
    pub(super) fn suffer(&mut self, broken: &Broken) {
        let tick = self.sim.tick().plus(1);
        self.counters.broke(broken, tick, self.sim.tally().stage);
        let since_ms = *self.broken_since_ms.get_or_insert(self.now_ms);
        if self.commits_first() || self.now_ms.saturating_sub(since_ms) >= FAULT_MS_MAX {
            self.end("storage-or-tick-failed");
        }
    }

    /// Closes connections that say nothing, and players who do nothing.
    fn close_silent(&mut self) {
        let now_ms = self.now_ms;
        let idle_ms = u64::from(self.schema.room.idle_s) * 1_000;
        let is_idle = |since_ms: u64| idle_ms > 0 && now_ms.saturating_sub(since_ms) >= idle_ms;
        let mut silent = Vec::new();
        let mut idle = Vec::new();
        for (connection, known) in &self.connections {
            let held = known.seat.and_then(|seat| self.seats.held(seat));
            if now_ms.saturating_sub(known.heard_ms) >= SILENT_MS {
                silent.push(*connection);
            } else if held.is_some_and(|held| is_idle(held.active_ms))
                || known.hidden_since_ms.is_some_and(is_idle)
            {
                idle.push((*connection, known.seat));
            }
        }
        for connection in silent {
            self.drop_connection(connection, CloseCode::Silent, "nothing was heard from you");
        }
        for (connection, seat) in idle {
            if let Some(seat) = seat {
                self.free_seat(seat);
            }
            self.close(connection, Close::new(CloseCode::Idle, "your input has not changed for long"));
        }
    }

    /// Frees the seats whose grace has run out: all of them in one commit.
    pub(super) fn free_overdue(&mut self) {
        for seat in self.seats.overdue(self.now_ms) {
            self.free_seat(seat);
        }
    }

    /// No person's seat is held: bots go, ticks stop, and a commit says that memory holds nothing newer.
    pub(super) fn pause_if_empty(&mut self) {
        let is_empty = self.seats.driven_by(Driver::Person) == 0;
        let is_up = self.schedule.is_live() || self.seats.driven_by(Driver::Bot) > 0;
        if !is_empty || !is_up {
            return;
        }
        self.bots_asked = 0;
        while let Some(seat) = self.seats.bot_to_go(None).filter(|_| !self.has_ended()) {
            self.dismiss_bot(seat);
        }
        self.schedule.pause();
        self.overrun.rest();
        self.slept_since_ms = self.is_persistent().then_some(self.now_ms);
        if !mutation::is(Mutation::FoldWithoutForce) {
            self.ledger.want_now();
        }
        self.sim.snapshot(&mut self.snapshot);
        self.publish_shared();
        self.publish_roster();
    }

    /// How many persons are connected to a seat.
    pub(super) fn people(&self) -> usize {
        let is_here = |holder| matches!(holder, Holder::Here(_));
        self.seats.iter().filter(|(_, held)| is_here(held.holder)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{LASTING, MATCH, Rig, START_MS, break_steps, hello};
    use crate::limits::{CATCHUP_TICKS_MAX, GRACE_MS, IDLE_MS, MOVEMENT_MS, PULSE_MS};
    use crate::wire::client_message::Hello;
    use crate::wire::server_message::{FxRow, ServerMessage};

    /// F5
    #[test]
    fn ten_minutes_at_twenty_hertz_are_twelve_thousand_ticks() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        for tick in 1..=12_000 {
            // Every handler is slow: the next tick is begun 30 ms late.
            rig.now_ms = rig.host.next_tick_ms().expect("live") + 30;
            rig.host.handle_tick(rig.now_ms);
            rig.drain();
            if tick % 40 == 0 {
                let controls = if tick % 80 == 0 { r#"{"move":[1,0]}"# } else { "{}" };
                rig.input(1, controls);
            }
            rig.sent.clear();
        }
        assert_eq!(rig.facts().tick, 12_000);
        assert_eq!(rig.host.next_tick_ms(), Some(START_MS + 600_050));
    }

    #[test]
    fn every_tick_reaches_everyone_once_with_a_rising_stamp() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.hello(2, &Hello { watch: true, ..hello() });
        rig.ticks(100);
        for connection in [1, 2] {
            let snaps = rig.snaps(connection);
            assert_eq!(snaps.iter().map(|snap| snap.k).collect::<Vec<_>>(), (1..=100).collect::<Vec<_>>());
            assert!(snaps.windows(2).all(|pair| pair[0].st < pair[1].st && pair[1].st - pair[0].st == 50));
        }
    }

    #[test]
    fn a_spurious_tick_is_harmless() {
        let mut rig = Rig::new(&MATCH);
        rig.host.handle_tick(rig.now_ms);
        rig.join(1);
        for _ in 0..9 {
            rig.host.handle_tick(rig.now_ms + 49);
        }
        assert_eq!(rig.facts().tick, 0);
    }

    /// F6
    #[test]
    fn a_long_stall_is_caught_up_to_the_limit() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.ticks(1);
        rig.now_ms += 60_000;
        rig.host.handle_take_over(rig.now_ms);
        rig.run_ms(0);
        assert_eq!(rig.facts().tick, 1 + CATCHUP_TICKS_MAX);
        assert_eq!(rig.facts().slips, 1_200 - u64::from(CATCHUP_TICKS_MAX));
        assert!(rig.snaps(1).windows(2).all(|pair| pair[0].st < pair[1].st));
    }

    /// B28
    #[test]
    fn a_lasting_room_commits_what_is_durable_in_its_tick_and_the_rest_in_time() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.input(1, r#"{"move":[1,0],"fire":true}"#);
        let before = rig.disk.commits.len();
        rig.ticks(1);
        assert_eq!(rig.disk.commits.len(), before + 1);
        assert_eq!(rig.disk.scores()[&0], 1);
        rig.ticks(99);
        assert_eq!(rig.disk.commits.len(), before + 1, "movement alone waits");
        rig.ticks(1);
        assert_eq!(rig.disk.commits.len(), before + 2);
        // By the clock too, when ticks fail to come.
        rig.now_ms += MOVEMENT_MS;
        rig.ticks(1);
        assert_eq!(rig.disk.commits.len(), before + 3);
    }

    /// B29, B30
    #[test]
    fn a_match_room_saves_in_time_and_when_a_round_is_over() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        let before = rig.disk.commits.len();
        rig.input(1, r#"{"fire":true}"#);
        rig.ticks(99);
        assert_eq!(rig.disk.commits.len(), before, "nothing but the cadence makes a match save");
        rig.ticks(1);
        assert_eq!(rig.disk.commits.len(), before + 1);
        rig.input(1, r#"{"over":true}"#);
        rig.ticks(1);
        assert_eq!(rig.disk.commits.len(), before + 2);
        let rounds = rig.to(1).filter(|message| matches!(message, ServerMessage::Round { .. })).count();
        assert_eq!(rounds, 1);
        rig.input(1, "{}");
        rig.input(1, r#"{"over":true}"#);
        rig.ticks(2);
        assert_eq!(rig.disk.commits.len(), before + 2, "a round that begins forces nothing");
    }

    /// B29
    #[test]
    fn a_match_room_survives_failing_saves_and_tries_again_in_time() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.disk_fails = true;
        rig.ticks(300);
        assert_eq!((rig.snaps(1).len(), rig.host.has_ended()), (300, false));
        let failed = rig.facts().storage.failed_writes;
        assert!((2..=3).contains(&failed), "{failed} tries in 15 s");
        // Who joins meanwhile is welcomed when the seat is stored, and not before.
        rig.hello(2, &hello());
        rig.ticks(20);
        assert_eq!((rig.welcomes(2).len(), rig.snaps(2).len()), (0, 0));
        rig.disk_fails = false;
        rig.ticks(100);
        assert_eq!(rig.welcomes(2).len(), 1);
        assert!(!rig.snaps(2).is_empty() && rig.close_of(2).is_none());
    }

    /// B31
    #[test]
    fn the_room_pauses_settled_when_the_last_seat_is_free_and_resumes_without_a_burst() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.hello(2, &Hello { watch: true, ..hello() });
        rig.ticks(10);
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), Some(rig.now_ms + PULSE_MS));
        rig.lose(1);
        rig.run_ms(GRACE_MS - 50);
        assert!(!rig.facts().paused, "away within its grace is held");
        rig.run_ms(50);
        assert!(rig.facts().paused);
        assert_eq!((rig.host.next_tick_ms(), rig.host.next_alarm_ms(rig.now_ms)), (None, None));
        let roster = ServerMessage::Roster { k: rig.facts().tick, roster: vec![] };
        assert_eq!(rig.to(2).last(), Some(&roster), "who watches is told");
        let tick = rig.facts().tick;
        rig.now_ms += 3_600_000;
        rig.join(3);
        rig.host.handle_take_over(rig.now_ms);
        rig.run_ms(100);
        assert_eq!(rig.facts().tick, tick + 2);
    }

    #[test]
    fn who_watches_is_told_when_the_last_player_leaves() {
        let mut rig = Rig::new(&LASTING);
        rig.hello(1, &Hello { watch: true, ..hello() });
        rig.join(2);
        rig.ticks(1);
        rig.say(2, r#"{"t":"leave"}"#);
        assert_eq!(rig.to(1).last(), Some(&ServerMessage::Roster { k: 1, roster: vec![] }));
    }

    /// B31
    #[test]
    fn a_lasting_room_whose_pause_is_not_stored_ends() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.disk_fails = true;
        rig.say(1, r#"{"t":"leave"}"#);
        assert!(rig.host.has_ended());
    }

    /// B26
    #[test]
    fn a_lasting_room_whose_step_fails_ends_at_once_and_saves_nothing() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.ticks(5);
        break_steps(true);
        let (frames, commits) = (rig.sent.len(), rig.disk.commits.len());
        rig.ticks(1);
        assert!(rig.host.has_ended());
        let (_, code, reason) = rig.closed.last().expect("closed");
        let said = "storage-or-tick-failed at tick 5";
        assert_eq!((*code, reason.as_str()), (CloseCode::Storage, said));
        rig.ticks(200);
        rig.hello(2, &hello());
        assert_eq!(rig.close_of(2), Some(CloseCode::Storage));
        assert_eq!((rig.sent.len(), rig.disk.commits.len()), (frames, commits));
        assert_eq!((rig.facts().faults, rig.host.next_alarm_ms(rig.now_ms)), (1, None));
    }

    #[test]
    fn a_match_room_whose_step_fails_is_given_five_seconds() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.ticks(5);
        break_steps(true);
        rig.ticks(50);
        assert_eq!((rig.facts().faults, rig.host.has_ended()), (50, false));
        rig.hello(2, &hello());
        assert_eq!((rig.disk.commits.len(), rig.welcomes(2).len()), (1, 0), "it is not saved meanwhile");
        assert_eq!(
            rig.facts().last_fault.map(|fault| (fault.handler, fault.tick)),
            Some(("step".to_owned(), 6))
        );
        break_steps(false);
        rig.ticks(1);
        assert_eq!(rig.snaps(1).pop().expect("a snap").k, 6, "it came round");
        assert_eq!(rig.welcomes(2).len(), 1);
        break_steps(true);
        rig.ticks(100);
        assert!(!rig.host.has_ended());
        rig.ticks(1);
        assert!(rig.host.has_ended());
    }

    /// F9
    #[test]
    fn who_is_silent_is_closed_and_keeps_the_seat_for_its_grace() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.hello(2, &Hello { watch: true, ..hello() });
        rig.run_ms(SILENT_MS - 50);
        assert!(rig.closed.is_empty());
        rig.run_ms(50);
        assert_eq!((rig.close_of(1), rig.close_of(2)), (Some(CloseCode::Silent), Some(CloseCode::Silent)));
        assert_eq!((rig.facts().seats, rig.facts().people), (1, 0));
    }

    #[test]
    fn who_does_nothing_or_hides_is_closed_and_the_seat_is_free() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.join(2);
        rig.say(2, r#"{"t":"ping","c":1,"hid":true}"#);
        for second in 0..IDLE_MS / 1_000 {
            assert!(rig.closed.is_empty(), "after {second} s");
            // The one repeats what it holds; the other moves on a page that nobody sees.
            rig.input(1, "{}");
            rig.input(2, if second % 2 == 0 { r#"{"move":[1,0]}"# } else { r#"{"move":[0,1]}"# });
            rig.run_ms(1_000);
            rig.sent.clear();
        }
        rig.ticks(1);
        assert_eq!((rig.close_of(1), rig.close_of(2)), (Some(CloseCode::Idle), Some(CloseCode::Idle)));
        assert_eq!((rig.facts().seats, rig.facts().paused), (0, true));
    }

    #[test]
    fn effects_and_rosters_go_to_everyone() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.join(2);
        rig.input(1, r#"{"fire":true}"#);
        rig.ticks(1);
        let bang = ServerMessage::Fx { k: 1, fx: vec![FxRow("bang".to_owned(), 0.0, 0.0, None)] };
        assert!(rig.to(2).any(|message| *message == bang));
        let rosters =
            |rig: &Rig| rig.to(2).filter(|message| matches!(message, ServerMessage::Roster { .. })).count();
        assert_eq!(rosters(&rig), 1);
        rig.lose(1);
        rig.ticks(3);
        assert_eq!(rosters(&rig), 2);
    }
}
