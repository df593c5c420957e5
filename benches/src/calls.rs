//! One sort of context call, over and over, in a room of so many bodies: the instructions behind a unit of fuel, and the
//! time of a tick that spends all of its own.
//!
//! Each tick, five handlers make `times` calls each. `nothing` is the same tick without them, to be taken off.

use std::cell::Cell;

use roundtable::prelude::*;
use roundtable::rules::adapter::game;
use roundtable::rules::face::Sim;

/// The room's own handler and these bodies' make the calls: one handler may not spend a whole tick's fuel.
const SPENDERS: u32 = 4;
pub const HANDLERS: u32 = SPENDERS + 1;
/// Bodies made in a tick until the room has all: so few that no such tick is the costliest.
const MADE_A_TICK: u32 = 20;
const AREAS: u32 = 30;

type Call = fn(&mut World<Calls>, BodyId, Vec2, Option<&Me>);

/// The sorts of calls, by name: what `setup_calls` is given is an index.
pub const CALLS: &[(&str, Call)] = &[
    ("nothing", |_, _, _, _| ()),
    ("random", |w, _, _, _| {
        w.random();
    }),
    ("look", |w, id, _, _| {
        let _ = w.seen(id);
    }),
    ("edit", |w, id, _, _| {
        w.edit::<Stone>(id, |stone| stone.weight += 1);
    }),
    ("share", |w, _, _, _| w.share::<Board>(|board| board.count += 1)),
    ("spawn", |w, _, at, _| {
        if let Some(made) = w.spawn(Stone::default(), At(at)) {
            w.despawn(made);
        }
    }),
    ("replace", replace),
    ("put", |w, id, at, _| {
        w.put(id, At(at));
    }),
    ("near", |w, _, at, _| drop(w.near::<Stone>(at, 5.0))),
    ("moved", |w, id, at, _| {
        w.put(id, At(at));
        drop(w.near::<Spender>(at, 0.1));
    }),
    ("past", |w, _, at, me| drop(me.map(|me| w.past(me).near::<Stone>(at, 5.0)))),
    ("all", |w, _, _, _| drop(w.all::<Stone>())),
    ("ray", |w, _, at, _| {
        let _ = w.ray(None, Vec2::ZERO, at);
    }),
    ("open", |w, _, at, _| {
        let _ = w.is_open(Vec2::ZERO, at);
    }),
    ("effect", |w, _, at, _| w.effect("spark", at)),
    ("timer", |w, _, _, _| {
        w.after(10, "later");
        w.cancel("later");
    }),
    ("area", |w, _, at, _| {
        let made = w.area("fire", at, 1.0, 10);
        drop(w.areas_at(at));
        made.map(|made| w.end_area(made));
    }),
];

/// Takes the oldest stone, which lies first in every list, and makes another.
fn replace(w: &mut World<Calls>, _: BodyId, _: Vec2, _: Option<&Me>) {
    let task = TASK.get();
    if !w.despawn(BodyId(task.oldest)) {
        return;
    }
    TASK.set(Task { oldest: task.oldest + 1, ..task });
    // Apart from each other: touches are not what is counted here.
    let axis = |number: u32| f64::from(number % 39) - 19.0;
    w.spawn(Stone::default(), At(Vec2::new(axis(task.oldest), axis(task.oldest / 39))));
}

const WALLS: [Shape; 64] = {
    let mut walls = [Shape::disc(0.0, 18.0, 0.2); 64];
    let mut i = 0;
    while i < walls.len() {
        walls[i] = Shape::block(i as f64 * 0.5 - 16.0, -18.0, 0.2, 1.0);
        i += 1;
    }
    walls
};

#[derive(Clone, Copy, Default)]
struct Task {
    sort: u32,
    times: u32,
    bodies: u32,
    /// The stone that `replace` takes next.
    oldest: u32,
}

thread_local! {
    static TASK: Cell<Task> = const { Cell::new(Task { sort: 0, times: 0, bodies: 0, oldest: 0 }) };
}

#[derive(Input, Clone, Default)]
pub struct Pad;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.5, rewind)]
pub struct Stone {
    weight: Int<0, 1_000_000_000>,
}

#[derive(Kind, Clone, Default)]
pub struct Spender;

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Watcher;

#[derive(Kind, Clone, Default)]
#[kind(shared)]
pub struct Board {
    count: Int<0, 1_000_000>,
}

pub struct Calls;

impl Rules for Calls {
    type Kinds = (Stone, Watcher, Spender, Board);
    type Input = Pad;
    const ROOM: Room = Room::rounds(0).map(Map::flat(40, 40).shapes(&WALLS));

    fn open(w: &mut World<Self>) {
        w.scatter(SPENDERS, Spender);
        for i in 0..AREAS {
            w.area("steam", Vec2::new(f64::from(i), 0.0), 2.0, 1_000_000);
        }
    }
    fn join(_: &mut World<Self>, _: &Seat) -> Entry<Self> {
        Entry::new(Watcher, Anywhere)
    }
    fn tick(w: &mut World<Self>) {
        let missing = TASK.get().bodies.saturating_sub(w.count::<Stone>() as u32);
        w.scatter(missing.min(MADE_A_TICK), Stone::default());
        spend(w, None);
    }
}

impl Body<Calls> for Watcher {}
impl Body<Calls> for Stone {}
impl Body<Calls> for Board {}

impl Body<Calls> for Spender {
    fn tick(&mut self, me: &Me, w: &mut World<Calls>) {
        spend(w, Some(me));
    }
}

fn spend(w: &mut World<Calls>, me: Option<&Me>) {
    let Task { sort, times, bodies, .. } = TASK.get();
    let call = CALLS[sort as usize].1;
    for i in 0..times {
        let at = Vec2::new(f64::from(i % 100) / 5.0 - 10.0, 3.0);
        call(w, BodyId(SPENDERS + 1 + i % bodies.max(1)), at, me);
    }
}

/// A room of so many bodies whose ticks make so many calls of this sort in each handler.
pub fn room(sort: u32, times: u32, bodies: u32) -> Box<dyn Sim> {
    TASK.set(Task { sort, times, bodies, oldest: SPENDERS + 1 });
    game::<Calls>().create(7, 0)
}
