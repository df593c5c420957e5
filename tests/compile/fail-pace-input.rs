//! An input as of a room that ticks in an event-driven one.
use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Table;

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Player;

pub struct Cards;
impl Rules for Cards {
    type Kinds = (Player,);
    type Input = Table;
    const ROOM: Room = Room::rounds(0).pace(Pace::OnEvent);
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Player, Anywhere)
    }
}

impl Body<Cards> for Player {}

fn main() {
    let _ = roundtable::rules::adapter::game::<Cards>();
}
