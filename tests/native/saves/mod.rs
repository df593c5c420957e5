//! Saves: what a cut holds, what a damaged one is told, and what becomes of those of former versions of a game.

mod cuts;
mod digests;
mod evolution;
pub mod fair;
mod hostile;
pub mod played;
mod then;
mod vectors;
pub mod versions;
