//! What a Table answers over HTTP: upgrades, facts, fault hooks, releases; and what it tells the Lobby.
//!
//! The Worker has checked names and authorization: nothing else reaches a Table. A socket is accepted without
//! making anything: no row, no alarm, no host before a good hello.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use worker::{Request, Response, Result};

use crate::host::ConnectionId;
use crate::host::life::LifeFacts;
use crate::limits::{CONNECTIONS_MAX, HELLO_MS, PULSE_MS, SEATS_MAX};
use crate::lobby::directory::{SUMMARY_VERSION, Summary};
use crate::platform::clock::now_ms;
use crate::platform::faults::{Fault, test_key};
use crate::platform::find_game;
use crate::platform::http::{self, HttpError};
use crate::platform::log::console_error;
use crate::platform::peers::tell_rooms;
use crate::platform::sockets::Sockets;
use crate::platform::table::{Room, Stage, TableObject};
use crate::rules::ids::Seat;
use crate::wire::close::{Close, CloseCode};

/// The facts of the room, and what the platform knows of it.
#[derive(Serialize)]
struct TableFacts {
    #[serde(flatten)]
    facts: LifeFacts,
    /// When its alarm fires, in milliseconds since 1970.
    alarm: Option<i64>,
}

impl TableObject {
    /// # Errors
    /// Only if an answer cannot be made.
    pub async fn fetch(&self, mut request: Request) -> Result<Response> {
        let path = request.path();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        // From a lease object: what the Worker forwards always has one of the other forms.
        let is_release = segments == ["release"];
        self.0.ensure(is_release);
        // By the whole path: a room may be named `facts`.
        let answer = match segments.as_slice() {
            ["ws", _, _] => self.0.upgrade(),
            ["api", "rooms", _, _, "facts"] => self.0.facts().await,
            ["api", "rooms", _, _, "save"] => self.0.save(),
            ["api", "rooms", _, _, "replay"] => self.0.replay(&request),
            ["api", "rooms", _, _, "record"] => self.0.record(&mut request).await,
            ["api", "rooms", _, _, "fault"] => self.0.fault(&mut request).await,
            ["api", "rooms", _, _, verb @ ("stop" | "tick" | "announce")] => self.0.command(verb).await,
            ["api", "rooms", _, _, "kick"] => self.0.kick(&mut request).await,
            ["release"] => self.0.release(&mut request).await,
            _ => Err(HttpError::NotFound),
        };
        self.0.settle().await;
        answer.or_else(HttpError::into_response)
    }
}

impl Room {
    fn upgrade(self: &Rc<Self>) -> std::result::Result<Response, HttpError> {
        if let Some(close) = self.life.borrow().refusal(now_ms()) {
            return Ok(Sockets::refuse(&close)?);
        }
        // The host bounds those it knows; there is room besides for every holder of a seat who comes back.
        if self.sockets.count() >= CONNECTIONS_MAX + usize::from(SEATS_MAX) {
            return Ok(Sockets::refuse(&Close::new(CloseCode::Full, "too many connections to this room"))?);
        }
        let now = now_ms();
        let (id, response) = self.sockets.accept(&self.state, now)?;
        self.expect_hello(id, now);
        Ok(response)
    }

    /// Closes a socket that says no hello in time.
    pub(super) fn expect_hello(self: &Rc<Self>, id: ConnectionId, since_ms: u64) {
        let room = Rc::clone(self);
        let Some(patience) = self.sockets.patience(id) else { return };
        self.state.wait_until(async move {
            patience.sleep((since_ms + HELLO_MS).saturating_sub(now_ms())).await;
            // The number may have been given to another socket after a restore: it is the time that tells.
            if room.sockets.silent_since(id) == Some(since_ms) {
                room.sockets.close(id, &Close::new(CloseCode::Hello, "no hello came in time"));
            }
        });
    }

    async fn facts(&self) -> std::result::Result<Response, HttpError> {
        if self.life.borrow().is_absent() {
            return Err(HttpError::NoSuchRoom);
        }
        self.count_request();
        let facts = self.life.borrow().facts(now_ms());
        let alarm = self.state.storage().get_alarm().await?;
        Ok(http::json(&TableFacts { facts, alarm })?)
    }

    /// A request that the room was asked, or asks of the Lobby: it is billed.
    fn count_request(&self) {
        self.life.borrow_mut().hear(|host| host.handle_request(now_ms()));
    }

    /// What an operator asks of a room that is up.
    async fn command(self: &Rc<Self>, verb: &str) -> std::result::Result<Response, HttpError> {
        if self.life.borrow().host().is_none() {
            return Err(HttpError::NoSuchRoom);
        }
        self.event(Stage::Other, |host, now| match verb {
            "stop" => host.handle_stop(now),
            "tick" => host.handle_tick_now(now),
            _ => host.announce(now),
        });
        self.facts().await
    }

    /// Removes who sits in a seat.
    async fn kick(self: &Rc<Self>, request: &mut Request) -> std::result::Result<Response, HttpError> {
        #[derive(Deserialize)]
        struct Kick {
            seat: u16,
        }
        let Kick { seat } = http::body(request).await?;
        let mut was_there = false;
        self.event(Stage::Other, |host, now| was_there = host.handle_kick(Seat(seat), now));
        if was_there { self.facts().await } else { Err(HttpError::BadRequest("Nobody sits there.")) }
    }

    async fn fault(&self, request: &mut Request) -> std::result::Result<Response, HttpError> {
        if test_key(&self.env).is_none() {
            return Err(HttpError::NotFound);
        }
        let fault: Fault = http::body(request).await?;
        self.faults.set(fault);
        Ok(http::json(&serde_json::json!({ "ok": true }))?)
    }

    /// Tells the Lobby of the room as it is committed; it may be lost, the next pulse tells again. The output
    /// gate holds the message until the disk has what it says.
    pub(super) fn tell_lobby(self: &Rc<Self>) {
        let Some(summary) = self.summary() else { return };
        self.count_request();
        let env = self.env.clone();
        let (game, label) = (self.name.0.clone(), self.label());
        self.state.wait_until(async move {
            if let Err(error) = tell_rooms(&env, &game, &summary).await {
                console_error!("room {label}: the Lobby was not told: {error}");
            }
        });
    }

    /// Tells the Lobby of a room that has no pulse, when people came or went or it has not been told for one.
    pub(super) fn tell_lobby_in_time(self: &Rc<Self>) {
        let Some(summary) = self.summary().filter(|summary| summary.sleeps) else { return };
        let (now, (told_ms, people)) = (now_ms(), self.ticks.told.get());
        let is_news = people != summary.people;
        if is_news || (summary.people > 0 && now.saturating_sub(told_ms) >= PULSE_MS) {
            self.ticks.told.set((now, summary.people));
            self.tell_lobby();
        }
    }

    fn summary(&self) -> Option<Summary> {
        let life = self.life.borrow();
        let host = life.host()?;
        let facts = host.facts(now_ms());
        let seats = u32::from(find_game(self.games, &self.name.0)?.schema().room.seats);
        // Seats of players who are away are held too: the list must not send others there. Bots give way.
        let people = u32::try_from(facts.drivers.persons).unwrap_or(u32::MAX);
        let (room, alive, sleeps) = (self.name.1.clone(), facts.alive, facts.hz.is_none());
        Some(Summary { v: SUMMARY_VERSION, room, people, seats, alive, sleeps })
    }
}
