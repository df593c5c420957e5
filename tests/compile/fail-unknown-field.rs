//! A field that the kind does not have.
use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    go: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Runner {
    coins: Int<0, 9999>,
}

pub struct Race;
impl Rules for Race {
    type Kinds = (Runner,);
    type Input = Pad;
    const ROOM: Room = Room::rounds(60);
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Runner { lives: 3.into(), ..Runner::default() }, Anywhere)
    }
}

impl Body<Race> for Runner {
    fn tick(&mut self, me: &Me, w: &mut World<Race>) {
        if w.input(me).jump.pressed() {
            self.coin += 1;
        }
    }
}

fn main() {
    let _ = roundtable::rules::adapter::game::<Race>();
}
