//! The engine: one room's state, and every change to it, with an undo log. Not generic; `World<R>` is its typed face.
//!
//! Bodies lie in `heads` by rising id (where they are, whose they are) with their fields in one column per kind. A
//! handler's changes go through the methods here and in `changes.rs`, each pushing its undo; a handler that fails is
//! rolled back whole, with its random draws, spawns, timers, effects, questions and records. Removed bodies stay marked
//! `gone` until the end of the step.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};

use crate::limits::{GRID_BODIES_MIN, NOTES_PER_TICK_MAX, RUNS_PER_TICK_MAX};
use crate::rules::areas::{AreaState, Areas};
use crate::rules::character::Character;
use crate::rules::contain::Failure;
use crate::rules::datum::show;
use crate::rules::face::{Driver, Fault, Given, HandlerRun, Note, Round, Tally};
use crate::rules::field::Fitted;
use crate::rules::fuel::{Fuel, cost};
use crate::rules::grid::Grid;
use crate::rules::history::{History, Past};
use crate::rules::ids::{BodyId, Finder, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::kind::AnyColumn;
use crate::rules::minds::{Asks, Mind};
use crate::rules::motion::{Pose, to_space};
use crate::rules::rng::Rng;
use crate::rules::schema::{Pace, Schema, runs};
use crate::rules::timers::{Timer, Timers};
use crate::rules::vec2::Vec2;
use crate::rules::vec3::Vec3;

/// What every body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub id: BodyId,
    pub kind: u8,
    pub seat: Option<Seat>,
    pub pose: Pose,
    /// Removed in this step.
    pub gone: bool,
}

/// A seat that somebody holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatState {
    pub name: String,
    pub driver: Driver,
    pub owner: Option<String>,
    pub body: Option<BodyId>,
    pub mind: Mind,
    /// What its bot held in the last tick, to tell a press from holding.
    pub bot_held: Controls,
    /// The tick of the last claim that was taken, of an owner-moved body.
    pub claimed: Tick,
    /// Of this tick only: set before it, not part of the state between ticks.
    pub held: Controls,
    pub pressed: u32,
    pub claim: Option<Pose>,
    pub rewind: u16,
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
    /// A point in space, metres; drawn in to the map's edge.
    Above(Vec3),
}

pub enum Undo {
    Spawned,
    Taken { kind: u8, id: BodyId, row: Box<dyn Any> },
    Edited { kind: u8, id: BodyId, row: Box<dyn Any> },
    Posed { id: BodyId, pose: Pose },
    Round(Round),
    TimerSet(u32),
    TimerGone(Timer),
    AreaMade(crate::rules::areas::AreaId),
    AreaGone(AreaState),
    Asked(crate::rules::face::AskId),
    Mind { seat: Seat, mind: Mind },
}

/// What to go back to when a handler fails.
#[derive(Clone, Copy, Default)]
struct Mark {
    rng: Rng,
    next_id: u32,
    next_timer: u32,
    next_area: u32,
    next_ask: u32,
    effects: usize,
    effects_dropped: u32,
    asks: usize,
    records: usize,
    travels: usize,
    notes: usize,
    notes_count: u32,
    fresh: usize,
    areas_changed: bool,
    restart_due: bool,
}

/// Where the next tick's handlers go on when this one's fuel was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The kind and the first body of it whose `tick` has not run.
    pub tick: Option<(u8, BodyId)>,
    /// The first two bodies whose `touch` has not run.
    pub touch: Option<(BodyId, BodyId)>,
}

pub struct Engine {
    pub schema: Schema,
    pub tick: Tick,
    /// The time of the newest event; 0 in a room that ticks.
    pub now_ms: u64,
    pub round: Round,
    /// When the round or the break of an event-driven room ends.
    pub round_due_ms: Option<u64>,
    pub rng: Rng,
    pub next_id: u32,
    pub heads: Vec<Head>,
    pub columns: Vec<Box<dyn AnyColumn>>,
    pub seats: BTreeMap<Seat, SeatState>,
    pub timers: Timers,
    pub areas: Areas,
    pub asks: Asks,
    pub history: History,
    pub cursor: Cursor,
    /// Bodies whose `spawn` has not run yet.
    pub fresh: VecDeque<BodyId>,
    pub given: Given,
    pub fuel: Fuel,
    pub tally: Tally,
    pub observing: bool,
    /// Fuel ran short in this step: a handler waits for the next.
    pub is_cut: bool,
    /// More bodies overlapped in this step than there may be pairs: some were not pushed apart, or had no `touch`.
    pub is_crowded: bool,
    /// A match is to begin anew when this step is over.
    pub restart_due: bool,
    /// The body whose handler runs: it holds its own copy, so nobody edits it meanwhile.
    pub running: Option<BodyId>,
    /// That body takes itself out of the world.
    pub running_gone: bool,
    pub(super) undo: Vec<Undo>,
    mark: Mark,
    finder: Finder,
    /// For `near`; made anew when it is asked after a body came or moved.
    grid: RefCell<Grid>,
    pub(super) grid_is_stale: Cell<bool>,
}

impl Engine {
    pub fn new(schema: Schema, columns: Vec<Box<dyn AnyColumn>>, seed: u64, now_ms: u64) -> Engine {
        let ticks = schema.room.pace == Pace::Ticks;
        let now_ms = if ticks { 0 } else { now_ms };
        let rewinds = schema.kinds.iter().any(|kind| kind.rewind);
        let history = if rewinds { History::new(schema.room.hz) } else { History::default() };
        let mut engine = Engine {
            schema,
            tick: Tick(0),
            now_ms,
            round: Round { number: 1, live: true, ends_at: None },
            round_due_ms: None,
            rng: Rng::new(seed),
            next_id: 1,
            heads: Vec::new(),
            columns,
            seats: BTreeMap::new(),
            timers: Timers::default(),
            areas: Areas::default(),
            asks: Asks::default(),
            history,
            cursor: Cursor::default(),
            fresh: VecDeque::new(),
            given: Given::default(),
            fuel: Fuel::default(),
            tally: Tally::default(),
            observing: false,
            is_cut: false,
            is_crowded: false,
            restart_due: false,
            running: None,
            running_gone: false,
            undo: Vec::new(),
            mark: Mark::default(),
            finder: Finder::default(),
            grid: RefCell::default(),
            grid_is_stale: Cell::new(true),
        };
        engine.begin_round(1);
        engine
    }

    #[must_use]
    pub fn is_on_event(&self) -> bool {
        self.schema.room.pace == Pace::OnEvent
    }

    /// The unit of delays and deadlines: the tick, or the milliseconds of an event-driven room.
    #[must_use]
    pub fn now(&self) -> u64 {
        if self.is_on_event() { self.now_ms } else { u64::from(self.tick.0) }
    }

    /// Seconds in units of `now`.
    #[must_use]
    pub fn span(&self, seconds: u32) -> u64 {
        let per_second = if self.is_on_event() { 1_000 } else { self.schema.room.hz };
        u64::from(seconds) * u64::from(per_second)
    }

    /// Round `number` begins now.
    pub fn begin_round(&mut self, number: u32) {
        self.round = Round { number, live: true, ends_at: None };
        let length = self.schema.room.round_s;
        self.set_round_end((length > 0).then(|| self.span(length)));
    }

    /// The round, or the break, ends so many units of `now` from now.
    pub fn set_round_end(&mut self, length: Option<u64>) {
        let ends = length.map(|length| self.now().saturating_add(length));
        if self.is_on_event() {
            (self.round_due_ms, self.round.ends_at) = (ends, None);
        } else {
            // Saturates at the last tick, where a room stands still.
            self.round.ends_at = ends.map(|end| Tick(u32::try_from(end).unwrap_or(u32::MAX)));
        }
    }

    /// Whether the round, or the break, is over by the clock.
    #[must_use]
    pub fn round_is_due(&self) -> bool {
        let by_time = self.round_due_ms.is_some_and(|due| due <= self.now_ms);
        by_time || self.round.ends_at.is_some_and(|end| end <= self.tick)
    }

    // ---- Handlers: begin, then keep or roll back ----

    pub fn begin(&mut self) {
        self.undo.clear();
        self.running_gone = false;
        self.fuel.begin_handler();
        let given = &self.given;
        self.mark = Mark {
            rng: self.rng,
            next_id: self.next_id,
            next_timer: self.timers.next_id,
            next_area: self.areas.next_id,
            next_ask: self.asks.next_id,
            effects: given.effects.len(),
            effects_dropped: given.effects_dropped,
            asks: given.asks.len(),
            records: given.records.len(),
            travels: given.travels.len(),
            notes: given.notes.len(),
            notes_count: given.notes_count,
            fresh: self.fresh.len(),
            areas_changed: given.areas_changed,
            restart_due: self.restart_due,
        };
    }

    /// Takes back everything since `begin`, newest first.
    pub fn roll_back(&mut self) {
        while let Some(undo) = self.undo.pop() {
            self.undo_one(undo);
        }
        let (mark, given) = (self.mark, &mut self.given);
        (self.rng, self.next_id) = (mark.rng, mark.next_id);
        self.timers.next_id = mark.next_timer;
        self.areas.next_id = mark.next_area;
        self.asks.next_id = mark.next_ask;
        given.effects.truncate(mark.effects);
        given.effects_dropped = mark.effects_dropped;
        given.asks.truncate(mark.asks);
        given.records.truncate(mark.records);
        given.travels.truncate(mark.travels);
        given.notes.truncate(mark.notes);
        given.notes_count = mark.notes_count;
        given.areas_changed = mark.areas_changed;
        self.fresh.truncate(mark.fresh);
        self.restart_due = mark.restart_due;
        self.running_gone = false;
    }

    fn undo_one(&mut self, undo: Undo) {
        match undo {
            Undo::Spawned => {
                self.grid_is_stale.set(true);
                if let Some(head) = self.heads.pop() {
                    self.columns[usize::from(head.kind)].remove(head.id);
                }
            }
            Undo::Taken { kind, id, row } => {
                self.grid_is_stale.set(true);
                self.columns[usize::from(kind)].put_back(id, row);
                if let Some(head) = self.any_head_mut(id) {
                    head.gone = false;
                }
            }
            Undo::Edited { kind, id, row } => self.columns[usize::from(kind)].put_back(id, row),
            Undo::Posed { id, pose } => {
                self.grid_is_stale.set(true);
                if let Some(head) = self.any_head_mut(id) {
                    head.pose = pose;
                }
            }
            Undo::Round(round) => self.round = round,
            Undo::TimerSet(id) => {
                self.timers.remove(id);
            }
            Undo::TimerGone(timer) => self.timers.put(timer),
            Undo::AreaMade(id) => {
                self.areas.remove(id);
            }
            Undo::AreaGone(area) => self.areas.put_back(area),
            Undo::Asked(id) => {
                self.asks.open.remove(&id);
            }
            Undo::Mind { seat, mind } => {
                if let Some(state) = self.seats.get_mut(&seat) {
                    state.mind = mind;
                }
            }
        }
    }

    /// A handler has ended: counts it, and rolls it back if it failed.
    pub fn end(&mut self, kind: Option<&'static str>, handler: &'static str, failure: Option<&Failure>) {
        let units = self.fuel.end_handler();
        self.tally.handlers += 1;
        let name = || kind.map_or(handler.to_owned(), |kind| format!("{kind}.{handler}"));
        if units > self.tally.max_units {
            (self.tally.max_units, self.tally.worst) = (units, Some(name()));
        }
        let error = failure.map(|failure| failure.message().to_owned());
        if let Some(message) = &error {
            self.roll_back();
            let stopped = matches!(failure, Some(Failure::Stopped));
            self.tally.budget_stops += u64::from(stopped);
            self.tally.errors += u64::from(!stopped);
            self.fault(Fault { handler: name(), message: message.clone(), stopped });
        }
        if self.observing && self.given.runs.len() < RUNS_PER_TICK_MAX {
            self.given.runs.push(HandlerRun { kind, handler, error, units });
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.given.faults_count = self.given.faults_count.saturating_add(1);
        if self.given.faults.len() < NOTES_PER_TICK_MAX {
            self.given.faults.push(fault);
        }
    }

    /// Notes what was made to fit; the handler is named only where it is kept.
    pub fn note(&mut self, handler: impl FnOnce() -> String, field: &str, fitted: Fitted) {
        self.given.notes_count = self.given.notes_count.saturating_add(1);
        if self.given.notes.len() < NOTES_PER_TICK_MAX {
            let Fitted { what, written } = fitted;
            self.given.notes.push(Note { handler: handler(), what, field: field.to_owned(), written });
        }
    }

    // ---- Reading ----

    pub fn head(&self, id: BodyId) -> Option<&Head> {
        let i = self.finder.find(&self.heads, id, |head| head.id).ok()?;
        Some(&self.heads[i]).filter(|head| !head.gone)
    }

    pub(super) fn any_head_mut(&mut self, id: BodyId) -> Option<&mut Head> {
        let i = self.finder.find(&self.heads, id, |head| head.id).ok()?;
        Some(&mut self.heads[i])
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

    /// Hands out the bodies whose centres lie within `metres` of a point, by rising id; says how many there were. Costs what
    /// making the grid anew does, where that has to be.
    pub fn near(&self, at: Vec3, metres: f64, each: &mut dyn FnMut(&Head)) -> usize {
        let mut found = 0;
        if self.heads.len() < GRID_BODIES_MIN {
            for head in self.heads.iter().filter(|head| !head.gone) {
                if to_space(head.pose.at).distance(at) <= metres {
                    found += 1;
                    each(head);
                }
            }
            return found;
        }
        let mut grid = self.grid.borrow_mut();
        if self.grid_is_stale.get() {
            self.fuel.charge((self.heads.len() / cost::BODIES_GRIDDED_PER_UNIT) as u32);
            grid.rebuild(&self.heads, &self.schema.kinds);
            self.grid_is_stale.set(false);
        }
        grid.near(at, metres, |index| {
            // Removed since the grid was made.
            if !self.heads[index].gone {
                found += 1;
                each(&self.heads[index]);
            }
        });
        found
    }

    /// The columns of shared kinds, with the kinds' indices.
    pub fn shared_columns(&self) -> impl Iterator<Item = (usize, &dyn AnyColumn)> {
        let columns = self.columns.iter().map(Box::as_ref).enumerate();
        columns.filter(|(kind, _)| self.schema.kinds[*kind].shared)
    }

    // ---- The end of a step ----

    /// Remembers where the bodies of kinds with `rewind` are.
    pub fn remember(&mut self) {
        if self.history.slots.is_empty() {
            return;
        }
        let kinds = &self.schema.kinds;
        let rewinds = self.heads.iter().filter(|head| !head.gone && kinds[usize::from(head.kind)].rewind);
        let past = |head: &Head| Past { id: head.id, at: head.pose.at, heading: head.pose.heading };
        self.history.remember(self.tick, rewinds.map(past));
    }

    /// Drops the bodies that were removed, with their timers.
    pub fn sweep(&mut self) {
        self.undo.clear();
        self.grid_is_stale.set(true);
        if self.heads.iter().any(|head| head.gone) {
            self.heads.retain(|head| !head.gone);
            let heads = &self.heads;
            let is_there = |id| heads.binary_search_by_key(&id, |head: &Head| head.id).is_ok();
            self.timers.keep(is_there);
            self.fresh.retain(|id| is_there(*id));
        }
    }

    /// Everything but seats goes: bodies, spawns, questions, areas, timers, what bodies were; shared state is as new.
    pub fn clear(&mut self) {
        self.undo.clear();
        self.grid_is_stale.set(true);
        self.heads.clear();
        self.columns.iter_mut().for_each(|column| column.start_anew());
        self.timers.list.clear();
        self.asks.open.clear();
        self.fresh.clear();
        self.history.clear();
        self.cursor = Cursor::default();
        self.given.areas_changed |= !self.areas.list.is_empty();
        self.areas.list.clear();
        self.given.effects.clear();
        self.given.asks.clear();
        for state in self.seats.values_mut() {
            (state.body, state.mind, state.bot_held) = (None, Mind::default(), Controls::default());
        }
    }
}
