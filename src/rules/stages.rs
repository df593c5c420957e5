//! The stages of a step: timers, answers, actions, bots, movement, touches, the bodies' own ticks.
//!
//! Each stage starts handlers only while the tick's fuel lasts; what is left over waits. The stages before the bodies' ticks
//! may use half of it together, so that no flood of touches, actions or spawns starves them; bodies go on where the last
//! tick stopped, so none waits for ever: with n bodies of cost f, and L of a tick's fuel left for them, each runs at least
//! once in ⌈n·f/L⌉ + 1 ticks. The room's own `tick` always runs.

use crate::limits::ANSWER_CHARS_MAX;
use crate::rules::engine::{Engine, Head};
use crate::rules::face::{Done, Driver, SeatAction, Stage};
use crate::rules::game::{Answer, Rules};
use crate::rules::ids::{BodyId, Seat};
use crate::rules::input::newly_down;
use crate::rules::minds::OpenAsk;
use crate::rules::step::RoomSim;
use crate::rules::world::other;

/// Hundredths of a tick's fuel that the stages before the bodies' ticks may use together.
pub(super) const SHARE_BEFORE_TICKS: u32 = 50;
/// What those after them may use: the rest.
pub(super) const SHARE_AFTER_TICKS: u32 = 100;

impl<R: Rules> RoomSim<R> {
    /// `spawn` of the bodies made since, and of those that these make.
    pub(super) fn run_fresh(&mut self, share: u32) {
        while !self.world.engine.fresh.is_empty() && self.world.engine.starts(share) {
            let id = self.world.engine.fresh.pop_front();
            if let Some((id, kind)) = id.and_then(|id| Some((id, self.kind_of(id)?))) {
                (self.ops[kind].spawn)(&mut self.world, id);
            }
        }
    }

    pub(super) fn run_timers(&mut self) {
        let now = self.world.engine.now();
        let is_due = |engine: &Engine| engine.timers.first_due().is_some_and(|due| due <= now);
        while is_due(&self.world.engine) && self.world.engine.starts(SHARE_BEFORE_TICKS) {
            let Some(timer) = self.world.engine.timers.take_due(now) else { return };
            match timer.body {
                None => {
                    self.world.run("timer", |w| R::timer(w, &timer.name));
                }
                Some(id) => {
                    if let Some(kind) = self.kind_of(id) {
                        (self.ops[kind].timer)(&mut self.world, id, &timer.name);
                    }
                }
            }
            self.run_fresh(SHARE_BEFORE_TICKS);
        }
    }

    pub(super) fn run_answers(&mut self) {
        let now = self.world.engine.now();
        let is_due = |engine: &Engine| engine.asks.first_due().is_some_and(|due| due <= now);
        while is_due(&self.world.engine) && self.world.engine.starts(SHARE_BEFORE_TICKS) {
            let Some(ask) = self.world.engine.asks.take_due(now) else { return };
            self.answer_one(ask);
            self.run_fresh(SHARE_BEFORE_TICKS);
        }
    }

    fn answer_one(&mut self, ask: OpenAsk) {
        let body = self.world.engine.seats.get(&ask.seat).and_then(|state| state.body);
        let Some((id, kind)) = body.and_then(|id| Some((id, self.kind_of(id)?))) else { return };
        let from_floor = ask.answer.is_none();
        let text = match ask.answer {
            Some(text) => text,
            None => (self.ops[kind].floor)(&mut self.world, id, &ask.question),
        };
        let text = text.chars().take(ANSWER_CHARS_MAX).collect();
        let answer = Answer { question: ask.question, text, from_floor };
        (self.ops[kind].answer)(&mut self.world, id, &answer);
    }

    pub(super) fn run_actions(&mut self, actions: &[SeatAction]) {
        self.world.engine.tally.stage = Stage::Actions;
        for action in actions {
            if !self.world.engine.starts(SHARE_BEFORE_TICKS) {
                return;
            }
            let result = self.act(action);
            self.world.engine.given.done.push(Done { seat: action.seat, number: action.number, result });
            self.run_fresh(SHARE_BEFORE_TICKS);
        }
    }

    fn act(&mut self, action: &SeatAction) -> Result<(), String> {
        if !self.world.engine.round.live {
            return Err("the round is over".to_owned());
        }
        let body = self.world.engine.seats.get(&action.seat).and_then(|state| state.body);
        match body.and_then(|id| Some((id, self.kind_of(id)?))) {
            Some((id, kind)) => (self.ops[kind].act)(&mut self.world, id, action),
            None => Err("you have no body".to_owned()),
        }
    }

    /// What bots hold in this tick. Each tick another one is first, so that too little fuel starves none.
    pub(super) fn run_bots(&mut self) {
        self.world.engine.tally.stage = Stage::Bots;
        let mut bots = self.world.engine.driven_by(Driver::Bot);
        let first = self.world.engine.tick.0 as usize % bots.len().max(1);
        bots.rotate_left(first);
        for (seat, id) in bots {
            let Some(kind) = self.kind_of(id) else { continue };
            let starts = self.world.engine.starts(SHARE_BEFORE_TICKS);
            let held = starts.then(|| (self.ops[kind].bot)(&mut self.world, id));
            let controls = &self.world.engine.schema.controls;
            if let Some(state) = self.world.engine.seats.get_mut(&seat) {
                // A bot whose turn the fuel did not suffice for goes on as it was.
                state.held = held.unwrap_or(state.bot_held);
                state.pressed = newly_down(controls, &state.bot_held, &state.held);
                state.bot_held = state.held;
            }
        }
    }

    pub(super) fn run_touches(&mut self) {
        self.world.engine.tally.stage = Stage::Touch;
        let engine = &mut self.world.engine;
        let mut pairs = self.grid.overlaps(&engine.heads, &engine.schema.kinds);
        engine.is_crowded |= self.grid.is_full();
        let from = engine.cursor.touch.take().unwrap_or_default();
        let id = |index: u32| engine.heads[index as usize].id;
        let first = pairs.partition_point(|(a, b)| (id(*a), id(*b)) < from);
        pairs.rotate_left(first);
        for (a, b) in &pairs {
            if !self.touch(*a as usize, *b as usize) {
                break;
            }
        }
        self.grid.keep(pairs);
    }

    /// `touch` of one of two bodies that overlap, by the places of their heads, which stay where they are in a step. False
    /// when it has to wait, and all after it.
    fn touch(&mut self, a: usize, b: usize) -> bool {
        let engine = &mut self.world.engine;
        let (Some(head), Some(met)) = (engine.heads.get(a), engine.heads.get(b)) else { return true };
        let (id, kind, met_id) = (head.id, usize::from(head.kind), met.id);
        if head.gone || met.gone || engine.is_fresh(id) {
            return true;
        }
        let met = other(engine, met);
        if !engine.starts(SHARE_BEFORE_TICKS) {
            engine.cursor.touch = Some((id, met_id));
            return false;
        }
        (self.ops[kind].touch)(&mut self.world, id, &met);
        self.run_fresh(SHARE_BEFORE_TICKS);
        true
    }

    /// The bodies' own ticks, by kind and id, from where the last tick stopped. Bodies made by these handlers have their
    /// first tick in the next one, and none has it before its `spawn`.
    pub(super) fn run_ticks(&mut self) {
        self.world.engine.tally.stage = Stage::Tick;
        let engine = &mut self.world.engine;
        let newest = BodyId(engine.next_id);
        let (first, from) = engine.cursor.tick.take().unwrap_or_default();
        let kinds = self.ops.len();
        for turn in 0..=kinds {
            let kind = (usize::from(first) + turn) % kinds;
            let ids = self.world.engine.columns[kind].ids();
            let start = ids.partition_point(|id| *id < from);
            let part = match turn {
                0 => &ids[start..],
                // Round once: what lies before the first body.
                turn if turn == kinds => &ids[..start],
                _ => ids,
            };
            let engine = &self.world.engine;
            let is_ready = |id: &BodyId| id.0 > 0 && *id < newest && !engine.is_fresh(*id);
            let part: Vec<BodyId> = part.iter().copied().filter(is_ready).collect();
            if let Some(id) = (self.ops[kind].tick)(&mut self.world, &part) {
                // The index of one of at most KINDS_MAX kinds.
                self.world.engine.cursor.tick = Some((kind as u8, id));
                return;
            }
        }
        self.run_fresh(SHARE_AFTER_TICKS);
    }

    pub(super) fn kind_of(&self, id: BodyId) -> Option<usize> {
        self.world.engine.head(id).map(|head| usize::from(head.kind))
    }
}

impl Engine {
    /// Whether a stage with this share of a tick's fuel is to start a handler. If not, that handler waits.
    pub(super) fn starts(&mut self, share: u32) -> bool {
        let spent = self.fuel.is_spent(share);
        self.is_cut |= spent;
        !spent
    }

    /// Whether a body's `spawn` is still to run.
    fn is_fresh(&self, id: BodyId) -> bool {
        // Ids rise, so those that wait lie in order.
        self.fresh.binary_search(&id).is_ok()
    }

    /// Moves an owner-moved body to where its seat's client says it is, if it can have got there.
    pub(crate) fn heed_claim(&mut self, index: usize, seat: Seat, live: bool) {
        let (tick, hz, map) = (self.tick, self.schema.room.hz, self.schema.room.map);
        let Head { pose, kind, .. } = self.heads[index];
        let kind = self.schema.kinds[usize::from(kind)];
        let Some(state) = self.seats.get_mut(&seat) else { return };
        let Some(claim) = state.claim.take().filter(|_| live) else { return };
        let ticks = tick.0.saturating_sub(state.claimed.0);
        match crate::rules::claim::check(&pose, &claim, &kind, &map, hz, ticks) {
            Ok(there) => {
                state.claimed = tick;
                self.heads[index].pose = there;
            }
            Err(_) => {
                self.heads[index].pose.velocity = [0; 3];
                self.given.claims_refused.push(seat);
            }
        }
    }
}
