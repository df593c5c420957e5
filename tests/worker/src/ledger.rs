//! Ledger: a lasting world whose clerks count. `count` is durable, so each press of `add` is a commit of its tick.

use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    go: Stick,
    add: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #7bd88f")]
pub struct Clerk {
    #[durable]
    #[score]
    count: Int<0, 1_000_000>,
}

pub struct Ledger;

impl Rules for Ledger {
    type Kinds = (Clerk,);
    type Input = Pad;
    const ROOM: Room = Room::lasting().seats(8).map(Map::flat(20, 20));

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Clerk::default(), Anywhere)
    }
}

impl Body<Ledger> for Clerk {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.go * 4.0, map);
    }

    fn tick(&mut self, me: &Me, w: &mut World<Ledger>) {
        if w.input(me).add.pressed() {
            self.count += 1;
        }
    }
}
