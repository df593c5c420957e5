//! Arguments that are no fields or have no names, and what is no set of actions.
use roundtable::prelude::*;

#[derive(Action, Clone)]
pub enum Deed {
    Play { card: usize, note: String },
}

#[derive(Action, Clone)]
pub enum Unnamed {
    Play(Int<0, 51>),
}

#[derive(Action, Clone)]
pub enum Nothing {}

#[derive(Action, Clone)]
pub struct Struct;

#[derive(Action, Clone)]
pub enum Many {
    Bid {
        a: bool,
        b: bool,
        c: bool,
        d: bool,
        e: bool,
        f: bool,
        g: bool,
        h: bool,
        i: bool,
    },
}

pub struct Word;

#[derive(Input, Clone, Default)]
#[input(actions = Word)]
pub struct Pad;

fn main() {}
