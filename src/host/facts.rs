//! What an operator sees of a room: counters, and the facts made from them.
//!
//! Counters are of this incarnation. Absent: timings; the host has no clock of its own to measure with.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::host::Host;
use crate::limits::ALIVE_MS;
use crate::rules::face::{Broken, Given, Note};
use crate::rules::ids::Tick;
use crate::wire::close::CloseCode;

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub commits: u64,
    pub failed_writes: u64,
    pub rows_written: u64,
    pub messages_in: u64,
    pub messages_over: u64,
    pub frames_out: u64,
    pub bytes_out: u64,
    pub inputs_used: u64,
    pub inputs_late: u64,
    pub inputs_dropped: u64,
    pub effects_dropped: u64,
    pub notes: u64,
    pub faults: u64,
    pub last_fault: Option<LastFault>,
    pub last_lease_error: Option<String>,
    /// When the newest tick ran, and the newest frame left.
    pub tick_ms: Option<u64>,
    pub frame_ms: Option<u64>,
    closes: BTreeMap<&'static str, u64>,
}

impl Counters {
    /// A connection ended, for this reason.
    pub(super) fn close(&mut self, code: CloseCode) {
        *self.closes.entry(code.name()).or_default() += 1;
    }

    /// A grant was not admitted, or a return not taken.
    pub(super) fn lease_error(&mut self, what: &str, why: &str) {
        self.last_lease_error = Some(format!("{what}: {why}"));
    }

    /// Written values were made to fit: so many, and those that are known.
    pub(super) fn note(&mut self, _notes: &[Note], count: u64) {
        self.notes += count;
    }

    /// What the rules gave out in `tick`.
    pub(super) fn take(&mut self, given: &Given, tick: Tick) {
        self.faults += u64::from(given.faults_count);
        self.note(&given.notes, u64::from(given.notes_count));
        self.effects_dropped += u64::from(given.effects_dropped);
        if let Some(fault) = given.faults.last() {
            let (handler, message) = (fault.handler.clone(), fault.message.clone());
            self.last_fault = Some(LastFault { handler, message, tick: tick.0 });
        }
    }

    /// The simulation itself failed in `tick`.
    pub(super) fn broke(&mut self, broken: &Broken, tick: Tick) {
        self.faults += 1;
        let (handler, message) = ("step".to_owned(), broken.0.clone());
        self.last_fault = Some(LastFault { handler, message, tick: tick.0 });
    }
}

/// A room's facts, as `/facts` answers them.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    pub room: String,
    pub game: String,
    pub build: String,
    pub tick: u32,
    pub epoch: u32,
    pub hz: u32,
    pub round: u32,
    /// Persons connected to a seat.
    pub people: usize,
    /// Seats held, away ones too.
    pub seats: usize,
    pub spectators: usize,
    pub connections: usize,
    pub paused: bool,
    pub ended: bool,
    /// The last tick and the last frame are at most `ALIVE_MS` old.
    pub alive: bool,
    /// Found late at take-overs, and never run because the room fell behind.
    pub late_ticks: u64,
    pub slips: u64,
    pub inputs: InputFacts,
    pub messages_in: u64,
    /// Not read, because they were over a rate.
    pub messages_over: u64,
    pub frames_out: u64,
    pub bytes_out: u64,
    /// By the names of their codes.
    pub closes: BTreeMap<&'static str, u64>,
    pub rows_written: u64,
    pub storage: StorageFacts,
    pub holds: HoldFacts,
    /// What waits for the Lobby's word, or for a try to send it.
    pub outbox: usize,
    pub last_lease_error: Option<String>,
    pub faults: u64,
    pub last_fault: Option<LastFault>,
    /// Written values that were made to fit.
    pub notes: u64,
    pub effects_dropped: u64,
    pub digest: String,
}

/// Entries of inputs.
#[derive(Clone, Debug, Serialize)]
pub struct InputFacts {
    pub used: u64,
    pub late: u64,
    pub dropped: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct StorageFacts {
    pub commits: u64,
    pub failed_writes: u64,
    pub seq: u64,
    pub save_seq: u64,
}

/// Characters by where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HoldFacts {
    /// By a seat.
    pub held: usize,
    /// On their way home.
    pub returning: usize,
    /// Their grant is under way.
    pub asked: usize,
}

/// The newest fault, and where it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastFault {
    pub handler: String,
    pub message: String,
    pub tick: u32,
}

impl Host {
    /// What an operator sees of the room.
    #[must_use]
    pub fn facts(&self, now_ms: u64) -> Facts {
        let counters = &self.counters;
        Facts {
            room: self.setup.room.clone(),
            game: self.setup.game_name.clone(),
            build: self.setup.build.id.clone(),
            tick: self.sim.tick().0,
            epoch: self.epoch.0,
            hz: self.schema.room.hz,
            round: self.sim.round().number,
            people: self.people(),
            seats: self.seats.iter().count(),
            spectators: self.connections.values().filter(|known| known.is_spectator()).count(),
            connections: self.connections.len(),
            paused: !self.schedule.is_live(),
            ended: self.ended,
            alive: self.is_alive(now_ms),
            late_ticks: self.schedule.late_ticks(),
            slips: self.schedule.slips(),
            inputs: self.input_facts(),
            messages_in: counters.messages_in,
            messages_over: counters.messages_over,
            frames_out: counters.frames_out,
            bytes_out: counters.bytes_out,
            closes: counters.closes.clone(),
            rows_written: counters.rows_written,
            storage: self.storage_facts(),
            holds: self.hold_facts(),
            outbox: self.holds.outbox(),
            last_lease_error: counters.last_lease_error.clone(),
            faults: counters.faults,
            last_fault: counters.last_fault.clone(),
            notes: counters.notes,
            effects_dropped: counters.effects_dropped,
            digest: format!("{:016x}", self.sim.digest()),
        }
    }

    fn is_alive(&self, now_ms: u64) -> bool {
        let is_recent = |at: Option<u64>| at.is_some_and(|at| now_ms.saturating_sub(at) <= ALIVE_MS);
        let acts = is_recent(self.counters.tick_ms) && is_recent(self.counters.frame_ms);
        acts && self.schedule.is_live() && !self.ended
    }

    fn input_facts(&self) -> InputFacts {
        InputFacts {
            used: self.counters.inputs_used,
            late: self.counters.inputs_late,
            dropped: self.counters.inputs_dropped,
        }
    }

    fn hold_facts(&self) -> HoldFacts {
        let held = self.holds.iter().filter(|(_, hold)| hold.seat().is_some()).count();
        HoldFacts { held, returning: self.holds.outbox(), asked: self.holds.asks() }
    }

    fn storage_facts(&self) -> StorageFacts {
        StorageFacts {
            commits: self.counters.commits,
            failed_writes: self.counters.failed_writes,
            seq: self.ledger.seq(),
            save_seq: self.ledger.save_seq(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{MATCH, Rig};

    /// F7
    #[test]
    fn alive_means_that_a_tick_ran_and_a_frame_left_lately() {
        let mut rig = Rig::new(&MATCH);
        assert!(!rig.facts().alive);
        rig.join(1);
        rig.ticks(1);
        assert!(rig.facts().alive);
        assert!(!rig.host.facts(rig.now_ms + ALIVE_MS + 1).alive, "ticks stopped");
        // Ticks run, but nobody is sent a frame.
        rig.lose(1);
        rig.run_ms(ALIVE_MS + 50);
        assert!(!rig.facts().alive);
    }

    #[test]
    fn facts_are_json_with_the_names_that_scripts_rely_on() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.ticks(2);
        let facts = serde_json::to_value(rig.facts()).expect("JSON");
        for name in ["tick", "epoch", "people", "rows_written", "faults", "alive"] {
            assert!(!facts[name].is_null(), "{name}");
        }
        assert_eq!(
            (&facts["tick"], &facts["people"], &facts["rows_written"]),
            (&2.into(), &1.into(), &1.into())
        );
    }
}
