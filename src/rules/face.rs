//! The object-safe face of a game: what host, client and platform use, compiled once whatever the game.
//!
//! `Game` is a game's declaration and its constructor, `Sim` one room of it. `adapter.rs` makes both for every
//! `R: Rules`. Absent: clocks, I/O, seats' connections; the host owns those.

use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError};
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::kind::Kind;
use crate::rules::schema::Schema;

/// A game as its room's host sees it.
pub trait Game: Sync {
    /// What the game declares. Made anew at each call; a host asks once.
    fn schema(&self) -> Schema;
    /// A new room at tick 0 of round 1. The same seed gives the same room on every target.
    fn create(&self, seed: u64) -> Box<dyn Sim>;
    /// The room as it was when `cut` was taken: same digest, same future for the same inputs.
    ///
    /// # Errors
    /// Anything in the rules' sections that is missing, left over or out of bounds, or another schema.
    fn restore(&self, cut: &Cut) -> Result<Box<dyn Sim>, SaveError>;
}

/// One room's simulation.
pub trait Sim {
    /// The tick last run.
    fn tick(&self) -> Tick;
    fn round(&self) -> Round;
    /// Gives a seat its body. A handler that fails leaves the seat without one, with a fault noted.
    fn join(&mut self, seat: &SeatInfo);
    /// Takes a seat's body away, its leave handler first, and gives its character as that handler left it.
    fn leave(&mut self, seat: Seat) -> Option<Character>;
    /// A copy of the character a seat plays now.
    fn character(&self, seat: Seat) -> Option<Character>;
    /// Runs one tick. Seats that are not named have neutral controls.
    ///
    /// # Errors
    /// The simulation itself failed (not a handler: those are contained); the state must not be used further.
    fn step(&mut self, inputs: &[SeatInput]) -> Result<(), Broken>;
    /// Takes what the rules gave out since the last call.
    fn drain(&mut self) -> Given;
    /// The bodies by rising id, and each seat's body. Overwrites `out`.
    fn snapshot(&self, out: &mut Snapshot);
    /// Adds the rules' records to `cut`: all that a restore needs.
    fn cut(&self, cut: &mut Cut);
    /// Changes whenever a durable field does, or a body that has one is made or removed.
    fn durable_mark(&self) -> u64;
    /// A hash of the whole state of the rules. Equal states give equal digests on every target.
    fn digest(&self) -> u64;
    /// Results of the round that is over, or the standing of a live one: seat, score, place (ties share one).
    fn standing(&self) -> Vec<Standing>;
}

/// Who sits down, as `join` sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatInfo {
    pub seat: Seat,
    pub name: String,
    /// What the account brings along; none for a new one, and in games without characters.
    pub character: Option<Character>,
}

impl SeatInfo {
    /// The body that the seat's character had when it last left, if it is of this kind.
    #[must_use]
    pub fn character<K: Kind>(&self) -> Option<K> {
        self.character.as_ref().and_then(Character::body)
    }
}

/// A seat's controls for one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatInput {
    pub seat: Seat,
    /// What is held in this tick.
    pub held: Controls,
    /// Bit i: button i went down since the last tick, even if it is up again.
    pub pressed: u32,
}

/// Where play stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// From 1.
    pub number: u32,
    /// Play goes on; else the break after it.
    pub live: bool,
    /// The tick at which the round, or the break, ends; none for a round without end.
    pub ends_at: Option<Tick>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub seat: Seat,
    pub score: i32,
    pub place: u16,
}

/// The bodies of one tick. `values` holds every body's fields, one `i32` each, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub bodies: Vec<BodyRow>,
    pub values: Vec<i32>,
    /// The fields of the shared kinds, kind by kind in schema order.
    pub shared: Vec<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyRow {
    pub id: BodyId,
    /// Index into the schema's kinds.
    pub kind: u8,
    pub seat: Option<Seat>,
    /// Position in steps of `1 / POSITION_STEPS_PER_METRE` metres.
    pub at: [i32; 2],
    /// Radians from +x counter-clockwise, as steps of a 65,536th of the circle.
    pub heading: u16,
    /// Where its fields begin in `Snapshot::values`.
    pub fields_at: u32,
}

/// What a room gave out: cosmetic effects, what changed, and what went wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    pub effects: Vec<Effect>,
    pub effects_dropped: u32,
    /// A round began or ended.
    pub round_changed: bool,
    pub faults: Vec<Fault>,
    pub faults_count: u32,
    pub notes: Vec<Note>,
    pub notes_count: u32,
}

/// A one-tick cosmetic event; it may be lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// What the rules called it; `Room::effects` may say how it is shown.
    pub name: &'static str,
    /// Steps, as in `BodyRow::at`.
    pub at: [i32; 2],
}

/// A handler that failed; its changes were discarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Such as `fighter.tick`.
    pub handler: String,
    pub message: String,
}

/// A written value that was made to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub handler: String,
    pub field: &'static str,
    /// What was written, before it was fitted.
    pub written: i64,
}

/// The simulation failed outside any handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);
