//! The smallest game there is: the taste that the runtime is measured by.
use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    go: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #4af")]
pub struct Runner {
    #[score]
    coins: Int<0, 9999>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.3, look = "star gold")]
pub struct Coin;

pub struct Coins;
impl Rules for Coins {
    type Kinds = (Runner, Coin);
    type Input = Pad;
    const ROOM: Room = Room::rounds(120).seats(8).map(Map::flat(40, 40));

    fn round_start(w: &mut World<Self>) {
        w.scatter(12, Coin);
    }
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Runner::default(), Anywhere)
    }
}

impl Body<Coins> for Coin {}
impl Body<Coins> for Runner {
    fn steer(&self, m: &mut Motion, pad: &Pad, map: &Map) {
        m.slide(pad.go * 6.0, map);
    }
    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<Coins>) {
        if w.take::<Coin>(other.id).is_some() {
            self.coins += 1;
            w.effect("chime", other.at);
            w.spawn(Coin, Anywhere);
        }
    }
}

fn main() {
    let _ = roundtable::rules::adapter::game::<Coins>();
}
