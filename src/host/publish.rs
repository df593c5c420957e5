//! Messages on their way out: welcomes, frames of a tick, closes, and which commit each rests on.
//!
//! In a persistent room, and in one that runs by events, everything rests on the newest commit that is wanted. In a match
//! room only a welcome, the answer to an action and a farewell do; the frames of ticks go out at once. A connection whose
//! welcome waits is sent nothing else; in a room that runs by events it is, after its welcome, for no tick would follow.

use std::rc::Rc;

use serde_json::{Map, Value};

use crate::host::seat_record::Attachment;
use crate::host::seats::Held;
use crate::host::timings::Part;
use crate::host::{ConnectionId, Host, Output};
use crate::mutation::{self, Mutation};
use crate::rules::face::{Given, Snapshot};
use crate::rules::ids::Seat;
use crate::wire::close::{Close, CloseCode};
use crate::wire::describe::has_height;
use crate::wire::server_message::{AreaInfo, FxRow, RoundInfo, ServerMessage, Welcome, You};
use crate::wire::shared::shared_state;
use crate::wire::snap::{ControlRow, SnapHead, SnapText};
use crate::wire::{PROTOCOL_REVISION, PROTOCOL_VERSION};

impl Host {
    /// The commit that what must not be undone after it was said rests on: welcomes, answers, farewells.
    pub(super) fn kept_gate(&self) -> u64 {
        if self.commits_first() { self.ledger.wanted() } else { self.ledger.urgent() }
    }

    /// The commit that anything else sent now rests on.
    pub(super) fn gate(&self) -> u64 {
        let waits = self.commits_first() && !mutation::is(Mutation::PublishBeforeCommit);
        if waits && !self.has_ended() { self.ledger.wanted() } else { 0 }
    }

    /// Welcomes a known connection to its place. `back`: it is the seat its token named.
    pub(super) fn welcome(&mut self, connection: ConnectionId, back: bool) {
        let Some(known) = self.connections.get(&connection) else { return };
        let (gate, place) = (known.gate, known.seat);
        let held = place.and_then(|seat| Some((seat, self.seats.held(seat)?)));
        let seat = held.map(|(seat, held)| (seat, held.occupancy));
        let you = held.map(|(seat, held)| You {
            seat: seat.0,
            occ: held.occupancy.0,
            token: held.token(),
            back,
            n: held.actions.newest(),
        });
        let attachment = Attachment { seat }.to_bytes();
        let text = ServerMessage::Welcome(Box::new(self.welcome_message(you))).to_json().into();
        self.outbox.push(gate, Output::Attach { connection, attachment });
        self.outbox.push(gate, Output::Send { to: connection, text });
        if self.is_event_driven() {
            // No tick would show it what there is.
            let stamp_ms = self.schedule.stamp(self.now_ms);
            let text = self.snapshot_text(stamp_ms);
            self.outbox.push(gate, Output::Send { to: connection, text: seen_by(&text, place).into() });
        }
    }

    fn welcome_message(&self, you: Option<You>) -> Welcome {
        let mut snapshot = Snapshot::default();
        self.sim.snapshot(&mut snapshot);
        Welcome {
            v: PROTOCOL_VERSION,
            rev: PROTOCOL_REVISION,
            schema: self.info_hash.clone(),
            room: self.setup.room.clone(),
            game: self.setup.game_name.clone(),
            hz: self.info.hz,
            e: self.epoch.0,
            k: self.sim.tick().0,
            st: self.now_ms,
            you,
            build: self.setup.build.clone(),
            inputs: self.info.inputs.clone(),
            actions: self.info.actions.clone(),
            kinds: self.info.kinds.clone(),
            shared_kinds: self.info.shared_kinds.clone(),
            map: self.info.map.clone(),
            camera: self.info.camera,
            areas: snapshot.areas.iter().map(AreaInfo::of).collect(),
            fx: self.info.effects.clone(),
            roster: self.seats.roster(),
            round: self.round_info(),
            shared: shared_state(&self.schema, &snapshot.shared),
        }
    }

    pub(super) fn round_info(&self) -> RoundInfo {
        let round = self.sim.round();
        let standing = if round.live { Vec::new() } else { self.sim.standing() };
        RoundInfo {
            n: round.number,
            live: u8::from(round.live),
            ends_at: round.ends_at.map(|tick| tick.0),
            results: standing.iter().map(|row| (row.seat.0, row.score, row.place)).collect(),
        }
    }

    /// Sends what the tick just run made: snapshot, effects, areas, round, roster.
    pub(super) fn publish_tick(&mut self, given: &Given, stamp_ms: u64) {
        let tick = self.sim.tick();
        let text = self.snapshot_text(stamp_ms);
        let began = self.timings.start();
        self.send_snapshot(&text);
        self.sent.sent(tick, self.now_ms);
        if !given.effects.is_empty() {
            let has_height = has_height(&self.schema.room.map);
            let fx = given.effects.iter().map(|effect| FxRow::of(effect, has_height)).collect();
            self.send_all(ServerMessage::Fx { k: tick.0, fx }.to_json());
        }
        if given.areas_changed {
            let a = self.snapshot.areas.iter().map(AreaInfo::of).collect();
            self.send_all(ServerMessage::Areas { k: tick.0, a }.to_json());
        }
        if given.round_changed || given.restarted {
            self.send_all(ServerMessage::Round { k: tick.0, round: self.round_info() }.to_json());
        }
        self.publish_shared();
        self.publish_roster();
        self.timings.stop(Part::Frames, began);
    }

    /// The snapshot of the tick last run.
    fn snapshot_text(&mut self, stamp_ms: u64) -> SnapText {
        let tick = self.sim.tick();
        let began = self.timings.start();
        self.sim.snapshot(&mut self.snapshot);
        self.timings.stop(Part::Snapshot, began);
        let began = self.timings.start();
        let row = |(seat, held): (Seat, &Held)| ControlRow {
            seat,
            rebase: held.rebase,
            ack: held.input.ack(),
            lead: held.input.lead(tick),
        };
        let control: Vec<ControlRow> = self.seats.iter().map(row).collect();
        let round = self.sim.round();
        let head = SnapHead { epoch: self.epoch, tick, stamp_ms, round, control: &control };
        let text = SnapText::write(&head, &self.schema, &self.snapshot);
        self.timings.stop(Part::Encode, began);
        text
    }

    /// To everyone, and to each seat what it alone may see: one text for all who see the same (B44).
    fn send_snapshot(&mut self, text: &SnapText) {
        let everyone: Rc<str> = text.everyone().into();
        let (gate, welcomed) = (self.gate(), self.welcomed());
        for (to, known) in self.connections.iter().filter(|(_, known)| known.gate <= welcomed) {
            let own = known.seat.and_then(|seat| text.own(seat));
            let text = own.map_or_else(|| Rc::clone(&everyone), Rc::from);
            self.outbox.push(gate, Output::Send { to: *to, text });
        }
    }

    /// Who is let in with a commit up to this one may be sent what is sent now.
    pub(super) fn welcomed(&self) -> u64 {
        // By events: what waits leaves in order, so it follows the welcome.
        let follows = if self.is_event_driven() { self.gate() } else { 0 };
        self.ledger.covered().max(follows)
    }

    /// What the shared kinds show now, which may be more than the newest tick did.
    pub(super) fn shared_now(&self) -> Map<String, Value> {
        if !self.schema.kinds.iter().any(|kind| kind.shared) {
            return Map::new();
        }
        let mut snapshot = Snapshot::default();
        self.sim.snapshot(&mut snapshot);
        shared_state(&self.schema, &snapshot.shared)
    }

    /// Tells everyone of the shared state in the newest snapshot, if what it shows has changed.
    pub(super) fn publish_shared(&mut self) {
        if self.snapshot.shared == self.shared_words {
            return;
        }
        self.shared_words.clone_from(&self.snapshot.shared);
        let shared = shared_state(&self.schema, &self.shared_words);
        if self.shared != shared {
            self.shared.clone_from(&shared);
            self.send_all(ServerMessage::Shared { k: self.sim.tick().0, shared }.to_json());
        }
    }

    /// Tells everyone who is here, if that changed.
    pub(super) fn publish_roster(&mut self) {
        if self.seats.take_roster_changed() {
            let roster = self.seats.roster();
            self.send_all(ServerMessage::Roster { k: self.sim.tick().0, roster }.to_json());
        }
    }

    /// Sends one text to everyone welcomed.
    pub(super) fn send_all(&mut self, text: String) {
        let text: Rc<str> = text.into();
        let (gate, welcomed) = (self.gate(), self.welcomed());
        for (to, _) in self.connections.iter().filter(|(_, known)| known.gate <= welcomed) {
            self.outbox.push(gate, Output::Send { to: *to, text: Rc::clone(&text) });
        }
    }

    /// Sends a message to one connection, if it was welcomed.
    pub(super) fn send(&mut self, to: ConnectionId, message: &ServerMessage) {
        if self.connections.get(&to).is_some_and(|known| known.gate <= self.welcomed()) {
            self.outbox.push(self.gate(), Output::Send { to, text: message.to_json().into() });
        }
    }

    /// Closes a known connection and forgets it. Its seat is the caller's to lose or to free.
    pub(super) fn close(&mut self, connection: ConnectionId, close: Close) {
        if self.connections.remove(&connection).is_some() {
            self.refuse(connection, close);
        }
    }

    /// Closes a connection that has no place here.
    pub(super) fn refuse(&mut self, connection: ConnectionId, close: Close) {
        self.counters.close(close.code);
        if self.gate() == 0 {
            // Its welcome may wait still; after this it would come too late.
            self.outbox.forget(connection);
        }
        self.outbox.push(self.gate(), Output::Close { connection, close });
    }

    /// Closes a known connection for good once what it was told is committed; what waits for it leaves before.
    pub(super) fn part_with(&mut self, connection: ConnectionId, close: Close) {
        if let Some(known) = self.connections.remove(&connection) {
            if known.gate > self.welcomed() {
                // To a seat that it has no more.
                self.outbox.forget(connection);
            }
            self.counters.close(close.code);
            self.outbox.push(self.kept_gate(), Output::Close { connection, close });
        }
    }

    /// Closes a connection for a fault or a silence of its own: its seat is kept for its grace.
    pub(super) fn drop_connection(&mut self, connection: ConnectionId, code: CloseCode, reason: &str) {
        self.lose_seat(connection);
        self.close(connection, Close::new(code, reason));
    }

    /// The seat of a connection, if it has one, is away from now.
    pub(super) fn lose_seat(&mut self, connection: ConnectionId) {
        if let Some(seat) = self.connections.get(&connection).and_then(|known| known.seat) {
            let until_ms = self.now_ms + u64::from(self.schema.room.grace_s) * 1_000;
            self.seats.lose(seat, until_ms);
        }
    }
}

/// What is shown to who sits there, or to who watches.
fn seen_by(text: &SnapText, seat: Option<Seat>) -> String {
    seat.and_then(|seat| text.own(seat)).unwrap_or_else(|| text.everyone().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{CHARACTERS, Rig, hello};
    use crate::wire::client_message::Hello;

    fn land(bangs: u32) -> Map<String, Value> {
        [("land".to_owned(), serde_json::json!({ "bangs": bangs }))].into_iter().collect()
    }

    #[test]
    fn shared_state_is_in_the_welcome_and_sent_when_what_it_shows_changes() {
        let mut rig = Rig::new(&CHARACTERS);
        let welcome = rig.enter(1, "ada");
        let kinds: Vec<&str> = welcome.kinds.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!((welcome.shared, kinds), (land(0), vec!["walker"]));
        rig.ticks(3);
        rig.input(1, r#"{"fire":true}"#);
        rig.ticks(3);
        assert!(rig.snaps(1).iter().all(|snap| snap.d.1[0].kind == "walker"));
        let shared = |message: &ServerMessage| match message {
            ServerMessage::Shared { k, shared } => Some((*k, shared.clone())),
            _ => None,
        };
        assert_eq!(rig.to(1).filter_map(shared).collect::<Vec<_>>(), [(4, land(1))]);
        rig.hello(2, &Hello { watch: true, ..hello() });
        assert_eq!(rig.welcome(2).shared, land(1));
        rig.crash();
        rig.hello(3, &Hello { watch: true, ..hello() });
        rig.ticks(2);
        assert_eq!((rig.welcome(3).shared, rig.to(3).filter_map(shared).count()), (land(1), 0));
    }
}
