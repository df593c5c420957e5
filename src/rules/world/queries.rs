//! What is where: by id, by seat, by kind, within a radius, along a ray, the nearest; and where bodies were.
//!
//! Every query costs what it looks at. Answers are copies in a stable order.

use crate::rules::engine::Head;
use crate::rules::face::Driver;
use crate::rules::fuel::cost;
use crate::rules::game::{Body, IndexOf, Me, Other, Rules};
use crate::rules::history::Past;
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::map::Map;
use crate::rules::motion::{to_height, to_metres, to_radians, to_space};
use crate::rules::ray::Line;
use crate::rules::vec3::Vec3;
use crate::rules::world::{World, other};

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub at: Vec3,
    /// None: a shape of the map.
    pub body: Option<Other>,
}

impl<R: Rules> World<R> {
    #[must_use]
    pub fn map(&self) -> &Map {
        self.engine.fuel.charge(cost::LOOK);
        &self.engine.schema.room.map
    }

    /// A body, as others see it.
    #[must_use]
    pub fn seen(&self, id: BodyId) -> Option<Other> {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.head(id).map(|head| other(&self.engine, head))
    }

    /// The body that a seat has, if it has one.
    #[must_use]
    pub fn body_of(&self, seat: Seat) -> Option<BodyId> {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.seats.get(&seat)?.body
    }

    /// The seats that are held, by number.
    #[must_use]
    pub fn seats(&self) -> Vec<Seat> {
        self.charge_for(self.engine.seats.len());
        self.engine.seats.keys().copied().collect()
    }

    /// Who decides for a seat; none when nobody holds it.
    #[must_use]
    pub fn driver(&self, seat: Seat) -> Option<Driver> {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.seats.get(&seat).map(|state| state.driver)
    }

    /// The name its holder goes by.
    #[must_use]
    pub fn name_of(&self, seat: Seat) -> Option<&str> {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.seats.get(&seat).map(|state| state.name.as_str())
    }

    /// Whose seat it is: an account, or nobody's.
    #[must_use]
    pub fn owner_of(&self, seat: Seat) -> Option<&str> {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.seats.get(&seat)?.owner.as_deref()
    }

    /// Every body of a kind.
    #[must_use]
    pub fn all<K: Body<R>>(&self) -> Vec<Other> {
        let ids = self.column::<K>().iter().map(|(id, _)| id);
        let bodies: Vec<Other> = ids.filter_map(|id| self.other(id)).collect();
        self.charge_for(bodies.len());
        bodies
    }

    /// How many bodies of a kind there are.
    #[must_use]
    pub fn count<K: Body<R>>(&self) -> usize {
        self.engine.fuel.charge(cost::LOOK);
        self.column::<K>().len()
    }

    /// Bodies of a kind whose centres lie within `metres` of a point.
    #[must_use]
    pub fn near<K: Body<R>>(&self, at: impl Into<Vec3>, metres: f64) -> Vec<Other> {
        let (at, kind) = (at.into(), const { IndexOf::<R, K>::INDEX });
        let mut found = Vec::new();
        let looked = self.engine.near(at, metres, &mut |head| {
            if usize::from(head.kind) == kind {
                found.push(other(&self.engine, head));
            }
        });
        self.engine.fuel.charge(cost::NEAR);
        self.charge_for(looked);
        found.sort_by_key(|other| other.id);
        found
    }

    /// The `count` bodies of a kind that are nearest to a point and within `metres` of it, nearest first; of two as near
    /// the one with the lower id.
    #[must_use]
    pub fn nearest<K: Body<R>>(&self, at: impl Into<Vec3>, metres: f64, count: usize) -> Vec<Other> {
        let at = at.into();
        let mut found = self.near::<K>(at, metres);
        found.sort_by(|a, b| a.spot().distance(at).total_cmp(&b.spot().distance(at)).then(a.id.cmp(&b.id)));
        found.truncate(count);
        found
    }

    /// Whether the straight line between two points meets no shape of the map.
    #[must_use]
    pub fn is_open(&self, from: impl Into<Vec3>, to: impl Into<Vec3>) -> bool {
        self.charge_for_shapes();
        self.map().ray(from.into(), to.into()).is_none()
    }

    /// What the straight line from one point to another meets first, a shape or a body; `me` is passed over.
    #[must_use]
    pub fn ray(&self, me: Option<BodyId>, from: impl Into<Vec3>, to: impl Into<Vec3>) -> Option<Hit> {
        let (from, to) = (from.into(), to.into());
        self.charge_for_shapes();
        self.charge_for(self.engine.heads.len());
        let wall = self.map().ray(from, to);
        let mut first = wall.map_or(f64::INFINITY, |hit| hit.part);
        let mut hit = wall.map(|hit| Hit { at: hit.at, body: None });
        let Some(line) = Line::new(from, to) else { return hit };
        for head in self.engine.heads.iter().filter(|head| !head.gone && Some(head.id) != me) {
            let radius = self.engine.schema.kinds[usize::from(head.kind)].radius;
            let part = line.sphere(to_space(head.pose.at), radius);
            if let Some(part) = part.filter(|part| *part < first) {
                first = part;
                hit = Some(Hit { at: from + (to - from) * part, body: Some(other(&self.engine, head)) });
            }
        }
        hit
    }

    /// The world as the seat of a body saw it when it acted. Kinds with `rewind` are where they were then, others where
    /// they are.
    #[must_use]
    pub fn past(&self, me: &Me) -> Seen<'_, R> {
        self.engine.fuel.charge(cost::LOOK);
        let back = me.seat.and_then(|seat| self.engine.seats.get(&seat)).map_or(0, |state| state.rewind);
        let tick = Tick(self.engine.tick.0.saturating_sub(u32::from(back)));
        Seen { world: self, tick: (back > 0).then_some(tick) }
    }

    fn other(&self, id: BodyId) -> Option<Other> {
        self.engine.head(id).map(|head| other(&self.engine, head))
    }

    pub(super) fn charge_for(&self, bodies: usize) {
        // At most BODIES_MAX of them.
        self.engine.fuel.charge(cost::LOOK + (bodies / cost::BODIES_PER_UNIT) as u32);
    }

    fn charge_for_shapes(&self) {
        let shapes = self.engine.schema.room.map.shapes.len();
        self.engine.fuel.charge(cost::LOOK + (shapes / cost::SHAPES_PER_UNIT) as u32);
    }
}

/// The world as it was seen; `World::past` says by whom and when.
pub struct Seen<'a, R> {
    world: &'a World<R>,
    /// None: now.
    tick: Option<Tick>,
}

impl<R: Rules> Seen<'_, R> {
    /// A body where it was then; none when it was not there, or is there no more.
    #[must_use]
    pub fn seen(&self, id: BodyId) -> Option<Other> {
        self.world.engine.fuel.charge(cost::LOOK);
        self.then(self.world.engine.head(id)?)
    }

    /// Bodies of a kind whose centres lay within `metres` of a point.
    #[must_use]
    pub fn near<K: Body<R>>(&self, at: impl Into<Vec3>, metres: f64) -> Vec<Other> {
        let at = at.into();
        let column = self.world.column::<K>();
        self.world.charge_for(column.len());
        let heads = column.iter().filter_map(|(id, _)| self.world.engine.head(id));
        heads.filter_map(|head| self.then(head)).filter(|o| o.spot().distance(at) <= metres).collect()
    }

    fn then(&self, head: &Head) -> Option<Other> {
        let engine = &self.world.engine;
        let now = other(engine, head);
        match self.tick {
            Some(tick) if engine.schema.kinds[usize::from(head.kind)].rewind => {
                let Past { at, heading, .. } = engine.history.at(tick, head.id)?;
                Some(Other { at: to_metres(at), z: to_height(at), heading: to_radians(heading), ..now })
            }
            _ => Some(now),
        }
    }
}
