//! Roundtable: multiplayer game rooms on a game maker's own Cloudflare account.
//!
//! A game is one Rust file of rules (`games`). A `Table` Durable Object hosts a room of it, the browser draws it, and
//! native tests run it: the same `rules` everywhere. ARCHITECTURE.md draws the layers; imports go one way:
//! `games -> rules <- wire <- host, lobby <- platform` and `wire <- client <- browser`.

// A derive names its own crate `roundtable`, in here too.
extern crate self as roundtable;

#[cfg(all(target_arch = "wasm32", feature = "browser"))]
pub mod browser;
pub mod client;
pub mod games;
pub mod host;
pub mod limits;
pub mod lobby;
pub mod mutation;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod platform;
pub mod prelude;
pub mod rules;
#[cfg(not(target_arch = "wasm32"))]
pub mod test;
pub mod wire;

#[cfg(all(target_arch = "wasm32", feature = "app"))]
crate::entry!(games::GAMES);
