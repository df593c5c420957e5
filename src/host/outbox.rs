//! What leaves the room, and what it waits for.
//!
//! Each output names the commit it rests on (a number of the ledger; 0 rests on nothing) and becomes ready
//! when that one was taken. Numbers rise, so what waits leaves in order. Absent: which outputs rest on what;
//! `publish.rs` says so.

use std::collections::VecDeque;

use crate::host::{ConnectionId, Output};

#[derive(Debug, Default)]
pub(super) struct Outbox {
    ready: VecDeque<Output>,
    waiting: VecDeque<(u64, Output)>,
    /// The newest commit that was taken.
    covered: u64,
}

impl Outbox {
    pub(super) fn push(&mut self, gate: u64, output: Output) {
        if gate <= self.covered {
            self.ready.push_back(output);
        } else {
            self.waiting.push_back((gate, output));
        }
    }

    /// Commits up to `covered` were taken: what rests on them may leave.
    pub(super) fn release(&mut self, covered: u64) {
        self.covered = covered;
        while let Some((_, output)) = self.waiting.pop_front_if(|(gate, _)| *gate <= covered) {
            self.ready.push_back(output);
        }
    }

    /// The room ended: what waits rests on what never happened.
    pub(super) fn drop_waiting(&mut self) {
        self.waiting.clear();
    }

    /// The connection is gone: nothing waits for it any more.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.waiting.retain(|(_, output)| output.connection() != Some(connection));
        self.ready.retain(|output| output.connection() != Some(connection));
    }

    pub(super) fn pop(&mut self) -> Option<Output> {
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(to: u32) -> Output {
        Output::Send { to: ConnectionId(to), text: "x".into() }
    }

    fn drained(outbox: &mut Outbox) -> Vec<u32> {
        std::iter::from_fn(|| outbox.pop()).filter_map(|output| Some(output.connection()?.0)).collect()
    }

    /// B25
    #[test]
    fn outputs_leave_in_order_once_their_commit_was_taken() {
        let mut outbox = Outbox::default();
        for (gate, to) in [(0, 1), (1, 2), (2, 3), (2, 4)] {
            outbox.push(gate, send(to));
        }
        assert_eq!(drained(&mut outbox), [1]);
        outbox.release(1);
        assert_eq!(drained(&mut outbox), [2]);
        outbox.release(2);
        assert_eq!(drained(&mut outbox), [3, 4]);
    }

    #[test]
    fn what_waits_for_a_gone_connection_is_forgotten() {
        let mut outbox = Outbox::default();
        for (gate, to) in [(0, 1), (1, 1), (1, 2)] {
            outbox.push(gate, send(to));
        }
        outbox.forget(ConnectionId(1));
        outbox.release(1);
        assert_eq!(drained(&mut outbox), [2]);
    }
}
