//! One tick: step the rules, free the seats whose time is up, decide what is committed, and send what everyone sees.
//!
//! The order matters: what is decided to be committed gates what is sent. Absent: what a tick is worth (`rules`), how
//! commits and outputs wait for each other (`ledger.rs`, `outbox.rs`).

use crate::host::Host;
use crate::host::seats::Holder;
use crate::limits::{FAULT_MS_MAX, SILENT_MS};
use crate::rules::face::{Broken, Given, SeatInput};
use crate::rules::ids::Seat;
use crate::wire::close::{Close, CloseCode};

impl Host {
    /// A loop takes over the ticks: lateness is judged here and nowhere else (no timer is pending now).
    pub fn handle_take_over(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        self.schedule.take_over(now_ms);
    }

    /// Runs the tick that is due, if one is; a spurious call is harmless.
    pub fn handle_tick(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        if self.ended {
            return;
        }
        let Some(stamp_ms) = self.schedule.take(now_ms) else { return };
        let inputs = self.inputs();
        if let Err(broken) = self.sim.step(&inputs) {
            return self.suffer(&broken);
        }
        self.broken_since_ms = None;
        self.counters.tick_ms = Some(now_ms);
        let given = self.sim.drain();
        self.counters.take(&given, self.sim.tick());
        self.close_silent();
        self.free_overdue();
        self.want_commit(&given);
        self.publish_tick(&given, stamp_ms);
        self.pause_if_empty();
    }

    /// What each seat does in the next tick; away seats are neutral.
    fn inputs(&mut self) -> Vec<SeatInput> {
        let tick = self.sim.tick().plus(1);
        let mut inputs = Vec::new();
        for (seat, held) in self.seats.iter_mut() {
            let (input, used) = held.input.input_for(seat, tick, &self.schema.controls);
            self.counters.inputs_used += used;
            inputs.push(input);
        }
        inputs
    }

    /// The rules' simulation itself failed. A lasting world ends at once: what it has in memory is no state of it. A
    /// match room is given `FAULT_MS_MAX` to come round, sends nothing meanwhile, and is not saved.
    fn suffer(&mut self, broken: &Broken) {
        let tick = self.sim.tick().plus(1);
        self.counters.broke(broken, tick);
        let since_ms = *self.broken_since_ms.get_or_insert(self.now_ms);
        if self.is_persistent() || self.now_ms.saturating_sub(since_ms) >= FAULT_MS_MAX {
            self.end();
        }
    }

    /// Closes connections that say nothing, and players who do nothing.
    fn close_silent(&mut self) {
        let now_ms = self.now_ms;
        let idle_ms = u64::from(self.schema.room.idle_s) * 1_000;
        let is_idle = |since_ms: u64| idle_ms > 0 && now_ms.saturating_sub(since_ms) >= idle_ms;
        let mut silent = Vec::new();
        let mut idle = Vec::new();
        for (connection, known) in &self.connections {
            let held = known.seat.and_then(|seat| self.seats.held(seat));
            if now_ms.saturating_sub(known.heard_ms) >= SILENT_MS {
                silent.push(*connection);
            } else if held.is_some_and(|held| is_idle(held.active_ms))
                || known.hidden_since_ms.is_some_and(is_idle)
            {
                idle.push((*connection, known.seat));
            }
        }
        for connection in silent {
            self.drop_connection(connection, CloseCode::Silent, "nothing was heard from you");
        }
        for (connection, seat) in idle {
            if let Some(seat) = seat {
                self.free_seat(seat);
            }
            self.close(connection, Close::new(CloseCode::Idle, "your input has not changed for long"));
        }
    }

    /// Frees the seats whose grace has run out: all of them in one commit.
    fn free_overdue(&mut self) {
        for seat in self.seats.overdue(self.now_ms) {
            self.free_seat(seat);
        }
    }

    /// What of this tick makes a commit due. Each commit is a whole cut, whatever made it due.
    fn want_commit(&mut self, given: &Given) {
        let durable = self.is_persistent() && self.sim.durable_mark() != self.durable_mark;
        let round_over = given.round_changed && !self.sim.round().live;
        let hz = self.schema.room.hz;
        if durable || round_over || self.ledger.movement_is_due(self.now_ms, self.sim.tick(), hz) {
            self.ledger.want();
        }
    }

    /// Nobody's seat is held: ticks stop, and a commit says that memory holds nothing newer.
    pub(super) fn pause_if_empty(&mut self) {
        if self.seats.is_empty() && self.schedule.is_live() {
            self.schedule.pause();
            self.ledger.want_now();
            self.publish_roster();
        }
    }

    /// How many persons are connected to a seat.
    pub(super) fn people(&self) -> usize {
        let is_here = |holder| matches!(holder, Holder::Here(_));
        self.seats.iter().filter(|(_, held)| is_here(held.holder)).map(|(seat, _): (Seat, _)| seat).count()
    }
}
