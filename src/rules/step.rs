//! One room of a game: `Sim` for every `R: Rules`. The order of a tick is here.
//!
//! A tick: round clock, then everything moves, then touches, then the bodies' own ticks by kind and id, then the room's.
//! During the break after a round nothing acts and controls are neutral.

use std::collections::BTreeMap;

use crate::rules::character::Character;
use crate::rules::cut::Cut;
use crate::rules::face::{
    AskId, BodyRow, Broken, Given, MindRow, Moment, Round, SeatInfo, SeatInput, Sim, Snapshot, Standing,
    Tally,
};
use crate::rules::game::Rules;
use crate::rules::grid::overlaps;
use crate::rules::ids::{Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::kind::SHARED_ROW;
use crate::rules::kinds::{KindOps, Kinds};
use crate::rules::save;
use crate::rules::world::{World, other};

pub struct RoomSim<R: Rules> {
    world: World<R>,
    ops: Vec<KindOps<R>>,
}

impl<R: Rules> RoomSim<R> {
    pub fn new(world: World<R>) -> RoomSim<R> {
        RoomSim { world, ops: R::Kinds::ops() }
    }

    /// The first round of a new room.
    pub fn open(&mut self) {
        self.world.run("open", R::open);
        self.world.run("round_start", R::round_start);
        self.world.engine.sweep();
    }

    fn enter(&mut self, info: &SeatInfo) {
        let seat = info.seat;
        let id = self.world.run("join", |w| {
            let entry = R::join(w, info);
            let id = w.engine.spawn(entry.kind as u8, Some(seat), entry.place)?;
            (entry.put)(&mut w.engine, id);
            Some(id)
        });
        let id = id.flatten();
        if let Some(state) = self.world.engine.seats.get_mut(&seat) {
            state.body = id;
        }
        // What join returned is fitted as if a handler had written it.
        if let Some(head) = id.and_then(|id| self.world.engine.head(id).copied()) {
            (self.ops[usize::from(head.kind)].refit)(&mut self.world, head.id);
        }
    }

    fn run_round(&mut self) {
        let engine = &mut self.world.engine;
        let Some(ends_at) = engine.round.ends_at.filter(|end| engine.tick >= *end) else {
            return;
        };
        let hz = engine.schema.room.hz;
        engine.given.round_changed = true;
        if engine.round.live {
            self.world.run("round_end", R::round_end);
            let engine = &mut self.world.engine;
            engine.round.live = false;
            engine.round.ends_at = Some(engine.tick.plus(engine.schema.room.break_s * hz));
            return;
        }
        let number = engine.round.number + 1;
        let seconds = engine.schema.room.round_s;
        let ends_at = (seconds > 0).then(|| ends_at.plus(seconds * hz));
        engine.round = Round { number, live: true, ends_at };
        self.restart();
    }

    /// Every body goes and shared state starts anew; every seat is joined again as if its holder had just sat down.
    fn restart(&mut self) {
        let seats: Vec<SeatInfo> = (self.world.engine.seats.iter())
            .map(|(&seat, state)| SeatInfo {
                seat,
                name: state.name.clone(),
                driver: state.driver,
                owner: state.owner.clone(),
                character: self.world.engine.character(seat),
            })
            .collect();
        let engine = &mut self.world.engine;
        engine.heads.clear();
        for column in &mut engine.columns {
            column.start_anew();
        }
        for seat in seats {
            self.enter(&seat);
        }
        self.world.run("round_start", R::round_start);
    }

    fn touch_all(&mut self) {
        for (a, b) in overlaps(&self.world.engine.heads, &self.world.engine.schema.kinds) {
            let (Some(head), Some(met)) = (self.world.engine.head(a), self.world.engine.head(b)) else {
                continue;
            };
            let (kind, met) = (usize::from(head.kind), other(&self.world.engine, met));
            (self.ops[kind].touch)(&mut self.world, a, &met);
        }
    }

    fn set_inputs(&mut self, inputs: &[SeatInput]) {
        for state in self.world.engine.seats.values_mut() {
            (state.held, state.pressed) = (Controls::default(), 0);
        }
        for input in inputs {
            if let Some(state) = self.world.engine.seats.get_mut(&input.seat) {
                (state.held, state.pressed) = (input.held, input.pressed);
            }
        }
    }
}

impl<R: Rules> Sim for RoomSim<R> {
    fn tick(&self) -> Tick {
        self.world.engine.tick
    }

    fn round(&self) -> Round {
        self.world.engine.round
    }

    fn join(&mut self, seat: &SeatInfo, _now_ms: u64) {
        let state = self.world.engine.seats.entry(seat.seat).or_default();
        state.name.clone_from(&seat.name);
        state.driver = seat.driver;
        state.owner.clone_from(&seat.owner);
        if state.body.is_none() {
            self.enter(seat);
        }
        self.world.engine.sweep();
    }

    fn leave(&mut self, seat: Seat, _now_ms: u64) -> Option<Character> {
        let state = self.world.engine.seats.get(&seat).cloned()?;
        if let Some(head) = state.body.and_then(|id| self.world.engine.head(id).copied()) {
            (self.ops[usize::from(head.kind)].leave)(&mut self.world, head.id);
        }
        let character = self.world.engine.character(seat);
        if let Some(id) = state.body {
            self.world.engine.remove(id);
        }
        self.world.engine.seats.remove(&seat);
        let info =
            SeatInfo { seat, name: state.name, driver: state.driver, owner: state.owner, character: None };
        self.world.run("leave", |w| R::leave(w, &info));
        self.world.engine.sweep();
        character
    }

    fn character(&self, seat: Seat) -> Option<Character> {
        self.world.engine.character(seat)
    }

    fn step(&mut self, moment: &Moment<'_>) -> Result<(), Broken> {
        let engine = &mut self.world.engine;
        engine.tick =
            Tick(engine.tick.0.checked_add(1).ok_or_else(|| Broken("the last tick has run".to_owned()))?);
        self.set_inputs(moment.inputs);
        self.run_round();
        for ops in &self.ops {
            (ops.steer)(&mut self.world);
        }
        if self.world.engine.round.live {
            self.touch_all();
            for ops in &self.ops {
                (ops.tick)(&mut self.world);
            }
            self.world.run("tick", R::tick);
        }
        self.world.engine.sweep();
        Ok(())
    }

    fn drain(&mut self) -> Given {
        std::mem::take(&mut self.world.engine.given)
    }

    fn snapshot(&self, out: &mut Snapshot) {
        out.bodies.clear();
        out.values.clear();
        for head in &self.world.engine.heads {
            out.bodies.push(BodyRow {
                id: head.id,
                kind: head.kind,
                seat: head.seat,
                at: head.pose.at,
                heading: head.pose.heading,
                fields_at: out.values.len() as u32,
            });
            self.world.engine.columns[usize::from(head.kind)].put_words(head.id, &mut out.values);
        }
        out.shared.clear();
        for (_, column) in self.world.engine.shared_columns() {
            column.put_words(SHARED_ROW, &mut out.shared);
        }
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

    fn resume(&mut self, away_ms: u64, _now_ms: u64) {
        self.world.run("resume", |w| R::resume(w, away_ms));
        self.world.engine.sweep();
    }

    fn next_due_ms(&self) -> Option<u64> {
        None
    }

    fn answer(&mut self, _ask: AskId, _text: &str) {}

    fn tally(&self) -> Tally {
        Tally::default()
    }

    fn minds(&self) -> Vec<MindRow> {
        Vec::new()
    }

    fn observe(&mut self, _on: bool) {}

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
}
