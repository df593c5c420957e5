//! One sort of context call, over and over, in a room of a hundred bodies: the instructions behind a unit of fuel.
//!
//! Each tick makes `TIMES` calls in one handler. `NOTHING` is the same tick without them, to be taken off.

use roundtable::prelude::*;
use roundtable::rules::adapter::game;
use roundtable::rules::face::Sim;

pub const TIMES: u32 = 50;
const BODIES: u32 = 100;

/// The sorts of calls: what `setup` is given is an index.
pub const CALLS: &[&str] = &["nothing", "random", "look", "edit", "spawn", "near", "ray", "effect", "timer"];

#[derive(Input, Clone, Default)]
pub struct Pad;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.5)]
pub struct Stone {
    weight: Int<0, 1_000>,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Watcher;

pub struct Calls<const CALL: u32>;

impl<const CALL: u32> Rules for Calls<CALL> {
    type Kinds = (Stone, Watcher);
    type Input = Pad;
    const ROOM: Room = Room::rounds(0).map(Map::flat(40, 40));

    fn open(w: &mut World<Self>) {
        w.scatter(BODIES, Stone::default());
    }
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Watcher, Anywhere)
    }
    fn tick(w: &mut World<Self>) {
        for i in 1..=TIMES {
            call(w, CALL, BodyId(i));
        }
    }
}

impl<const CALL: u32> Body<Calls<CALL>> for Watcher {}
impl<const CALL: u32> Body<Calls<CALL>> for Stone {}

fn call<const CALL: u32>(w: &mut World<Calls<CALL>>, sort: u32, id: BodyId) {
    let at = Vec2::new(f64::from(id.0) / 5.0 - 10.0, 3.0);
    match sort {
        1 => drop(w.random()),
        2 => drop(w.seen(id)),
        3 => drop(w.edit::<Stone>(id, |stone| stone.weight += 1)),
        4 => {
            if let Some(made) = w.spawn(Stone::default(), At(at)) {
                w.despawn(made);
            }
        }
        5 => drop(w.near::<Stone>(at, 5.0)),
        6 => drop(w.ray(None, Vec2::ZERO, at)),
        7 => w.effect("spark", at),
        8 => {
            w.after(10, "later");
            w.cancel("later");
        }
        _ => {}
    }
}

/// A room whose ticks make calls of this sort.
pub fn room(call: u32) -> Box<dyn Sim> {
    match call {
        0 => game::<Calls<0>>().create(7, 0),
        1 => game::<Calls<1>>().create(7, 0),
        2 => game::<Calls<2>>().create(7, 0),
        3 => game::<Calls<3>>().create(7, 0),
        4 => game::<Calls<4>>().create(7, 0),
        5 => game::<Calls<5>>().create(7, 0),
        6 => game::<Calls<6>>().create(7, 0),
        7 => game::<Calls<7>>().create(7, 0),
        _ => game::<Calls<8>>().create(7, 0),
    }
}
