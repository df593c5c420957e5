//! Actions between a connection and the rules: taken in, given to each step until answered, answered after the commit.
//!
//! The answer to an action leaves after the commit that has its effect, in match rooms too: what was answered has happened
//! for good, and what a crash undid was never answered. An action of another epoch is passed over without a word: its
//! connection is about to be welcomed to the new one, and gives it again. How exactly once comes about: `actions.rs`.

use crate::host::actions::{Answer, Reply};
use crate::host::seats::Holder;
use crate::host::{ConnectionId, Host, Output};
use crate::rules::face::{Done, Given, SeatAction};
use crate::rules::ids::{Epoch, Seat};
use crate::wire::server_message::ServerMessage;

impl Host {
    /// An action of a welcomed connection: its index and words, or why it is none.
    pub(super) fn take_action(
        &mut self,
        connection: ConnectionId,
        epoch: Epoch,
        number: u32,
        action: Result<(u16, Vec<i32>), String>,
    ) {
        if epoch != self.epoch {
            self.counters.actions_dropped += 1;
            return;
        }
        let tick = self.sim.tick();
        let seat = self.connections.get(&connection).and_then(|known| known.seat);
        let held = seat.and_then(|seat| Some((seat, self.seats.held_mut(seat)?)));
        let Some((seat, held)) = held else {
            let why = Some("who watches does nothing".to_owned());
            return self.say_did(connection, &Answer { number, tick, why });
        };
        self.arrivals += 1;
        match held.actions.offer(seat, number, action, self.arrivals) {
            Reply::Later => {
                held.active_ms = self.now_ms;
                self.step_of_event();
            }
            Reply::Known(answer) => self.say_did(connection, &answer),
            Reply::Refused(why) => {
                self.counters.actions_refused += 1;
                self.say_did(connection, &Answer { number, tick, why: Some(why) });
            }
        }
    }

    pub(super) fn has_actions_waiting(&self) -> bool {
        self.seats.iter().any(|(_, held)| held.actions.waiting().next().is_some())
    }

    /// All that wait, in the order they came in.
    pub(super) fn actions_to_do(&self) -> Vec<SeatAction> {
        let mut waiting: Vec<_> = self.seats.iter().flat_map(|(_, held)| held.actions.waiting()).collect();
        waiting.sort_unstable_by_key(|(arrival, _)| *arrival);
        waiting.into_iter().map(|(_, action)| action.clone()).collect()
    }

    /// Keeps what the rules answered, so that the commit that is due now has it: what is to be said after that.
    pub(super) fn keep_answers(&mut self, given: &Given) -> Vec<(Seat, Answer)> {
        let tick = self.sim.tick();
        let mut said = Vec::new();
        for Done { seat, number, result } in &given.done {
            let Some(held) = self.seats.held_mut(*seat) else { continue };
            let answers = held.actions.answer(*number, result.as_ref().err(), tick);
            said.extend(answers.into_iter().map(|answer| (*seat, answer)));
        }
        if !said.is_empty() {
            self.counters.actions_done += said.len() as u64;
            self.ledger.want_now();
        }
        said
    }

    pub(super) fn say_answers(&mut self, answers: &[(Seat, Answer)]) {
        for (seat, answer) in answers {
            if let Some(Holder::Here(connection)) = self.seats.held(*seat).map(|held| held.holder) {
                self.say_did(connection, answer);
            }
        }
    }

    /// Answers an action on the newest commit that anyone waits for. A connection whose welcome waits is told nothing: it
    /// asks again.
    fn say_did(&mut self, to: ConnectionId, answer: &Answer) {
        let Answer { number: n, tick, why } = answer.clone();
        let did = ServerMessage::Did { n, k: tick.0, ok: why.is_none(), why };
        if self.connections.get(&to).is_some_and(|known| known.gate <= self.welcomed()) {
            self.outbox.push(self.kept_gate(), Output::Send { to, text: did.to_json().into() });
        }
    }
}
