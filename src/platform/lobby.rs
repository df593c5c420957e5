//! The Lobby object: the list of a game's rooms, or the leases of a sixteenth of its accounts, by its name.
//!
//! Only the Worker and Tables of this script reach it. What it decides is in `crate::lobby`.

use worker::{Env, Request, Response, Result, State};

use crate::lobby::Role;
use crate::platform::directory::Rooms;
use crate::platform::http::HttpError;
use crate::platform::leases::Leases;
use crate::platform::log::console_error;

/// The Durable Object behind the class that `entry!` makes.
pub struct LobbyObject(Part);

enum Part {
    Rooms(Rooms),
    Leases(Box<Leases>),
    /// A name that no object of ours has, or a runtime that lacks what leases need.
    None,
}

impl LobbyObject {
    #[must_use]
    pub fn new(state: State, env: Env) -> LobbyObject {
        let name = state.id().name().unwrap_or_default();
        LobbyObject(match Role::of(&name) {
            Some(Role::Rooms) => Part::Rooms(Rooms::new(state.storage().sql())),
            Some(Role::Leases { game, shard }) => match Leases::new(state, env, name, game, shard) {
                Ok(leases) => Part::Leases(Box::new(leases)),
                Err(error) => {
                    console_error!("lobby: no storage: {error}");
                    Part::None
                }
            },
            None => Part::None,
        })
    }

    /// # Errors
    /// Only if an answer cannot be made.
    pub async fn fetch(&self, request: Request) -> Result<Response> {
        let answer = match &self.0 {
            Part::Rooms(rooms) => rooms.route(request).await,
            Part::Leases(leases) => leases.route(request).await,
            Part::None => Err(HttpError::NotFound),
        };
        answer.or_else(HttpError::into_response)
    }

    /// The alarm. It never fails: an error would cost one of six counted retries, and the last one drops the alarm.
    ///
    /// # Errors
    /// Only if an empty response cannot be made.
    pub async fn alarm(&self) -> Result<Response> {
        if let Part::Leases(leases) = &self.0 {
            leases.flush().await;
        }
        Response::empty()
    }
}
