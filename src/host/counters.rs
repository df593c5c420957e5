//! What a room counts of itself, the newest of what went wrong, and the line about it in the log.
//!
//! Counters are of this incarnation. A fault is counted each time, and logged at most once a second with what came since
//! the line before. Absent: the log itself; the platform writes what `poll_log` gives.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::host::Host;
use crate::limits::{LOG_SPACING_MS, LOST_NOTES_MAX};
use crate::rules::face::{Broken, Given, Note, Stage};
use crate::rules::ids::Tick;
use crate::wire::close::CloseCode;

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub commits: u64,
    pub failed_writes: u64,
    pub rows_written: u64,
    pub ticks: u64,
    /// Ticks in which something other than the cadence made a commit due.
    pub durable_ticks: u64,
    pub messages_in: u64,
    pub messages_over: u64,
    pub frames_out: u64,
    pub bytes_out: u64,
    pub inputs_used: u64,
    pub inputs_late: u64,
    pub inputs_dropped: u64,
    /// Refused by the rules, and not heard because they rest on where the body was before.
    pub claims_refused: u64,
    pub claims_dropped: u64,
    /// Answered by the rules; answered before they came to them; of another epoch.
    pub actions_done: u64,
    pub actions_refused: u64,
    pub actions_dropped: u64,
    pub effects_dropped: u64,
    /// Questions to minds that nobody has carried to them.
    pub asks: u64,
    pub notes: u64,
    pub last_note: Option<String>,
    pub faults: u64,
    pub last_fault: Option<LastFault>,
    pub last_error: Option<String>,
    pub last_lease_error: Option<String>,
    pub lost: LostFacts,
    /// When the newest tick ran, and the newest frame left.
    pub tick_ms: Option<u64>,
    pub frame_ms: Option<u64>,
    pub closes: BTreeMap<&'static str, u64>,
    logged: Logged,
}

/// What the newest line of the log had.
#[derive(Debug, Default)]
struct Logged {
    at_ms: Option<u64>,
    faults: u64,
    notes: u64,
}

/// The newest fault, and where it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastFault {
    pub handler: String,
    pub message: String,
    pub tick: u32,
}

/// What a restore dropped or converted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LostFacts {
    pub count: u64,
    /// The first of them.
    pub fields: Vec<String>,
}

impl Counters {
    /// A connection ended, for this reason.
    pub(super) fn close(&mut self, code: CloseCode) {
        *self.closes.entry(code.name()).or_default() += 1;
    }

    pub(super) fn error(&mut self, what: &str) {
        self.last_error = Some(what.to_owned());
    }

    /// A grant was not admitted, or a return not taken.
    pub(super) fn lease_error(&mut self, what: &str, why: &str) {
        let error = format!("{what}: {why}");
        self.error(&error);
        self.last_lease_error = Some(error);
    }

    /// Written values were made to fit: so many, and those that are known.
    pub(super) fn note(&mut self, notes: &[Note], count: u64) {
        self.notes += count;
        if let Some(note) = notes.last() {
            self.last_note = Some(said(note));
        }
    }

    /// What the rules gave out in `tick`.
    pub(super) fn take(&mut self, given: &Given, tick: Tick) {
        self.faults += u64::from(given.faults_count);
        self.note(&given.notes, u64::from(given.notes_count));
        self.effects_dropped += u64::from(given.effects_dropped);
        self.asks += given.asks.len() as u64;
        if let Some(fault) = given.faults.last() {
            let (handler, message) = (fault.handler.clone(), fault.message.clone());
            self.last_fault = Some(LastFault { handler, message, tick: tick.0 });
        }
    }

    /// What the rules said when they were restored.
    pub(super) fn lose(&mut self, given: &Given) {
        self.lost.count += u64::from(given.notes_count);
        let free = LOST_NOTES_MAX.saturating_sub(self.lost.fields.len());
        self.lost.fields.extend(given.notes.iter().take(free).map(said));
        self.note(&given.notes, u64::from(given.notes_count));
    }

    /// The simulation itself failed in `tick`, at that stage of it.
    pub(super) fn broke(&mut self, broken: &Broken, tick: Tick, stage: Stage) {
        self.faults += 1;
        let (handler, message) = ("step".to_owned(), broken.0.clone());
        self.error(&format!("the step of tick {tick} failed at {stage:?}: {message}"));
        self.last_fault = Some(LastFault { handler, message, tick: tick.0 });
    }
}

fn said(note: &Note) -> String {
    format!("{} {} in {}, written {}", note.what, note.field, note.handler, note.written)
}

impl Host {
    /// The next line of the room's log, if there is something to say. Whether or not the line is written, it is not said
    /// again.
    pub fn poll_log(&mut self, now_ms: u64) -> Option<String> {
        self.poll_faults(now_ms).or_else(|| self.poll_timings(now_ms))
    }

    /// What went wrong, unless something has just been said of it.
    fn poll_faults(&mut self, now_ms: u64) -> Option<String> {
        let Counters { faults, notes, logged, .. } = &self.counters;
        let (faults, notes) = (*faults, *notes);
        let (new_faults, new_notes) = (faults - logged.faults, notes - logged.notes);
        let is_early = logged.at_ms.is_some_and(|at| now_ms.saturating_sub(at) < LOG_SPACING_MS);
        if is_early || new_faults + new_notes == 0 {
            return None;
        }
        self.counters.logged = Logged { at_ms: Some(now_ms), faults, notes };
        let mut line = format!("tick {}: {new_faults} faults, {new_notes} notes", self.sim.tick());
        if let Some(fault) = self.counters.last_fault.as_ref().filter(|_| new_faults > 0) {
            line += &format!("; {} in tick {}: {}", fault.handler, fault.tick, fault.message);
        }
        if let Some(note) = self.counters.last_note.as_ref().filter(|_| new_notes > 0) {
            line += &format!("; {note}");
        }
        Some(line)
    }
}
