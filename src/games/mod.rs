//! The games this package ships. Each is one file that reads like a rule book; nothing else names a game.

pub mod arena;
pub mod isle;
