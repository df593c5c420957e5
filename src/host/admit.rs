//! Joining with a character: the Lobby is asked for it, and its grant is committed with the seat and the body.
//!
//! Everything that can refuse a join is checked and the seat reserved before the Lobby is asked, and again after. A grant
//! that nobody waits for any more, or whose character this build cannot read, is committed as returning: no grant is ever
//! dropped that the room might still be taken to hold. Absent: leaving and the way home (`returns.rs`).

use crate::host::connections::Connection;
use crate::host::holds::{Ask, Return, State};
use crate::host::join::Place;
use crate::host::secrets::Secret;
use crate::host::{CallId, ConnectionId, Host, Output};
use crate::rules::ids::Seat;
use crate::wire::character::from_body;
use crate::wire::client_message::Hello;
use crate::wire::close::{Close, CloseCode};
use crate::wire::lease::{CharacterBody, LEASE_VERSION, LobbyAnswer, LobbyRequest, Stamp};
use crate::wire::names::{clean_name, is_account};

impl Host {
    /// Whoever plays here needs a lease of their character.
    pub(super) fn needs_leases(&self) -> bool {
        self.schema.room.characters && self.setup.leases
    }

    /// Where a hello of this account leads: to its character, wherever its token points. `opened` is what that opened.
    pub(super) fn place_of(
        &self,
        account: Option<&str>,
        hello: &Hello,
        opened: Option<(Seat, Secret)>,
    ) -> Result<Place, Close> {
        let account = account.filter(|account| is_account(account));
        let account = account.ok_or_else(|| Close::new(CloseCode::Session, "a session is needed"))?;
        match self.holds.hold(account).map(|hold| &hold.state) {
            Some(State::Held(seat)) => {
                let used = opened.filter(|(opened, _)| opened == seat).map(|(_, used)| used);
                return Ok(Place::Back(*seat, used));
            }
            Some(State::Returning(_)) => {
                return Err(Close::new(CloseCode::Returning, "Character return is still pending"));
            }
            None if self.holds.is_asking(account) => return Ok(Place::Asked(account.to_owned())),
            None => {}
        }
        self.has_room_for_one()?;
        if self.holds.is_full() {
            return Err(Close::new(CloseCode::Busy, "too many characters are on their way home"));
        }
        self.free_place(hello.want).map(|seat| Place::Ask(account.to_owned(), seat))
    }

    /// Asks the Lobby for the character of an account; the seat is reserved meanwhile.
    pub(super) fn ask(
        &mut self,
        connection: ConnectionId,
        account: String,
        seat: Seat,
        hello: &Hello,
        secret: Secret,
    ) {
        let name = clean_name(hello.name.as_deref().unwrap_or_default());
        let call = self.holds.ask(&account, connection, seat, name, secret, self.now_ms);
        self.connections.insert(connection, Connection::waiting(self.now_ms));
        let (game, room) = (self.setup.game_name.clone(), self.setup.room.clone());
        let request = LobbyRequest::Grant { v: LEASE_VERSION, account, game, room };
        self.outbox.push(self.gate(), Output::Call { call, request });
    }

    /// The same account again while its grant is under way: the newest connection waits for it.
    pub(super) fn ask_anew(
        &mut self,
        connection: ConnectionId,
        account: &str,
        hello: &Hello,
        secret: Secret,
    ) {
        let Some(ask) = self.holds.ask_mut(account) else { return };
        ask.name = clean_name(hello.name.as_deref().unwrap_or_default());
        ask.secret = secret;
        let former = std::mem::replace(&mut ask.connection, connection);
        self.close(former, Close::new(CloseCode::Taken, "your seat was taken up in another place"));
        self.connections.insert(connection, Connection::waiting(self.now_ms));
    }

    /// The answer to a call; `None`: it is lost. One to a call that is not under way is passed over.
    pub fn handle_answer(&mut self, call: CallId, answer: Option<LobbyAnswer>, now_ms: u64) {
        self.now_ms = now_ms;
        if self.ended {
            return;
        }
        if let Some((account, ask)) = self.holds.take_ask(call) {
            self.granted(account, ask, answer);
        } else if let Some(account) = self.holds.returning_by(call) {
            self.returned(&account, answer.as_ref());
        }
        self.send_returns();
    }

    /// Grants that should have been answered long ago are lost.
    pub(super) fn give_up_asks(&mut self) {
        for call in self.holds.overdue_asks(self.now_ms) {
            if let Some((account, ask)) = self.holds.take_ask(call) {
                self.granted(account, ask, None);
            }
        }
    }

    fn granted(&mut self, account: String, ask: Ask, answer: Option<LobbyAnswer>) {
        let close = match answer {
            Some(LobbyAnswer::Granted { lease, body }) if lease > 0 => {
                return self.admit(account, ask, lease, body.as_ref());
            }
            Some(LobbyAnswer::Away) => Close::new(CloseCode::Away, "the records cannot be reached just now"),
            // A lost answer may have been a grant: the Lobby gives the same one again to this room.
            None => Close::new(CloseCode::Busy, "the Lobby did not answer"),
            Some(_) => Close::new(CloseCode::Busy, "your character is asked for elsewhere"),
        };
        self.counters.lease_error("grant", close.reason());
        self.close(ask.connection, close);
    }

    fn admit(&mut self, account: String, ask: Ask, lease: u64, body: Option<&CharacterBody>) {
        let spent = self.holds.spent.of(&account);
        if lease <= spent.lease {
            // If the Lobby has not heard that this number is spent, the return tells it.
            if lease == spent.lease {
                self.decline(account, Stamp { lease, seq: spent.seq.saturating_add(1) });
            }
            let close = if ask.called_away {
                Close::new(CloseCode::Taken, "your character was called to another room")
            } else {
                Close::new(CloseCode::Busy, "your character's lease has passed")
            };
            self.counters.lease_error("grant", close.reason());
            return self.close(ask.connection, close);
        }
        let character = body.map(|body| from_body(body, &self.schema)).transpose();
        match character {
            Ok(character) if self.connections.contains_key(&ask.connection) => {
                let stamp = Stamp { lease, seq: 0 };
                self.holds.insert(account, stamp, State::Held(ask.seat));
                self.sit_down(ask.connection, ask.seat, ask.name, ask.secret, character);
            }
            Ok(_) => self.decline(account, Stamp { lease, seq: 1 }),
            Err(unfit) => {
                let close = Close::new(CloseCode::Storage, unfit.to_string());
                self.counters.lease_error("grant", close.reason());
                self.decline(account, Stamp { lease, seq: 1 });
                self.close(ask.connection, close);
            }
        }
    }

    /// A granted character that no body is made of returns as it came: without a copy, so the Lobby keeps what it has.
    fn decline(&mut self, account: String, stamp: Stamp) {
        let copy = Return::new(self.schema_hash.clone(), None, self.now_ms);
        self.holds.insert(account, stamp, State::Returning(copy));
        self.ledger.want_now();
        self.send_returns();
    }
}
