//! What an operator sees of a room: facts, made from its counters and its parts.
//!
//! Absent: what they come from; costs and timings have files of their own.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::host::Host;
pub use crate::host::counters::{LastFault, LostFacts};
use crate::host::prices::CostFacts;
use crate::host::recording::RecordingFacts;
use crate::host::timings::TimingFacts;
use crate::limits::ALIVE_MS;
use crate::rules::face::{Driver, MindRow};

/// A room's facts, as `/facts` answers them.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    pub room: String,
    pub game: String,
    pub build: String,
    pub tick: u32,
    pub epoch: u32,
    /// None in a room that runs by events.
    pub hz: Option<u32>,
    pub round: u32,
    /// Persons connected to a seat.
    pub people: usize,
    /// Seats held, away ones and those of bots too.
    pub seats: usize,
    pub drivers: DriverFacts,
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
    pub actions: ActionFacts,
    pub messages_in: u64,
    /// Not read, because they were over a rate.
    pub messages_over: u64,
    pub frames_out: u64,
    pub bytes_out: u64,
    /// By the names of their codes.
    pub closes: BTreeMap<&'static str, u64>,
    pub rows_written: u64,
    pub storage: StorageFacts,
    pub costs: CostFacts,
    pub timings: TimingFacts,
    pub holds: HoldFacts,
    /// What waits for the Lobby's word, or for a try to send it.
    pub outbox: usize,
    pub last_lease_error: Option<String>,
    /// Records of the rules that wait to be taken, and those that were too many or too long.
    pub records: usize,
    pub records_lost: u64,
    pub last_error: Option<String>,
    pub faults: u64,
    pub last_fault: Option<LastFault>,
    /// Written values that were made to fit.
    pub notes: u64,
    pub last_note: Option<String>,
    pub lost: LostFacts,
    pub effects_dropped: u64,
    /// Questions to minds.
    pub asks: u64,
    pub recording: RecordingFacts,
    pub minds: Vec<MindFacts>,
    #[serde(flatten)]
    pub handlers: HandlerFacts,
    pub digest: String,
}

/// Held seats by who decides for them; persons who are away too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DriverFacts {
    pub persons: usize,
    pub bots: usize,
    pub ais: usize,
}

/// Of the rules' handlers (B20), in the names that the rules' documents use.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerFacts {
    /// Where in a tick the room is, or was when it broke.
    pub stage: String,
    pub ticks: u64,
    pub handlers: u64,
    pub errors: u64,
    pub budget_stops: u64,
    pub ticks_cut: u64,
    pub ticks_crowded: u64,
    pub max_units: u32,
    pub max_tick_units: u32,
    pub worst: Option<String>,
}

/// What the mind of a bot or an ai keeps (B53).
#[derive(Clone, Debug, Serialize)]
pub struct MindFacts {
    pub seat: u16,
    pub driver: &'static str,
    pub goal: String,
    /// Open questions, each with its deadline.
    pub asks: Vec<(u32, u64)>,
    pub avoided: Vec<u32>,
}

/// Actions of players.
#[derive(Clone, Debug, Serialize)]
pub struct ActionFacts {
    /// Answered by the rules.
    pub done: u64,
    /// Answered before the rules came to them.
    pub refused: u64,
    /// Of another epoch.
    pub dropped: u64,
}

/// Entries of inputs.
#[derive(Clone, Debug, Serialize)]
pub struct InputFacts {
    pub used: u64,
    pub late: u64,
    pub dropped: u64,
    pub claims_refused: u64,
    pub claims_dropped: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct StorageFacts {
    pub commits: u64,
    /// Ticks in which something durable, a round's end or a record made a commit due.
    pub durable_ticks: u64,
    pub failed_writes: u64,
    pub seq: u64,
    pub save_seq: u64,
    /// Of the save as it was last folded; the journal since is apart.
    pub save_bytes: usize,
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
            hz: self.info.hz,
            round: self.sim.round().number,
            people: self.people(),
            seats: self.seats.len(),
            drivers: self.driver_facts(),
            spectators: self.connections.values().filter(|known| known.is_spectator()).count(),
            connections: self.connections.len(),
            paused: !self.schedule.is_live(),
            ended: self.has_ended(),
            alive: self.is_alive(now_ms),
            late_ticks: self.schedule.late_ticks(),
            slips: self.schedule.slips(),
            inputs: self.input_facts(),
            actions: self.action_facts(),
            messages_in: counters.messages_in,
            messages_over: counters.messages_over,
            frames_out: counters.frames_out,
            bytes_out: counters.bytes_out,
            closes: counters.closes.clone(),
            rows_written: counters.rows_written,
            storage: self.storage_facts(),
            costs: self.cost_facts(now_ms),
            timings: self.timings.facts(),
            holds: self.hold_facts(),
            outbox: self.holds.outbox(),
            last_lease_error: counters.last_lease_error.clone(),
            records: self.records.len(),
            records_lost: self.records.lost(),
            last_error: counters.last_error.clone(),
            faults: counters.faults,
            last_fault: counters.last_fault.clone(),
            notes: counters.notes,
            last_note: counters.last_note.clone(),
            lost: counters.lost.clone(),
            effects_dropped: counters.effects_dropped,
            asks: counters.asks,
            recording: self.recording_facts(),
            minds: self.sim.minds().into_iter().map(mind_facts).collect(),
            handlers: self.handler_facts(),
            digest: format!("{:016x}", self.sim.digest()),
        }
    }

    fn is_alive(&self, now_ms: u64) -> bool {
        let is_recent = |at: Option<u64>| at.is_some_and(|at| now_ms.saturating_sub(at) <= ALIVE_MS);
        // Without ticks it is what is due that must not wait.
        let acts = if self.is_event_driven() {
            self.next_event_ms().is_none_or(|due| now_ms.saturating_sub(due) <= ALIVE_MS)
        } else {
            is_recent(self.counters.tick_ms) && is_recent(self.counters.frame_ms)
        };
        acts && self.schedule.is_live() && !self.has_ended()
    }

    fn driver_facts(&self) -> DriverFacts {
        let [persons, bots, ais] =
            [Driver::Person, Driver::Bot, Driver::Ai].map(|driver| self.seats.driven_by(driver));
        DriverFacts { persons, bots, ais }
    }

    fn action_facts(&self) -> ActionFacts {
        ActionFacts {
            done: self.counters.actions_done,
            refused: self.counters.actions_refused,
            dropped: self.counters.actions_dropped,
        }
    }

    fn handler_facts(&self) -> HandlerFacts {
        let tally = self.sim.tally();
        HandlerFacts {
            stage: format!("{:?}", tally.stage).to_lowercase(),
            ticks: tally.ticks,
            handlers: tally.handlers,
            errors: tally.errors,
            budget_stops: tally.budget_stops,
            ticks_cut: tally.ticks_cut,
            ticks_crowded: tally.ticks_crowded,
            max_units: tally.max_units,
            max_tick_units: tally.max_tick_units,
            worst: tally.worst,
        }
    }

    fn input_facts(&self) -> InputFacts {
        InputFacts {
            used: self.counters.inputs_used,
            late: self.counters.inputs_late,
            dropped: self.counters.inputs_dropped,
            claims_refused: self.counters.claims_refused,
            claims_dropped: self.counters.claims_dropped,
        }
    }

    fn hold_facts(&self) -> HoldFacts {
        let held = self.holds.iter().filter(|(_, hold)| hold.seat().is_some()).count();
        HoldFacts { held, returning: self.holds.outbox(), asked: self.holds.asks() }
    }

    fn storage_facts(&self) -> StorageFacts {
        StorageFacts {
            commits: self.counters.commits,
            durable_ticks: self.counters.durable_ticks,
            failed_writes: self.counters.failed_writes,
            seq: self.ledger.seq(),
            save_seq: self.ledger.save_seq(),
            save_bytes: self.ledger.save_bytes(),
        }
    }
}

fn mind_facts(mind: MindRow) -> MindFacts {
    MindFacts {
        seat: mind.seat.0,
        driver: mind.driver.name(),
        goal: mind.goal,
        asks: mind.asks.into_iter().map(|(ask, deadline)| (ask.0, deadline)).collect(),
        avoided: mind.avoided.into_iter().map(|body| body.0).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{BOTS, LASTING, MATCH, Rig, cut_ticks, lose_fields};
    use crate::limits::LOG_SPACING_MS;
    use crate::wire::close::CloseCode;

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
    /// B53
    #[test]
    fn facts_have_the_last_error_and_fault_what_was_lost_the_build_and_the_minds() {
        let mut rig = Rig::new(&BOTS);
        rig.join(1);
        rig.act(1, 1, "trouble", "{}");
        rig.act(1, 2, "go", r#"{"room":"No Such"}"#);
        rig.ticks(1);
        lose_fields(true);
        let before = serde_json::to_value(rig.facts()).expect("JSON");
        assert_eq!(before["last_error"], "travel to `No Such`: there is no such other room");
        assert_eq!(before["last_fault"]["handler"], "walker.act");
        assert_eq!(before["last_note"], "clamped walker.score in walker.act, written -1");
        assert_eq!((&before["asks"], &before["build"]), (&1.into(), &"b1".into()));
        rig.crash();
        let facts = serde_json::to_value(rig.facts()).expect("JSON");
        let lost =
            serde_json::json!({"count": 1, "fields": ["dropped walker.gold in walker.act, written 7"]});
        assert_eq!(facts["lost"], lost);
        let mind =
            serde_json::json!({"seat": 1, "driver": "bot", "goal": "win", "asks": [[3, 99]], "avoided": [4]});
        assert_eq!(facts["minds"], serde_json::json!([mind]));
        assert_eq!(facts["drivers"], serde_json::json!({"persons": 1, "bots": 1, "ais": 0}));
    }

    /// B20
    #[test]
    fn facts_tell_of_the_handlers_in_the_names_of_the_rules() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        cut_ticks(3);
        let facts = serde_json::to_value(rig.facts()).expect("JSON");
        for name in ["ticks", "handlers", "errors", "budgetStops", "maxTickUnits"] {
            assert_eq!(facts[name], 0, "{name}");
        }
        assert_eq!(facts["stage"], "idle");
        let shown = (&facts["ticksCut"], &facts["maxUnits"], &facts["worst"]);
        assert_eq!(shown, (&3.into(), &7.into(), &"walker.tick".into()));
    }

    /// B41
    #[test]
    fn ticks_that_are_cut_for_five_seconds_on_end_end_the_room_and_name_the_handler() {
        for game in [&MATCH, &LASTING] {
            let mut rig = Rig::new(game);
            rig.join(1);
            cut_ticks(99);
            rig.ticks(1);
            assert!(!rig.host.has_ended());
            cut_ticks(100);
            rig.ticks(1);
            let (_, code, reason) = rig.closed.last().expect("closed");
            let said = "cut short for long, most by walker.tick at tick 2";
            assert_eq!((*code, reason.as_str()), (CloseCode::Storage, said));
            assert!(rig.host.has_ended());
            cut_ticks(0);
        }
    }

    /// B41
    #[test]
    fn faults_and_notes_are_logged_at_most_once_a_second() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        assert_eq!(rig.host.poll_log(rig.now_ms), None);
        rig.act(1, 1, "trouble", "{}");
        rig.ticks(1);
        let line = "tick 1: 1 faults, 1 notes; walker.act in tick 1: oh; \
                    clamped walker.score in walker.act, written -1";
        assert_eq!(rig.host.poll_log(rig.now_ms).as_deref(), Some(line));
        rig.act(1, 2, "trouble", "{}");
        rig.ticks(1);
        rig.act(1, 3, "trouble", "{}");
        rig.ticks(1);
        assert_eq!(rig.host.poll_log(rig.now_ms), None, "it has just spoken");
        let line = rig.host.poll_log(rig.now_ms + LOG_SPACING_MS).expect("a line");
        assert!(line.starts_with("tick 3: 2 faults, 2 notes;"), "{line}");
        assert_eq!(rig.host.poll_log(rig.now_ms + 9 * LOG_SPACING_MS), None);
    }
}
