//! The engine: one room's state, and every change to it, with an undo log. Not generic; `World<R>` is its typed face.
//!
//! Bodies lie in `heads` by rising id (where they are, whose they are) with their fields in one column per kind. A
//! handler's changes go through the methods here, each pushing its undo; a handler that fails is rolled back whole, with
//! its random draws, spawns and effects. Removed bodies stay marked `gone` until the end of the tick.

use std::any::Any;
use std::collections::BTreeMap;

use crate::limits::{BODIES_MAX, EFFECTS_PER_TICK_MAX, NOTES_PER_TICK_MAX, PLACE_TRIES_MAX};
use crate::rules::character::Character;
use crate::rules::datum::show;
use crate::rules::face::{Driver, Effect, Fault, Given, Note, Round};
use crate::rules::field::Fitted;
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::kind::AnyColumn;
use crate::rules::motion::{Pose, to_metres, to_steps};
use crate::rules::rng::Rng;
use crate::rules::schema::{Schema, runs};
use crate::rules::vec2::Vec2;

/// What every body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub id: BodyId,
    pub kind: u8,
    pub seat: Option<Seat>,
    pub pose: Pose,
    /// Removed in this tick.
    pub gone: bool,
}

/// A seat that somebody holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatState {
    pub name: String,
    pub driver: Driver,
    pub owner: Option<String>,
    pub body: Option<BodyId>,
    /// Of this tick only: set before it, not part of the state between ticks.
    pub held: Controls,
    pub pressed: u32,
}

/// Where a body is put.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A random spot clear of shapes.
    Anywhere,
    /// A point, metres; drawn in to the map's edge.
    At(Vec2),
    /// A random clear spot at most so many metres from a point.
    Around(Vec2, f64),
}

enum Undo {
    Spawned,
    Taken { kind: u8, id: BodyId, row: Box<dyn Any> },
    Edited { kind: u8, id: BodyId, row: Box<dyn Any> },
    Posed { id: BodyId, pose: Pose },
    Round(Round),
}

/// What to go back to when a handler fails.
struct Mark {
    rng: Rng,
    next_id: u32,
    effects: usize,
    effects_dropped: u32,
}

pub struct Engine {
    pub schema: Schema,
    pub tick: Tick,
    pub round: Round,
    pub rng: Rng,
    pub next_id: u32,
    pub heads: Vec<Head>,
    pub columns: Vec<Box<dyn AnyColumn>>,
    pub seats: BTreeMap<Seat, SeatState>,
    pub given: Given,
    /// The body whose handler runs: it holds its own copy, so nobody edits it meanwhile.
    pub running: Option<BodyId>,
    undo: Vec<Undo>,
    mark: Mark,
}

impl Engine {
    pub fn new(schema: Schema, columns: Vec<Box<dyn AnyColumn>>, seed: u64) -> Engine {
        let rng = Rng::new(seed);
        let round_ticks = schema.room.round_s.saturating_mul(schema.room.hz);
        let round = Round { number: 1, live: true, ends_at: (round_ticks > 0).then_some(Tick(round_ticks)) };
        Engine {
            schema,
            tick: Tick(0),
            round,
            rng,
            next_id: 1,
            heads: Vec::new(),
            columns,
            seats: BTreeMap::new(),
            given: Given::default(),
            running: None,
            undo: Vec::new(),
            mark: Mark { rng, next_id: 1, effects: 0, effects_dropped: 0 },
        }
    }

    // ---- Handlers: begin, then keep or roll back ----

    pub fn begin(&mut self) {
        self.undo.clear();
        self.mark = Mark {
            rng: self.rng,
            next_id: self.next_id,
            effects: self.given.effects.len(),
            effects_dropped: self.given.effects_dropped,
        };
    }

    /// Takes back everything since `begin`, newest first.
    pub fn roll_back(&mut self) {
        while let Some(undo) = self.undo.pop() {
            match undo {
                Undo::Spawned => {
                    if let Some(head) = self.heads.pop() {
                        self.columns[usize::from(head.kind)].remove(head.id);
                    }
                }
                Undo::Taken { kind, id, row } => {
                    self.columns[usize::from(kind)].put_back(id, row);
                    if let Some(head) = self.any_head_mut(id) {
                        head.gone = false;
                    }
                }
                Undo::Edited { kind, id, row } => self.columns[usize::from(kind)].put_back(id, row),
                Undo::Posed { id, pose } => {
                    if let Some(head) = self.any_head_mut(id) {
                        head.pose = pose;
                    }
                }
                Undo::Round(round) => self.round = round,
            }
        }
        self.rng = self.mark.rng;
        self.next_id = self.mark.next_id;
        self.given.effects.truncate(self.mark.effects);
        self.given.effects_dropped = self.mark.effects_dropped;
    }

    pub fn fault(&mut self, handler: String, message: String) {
        self.given.faults_count = self.given.faults_count.saturating_add(1);
        if self.given.faults.len() < NOTES_PER_TICK_MAX {
            self.given.faults.push(Fault { handler, message, stopped: false });
        }
    }

    pub fn note(&mut self, handler: &str, field: &str, fitted: Fitted) {
        self.given.notes_count = self.given.notes_count.saturating_add(1);
        if self.given.notes.len() < NOTES_PER_TICK_MAX {
            let Fitted { what, written } = fitted;
            self.given.notes.push(Note {
                handler: handler.to_owned(),
                what,
                field: field.to_owned(),
                written,
            });
        }
    }

    // ---- Bodies ----

    pub fn head(&self, id: BodyId) -> Option<&Head> {
        let i = self.heads.binary_search_by_key(&id, |head| head.id).ok()?;
        Some(&self.heads[i]).filter(|head| !head.gone)
    }

    fn any_head_mut(&mut self, id: BodyId) -> Option<&mut Head> {
        let i = self.heads.binary_search_by_key(&id, |head| head.id).ok()?;
        Some(&mut self.heads[i])
    }

    pub fn at(&self, id: BodyId) -> Option<Vec2> {
        self.head(id).map(|head| to_metres(head.pose.at))
    }

    /// The character that a seat plays: its body's kind, pose and fields.
    pub fn character(&self, seat: Seat) -> Option<Character> {
        let head = self.head(self.seats.get(&seat)?.body?)?;
        let kind = &self.schema.kinds[usize::from(head.kind)];
        let mut words = Vec::new();
        self.columns[usize::from(head.kind)].put_words(head.id, &mut words);
        let fields = runs(kind.fields, &words)
            .filter_map(|(field, run)| Some((field.name.to_owned(), show(field.ty, run)?)))
            .collect();
        Some(Character { kind: kind.name.to_owned(), pose: head.pose, fields })
    }

    /// The columns of shared kinds, with the kinds' indices.
    pub fn shared_columns(&self) -> impl Iterator<Item = (usize, &dyn AnyColumn)> {
        let columns = self.columns.iter().map(Box::as_ref).enumerate();
        columns.filter(|(kind, _)| self.schema.kinds[*kind].shared)
    }

    /// Adds the head of a new body; its row goes into the column next. None when the room is full of bodies.
    pub fn spawn(&mut self, kind: u8, seat: Option<Seat>, place: Place) -> Option<BodyId> {
        if self.heads.len() >= BODIES_MAX as usize || self.next_id == u32::MAX {
            return None;
        }
        let id = BodyId(self.next_id);
        self.next_id += 1;
        let at = self.find_place(self.schema.kinds[usize::from(kind)].radius, place);
        let pose = Pose { at: [to_steps(at.x), to_steps(at.y), 0], ..Pose::default() };
        self.heads.push(Head { id, kind, seat, pose, gone: false });
        self.undo.push(Undo::Spawned);
        Some(id)
    }

    /// Removes a body, with its row. False when it is not there, or is the one whose handler runs.
    pub fn remove(&mut self, id: BodyId) -> Option<Box<dyn Any>> {
        let kind = self.head(id)?.kind;
        let row = self.columns[usize::from(kind)].remove(id)?;
        if let Some(head) = self.any_head_mut(id) {
            head.gone = true;
        }
        Some(row)
    }

    /// Logs the row that `remove` took, so that a failing handler gives it back.
    pub fn log_taken(&mut self, kind: u8, id: BodyId, row: Box<dyn Any>) {
        self.undo.push(Undo::Taken { kind, id, row });
    }

    /// Logs the former row of a body that is edited.
    pub fn log_edited(&mut self, kind: u8, id: BodyId, row: Box<dyn Any>) {
        self.undo.push(Undo::Edited { kind, id, row });
    }

    /// Puts a body elsewhere, at rest.
    pub fn put(&mut self, id: BodyId, place: Place) -> bool {
        let Some(head) = self.head(id).copied() else {
            return false;
        };
        let at = self.find_place(self.schema.kinds[usize::from(head.kind)].radius, place);
        self.undo.push(Undo::Posed { id, pose: head.pose });
        if let Some(head) = self.any_head_mut(id) {
            head.pose.at = [to_steps(at.x), to_steps(at.y), 0];
            head.pose.velocity = [0; 3];
        }
        true
    }

    pub fn set_pose(&mut self, index: usize, pose: Pose) {
        if let Some(head) = self.heads.get_mut(index) {
            head.pose = pose;
        }
    }

    fn find_place(&mut self, radius: f64, place: Place) -> Vec2 {
        let map = self.schema.room.map;
        let (centre, reach) = match place {
            Place::At(at) if at.is_finite() => return map.within(at, radius),
            Place::At(_) => return Vec2::ZERO,
            Place::Anywhere => (Vec2::ZERO, map.half),
            Place::Around(at, metres) => {
                (if at.is_finite() { at } else { Vec2::ZERO }, Vec2::new(metres, metres))
            }
        };
        for _ in 0..PLACE_TRIES_MAX {
            let (x, y) = (self.rng.unit() * 2.0 - 1.0, self.rng.unit() * 2.0 - 1.0);
            let inside = !matches!(place, Place::Around(..)) || x * x + y * y <= 1.0;
            let at = map.within(centre + Vec2::new(x * reach.x, y * reach.y), radius);
            if inside && map.is_clear(at, radius) {
                return at;
            }
        }
        map.within(centre, radius)
    }

    /// Drops the bodies that were removed.
    pub fn sweep(&mut self) {
        self.undo.clear();
        self.heads.retain(|head| !head.gone);
    }

    // ---- Effects and rounds ----

    pub fn effect(&mut self, name: &'static str, at: Vec2) {
        if self.given.effects.len() >= EFFECTS_PER_TICK_MAX {
            self.given.effects_dropped = self.given.effects_dropped.saturating_add(1);
            return;
        }
        self.given.effects.push(Effect { name, at: [to_steps(at.x), to_steps(at.y), 0] });
    }

    /// Ends a live round with this tick.
    pub fn end_round(&mut self) {
        if self.round.live {
            self.undo.push(Undo::Round(self.round));
            self.round.ends_at = Some(self.tick);
        }
    }
}
