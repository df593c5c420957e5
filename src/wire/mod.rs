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
mod lease_json;
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

#[cfg(test)]
mod tests {
    use serde_json::{Deserializer, Value};

    use super::client_message::{ClientMessage, Declared};
    use super::server_message::ServerMessage;
    use crate::rules::schema::{ActionSpec, ArgSpec, ControlSpec, ControlType, FieldType};

    const CONTROLS: &[ControlSpec] = &[
        ControlSpec { name: "move", how: ControlType::Stick },
        ControlSpec { name: "fire", how: ControlType::Button },
    ];
    const CARD: ArgSpec = ArgSpec { name: "card", ty: FieldType::Int { min: 0, max: 51 } };
    const ACTIONS: &[ActionSpec] = &[ActionSpec { name: "play", args: &[CARD] }];

    /// Every message that stands in docs/protocol.md on its own is one.
    #[test]
    fn the_examples_of_the_protocol_are_messages() {
        let page = include_str!("../../docs/protocol.md");
        let code: String = page.lines().filter(|line| line.starts_with("    ")).collect();
        let declared = Declared { controls: CONTROLS, actions: ACTIONS };
        let mut read = 0;
        for (at, _) in code.match_indices(r#"{"t":"#) {
            let message = Deserializer::from_str(&code[at..]).into_iter::<Value>().next();
            let text = message.and_then(Result::ok).expect("JSON").to_string();
            let client = ClientMessage::parse(&text, &declared);
            assert!(client.is_ok() || ServerMessage::parse(&text).is_ok(), "{text}");
            assert!(!matches!(client, Ok(ClientMessage::Do { action: Err(_), .. })), "{text}");
            read += 1;
        }
        assert!(read >= 14, "{read} examples were found");
    }
}
