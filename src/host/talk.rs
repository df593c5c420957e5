//! What a welcomed connection says: inputs, pings, talk, leaving; and how a connection ends.
//!
//! Rates are checked before anything is read. What breaks the protocol closes its own connection and nothing
//! else.

use crate::host::inputs::Receipt;
use crate::host::{ConnectionId, Host};
use crate::limits::{MESSAGES_OVER_MAX, SAY_CHARS_MAX};
use crate::rules::ids::Tick;
use crate::wire::client_message::{ClientMessage, Declared, InputEntry, InputMessage, Ping};
use crate::wire::close::{Close, CloseCode};
use crate::wire::names::clean_text;
use crate::wire::server_message::{Pong, ServerMessage};

impl Host {
    /// A text message of a connection that has said hello. One that the room has closed is not listened to.
    pub fn handle_message(&mut self, connection: ConnectionId, text: &str, now_ms: u64) {
        self.now_ms = now_ms;
        self.pass_time();
        self.do_due_before();
        self.hear(connection, text);
        self.finish_event();
    }

    fn hear(&mut self, connection: ConnectionId, text: &str) {
        let now_ms = self.now_ms;
        let Some(known) = self.connections.get_mut(&connection) else { return };
        self.counters.messages_in += 1;
        self.costs.message_in(now_ms);
        if !known.admit(now_ms) {
            self.counters.messages_over += 1;
            if known.over > MESSAGES_OVER_MAX {
                self.drop_connection(connection, CloseCode::Rate, "too many messages");
            }
            return;
        }
        match ClientMessage::parse(text, &Declared::by(&self.schema)) {
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
            ClientMessage::Do { epoch, number, action } => {
                self.take_action(connection, epoch, number, action);
            }
            ClientMessage::Leave => self.leave(connection),
        }
    }

    fn take_inputs(&mut self, connection: ConnectionId, message: &InputMessage) {
        let entries = message.entries.len() as u64;
        let just_run = self.sim.tick();
        let Some(known) = self.connections.get(&connection) else { return };
        let held = known.seat.filter(|_| message.epoch == self.epoch);
        let Some(held) = held.and_then(|seat| self.seats.held_mut(seat)) else {
            // A spectator's, or of an epoch that a restart undid.
            self.counters.inputs_dropped += entries;
            return;
        };
        if let Some(trip_ms) = message.held_tick.and_then(|tick| self.sent.age_ms(tick, self.now_ms)) {
            held.sight.heard(trip_ms, self.now_ms);
        }
        let is_rebased = message.rebase == Some(held.rebase);
        for entry in &message.entries {
            // A claim that rests on where the body was before it was put elsewhere.
            let claim = entry.claim.filter(|_| is_rebased);
            self.counters.claims_dropped += u64::from(claim != entry.claim);
            let (receipt, changed) = held.input.take(&InputEntry { claim, ..*entry }, just_run);
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

    /// Answered without a commit, for nothing changes that anyone is shown.
    fn answer_ping(&mut self, connection: ConnectionId, ping: Ping) {
        let Some(known) = self.connections.get_mut(&connection) else { return };
        known.hidden_since_ms = ping.hid.then(|| known.hidden_since_ms.unwrap_or(self.now_ms));
        if let Some(held) = known.seat.and_then(|seat| self.seats.held_mut(seat)) {
            // One that is no tick was never sent: `as` saturates.
            let tick = ping.g.filter(|g| g.fract() == 0.0).map(|g| Tick(g as u32));
            if let Some(trip_ms) = tick.and_then(|tick| self.sent.age_ms(tick, self.now_ms)) {
                held.sight.heard(trip_ms, self.now_ms);
            }
            if let Some(ms) = ping.iv {
                held.sight.draws_behind(ms);
            }
        }
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
    }

    /// The socket is gone (closed or failed; the first word counts).
    pub fn handle_close(&mut self, connection: ConnectionId, now_ms: u64) {
        self.now_ms = now_ms;
        self.pass_time();
        self.do_due_before();
        self.outbox.forget(connection);
        if self.connections.contains_key(&connection) {
            self.lose_seat(connection);
            self.connections.remove(&connection);
            self.counters.close(CloseCode::Lost);
        }
        self.finish_event();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{LASTING, MATCH, Rig, hello, scores};
    use crate::limits::{MESSAGES_BURST, SAYS_BURST};
    use crate::wire::client_message::Hello;

    fn two() -> Rig {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.join(2);
        rig.ticks(1);
        rig
    }

    #[test]
    fn an_input_moves_its_body_and_is_acked_with_its_tick() {
        let mut rig = two();
        rig.input(1, r#"{"move":[1,0],"fire":true}"#);
        rig.ticks(2);
        let snap = rig.snaps(2).pop().expect("a snap");
        assert_eq!((scores(&snap)[&0], snap.d.1[0].at.0 > 0.0), (1, true));
        assert_eq!(snap.c, [(0, 0, Some(2), Some(-1)), (1, 0, None, None)]);
        assert_eq!(rig.facts().inputs.used, 1);
    }

    /// B47
    #[test]
    fn inputs_of_another_epoch_are_dropped_and_counted() {
        let mut rig = two();
        rig.say(1, r#"{"t":"in","e":9,"s":[[2,{"fire":true}],[3,{}]]}"#);
        rig.ticks(3);
        assert_eq!(rig.facts().inputs.dropped, 2);
        assert_eq!(scores(&rig.snaps(1).pop().expect("a snap"))[&0], 0);
    }

    #[test]
    fn late_far_and_tickless_inputs_are_counted() {
        let mut rig = two();
        rig.say(1, r#"{"t":"in","e":1,"s":[[0,{}],[1.5,{}],[-1,{}],[9007199254740992,{}],[99,{}]]}"#);
        let inputs = rig.facts().inputs;
        assert_eq!((inputs.late, inputs.dropped), (1, 4));
    }

    #[test]
    fn a_ping_is_answered_with_its_own_clock_and_the_rooms() {
        let mut rig = two();
        rig.now_ms += 17;
        rig.say(1, r#"{"t":"ping","c":12.5,"g":1}"#);
        let pong = Pong { c: 12.5, st: rig.now_ms, k: 1 };
        assert_eq!(rig.to(1).last(), Some(&ServerMessage::Pong(pong)));
    }

    #[test]
    fn talk_is_cleaned_relayed_to_all_and_has_a_rate_of_its_own() {
        let mut rig = two();
        rig.hello(3, &Hello { watch: true, ..hello() });
        for _ in 0..SAYS_BURST + 3 {
            rig.say(2, r#"{"t":"say","text":" hi\u202e  you "}"#);
        }
        rig.say(2, r#"{"t":"say","text":"   "}"#);
        rig.say(3, r#"{"t":"say","text":"spectators have no voice"}"#);
        let said = ServerMessage::Say { seat: 1, text: "hi you".to_owned() };
        for connection in 1..4 {
            let heard = rig.to(connection).filter(|message| **message == said).count();
            let other = rig.to(connection).filter(|message| matches!(message, ServerMessage::Say { .. }));
            assert_eq!((heard, other.count()), (SAYS_BURST as usize, SAYS_BURST as usize));
        }
    }

    /// F9
    #[test]
    fn a_malformed_message_closes_its_own_connection_and_keeps_the_seat() {
        for text in ["", "{", r#"{"t":"warp"}"#, r#"{"t":"in","e":1,"s":[["1",{}]]}"#, &"x".repeat(5_000)] {
            let mut rig = two();
            rig.say(1, text);
            assert_eq!(rig.close_of(1), Some(CloseCode::Message));
            let before = rig.snaps(2).len();
            rig.ticks(5);
            assert_eq!(rig.snaps(2).len(), before + 5, "the neighbour misses nothing");
            assert_eq!((rig.facts().seats, rig.facts().people), (2, 1));
        }
    }

    #[test]
    fn a_flood_is_not_read_and_then_closed() {
        let mut rig = two();
        for _ in 0..MESSAGES_BURST + MESSAGES_OVER_MAX {
            rig.say(1, r#"{"t":"ping","c":1}"#);
        }
        let pongs = rig.to(1).filter(|message| matches!(message, ServerMessage::Pong(_))).count();
        assert_eq!((pongs, rig.close_of(1)), (MESSAGES_BURST as usize, None));
        rig.say(1, "not even JSON is looked at");
        assert_eq!(rig.close_of(1), Some(CloseCode::Rate));
    }

    #[test]
    fn leaving_frees_the_seat_at_once() {
        let mut rig = Rig::new(&LASTING);
        let first = rig.join(1).you.expect("a seat");
        rig.join(2);
        let tick = rig.facts().tick;
        rig.say(1, r#"{"t":"leave"}"#);
        assert_eq!((rig.facts().seats, rig.facts().tick, rig.close_of(1)), (1, tick, Some(CloseCode::Lost)));
        let again = rig.knock(3, &first.token).you.expect("a seat");
        assert_eq!((again.seat, again.back), (0, false));
    }

    #[test]
    fn leaving_is_a_commit_of_its_own() {
        let mut rig = two();
        let commits = rig.disk.commits.len();
        rig.say(1, r#"{"t":"leave"}"#);
        assert_eq!(rig.disk.commits.len(), commits + 1);
        rig.crash();
        assert_eq!(rig.facts().seats, 1);
    }

    #[test]
    fn what_a_closed_connection_says_is_not_listened_to() {
        let mut rig = two();
        rig.say(1, "{");
        rig.say(1, r#"{"t":"say","text":"still here"}"#);
        rig.lose(1);
        rig.say(77, r#"{"t":"leave"}"#);
        assert_eq!((rig.closed.len(), rig.facts().seats), (1, 2));
    }
}
