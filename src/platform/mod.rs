//! The Worker and its Durable Objects: the only code that knows the platform. It decides nothing.
//!
//! `worker.rs` routes requests, `sessions.rs` says who a player is, `accounts.rs` keeps what D1 has of
//! them, `me.rs` shows and deletes an account. A room's object is `table.rs`, with
//! `pulse.rs` its alarm and tick loop, `store.rs` its rows, `sockets.rs` its connections, `requests.rs` what
//! it answers over HTTP, `exports.rs` what an operator fetches of it,
//! `recordings.rs` the rows of its recording, `characters.rs` what it asks the Lobby and is asked. The Lobby's object is
//! `lobby.rs`: either `directory.rs`, the list of rooms, or `leases.rs`, with `lease_rows.rs` and `break_rows.rs` its rows and
//! `records.rs` D1. `peers.rs` carries calls between objects, `log.rs` lines to the console. `entry!` makes a
//! Worker of a list of games. Absent: policy (`host`, `lobby`), games' names.

mod accounts;
pub mod break_rows;
pub mod characters;
pub mod clock;
pub mod directory;
mod eddsa;
mod exports;
pub mod faults;
mod hello;
pub mod http;
pub mod lease_rows;
pub mod leases;
pub mod lobby;
mod log;
mod me;
pub mod peers;
pub mod pulse;
pub mod recorded;
mod recordings;
pub mod records;
pub mod replay;
pub mod requests;
pub mod sessions;
pub mod sockets;
pub mod store;
pub mod table;
pub mod transaction;
pub mod worker;

use crate::platform::log::console_error;
use crate::rules::face::Game;
use crate::wire::client_message::Build;

pub use crate::rules::face::Registry;

/// The game of that name.
#[must_use]
pub fn find_game(games: Registry, name: &str) -> Option<&'static dyn Game> {
    games.iter().find(|(known, _)| *known == name).map(|(_, game)| game())
}

/// The build that runs, as scripts/toolchain.sh named it.
#[must_use]
pub fn build() -> Build {
    Build {
        id: option_env!("ROUNDTABLE_BUILD_ID").unwrap_or("unnamed").to_owned(),
        at: option_env!("ROUNDTABLE_BUILD_AT").and_then(|at| at.parse().ok()).unwrap_or(0),
    }
}

/// Bytes that nobody can guess.
#[must_use]
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        // workerd's crypto.getRandomValues does not fail; a secret that is none must never be handed out.
        console_error!("no randomness: {error}");
        unreachable!("crypto.getRandomValues failed");
    }
    bytes
}

/// Makes a Worker of games: `entry! { "arena" => games::arena::Arena }`, or `entry!(GAMES)` of a `Registry`, exports
/// `fetch` and the classes `Table` and `Lobby`. The calling crate depends on `worker`, whose attributes write its name.
#[macro_export]
macro_rules! entry {
    ($($name:literal => $rules:ty),+ $(,)?) => {
        $crate::entry!(&[$(($name, $crate::rules::adapter::game::<$rules>)),+]);
    };
    ($games:expr) => {
        static GAMES: $crate::platform::Registry = $games;

        #[::worker::event(fetch)]
        async fn fetch(
            request: ::worker::Request,
            env: ::worker::Env,
            _context: ::worker::Context,
        ) -> ::worker::Result<::worker::Response> {
            $crate::platform::worker::fetch(request, env, GAMES).await
        }

        /// One room.
        #[::worker::durable_object]
        pub struct Table(::std::panic::AssertUnwindSafe<$crate::platform::table::TableObject>);

        impl ::worker::DurableObject for Table {
            fn new(state: ::worker::State, env: ::worker::Env) -> Self {
                Table(::std::panic::AssertUnwindSafe($crate::platform::table::TableObject::new(state, env, GAMES)))
            }

            async fn fetch(&self, request: ::worker::Request) -> ::worker::Result<::worker::Response> {
                self.0.fetch(request).await
            }

            async fn alarm(&self) -> ::worker::Result<::worker::Response> {
                self.0.alarm().await
            }

            async fn websocket_message(
                &self,
                socket: ::worker::WebSocket,
                message: ::worker::WebSocketIncomingMessage,
            ) -> ::worker::Result<()> {
                let text = match message {
                    ::worker::WebSocketIncomingMessage::String(text) => Some(text),
                    ::worker::WebSocketIncomingMessage::Binary(_) => None,
                };
                self.0.message(socket, text).await
            }

            async fn websocket_close(
                &self,
                socket: ::worker::WebSocket,
                _code: usize,
                _reason: String,
                _was_clean: bool,
            ) -> ::worker::Result<()> {
                self.0.closed(socket).await
            }

            async fn websocket_error(
                &self,
                socket: ::worker::WebSocket,
                _error: ::worker::Error,
            ) -> ::worker::Result<()> {
                self.0.closed(socket).await
            }

            async fn connect(&self, _socket: ::worker::Socket) -> ::worker::Result<()> {
                Err(::worker::Error::RustError("a room takes no plain sockets".to_owned()))
            }
        }

        /// The list of a game's rooms, or leases of its characters.
        #[::worker::durable_object(alarm)]
        pub struct Lobby(::std::panic::AssertUnwindSafe<$crate::platform::lobby::LobbyObject>);

        impl ::worker::DurableObject for Lobby {
            fn new(state: ::worker::State, env: ::worker::Env) -> Self {
                Lobby(::std::panic::AssertUnwindSafe($crate::platform::lobby::LobbyObject::new(state, env)))
            }

            async fn fetch(&self, request: ::worker::Request) -> ::worker::Result<::worker::Response> {
                self.0.fetch(request).await
            }

            async fn alarm(&self) -> ::worker::Result<::worker::Response> {
                self.0.alarm().await
            }
        }
    };
}
