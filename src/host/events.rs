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
        if self.ended {
            return;
        }
        let actions = self.actions_to_do();
        if let Err(broken) = self.sim.step(&Moment { now_ms: at_ms, inputs: &[], actions: &actions }) {
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
            let Some(due) = due.filter(|_| !self.ended) else { break };
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
        if self.ended {
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
