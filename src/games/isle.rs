//! Isle: a lasting island. Walk about and pick up coins; the gold is your character's, here and on every other isle.
//!
//! The island mints a coin for each one that is picked up, and keeps count of all it has ever minted: what characters
//! carry and what lies about can be held against it.

use crate::prelude::*;

const SPEED: f64 = 5.0;
const COINS: u32 = 24;
const SHORE: Vec2 = Vec2::ZERO;
/// Walkers come ashore within so many metres of the landing.
const LANDING: f64 = 4.0;
/// There is always a coin within so many metres of the landing, so that nobody comes ashore in vain.
const NEARBY: f64 = 8.0;

/// Round rocks alone: whoever walks straight at a coin slides around them.
const GROUND: Map = Map::flat(60, 60).ground("grass #14302a").shapes(&[
    Shape::disc(-12.0, 9.0, 2.5),
    Shape::disc(13.0, 12.0, 3.0),
    Shape::disc(11.0, -13.0, 2.0),
    Shape::disc(-15.0, -11.0, 3.5),
    Shape::disc(0.0, 21.0, 3.0),
    Shape::disc(-22.0, 1.0, 2.5),
    Shape::disc(22.0, -3.0, 3.5),
    Shape::disc(1.0, -21.0, 2.5),
]);

#[derive(Input, Clone, Default)]
pub struct Pad {
    r#move: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #4af")]
pub struct Walker {
    #[durable]
    #[score]
    gold: Int<0, 1_000_000_000>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.35, look = "star #ffd166")]
pub struct Coin;

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Island {
    /// Coins ever made here.
    #[durable]
    minted: Int<0, 1_000_000_000>,
}

pub struct Isle;

impl Rules for Isle {
    type Kinds = (Walker, Coin, Island);
    type Input = Pad;
    const ROOM: Room =
        Room::lasting().characters().seats(16).map(GROUND).effects(&[("chime", "burst #ffd166")]);

    fn open(w: &mut World<Self>) {
        for _ in 0..COINS {
            mint(w);
        }
    }

    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        Entry::new(seat.character::<Walker>().unwrap_or_default(), Around(SHORE, LANDING))
    }
}

impl Body<Isle> for Coin {}
impl Body<Isle> for Island {}

impl Body<Isle> for Walker {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.r#move * SPEED, map);
    }

    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<Isle>) {
        if w.take::<Coin>(other.id).is_some() {
            self.gold += 1;
            w.effect("chime", other.at);
            mint(w);
        }
    }
}

/// Makes a coin: by the landing when none lies there, else anywhere.
fn mint(w: &mut World<Isle>) {
    let place = if w.near::<Coin>(SHORE, NEARBY).is_empty() { Around(SHORE, NEARBY) } else { Anywhere };
    if w.spawn(Coin, place).is_some() {
        w.share::<Island>(|island| island.minted += 1);
    }
}
