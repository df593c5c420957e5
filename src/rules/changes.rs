//! The changes a handler may make, each with its undo. `engine.rs` says how a failed handler is rolled back.

use std::any::Any;

use crate::limits::{
    AVOIDED_MAX, BODIES_MAX, EFFECTS_PER_TICK_MAX, GOAL_CHARS_MAX, LABEL_CHARS_MAX, OWNER_CHARS_MAX,
    PLACE_TRIES_MAX, QUESTION_CHARS_MAX, RECORD_KEY_CHARS_MAX, RECORD_VALUE_CHARS_MAX, RECORDS_PER_TICK_MAX,
};
use crate::rules::areas::AreaId;
use crate::rules::engine::{Engine, Head, Place, Undo};
use crate::rules::face::{Ask, AskId, Driver, Effect, Record, Travel};
use crate::rules::fuel::cost;
use crate::rules::ids::{BodyId, Seat};
use crate::rules::minds::Mind;
use crate::rules::motion::{Pose, space_steps, to_steps};
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;

/// The first `max` characters of a text.
fn cut(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

impl Engine {
    // ---- Bodies ----

    /// Adds the head of a new body; its row goes into the column next. None when the room is full of bodies.
    pub fn spawn(&mut self, kind: u8, seat: Option<Seat>, place: Place) -> Option<BodyId> {
        self.fuel.charge(cost::BODY);
        // Rules cannot fill a room up so far that a seat finds no place for its body. Ids fit a field's word.
        let seats = if seat.is_none() { u32::from(self.schema.room.seats) } else { 0 };
        if self.heads.len() >= (BODIES_MAX - seats) as usize || self.next_id >= i32::MAX as u32 {
            return None;
        }
        let id = BodyId(self.next_id);
        self.next_id += 1;
        let at = space_steps(self.find_place(self.schema.kinds[usize::from(kind)].radius, place));
        self.heads.push(Head { id, kind, seat, pose: Pose { at, ..Pose::default() }, gone: false });
        self.grid_is_stale.set(true);
        self.undo.push(Undo::Spawned);
        self.fresh.push_back(id);
        Some(id)
    }

    /// Removes a body, with its row. None when it is not there.
    pub fn remove(&mut self, id: BodyId) -> Option<Box<dyn Any>> {
        let kind = self.head(id)?.kind;
        let row = self.columns[usize::from(kind)].remove(id)?;
        if let Some(head) = self.any_head_mut(id) {
            head.gone = true;
        }
        Some(row)
    }

    /// Takes a body out of the world; a failing handler gives it back. The one whose handler runs goes when that ends.
    pub fn despawn(&mut self, id: BodyId) -> bool {
        self.fuel.charge(cost::BODY);
        let Some(head) = self.head(id).copied() else { return false };
        if self.running == Some(id) {
            return !std::mem::replace(&mut self.running_gone, true);
        }
        let Some(row) = self.remove(id) else { return false };
        self.undo.push(Undo::Taken { kind: head.kind, id, row });
        true
    }

    /// Logs the row that `remove` took, so that a failing handler gives it back.
    pub fn log_taken(&mut self, kind: u8, id: BodyId, row: Box<dyn Any>) {
        self.undo.push(Undo::Taken { kind, id, row });
    }

    /// Logs the former row of a body that is edited.
    pub fn log_edited(&mut self, kind: u8, id: BodyId, row: Box<dyn Any>) {
        self.undo.push(Undo::Edited { kind, id, row });
    }

    /// Changes where a body is and how it moves.
    pub fn repose(&mut self, id: BodyId, change: impl FnOnce(&mut Pose)) -> bool {
        self.fuel.charge(cost::CHANGE);
        let Some(pose) = self.head(id).map(|head| head.pose) else { return false };
        self.undo.push(Undo::Posed { id, pose });
        if let Some(head) = self.any_head_mut(id) {
            change(&mut head.pose);
            let moved = head.pose.at != pose.at;
            self.grid_is_stale.set(self.grid_is_stale.get() || moved);
        }
        true
    }

    /// Puts a body elsewhere, at rest.
    pub fn put(&mut self, id: BodyId, place: Place) -> bool {
        self.fuel.charge(cost::LOOK);
        let Some(kind) = self.head(id).map(|head| head.kind) else { return false };
        let at = space_steps(self.find_place(self.schema.kinds[usize::from(kind)].radius, place));
        self.repose(id, |pose| *pose = Pose { at, velocity: [0; 3], heading: pose.heading })
    }

    pub fn set_pose(&mut self, index: usize, pose: Pose) {
        self.grid_is_stale.set(true);
        if let Some(head) = self.heads.get_mut(index) {
            head.pose = pose;
        }
    }

    fn find_place(&mut self, radius: f64, place: Place) -> Vec3 {
        let map = self.schema.room.map;
        let (centre, reach) = match place {
            Place::At(at) if at.is_finite() => return Vec3::from(map.within(at, radius)),
            Place::Above(at) if at.is_finite() => return map.within3(at, radius),
            Place::At(_) | Place::Above(_) => return Vec3::ZERO,
            Place::Anywhere => (Vec2::ZERO, map.half),
            Place::Around(at, metres) => {
                (if at.is_finite() { at } else { Vec2::ZERO }, Vec2::new(metres, metres))
            }
        };
        let price = cost::TRY + (map.shapes.len() / cost::SHAPES_PER_UNIT) as u32;
        for _ in 0..PLACE_TRIES_MAX {
            self.fuel.charge(price);
            let (x, y) = (self.rng.unit() * 2.0 - 1.0, self.rng.unit() * 2.0 - 1.0);
            let inside = !matches!(place, Place::Around(..)) || x * x + y * y <= 1.0;
            let at = map.within(centre + Vec2::new(x * reach.x, y * reach.y), radius);
            if inside && map.is_clear(at, radius) {
                return Vec3::from(at);
            }
        }
        Vec3::from(map.within(centre, radius))
    }

    // ---- Time ----

    /// Sets a timer, so many units of `now` from now; the soonest is the next step.
    pub fn set_timer(&mut self, delay: u32, body: Option<BodyId>, name: &str) -> bool {
        self.fuel.charge(cost::OUTPUT + (self.timers.list.len() / cost::TIMERS_PER_UNIT) as u32);
        let due = self.now().saturating_add(u64::from(delay.max(1)));
        let Some(id) = self.timers.set(due, body, &cut(name, LABEL_CHARS_MAX)) else { return false };
        self.undo.push(Undo::TimerSet(id));
        true
    }

    /// Takes the timers of this name away. Says whether there were any.
    pub fn cancel_timers(&mut self, body: Option<BodyId>, name: &str) -> bool {
        self.fuel.charge(cost::OUTPUT + (self.timers.list.len() / cost::TIMERS_PER_UNIT) as u32);
        let named = self.timers.named(body, name);
        for timer in named.iter().filter_map(|id| self.timers.remove(*id)).collect::<Vec<_>>() {
            self.undo.push(Undo::TimerGone(timer));
        }
        !named.is_empty()
    }

    /// Ends a live round with this step.
    pub fn end_round(&mut self) {
        self.fuel.charge(cost::CHANGE);
        if self.round.live {
            self.undo.push(Undo::Round(self.round));
            self.round.ends_at = Some(self.tick);
        }
    }

    /// The match begins anew when this step is over.
    pub fn restart(&mut self) {
        self.fuel.charge(cost::CHANGE);
        self.restart_due = true;
    }

    // ---- What is seen ----

    pub fn effect(&mut self, name: &'static str, at: Vec3) {
        self.fuel.charge(cost::OUTPUT);
        if self.given.effects.len() >= EFFECTS_PER_TICK_MAX {
            self.given.effects_dropped = self.given.effects_dropped.saturating_add(1);
            return;
        }
        self.given.effects.push(Effect { name, at: space_steps(at) });
    }

    /// Makes an area that lasts so many units of `now`. None when there are as many as there may be.
    pub fn make_area(&mut self, name: &str, at: Vec3, radius: f64, lasts: u32) -> Option<AreaId> {
        self.fuel.charge(cost::OUTPUT);
        let ends = self.now().saturating_add(u64::from(lasts));
        let (at, radius) = (space_steps(at), to_steps(radius).max(0));
        let id = self.areas.make(&cut(name, LABEL_CHARS_MAX), at, radius, ends)?;
        self.undo.push(Undo::AreaMade(id));
        self.given.areas_changed = true;
        Some(id)
    }

    pub fn end_area(&mut self, id: AreaId) -> bool {
        self.fuel.charge(cost::OUTPUT);
        let Some(area) = self.areas.remove(id) else { return false };
        self.undo.push(Undo::AreaGone(area));
        self.given.areas_changed = true;
        true
    }

    // ---- Minds ----

    /// Asks the mind of a seat. A bot has nobody to ask: its floor answers in the next step. None for a person.
    pub fn ask(&mut self, seat: Seat, question: &str, delay: u32) -> Option<AskId> {
        self.fuel.charge(cost::OUTPUT);
        let driver = self.seats.get(&seat)?.driver;
        let delay = match driver {
            Driver::Person => return None,
            Driver::Bot => 1,
            Driver::Ai => delay.max(1),
        };
        let deadline = self.now().saturating_add(u64::from(delay));
        let question = cut(question, QUESTION_CHARS_MAX);
        let id = self.asks.ask(seat, question.clone(), deadline)?;
        self.undo.push(Undo::Asked(id));
        if driver == Driver::Ai {
            self.given.asks.push(Ask { id, seat, question, deadline });
        }
        Some(id)
    }

    /// Changes what the driver of a seat keeps; false for a seat that nobody holds.
    pub fn change_mind(&mut self, seat: Seat, change: impl FnOnce(&mut Mind)) -> bool {
        self.fuel.charge(cost::CHANGE);
        let Some(state) = self.seats.get_mut(&seat) else { return false };
        let mind = state.mind.clone();
        change(&mut state.mind);
        state.mind.goal = cut(&state.mind.goal, GOAL_CHARS_MAX);
        let over = state.mind.avoided.len().saturating_sub(AVOIDED_MAX);
        state.mind.avoided.drain(..over);
        self.undo.push(Undo::Mind { seat, mind });
        true
    }

    // ---- What leaves ----

    /// Something to be kept outside of the room. False when it is too much for one step.
    pub fn record(&mut self, owner: &str, key: &str, value: &str) -> bool {
        self.fuel.charge(cost::OUTPUT);
        let fits = self.given.records.len() < RECORDS_PER_TICK_MAX;
        if fits {
            let (owner, key) = (cut(owner, OWNER_CHARS_MAX), cut(key, RECORD_KEY_CHARS_MAX));
            self.given.records.push(Record { owner, key, value: cut(value, RECORD_VALUE_CHARS_MAX) });
        }
        fits
    }

    /// A seat goes to another room of its game when this step is over.
    pub fn travel(&mut self, seat: Seat, room: &str) -> bool {
        self.fuel.charge(cost::OUTPUT);
        let known = self.seats.contains_key(&seat) && !self.given.travels.iter().any(|t| t.seat == seat);
        if known {
            self.given.travels.push(Travel { seat, room: cut(room, LABEL_CHARS_MAX) });
        }
        known
    }
}
