//! A kind that is listed, and of which nothing is said what its bodies do; and a struct that is no kind.
use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    go: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Runner;

#[derive(Kind, Clone, Default)]
pub struct Coin;

#[derive(Clone, Default)]
pub struct Tree;

pub struct Race;
impl Rules for Race {
    type Kinds = (Runner, Coin);
    type Input = Pad;
    const ROOM: Room = Room::rounds(60);
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Runner, Anywhere)
    }
}

impl Body<Race> for Runner {}
impl Body<Race> for Tree {}

fn main() {}
