//! Crowd: a lasting world that a player fills with as many bodies as a test wants, each with much to keep.

use roundtable::prelude::*;

/// Bodies that come with one press.
const FLOCK: u32 = 250;

#[derive(Input, Clone, Default)]
pub struct Pad {
    more: Button,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #7bd88f")]
pub struct Shepherd;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.2, look = "disc #eeeeee")]
pub struct Sheep {
    #[durable]
    number: Int<0, 100_000>,
    /// Kept, and sent to nobody: what makes the save large.
    #[local]
    memory: List<Int<0, 1_000_000_000>, 48>,
}

pub struct Crowd;

impl Rules for Crowd {
    type Kinds = (Shepherd, Sheep);
    type Input = Pad;
    const ROOM: Room = Room::lasting().seats(4).map(Map::flat(400, 400));

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Shepherd, At(Vec2::new(0.0, 0.0)))
    }
}

impl Body<Crowd> for Shepherd {
    fn tick(&mut self, me: &Me, w: &mut World<Crowd>) {
        if !w.input(me).more.pressed() {
            return;
        }
        for _ in 0..FLOCK {
            let (number, seed) = (w.random_below(100_000).into(), w.random_below(1_000_000));
            let memory = (0..48).map(|n| (999_000_000 + seed + n).into()).collect();
            w.spawn(Sheep { number, memory }, Anywhere);
        }
    }
}

impl Body<Crowd> for Sheep {}
