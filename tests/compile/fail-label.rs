//! A label and a bar that name no field.
use roundtable::prelude::*;

#[derive(Kind, Clone, Default)]
#[kind(player, label = "title")]
pub struct Runner {
    name: Text<8>,
    hp: Int<0, 100>,
}

#[derive(Kind, Clone, Default)]
#[kind(bar = "hp")]
pub struct Coin;

fn main() {}
