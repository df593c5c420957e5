//! Where bodies were: the positions of kinds with `rewind`, tick by tick, for the last `HISTORY_MS`.
//!
//! A seat acts on what it saw, which is some ticks old; a hit test asks where its target was then. Part of the save, so
//! that a restored room hits what the lost one would have hit. Absent: how far back a seat may reach; the host measures
//! that by its own stamps.

use crate::limits::HISTORY_MS;
use crate::rules::ids::{BodyId, Tick};

/// A body at the end of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    pub id: BodyId,
    pub at: [i32; 3],
    pub heading: u16,
}

/// The bodies of one tick, by rising id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    pub tick: Tick,
    pub bodies: Vec<Past>,
}

/// A ring of ticks: tick t lies in slot t modulo their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    pub slots: Vec<Option<Moment>>,
}

impl History {
    /// For a room of this rate.
    #[must_use]
    pub fn new(hz: u32) -> History {
        let slots = (hz.saturating_mul(HISTORY_MS) / 1_000).max(1) as usize;
        History { slots: vec![None; slots] }
    }

    #[must_use]
    pub fn slot(&self, tick: Tick) -> usize {
        tick.0 as usize % self.slots.len().max(1)
    }

    /// Remembers the bodies at the end of a tick; the oldest tick is forgotten.
    pub fn remember(&mut self, tick: Tick, bodies: impl Iterator<Item = Past>) {
        let slot = self.slot(tick);
        let Some(place) = self.slots.get_mut(slot) else { return };
        let mut moment = place.take().unwrap_or_default();
        moment.tick = tick;
        moment.bodies.clear();
        moment.bodies.extend(bodies);
        *place = Some(moment);
    }

    /// Where a body was at the end of a tick; none when that is too long ago, or it was not there.
    #[must_use]
    pub fn at(&self, tick: Tick, id: BodyId) -> Option<Past> {
        let bodies = self.bodies(tick)?;
        let place = bodies.binary_search_by_key(&id, |past| past.id).ok()?;
        Some(bodies[place])
    }

    #[must_use]
    pub fn bodies(&self, tick: Tick) -> Option<&[Past]> {
        let moment = self.slots.get(self.slot(tick))?.as_ref()?;
        (moment.tick == tick).then_some(&moment.bodies[..])
    }

    pub fn clear(&mut self) {
        self.slots.fill(None);
    }
}
