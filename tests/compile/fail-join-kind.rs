//! A seat's body that is of no player kind.
use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    go: Stick,
}

#[derive(Kind, Clone, Default)]
pub struct Runner;

pub struct Race;
impl Rules for Race {
    type Kinds = (Runner,);
    type Input = Pad;
    const ROOM: Room = Room::rounds(60);
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Runner, Anywhere)
    }
}

impl Body<Race> for Runner {}

fn main() {
    let _ = roundtable::rules::adapter::game::<Race>();
}
