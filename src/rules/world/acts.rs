//! Time and chance, what is shown, what drivers keep and are asked, and what leaves the room.
//!
//! Delays and lifetimes are ticks; in an event-driven game milliseconds. `World::seconds` gives either.

use crate::limits::{FAULT_CHARS_MAX, POSITION_STEPS_PER_METRE};
use crate::rules::areas::{AreaId, AreaState};
use crate::rules::contain::fail;
use crate::rules::exact;
use crate::rules::face::{AskId, Round};
use crate::rules::fuel::cost;
use crate::rules::game::{Me, Rules};
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::minds::Mind;
use crate::rules::motion::to_metres;
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;
use crate::rules::world::{World, seat_input};

/// An area, as a handler sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct AreaHere {
    pub id: AreaId,
    pub name: String,
    /// Metres.
    pub at: Vec2,
    pub radius: f64,
}

impl<R: Rules> World<R> {
    // ---- Time and chance ----

    #[must_use]
    pub fn tick(&self) -> Tick {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.tick
    }

    /// Ticks a second.
    #[must_use]
    pub fn hz(&self) -> u32 {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.schema.room.hz
    }

    /// The time of this event, milliseconds since 1970, in an event-driven game; 0 in a room that ticks.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.now_ms
    }

    /// Seconds as ticks, or as the milliseconds of an event-driven game.
    #[must_use]
    pub fn seconds(&self, seconds: f64) -> u32 {
        self.engine.fuel.charge(cost::LOOK);
        let per_second = self.engine.span(1) as f64;
        // `as` saturates, and makes no number 0.
        exact::round(seconds * per_second) as u32
    }

    /// Runs the room's `timer` with this name after a delay. False when the room has as many timers as it may.
    pub fn after(&mut self, delay: u32, name: &str) -> bool {
        self.engine.set_timer(delay, None, name)
    }

    /// Runs the body's `timer` with this name after a delay.
    pub fn after_me(&mut self, me: &Me, delay: u32, name: &str) -> bool {
        self.engine.set_timer(delay, Some(me.id), name)
    }

    /// Runs another body's `timer`.
    pub fn after_body(&mut self, body: BodyId, delay: u32, name: &str) -> bool {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.head(body).is_some() && self.engine.set_timer(delay, Some(body), name)
    }

    /// Takes the room's timers of this name away. Says whether there were any.
    pub fn cancel(&mut self, name: &str) -> bool {
        self.engine.cancel_timers(None, name)
    }

    /// Takes a body's timers of this name away.
    pub fn cancel_for(&mut self, body: BodyId, name: &str) -> bool {
        self.engine.cancel_timers(Some(body), name)
    }

    #[must_use]
    pub fn round(&self) -> Round {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.round
    }

    /// Ends the live round with this tick.
    pub fn end_round(&mut self) {
        self.engine.end_round();
    }

    /// Begins the match anew when this tick is over: seats stay, every body is made again.
    pub fn restart(&mut self) {
        self.engine.restart();
    }

    /// A random number from 0, included, to 1, excluded.
    pub fn random(&mut self) -> f64 {
        self.engine.fuel.charge(cost::RANDOM);
        self.engine.rng.unit()
    }

    /// A random whole number from 0 to `bound`, excluded.
    pub fn random_below(&mut self, bound: u32) -> u32 {
        self.engine.fuel.charge(cost::RANDOM);
        self.engine.rng.below(bound)
    }

    /// Puts a list in random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        self.engine.fuel.charge(cost::LOOK);
        for last in (1..list.len()).rev() {
            let other = self.random_below(u32::try_from(last + 1).unwrap_or(u32::MAX)) as usize;
            list.swap(last, other);
        }
    }

    /// Ends this handler with an error: nothing it did stays, it is counted and named, and the room goes on.
    pub fn fail(&self, why: &str) -> ! {
        fail(why.chars().take(FAULT_CHARS_MAX).collect())
    }

    // ---- Seats and shows ----

    /// What the seat of a body holds in this tick; neutral for a body without a seat.
    #[must_use]
    pub fn input(&self, me: &Me) -> R::Input {
        self.engine.fuel.charge(cost::LOOK);
        seat_input::<R>(&self.engine, me.seat.filter(|_| self.engine.round.live))
    }

    /// A one-tick cosmetic event at a point. It may be lost.
    pub fn effect(&mut self, name: &'static str, at: impl Into<Vec3>) {
        self.engine.effect(name, at.into());
    }

    /// Makes an area on the ground that lasts for a while. None when the room has as many as it may.
    pub fn area(&mut self, name: &str, at: impl Into<Vec3>, metres: f64, lasts: u32) -> Option<AreaId> {
        self.engine.make_area(name, at.into(), metres, lasts)
    }

    /// Ends an area before its time. False when it is not there.
    pub fn end_area(&mut self, id: AreaId) -> bool {
        self.engine.end_area(id)
    }

    /// The areas that cover a point of the ground, in the order of their making.
    #[must_use]
    pub fn areas_at(&self, at: Vec2) -> Vec<AreaHere> {
        self.charge_for(self.engine.areas.list.len());
        let radius = |area: &AreaState| f64::from(area.radius) / f64::from(POSITION_STEPS_PER_METRE);
        let covers = |area: &&AreaState| to_metres(area.at).distance(at) <= radius(area);
        let here = self.engine.areas.list.iter().filter(covers).map(|area| AreaHere {
            id: area.id,
            name: area.name.clone(),
            at: to_metres(area.at),
            radius: radius(area),
        });
        here.collect()
    }

    // ---- Minds ----

    /// Asks the mind of a body's seat; its `answer` runs when the answer comes, or with the floor's after `within`. None
    /// for a person.
    pub fn ask(&mut self, me: &Me, question: &str, within: u32) -> Option<AskId> {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.ask(me.seat?, question, within)
    }

    /// What the driver of a seat keeps.
    #[must_use]
    pub fn mind(&self, seat: Seat) -> Option<&Mind> {
        self.engine.fuel.charge(cost::LOOK);
        self.engine.seats.get(&seat).map(|state| &state.mind)
    }

    /// Sets what a body's driver is after. False for a body without a seat.
    pub fn set_goal(&mut self, me: &Me, goal: &str) -> bool {
        self.engine.fuel.charge(cost::LOOK);
        let Some(seat) = me.seat else { return false };
        self.engine.change_mind(seat, |mind| goal.clone_into(&mut mind.goal))
    }

    /// Lets a body's driver ignore another body; the oldest of too many is forgotten. False for a body without a seat.
    pub fn avoid(&mut self, me: &Me, body: BodyId) -> bool {
        self.engine.fuel.charge(cost::LOOK);
        let Some(seat) = me.seat else { return false };
        self.engine.change_mind(seat, |mind| {
            mind.avoided.retain(|id| *id != body);
            mind.avoided.push(body);
        })
    }

    // ---- What leaves ----

    /// Has something kept outside of the room. It leaves with the commit of this tick.
    pub fn record(&mut self, owner: &str, key: &str, value: &str) -> bool {
        self.engine.record(owner, key, value)
    }

    /// Sends a body's seat to another room of this game when the tick is over; its character goes with it.
    pub fn travel(&mut self, me: &Me, room: &str) -> bool {
        self.engine.fuel.charge(cost::LOOK);
        let Some(seat) = me.seat else { return false };
        self.engine.travel(seat, room)
    }
}
