//! The game of the lease tests: each press mints a piece of gold, and the hall keeps count.

use roundtable::prelude::*;

pub struct Mint;

#[derive(Input, Clone, Default)]
pub struct Pad {
    mint: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5)]
pub struct Minter {
    #[durable]
    gold: Int<0, 1_000_000>,
}

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Hall {
    #[durable]
    minted: Int<0, 1_000_000>,
}

impl Rules for Mint {
    type Kinds = (Minter, Hall);
    type Input = Pad;
    const ROOM: Room = Room::lasting().characters().seats(2).map(Map::flat(16, 16));

    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        Entry::new(seat.character::<Minter>().unwrap_or_default(), At(Vec2::ZERO))
    }
}

impl Body<Mint> for Hall {}

impl Body<Mint> for Minter {
    fn tick(&mut self, me: &Me, w: &mut World<Mint>) {
        if w.input(me).mint.pressed() {
            self.gold += 1;
            w.share::<Hall>(|hall| hall.minted += 1);
        }
    }
}
