//! The games that runs are of: the shipped ones, and a mint of our own, where everything that is made is counted.

use roundtable::games::{arena::Arena, cards::Cards, isle::Isle};
use roundtable::prelude::*;
use roundtable::rules::adapter::game;
use roundtable::rules::face::Game;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A match.
    Arena,
    /// By events.
    Cards,
    /// Lasting, with characters that travel between two rooms.
    Isle,
    /// The same, with a durable change at each press and each strike.
    Mint,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Arena, Kind::Cards, Kind::Isle, Kind::Mint];

    pub fn game(self) -> &'static dyn Game {
        match self {
            Kind::Arena => game::<Arena>(),
            Kind::Cards => game::<Cards>(),
            Kind::Isle => game::<Isle>(),
            Kind::Mint => game::<Mint>(),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Arena => "arena",
            Kind::Cards => "cards",
            Kind::Isle => "isle",
            Kind::Mint => "mint",
        }
    }

    pub fn rooms(self) -> &'static [&'static str] {
        if self.has_characters() { &["dawn", "dusk"] } else { &["dawn"] }
    }

    pub fn has_characters(self) -> bool {
        matches!(self, Kind::Isle | Kind::Mint)
    }
}

/// Each press of `mint` makes a piece of gold, and so does each strike; the hall counts both.
pub struct Mint;

#[derive(Input, Clone, Default)]
#[input(actions = Deed)]
pub struct Pad {
    go: Stick,
    mint: Button,
}

#[derive(Action, Clone, Debug)]
pub enum Deed {
    Strike,
    /// Half of my gold to whoever else is here: both have their part of it, or neither.
    Hand,
    /// To the other room.
    Go,
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
    #[durable]
    struck: Int<0, 1_000_000>,
}

impl Rules for Mint {
    type Kinds = (Minter, Hall);
    type Input = Pad;
    const ROOM: Room = Room::lasting().characters().seats(6).map(Map::flat(16, 16));

    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        Entry::new(seat.character::<Minter>().unwrap_or_default(), Anywhere)
    }
}

impl Body<Mint> for Hall {}

impl Body<Mint> for Minter {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.go * 4.0, map);
    }

    fn tick(&mut self, me: &Me, w: &mut World<Mint>) {
        if w.input(me).mint.pressed() {
            self.gold += 1;
            w.share::<Hall>(|hall| hall.minted += 1);
        }
    }

    fn act(&mut self, me: &Me, deed: Deed, w: &mut World<Mint>) -> Result<(), Refusal> {
        match deed {
            Deed::Strike => {
                self.gold += 1;
                w.share::<Hall>(|hall| hall.struck += 1);
            }
            Deed::Hand => {
                let other = w.all::<Minter>().into_iter().find(|other| other.id != me.id);
                let half = self.gold.get() / 2;
                if other.is_some_and(|other| w.edit::<Minter>(other.id, |theirs| theirs.gold += half)) {
                    self.gold -= half;
                }
                if let Some(owner) = me.seat.and_then(|seat| w.owner_of(seat)).map(str::to_owned) {
                    w.record(&owner, "handed", &half.to_string());
                }
            }
            Deed::Go => {
                // The room's own name leads nowhere: one of the two is another one.
                let to = if w.random_below(2) == 0 { "dawn" } else { "dusk" };
                w.travel(me, to);
            }
        }
        Ok(())
    }
}
