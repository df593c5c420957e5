//! Controls in an event-driven game, unknown attributes, a choice that is not at rest at its first name.
use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
#[input(on_event)]
pub struct Table {
    go: Stick,
}

#[derive(Input, Clone, Default)]
#[input(action = Deed)]
pub struct Pad {
    go: Stick,
}

#[derive(Choice, Clone, Copy, Default)]
pub enum Gear {
    Reverse,
    #[default]
    Idle,
    Forward,
}

#[derive(Input, Clone, Default)]
pub struct Wheel {
    gear: Gear,
}

#[derive(Input, Clone, Default)]
pub struct Nine {
    a: Stick,
    b: Stick,
    c: Stick,
    d: Stick,
    e: Stick,
    f: Stick,
    g: Stick,
    h: Stick,
    i: Stick,
}

fn main() {}
