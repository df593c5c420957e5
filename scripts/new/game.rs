//! NewGame: run about and pick up coins; who has most when the round ends wins.

use roundtable::prelude::*;

const COINS: u32 = 12;
const SPEED: f64 = 6.0;

/// What a player holds.
#[derive(Input, Clone, Default)]
pub struct Pad {
    pub r#move: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, speed = 6, look = "disc #4af")]
pub struct Runner {
    #[score]
    #[hud]
    pub coins: Int<0, 9_999>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.3, look = "star #ffd166")]
pub struct Coin;

pub struct NewGame;

impl Rules for NewGame {
    type Kinds = (Runner, Coin);
    type Input = Pad;
    const ROOM: Room = Room::rounds(120)
        .seats(8)
        .bots_on_request(4)
        .map(Map::flat(30, 30).ground("grid #16202e").shapes(&[Shape::disc(0.0, 0.0, 2.0)]))
        .effects(&[("coin", "burst #ffd166 sound:chime")]);

    fn round_start(w: &mut World<Self>) {
        w.scatter(COINS, Coin);
    }

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Runner::default(), Anywhere)
    }
}

impl Body<NewGame> for Coin {}

impl Body<NewGame> for Runner {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.r#move * SPEED, map);
    }

    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<NewGame>) {
        if w.take::<Coin>(other.id).is_some() {
            self.coins += 1;
            w.effect("coin", other.at);
            w.spawn(Coin, Anywhere);
        }
    }

    /// A bot runs to the nearest coin.
    fn bot(&self, me: &Me, w: &World<NewGame>, _: &mut Rng) -> Pad {
        let coin = w.nearest::<Coin>(me.at, 60.0, 1).first().copied();
        Pad { r#move: coin.map_or(Vec2::ZERO, |coin| (coin.at - me.at).unit()) }
    }
}
