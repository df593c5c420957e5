//! A crowd: 1,000 walkers on 100 m by 100 m with a few walls, each going its own way and turning when something stops it.

use roundtable::prelude::*;
use roundtable::rules::adapter::game;
use roundtable::rules::face::Sim;

pub const WALKERS: u32 = 1_000;
const SPEED: f64 = 4.0;

const GROUND: Map = Map::flat(100, 100).shapes(&[
    Shape::block(-20.0, 0.0, 2.0, 40.0),
    Shape::block(20.0, 10.0, 30.0, 2.0),
    Shape::disc(0.0, -25.0, 5.0),
    Shape::disc(30.0, -30.0, 3.0),
]);

#[derive(Input, Clone, Default)]
pub struct Pad;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.5, solid)]
pub struct Walker {
    bumps: Int<0, 1_000_000>,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Watcher;

pub struct Crowd;

impl Rules for Crowd {
    type Kinds = (Walker, Watcher);
    type Input = Pad;
    const ROOM: Room = Room::rounds(0).map(GROUND);

    fn open(w: &mut World<Self>) {
        w.scatter(WALKERS, Walker::default());
    }
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Watcher, Anywhere)
    }
}

impl Body<Crowd> for Watcher {}

impl Body<Crowd> for Walker {
    fn steer(&self, motion: &mut Motion, _: &Pad, map: &Map) {
        let stopped = motion.velocity.length() < SPEED / 2.0;
        let way = if stopped { Vec2::at_angle(motion.heading + 2.0) } else { motion.velocity.unit() };
        motion.slide(way * SPEED, map);
    }

    fn touch(&mut self, _: &Me, _: &Other, _: &mut World<Crowd>) {
        self.bumps += 1;
    }
}

/// The room at its first tick.
pub fn room() -> Box<dyn Sim> {
    game::<Crowd>().create(7, 0)
}
