//! The welcome: where a client is, who it is, and all that the game declares, so that a page holds no game.
//!
//! Types for both ends; `describe.rs` makes the declarations from a game. Keys that are absent mean nothing is said: no
//! bounds, no label, false. A client reads a welcome without the keys of later revisions.

use serde::{Deserialize, Serialize};

use crate::wire::client_message::Build;
use crate::wire::server_message::{AreaInfo, RosterRow, RoundInfo};

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
    #[serde(default)]
    pub actions: Vec<ActionInfo>,
    pub kinds: Vec<KindInfo>,
    #[serde(default, rename = "sharedKinds")]
    pub shared_kinds: Vec<SharedInfo>,
    pub map: MapInfo,
    #[serde(default)]
    pub camera: CameraInfo,
    /// Effects and areas, and how each is shown.
    pub fx: Vec<EffectInfo>,
    #[serde(default)]
    pub areas: Vec<AreaInfo>,
    pub roster: Vec<RosterRow>,
    pub round: RoundInfo,
    #[serde(default)]
    pub shared: serde_json::Map<String, serde_json::Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct You {
    pub seat: u16,
    pub occ: u32,
    /// The secret that gives this seat back; replaced at each welcome.
    pub token: String,
    /// The seat is the one of the token in the hello.
    pub back: bool,
    /// The newest action number that came in this stay; the next is greater. A reloaded page does not know it otherwise.
    #[serde(default)]
    pub n: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct InputInfo {
    pub name: String,
    /// `stick`, `aim`, `button`, `int` or `enum`.
    pub how: String,
    /// Bounds of an int.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i16>,
    /// Of an enum; the first is neutral.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ActionInfo {
    pub name: String,
    pub args: Vec<ArgInfo>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ArgInfo {
    pub name: String,
    #[serde(flatten)]
    pub ty: TypeInfo,
}

/// The type of a field, an argument, or a value of a list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct TypeInfo {
    /// `bool`, `int`, `real`, `vector`, `angle`, `enum`, `text`, `seat`, `body` or `list`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Bounds of an int, a real or each axis of a vector, in its own unit. Of a list `max` is how many values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i32>,
    /// What a real or an axis of a vector is a multiple of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Of an enum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Most characters of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars: Option<u16>,
    /// What a list holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Box<TypeInfo>>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct KindInfo {
    pub name: String,
    pub player: bool,
    /// Metres.
    pub radius: f64,
    pub look: String,
    /// The field written under the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The field drawn as a bar over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bar: Option<String>,
    /// Greatest speed, metres a second, and rate of turning, radians a second; absent is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<f64>,
    /// Its bodies push each other apart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solid: bool,
    /// A seat's own client moves it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub owned: bool,
    pub fields: Vec<FieldInfo>,
}

/// A kind of which the room has one row, shown to everyone.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct SharedInfo {
    pub name: String,
    pub fields: Vec<FieldInfo>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct FieldInfo {
    pub name: String,
    #[serde(flatten)]
    pub ty: TypeInfo,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub score: bool,
    /// Sent to the body's own seat alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Shown to the body's own seat at the edge of the screen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hud: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct MapInfo {
    /// Width and depth in metres, around the origin; with height, that comes third.
    pub size: Vec<f64>,
    pub ground: String,
    pub shapes: Vec<ShapeInfo>,
}

/// A static shape, metres: `{"box":[x,y,halfWidth,halfHeight]}`, `{"disc":[x,y,radius]}`, `{"polygon":[[x,y],…]}`, and on
/// maps with height `{"block":[x,y,z,hx,hy,hz]}` and `{"sphere":[x,y,z,radius]}`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeInfo {
    Box([f64; 4]),
    Disc([f64; 3]),
    Polygon(Vec<[f64; 2]>),
    Block([f64; 6]),
    Sphere([f64; 4]),
}

/// What a page shows of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(tag = "how", rename_all = "lowercase")]
pub enum CameraInfo {
    #[default]
    Whole,
    /// The own body in the middle, so many metres across the shorter side of the screen.
    Follow {
        metres: f64,
    },
    Fixed {
        at: [f64; 2],
        metres: f64,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct EffectInfo {
    pub name: String,
    pub look: String,
}
