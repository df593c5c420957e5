//! Scripts: random play of any game, made from what it declares. One author, one seed, one script.
//!
//! Used to write the logs of golden replays and to hold every game to what the runtime promises. The author watches the
//! room, so that its answers, claims and references are sometimes right. Absent: judging a room; `sync.rs` does.

use std::collections::BTreeMap;

use roundtable::prelude::{Driver, Rng, Vec2};
use roundtable::rules::face::{AskId, Game};
use roundtable::rules::ids::Seat;
use roundtable::rules::input::{Controls, newly_down, stick_words};
use roundtable::rules::motion::Pose;
use roundtable::rules::replay::{Op, Replay, ReplayFault};
use roundtable::rules::schema::{ControlType, FieldType, Pace, Schema};

use crate::fixtures::snapshot;

/// Some are told apart by games made for tests.
const NAMES: [&str; 6] = ["Ada", "Bob", "Cyd", "Ada the waiter", "Dee", "the cursed"];

pub struct Author<'a> {
    pub room: Replay<'a>,
    schema: Schema,
    rng: Rng,
    /// Who holds each seat, and what it holds; of a bot's, nothing.
    held: BTreeMap<Seat, (Driver, Controls)>,
    ask: Option<AskId>,
}

impl<'a> Author<'a> {
    pub fn new(game: &'a dyn Game, seed: u64, now_ms: u64) -> Author<'a> {
        let (schema, room) = (game.schema(), Replay::new(game, seed, now_ms));
        Author { room, schema, rng: Rng::new(seed ^ 0x5c41), held: BTreeMap::new(), ask: None }
    }

    /// Whether one of `n` comes up.
    fn one_in(&mut self, n: u32) -> bool {
        self.rng.below(n) == 0
    }

    /// What happens next, which has then happened.
    pub fn next(&mut self, steps_max: u32) -> Result<Op, ReplayFault> {
        let op = self.think(steps_max);
        self.room.apply(&op)?;
        if let Some(ask) = self.room.given.asks.first() {
            self.ask = Some(ask.id);
        }
        Ok(op)
    }

    fn think(&mut self, steps_max: u32) -> Op {
        let on_event = self.schema.room.pace == Pace::OnEvent;
        let seats = u32::from(self.schema.room.seats);
        let seat = Seat(self.rng.below(seats.min(6)) as u16);
        let Some((driver, before)) = self.held.get(&seat).copied() else {
            return if self.one_in(4) { self.join(seat) } else { self.time(on_event, steps_max) };
        };
        match self.rng.below(60) {
            0 => {
                self.held.remove(&seat);
                Op::Leave(seat)
            }
            1 if !on_event => Op::Sees { seat, ticks: self.rng.below(8) as u16 },
            2..5 => match self.ask.take() {
                Some(ask) => Op::Answer { ask, text: self.word(300) },
                None => self.time(on_event, steps_max),
            },
            5..10 if !on_event => self.claim(seat),
            10 if self.one_in(12) => Op::Resume { away_ms: u64::from(self.rng.below(100_000)) },
            11..30 if driver != Driver::Bot && !self.schema.controls.is_empty() => {
                self.hold(seat, driver, before)
            }
            // A bot's seat is acted for by the rules alone.
            30..40 if driver != Driver::Bot && !self.schema.actions.is_empty() => self.act(seat),
            _ => self.time(on_event, steps_max),
        }
    }

    fn time(&mut self, on_event: bool, steps_max: u32) -> Op {
        match on_event && !self.one_in(3) {
            true => Op::Wait { ms: 1 + u64::from(self.rng.below(4_000)) },
            false if on_event => Op::Tick(1),
            false => Op::Tick(1 + self.rng.below(steps_max)),
        }
    }

    fn join(&mut self, seat: Seat) -> Op {
        let drivers = [Driver::Person, Driver::Person, Driver::Bot, Driver::Ai];
        let driver = drivers[self.rng.below(4) as usize];
        self.held.insert(seat, (driver, Controls::default()));
        let name = NAMES[self.rng.below(NAMES.len() as u32) as usize].to_owned();
        if driver == Driver::Person && self.one_in(2) {
            Op::Back { seat, name }
        } else {
            Op::Join { seat, driver, name }
        }
    }

    fn hold(&mut self, seat: Seat, driver: Driver, before: Controls) -> Op {
        let mut words = Vec::new();
        for how in self.schema.controls.clone().iter().map(|control| control.how) {
            self.control(how, &mut words);
        }
        let mut controls = Controls::default();
        controls.0[..words.len()].copy_from_slice(&words);
        self.held.insert(seat, (driver, controls));
        let pressed = newly_down(&self.schema.controls, &before, &controls);
        Op::Hold { seat, controls, pressed }
    }

    fn control(&mut self, how: ControlType, words: &mut Vec<i16>) {
        let below = |rng: &mut Rng, n: i32| rng.below(n.unsigned_abs()) as i32;
        match how {
            ControlType::Stick => {
                let way = Vec2::at_angle(self.rng.unit() * std::f64::consts::TAU);
                words.extend(stick_words(way * (self.rng.unit() * 1.5)));
            }
            ControlType::Aim => words.push(self.rng.next_u32() as i16),
            ControlType::Button => words.push(self.rng.below(2) as i16),
            ControlType::Int { min, max } => {
                let value = i32::from(min) + below(&mut self.rng, i32::from(max) - i32::from(min) + 1);
                words.push((value - how.neutral()) as i16);
            }
            ControlType::Choice { names } => words.push(self.rng.below(names.len() as u32) as i16),
        }
    }

    fn act(&mut self, seat: Seat) -> Op {
        let action = self.rng.below(self.schema.actions.len() as u32) as u16;
        let mut args = Vec::new();
        for arg in self.schema.actions[usize::from(action)].args {
            self.value(arg.ty, &mut args);
        }
        Op::Act { seat, action, args }
    }

    /// A claim not far from where the body is, and sometimes far.
    fn claim(&mut self, seat: Seat) -> Op {
        let bodies = snapshot(&*self.room.sim).bodies;
        let body = bodies.iter().find(|row| row.seat == Some(seat)).copied().unwrap_or_default();
        let reach = if self.one_in(3) { 4_000 } else { 200 };
        let mut near = |at: i32| at + self.rng.below(2 * reach) as i32 - reach as i32;
        let at = [near(body.at[0]), near(body.at[1]), body.at[2]];
        let (velocity, heading) = ([near(0), near(0), 0], near(30_000) as u16);
        Op::Claim { seat, pose: Pose { at, velocity, heading } }
    }

    /// Words of a value of this type, in bounds.
    fn value(&mut self, ty: FieldType, words: &mut Vec<i32>) {
        let (min, max) = ty.bounds();
        let between = |rng: &mut Rng, low: i32, high: i32| {
            // Small values are what most actions mean.
            let high = if rng.below(4) > 0 { high.min(low.saturating_add(9)) } else { high };
            let range = i64::from(high) - i64::from(low) + 1;
            (i64::from(low) + i64::from(rng.below(u32::try_from(range).unwrap_or(u32::MAX)))) as i32
        };
        match ty {
            FieldType::Vector { .. } => (0..2).for_each(|_| words.push(between(&mut self.rng, min, max))),
            FieldType::Text { chars } => {
                let text = self.word(u32::from(chars));
                words.push(text.chars().count() as i32);
                words.extend(text.chars().map(|c| c as i32));
            }
            FieldType::List { of, max } => {
                let length = self.rng.below(u32::from(max) + 1);
                words.push(length as i32);
                (0..length).for_each(|_| self.value(*of, words));
            }
            FieldType::Body => {
                let bodies = snapshot(&*self.room.sim).bodies;
                let index = self.rng.below(bodies.len() as u32 + 1) as usize;
                words.push(bodies.get(index).map_or(0, |row| row.id.0 as i32));
            }
            _ => words.push(between(&mut self.rng, min, max)),
        }
    }

    /// A word of at most so many characters.
    fn word(&mut self, chars: u32) -> String {
        let length = self.rng.below(chars.min(400) + 1);
        (0..length).map(|_| char::from(b'a' + self.rng.below(26) as u8)).collect()
    }
}
