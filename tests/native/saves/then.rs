//! The shipped games' kinds as they were when records of version 0 were written: those carry a hash of them, no names.

use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct ArenaPad {
    r#move: Stick,
    fire: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Fighter {
    hp: Int<0, 100>,
    #[score]
    score: Int<0, 999>,
    #[local]
    reload: Int<0, 20>,
    #[local]
    down: Int<0, 100>,
}

pub struct Arena;

impl Rules for Arena {
    type Kinds = (Fighter,);
    type Input = ArenaPad;
    const ROOM: Room = Room::rounds(180).seats(16).map(Map::flat(36, 36));

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Fighter::default(), Anywhere)
    }
}

impl Body<Arena> for Fighter {}

#[derive(Input, Clone, Default)]
pub struct IslePad {
    r#move: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Walker {
    #[durable]
    #[score]
    gold: Int<0, 1_000_000_000>,
}

#[derive(Kind, Clone, Default)]
pub struct Coin;

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Island {
    #[durable]
    minted: Int<0, 1_000_000_000>,
}

pub struct Isle;

impl Rules for Isle {
    type Kinds = (Walker, Coin, Island);
    type Input = IslePad;
    const ROOM: Room = Room::lasting().characters().seats(16).map(Map::flat(60, 60));

    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        Entry::new(seat.character::<Walker>().unwrap_or_default(), Anywhere)
    }
}

impl Body<Isle> for Walker {}
impl Body<Isle> for Coin {}
impl Body<Isle> for Island {}
