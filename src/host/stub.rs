//! A tiny game for the host's tests, so that they need no rules of a real one.
//!
//! A body moves by its stick and counts presses of `fire` durably. `over` ends or restarts the round. With characters
//! there is shared state too: all the presses, and a tick count that nobody is told.

use std::cell::Cell;
use std::collections::BTreeMap;

pub use crate::host::rig::{Disk, Rig, START_MS, hello, scores, setup};
use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError};
use crate::rules::face::{
    BodyRow, Broken, Effect, Game, Given, Round, SeatInfo, SeatInput, Sim, Snapshot, Standing,
};
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::motion::Pose;
use crate::rules::schema::{ControlSpec, ControlType, FieldSpec, FieldType, KindSpec, Room, Schema};

pub const CONTROLS: &[ControlSpec] = &[
    ControlSpec { name: "move", how: ControlType::Stick },
    ControlSpec { name: "fire", how: ControlType::Button },
    ControlSpec { name: "over", how: ControlType::Button },
];
pub const FIRE: usize = 2;

thread_local! {
    /// Every step fails; each test has a thread of its own.
    static BROKEN: Cell<bool> = const { Cell::new(false) };
    /// The game was changed since: no save of it opens.
    static CHANGED: Cell<bool> = const { Cell::new(false) };
}

/// Makes every step fail from now, or none.
pub fn break_steps(broken: bool) {
    BROKEN.set(broken);
}

/// Makes every save one of another version of the game, or of this one again.
pub fn change_game(changed: bool) {
    CHANGED.set(changed);
}

/// Controls with one button down.
pub fn held(word: usize) -> Controls {
    let mut controls = Controls::default();
    controls.0[word] = 1;
    controls
}

const FIELDS: &[FieldSpec] = &[FieldSpec {
    name: "score",
    ty: FieldType::Int { min: 0, max: 1_000_000 },
    durable: true,
    score: true,
    local: false,
}];

const SHARED: &[FieldSpec] = &[
    FieldSpec { name: "bangs", score: false, ..FIELDS[0] },
    FieldSpec { name: "ticks", durable: false, score: false, local: true, ..FIELDS[0] },
];

pub struct Stub {
    room: Room,
}

/// A match room of two seats, with 10 s of grace and 300 s until idle.
pub static MATCH: Stub = Stub { room: Room::rounds(120).seats(2) };
/// A lasting room of two seats.
pub static LASTING: Stub = Stub { room: Room::lasting().seats(2) };
/// A lasting room of two seats, played with characters.
pub static CHARACTERS: Stub = Stub { room: Room::lasting().characters().seats(2) };

#[derive(Clone, Debug)]
struct StubSim {
    tick: Tick,
    round: Round,
    /// By seat: position in steps, and score.
    bodies: BTreeMap<u16, ([i32; 2], i32)>,
    bangs: i32,
    characters: bool,
    mark: u64,
    given: Given,
}

impl Game for Stub {
    fn schema(&self) -> Schema {
        let kind = KindSpec {
            name: "walker",
            player: true,
            shared: false,
            radius: 0.5,
            look: "disc #4af",
            bar: None,
            fields: FIELDS,
        };
        let shared =
            KindSpec { name: "land", player: false, shared: true, bar: None, fields: SHARED, ..kind };
        let kinds = if self.room.characters { vec![shared, kind] } else { vec![kind] };
        Schema { kinds, controls: CONTROLS.to_vec(), room: self.room.clone() }
    }

    fn create(&self, _seed: u64) -> Box<dyn Sim> {
        let characters = self.room.characters;
        let round = Round { number: 1, live: true, ends_at: None };
        let bodies = BTreeMap::new();
        Box::new(StubSim {
            tick: Tick(0),
            round,
            bodies,
            bangs: 0,
            characters,
            mark: 0,
            given: Given::default(),
        })
    }

    fn restore(&self, cut: &Cut) -> Result<Box<dyn Sim>, SaveError> {
        if CHANGED.get() {
            return Err(SaveError::Schema);
        }
        let record = cut.record(1, 0).ok_or(SaveError::Corrupt("no stub"))?;
        let (tick, number, live, bangs) =
            postcard::from_bytes(record).map_err(|_| SaveError::Corrupt("stub"))?;
        let mut bodies = BTreeMap::new();
        for (seat, record) in cut.section(2) {
            let body = postcard::from_bytes(record).map_err(|_| SaveError::Corrupt("stub body"))?;
            bodies.insert(u16::try_from(seat).map_err(|_| SaveError::Corrupt("stub seat"))?, body);
        }
        let (round, characters) = (Round { number, live, ends_at: None }, self.room.characters);
        Ok(Box::new(StubSim {
            tick: Tick(tick),
            round,
            bodies,
            bangs,
            characters,
            mark: 0,
            given: Given::default(),
        }))
    }
}

impl Sim for StubSim {
    fn tick(&self) -> Tick {
        self.tick
    }
    fn round(&self) -> Round {
        self.round
    }
    fn join(&mut self, seat: &SeatInfo) {
        let score = seat
            .character
            .as_ref()
            .map_or(0, |character| character.fields.first().map_or(0, |field| field.1));
        self.bodies.insert(seat.seat.0, ([0, 0], score));
        self.mark += 1;
    }
    fn leave(&mut self, seat: Seat) -> Option<Character> {
        let character = self.character(seat);
        self.bodies.remove(&seat.0);
        self.mark += 1;
        character
    }
    fn character(&self, seat: Seat) -> Option<Character> {
        let (at, score) = self.bodies.get(&seat.0)?;
        let pose = Pose { at: *at, ..Pose::default() };
        Some(Character { kind: "walker".to_owned(), pose, fields: vec![("score".to_owned(), *score)] })
    }
    fn step(&mut self, inputs: &[SeatInput]) -> Result<(), Broken> {
        if BROKEN.get() {
            return Err(Broken("the stub was told to break".to_owned()));
        }
        self.tick = self.tick.plus(1);
        for input in inputs {
            let Some((at, score)) = self.bodies.get_mut(&input.seat.0) else { continue };
            at[0] += i32::from(input.held.0[0]);
            at[1] += i32::from(input.held.0[1]);
            if input.pressed & 2 != 0 {
                *score += 1;
                self.bangs += 1;
                self.mark += 1;
                self.given.effects.push(Effect { name: "bang", at: *at });
            }
            if input.pressed & 4 != 0 {
                let number = self.round.number + u32::from(!self.round.live);
                self.round = Round { number, live: !self.round.live, ends_at: None };
                self.given.round_changed = true;
            }
        }
        Ok(())
    }
    fn drain(&mut self) -> Given {
        std::mem::take(&mut self.given)
    }
    fn snapshot(&self, out: &mut Snapshot) {
        *out = Snapshot::default();
        for (fields_at, (seat, (at, score))) in (0..).zip(&self.bodies) {
            let (id, seat) = (BodyId(u32::from(*seat) + 1), Some(Seat(*seat)));
            out.bodies.push(BodyRow {
                id,
                kind: u8::from(self.characters),
                seat,
                at: *at,
                heading: 0,
                fields_at,
            });
            out.values.push(*score);
        }
        if self.characters {
            out.shared = vec![self.bangs, self.tick.0 as i32];
        }
    }
    fn cut(&self, cut: &mut Cut) {
        let room = (self.tick.0, self.round.number, self.round.live, self.bangs);
        cut.put(1, 0, postcard::to_allocvec(&room).expect("plain numbers"));
        for (seat, body) in &self.bodies {
            cut.put(2, u32::from(*seat), postcard::to_allocvec(body).expect("plain numbers"));
        }
    }
    fn durable_mark(&self) -> u64 {
        self.mark
    }
    fn digest(&self) -> u64 {
        let mut cut = Cut::default();
        self.cut(&mut cut);
        xxhash_rust::xxh64::xxh64(&cut.difference(&Cut::default()), 0)
    }
    fn standing(&self) -> Vec<Standing> {
        let row = |(seat, (_, score)): (&u16, &([i32; 2], i32))| Standing {
            seat: Seat(*seat),
            score: *score,
            place: 1,
        };
        self.bodies.iter().map(row).collect()
    }
}
