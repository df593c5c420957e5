//! Movement in a game that has no ticks.
use roundtable::prelude::*;

#[derive(Action, Clone)]
pub enum Deed {
    Pass,
}

#[derive(Input, Clone, Default)]
#[input(actions = Deed, on_event)]
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

impl Body<Cards> for Player {
    fn steer(&self, m: &mut Motion, _: &Table, map: &Map) {
        m.slide(Vec2::new(1.0, 0.0), map);
    }
}

fn main() {
    let _ = roundtable::rules::adapter::game::<Cards>();
}
