//! Fireflies: catch what glows; who has caught most at dusk wins.

use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    pub go: Stick,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5, look = "disc #4af")]
pub struct Catcher {
    #[score]
    #[hud]
    pub caught: Int<0, 999>,
}

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.3, look = "star #ffe066")]
pub struct Firefly;

pub struct Fireflies;

impl Rules for Fireflies {
    type Kinds = (Catcher, Firefly);
    type Input = Pad;
    const ROOM: Room =
        Room::rounds(90).seats(8).map(Map::flat(30, 20)).effects(&[("caught", "burst #ffe066 sound:chime")]);

    fn round_start(w: &mut World<Self>) {
        w.scatter(12, Firefly);
    }

    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Catcher::default(), Anywhere)
    }
}

impl Body<Fireflies> for Firefly {
    fn steer(&self, motion: &mut Motion, _: &Pad, map: &Map) {
        motion.slide(Vec2::at_angle(motion.heading + 0.2) * 1.5, map);
    }
}

impl Body<Fireflies> for Catcher {
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {
        motion.slide(pad.go * 6.0, map);
    }

    fn touch(&mut self, _: &Me, other: &Other, w: &mut World<Fireflies>) {
        if w.take::<Firefly>(other.id).is_some() {
            self.caught += 1;
            w.effect("caught", other.at);
            w.spawn(Firefly, Anywhere);
        }
    }
}
