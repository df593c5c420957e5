//! Saves: what a cut holds, what a damaged one is told, and what becomes of those of former versions of a game.

mod cuts;
mod evolution;
mod fair;
mod hostile;
mod played;
mod then;
mod vectors;
mod versions;
