//! What the client sends after its hello: inputs for the tick they will arrive in, and pings. Absent: when
//! (`mod.rs`).

use serde_json::json;

use crate::client::{Client, Output};
use crate::limits::INTERPOLATION_MS;
use crate::wire::client_message::{ClientMessage, Declared, Ping};

impl Client {
    /// The tick to stamp on an input made now; none while there is no seat to send it for,
    /// or in an event-driven room, where nothing is held.
    pub(super) fn target_tick(&self, now_ms: f64) -> Option<u32> {
        let is_playing = self.link.is_up() && self.seat().is_some() && !self.is_event_driven();
        let room_ms = self.clock.room_ms(now_ms).filter(|_| is_playing)?;
        let arrives_ms = room_ms + self.clock.rtt_ms().unwrap_or_default() / 2.0;
        Some(self.inputs.target(self.snapshots.tick_at(arrives_ms)))
    }

    pub(super) fn send_inputs(&mut self, now_ms: f64) {
        let Some(target) = self.target_tick(now_ms) else { return };
        let Some(entries) = self.inputs.poll(target, now_ms) else { return };
        let rows: Vec<_> = entries
            .iter()
            .map(|entry| json!([entry.tick, self.inputs.controls_json(&entry.controls)]))
            .collect();
        let mut message = json!({ "t": "in", "e": self.epoch(), "s": rows });
        if let Some(tick) = self.held_tick {
            message["g"] = json!(tick);
        }
        self.meter.inputs.add(1, now_ms);
        self.send_text(message.to_string(), now_ms);
    }

    pub(super) fn ping(&mut self, now_ms: f64) {
        let c = self.clock.ping(now_ms);
        let g = self.held_tick.map(|tick| f64::from(tick.0));
        let iv = (!self.is_event_driven()).then_some(INTERPOLATION_MS);
        self.link.asked(now_ms);
        self.send(&ClientMessage::Ping(Ping { c, g, hid: self.is_hidden, iv }), now_ms);
    }

    pub(super) fn send(&mut self, message: &ClientMessage, now_ms: f64) {
        // Inputs are written from the welcome's own names, so no declared controls are needed here.
        self.send_text(message.to_json(&Declared::NONE), now_ms);
    }

    pub(super) fn send_text(&mut self, text: String, now_ms: f64) {
        self.meter.messages_out.add(1, now_ms);
        self.meter.bytes_out.add(text.len() as u64, now_ms);
        self.outputs.push_back(Output::Send { generation: self.link.generation(), text });
    }
}
