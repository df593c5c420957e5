//! Saves: what a cut holds, what a damaged one is told, and what becomes of those of former versions of a game.

mod played;
mod then;
mod vectors;
