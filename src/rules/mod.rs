//! The deterministic runtime: what a game is written in, and what runs it. No I/O, no clock, no `async`.
//!
//! A game file implements `Rules` and `Body` (game.rs) on kinds with typed fields (kind.rs, field) and gets one
//! context, `World`. `Engine` holds the state and the undo log, `step.rs` the order of a tick, `save` the records of a
//! cut, `evolve` what becomes of those of a former version of the game. The host sees only `face.rs`. Same state and
//! inputs, same digest, on every target: floats use exact operations and `libm` alone, orders are by id, and what is kept
//! is quantised.

pub mod adapter;
pub mod areas;
pub mod changes;
pub mod character;
pub mod claim;
pub mod contain;
pub mod cut;
pub mod datum;
pub mod engine;
pub mod evolve;
pub mod exact;
pub mod face;
pub mod field;
pub mod fuel;
pub mod game;
pub mod grid;
pub mod history;
pub mod ids;
pub mod input;
pub mod kind;
pub mod kinds;
pub mod map;
pub mod minds;
pub mod motion;
pub mod must;
pub mod polygon;
pub mod push;
pub mod ray;
pub mod replay;
pub mod rng;
pub mod rounds;
pub mod save;
pub mod schema;
pub mod shape;
pub mod slide;
pub mod stages;
pub mod step;
pub mod timers;
pub mod upkeep;
pub mod vec2;
pub mod vec3;
pub mod world;

/// What a game file imports.
pub mod prelude {
    pub use crate::rules::datum::OldFields;
    pub use crate::rules::engine::Place::{self, Anywhere, Around, At};
    pub use crate::rules::face::{Driver, SeatInfo as Seat};
    pub use crate::rules::field::{Angle, Int, List, Real, Text, Vector};
    pub use crate::rules::game::{Answer, Body, Entry, Me, Other, Refusal, Rules};
    pub use crate::rules::ids::{BodyId, Seat as SeatId};
    pub use crate::rules::input::{Aim, Button, Level, Stick};
    pub use crate::rules::map::{Map, Shape};
    pub use crate::rules::motion::Motion;
    pub use crate::rules::ray::RayHit;
    pub use crate::rules::rng::Rng;
    pub use crate::rules::schema::{Camera, Pace, Room};
    pub use crate::rules::vec2::Vec2;
    pub use crate::rules::vec3::Vec3;
    pub use crate::rules::world::World;
    pub use roundtable_macros::{Action, Choice, Input, Kind};
}
