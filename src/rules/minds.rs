//! Minds: what a bot or an ai keeps, and the questions that are open.
//!
//! A question has a deadline; without an answer by then the rules' own `floor` answers, so a mind that is away holds
//! nothing up. Absent: whoever answers; the host carries questions out and answers in.

use std::collections::BTreeMap;

use crate::limits::ASKS_MAX;
use crate::rules::face::AskId;
use crate::rules::ids::{BodyId, Seat};

/// What the driver of a seat keeps between its decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mind {
    pub goal: String,
    /// Bodies it wants nothing to do with, oldest first.
    pub avoided: Vec<BodyId>,
}

/// A question that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenAsk {
    pub seat: Seat,
    pub question: String,
    /// A tick, or milliseconds.
    pub deadline: u64,
    /// It has come, and is heard in the next step.
    pub answer: Option<String>,
}

/// The open questions of a room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    pub open: BTreeMap<AskId, OpenAsk>,
    pub next_id: u32,
}

impl Asks {
    pub fn ask(&mut self, seat: Seat, question: String, deadline: u64) -> Option<AskId> {
        if self.open.len() >= ASKS_MAX || self.next_id == u32::MAX {
            return None;
        }
        let id = AskId(self.next_id);
        self.next_id += 1;
        self.open.insert(id, OpenAsk { seat, question, deadline, answer: None });
        Some(id)
    }

    /// Takes the first question that has its answer, or whose deadline has come.
    pub fn take_due(&mut self, now: u64) -> Option<OpenAsk> {
        let due = |ask: &OpenAsk| ask.answer.is_some() || ask.deadline <= now;
        let id = self.open.iter().find(|(_, ask)| due(ask)).map(|(id, _)| *id)?;
        self.open.remove(&id)
    }

    pub fn first_due(&self) -> Option<u64> {
        let due = |ask: &OpenAsk| if ask.answer.is_some() { 0 } else { ask.deadline };
        self.open.values().map(due).min()
    }
}
