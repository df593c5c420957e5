//! The pulse of a room: an alarm that vouches for its ticks, and the loop that runs them.
//!
//! An alarm sets the next one first of all, takes over the loop (generation + 1; a loop of a former number ends without a
//! further tick) and returns; the ticks run on until the next alarm takes over, the room pauses or ends, or
//! `PULSE_TAIL_MS` passed without one. An event that finds a live room without a loop sets the alarm and starts the loop
//! at once. An alarm is set before any tick runs, so a crash is followed by an alarm, and a pulse costs one row and one
//! request, not one a tick. A room that runs by events has no loop, and its alarm is when something is due, or none.
//!
//! After each event of the object: `poll` until none, each act performed before the next is asked for. Absent: the alarm
//! itself and timers, which are the platform's.

use crate::limits::{ALARM_OVERDUE_MS, ALARM_OVERDUE_MS_MAX, PULSE_MS, PULSE_TAIL_MS};
use crate::mutation::{self, Mutation};

/// The number of a loop; the newest one ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generation(u64);

/// What the object is to do with its alarm and its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Look when the alarm is set for, then `handle_found`: a look is cheaper than a row.
    Look,
    /// Set the alarm for then, and say by `handle_set` whether storage took it.
    Set(u64),
    /// Delete it.
    Delete,
    /// Run the ticks from here on, under this number. The former loop's timer is cancelled first.
    Run(Generation),
    /// The room has come to rest: its loop's timer is cancelled, and the Lobby is told.
    Rest,
}

/// What a room wants of its alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It ticks; the alarm is wanted by then.
    Pulse(u64),
    /// It rests, or runs by events, and something is due then.
    Alarm(u64),
    Never,
    /// Nothing is in memory: what is set stays.
    Unknown,
}

#[derive(Debug, Default)]
pub struct Pulse {
    generation: u64,
    running: bool,
    /// The room was live when last looked at: that it rests is news.
    live: bool,
    /// When the running loop was last vouched for.
    vouched_ms: u64,
    /// When the alarm was asked for, and when it fires as far as this object knows.
    asked_ms: Option<u64>,
    set_ms: Option<u64>,
    /// It is known whether one is set.
    looked: bool,
    /// What is set was set by the alarm before it, whatever the room wants: only one that ticks wants it so soon.
    is_dead_man: bool,
    /// Storage refused to set it in this event.
    refused: bool,
    /// How long overdue the alarm may be before it is set anew: each time twice as long, lest one that is merely late
    /// is pushed away for ever.
    patience_ms: u64,
}

impl Pulse {
    /// An event begins.
    pub fn begin_event(&mut self) {
        self.refused = false;
    }

    /// The alarm fired: the loop is taken over, and the next alarm is to be set at once, before anything else.
    pub fn handle_fired(&mut self, now_ms: u64) -> u64 {
        self.begin_event();
        self.stop();
        self.patience_ms = 0;
        let at_ms = self.ask(now_ms.saturating_add(PULSE_MS));
        self.is_dead_man = true;
        at_ms
    }

    /// Storage has the order before anything else can want the alarm, so it counts as set from here on.
    fn ask(&mut self, at_ms: u64) -> u64 {
        (self.asked_ms, self.set_ms, self.looked) = (Some(at_ms), Some(at_ms), true);
        self.is_dead_man = false;
        at_ms
    }

    /// What `Act::Look` found.
    pub fn handle_found(&mut self, set_ms: Option<u64>) {
        (self.asked_ms, self.set_ms, self.looked) = (set_ms, set_ms, true);
    }

    /// What became of setting the alarm: when it fires, or none if storage refused.
    pub fn handle_set(&mut self, set_ms: Option<u64>) {
        self.refused = set_ms.is_none();
        self.set_ms = set_ms;
        if self.refused {
            // Whether one was set before is not known any more, and nothing vouches for a loop that began meanwhile.
            (self.asked_ms, self.looked) = (None, false);
            self.stop();
        }
    }

    /// Ends the loop.
    pub fn stop(&mut self) {
        self.generation += 1;
        self.running = false;
    }

    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Whether the loop of that number may tick still.
    #[must_use]
    pub fn may_tick(&self, generation: Generation, now_ms: u64) -> bool {
        self.is_current(generation) && now_ms.saturating_sub(self.vouched_ms) <= PULSE_TAIL_MS
    }

    #[must_use]
    pub fn is_current(&self, generation: Generation) -> bool {
        self.running && self.generation == generation.0
    }

    #[must_use]
    pub fn set_ms(&self) -> Option<u64> {
        self.set_ms
    }

    /// The next thing to do; none when all is as the room wants it.
    pub fn poll(&mut self, wanted: Wanted, now_ms: u64) -> Option<Act> {
        match wanted {
            Wanted::Unknown => None,
            Wanted::Never => self.rest().or_else(|| self.delete()),
            Wanted::Alarm(due) => self.rest().or_else(|| self.put_off(due, now_ms)),
            Wanted::Pulse(due) if mutation::is(Mutation::AlarmAfterTicks) => {
                self.run(now_ms).or_else(|| self.set_in_time(due, now_ms))
            }
            Wanted::Pulse(due) => self.set_in_time(due, now_ms).or_else(|| self.run(now_ms)),
        }
    }

    fn rest(&mut self) -> Option<Act> {
        if self.running {
            self.stop();
            // Whoever runs the loop has its timer cancelled, whether or not resting is news.
            self.live = true;
        }
        std::mem::take(&mut self.live).then_some(Act::Rest)
    }

    fn delete(&mut self) -> Option<Act> {
        self.asked_ms = None;
        self.set_ms.take().map(|_| Act::Delete)
    }

    fn run(&mut self, now_ms: u64) -> Option<Act> {
        if self.running || self.refused {
            return None;
        }
        self.generation += 1;
        (self.running, self.live, self.vouched_ms) = (true, true, now_ms);
        Some(Act::Run(Generation(self.generation)))
    }

    /// Sets the alarm anew if it is set for later than it is wanted, or overdue.
    fn set_in_time(&mut self, due_ms: u64, now_ms: u64) -> Option<Act> {
        if self.refused {
            return None;
        }
        if !self.looked {
            return Some(Act::Look);
        }
        let at_ms = due_ms.max(now_ms.saturating_add(1));
        let set_ms = self.set_ms.filter(|_| self.asked_ms.is_some_and(|asked| asked <= at_ms));
        let Some(set_ms) = set_ms else { return Some(Act::Set(self.ask(at_ms))) };
        self.is_overdue(set_ms, now_ms).then(|| Act::Set(self.ask(now_ms.saturating_add(1))))
    }

    fn put_off(&mut self, due_ms: u64, now_ms: u64) -> Option<Act> {
        if self.is_dead_man && !self.refused {
            return Some(Act::Set(self.ask(due_ms.max(now_ms.saturating_add(1)))));
        }
        self.set_in_time(due_ms, now_ms)
    }

    fn is_overdue(&mut self, set_ms: u64, now_ms: u64) -> bool {
        let patience_ms = self.patience_ms.max(ALARM_OVERDUE_MS);
        let is_overdue = now_ms > set_ms.saturating_add(patience_ms);
        if is_overdue {
            self.patience_ms = (patience_ms * 2).min(ALARM_OVERDUE_MS_MAX);
        }
        is_overdue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000_000;

    /// Performs what it wants, as storage that takes everything does.
    fn acts(pulse: &mut Pulse, wanted: Wanted, now_ms: u64) -> Vec<Act> {
        let mut acts = Vec::new();
        while let Some(act) = pulse.poll(wanted, now_ms) {
            acts.push(act);
            match act {
                Act::Look => pulse.handle_found(None),
                Act::Set(at) => pulse.handle_set(Some(at)),
                Act::Delete | Act::Run(_) | Act::Rest => {}
            }
            assert!(acts.len() < 9, "{acts:?}");
        }
        acts
    }

    fn pulse_at(now_ms: u64) -> Wanted {
        Wanted::Pulse(now_ms + PULSE_MS)
    }

    #[test]
    fn an_alarm_is_set_before_any_tick_runs() {
        let mut pulse = Pulse::default();
        let done = acts(&mut pulse, pulse_at(NOW), NOW);
        assert_eq!(done, [Act::Look, Act::Set(NOW + PULSE_MS), Act::Run(Generation(1))]);
        assert_eq!(acts(&mut pulse, pulse_at(NOW + 50), NOW + 50), [], "and once is enough");
    }

    /// F13
    #[test]
    fn an_alarm_sets_the_next_one_first_and_takes_the_loop_over() {
        let mut pulse = Pulse::default();
        acts(&mut pulse, pulse_at(NOW), NOW);
        let later = NOW + PULSE_MS;
        let first = pulse.handle_fired(later);
        assert!(!pulse.may_tick(Generation(1), later), "the former loop ends without a further tick");
        assert_eq!(first, later + PULSE_MS);
        pulse.handle_set(Some(first));
        assert_eq!(acts(&mut pulse, pulse_at(later), later), [Act::Run(Generation(3))]);
    }

    #[test]
    fn an_alarm_that_the_platform_sets_later_than_asked_is_not_asked_for_again() {
        let mut pulse = Pulse::default();
        pulse.handle_found(None);
        assert_eq!(pulse.poll(pulse_at(NOW), NOW), Some(Act::Set(NOW + PULSE_MS)));
        pulse.handle_set(Some(NOW + PULSE_MS + 2_000));
        assert_eq!(acts(&mut pulse, pulse_at(NOW), NOW), [Act::Run(Generation(1))]);
        assert_eq!(acts(&mut pulse, pulse_at(NOW + 9_999), NOW + 9_999), []);
    }

    #[test]
    fn no_tick_runs_when_storage_refuses_the_alarm() {
        let mut pulse = Pulse::default();
        pulse.handle_found(None);
        assert_eq!(pulse.poll(pulse_at(NOW), NOW), Some(Act::Set(NOW + PULSE_MS)));
        pulse.handle_set(None);
        assert_eq!(pulse.poll(pulse_at(NOW), NOW), None);
        pulse.begin_event();
        assert_eq!(pulse.poll(pulse_at(NOW), NOW), Some(Act::Look), "the next event tries again");
    }

    #[test]
    fn a_loop_that_began_while_the_alarm_was_being_refused_ends() {
        let mut pulse = Pulse::default();
        pulse.handle_fired(NOW);
        // Another event, before storage has answered.
        assert_eq!(pulse.poll(pulse_at(NOW), NOW), Some(Act::Run(Generation(2))));
        pulse.handle_set(None);
        assert!(!pulse.may_tick(Generation(2), NOW));
        pulse.begin_event();
        assert_eq!(pulse.poll(pulse_at(NOW), NOW), Some(Act::Look), "the next event tries again");
    }

    #[test]
    fn a_loop_that_nothing_vouches_for_ends() {
        let mut pulse = Pulse::default();
        acts(&mut pulse, pulse_at(NOW), NOW);
        assert!(pulse.may_tick(Generation(1), NOW + PULSE_TAIL_MS));
        assert!(!pulse.may_tick(Generation(1), NOW + PULSE_TAIL_MS + 1));
    }

    /// F12
    #[test]
    fn an_alarm_that_is_missing_or_overdue_is_set_anew_and_never_in_the_past() {
        let mut pulse = Pulse::default();
        let due = Wanted::Alarm(NOW - 5);
        assert_eq!(acts(&mut pulse, due, NOW), [Act::Look, Act::Set(NOW + 1)]);
        let late = NOW + 2 + ALARM_OVERDUE_MS;
        assert_eq!(acts(&mut pulse, due, late), [Act::Set(late + 1)]);
        // One that is only late is not pushed away for ever.
        let later = late + 2 + ALARM_OVERDUE_MS;
        assert_eq!(acts(&mut pulse, due, later), []);
        assert_eq!(acts(&mut pulse, due, later + ALARM_OVERDUE_MS), [Act::Set(later + ALARM_OVERDUE_MS + 1)]);
    }

    #[test]
    fn an_alarm_that_is_wanted_sooner_is_set_sooner_and_one_that_is_soon_enough_is_left() {
        let mut pulse = Pulse::default();
        pulse.handle_found(Some(NOW + 500));
        assert_eq!(acts(&mut pulse, Wanted::Alarm(NOW + 900), NOW), []);
        assert_eq!(acts(&mut pulse, Wanted::Alarm(NOW + 100), NOW), [Act::Set(NOW + 100)]);
    }

    #[test]
    fn an_alarm_of_a_room_that_rests_is_set_for_when_something_is_due_and_for_nothing_sooner() {
        let mut pulse = Pulse::default();
        let first = pulse.handle_fired(NOW);
        pulse.handle_set(Some(first));
        let due = NOW + 3_600_000;
        assert_eq!(acts(&mut pulse, Wanted::Alarm(due), NOW), [Act::Set(due)]);
        assert_eq!(acts(&mut pulse, Wanted::Alarm(due), NOW + 1), []);
    }

    #[test]
    fn a_room_at_rest_has_no_loop_and_no_alarm_and_says_so_once() {
        let mut pulse = Pulse::default();
        acts(&mut pulse, pulse_at(NOW), NOW);
        assert_eq!(acts(&mut pulse, Wanted::Never, NOW), [Act::Rest, Act::Delete]);
        assert_eq!(acts(&mut pulse, Wanted::Never, NOW), []);
        assert!(!pulse.is_running());
    }
}
