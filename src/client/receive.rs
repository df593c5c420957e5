//! What the client does with each message of the room. Nothing a room says, however hostile, ends in a panic.
//!
//! A message that cannot be read, is of a type this build does not know, or comes before a welcome is counted
//! and ignored; a welcome that cannot be used ends the connection. Absent: sending, time-outs.

use crate::client::snapshots::Taken;
use crate::client::{Client, LinkState, Notice, Output, Shared};
use crate::limits::{
    ACTIONS_MAX, CONTROLS_MAX, FIELDS_MAX, KINDS_MAX, MAP_HALF_METRES_MAX, SERVER_MESSAGE_BYTES_MAX,
    SHAPES_MAX,
};
use crate::rules::ids::Tick;
use crate::wire::PROTOCOL_VERSION;
use crate::wire::server_message::{AreaInfo, FxRow, Pong, ServerMessage, Welcome};
use crate::wire::snap::Snap;

/// Ticks a second that a welcome may name.
const HZ_MAX: u32 = 1_000;
/// Milliseconds between ticks assumed where a game has none.
const PERIOD_MS: f64 = 50.0;

impl Client {
    /// A text message came on the socket of this generation.
    pub fn handle_text(&mut self, generation: u32, text: &str, now_ms: f64) {
        if !self.link.is_live(generation) {
            return;
        }
        self.link.heard(now_ms);
        self.meter.bytes_in.add(text.len() as u64, now_ms);
        let message = (text.len() <= SERVER_MESSAGE_BYTES_MAX)
            .then(|| serde_json::from_str::<ServerMessage>(text).ok());
        match message.flatten() {
            Some(message) if self.is_expected(&message) => self.receive(message, text.len(), now_ms),
            _ => self.meter.unread_messages += 1,
        }
    }

    fn is_expected(&self, message: &ServerMessage) -> bool {
        match message {
            ServerMessage::Bye { .. } => true,
            ServerMessage::Welcome(_) => {
                matches!(self.link.state, LinkState::Joining | LinkState::Online)
            }
            _ => self.link.is_up(),
        }
    }

    fn receive(&mut self, message: ServerMessage, bytes: usize, now_ms: f64) {
        match message {
            ServerMessage::Welcome(welcome) => self.take_welcome(welcome, now_ms),
            ServerMessage::Snap(snap) => self.take_snap(&snap, bytes, now_ms),
            ServerMessage::Pong(Pong { c, st, .. }) => self.clock.pong(c, st as f64, now_ms),
            ServerMessage::Roster { roster, .. } => {
                if let Some(welcome) = &mut self.welcome {
                    welcome.roster = roster;
                    self.room_version = self.room_version.wrapping_add(1);
                }
            }
            ServerMessage::Round { round, .. } => {
                self.snapshots.round = round;
                self.room_version = self.room_version.wrapping_add(1);
            }
            ServerMessage::Shared { shared, .. } => self.set_shared(shared),
            ServerMessage::Fx { k, fx } => {
                let due_ms = if self.is_event_driven() { now_ms } else { self.snapshots.stamp_of(k) };
                for FxRow(name, x, y, z) in fx {
                    self.effects.add(&name, [x, y, z.unwrap_or(0.0)], due_ms);
                }
            }
            ServerMessage::Say { seat, text } => self.outputs.push_back(Output::Say { seat, text }),
            ServerMessage::Areas { a, .. } => self.set_areas(a),
            ServerMessage::Did { n, k, ok, why } => {
                self.take_answer(n, k, if ok { Ok(()) } else { Err(why.unwrap_or_default()) });
            }
            ServerMessage::Bye { code, reason } => self.link.said(code, reason),
        }
    }

    fn take_welcome(&mut self, welcome: Box<Welcome>, now_ms: f64) {
        if !is_usable(&welcome) {
            self.meter.unread_messages += 1;
            return self.hang_up("welcome", now_ms);
        }
        let was_up = self.link.is_up();
        let is_return = self.link.welcomed(now_ms);
        let is_back = welcome.you.as_ref().is_some_and(|you| you.back);
        let had_seat = self.seat().is_some();
        if is_return && is_back {
            self.outputs.push_back(Output::Notice(Notice::Back));
        } else if is_return && had_seat && welcome.you.is_some() {
            self.outputs.push_back(Output::Notice(Notice::NewSeat));
        }
        if was_up && welcome.e > self.snapshots.epoch {
            self.outputs.push_back(Output::Notice(Notice::Restored));
        }
        self.meet_build(&welcome);
        if let Some(you) = &welcome.you {
            self.hello.token = Some(you.token.clone());
            self.outputs.push_back(Output::StoreToken(you.token.clone()));
        }
        let stamp_ms = welcome.st as f64;
        let period_ms = welcome.hz.map_or(PERIOD_MS, |hz| 1_000.0 / f64::from(hz));
        self.clock.restart(stamp_ms, now_ms);
        let base = (welcome.k, stamp_ms, period_ms);
        self.snapshots.restart(welcome.e, base, &welcome.kinds, &welcome.round);
        self.effects.restart(welcome.fx.iter().map(|effect| effect.name.clone()));
        self.inputs.declare(&welcome.inputs);
        self.inputs.rebase();
        self.held_tick = None;
        self.set_shared(welcome.shared.clone());
        self.set_areas(welcome.areas.clone());
        self.link.set_quiet(welcome.hz.is_none());
        self.welcome = Some(welcome);
        self.welcome_version = self.welcome_version.wrapping_add(1);
        self.room_version = self.room_version.wrapping_add(1);
        self.repeat_actions(now_ms);
        self.handle_timeout(now_ms);
    }

    fn set_areas(&mut self, areas: Vec<AreaInfo>) {
        self.areas = areas;
        self.room_version = self.room_version.wrapping_add(1);
    }

    fn set_shared(&mut self, shared: Shared) {
        self.shared = shared;
        self.room_version = self.room_version.wrapping_add(1);
    }

    /// The page runs the build that the hello names, or the one that was live when it was first welcomed; a
    /// newer one is spoken of once.
    fn meet_build(&mut self, welcome: &Welcome) {
        let own = self.live_build.get_or_insert_with(|| welcome.build.clone());
        if welcome.build.at > own.at && !self.is_spoken_of {
            self.is_spoken_of = true;
            self.outputs.push_back(Output::Notice(Notice::NewBuild));
        }
    }

    fn take_snap(&mut self, snap: &Snap, bytes: usize, now_ms: f64) {
        // Also one that is rejected below: `g` says what came, so that the room does not wait for it.
        self.held_tick = Some(Tick(snap.k));
        self.meter.snap(bytes, now_ms);
        self.meter.heartbeats += u32::from(snap.hb == Some(1));
        let (round, live) = (self.snapshots.round.n, self.snapshots.round.live);
        match self.snapshots.take(snap) {
            Taken::Rejected => {
                self.meter.rejected_snaps += 1;
                return;
            }
            Taken::NewEpoch => {
                self.inputs.rebase();
                self.effects.clear();
                self.set_shared(Shared::new());
                self.set_areas(Vec::new());
            }
            Taken::Held => {}
        }
        self.clock.heard(snap.st as f64, now_ms);
        if (round, live) != (self.snapshots.round.n, self.snapshots.round.live) {
            self.room_version = self.room_version.wrapping_add(1);
        }
        let own = self.seat();
        if let Some((_, rebase, ack, lead)) = snap.c.iter().copied().find(|row| Some(row.0) == own) {
            self.inputs.row(snap.k, rebase, ack, lead);
        }
    }
}

/// Whether what a welcome declares is within limits, so that the rest of the client may rest on it.
fn is_usable(welcome: &Welcome) -> bool {
    let half = f64::from(MAP_HALF_METRES_MAX);
    welcome.v == PROTOCOL_VERSION
        && welcome.hz.is_none_or(|hz| (1..=HZ_MAX).contains(&hz))
        && welcome.kinds.len() <= KINDS_MAX
        && welcome.kinds.iter().all(|kind| kind.fields.len() <= FIELDS_MAX)
        && welcome.shared_kinds.len() <= KINDS_MAX
        && welcome.inputs.len() <= CONTROLS_MAX
        && welcome.actions.len() <= ACTIONS_MAX
        && welcome.map.shapes.len() <= SHAPES_MAX
        && (2..=3).contains(&welcome.map.size.len())
        && welcome.map.size.iter().all(|side| *side > 0.0 && *side <= 2.0 * half)
}
