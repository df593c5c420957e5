//! One room of a game: `Sim` for every `R: Rules`. The order of a step is here.
//!
//! A tick: round clock, timers, answers, actions, bots, then everything moves, touches, the bodies' own ticks by kind and
//! id, then the room's. During the break after a round nothing acts, timers wait, and controls are neutral. An event:
//! timers, answers, the action, then the round clock. `stages.rs` has the stages, `rounds.rs` rounds and matches.

use std::collections::BTreeMap;

use crate::limits::{ANSWER_CHARS_MAX, NAME_CHARS_MAX, OWNER_CHARS_MAX};
use crate::rules::character::Character;
use crate::rules::cut::Cut;
use crate::rules::face::{
    AreaRow, AskId, BodyRow, Broken, Given, MindRow, Moment, Round, SeatInfo, SeatInput, Sim, Snapshot,
    Stage, Standing, Tally,
};
use crate::rules::game::Rules;
use crate::rules::grid::Grid;
use crate::rules::ids::{Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::kind::SHARED_ROW;
use crate::rules::kinds::{KindOps, Kinds};
use crate::rules::push::Crowd;
use crate::rules::save;
use crate::rules::stages::{SHARE_AFTER_TICKS, SHARE_BEFORE_TICKS};
use crate::rules::world::World;

pub struct RoomSim<R: Rules> {
    pub(super) world: World<R>,
    pub(super) ops: Vec<KindOps<R>>,
    /// Kept for its memory: made anew where it is used.
    pub(super) grid: Grid,
    crowd: Crowd,
}

impl<R: Rules> RoomSim<R> {
    pub fn new(world: World<R>) -> RoomSim<R> {
        RoomSim { world, ops: R::Kinds::ops(), grid: Grid::default(), crowd: Crowd::default() }
    }

    /// Looks at the room: for tests.
    pub fn look<T>(&self, f: impl FnOnce(&World<R>) -> T) -> T {
        self.world.engine.fuel.begin_handler();
        f(&self.world)
    }

    /// Runs something as a handler of the room: for tests, which set a scene.
    pub fn with_world<T>(&mut self, f: impl FnOnce(&mut World<R>) -> T) -> Option<T> {
        self.world.engine.fuel.begin_tick();
        let value = self.world.run("test", f);
        self.run_fresh(SHARE_AFTER_TICKS);
        self.settle();
        value
    }

    fn set_inputs(&mut self, inputs: &[SeatInput]) {
        for state in self.world.engine.seats.values_mut() {
            (state.held, state.pressed, state.claim, state.rewind) = (Controls::default(), 0, None, 0);
        }
        for input in inputs {
            if let Some(state) = self.world.engine.seats.get_mut(&input.seat) {
                (state.held, state.pressed) = (input.held, input.pressed);
                (state.claim, state.rewind) = (input.claim, input.rewind);
            }
        }
    }

    fn step_tick(&mut self, moment: &Moment<'_>) {
        self.set_inputs(moment.inputs);
        self.run_round();
        let live = self.world.engine.round.live;
        if live {
            self.run_fresh(SHARE_BEFORE_TICKS);
            self.run_timers();
            self.run_answers();
        }
        self.run_actions(moment.actions);
        if live {
            self.run_bots();
        }
        self.move_all();
        if live {
            self.run_touches();
            self.run_ticks();
            self.world.engine.tally.stage = Stage::Room;
            self.world.run("tick", R::tick);
            self.run_fresh(SHARE_AFTER_TICKS);
        }
    }

    fn step_event(&mut self, moment: &Moment<'_>) {
        let engine = &mut self.world.engine;
        engine.now_ms = engine.now_ms.max(moment.now_ms);
        self.run_fresh(SHARE_BEFORE_TICKS);
        if self.world.engine.round.live {
            self.run_timers();
            self.run_answers();
        }
        self.run_actions(moment.actions);
        self.run_round();
    }

    /// The seat's body is gone, then the seat, and the room is told.
    fn vacate(&mut self, seat: Seat) {
        let Some(state) = self.world.engine.seats.get(&seat).cloned() else { return };
        if let Some(id) = state.body {
            self.world.engine.remove(id);
        }
        let engine = &mut self.world.engine;
        engine.seats.remove(&seat);
        engine.asks.open.retain(|_, ask| ask.seat != seat);
        engine.given.travels.retain(|travel| travel.seat != seat);
        let info =
            SeatInfo { seat, name: state.name, driver: state.driver, owner: state.owner, character: None };
        self.world.run("leave", |w| R::leave(w, &info));
        self.run_fresh(SHARE_AFTER_TICKS);
        self.settle();
    }

    fn move_all(&mut self) {
        self.world.engine.tally.stage = Stage::Steer;
        for ops in &self.ops {
            (ops.steer)(&mut self.world);
        }
        let engine = &mut self.world.engine;
        engine.grid_is_stale.set(true);
        if engine.schema.kinds.iter().any(|kind| kind.solid) {
            let kinds = &engine.schema.kinds;
            let all = self.crowd.push_apart(&mut engine.heads, kinds, &engine.schema.room.map);
            engine.is_crowded |= !all;
        }
    }

    /// What every step and every change between steps ends with.
    pub(super) fn settle(&mut self) {
        if std::mem::take(&mut self.world.engine.restart_due) {
            self.restart_match();
        }
        let engine = &mut self.world.engine;
        engine.sweep();
        engine.tally.stage = Stage::Idle;
    }

    fn note_time(&mut self, now_ms: u64) {
        let engine = &mut self.world.engine;
        if engine.is_on_event() {
            engine.now_ms = engine.now_ms.max(now_ms);
        }
        // A change between ticks has the fuel of a tick of its own.
        engine.fuel.begin_tick();
    }
}

impl<R: Rules> Sim for RoomSim<R> {
    fn tick(&self) -> Tick {
        self.world.engine.tick
    }

    fn round(&self) -> Round {
        self.world.engine.round
    }

    fn join(&mut self, seat: &SeatInfo, now_ms: u64) {
        self.note_time(now_ms);
        let state = self.world.engine.seats.entry(seat.seat).or_default();
        state.name = seat.name.chars().take(NAME_CHARS_MAX).collect();
        state.driver = seat.driver;
        state.owner = seat.owner.as_ref().map(|owner| owner.chars().take(OWNER_CHARS_MAX).collect());
        if state.body.is_none() {
            self.enter(seat);
            self.run_fresh(SHARE_AFTER_TICKS);
        }
        self.settle();
    }

    fn leave(&mut self, seat: Seat, now_ms: u64) -> Option<Character> {
        self.note_time(now_ms);
        let body = self.world.engine.seats.get(&seat)?.body;
        if let Some((id, kind)) = body.and_then(|id| Some((id, self.kind_of(id)?))) {
            (self.ops[kind].leave)(&mut self.world, id);
        }
        let character = self.world.engine.character(seat);
        self.vacate(seat);
        character
    }

    fn expel(&mut self, seat: Seat, now_ms: u64) {
        self.note_time(now_ms);
        self.vacate(seat);
    }

    fn character(&self, seat: Seat) -> Option<Character> {
        self.world.engine.character(seat)
    }

    fn resume(&mut self, away_ms: u64, now_ms: u64) {
        self.note_time(now_ms);
        self.world.run("resume", |w| R::resume(w, away_ms));
        self.run_fresh(SHARE_AFTER_TICKS);
        self.settle();
    }

    fn step(&mut self, moment: &Moment<'_>) -> Result<(), Broken> {
        let engine = &mut self.world.engine;
        engine.tick =
            Tick(engine.tick.0.checked_add(1).ok_or_else(|| Broken("the last tick has run".to_owned()))?);
        engine.fuel.begin_tick();
        (engine.is_cut, engine.is_crowded) = (false, false);
        engine.tally.ticks += 1;
        if engine.is_on_event() {
            self.step_event(moment);
        } else {
            self.step_tick(moment);
        }
        let engine = &mut self.world.engine;
        let now = engine.now();
        engine.given.areas_changed |= engine.areas.expire(now);
        self.settle();
        let engine = &mut self.world.engine;
        engine.remember();
        let (cut, crowded) = (engine.is_cut, engine.is_crowded);
        let tally = &mut engine.tally;
        tally.ticks_crowded += u64::from(crowded);
        tally.ticks_cut += u64::from(cut);
        tally.ticks_cut_on_end = if cut { tally.ticks_cut_on_end + 1 } else { 0 };
        tally.units += u64::from(engine.fuel.tick_used());
        tally.max_tick_units = tally.max_tick_units.max(engine.fuel.tick_used());
        Ok(())
    }

    fn next_due_ms(&self) -> Option<u64> {
        let engine = &self.world.engine;
        let waits = !engine.fresh.is_empty() || engine.round.ends_at.is_some();
        let dues = [
            engine.timers.first_due().filter(|_| engine.round.live),
            engine.asks.first_due().filter(|_| engine.round.live),
            engine.areas.list.iter().map(|area| area.ends).min(),
            engine.round_due_ms,
            waits.then_some(engine.now_ms),
        ];
        dues.into_iter().flatten().min().filter(|_| engine.is_on_event())
    }

    fn answer(&mut self, ask: AskId, text: &str) {
        if let Some(open) = self.world.engine.asks.open.get_mut(&ask) {
            open.answer = Some(text.chars().take(ANSWER_CHARS_MAX).collect());
        }
    }

    fn drain(&mut self) -> Given {
        std::mem::take(&mut self.world.engine.given)
    }

    fn snapshot(&self, out: &mut Snapshot) {
        let engine = &self.world.engine;
        out.bodies.clear();
        out.values.clear();
        for head in &engine.heads {
            out.bodies.push(BodyRow {
                id: head.id,
                kind: head.kind,
                seat: head.seat,
                at: head.pose.at,
                heading: head.pose.heading,
                fields_at: out.values.len() as u32,
            });
            engine.columns[usize::from(head.kind)].put_words(head.id, &mut out.values);
        }
        out.shared.clear();
        for (_, column) in engine.shared_columns() {
            column.put_words(SHARED_ROW, &mut out.shared);
        }
        let ends_at =
            |ends: u64| (!engine.is_on_event()).then(|| Tick(u32::try_from(ends).unwrap_or(u32::MAX)));
        out.areas.clear();
        out.areas.extend(engine.areas.list.iter().map(|area| AreaRow {
            id: area.id.0,
            name: area.name.clone(),
            at: area.at,
            radius: area.radius,
            ends_at: ends_at(area.ends),
        }));
    }

    fn cut(&self, cut: &mut Cut) {
        save::records(&self.world.engine, &mut |section, id, record| cut.put(section, id, record.to_vec()));
    }

    fn durable_mark(&self) -> u64 {
        save::durable_mark(&self.world.engine)
    }

    fn digest(&self) -> u64 {
        save::digest(&self.world.engine)
    }

    fn standing(&self) -> Vec<Standing> {
        let engine = &self.world.engine;
        let scores: BTreeMap<Seat, i32> = (engine.seats.iter())
            .filter_map(|(seat, state)| {
                let head = engine.head(state.body?)?;
                Some((*seat, engine.columns[usize::from(head.kind)].score(head.id)?))
            })
            .collect();
        let place = |score: i32| 1 + scores.values().filter(|other| **other > score).count() as u16;
        let row = |(&seat, &score): (&Seat, &i32)| Standing {
            seat,
            body: engine.seats[&seat].body,
            driver: engine.seats[&seat].driver,
            score,
            place: place(score),
        };
        let mut standing: Vec<Standing> = scores.iter().map(row).collect();
        standing.sort_by_key(|row| (row.place, row.seat));
        standing
    }

    fn tally(&self) -> Tally {
        self.world.engine.tally.clone()
    }

    fn minds(&self) -> Vec<MindRow> {
        let engine = &self.world.engine;
        let asks = |seat: Seat| {
            let open = engine.asks.open.iter().filter(move |(_, ask)| ask.seat == seat);
            open.map(|(id, ask)| (*id, ask.deadline)).collect()
        };
        let minded = engine.seats.iter().filter(|(_, state)| state.driver != Default::default());
        let row = |(&seat, state): (&Seat, &crate::rules::engine::SeatState)| MindRow {
            seat,
            driver: state.driver,
            goal: state.mind.goal.clone(),
            asks: asks(seat),
            avoided: state.mind.avoided.clone(),
        };
        minded.map(row).collect()
    }

    fn observe(&mut self, on: bool) {
        self.world.engine.observing = on;
    }
}
