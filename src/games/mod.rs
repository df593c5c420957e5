//! The games this package ships. Each is one file that reads like a rule book; nothing else names a game.

pub mod arena;
pub mod cards;
pub mod isle;

use crate::rules::adapter::game;
use crate::rules::face::Registry;

/// Them all, by the first segment of their rooms' URLs: what the Worker serves, and what the tools look at.
#[rustfmt::skip] // One a line: `make new` adds its own.
pub const GAMES: Registry = &[
    ("arena", game::<arena::Arena>),
    ("cards", game::<cards::Cards>),
    ("isle", game::<isle::Isle>),
];
