//! `World`: the one context that handlers get. A thin typed face over the engine.
//!
//! Every change made here is undone when the handler fails, and every call costs fuel. Here: bodies and shared state.
//! `queries.rs`: what is where, and was. `acts.rs`: time, chance, shows, seats, minds, what leaves. `run.rs`: how handlers
//! are run. Queries answer in a stable order, by rising body id unless they say otherwise.

mod acts;
mod queries;
mod run;

pub use acts::AreaHere;
pub use queries::{Hit, Seen};
pub(crate) use run::{Ran, seat_input};

use std::marker::PhantomData;

use crate::rules::engine::{Engine, Head, Place};
use crate::rules::fuel::cost;
use crate::rules::game::{Body, IndexOf, Me, Other, Rules};
use crate::rules::ids::BodyId;
use crate::rules::input::angle_word;
use crate::rules::kind::{Column, Kind, SHARED_ROW};
use crate::rules::motion::{to_height, to_metres, to_radians, to_steps};
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;

pub struct World<R> {
    pub(crate) engine: Engine,
    rules: PhantomData<fn() -> R>,
}

impl<R: Rules> World<R> {
    pub(crate) fn new(engine: Engine) -> World<R> {
        World { engine, rules: PhantomData }
    }

    /// Makes a body; its `spawn` runs after this handler. None when the room holds as many as it may.
    pub fn spawn<K: Body<R>>(&mut self, body: K, place: Place) -> Option<BodyId> {
        const { assert!(!K::SPEC.shared, "a shared kind is no body: `World::share` changes it") };
        const { assert!(!K::SPEC.player, "a player's body comes with its seat: `join` returns it") };
        let kind = const { IndexOf::<R, K>::INDEX };
        let id = self.engine.spawn(kind as u8, None, place)?;
        self.put_row(id, body, "spawn");
        Some(id)
    }

    /// Makes `count` bodies at random clear spots.
    pub fn scatter<K: Body<R>>(&mut self, count: u32, body: K) {
        self.engine.fuel.charge(cost::LOOK);
        for _ in 0..count {
            if self.spawn(body.clone(), Place::Anywhere).is_none() {
                return;
            }
        }
    }

    /// Takes a body of this kind out of the world. None when it is not there, or is the one whose handler runs (that one
    /// goes by `despawn`). A player's body stays as long as its seat is held: taking one does not compile.
    pub fn take<K: Body<R>>(&mut self, id: BodyId) -> Option<K> {
        const { assert!(!K::SPEC.player, "a player's body goes with its seat: it cannot be taken") };
        let kind = const { IndexOf::<R, K>::INDEX };
        self.engine.fuel.charge(cost::BODY);
        let head = self.engine.head(id)?;
        if usize::from(head.kind) != kind || self.engine.running == Some(id) {
            return None;
        }
        let row = self.engine.remove(id)?;
        let taken = row.downcast_ref::<K>().cloned();
        self.engine.log_taken(kind as u8, id, row);
        taken
    }

    /// Takes a body out of the world, also the one whose handler runs. False when it is not there, or is a player's: that
    /// one goes with its seat.
    pub fn despawn(&mut self, id: BodyId) -> bool {
        self.engine.fuel.charge(cost::LOOK);
        let kind = self.engine.head(id).map(|head| usize::from(head.kind));
        kind.is_some_and(|kind| !self.engine.schema.kinds[kind].player) && self.engine.despawn(id)
    }

    /// A copy of a body's fields. Of the body whose handler runs: as they were when it began.
    #[must_use]
    pub fn body<K: Body<R>>(&self, id: BodyId) -> Option<K> {
        self.engine.fuel.charge(cost::LOOK);
        self.column::<K>().row(id).cloned()
    }

    /// Changes another body's fields; they are fitted at once. False when it is not there, or is the one whose handler
    /// runs: that one changes itself through `self`.
    pub fn edit<K: Body<R>>(&mut self, id: BodyId, change: impl FnOnce(&mut K)) -> bool {
        let kind = const { IndexOf::<R, K>::INDEX };
        self.engine.fuel.charge(cost::CHANGE);
        if self.engine.running == Some(id) {
            return false;
        }
        let Some(mut row) = self.column::<K>().row(id).cloned() else {
            return false;
        };
        self.engine.log_edited(kind as u8, id, Box::new(row.clone()));
        change(&mut row);
        self.put_row(id, row, "edit");
        true
    }

    /// The shared state of this kind.
    #[must_use]
    pub fn shared<K: Body<R>>(&self) -> &K {
        const { assert!(K::SPEC.shared, "shared state is a kind marked so: #[kind(shared)]") };
        self.engine.fuel.charge(cost::LOOK);
        // `Column::new` and `restore` give a shared kind its row, and nothing takes it.
        self.column::<K>().row(SHARED_ROW).expect("a shared kind has its row")
    }

    /// Changes the shared state of this kind; its fields are fitted at once.
    pub fn share<K: Body<R>>(&mut self, change: impl FnOnce(&mut K)) {
        let kind = const { IndexOf::<R, K>::INDEX };
        self.engine.fuel.charge(cost::CHANGE);
        let mut row = self.shared::<K>().clone();
        self.engine.log_edited(kind as u8, SHARED_ROW, Box::new(row.clone()));
        change(&mut row);
        self.put_row(SHARED_ROW, row, "share");
    }

    /// Puts a body elsewhere, at rest. False when it is not there.
    pub fn put(&mut self, id: BodyId, place: Place) -> bool {
        self.engine.put(id, place)
    }

    /// Sets how a body moves, metres a second: what its `steer` finds. False when it is not there.
    pub fn send(&mut self, id: BodyId, velocity: impl Into<Vec3>) -> bool {
        let v: Vec3 = velocity.into();
        self.engine.repose(id, |pose| pose.velocity = [to_steps(v.x), to_steps(v.y), to_steps(v.z)])
    }

    /// Turns a body to look at an angle, radians. False when it is not there.
    pub fn turn(&mut self, id: BodyId, radians: f64) -> bool {
        self.engine.repose(id, |pose| pose.heading = angle_word(radians))
    }

    pub(crate) fn column<K: Kind>(&self) -> &Column<K> {
        let column = self.engine.columns[IndexOf::<R, K>::INDEX].as_any();
        // `Kinds::columns` makes column i a Column of kind i, and `INDEX` is K's.
        column.downcast_ref().expect("a kind's column holds that kind")
    }

    pub(crate) fn column_mut<K: Kind>(&mut self) -> &mut Column<K> {
        let column = self.engine.columns[IndexOf::<R, K>::INDEX].as_any_mut();
        column.downcast_mut().expect("a kind's column holds that kind")
    }

    /// Puts a row in, fitted.
    pub(crate) fn put_row<K: Kind>(&mut self, id: BodyId, row: K, handler: &'static str) {
        let fitted = self.fitted(row, handler);
        self.column_mut::<K>().put(id, fitted);
    }

    fn fitted<K: Kind>(&mut self, mut row: K, handler: &'static str) -> K {
        let engine = &mut self.engine;
        row.fit(&mut |field, fitted| engine.note(|| format!("{}.{handler}", K::SPEC.name), field, fitted));
        row
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

impl Me {
    /// Where it is in space.
    #[must_use]
    pub fn spot(&self) -> Vec3 {
        Vec3 { x: self.at.x, y: self.at.y, z: self.z }
    }
}

impl Other {
    /// Where it is in space.
    #[must_use]
    pub fn spot(&self) -> Vec3 {
        Vec3 { x: self.at.x, y: self.at.y, z: self.z }
    }

    /// Metres from its centre to a point on its own height.
    #[must_use]
    pub fn distance(&self, at: Vec2) -> f64 {
        self.at.distance(at)
    }
}
