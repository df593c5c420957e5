//! The actions of one seat: those that wait for their step, and the answers to the newest ones.
//!
//! An action happens exactly once, by three rules. Numbers rise within a stay: one that is not above the newest answered
//! is never run. The answers are part of every commit, so the number and the effect of an action are kept or undone
//! together. And a client gives its unanswered actions again after each welcome, in order and before any new one, keeping
//! at most `ACTIONS_QUEUED_MAX` of them unanswered: then the answer to each is still known here, or it never came.
//!
//! A number may be left out: what is refused before its step (`busy`, no such action) counts as never sent. What waits is
//! no part of a save: it dies with its connection and its incarnation, unanswered.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::limits::{ACTIONS_QUEUED_MAX, REFUSAL_CHARS_MAX};
use crate::rules::cut::SaveError;
use crate::rules::face::SeatAction;
use crate::rules::ids::{Seat, Tick};

/// Why an action is refused that comes too soon after others.
pub(super) const BUSY: &str = "busy";

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Actions {
    /// Rising by number, each with when it came in among all of the room.
    waiting: VecDeque<(u64, SeatAction)>,
    /// Rising by number.
    answers: VecDeque<Answer>,
}

/// What became of an action: of the tick that ran it, and why it did nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answer {
    pub number: u32,
    pub tick: Tick,
    pub why: Option<String>,
}

/// What is said to an action that comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// Nothing yet.
    Later,
    /// It was answered before, in that way.
    Known(Answer),
    /// It does not happen.
    Refused(String),
}

impl Actions {
    /// The newest number that was answered; 0 before the first.
    pub(super) fn newest(&self) -> u32 {
        self.answers.back().map_or(0, |answer| answer.number)
    }

    /// An action comes in: its index and words, or why it is none. `arrival` rises with each of the room.
    pub(super) fn offer(
        &mut self,
        seat: Seat,
        number: u32,
        action: Result<(u16, Vec<i32>), String>,
        arrival: u64,
    ) -> Reply {
        if let Some(answer) = self.answers.iter().find(|answer| answer.number == number) {
            return Reply::Known(answer.clone());
        }
        if self.waiting.iter().any(|(_, waiting)| waiting.number == number) {
            return Reply::Later;
        }
        let newest = self.waiting.back().map_or(self.newest(), |(_, waiting)| waiting.number);
        if number <= newest {
            return Reply::Refused("out of order: a later action came before it".to_owned());
        }
        match action {
            Err(why) => Reply::Refused(why),
            Ok(_) if self.waiting.len() >= ACTIONS_QUEUED_MAX => Reply::Refused(BUSY.to_owned()),
            Ok((action, args)) => {
                self.waiting.push_back((arrival, SeatAction { seat, number, action, args }));
                Reply::Later
            }
        }
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = &(u64, SeatAction)> {
        self.waiting.iter()
    }

    /// The rules answered an action in `tick`: what is to be said, by rising number. Those before it were passed over, and
    /// can never run.
    pub(super) fn answer(&mut self, number: u32, why: Option<&String>, tick: Tick) -> Vec<Answer> {
        let mut said = Vec::new();
        if !self.waiting.iter().any(|(_, waiting)| waiting.number == number) {
            return said;
        }
        while let Some((_, passed)) = self.waiting.pop_front_if(|(_, waiting)| waiting.number <= number) {
            let why = if passed.number == number { why.cloned() } else { Some("passed over".to_owned()) };
            let why = why.map(|why| why.chars().take(REFUSAL_CHARS_MAX).collect());
            said.push(Answer { number: passed.number, tick, why });
        }
        self.answers.extend(said.iter().cloned());
        while self.answers.len() > ACTIONS_QUEUED_MAX {
            self.answers.pop_front();
        }
        said
    }

    /// What waits is forgotten, unanswered: whoever sent it gives it again.
    pub(super) fn forget(&mut self) {
        self.waiting.clear();
    }

    /// The part of it that is saved.
    pub(super) fn answers(&self) -> Vec<Answer> {
        self.answers.iter().cloned().collect()
    }

    /// # Errors
    /// Too many answers, numbers that do not rise from 1, or a reason too long.
    pub(super) fn restore(answers: Vec<Answer>) -> Result<Actions, SaveError> {
        let mut before = 0;
        for Answer { number, why, .. } in &answers {
            let is_short = why.as_ref().is_none_or(|why| why.chars().count() <= REFUSAL_CHARS_MAX);
            if *number <= before || !is_short {
                return Err(SaveError::Corrupt("an answer to an action"));
            }
            before = *number;
        }
        if answers.len() > ACTIONS_QUEUED_MAX {
            return Err(SaveError::Corrupt("too many answers to actions"));
        }
        Ok(Actions { waiting: VecDeque::new(), answers: answers.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(actions: &mut Actions, number: u32) -> Reply {
        actions.offer(Seat(0), number, Ok((0, vec![])), u64::from(number))
    }

    fn refused(why: &str) -> Reply {
        Reply::Refused(why.to_owned())
    }

    const LATE: &str = "out of order: a later action came before it";

    /// B51
    #[test]
    fn a_number_is_taken_once_and_answered_the_same_again() {
        let mut actions = Actions::default();
        assert_eq!(offer(&mut actions, 7), Reply::Later);
        assert_eq!((offer(&mut actions, 7), actions.waiting.len()), (Reply::Later, 1));
        let said = actions.answer(7, None, Tick(3));
        assert_eq!(said, [Answer { number: 7, tick: Tick(3), why: None }]);
        assert_eq!(offer(&mut actions, 7), Reply::Known(said[0].clone()));
        assert_eq!((offer(&mut actions, 6), actions.newest()), (refused(LATE), 7));
        assert_eq!(actions.answer(7, None, Tick(4)), [], "it is answered once");
    }

    #[test]
    fn what_waits_is_bounded_and_a_refused_number_may_come_again() {
        let mut actions = Actions::default();
        for number in 1..=8 {
            assert_eq!(offer(&mut actions, number), Reply::Later);
        }
        assert_eq!(offer(&mut actions, 9), refused("busy"));
        let none = actions.offer(Seat(0), 10, Err("no such action".to_owned()), 10);
        assert_eq!(none, refused("no such action"));
        actions.answer(1, None, Tick(1));
        assert_eq!(offer(&mut actions, 10), Reply::Later, "9 was left out");
        assert_eq!(offer(&mut actions, 9), refused(LATE));
    }

    #[test]
    fn the_answers_to_all_that_a_client_may_keep_unanswered_are_known() {
        let mut actions = Actions::default();
        for number in 1..=20 {
            offer(&mut actions, number);
            actions.answer(number, Some(&"no".repeat(99)), Tick(number));
        }
        assert_eq!(actions.answers().len(), ACTIONS_QUEUED_MAX);
        assert!(matches!(offer(&mut actions, 13), Reply::Known(answer) if answer.tick == Tick(13)));
        assert_eq!(offer(&mut actions, 12), refused(LATE));
        let again = Actions::restore(actions.answers()).expect("as saved");
        assert_eq!(again, actions);
    }

    #[test]
    fn what_the_rules_passed_over_is_answered_and_never_runs() {
        let mut actions = Actions::default();
        for number in 1..=3 {
            offer(&mut actions, number);
        }
        let said = actions.answer(2, None, Tick(5));
        let whys: Vec<_> = said.iter().map(|answer| (answer.number, answer.why.as_deref())).collect();
        assert_eq!(whys, [(1, Some("passed over")), (2, None)]);
        assert_eq!(actions.waiting().map(|(_, waiting)| waiting.number).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn a_damaged_record_of_answers_is_refused() {
        let answer = |number| Answer { number, tick: Tick(1), why: None };
        assert!(Actions::restore(vec![answer(1), answer(3)]).is_ok());
        assert!(Actions::restore(vec![answer(0)]).is_err());
        assert!(Actions::restore(vec![answer(2), answer(2)]).is_err());
        assert!(Actions::restore((1..=9).map(answer).collect()).is_err());
        let long = Answer { why: Some("x".repeat(REFUSAL_CHARS_MAX + 1)), ..answer(1) };
        assert!(Actions::restore(vec![long]).is_err());
    }
}
