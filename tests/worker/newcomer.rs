//! Moles: run onto a mole before the bell, when they all dive and come up elsewhere.

use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    pub go: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #4af")]
pub struct Gardener {
    #[score]
    #[hud]
    pub whacked: Int<0, 999>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.4, look = "disc #7a4a2a")]
pub struct Mole;

pub struct Moles;

impl Rules for Moles {
    type Kinds = (Gardener, Mole);
    type Input = Pad;
    const ROOM: Room =
        Room::rounds(120).seats(8).map(Map::flat(30, 20)).effects(&[("whack", "burst #7a4a2a sound:chime")]);

    fn round_start(w: &mut World<Self>) {
        w.scatter(8, Mole);
        w.after(w.seconds(5.0), "bell");
    }

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Gardener::default(), Anywhere)
    }

    fn timer(w: &mut World<Self>, name: &str) {
        if name == "bell" {
            for mole in w.all::<Mole>() {
                w.take::<Mole>(mole.id);
            }
            w.scatter(8, Mole);
            w.after(w.seconds(5.0), "bell");
        }
    }
}

impl Body<Moles> for Mole {}

impl Body<Moles> for Gardener {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.go * 6.0, map);
    }

    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<Moles>) {
        if w.take::<Mole>(other.id).is_some() {
            self.whacked += 1;
            w.effect("whack", other.at);
        }
    }
}
