//! What an operator sees of an object, whether or not its room is up.

use serde::Serialize;

use crate::host::life::{Life, State};
use crate::host::{Facts, Setup};

/// The facts of an object, whether or not its room is up.
#[derive(Clone, Debug, Serialize)]
pub struct LifeFacts {
    /// `live`, `absent`, `parked`, `away` (storage refuses), `refused` (this build cannot open the save) or `unread`.
    pub state: &'static str,
    /// Why it is not live.
    pub why: Option<String>,
    /// Until when it is left alone, in milliseconds since 1970.
    pub until: Option<u64>,
    /// Incarnations that failed within the last minute, and parkings on end.
    pub failures: usize,
    pub parkings: u32,
    /// A loop of ticks is running.
    pub ticking: bool,
    /// Milliseconds from the first event to the first frame of this object, by a clock that in production stands still
    /// while code runs; none before there was one.
    pub cold_ms: Option<u64>,
    #[serde(flatten)]
    pub room: RoomFacts,
}

/// Of the room itself, as far as they are known.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum RoomFacts {
    Up(Box<Facts>),
    /// Nothing of it is in memory: the tick and epoch are those of its last commit.
    Down {
        room: String,
        game: String,
        tick: u32,
        epoch: u32,
        people: u32,
        rows_written: u32,
        faults: usize,
        alive: bool,
    },
}

impl Life {
    #[must_use]
    pub fn facts(&self, now_ms: u64) -> LifeFacts {
        let rest = self.rest(now_ms);
        let (state, why) = match (&self.state, &rest) {
            (State::Refused(why, _), _) => ("refused", Some(why.clone())),
            (_, Some(rest)) => (if rest.away { "away" } else { "parked" }, Some(rest.why.clone())),
            (State::Live(_), None) => ("live", None),
            (State::Absent, None) => ("absent", None),
            (State::Unread, None) => ("unread", None),
        };
        let (failures, parkings) = self.parking.borrow().counts();
        LifeFacts {
            state,
            why,
            until: rest.map(|rest| rest.until_ms),
            failures,
            parkings,
            ticking: self.pulse.is_running(),
            cold_ms: self.first_frame_ms.map(|at| at.saturating_sub(self.began_ms)),
            room: self.room_facts(failures, now_ms),
        }
    }

    fn room_facts(&self, failures: usize, now_ms: u64) -> RoomFacts {
        if let Some(host) = self.host() {
            return RoomFacts::Up(Box::new(host.facts(now_ms)));
        }
        let name = |of: fn(&Setup) -> &String| self.setup.as_ref().map(of).cloned().unwrap_or_default();
        let (epoch, tick) = self.stored_at;
        RoomFacts::Down {
            room: name(|setup| &setup.room),
            game: name(|setup| &setup.game_name),
            tick: tick.0,
            epoch: epoch.0,
            people: 0,
            rows_written: 0,
            faults: failures,
            alive: false,
        }
    }
}
