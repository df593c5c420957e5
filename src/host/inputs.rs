//! The inputs of one seat: entries wait for their tick, and the last one used holds until the next.
//!
//! Nothing a client sends is judged by its own clock: late entries take effect at the next tick, far and
//! repeated ones are dropped, and the caller counts both. Absent: parsing (`wire`), epochs (`talk.rs`).

use std::collections::VecDeque;

use crate::limits::{INPUT_QUEUE_MAX, LEAD_TICKS_MAX};
use crate::rules::face::SeatInput;
use crate::rules::ids::{Seat, Tick};
use crate::rules::input::{Controls, newly_down};
use crate::rules::motion::Pose;
use crate::rules::schema::ControlSpec;
use crate::wire::client_message::InputEntry;

#[derive(Clone, Debug, Default)]
pub(super) struct InputQueue {
    /// Rising by tick; bounded by `INPUT_QUEUE_MAX`.
    waiting: VecDeque<(Tick, Controls, Option<Pose>)>,
    /// In force since the last tick.
    held: Controls,
    /// Of the newest entry taken, to tell a change from a heartbeat.
    newest_entry: (Controls, Option<Pose>),
    newest: Option<Tick>,
    ack: Option<Tick>,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Receipt {
    OnTime,
    /// Its tick has run: it takes effect at the next one.
    Late,
    Dropped,
}

impl InputQueue {
    /// Takes an entry when tick `just_run` was the last to run. The flag says whether the controls changed, or the place
    /// that is claimed.
    pub(super) fn take(&mut self, entry: &InputEntry, just_run: Tick) -> (Receipt, bool) {
        let Some(tick) = entry.tick else { return (Receipt::Dropped, false) };
        let too_far = tick > just_run.plus(LEAD_TICKS_MAX);
        let known = self.newest.is_some_and(|newest| tick <= newest);
        if too_far || known || self.waiting.len() >= INPUT_QUEUE_MAX {
            return (Receipt::Dropped, false);
        }
        self.waiting.push_back((tick, entry.controls, entry.claim));
        self.newest = Some(tick);
        let now = (entry.controls, entry.claim);
        let changed = std::mem::replace(&mut self.newest_entry, now) != now;
        (if tick <= just_run { Receipt::Late } else { Receipt::OnTime }, changed)
    }

    /// What `seat` does in `tick`, and how many entries that used.
    ///
    /// Every entry up to the tick is gone through, so a press and its release within one tick still press
    /// once. The newest claim is the one that counts, for this tick alone.
    pub(super) fn input_for(&mut self, seat: Seat, tick: Tick, specs: &[ControlSpec]) -> (SeatInput, u64) {
        let (mut pressed, mut used, mut newest_claim) = (0, 0, None);
        while let Some(&(at, controls, claim)) = self.waiting.front().filter(|(at, ..)| *at <= tick) {
            pressed |= newly_down(specs, &self.held, &controls);
            self.held = controls;
            self.ack = Some(at);
            newest_claim = claim.or(newest_claim);
            self.waiting.pop_front();
            used += 1;
        }
        let input = SeatInput { seat, held: self.held, pressed, claim: newest_claim, rewind: 0 };
        (input, used)
    }

    /// The body is not where claims that wait suppose it to be.
    pub(super) fn drop_claims(&mut self) {
        self.waiting.iter_mut().for_each(|(_, _, claim)| *claim = None);
    }

    /// The newest input tick used; none before the first.
    pub(super) fn ack(&self) -> Option<Tick> {
        self.ack
    }

    /// Newest input tick received less the tick just run; negative is late.
    pub(super) fn lead(&self, just_run: Tick) -> Option<i32> {
        let lead = i64::from(self.newest?.0) - i64::from(just_run.0);
        Some(i32::try_from(lead).unwrap_or(i32::MIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{CONTROLS, FIRE, held};

    const SEAT: Seat = Seat(0);

    fn entry(tick: u32, controls: Controls) -> InputEntry {
        InputEntry { tick: Some(Tick(tick)), controls, claim: None }
    }

    /// Takes entries at `just_run`, then runs the next `ticks`: (fire held, fire pressed) in each.
    fn play(queue: &mut InputQueue, entries: &[InputEntry], just_run: u32, ticks: u32) -> Vec<(bool, bool)> {
        for entry in entries {
            queue.take(entry, Tick(just_run));
        }
        (just_run + 1..=just_run + ticks)
            .map(|tick| queue.input_for(SEAT, Tick(tick), CONTROLS).0)
            .map(|input| (input.held == held(FIRE), input.pressed != 0))
            .collect()
    }

    #[test]
    fn an_entry_holds_until_the_next_and_presses_once() {
        let mut queue = InputQueue::default();
        let entries = [entry(12, held(FIRE)), entry(15, Controls::default())];
        let seen = play(&mut queue, &entries, 10, 6);
        let (off, press, hold) = ((false, false), (true, true), (true, false));
        assert_eq!(seen, [off, press, hold, hold, off, off]);
        assert_eq!(queue.ack(), Some(Tick(15)));
    }

    #[test]
    fn press_and_release_within_one_tick_press_once() {
        let mut queue = InputQueue::default();
        let seen = play(&mut queue, &[entry(5, held(FIRE)), entry(6, Controls::default())], 7, 2);
        assert_eq!(seen, [(false, true), (false, false)]);
    }

    #[test]
    fn late_entries_take_effect_at_the_next_tick() {
        let mut queue = InputQueue::default();
        assert_eq!(queue.take(&entry(5, held(FIRE)), Tick(10)), (Receipt::Late, true));
        assert_eq!(queue.lead(Tick(10)), Some(-5));
        assert_eq!(queue.input_for(SEAT, Tick(11), CONTROLS).0.held, held(FIRE));
        assert_eq!(queue.ack(), Some(Tick(5)));
    }

    #[test]
    fn far_repeated_and_tickless_entries_are_dropped() {
        let mut queue = InputQueue::default();
        let mut take = |tick| queue.take(&InputEntry { tick, controls: held(FIRE), claim: None }, Tick(10)).0;
        assert_eq!(take(Some(Tick(11 + LEAD_TICKS_MAX))), Receipt::Dropped);
        assert_eq!(take(None), Receipt::Dropped);
        assert_eq!(take(Some(Tick(12))), Receipt::OnTime);
        assert_eq!(take(Some(Tick(12))), Receipt::Dropped);
        assert_eq!(take(Some(Tick(11))), Receipt::Dropped);
        assert_eq!(take(Some(Tick(10 + LEAD_TICKS_MAX))), Receipt::OnTime);
    }

    #[test]
    fn the_newest_claim_counts_in_the_tick_that_uses_its_entry() {
        let mut queue = InputQueue::default();
        let pose = |x| Some(Pose { at: [x, 0, 0], ..Pose::default() });
        for (tick, claim) in [(4, pose(1)), (5, pose(2)), (6, None), (7, pose(3)), (8, pose(4))] {
            queue.take(&InputEntry { claim, ..entry(tick, Controls::default()) }, Tick(5));
        }
        let claim = |queue: &mut InputQueue, tick| queue.input_for(SEAT, Tick(tick), CONTROLS).0.claim;
        assert_eq!((claim(&mut queue, 6), claim(&mut queue, 7)), (pose(2), pose(3)));
        queue.drop_claims();
        assert_eq!((claim(&mut queue, 8), queue.ack()), (None, Some(Tick(8))));
        // A claim of another place is no idling; the same one again is.
        let mut take =
            |tick, x| queue.take(&InputEntry { claim: pose(x), ..entry(tick, held(FIRE)) }, Tick(8)).1;
        assert_eq!([take(9, 5), take(10, 5), take(11, 6)], [true, false, true]);
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut queue = InputQueue::default();
        for tick in 0..500 {
            queue.take(&entry(tick, held(FIRE)), Tick(1_000));
        }
        assert_eq!(queue.waiting.len(), INPUT_QUEUE_MAX);
    }

    #[test]
    fn ack_and_lead_are_null_before_the_first_input() {
        let queue = InputQueue::default();
        assert_eq!((queue.ack(), queue.lead(Tick(9))), (None, None));
    }
}
