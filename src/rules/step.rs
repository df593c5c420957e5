//! One room of a game: `Sim` for every `R: Rules`. The order of a tick is here.
//!
//! A tick: round clock, then everything moves, then touches, then the bodies' own ticks by kind and id, then the room's.
//! During the break after a round nothing acts and controls are neutral.

use std::collections::BTreeMap;

use crate::rules::cut::Cut;
use crate::rules::face::{BodyRow, Broken, Given, Round, SeatInfo, SeatInput, Sim, Snapshot, Standing};
use crate::rules::game::Rules;
use crate::rules::grid::overlaps;
use crate::rules::ids::{Seat, Tick};
use crate::rules::input::Controls;
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

    fn enter(&mut self, seat: Seat) {
        let Some(name) = self.world.engine.seats.get(&seat).map(|state| state.name.clone()) else {
            return;
        };
        let info = SeatInfo { seat, name };
        let id = self.world.run("join", |w| {
            let entry = R::join(w, &info);
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

    /// Every body goes, every seat is joined again as if its holder had just sat down.
    fn restart(&mut self) {
        let engine = &mut self.world.engine;
        let ids: Vec<_> = engine.heads.iter().map(|head| head.id).collect();
        for id in ids {
            engine.remove(id);
        }
        engine.sweep();
        let seats: Vec<Seat> = engine.seats.keys().copied().collect();
        for seat in seats {
            self.enter(seat);
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

    fn join(&mut self, seat: &SeatInfo) {
        let state = self.world.engine.seats.entry(seat.seat).or_default();
        state.name.clone_from(&seat.name);
        if state.body.is_none() {
            self.enter(seat.seat);
        }
        self.world.engine.sweep();
    }

    fn leave(&mut self, seat: Seat) {
        let Some(state) = self.world.engine.seats.get(&seat).cloned() else {
            return;
        };
        if let Some(head) = state.body.and_then(|id| self.world.engine.head(id).copied()) {
            (self.ops[usize::from(head.kind)].leave)(&mut self.world, head.id);
            self.world.engine.remove(head.id);
        }
        self.world.engine.seats.remove(&seat);
        let info = SeatInfo { seat, name: state.name };
        self.world.run("leave", |w| R::leave(w, &info));
        self.world.engine.sweep();
    }

    fn step(&mut self, inputs: &[SeatInput]) -> Result<(), Broken> {
        let engine = &mut self.world.engine;
        engine.tick =
            Tick(engine.tick.0.checked_add(1).ok_or_else(|| Broken("the last tick has run".to_owned()))?);
        self.set_inputs(inputs);
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
            self.world.engine.columns[usize::from(head.kind)].values(head.id, &mut out.values);
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

    fn standing(&self) -> Vec<Standing> {
        let engine = &self.world.engine;
        let scores: BTreeMap<Seat, i32> = (engine.seats.iter())
            .filter_map(|(seat, state)| {
                let head = engine.head(state.body?)?;
                Some((*seat, engine.columns[usize::from(head.kind)].score(head.id)?))
            })
            .collect();
        let place = |score: i32| 1 + scores.values().filter(|other| **other > score).count() as u16;
        let mut standing: Vec<Standing> =
            scores.iter().map(|(&seat, &score)| Standing { seat, score, place: place(score) }).collect();
        standing.sort_by_key(|row| (row.place, row.seat));
        standing
    }
}
