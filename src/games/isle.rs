//! Isle: a lasting island. Pick up coins, buy shells at the market stall, trade with whoever stands by, and take a portal
//! to another isle; gold and shells are your character's, here and there.
//!
//! The island mints a coin for each one that is picked up and keeps count of all it has ever minted, and of what its till
//! holds: what characters carry, what lies about and what was spent can be held against it.

use crate::prelude::*;

const SPEED: f64 = 5.0;
const COINS: u32 = 24;
const SHORE: Vec2 = Vec2::ZERO;
/// Walkers come ashore within so many metres of the landing.
const LANDING: f64 = 4.0;
/// There is always a coin within so many metres of the landing, so that nobody comes ashore in vain.
const NEARBY: f64 = 8.0;
/// Hands reach so far: to the stall, into a portal, to another walker.
const REACH: f64 = 3.0;
const SHELL_PRICE: i32 = 3;

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
#[input(actions = Deed)]
pub struct Pad {
    pub r#move: Stick,
}

#[derive(Action, Clone, Debug)]
pub enum Deed {
    /// At the stall.
    Buy {
        shells: Int<1, 99>,
    },
    /// To a walker within reach: my gold for your shells.
    Offer {
        to: Option<SeatId>,
        gold: Int<1, 1_000_000>,
        shells: Int<1, 99>,
    },
    Accept {
        from: Option<SeatId>,
    },
    /// The portal I stand in.
    Enter,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, speed = 5.0, look = "disc #4af")]
pub struct Walker {
    #[durable]
    #[score]
    #[hud]
    pub gold: Int<0, 1_000_000_000>,
    #[durable]
    #[hud]
    pub shells: Int<0, 1_000_000>,
    /// What I have offered, and to whom.
    pub offered_to: Option<SeatId>,
    pub offered_gold: Int<0, 1_000_000>,
    pub asked_shells: Int<0, 99>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.35, look = "star #ffd166")]
pub struct Coin;

#[derive(Kind, Clone, Default)]
#[kind(radius = 1.2, look = "box #c97b4a", label = "sign")]
pub struct Stall {
    pub sign: Text<24>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 1.0, look = "ring #b388ff", label = "to")]
pub struct Portal {
    /// The room of this game that it leads to.
    pub to: Text<24>,
}

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Island {
    /// Coins ever made here.
    #[durable]
    pub minted: Int<0, 1_000_000_000>,
    /// Gold spent at the stall.
    #[durable]
    pub till: Int<0, 1_000_000_000>,
}

pub struct Isle;

impl Rules for Isle {
    type Kinds = (Walker, Coin, Stall, Portal, Island);
    type Input = Pad;
    const ROOM: Room = Room::lasting().characters().seats(16).map(GROUND).effects(&[
        ("chime", "burst #ffd166 sound:chime"),
        ("deal", "ring #7bdff2 sound:blip"),
        ("gone", "ring #b388ff sound:zap"),
    ]);

    fn open(w: &mut World<Self>) {
        for _ in 0..COINS {
            mint(w);
        }
        w.spawn(Stall { sign: "shells, 3 gold".into() }, At(Vec2::new(6.0, 6.0)));
        w.spawn(Portal { to: "dawn".into() }, At(Vec2::new(27.0, 27.0)));
        w.spawn(Portal { to: "dusk".into() }, At(Vec2::new(-27.0, -27.0)));
    }

    fn join(_: &mut World<Self>, seat: &Seat) -> Entry<Self> {
        let mut walker = seat.character::<Walker>().unwrap_or_default();
        walker.withdraw();
        Entry::new(walker, Around(SHORE, LANDING))
    }
}

impl Body<Isle> for Coin {}
impl Body<Isle> for Stall {}
impl Body<Isle> for Portal {}
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

    fn act(&mut self, me: &Me, deed: Deed, w: &mut World<Isle>) -> Result<(), Refusal> {
        match deed {
            Deed::Buy { shells } => self.buy(shells.get(), me, w),
            Deed::Offer { to, gold, shells } => {
                neighbour(to, me, w)?;
                if self.gold < gold {
                    return Err("you do not have that much gold".into());
                }
                (self.offered_to, self.offered_gold, self.asked_shells) =
                    (to, gold.get().into(), shells.get().into());
                Ok(())
            }
            Deed::Accept { from } => self.accept(from, me, w),
            Deed::Enter => {
                let portal =
                    w.nearest::<Portal>(me.at, REACH, 1).first().copied().ok_or("there is no portal here")?;
                let to = w.body::<Portal>(portal.id).map(|portal| portal.to).unwrap_or_default();
                w.effect("gone", me.at);
                w.travel(me, &to);
                Ok(())
            }
        }
    }
}

impl Walker {
    fn buy(&mut self, shells: i32, me: &Me, w: &mut World<Isle>) -> Result<(), Refusal> {
        let stall = w.nearest::<Stall>(me.at, REACH, 1).first().copied().ok_or("you are not at the stall")?;
        let price = shells * SHELL_PRICE;
        if self.gold < price {
            return Err(format!("that costs {price} gold").into());
        }
        self.gold -= price;
        self.shells += shells;
        w.share::<Island>(|island| island.till += price);
        // The greatest collections are kept for all to see: GET /api/records?game=isle&key=shells.
        if let Some(owner) = me.seat.and_then(|seat| w.owner_of(seat)).map(str::to_owned) {
            w.record(&owner, "shells", &self.shells.get().to_string());
        }
        w.effect("deal", stall.at);
        Ok(())
    }

    /// Takes an offer that was made to me: gold and shells change hands in one tick, or not at all.
    fn accept(&mut self, from: Option<SeatId>, me: &Me, w: &mut World<Isle>) -> Result<(), Refusal> {
        let giver = neighbour(from, me, w)?;
        let offer = w.body::<Walker>(giver.id).filter(|giver| giver.offered_to == me.seat);
        let offer = offer.ok_or("there is no offer to you")?;
        let (gold, shells) = (offer.offered_gold.get(), offer.asked_shells.get());
        if offer.gold < gold {
            return Err("they no longer have that much gold".into());
        }
        if self.shells < shells {
            return Err("you do not have that many shells".into());
        }
        w.edit::<Walker>(giver.id, |giver| {
            giver.gold -= gold;
            giver.shells += shells;
            giver.withdraw();
        });
        self.gold += gold;
        self.shells -= shells;
        w.effect("deal", me.at);
        Ok(())
    }

    fn withdraw(&mut self) {
        (self.offered_to, self.offered_gold, self.asked_shells) = (None, 0.into(), 0.into());
    }
}

/// The walker of another seat, within reach.
fn neighbour(seat: Option<SeatId>, me: &Me, w: &World<Isle>) -> Result<Other, Refusal> {
    let body = seat.filter(|seat| Some(*seat) != me.seat).and_then(|seat| w.body_of(seat));
    let other = body.and_then(|id| w.seen(id)).ok_or("there is nobody like that")?;
    if other.distance(me.at) > REACH {
        return Err("they are too far away".into());
    }
    Ok(other)
}

/// Makes a coin: by the landing when none lies there, else anywhere.
fn mint(w: &mut World<Isle>) {
    let place = if w.near::<Coin>(SHORE, NEARBY).is_empty() { Around(SHORE, NEARBY) } else { Anywhere };
    if w.spawn(Coin, place).is_some() {
        w.share::<Island>(|island| island.minted += 1);
    }
}
