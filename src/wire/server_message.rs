//! What a room says, but for snapshots (`snap.rs`): welcome, pong, roster, round, effects, talk, bye.
//!
//! One set of types for both ends: the host fills and writes them, the client reads them.

use serde::{Deserialize, Serialize};

use crate::wire::client_message::Build;
use crate::wire::snap::Snap;

/// A message from a room.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum ServerMessage {
    Welcome(Box<Welcome>),
    Snap(Snap),
    Pong(Pong),
    Roster { k: u32, roster: Vec<RosterRow> },
    Round { k: u32, round: RoundInfo },
    /// Effects of one tick: `[name, x, y]` each.
    Fx { k: u32, fx: Vec<(String, f64, f64)> },
    Say { seat: u16, text: String },
    Did { n: u32, k: u32, ok: bool, #[serde(default, skip_serializing_if = "Option::is_none")] why: Option<String> },
    Bye { code: u16, reason: String },
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Welcome {
    pub v: u32,
    pub rev: u32,
    /// Hash of the schema, hexadecimal.
    pub schema: String,
    pub room: String,
    pub game: String,
    /// Ticks a second; null in event-driven games.
    pub hz: Option<u32>,
    pub e: u32,
    pub k: u32,
    pub st: u64,
    /// Null for a spectator.
    pub you: Option<You>,
    pub build: Build,
    pub inputs: Vec<InputInfo>,
    pub kinds: Vec<KindInfo>,
    pub map: MapInfo,
    /// Effects and how each is shown.
    pub fx: Vec<EffectInfo>,
    pub roster: Vec<RosterRow>,
    pub round: RoundInfo,
    pub shared: serde_json::Map<String, serde_json::Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct You {
    pub seat: u16,
    pub occ: u32,
    /// The secret that gives this seat back; replaced at each welcome.
    pub token: String,
    /// The seat is the one of the token in the hello.
    pub back: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct InputInfo {
    pub name: String,
    /// `stick`, `aim` or `button`.
    pub how: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct KindInfo {
    pub name: String,
    pub player: bool,
    /// Metres.
    pub radius: f64,
    pub look: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bar: Option<String>,
    pub fields: Vec<FieldInfo>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FieldInfo {
    pub name: String,
    /// `bool`, `int` or `real`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Bounds, in the field's own unit; absent for a bool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub score: bool,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct MapInfo {
    /// Width and height in metres, around the origin.
    pub size: [f64; 2],
    pub ground: String,
    pub shapes: Vec<ShapeInfo>,
}

/// A static shape: `{"box":[x,y,halfWidth,halfHeight]}` or `{"disc":[x,y,radius]}`, metres.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeInfo {
    Box([f64; 4]),
    Disc([f64; 3]),
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct EffectInfo {
    pub name: String,
    pub look: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct RosterRow {
    pub seat: u16,
    pub name: String,
    /// `person`, `bot` or `ai`.
    pub driver: String,
    /// Its connection is lost; the seat is kept for its grace.
    pub away: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundInfo {
    pub n: u32,
    /// 1 or 0.
    pub live: u8,
    /// A tick; null for a round without end.
    pub ends_at: Option<u32>,
    /// Of the round that is over: seat, score, place each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<(u16, i32, u16)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Pong {
    /// The ping's own `c`.
    pub c: f64,
    /// The server's clock, milliseconds since 1970.
    pub st: u64,
    pub k: u32,
}
