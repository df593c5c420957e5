//! Joining with a character: the Lobby is asked for it, and its grant is committed with the seat and the body.
//!
//! Everything that can refuse a join is checked and the seat reserved before the Lobby is asked, and again after. A grant
//! that nobody waits for any more, or whose character this build cannot read, is committed as returning: no grant is ever
//! dropped that the room might still be taken to hold. Absent: leaving and the way home (`returns.rs`).

use crate::host::connections::Connection;
use crate::host::holds::{Ask, Return, State};
use crate::host::join::{Arrival, Place};
use crate::host::secrets::Secret;
use crate::host::{CallId, ConnectionId, Host, Output};
use crate::mutation::{self, Mutation};
use crate::rules::character::Character;
use crate::rules::face::Unfit;
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
        account: Result<&&str, &Close>,
        hello: &Hello,
        opened: Option<(Seat, Secret)>,
    ) -> Result<Place, Close> {
        let account = *account.map_err(Close::clone)?;
        if !is_account(account) {
            return Err(Close::new(CloseCode::Session, "a session is needed"));
        }
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
        self.outbox.push(self.gate(), Output::Call { call, request: Box::new(request) });
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
        self.pass_time();
        self.do_due_before();
        if self.has_ended() {
            return;
        }
        if let Some((account, ask)) = self.holds.take_ask(call) {
            self.granted(account, ask, answer);
        } else if let Some(account) = self.holds.returning_by(call) {
            self.returned(&account, answer.as_ref());
        } else if !self.confirmed(call, answer.as_ref()) {
            self.holds.copied(call, answer == Some(LobbyAnswer::Done));
        }
        self.send_returns();
        self.finish_event();
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
            Some(LobbyAnswer::Gone) => Close::new(CloseCode::Session, "this account was deleted"),
            // A lost answer may have been a grant: the Lobby gives the same one again to this room.
            None => Close::new(CloseCode::Busy, "the Lobby did not answer"),
            Some(_) => Close::new(CloseCode::Busy, "your character is asked for elsewhere"),
        };
        self.counters.lease_error("grant", close.reason());
        self.close(ask.connection, close);
    }

    fn admit(&mut self, account: String, ask: Ask, lease: u64, body: Option<&CharacterBody>) {
        let spent = self.holds.spent.of(&account);
        if lease <= spent.lease && !mutation::is(Mutation::AdmitReleased) {
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
        match self.fitted(body) {
            Ok(character) if self.connections.contains_key(&ask.connection) => {
                let stamp = Stamp { lease, seq: 0 };
                let (owner, name, secret) = (Some(account.clone()), ask.name, ask.secret);
                self.holds.insert(account, stamp, State::Held(ask.seat));
                self.sit_down(ask.connection, ask.seat, Arrival { name, owner, secret, character });
            }
            Ok(_) => self.decline(account, Stamp { lease, seq: 1 }),
            Err(unfit) => {
                let close = Close::new(CloseCode::Storage, unfit);
                self.counters.lease_error("grant", close.reason());
                self.decline(account, Stamp { lease, seq: 1 });
                self.close(ask.connection, close);
            }
        }
    }

    /// The character in this version's fields; else why it has none.
    fn fitted(&mut self, body: Option<&CharacterBody>) -> Result<Option<Character>, String> {
        let Some(body) = body else { return Ok(None) };
        let character = from_body(body).map_err(|unfit| unfit.to_string())?;
        let (character, notes) = self
            .setup
            .game
            .fit_character(&character)
            .map_err(|Unfit(why)| format!("the character does not fit this game: {why}"))?;
        self.counters.note(&notes, notes.len() as u64);
        Ok(Some(character))
    }

    /// A granted character that no body is made of returns as it came: without a copy, so the Lobby keeps what it has.
    fn decline(&mut self, account: String, stamp: Stamp) {
        let copy = Return::new(self.schema_hash.clone(), None, self.now_ms);
        self.holds.insert(account, stamp, State::Returning(copy));
        self.ledger.want_now();
        self.send_returns();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Setup;
    use crate::host::stub::{CHARACTERS, Rig, hello, scores, setup};
    use crate::limits::PEER_CALL_MS;
    use crate::rules::ids::Seat;
    use crate::wire::lease::TableAnswer;
    use crate::wire::server_message::You;

    fn watch() -> Hello {
        Hello { watch: true, ..hello() }
    }

    fn grant(lease: u64) -> Option<LobbyAnswer> {
        Some(LobbyAnswer::Granted { lease, body: None })
    }

    fn body(kind: &str, score: i32) -> CharacterBody {
        let f = [("score".to_owned(), serde_json::json!(score))].into_iter().collect();
        CharacterBody { kind: kind.to_owned(), at: vec![0.0; 2], velocity: vec![0.0; 2], heading: 0, f }
    }

    fn ask(rig: &mut Rig, connection: u32, account: &str) {
        rig.hello_as(connection, Some(account), &hello());
    }

    /// B32
    #[test]
    fn who_plays_needs_an_account_and_who_watches_needs_none() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.hello(1, &hello());
        ask(&mut rig, 2, "not an account");
        assert_eq!((rig.close_of(1), rig.close_of(2)), (Some(CloseCode::Session), Some(CloseCode::Session)));
        assert!(rig.calls.is_empty() && rig.host.is_unused());
        rig.hello(3, &watch());
        assert_eq!(rig.welcome(3).you, None);
        // A token opens nothing without its account's session.
        let token = rig.enter(4, "ada").you.expect("a seat").token;
        rig.hello(5, &Hello { token: Some(token), ..hello() });
        assert_eq!((rig.close_of(5), rig.close_of(4)), (Some(CloseCode::Session), None));
    }

    #[test]
    fn who_has_no_account_is_told_why_where_one_is_needed() {
        let mut rig = Rig::new(&CHARACTERS);
        let expired = Close::new(CloseCode::Session, "this session has expired");
        let mut say = |connection, hello: &Hello| {
            rig.host.handle_hello_from(
                ConnectionId(connection),
                hello,
                Err(expired.clone()),
                [9; 16],
                rig.now_ms,
            );
            rig.drain();
        };
        say(1, &hello());
        say(2, &watch());
        assert_eq!(rig.closed, [(1, CloseCode::Session, expired.reason().to_owned())]);
    }

    #[test]
    fn a_deleted_account_is_told_so_and_holds_nothing() {
        let mut rig = Rig::new(&CHARACTERS);
        ask(&mut rig, 1, "ada");
        rig.answer(Some(LobbyAnswer::Gone));
        assert_eq!(rig.close_of(1), Some(CloseCode::Session));
        assert_eq!((rig.facts().holds.asked, rig.facts().seats, rig.facts().holds.held), (0, 0, 0));
    }

    /// B32
    #[test]
    fn a_host_without_a_lease_source_asks_for_none() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.host = Host::create(Setup { leases: false, ..setup(&CHARACTERS) }, 7, rig.now_ms);
        let you = rig.join(1).you.expect("a seat");
        rig.lose(1);
        assert_eq!(rig.knock(2, &you.token).you.expect("a seat").occ, you.occ);
        rig.say(2, r#"{"t":"leave"}"#);
        assert!(rig.calls.is_empty() && rig.host.next_alarm_ms(rig.now_ms).is_none());
    }

    #[test]
    fn what_refuses_a_join_is_checked_before_the_lobby_is_asked() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        ask(&mut rig, 2, "bob");
        assert_eq!(rig.calls.len(), 1);
        // The seat that is asked for counts as taken.
        ask(&mut rig, 3, "eve");
        rig.hello_as(4, Some("eve"), &Hello { v: 0, ..hello() });
        assert_eq!((rig.close_of(3), rig.close_of(4)), (Some(CloseCode::Full), Some(CloseCode::Older)));
        assert_eq!((rig.calls.len(), rig.facts().holds.asked, rig.facts().seats), (1, 1, 1));
        rig.answer_all();
        assert_eq!(rig.welcome(2).you.expect("a seat").seat, 1);
    }

    #[test]
    fn hold_seat_and_body_are_one_commit_before_the_welcome() {
        let mut rig = Rig::new(&CHARACTERS);
        ask(&mut rig, 1, "ada");
        assert_eq!((rig.disk.commits.len(), rig.sent.len(), rig.facts().paused), (0, 0, true));
        let (call, _) = rig.calls.remove(0);
        let answer = Some(LobbyAnswer::Granted { lease: 4, body: Some(body("walker", 30)) });
        rig.host.handle_answer(call, answer.clone(), rig.now_ms);
        assert_eq!(rig.host.poll_output(), None);
        rig.drain();
        assert_eq!(rig.disk.commits.len(), 1);
        let hold = rig.disk.holds().remove("ada").expect("a hold");
        assert_eq!((hold.stamp, hold.state), (Stamp { lease: 4, seq: 0 }, State::Held(Seat(0))));
        assert_eq!(rig.disk.scores()[&0], 30);
        rig.ticks(1);
        assert_eq!((rig.welcomes(1).len(), scores(&rig.snaps(1)[0])[&0]), (1, 30));
        // The answer comes twice.
        rig.host.handle_answer(call, answer, rig.now_ms);
        rig.drain();
        assert_eq!((rig.welcomes(1).len(), rig.disk.commits.len(), rig.calls.len()), (1, 1, 0));
    }

    #[test]
    fn a_grant_whose_commit_fails_is_given_again() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        ask(&mut rig, 2, "bob");
        rig.disk_fails = true;
        rig.answer_all();
        assert!(rig.host.has_ended() && rig.welcomes(2).is_empty());
        assert_eq!(rig.close_of(2), Some(CloseCode::Storage));
        rig.disk_fails = false;
        rig.crash();
        assert_eq!(rig.facts().holds.held, 1);
        rig.enter(3, "bob");
        assert_eq!((rig.lobby.lease("bob"), rig.disk.holds()["bob"].stamp.lease), (1, 1));
    }

    #[test]
    fn who_is_not_granted_is_told_to_wait() {
        let mut rig = Rig::new(&CHARACTERS);
        for (connection, answer, code) in [
            (1, Some(LobbyAnswer::Busy), CloseCode::Busy),
            (2, Some(LobbyAnswer::Away), CloseCode::Away),
            (3, None, CloseCode::Busy),
            (4, Some(LobbyAnswer::Done), CloseCode::Busy),
            (5, grant(0), CloseCode::Busy),
        ] {
            ask(&mut rig, connection, "ada");
            rig.answer(answer);
            assert_eq!(rig.close_of(connection), Some(code));
        }
        assert!(rig.disk.commits.is_empty() && rig.host.is_unused());
        assert_eq!(
            rig.facts().last_lease_error.as_deref(),
            Some("grant: your character is asked for elsewhere")
        );
        // One of the answers that were lost was a grant: the Lobby gives the same one again.
        rig.enter(6, "ada");
        assert_eq!(rig.disk.holds()["ada"].stamp.lease, 1);
    }

    #[test]
    fn a_call_that_is_never_answered_ends_by_itself() {
        let mut rig = Rig::new(&CHARACTERS);
        ask(&mut rig, 1, "ada");
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), Some(rig.now_ms + 2 * PEER_CALL_MS));
        rig.alarm();
        assert_eq!((rig.close_of(1), rig.facts().holds.asked), (Some(CloseCode::Busy), 0));
        assert_eq!(rig.host.next_alarm_ms(rig.now_ms), None);
        rig.answer(grant(1));
        assert_eq!((rig.facts().holds.held, rig.facts().holds.returning), (0, 0));
    }

    #[test]
    fn a_join_that_died_meanwhile_commits_its_grant_as_returning() {
        let mut rig = Rig::new(&CHARACTERS);
        ask(&mut rig, 1, "ada");
        rig.lose(1);
        assert!(!rig.host.is_unused(), "its grant is on its way");
        let answer = Some(LobbyAnswer::Granted { lease: 3, body: Some(body("walker", 5)) });
        rig.answer(answer);
        let [(_, LobbyRequest::Return(copy))] = &rig.calls[..] else { panic!("a return") };
        assert_eq!(
            (copy.stamp, &copy.body),
            (Stamp { lease: 3, seq: 1 }, &None),
            "the Lobby keeps what it has"
        );
        assert_eq!((rig.facts().seats, rig.facts().paused, rig.disk.holds().len()), (0, true, 1));
        rig.answer(Some(LobbyAnswer::Done));
        assert_eq!((rig.disk.holds().len(), rig.host.next_alarm_ms(rig.now_ms)), (0, None));
    }

    #[test]
    fn a_character_that_cannot_be_read_is_kept_where_it_was() {
        let mut rig = Rig::new(&CHARACTERS);
        ask(&mut rig, 1, "ada");
        rig.answer(Some(LobbyAnswer::Granted { lease: 3, body: Some(body("wraith", 5)) }));
        let (_, code, reason) = rig.closed.last().expect("closed");
        let said = "the character does not fit this game: its kind is not a player's";
        assert_eq!((*code, reason.as_str()), (CloseCode::Storage, said));
        assert_eq!(rig.facts().last_lease_error, Some(format!("grant: {said}")));
        assert!(matches!(&rig.calls[..], [(_, LobbyRequest::Return(copy))] if copy.body.is_none()));
    }

    fn place(you: &You) -> (u16, u32) {
        (you.seat, you.occ)
    }

    /// B32
    #[test]
    fn the_same_account_again_has_the_same_seat_without_asking_and_the_newest_connection_wins() {
        let mut rig = Rig::new(&CHARACTERS);
        let first = rig.enter(1, "ada").you.expect("a seat");
        let other = rig.enter(2, "bob").you.expect("a seat");
        ask(&mut rig, 3, "ada");
        let again = rig.welcome(3).you.expect("a seat");
        assert_eq!((place(&again), again.back), (place(&first), false));
        assert_eq!((rig.close_of(1), rig.calls.len()), (Some(CloseCode::Taken), 0));
        // With its own token it is the seat that the token named, with another's it is its own all the same.
        rig.hello_as(4, Some("ada"), &Hello { token: Some(again.token), ..hello() });
        let back = rig.welcome(4).you.expect("a seat");
        assert_eq!((place(&back), back.back), (place(&first), true));
        rig.hello_as(5, Some("ada"), &Hello { token: Some(other.token), ..hello() });
        let mine = rig.welcome(5).you.expect("a seat");
        assert_eq!((place(&mine), mine.back, rig.close_of(2)), (place(&first), false, None));
        rig.lose(5);
        ask(&mut rig, 6, "ada");
        assert_eq!(place(&rig.welcome(6).you.expect("a seat")), place(&first), "it was away");
        assert_eq!(rig.disk.holds()["ada"].stamp, Stamp { lease: 1, seq: 0 });
    }

    #[test]
    fn the_newest_connection_of_an_account_waits_for_its_grant() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.hello_as(1, Some("ada"), &Hello { name: Some("Old".to_owned()), ..hello() });
        rig.hello_as(2, Some("ada"), &Hello { name: Some("New".to_owned()), ..hello() });
        assert_eq!((rig.close_of(1), rig.calls.len()), (Some(CloseCode::Taken), 1));
        rig.answer_all();
        let welcome = rig.welcome(2);
        assert_eq!((welcome.roster[0].name.as_str(), rig.welcomes(1).len()), ("New", 0));
        // One that died and came back before the answer.
        ask(&mut rig, 3, "bob");
        rig.lose(3);
        ask(&mut rig, 4, "bob");
        rig.answer_all();
        assert_eq!((rig.welcomes(4).len(), rig.facts().holds.held), (1, 2));
    }

    #[test]
    fn who_waits_is_told_nothing_and_is_no_spectator() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        ask(&mut rig, 2, "bob");
        for text in
            [r#"{"t":"ping","c":1}"#, r#"{"t":"say","text":"hi"}"#, r#"{"t":"in","e":1,"s":[[1,{}]]}"#]
        {
            rig.say(2, text);
        }
        rig.ticks(3);
        assert_eq!((rig.to(2).count(), rig.close_of(2), rig.facts().spectators), (0, None, 0));
        ask(&mut rig, 2, "bob");
        assert_eq!(rig.close_of(2), Some(CloseCode::Message));
        // B36: a reserved seat is in no save, nor is its name.
        rig.input(1, r#"{"fire":true}"#);
        rig.ticks(1);
        assert_eq!((rig.disk.holds().len(), rig.facts().holds.asked), (1, 1));
        rig.answer_all();
        assert_eq!((rig.facts().holds.held, rig.lobby.is_there("bob")), (1, false));
    }

    #[test]
    fn a_grant_that_was_called_back_meanwhile_is_refused() {
        let mut rig = Rig::new(&CHARACTERS);
        ask(&mut rig, 1, "ada");
        assert_eq!(rig.release_number("ada", 5), Some(TableAnswer::Absent));
        assert_eq!(rig.disk.spent("ada"), Stamp { lease: 5, seq: 0 }, "committed before it is answered");
        rig.answer(grant(5));
        assert_eq!((rig.close_of(1), rig.facts().holds.held), (Some(CloseCode::Taken), 0));
        // The Lobby may not have heard that it is absent: the number is given back, each time one more copy.
        for seq in 1..3 {
            let [(_, LobbyRequest::Return(copy))] = &rig.calls[..] else { panic!("a return") };
            assert_eq!((copy.stamp, &copy.body), (Stamp { lease: 5, seq }, &None));
            rig.answer(Some(LobbyAnswer::Done));
            rig.crash();
            ask(&mut rig, 2, "ada");
            rig.answer(grant(5));
            assert_eq!(rig.close_of(2), Some(CloseCode::Busy));
        }
        rig.answer(Some(LobbyAnswer::Done));
        ask(&mut rig, 3, "ada");
        rig.answer(grant(4));
        assert_eq!((rig.close_of(3), rig.calls.len()), (Some(CloseCode::Busy), 0), "it has long passed");
        ask(&mut rig, 4, "ada");
        rig.answer(grant(6));
        assert_eq!(rig.welcomes(4).len(), 1);
    }

    #[test]
    fn calls_of_two_incarnations_have_different_numbers() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        ask(&mut rig, 2, "bob");
        let (late, _) = rig.calls[0].clone();
        rig.now_ms += 1;
        rig.crash();
        ask(&mut rig, 3, "eve");
        rig.host.handle_answer(late, grant(9), rig.now_ms);
        rig.drain();
        assert_eq!((rig.facts().holds.asked, rig.facts().holds.held), (1, 1));
    }
}
