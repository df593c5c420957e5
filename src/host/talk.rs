//! What a welcomed connection says: inputs, pings, talk, leaving; and how a connection ends.
//!
//! Rates are checked before anything is read. What breaks the protocol closes its own connection and nothing else.

use crate::host::inputs::Receipt;
use crate::host::{ConnectionId, Host};
use crate::limits::{MESSAGES_OVER_MAX, SAY_CHARS_MAX};
use crate::wire::client_message::{ClientMessage, InputMessage, Ping};
use crate::wire::close::{Close, CloseCode};
use crate::wire::names::clean_text;
use crate::wire::server_message::{Pong, ServerMessage};

impl Host {
    /// A text message of a connection that has said hello. One that the room has closed is not listened to.
    pub fn handle_message(&mut self, connection: ConnectionId, text: &str, now_ms: u64) {
        self.now_ms = now_ms;
        let Some(known) = self.connections.get_mut(&connection) else { return };
        self.counters.messages_in += 1;
        if !known.admit(now_ms) {
            self.counters.messages_over += 1;
            if known.over > MESSAGES_OVER_MAX {
                self.drop_connection(connection, CloseCode::Rate, "too many messages");
            }
            return;
        }
        match ClientMessage::parse(text, &self.schema.controls) {
            Ok(message) => self.handle_parsed(connection, message),
            Err(error) => self.drop_connection(connection, CloseCode::Message, &error.to_string()),
        }
    }

    fn handle_parsed(&mut self, connection: ConnectionId, message: ClientMessage) {
        if let Some(seat) = self.connections.get(&connection).and_then(|known| known.seat) {
            // It speaks, so its welcome has arrived, and with it the newest token.
            self.seats.confirm(seat);
        }
        match message {
            ClientMessage::Hello(_) => {
                self.drop_connection(connection, CloseCode::Message, "a second hello");
            }
            ClientMessage::Input(message) => self.take_inputs(connection, &message),
            ClientMessage::Ping(ping) => self.answer_ping(connection, ping),
            ClientMessage::Say(text) => self.relay(connection, &text),
            ClientMessage::Do { number, .. } => {
                let (k, why) = (self.sim.tick().0, Some("unknown action".to_owned()));
                self.send(connection, &ServerMessage::Did { n: number, k, ok: false, why });
            }
            ClientMessage::Leave => self.leave(connection),
        }
    }

    fn take_inputs(&mut self, connection: ConnectionId, message: &InputMessage) {
        let entries = message.entries.len() as u64;
        let just_run = self.sim.tick();
        let Some(known) = self.connections.get_mut(&connection) else { return };
        if message.held_tick.is_some() {
            known.held_tick = message.held_tick;
        }
        let held = known.seat.filter(|_| message.epoch == self.epoch);
        let Some(held) = held.and_then(|seat| self.seats.held_mut(seat)) else {
            // A spectator's, or of an epoch that a restart undid.
            self.counters.inputs_dropped += entries;
            return;
        };
        for entry in &message.entries {
            let (receipt, changed) = held.input.take(entry, just_run);
            match receipt {
                Receipt::OnTime => {}
                Receipt::Late => self.counters.inputs_late += 1,
                Receipt::Dropped => self.counters.inputs_dropped += 1,
            }
            if changed {
                held.active_ms = self.now_ms;
            }
        }
    }

    fn answer_ping(&mut self, connection: ConnectionId, ping: Ping) {
        let Some(known) = self.connections.get_mut(&connection) else { return };
        known.hidden_since_ms = ping.hid.then(|| known.hidden_since_ms.unwrap_or(self.now_ms));
        let pong = Pong { c: ping.c, st: self.now_ms, k: self.sim.tick().0 };
        self.send(connection, &ServerMessage::Pong(pong));
    }

    /// Talk goes to everyone, cleaned, at a rate of its own; spectators have no voice.
    fn relay(&mut self, connection: ConnectionId, text: &str) {
        let now_ms = self.now_ms;
        let Some(known) = self.connections.get_mut(&connection) else { return };
        let Some(seat) = known.seat else { return };
        let text = clean_text(text, SAY_CHARS_MAX);
        if text.is_empty() {
            return;
        }
        if known.says.take(now_ms) {
            self.send_all(ServerMessage::Say { seat: seat.0, text }.to_json());
        } else {
            self.counters.messages_over += 1;
        }
    }

    /// The player goes for good: the seat is free at once. The close is the client's own, so it says 4000.
    fn leave(&mut self, connection: ConnectionId) {
        if let Some(seat) = self.connections.get(&connection).and_then(|known| known.seat) {
            self.free_seat(seat);
        }
        self.close(connection, Close::new(CloseCode::Lost, "left"));
        self.pause_if_empty();
    }

    /// The socket is gone (closed or failed; the first word counts).
    pub fn handle_close(&mut self, connection: ConnectionId, now_ms: u64) {
        self.now_ms = now_ms;
        self.outbox.forget(connection);
        if self.connections.contains_key(&connection) {
            self.lose_seat(connection);
            self.connections.remove(&connection);
            self.counters.close(CloseCode::Lost);
        }
    }
}
