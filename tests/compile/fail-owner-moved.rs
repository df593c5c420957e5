//! A client that says where its body is, with nothing to check that against.
use roundtable::prelude::*;

#[derive(Kind, Clone, Default)]
#[kind(player, owner_moved)]
pub struct Runner;

fn main() {}
