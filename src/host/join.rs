//! Hello: who may come in, and to which place.
//!
//! A token opens the seat it was given for, also while the seat's old connection is still open: the newest
//! one wins. Anything else gets a free seat. A change of seat or token is committed before its welcome goes
//! out, so no crash takes a seat from someone who was welcomed to it. In a game with characters it is the account that
//! decides (`admit.rs`), and a token alone opens nothing.

use crate::host::connections::Connection;
use crate::host::seats::{Holder, Sitter};
use crate::host::secrets::Secret;
use crate::host::{ConnectionId, Host};
use crate::limits::CONNECTIONS_MAX;
use crate::rules::character::Character;
use crate::rules::face::{Driver, SeatInfo};
use crate::rules::ids::Seat;
use crate::wire::PROTOCOL_VERSION;
use crate::wire::client_message::Hello;
use crate::wire::close::{Close, CloseCode};
use crate::wire::names::{clean_name, is_account};

/// Where a hello leads.
pub(super) enum Place {
    Watch,
    /// The seat that the secret opened; without one, the seat of the account.
    Back(Seat, Option<Secret>),
    New(Seat),
    /// A seat, once the Lobby has leased this account's character.
    Ask(String, Seat),
    /// The grant of this account's character is under way.
    Asked(String),
}

/// Who comes in to a new stay.
pub(super) struct Arrival {
    pub name: String,
    /// The account, if there is one.
    pub owner: Option<String>,
    pub secret: Secret,
    pub character: Option<Character>,
}

impl Host {
    /// A checked hello on a connection that has not said one. `secret`: 128 random bits for its token.
    /// `account`: of its verified session token, if it has one.
    pub fn handle_hello(
        &mut self,
        connection: ConnectionId,
        hello: &Hello,
        account: Option<&str>,
        secret: [u8; 16],
        now_ms: u64,
    ) {
        let account = account.ok_or_else(|| Close::new(CloseCode::Session, "a session is needed"));
        self.handle_hello_from(connection, hello, account, secret, now_ms);
    }

    /// The same, with the reason why the sender has no account: it is told where one is needed.
    pub fn handle_hello_from(
        &mut self,
        connection: ConnectionId,
        hello: &Hello,
        account: Result<&str, Close>,
        secret: [u8; 16],
        now_ms: u64,
    ) {
        self.now_ms = now_ms;
        self.pass_time();
        // The upgrade, and the hello itself.
        self.handle_request(now_ms);
        self.costs.message_in(now_ms);
        self.do_due_before();
        if self.connections.contains_key(&connection) {
            self.drop_connection(connection, CloseCode::Message, "a second hello");
        } else {
            self.lead_in(connection, hello, account, Secret(secret));
        }
        self.finish_event();
    }

    fn lead_in(
        &mut self,
        connection: ConnectionId,
        hello: &Hello,
        account: Result<&str, Close>,
        secret: Secret,
    ) {
        match self.place(hello, account.as_ref()) {
            Err(close) => self.refuse(connection, close),
            Ok(Place::Watch) => self.watch(connection),
            Ok(Place::Back(seat, used)) => {
                self.wish_for_bots(hello.bots);
                self.come_back(connection, seat, used, secret);
            }
            Ok(Place::New(seat)) => {
                self.wish_for_bots(hello.bots);
                let name = clean_name(hello.name.as_deref().unwrap_or_default());
                let owner = account.ok().filter(|account| is_account(account)).map(str::to_owned);
                self.sit_down(connection, seat, Arrival { name, owner, secret, character: None });
            }
            Ok(Place::Ask(account, seat)) => self.ask(connection, account, seat, hello, secret),
            Ok(Place::Asked(account)) => self.ask_anew(connection, &account, hello, secret),
        }
    }

    fn place(&self, hello: &Hello, account: Result<&&str, &Close>) -> Result<Place, Close> {
        if self.has_ended() {
            return Err(Close::new(CloseCode::Storage, "the room is coming back from its last commit"));
        }
        if hello.v != PROTOCOL_VERSION {
            let code = if hello.v < PROTOCOL_VERSION { CloseCode::Older } else { CloseCode::Newer };
            return Err(Close::new(code, format!("this room speaks version {PROTOCOL_VERSION}")));
        }
        if hello.game != self.setup.game_name {
            return Err(Close::new(CloseCode::Room, format!("this room plays {}", self.setup.game_name)));
        }
        if hello.watch {
            return self.has_room_for_one().map(|()| Place::Watch);
        }
        // A token that opens nothing here is no token: a new seat, if one is free.
        let secret = hello.token.as_deref().and_then(Secret::from_token);
        let opened = secret.and_then(|used| Some((self.seats.opened_by(used)?, used)));
        if self.needs_leases() {
            return self.place_of(account, hello, opened);
        }
        if let Some((seat, used)) = opened {
            return Ok(Place::Back(seat, Some(used)));
        }
        self.has_room_for_one()?;
        self.free_place(hello.want).map(Place::New)
    }

    /// A free seat, else one that a bot gives up.
    pub(super) fn free_place(&self, wish: Option<u16>) -> Result<Seat, Close> {
        let free = self.seats.free(wish, |seat| self.holds.is_reserved(seat));
        free.or_else(|| self.seats.bot_to_go(wish))
            .ok_or_else(|| Close::new(CloseCode::Full, format!("all {} seats are taken", self.seats.count())))
    }

    pub(super) fn has_room_for_one(&self) -> Result<(), Close> {
        if self.connections.len() < CONNECTIONS_MAX {
            return Ok(());
        }
        Err(Close::new(CloseCode::Full, "the room has no connection to spare"))
    }

    fn watch(&mut self, connection: ConnectionId) {
        if self.ledger.is_new() {
            // A room that someone watches is found again after hibernation.
            self.ledger.want_now();
        }
        self.enter(connection, None, false);
    }

    fn come_back(&mut self, connection: ConnectionId, seat: Seat, used: Option<Secret>, secret: Secret) {
        self.give_seat(seat, connection);
        self.seats.rotate(seat, used, secret);
        self.ledger.want_now();
        self.enter(connection, Some(seat), used.is_some());
    }

    pub(super) fn sit_down(&mut self, connection: ConnectionId, seat: Seat, arrival: Arrival) {
        let Arrival { name, owner, secret, character } = arrival;
        if self.seats.held(seat).is_some() {
            self.dismiss_bot(seat);
        }
        self.go_on();
        if !self.schedule.is_live() {
            self.schedule.resume(self.now_ms);
            // Timers that rested with the room.
            self.do_due_before();
        }
        let (driver, holder) = (Driver::Person, Holder::Here(connection));
        let info = SeatInfo { seat, name: name.clone(), driver, owner: owner.clone(), character };
        self.seats.sit(seat, Sitter { name, driver, owner, holder, secret }, self.now_ms);
        self.sim.join(&info, self.now_ms);
        self.ledger.want_now();
        self.step_of_event();
        if !self.has_ended() {
            self.enter(connection, Some(seat), false);
        }
    }

    fn enter(&mut self, connection: ConnectionId, seat: Option<Seat>, back: bool) {
        let known = Connection::new(seat, self.kept_gate(), self.now_ms);
        self.connections.insert(connection, known);
        self.welcome(connection, back);
    }

    /// Ends a stay: the body goes, its character returns, the seat is free. Committed at once, without a tick; in a room
    /// that runs by events with a step.
    pub(super) fn free_seat(&mut self, seat: Seat) {
        let character = self.sim.leave(seat, self.now_ms);
        self.seats.free_up(seat);
        self.give_back(seat, character.as_ref());
        self.step_of_event();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::stub::{LASTING, MATCH, Rig, hello};
    use crate::limits::GRACE_MS;
    use crate::wire::server_message::ServerMessage;

    const TICK_MS: u64 = 50;

    #[test]
    fn two_players_get_two_seats_and_a_third_is_told_that_it_is_full() {
        let mut rig = Rig::new(&MATCH);
        let (first, second) = (rig.join(1).you.expect("a seat"), rig.join(2).you.expect("a seat"));
        assert_eq!((first.seat, second.seat, first.back), (0, 1, false));
        assert_ne!((first.occ, &first.token), (second.occ, &second.token));
        rig.hello(3, &hello());
        let (_, code, reason) = rig.closed.last().expect("closed");
        assert_eq!((*code, reason.as_str()), (CloseCode::Full, "all 2 seats are taken"));
        rig.hello(4, &Hello { watch: true, ..hello() });
        assert_eq!(rig.welcome(4).you, None);
    }

    /// F9
    #[test]
    fn a_hello_that_cannot_be_served_is_told_why() {
        let mut rig = Rig::new(&MATCH);
        for (connection, hello, code) in [
            (1, Hello { v: 0, ..hello() }, CloseCode::Older),
            (2, Hello { v: 2, ..hello() }, CloseCode::Newer),
            (3, Hello { game: "other".to_owned(), ..hello() }, CloseCode::Room),
        ] {
            rig.hello(connection, &hello);
            assert_eq!(rig.close_of(connection), Some(code));
            assert_eq!(rig.facts().closes[code.name()], 1);
        }
        assert!(rig.disk.commits.is_empty() && rig.sent.is_empty());
        rig.join(4);
        rig.hello(4, &hello());
        assert_eq!(rig.close_of(4), Some(CloseCode::Message));
    }

    #[test]
    fn connections_are_bounded() {
        let mut rig = Rig::new(&MATCH);
        let watch = Hello { watch: true, ..hello() };
        for connection in 0..=CONNECTIONS_MAX as u32 {
            rig.hello(connection, &watch);
        }
        assert_eq!(rig.close_of(CONNECTIONS_MAX as u32), Some(CloseCode::Full));
        assert_eq!((rig.facts().connections, rig.closed.len()), (CONNECTIONS_MAX, 1));
    }

    #[test]
    fn a_wished_seat_and_a_cleaned_name_are_given() {
        let mut rig = Rig::new(&MATCH);
        rig.hello(1, &Hello { want: Some(1), name: Some("\u{202e}Ada  L ".to_owned()), ..hello() });
        let welcome = rig.welcome(1);
        assert_eq!((welcome.you.expect("a seat").seat, welcome.roster[0].name.as_str()), (1, "Ada L"));
    }

    /// F1, B38
    #[test]
    fn a_token_gives_the_seat_back_and_is_replaced() {
        let mut rig = Rig::new(&MATCH);
        let first = rig.join(1).you.expect("a seat");
        rig.lose(1);
        let back = rig.knock(2, &first.token).you.expect("a seat");
        assert_eq!((back.seat, back.occ, back.back), (first.seat, first.occ, true));
        assert_ne!(back.token, first.token);
        // A message on the socket that got the new one: the old one is worth nothing now.
        rig.say(2, r#"{"t":"ping","c":1}"#);
        let stranger = rig.knock(3, &first.token).you.expect("a seat");
        assert_eq!((stranger.seat, stranger.back), (1, false));
        assert!(stranger.occ > first.occ && rig.close_of(2).is_none());
    }

    #[test]
    fn a_welcome_lost_on_the_way_costs_no_seat() {
        let mut rig = Rig::new(&MATCH);
        let first = rig.join(1).you.expect("a seat");
        for connection in 2..5 {
            rig.lose(connection - 1);
            let back = rig.knock(connection, &first.token).you.expect("a seat");
            assert_eq!((back.occ, back.back), (first.occ, true));
        }
    }

    /// F1
    #[test]
    fn what_is_no_token_of_this_room_gets_a_new_seat() {
        let mut rig = Rig::new(&MATCH);
        let first = rig.join(1).you.expect("a seat");
        let mut other = Rig::new(&MATCH);
        other.join(1);
        other.join(2);
        let foreign = other.welcome(2).you.expect("a seat").token;
        for token in [foreign, String::new(), first.occ.to_string(), "x".repeat(22)] {
            let you = rig.knock(9, &token).you.expect("a seat");
            assert_eq!((you.seat, you.back), (1, false));
            rig.say(9, r#"{"t":"leave"}"#);
        }
        assert_eq!(rig.close_of(1), None);
    }

    /// F1
    #[test]
    fn no_frame_to_others_holds_a_secret() {
        let mut rig = Rig::new(&LASTING);
        let tokens = [1, 2].map(|connection| rig.join(connection).you.expect("a seat").token);
        rig.lose(1);
        let back = rig.knock(3, &tokens[0]).you.expect("a seat").token;
        rig.ticks(5);
        for (to, message) in &rig.sent {
            let text = message.to_json();
            for (owner, token) in [(1, &tokens[0]), (2, &tokens[1]), (3, &back)] {
                assert!(*to == owner || !text.contains(token.as_str()), "{to} was sent {owner}'s: {text}");
            }
        }
    }

    /// F2
    #[test]
    fn a_knock_one_tick_before_the_grace_ends_gives_the_seat_back() {
        let mut rig = Rig::new(&MATCH);
        let first = rig.join(1).you.expect("a seat");
        rig.ticks(1);
        rig.lose(1);
        rig.run_ms(GRACE_MS - TICK_MS);
        let back = rig.knock(2, &first.token).you.expect("a seat");
        assert_eq!((back.occ, back.back), (first.occ, true));
        rig.run_ms(2 * GRACE_MS);
        assert_eq!((rig.facts().seats, rig.facts().people), (1, 1));
    }

    /// F2
    #[test]
    fn a_knock_one_tick_after_the_grace_is_a_new_stay() {
        let mut rig = Rig::new(&MATCH);
        let first = rig.join(1).you.expect("a seat");
        rig.join(2);
        rig.ticks(1);
        rig.lose(1);
        rig.run_ms(GRACE_MS + TICK_MS);
        let again = rig.knock(3, &first.token).you.expect("a seat");
        assert_eq!((again.seat, again.back), (0, false));
        assert!(again.occ > first.occ);
    }

    /// F2
    #[test]
    fn knocking_twice_at_once_leaves_the_seat_to_the_newer() {
        let mut rig = Rig::new(&MATCH);
        let first = rig.join(1).you.expect("a seat");
        rig.lose(1);
        rig.knock(2, &first.token);
        let newer = rig.knock(3, &first.token).you.expect("a seat");
        assert_eq!((newer.occ, newer.back, rig.close_of(2)), (first.occ, true, Some(CloseCode::Taken)));
        // The older one's close arrives late, and takes nothing from the newer.
        rig.lose(2);
        rig.ticks(1);
        assert_eq!((rig.facts().people, rig.snaps(3).len()), (1, 1));
    }

    /// F2
    #[test]
    fn a_knock_while_the_old_socket_is_open_takes_the_seat_over() {
        let mut rig = Rig::new(&LASTING);
        let first = rig.join(1).you.expect("a seat");
        rig.ticks(3);
        let newer = rig.knock(2, &first.token).you.expect("a seat");
        assert_eq!((newer.occ, newer.back, rig.close_of(1)), (first.occ, true, Some(CloseCode::Taken)));
        rig.say(1, r#"{"t":"ping","c":1}"#);
        assert!(!rig.to(1).any(|message| matches!(message, ServerMessage::Pong(_))));
    }

    /// F25
    #[test]
    fn inputs_and_acks_start_anew_with_each_welcome() {
        let mut rig = Rig::new(&MATCH);
        let first = rig.join(1).you.expect("a seat");
        rig.input(1, r#"{"move":[1,0]}"#);
        rig.ticks(2);
        let row = rig.snaps(1).last().expect("a snap").c[0];
        assert_eq!((row.0, row.1, row.2.is_some()), (0, 0, true));
        rig.knock(2, &first.token);
        rig.ticks(2);
        assert_eq!(rig.snaps(2).last().expect("a snap").c[0], (0, 1, None, None));
        let at = |snap: &crate::wire::snap::Snap| snap.d.1[0].at;
        assert_eq!(at(&rig.snaps(2)[0]), at(&rig.snaps(2)[1]), "input is neutral until it speaks");
    }

    #[test]
    fn a_seat_is_committed_before_its_welcome_in_both_lifetimes() {
        for game in [&MATCH, &LASTING] {
            let mut rig = Rig::new(game);
            rig.host.handle_hello(ConnectionId(1), &hello(), None, [9; 16], rig.now_ms);
            assert_eq!(rig.host.poll_output(), None);
            rig.drain();
            let token = rig.welcome(1).you.expect("a seat").token;
            rig.crash();
            let back = rig.knock(2, &token).you.expect("a seat");
            assert!(back.back);
        }
    }
}
