//! `World`: the one context that handlers get. A thin typed face over the engine.
//!
//! Every change made here is undone when the handler fails. Queries answer in a stable order, by rising body id.

use std::marker::PhantomData;

use crate::rules::contain::contain;
use crate::rules::engine::{Engine, Head, Place};
use crate::rules::face::Round;
use crate::rules::game::{Body, IndexOf, Me, Other, Rules};
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::input::{ControlReader, Controls, Input};
use crate::rules::kind::{Column, Kind, SHARED_ROW};
use crate::rules::map::Map;
use crate::rules::motion::{to_height, to_metres, to_radians};
use crate::rules::vec2::Vec2;

pub struct World<R> {
    pub(crate) engine: Engine,
    rules: PhantomData<fn() -> R>,
}

impl<R: Rules> World<R> {
    pub(crate) fn new(engine: Engine) -> World<R> {
        World { engine, rules: PhantomData }
    }

    // ---- Time and chance ----

    #[must_use]
    pub fn tick(&self) -> Tick {
        self.engine.tick
    }

    /// Ticks a second.
    #[must_use]
    pub fn hz(&self) -> u32 {
        self.engine.schema.room.hz
    }

    #[must_use]
    pub fn round(&self) -> Round {
        self.engine.round
    }

    /// Ends the live round with this tick.
    pub fn end_round(&mut self) {
        self.engine.end_round();
    }

    /// A random number from 0, included, to 1, excluded.
    pub fn random(&mut self) -> f64 {
        self.engine.rng.unit()
    }

    /// A random whole number from 0 to `bound`, excluded.
    pub fn random_below(&mut self, bound: u32) -> u32 {
        self.engine.rng.below(bound)
    }

    // ---- Bodies ----

    #[must_use]
    pub fn map(&self) -> &Map {
        &self.engine.schema.room.map
    }

    /// Makes a body. None when the room holds as many as it may.
    pub fn spawn<K: Body<R>>(&mut self, body: K, place: Place) -> Option<BodyId> {
        const { assert!(!K::SPEC.shared, "a shared kind is no body: `World::share` changes it") };
        let kind = const { IndexOf::<R, K>::INDEX };
        let id = self.engine.spawn(kind as u8, None, place)?;
        let fitted = self.fitted(body, "spawn");
        self.column_mut::<K>().put(id, fitted);
        Some(id)
    }

    /// Makes `count` bodies at random clear spots.
    pub fn scatter<K: Body<R>>(&mut self, count: u32, body: K) {
        for _ in 0..count {
            if self.spawn(body.clone(), Place::Anywhere).is_none() {
                return;
            }
        }
    }

    /// Takes a body of this kind out of the world. None when it is not there, or is the one whose handler runs. A
    /// player's body stays as long as its seat is held: taking one does not compile.
    pub fn take<K: Body<R>>(&mut self, id: BodyId) -> Option<K> {
        const { assert!(!K::SPEC.player, "a player's body goes with its seat: it cannot be taken") };
        let kind = const { IndexOf::<R, K>::INDEX };
        let head = self.engine.head(id)?;
        if usize::from(head.kind) != kind || self.engine.running == Some(id) {
            return None;
        }
        let row = self.engine.remove(id)?;
        let taken = row.downcast_ref::<K>().cloned();
        self.engine.log_taken(kind as u8, id, row);
        taken
    }

    /// A copy of a body's fields. Of the body whose handler runs: as they were when it began.
    #[must_use]
    pub fn body<K: Body<R>>(&self, id: BodyId) -> Option<K> {
        self.column::<K>().row(id).cloned()
    }

    /// Changes another body's fields; they are fitted at once. False when it is not there, or is the one whose handler
    /// runs: that one changes itself through `self`.
    pub fn edit<K: Body<R>>(&mut self, id: BodyId, change: impl FnOnce(&mut K)) -> bool {
        let kind = const { IndexOf::<R, K>::INDEX };
        if self.engine.running == Some(id) {
            return false;
        }
        let Some(mut row) = self.body::<K>(id) else {
            return false;
        };
        self.engine.log_edited(kind as u8, id, Box::new(row.clone()));
        change(&mut row);
        let fitted = self.fitted(row, "edit");
        self.column_mut::<K>().put(id, fitted);
        true
    }

    /// The shared state of this kind.
    #[must_use]
    pub fn shared<K: Body<R>>(&self) -> &K {
        const { assert!(K::SPEC.shared, "shared state is a kind marked so: #[kind(shared)]") };
        // `Column::new` and `restore` give a shared kind its row, and nothing takes it.
        self.column::<K>().row(SHARED_ROW).expect("a shared kind has its row")
    }

    /// Changes the shared state of this kind; its fields are fitted at once.
    pub fn share<K: Body<R>>(&mut self, change: impl FnOnce(&mut K)) {
        let kind = const { IndexOf::<R, K>::INDEX };
        let mut row = self.shared::<K>().clone();
        self.engine.log_edited(kind as u8, SHARED_ROW, Box::new(row.clone()));
        change(&mut row);
        let fitted = self.fitted(row, "share");
        self.column_mut::<K>().put(SHARED_ROW, fitted);
    }

    /// Puts a body elsewhere, at rest. False when it is not there.
    pub fn put(&mut self, id: BodyId, place: Place) -> bool {
        self.engine.put(id, place)
    }

    /// A body, as others see it.
    #[must_use]
    pub fn seen(&self, id: BodyId) -> Option<Other> {
        self.engine.head(id).map(|head| other(&self.engine, head))
    }

    /// Bodies of a kind whose centres lie within `metres` of a point, by rising id.
    #[must_use]
    pub fn near<K: Body<R>>(&self, at: Vec2, metres: f64) -> Vec<Other> {
        let ids = self.column::<K>().iter().map(|(id, _)| id);
        ids.filter_map(|id| self.seen(id)).filter(|o| o.at.distance(at) <= metres).collect()
    }

    /// How many bodies of a kind there are.
    #[must_use]
    pub fn count<K: Body<R>>(&self) -> usize {
        self.column::<K>().iter().count()
    }

    // ---- Seats and shows ----

    /// What the seat of a body holds in this tick; neutral for a body without a seat.
    #[must_use]
    pub fn input(&self, me: &Me) -> R::Input {
        seat_input::<R>(&self.engine, me.seat)
    }

    /// A one-tick cosmetic event at a point. It may be lost.
    pub fn effect(&mut self, name: &'static str, at: Vec2) {
        self.engine.effect(name, at);
    }

    // ---- Running handlers ----

    pub(crate) fn column<K: Kind>(&self) -> &Column<K> {
        let column = self.engine.columns[IndexOf::<R, K>::INDEX].as_any();
        // `Kinds::columns` makes column i a Column of kind i, and `INDEX` is K's.
        column.downcast_ref().expect("a kind's column holds that kind")
    }

    pub(crate) fn column_mut<K: Kind>(&mut self) -> &mut Column<K> {
        let column = self.engine.columns[IndexOf::<R, K>::INDEX].as_any_mut();
        column.downcast_mut().expect("a kind's column holds that kind")
    }

    fn fitted<K: Kind>(&mut self, mut row: K, handler: &'static str) -> K {
        let engine = &mut self.engine;
        row.fit(&mut |field, fitted| engine.note(&format!("{}.{handler}", K::SPEC.name), field, fitted));
        row
    }

    /// Runs a room's handler: kept whole, or undone whole and counted.
    pub(crate) fn run<T>(&mut self, handler: &'static str, f: impl FnOnce(&mut World<R>) -> T) -> Option<T> {
        self.engine.begin();
        match contain(|| f(self)) {
            Ok(value) => Some(value),
            Err(message) => {
                self.engine.roll_back();
                self.engine.fault(handler.to_owned(), message);
                None
            }
        }
    }

    /// Runs a body's handler on a copy, which is written back when it succeeds and the body is still there.
    pub(crate) fn run_body<K: Body<R>>(
        &mut self,
        id: BodyId,
        handler: &'static str,
        f: impl FnOnce(&mut K, &Me, &mut World<R>),
    ) {
        let (Some(head), Some(mut body)) =
            (self.engine.head(id).copied(), self.column::<K>().row(id).cloned())
        else {
            return;
        };
        let me = me(&self.engine, &head);
        self.engine.begin();
        self.engine.running = Some(id);
        let result = contain(|| f(&mut body, &me, self));
        self.engine.running = None;
        match result {
            Ok(()) => {
                let fitted = self.fitted(body, handler);
                self.column_mut::<K>().put(id, fitted);
            }
            Err(message) => {
                self.engine.roll_back();
                self.engine.fault(format!("{}.{handler}", K::SPEC.name), message);
            }
        }
    }
}

/// A seat's input in this tick, typed.
pub(crate) fn seat_input<R: Rules>(engine: &Engine, seat: Option<Seat>) -> R::Input {
    match seat.and_then(|seat| engine.seats.get(&seat)) {
        Some(state) => R::Input::read(&mut ControlReader::new(&state.held, state.pressed)),
        None => R::Input::read(&mut ControlReader::new(&Controls::default(), 0)),
    }
}

pub(crate) fn me(engine: &Engine, head: &Head) -> Me {
    let driver = head.seat.and_then(|seat| engine.seats.get(&seat)).map(|state| state.driver);
    Me {
        id: head.id,
        seat: head.seat,
        driver: driver.unwrap_or_default(),
        at: to_metres(head.pose.at),
        z: to_height(head.pose.at),
        velocity: to_metres(head.pose.velocity),
        heading: to_radians(head.pose.heading),
    }
}

pub(crate) fn other(engine: &Engine, head: &Head) -> Other {
    Other {
        id: head.id,
        kind: engine.schema.kinds[usize::from(head.kind)].name,
        seat: head.seat,
        at: to_metres(head.pose.at),
        z: to_height(head.pose.at),
        heading: to_radians(head.pose.heading),
    }
}
