//! Messages between client and room, their JSON codec, close codes and names. docs/protocol.md is the table
//! of it all.
//!
//! | message | from → to | when |
//! |---|---|---|
//! | `hello` | client → room | first, within `HELLO_MS` |
//! | `in`, `ping`, `say`, `do`, `leave` | client → room | after the welcome |
//! | `welcome` | room → client | answers a hello, and again when the epoch rises |
//! | `snap` | room → client | each tick |
//! | `pong`, `roster`, `round`, `shared`, `fx`, `areas`, `say`, `did` | room → client | as they happen |
//! | `bye` | room → client | before the room closes the socket |
//!
//! Parse once at the edge: text → checked message; nothing behind it sees raw JSON. Wire types are twins of
//! the rules' types, never the same ones. Absent: sockets, seats, policy.

pub mod character;
pub mod client_action;
mod client_input;
pub mod client_message;
pub mod close;
pub mod describe;
mod fields;
pub mod hello;
pub mod lease;
pub mod names;
pub mod place;
pub mod server_message;
pub mod shared;
pub mod snap;
pub mod values;
pub mod welcome;

/// Version of the protocol: another one cannot be spoken with.
pub const PROTOCOL_VERSION: u32 = 1;
/// Revision within the version: raised with each change of a vector.
pub const PROTOCOL_REVISION: u32 = 2;
