//! What a client says: hello, input, ping, say, leave. Read strictly on the server, written by the client.
//!
//! Unknown keys of hello and ping are ignored; in an `in` message every key and value is checked against the game's
//! declared controls. A tick that is no whole number is no error of the message: its entry is dropped and counted.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rules::ids::{Epoch, Tick};
use crate::rules::input::Controls;
use crate::rules::schema::ControlSpec;

/// A message from a client, checked.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientMessage {
    Hello(Box<Hello>),
    Input(InputMessage),
    Ping(Ping),
    Say(String),
    /// An action; this build's games declare none yet, so the host answers it as unknown.
    Do { epoch: Epoch, number: u32 },
    Leave,
}

/// The first message of a connection. All but `v` and `game` are optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub v: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<u32>,
    pub game: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Resume token of a seat held before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Session token of an account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Spectate: no seat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watch: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The seat wished for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub want: Option<u16>,
    /// Seats wanted at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u16>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caps: Vec<String>,
    /// 1: this client may be sent fewer frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coast: Option<u32>,
    /// The game's own version and features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ver: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feat: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Value>,
    /// The build the client runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
}

/// A build: its id, and when it was made, which decides older and newer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    pub id: String,
    /// Milliseconds since 1970.
    pub at: u64,
}

/// A batch of inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputMessage {
    pub epoch: Epoch,
    pub entries: Vec<InputEntry>,
    /// `g`: the newest tick the client holds.
    pub held_tick: Option<Tick>,
}

/// Controls from a tick on, until the next entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputEntry {
    /// None: what was sent is no whole number from 0 to `u32::MAX`; the host drops and counts the entry.
    pub tick: Option<Tick>,
    pub controls: Controls,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ping {
    /// The client's own clock, given back in the pong.
    pub c: f64,
    /// `g`: the newest tick the client holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub g: Option<f64>,
    /// The page is hidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hid: bool,
}

/// Why a message was refused; the connection is closed with 4001 (before the hello) or 4002.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageError { Todo }

impl ClientMessage {
    /// Reads one text message. `controls` are the game's, for `in`.
    ///
    /// # Errors
    /// Too long, no JSON object, an unknown type, a missing key, a value of the wrong type or out of bounds.
    pub fn parse(text: &str, controls: &[ControlSpec]) -> Result<ClientMessage, MessageError> { let _ = (text, controls); todo!() }

    /// Writes the message as a client sends it.
    #[must_use]
    pub fn to_json(&self, controls: &[ControlSpec]) -> String { let _ = controls; todo!() }
}
