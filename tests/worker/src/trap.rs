//! Trap: an imp panics in its tick handler for as long as `boom` is held. The room must not mind.

use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    go: Stick,
    boom: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #ff5d5d")]
pub struct Imp {
    ticks: Int<0, 1_000_000>,
}

pub struct Trap;

impl Rules for Trap {
    type Kinds = (Imp,);
    type Input = Pad;
    const ROOM: Room = Room::rounds(0).seats(8).map(Map::flat(20, 20));

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Imp::default(), Anywhere)
    }
}

impl Body<Trap> for Imp {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.go * 4.0, map);
    }

    fn tick(&mut self, me: &Me, w: &mut World<Trap>) {
        self.ticks += 1;
        assert!(!w.input(me).boom.down(), "the imp stepped on the trap");
    }
}
