//! Fresh: say here, in a sentence, what the game is.

use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    pub go: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #4af")]
pub struct Player {
    #[score]
    #[hud]
    pub points: Int<0, 999>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.3, look = "star #ffd166")]
pub struct Prize;

pub struct Fresh;

impl Rules for Fresh {
    type Kinds = (Player, Prize);
    type Input = Pad;
    const ROOM: Room = Room::rounds(120).seats(8).map(Map::flat(30, 20));

    fn round_start(w: &mut World<Self>) {
        w.scatter(10, Prize);
    }

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Player::default(), Anywhere)
    }
}

impl Body<Fresh> for Prize {}

impl Body<Fresh> for Player {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.go * 6.0, map);
    }

    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<Fresh>) {
        if w.take::<Prize>(other.id).is_some() {
            self.points += 1;
            w.spawn(Prize, Anywhere);
        }
    }
}

fn main() {}
