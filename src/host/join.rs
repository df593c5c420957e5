//! Hello: who may come in, and to which place.
//!
//! A token opens the seat it was given for, also while the seat's old connection is still open: the newest one wins.
//! Anything else gets a free seat. A change of seat or token is committed before its welcome goes out, so no crash takes
//! a seat from someone who was welcomed to it.

use crate::host::connections::Connection;
use crate::host::secrets::Secret;
use crate::host::{ConnectionId, Host};
use crate::limits::CONNECTIONS_MAX;
use crate::rules::face::SeatInfo;
use crate::rules::ids::Seat;
use crate::wire::PROTOCOL_VERSION;
use crate::wire::client_message::Hello;
use crate::wire::close::{Close, CloseCode};
use crate::wire::names::clean_name;

/// Where a hello leads.
enum Place {
    Watch,
    /// The seat that the secret opened.
    Back(Seat, Secret),
    New(Seat),
}

impl Host {
    /// A checked hello on a connection that has not said one. `secret`: 128 random bits for its token.
    pub fn handle_hello(&mut self, connection: ConnectionId, hello: &Hello, secret: [u8; 16], now_ms: u64) {
        self.now_ms = now_ms;
        if self.connections.contains_key(&connection) {
            return self.drop_connection(connection, CloseCode::Message, "a second hello");
        }
        match self.place(hello) {
            Err(close) => self.refuse(connection, close),
            Ok(Place::Watch) => self.watch(connection),
            Ok(Place::Back(seat, used)) => self.come_back(connection, seat, used, Secret(secret)),
            Ok(Place::New(seat)) => self.sit_down(connection, seat, hello, Secret(secret)),
        }
    }

    fn place(&self, hello: &Hello) -> Result<Place, Close> {
        if self.ended {
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
        if let Some((seat, used)) = secret.and_then(|used| Some((self.seats.opened_by(used)?, used))) {
            return Ok(Place::Back(seat, used));
        }
        self.has_room_for_one()?;
        let full = || Close::new(CloseCode::Full, format!("all {} seats are taken", self.seats.count()));
        self.seats.free(hello.want).map(Place::New).ok_or_else(full)
    }

    fn has_room_for_one(&self) -> Result<(), Close> {
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

    fn come_back(&mut self, connection: ConnectionId, seat: Seat, used: Secret, secret: Secret) {
        self.give_seat(seat, connection);
        self.seats.rotate(seat, used, secret);
        self.ledger.want_now();
        self.enter(connection, Some(seat), true);
    }

    fn sit_down(&mut self, connection: ConnectionId, seat: Seat, hello: &Hello, secret: Secret) {
        let name = clean_name(hello.name.as_deref().unwrap_or_default());
        self.seats.sit(seat, connection, name.clone(), secret, self.now_ms);
        self.sim.join(&SeatInfo { seat, name });
        if !self.schedule.is_live() {
            self.schedule.resume(self.now_ms);
        }
        self.ledger.want_now();
        self.enter(connection, Some(seat), false);
    }

    fn enter(&mut self, connection: ConnectionId, seat: Option<Seat>, back: bool) {
        let known = Connection::new(seat, self.welcome_gate(), self.now_ms);
        self.connections.insert(connection, known);
        self.welcome(connection, back);
    }

    /// Ends a stay: the body goes, the seat is free. Committed at once, without a tick.
    pub(super) fn free_seat(&mut self, seat: Seat) {
        self.sim.leave(seat);
        self.seats.free_up(seat);
        self.ledger.want_now();
    }
}
