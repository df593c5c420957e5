//! Fuel: what handlers may use. Every call of the context charges units; a handler over its limit is stopped, and when a
//! tick's are spent the handlers left over wait for the next tick.
//!
//! Units stand for work, not for time, so the same room stops at the same call on every target. A handler that loops
//! without calling the context uses none and is not stopped by this: the platform's limit on CPU is the net there.

use std::cell::Cell;
use std::panic::resume_unwind;

use crate::limits::{FUEL_PER_HANDLER, FUEL_PER_TICK};

/// Units of each kind of call. One unit is about what looking at one body takes.
pub mod cost {
    /// Any handler, before it does anything.
    pub const HANDLER: u32 = 5;
    /// Reading one thing: a body, a seat, the round.
    pub const LOOK: u32 = 1;
    /// Drawing a number.
    pub const RANDOM: u32 = 1;
    /// Changing a row or a pose.
    pub const CHANGE: u32 = 4;
    /// Making or removing a body.
    pub const BODY: u32 = 10;
    /// A try to find a clear spot.
    pub const TRY: u32 = 4;
    /// Bodies that a query finds, or a ray is held against, for one unit.
    pub const BODIES_PER_UNIT: usize = 1;
    /// Map shapes that a ray or a clear spot is held against for one unit.
    pub const SHAPES_PER_UNIT: usize = 2;
    /// Looking for what is near, before anything is found.
    pub const NEAR: u32 = 12;
    /// Bodies that are taken into the grid anew for one unit, where one came or moved since something was looked for.
    pub const BODIES_GRIDDED_PER_UNIT: usize = 2;
    /// Timers there are, each of which is passed where one is set or taken away, for one unit.
    pub const TIMERS_PER_UNIT: usize = 8;
    /// An effect, an area, a timer, a question, a record, a journey.
    pub const OUTPUT: u32 = 8;
}

/// What a stopped handler unwinds with. Private to the runtime: a game cannot make one.
pub struct OutOfFuel;

/// Units used in this handler and in this tick.
#[derive(Debug, Default)]
pub struct Fuel {
    handler: Cell<u32>,
    tick: Cell<u32>,
}

impl Fuel {
    /// A handler uses `units`. Unwinds when that is more than it has; `contain` catches it.
    pub fn charge(&self, units: u32) {
        let used = self.handler.get().saturating_add(units);
        self.handler.set(used);
        if used > FUEL_PER_HANDLER {
            resume_unwind(Box::new(OutOfFuel));
        }
    }

    pub fn begin_tick(&self) {
        self.tick.set(0);
    }

    pub fn begin_handler(&self) {
        self.handler.set(cost::HANDLER);
    }

    /// What the handler used, which the tick has used too.
    pub fn end_handler(&self) -> u32 {
        let used = self.handler.replace(0);
        self.tick.set(self.tick.get().saturating_add(used));
        used
    }

    #[must_use]
    pub fn tick_used(&self) -> u32 {
        self.tick.get()
    }

    /// Whether a stage that may use this share of a tick (in hundredths) is to start no further handler.
    #[must_use]
    pub fn is_spent(&self, share: u32) -> bool {
        self.tick.get() >= FUEL_PER_TICK / 100 * share
    }
}
