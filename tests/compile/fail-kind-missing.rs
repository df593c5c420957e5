//! A kind that the game uses and does not list.
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

pub struct Race;
impl Rules for Race {
    type Kinds = (Runner,);
    type Input = Pad;
    const ROOM: Room = Room::rounds(60);
    fn round_start(w: &mut World<Self>) {
        w.scatter(12, Coin);
    }
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Runner, Anywhere)
    }
}

impl Body<Race> for Runner {}
impl Body<Race> for Coin {}

fn main() {
    let _ = roundtable::rules::adapter::game::<Race>();
}
