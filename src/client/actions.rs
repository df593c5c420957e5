//! Own actions on their way to the room: each is sent until it is answered, and each answer is reported once.
//!
//! The room counts actions by the number the client gives them in one stay in a seat, so that a repeat is no second
//! action. A welcome that gives the same stay back has the unanswered ones repeated, in order; any other one ends them. The
//! owner knows an action by an id of its own, which is never used twice, whatever becomes of seats. Absent: what actions a
//! game has; its room says what is wrong with one.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use crate::client::{Client, LinkState, Output};
use crate::limits::{ACTIONS_QUEUED_MAX, MESSAGE_BYTES_MAX, REFUSAL_CHARS_MAX};
use crate::wire::client_action::named;
use crate::wire::server_message::You;

/// Why an action failed without a word of the room.
const BUSY: &str = "busy";
const NO_SEAT: &str = "no seat";
const TOO_LONG: &str = "too long";
/// It may have happened or not.
const LOST: &str = "the seat was lost before the answer";

#[derive(Debug)]
struct Unanswered {
    id: u32,
    number: u32,
    name: String,
    args: Map<String, Value>,
}

#[derive(Debug, Default)]
pub(super) struct Actions {
    /// Seat and occupancy that the numbers belong to.
    stay: Option<(u16, u32)>,
    newest_number: u32,
    newest_id: u32,
    /// By rising number; at most `ACTIONS_QUEUED_MAX`.
    unanswered: VecDeque<Unanswered>,
}

impl Actions {
    /// A welcome gave this seat, or none. Gives the ids of actions of a former stay, which nobody will answer.
    fn welcomed(&mut self, you: Option<&You>) -> Vec<u32> {
        let stay = you.map(|you| (you.seat, you.occ));
        let known = you.map_or(0, |you| you.n);
        // Without `back` another tab of the account may have had the stay meanwhile, and used the same numbers.
        if you.is_some_and(|you| you.back) && stay == self.stay {
            self.newest_number = self.newest_number.max(known);
            return Vec::new();
        }
        (self.stay, self.newest_number) = (stay, known);
        self.give_up()
    }

    /// Forgets the unanswered ones and gives their ids.
    fn give_up(&mut self) -> Vec<u32> {
        self.unanswered.drain(..).map(|action| action.id).collect()
    }

    fn next_id(&mut self) -> u32 {
        self.newest_id = self.newest_id.wrapping_add(1);
        self.newest_id
    }

    /// Takes an action in, or says why not.
    fn add(&mut self, id: u32, name: &str, args: Map<String, Value>) -> Result<(), &'static str> {
        // As long as it can get, in whatever epoch it is repeated.
        if named(u32::MAX, u32::MAX, name, &args).len() > MESSAGE_BYTES_MAX {
            return Err(TOO_LONG);
        }
        if self.unanswered.len() >= ACTIONS_QUEUED_MAX {
            return Err(BUSY);
        }
        self.newest_number = self.newest_number.checked_add(1).ok_or(BUSY)?;
        let number = self.newest_number;
        self.unanswered.push_back(Unanswered { id, number, name: name.to_owned(), args });
        Ok(())
    }

    /// The room answered this number: gives the id, once.
    fn answered(&mut self, number: u32) -> Option<u32> {
        let index = self.unanswered.iter().position(|action| action.number == number)?;
        self.unanswered.remove(index).map(|action| action.id)
    }

    /// How many wait for their answer.
    pub fn waiting(&self) -> usize {
        self.unanswered.len()
    }
}

impl Client {
    /// Does something once, by its name in the welcome's actions and with its arguments by name. Gives the id that
    /// `Output::Did` answers with, maybe at once. While the link is down it waits for the same stay to come back.
    pub fn act(&mut self, name: &str, args: Map<String, Value>, now_ms: f64) -> u32 {
        let id = self.actions.next_id();
        let can_answer = self.seat().is_some() && self.link.state != LinkState::Ended;
        match if can_answer { self.actions.add(id, name, args) } else { Err(NO_SEAT) } {
            Ok(()) if self.link.is_up() => self.send_action(self.actions.unanswered.len() - 1, now_ms),
            Ok(()) => {}
            Err(why) => self.report(id, None, Err(why.to_owned())),
        }
        id
    }

    /// After a welcome: repeats what was not answered, or reports that it never will be.
    pub(super) fn repeat_actions(&mut self, now_ms: f64) {
        let you = self.welcome.as_ref().and_then(|welcome| welcome.you.as_ref());
        for id in self.actions.welcomed(you) {
            self.report(id, None, Err(LOST.to_owned()));
        }
        (0..self.actions.unanswered.len()).for_each(|index| self.send_action(index, now_ms));
    }

    /// The link is over: what was not answered never will be.
    pub(super) fn end_actions(&mut self) {
        for id in self.actions.give_up() {
            self.report(id, None, Err(LOST.to_owned()));
        }
    }

    pub(super) fn take_answer(&mut self, number: u32, tick: u32, result: Result<(), String>) {
        if let Some(id) = self.actions.answered(number) {
            let cut = |why: String| why.chars().take(REFUSAL_CHARS_MAX).collect();
            self.report(id, Some(tick), result.map_err(cut));
        }
    }

    fn send_action(&mut self, index: usize, now_ms: f64) {
        let epoch = self.epoch();
        if let Some(action) = self.actions.unanswered.get(index) {
            let text = named(epoch, action.number, &action.name, &action.args);
            self.link.asked(now_ms);
            self.send_text(text, now_ms);
        }
    }

    fn report(&mut self, id: u32, tick: Option<u32>, result: Result<(), String>) {
        self.outputs.push_back(Output::Did { id, tick, result });
    }
}
