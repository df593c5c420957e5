//! What a game maker writes: `Rules` for the room, `Body` for each kind. The rest of a game file is data.
//!
//! Handlers get one context, `World`. One that panics loses the changes of that call, is counted and named, and the room
//! goes on. Absent: clocks, sockets, accounts, storage.

use std::marker::PhantomData;

use crate::rules::engine::{Engine, Place};
use crate::rules::face::SeatInfo;
use crate::rules::ids::{BodyId, Seat};
use crate::rules::input::Input;
use crate::rules::kind::{Column, Kind, kind_index};
use crate::rules::kinds::Kinds;
use crate::rules::map::Map;
use crate::rules::motion::Motion;
use crate::rules::schema::Room;
use crate::rules::vec2::Vec2;
use crate::rules::world::World;

/// A game.
#[allow(unused_variables)]
pub trait Rules: Sized + 'static {
    /// Every kind of body there is, as a tuple.
    type Kinds: Kinds<Self>;
    /// What a player holds.
    type Input: Input;
    const ROOM: Room;

    /// The room is made, before anyone joins.
    fn open(w: &mut World<Self>) {}
    /// A seat is taken, or its body is made again for a new round: what body, and where.
    fn join(w: &mut World<Self>, seat: &SeatInfo) -> Entry<Self>;
    /// A seat is left; its body is gone already.
    fn leave(w: &mut World<Self>, seat: &SeatInfo) {}
    /// Each tick of a live round, after the bodies' own.
    fn tick(w: &mut World<Self>) {}
    /// A round begins: seats have their bodies.
    fn round_start(w: &mut World<Self>) {}
    /// A live round is over.
    fn round_end(w: &mut World<Self>) {}
}

/// What bodies of a kind do in a game. Handlers change `self`, which is written back, in bounds, when they succeed.
#[allow(unused_variables)]
pub trait Body<R: Rules>: Kind {
    /// Movement: pure, the same in the Table and in the browser.
    fn steer(&self, motion: &mut Motion, input: &R::Input, map: &Map) {}
    /// Each tick of a live round, after everything moved.
    fn tick(&mut self, me: &Me, w: &mut World<R>) {}
    /// Another body's disc overlaps this one's, each tick that it does.
    fn touch(&mut self, me: &Me, other: &Other, w: &mut World<R>) {}
    /// The body's seat is being left.
    fn leave(&mut self, me: &Me, w: &mut World<R>) {}
}

/// The body whose handler runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Me {
    pub id: BodyId,
    pub seat: Option<Seat>,
    /// Metres.
    pub at: Vec2,
    /// Radians from +x counter-clockwise.
    pub heading: f64,
}

/// Another body, as a handler sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Other {
    pub id: BodyId,
    /// Its kind's name.
    pub kind: &'static str,
    pub seat: Option<Seat>,
    /// Metres.
    pub at: Vec2,
    /// Radians from +x counter-clockwise.
    pub heading: f64,
}

/// Puts a row in its kind's column.
type PutRow = Box<dyn FnOnce(&mut Engine, BodyId)>;

/// The body a seat comes in with.
pub struct Entry<R> {
    pub(crate) kind: usize,
    pub(crate) place: Place,
    pub(crate) put: PutRow,
    rules: PhantomData<fn() -> R>,
}

impl<R: Rules> Entry<R> {
    /// A body of a player kind. Another kind does not compile.
    #[must_use]
    pub fn new<K: Body<R>>(body: K, place: Place) -> Entry<R> {
        const { assert!(K::SPEC.player, "a seat's body is of a player kind: #[kind(player, …)]") };
        let kind = IndexOf::<R, K>::INDEX;
        let put = Box::new(move |engine: &mut Engine, id| {
            if let Some(column) = engine.columns[kind].as_any_mut().downcast_mut::<Column<K>>() {
                column.put(id, body);
            }
        });
        Entry { kind, place, put, rules: PhantomData }
    }
}

/// The index of a kind in its game, known when the game is compiled.
pub struct IndexOf<R, K>(PhantomData<(R, K)>);

impl<R: Rules, K: Kind> IndexOf<R, K> {
    pub const INDEX: usize = kind_index(<R::Kinds as Kinds<R>>::SPECS, K::SPEC.name);
}
