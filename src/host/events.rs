//! Rooms that run by events (cards, boards): no schedule, and a step for each action, join, leave and due timer.
//!
//! Every step is followed by a commit, and only then is anything shown, in match rooms too: each commit is settled, memory
//! holds nothing newer, and the object may sleep until the next event. So a failed write ends the incarnation here
//! whatever the lifetime. Timers of the rules run at their due time, however late the alarm is, and before what comes
//! after them. They rest while no person's seat is held.
//!
//! Nobody is closed for silence: a client that draws nothing by itself need not speak, and telling one that is gone from
//! one that waits would keep the object awake. A connection ends when the platform says so; a turn that nobody takes is
//! the game's to end, by a timer. Absent: alarms (`returns.rs` says when).

use crate::host::Host;
use crate::host::timings::Part;
use crate::limits::{EVENT_RETRY_MS, EVENT_STEPS_MAX};
use crate::rules::face::Moment;
use crate::rules::schema::Pace;

impl Host {
    pub(super) fn is_event_driven(&self) -> bool {
        self.schema.room.pace == Pace::OnEvent
    }

    /// Memory holds nothing that the last commit does not: an object that only waits may sleep.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let rests = self.is_event_driven() || !self.schedule.is_live();
        rests && !self.ledger.is_due(u64::MAX) && !self.has_actions_waiting()
    }

    /// A step for what just happened. Nothing in a room that ticks: there it shows with the next tick.
    pub(super) fn step_of_event(&mut self) {
        if self.is_event_driven() {
            self.step_at(self.now_ms);
        }
    }

    fn step_at(&mut self, at_ms: u64) {
        if self.has_ended() {
            return;
        }
        let actions = self.actions_to_do();
        let began = self.timings.start();
        let stepped = self.sim.step(&Moment { now_ms: at_ms, inputs: &[], actions: &actions });
        self.timings.stop(Part::Rules, began);
        if let Err(broken) = stepped {
            return self.suffer(&broken);
        }
        self.ledger.want_now();
        let stamp_ms = self.schedule.stamp(self.now_ms);
        self.finish_step(stamp_ms);
        if self.has_actions_waiting() {
            self.retry_ms = self.now_ms.saturating_add(EVENT_RETRY_MS);
        }
    }

    /// What was due before the event that comes now: timers, then graces that have ended.
    pub(super) fn do_due_before(&mut self) {
        if !self.is_event_driven() || !self.schedule.is_live() {
            return;
        }
        for _ in 0..EVENT_STEPS_MAX {
            let due = self.sim.next_due_ms().filter(|due| *due <= self.now_ms);
            let Some(due) = due.filter(|_| !self.has_ended()) else { break };
            self.step_at(due);
        }
        if self.has_actions_waiting() && self.now_ms >= self.retry_ms {
            self.step_at(self.now_ms);
        }
        self.free_overdue();
    }

    /// When something is due in a room that runs by events, but for its outbox.
    pub(super) fn next_event_ms(&self) -> Option<u64> {
        if !self.is_event_driven() || !self.schedule.is_live() {
            return None;
        }
        let retry = self.has_actions_waiting().then_some(self.retry_ms);
        self.sim.next_due_ms().into_iter().chain(self.seats.next_overdue_ms()).chain(retry).min()
    }

    /// After an event of whatever kind: bots come and go, the room pauses; and a room that has no ticks tells at once who
    /// is here.
    pub(super) fn finish_event(&mut self) {
        if self.has_ended() {
            return;
        }
        self.pause_if_empty();
        self.balance_bots();
        if self.is_event_driven() && self.seats.has_roster_changed() {
            self.ledger.want_now();
            self.publish_roster();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{CARD_MATCH, CARDS, Rig, START_MS, break_steps, hello, scores, seen};
    use crate::limits::{GRACE_MS, IDLE_MS, SILENT_MS};
    use crate::wire::client_message::Hello;
    use crate::wire::close::CloseCode;
    use crate::wire::server_message::ServerMessage;

    const LEAVE: &str = r#"{"t":"leave"}"#;

    fn later(rig: &mut Rig, connection: u32, number: u32, ms: u64) {
        rig.act(connection, number, "later", &format!(r#"{{"ms":{ms}}}"#));
    }

    /// Ada and Bob play, after two steps.
    fn two() -> Rig {
        let mut rig = Rig::new(&CARDS);
        rig.join(1);
        rig.join(2);
        rig
    }

    #[test]
    fn a_step_runs_for_each_join_action_leave_and_timer_and_for_nothing_else() {
        let mut rig = two();
        let welcome = rig.welcome(2);
        assert_eq!((welcome.hz, welcome.k, rig.host.next_tick_ms()), (None, 2, None));
        let mut commits = 2;
        let mut expect = |rig: &Rig, tick: u32, what: &str| {
            commits += 1;
            assert_eq!((rig.facts().tick, rig.disk.commits.len()), (tick, commits), "{what}");
            let newest = rig.snaps(1).pop().expect("a snap");
            assert_eq!((newest.k, scores(&newest)), (tick, rig.disk.scores()), "{what}");
            assert!(rig.host.is_settled(), "{what}");
        };
        rig.act(1, 1, "bump", r#"{"by":2}"#);
        expect(&rig, 3, "an action");
        later(&mut rig, 2, 1, 30_000);
        expect(&rig, 4, "another");
        rig.alarm();
        assert_eq!(rig.now_ms, START_MS + 30_000);
        expect(&rig, 5, "a timer");
        rig.say(2, LEAVE);
        expect(&rig, 6, "a leave");
        for text in
            [r#"{"t":"ping","c":1,"g":5}"#, r#"{"t":"say","text":"hi"}"#, r#"{"t":"in","e":1,"s":[[9,{}]]}"#]
        {
            rig.say(1, text);
        }
        rig.act(1, 2, "fly", "{}");
        rig.hello(3, &Hello { watch: true, ..hello() });
        rig.host.handle_take_over(rig.now_ms);
        rig.host.handle_tick(rig.now_ms + 9_000);
        rig.drain();
        assert_eq!((rig.facts().tick, rig.disk.commits.len()), (6, commits), "nothing of that is an event");
        let pong = |message: &&ServerMessage| matches!(message, ServerMessage::Pong(_));
        assert_eq!((rig.to(1).filter(pong).count(), &rig.violations[..]), (1, &[][..]));
    }

    #[test]
    fn who_comes_in_is_shown_what_there_is_after_the_welcome() {
        let mut rig = two();
        rig.hello(3, &Hello { watch: true, ..hello() });
        let token = rig.welcome(1).you.expect("a seat").token;
        rig.lose(1);
        rig.knock(4, &token);
        for connection in [2, 3, 4] {
            let first: Vec<_> = rig.to(connection).take(2).collect();
            assert!(matches!(first[..], [ServerMessage::Welcome(_), ServerMessage::Snap(_)]), "{connection}");
        }
        let stamps: Vec<u64> = rig.snaps(3).iter().map(|snap| snap.st).collect();
        assert!(stamps.windows(2).all(|pair| pair[0] < pair[1]));
        let away = |message: &ServerMessage| match message {
            ServerMessage::Roster { roster, .. } => Some(roster[0].away),
            _ => None,
        };
        assert_eq!(rig.to(2).filter_map(away).collect::<Vec<_>>(), [true, false], "told at once");
    }

    #[test]
    fn timers_run_at_their_due_time_and_before_what_comes_after_them() {
        let mut rig = two();
        later(&mut rig, 1, 1, 1_000);
        later(&mut rig, 1, 2, 2_000);
        // The alarm is late; a message comes first.
        rig.now_ms += 5_000;
        rig.act(2, 1, "bump", r#"{"by":1}"#);
        let steps = seen().steps;
        let after = [START_MS + 1_000, START_MS + 2_000, START_MS + 5_000];
        assert_eq!(steps[steps.len() - 3..], after);
        let shown: Vec<i64> = rig.snaps(1).iter().map(|snap| scores(snap)[&0]).collect();
        assert_eq!(shown[shown.len() - 3..], [1, 2, 2]);
        assert_eq!(rig.dids(2), [(1, 7, None)]);
    }

    #[test]
    fn the_alarm_is_the_earliest_of_what_is_due_and_none_if_nothing_is() {
        let mut rig = two();
        let next = |rig: &Rig| rig.host.next_alarm_ms(rig.now_ms).map(|at| at - START_MS);
        assert_eq!(next(&rig), None, "no pulse");
        later(&mut rig, 1, 1, 60_000);
        assert_eq!(next(&rig), Some(60_000));
        rig.lose(2);
        assert_eq!(next(&rig), Some(GRACE_MS));
        rig.alarm();
        assert_eq!((rig.facts().seats, next(&rig)), (1, Some(60_000)));
        rig.say(1, LEAVE);
        assert_eq!((rig.facts().paused, next(&rig)), (true, None), "timers rest with the room");
        // Who comes finds them run, each at its time.
        rig.now_ms += 3_600_000;
        let welcome = rig.join(3);
        assert_eq!(seen().steps.iter().rev().nth(1), Some(&(START_MS + 60_000)));
        assert_eq!((welcome.k, next(&rig)), (rig.facts().tick, None));
    }

    /// F11
    #[test]
    fn a_wake_keeps_epoch_seats_and_connections_and_says_nothing() {
        let mut rig = two();
        rig.act(1, 1, "bump", r#"{"by":2}"#);
        later(&mut rig, 2, 1, 60_000);
        let (digest, commits, rows) =
            (rig.facts().digest, rig.disk.commits.len(), rig.snaps(1).pop().map(|s| s.c));
        rig.now_ms += 30_000;
        rig.come_back();
        let facts = rig.facts();
        assert_eq!((facts.epoch, facts.people, facts.digest), (1, 2, digest));
        assert_eq!((rig.sent.len(), rig.closed.len(), rig.disk.commits.len()), (0, 0, commits));
        assert!(rig.host.is_settled());
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), Some(START_MS + 60_000), "timers sleep too");
        // An action that was answered before is known, and the next one happens.
        rig.act(1, 1, "bump", r#"{"by":2}"#);
        rig.act(1, 2, "bump", r#"{"by":2}"#);
        assert_eq!(rig.dids(1), [(1, 3, None), (2, 5, None)]);
        assert_eq!((rig.disk.scores()[&0], rig.snaps(1).pop().map(|snap| snap.c)), (4, rows));
        assert!(rig.welcomes(1).is_empty() && seen().resumed.is_empty());
    }

    /// F11
    #[test]
    fn who_was_away_before_the_sleep_has_what_is_left_of_the_grace_and_who_was_lost_in_it_a_whole_one() {
        let mut rig = two();
        let bob = rig.welcome(2).you.expect("a seat").token;
        rig.lose(2);
        rig.now_ms += 6_000;
        rig.come_back();
        assert_eq!(rig.sent.len(), 0, "that Bob is away was told");
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), Some(START_MS + GRACE_MS));
        rig.knock(3, &bob);
        rig.attachments.remove(&3);
        rig.come_back();
        assert!(matches!(rig.to(1).last(), Some(ServerMessage::Roster { roster, .. }) if roster[1].away));
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), Some(rig.now_ms + GRACE_MS));
        // Evicted without a socket: a restart, and still the grace ends.
        rig.lose(1);
        let until = rig.now_ms + GRACE_MS;
        rig.now_ms += 4_000;
        rig.come_back();
        assert_eq!((rig.facts().epoch, rig.host.next_alarm_ms(rig.now_ms)), (2, Some(until)));
        rig.alarm();
        assert!(rig.facts().paused && rig.facts().seats == 0);
    }

    #[test]
    fn after_a_fault_the_sockets_are_welcomed_anew() {
        let mut rig = two();
        rig.slept = false;
        rig.come_back();
        let welcome = rig.welcome(1);
        assert_eq!((welcome.e, welcome.you.expect("a seat").back), (2, true));
        assert_eq!(rig.snaps(1).len(), 1);
    }

    #[test]
    fn a_write_or_a_step_that_fails_ends_it_whatever_the_lifetime() {
        for game in [&CARDS, &CARD_MATCH] {
            let mut rig = Rig::new(game);
            rig.join(1);
            rig.disk_fails = true;
            let sent = rig.sent.len();
            rig.act(1, 1, "bump", r#"{"by":1}"#);
            assert_eq!((rig.close_of(1), rig.sent.len()), (Some(CloseCode::Storage), sent));
            rig.disk_fails = false;
            rig.crash();
            break_steps(true);
            rig.hello(2, &hello());
            assert!(rig.host.has_ended() && rig.welcomes(2).is_empty());
            break_steps(false);
        }
    }

    /// B44
    #[test]
    fn a_private_field_is_shown_to_its_own_seat_alone() {
        let mut rig = two();
        rig.hello(3, &Hello { watch: true, ..hello() });
        rig.act(1, 1, "take", r#"{"card":17}"#);
        rig.act(2, 1, "take", r#"{"card":30}"#);
        let hands = |connection| {
            let snap = rig.snaps(connection).pop().expect("a snap");
            let hand = |body: &crate::wire::snap::SnapBody| body.f.get("hand").and_then(|hand| hand.as_i64());
            snap.d.1.iter().map(hand).collect::<Vec<_>>()
        };
        assert_eq!(
            (hands(1), hands(2), hands(3)),
            (vec![Some(17), None], vec![None, Some(30)], vec![None; 2])
        );
        let welcomed = rig.knock(4, &rig.welcome(1).you.expect("a seat").token).you.expect("a seat");
        let snap = rig.snaps(4).pop().expect("a snap");
        assert_eq!((welcomed.back, snap.d.1[0].f["hand"].as_i64()), (true, Some(17)));
    }

    #[test]
    fn an_action_that_was_not_come_to_is_given_again_and_keeps_the_room_awake() {
        let mut rig = two();
        rig.act(1, 1, "bump", r#"{"by":1}"#);
        rig.act(1, 2, "wait", "{}");
        assert!(rig.host.is_settled() && rig.dids(1).len() == 2, "step 4 comes to it");
        rig.act(1, 3, "wait", "{}");
        assert!(!rig.host.is_settled());
        rig.say(2, r#"{"t":"ping","c":1}"#);
        assert_eq!(rig.facts().tick, 5, "not at once");
        for _ in 0..3 {
            rig.alarm();
        }
        assert_eq!((rig.facts().tick, rig.dids(1).len(), rig.host.is_settled()), (8, 3, true));
    }

    #[test]
    fn nobody_is_closed_for_silence() {
        let mut rig = two();
        later(&mut rig, 1, 1, 3_600_000);
        rig.now_ms += SILENT_MS + IDLE_MS;
        rig.say(2, r#"{"t":"ping","c":1,"hid":true}"#);
        rig.alarm();
        assert!(rig.closed.is_empty() && rig.facts().people == 2);
        assert!(rig.facts().alive);
    }

    #[test]
    fn a_timer_without_end_does_not_hold_the_room_up() {
        let mut rig = two();
        for number in 1..=8 {
            for connection in [1, 2] {
                later(&mut rig, connection, number, 1);
            }
            rig.act(1, number + 8, "later", r#"{"ms":2}"#);
        }
        let before = rig.facts().tick;
        rig.alarm();
        assert!(rig.facts().tick - before <= EVENT_STEPS_MAX);
    }
}
