//! The deterministic runtime (contract; see face.rs).
pub mod cut;
pub mod face;
pub mod ids;
pub mod input;
pub mod map;
pub mod schema;
pub mod vec2;
pub mod prelude { }
