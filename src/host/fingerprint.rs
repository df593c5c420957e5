//! What tells two rooms apart as far as leases go, for the exhaustive model of `tests/sim`: it looks at each state once.
//!
//! Clocks, ticks, epochs and the numbers of calls are left out, for the model lets every timer fire at any time and tells
//! itself which calls are waited for. Compiled in by the feature `mutations` alone.

use std::fmt::Write as _;

use crate::host::holds::State;
use crate::host::{CallId, Host};
use crate::rules::face::Snapshot;

impl Host {
    /// Holds, spent numbers, seats and what they carry, and the shared state.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut out = String::new();
        for (account, hold) in self.holds.iter() {
            let state = match &hold.state {
                State::Held(seat) => format!("{:?}", self.sim.character(*seat).map(|held| held.fields)),
                State::Returning(copy) => format!("{:?}", copy.body.as_ref().map(|body| &body.f)),
            };
            let _ = write!(out, "{account} {:?} {} {state};", hold.stamp, hold.seat().is_some());
        }
        for (_, account, stamp) in self.holds.spent.iter() {
            let _ = write!(out, "{account} spent {stamp:?};");
        }
        let mut snapshot = Snapshot::default();
        self.sim.snapshot(&mut snapshot);
        let seats: Vec<bool> = self
            .seats
            .iter()
            .map(|(_, held)| matches!(held.holder, crate::host::seats::Holder::Here(_)))
            .collect();
        let _ = write!(out, "{seats:?} {} {:?}", self.connections.len(), snapshot.shared);
        out
    }

    /// The calls that are waited for.
    #[must_use]
    pub fn open_calls(&self) -> Vec<CallId> {
        self.holds.open_calls()
    }
}
