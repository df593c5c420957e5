//! What an operator sees of an object, whether or not its room is up.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::host::facts::object;
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
    /// Beside the others in what is sent.
    #[serde(skip)]
    pub room: RoomFacts,
}

/// Of the room itself, as far as they are known.
#[derive(Clone, Debug)]
pub enum RoomFacts {
    Up(Box<Facts>),
    Down(DownFacts),
}

/// Nothing of the room is in memory: the tick and epoch are those of its last commit.
#[derive(Clone, Debug, Serialize)]
pub struct DownFacts {
    pub room: String,
    pub game: String,
    pub tick: u32,
    pub epoch: u32,
    pub people: u32,
    pub rows_written: u32,
    pub faults: usize,
    pub alive: bool,
}

impl LifeFacts {
    /// As an operator is sent them.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        let mut facts = object(self);
        facts.extend(match &self.room {
            RoomFacts::Up(room) => room.to_json(),
            RoomFacts::Down(room) => object(room),
        });
        facts
    }
}

impl Life {
    #[must_use]
    pub fn facts(&self, now_ms: u64) -> LifeFacts {
        let rest = self.rest(now_ms);
        let (state, why) = match (&self.state, &rest) {
            (State::Refused(why), _) => ("refused", Some(why.clone())),
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
        RoomFacts::Down(DownFacts {
            room: name(|setup| &setup.room),
            game: name(|setup| &setup.game_name),
            tick: tick.0,
            epoch: epoch.0,
            people: 0,
            rows_written: 0,
            faults: failures,
            alive: false,
        })
    }
}
