//! The object-safe face of a game: what host, client and platform use, compiled once whatever the game.
//!
//! `Game` is a game's declaration and its constructor, `Sim` one room of it. `adapter.rs` makes both for every
//! `R: Rules`. Absent: clocks, I/O, seats' connections; the host owns those.

use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError};
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::kind::Kind;
use crate::rules::motion::Pose;
use crate::rules::schema::Schema;

/// A game as its room's host sees it.
pub trait Game: Sync {
    /// What the game declares. Made anew at each call; a host asks once.
    fn schema(&self) -> Schema;
    /// A new room at tick 0 of round 1. The same seed gives the same room on every target. `now_ms` is the time of an
    /// event-driven room's opening; a room that ticks never sees it.
    fn create(&self, seed: u64, now_ms: u64) -> Box<dyn Sim>;
    /// The room as it was when `cut` was taken: same digest, same future for the same inputs. Fields of another version
    /// of the game are mapped by name, and `drain` tells what was converted or dropped.
    ///
    /// # Errors
    /// Anything in the rules' sections that is missing, left over or out of bounds, or fields that do not convert.
    fn restore(&self, cut: &Cut) -> Result<Box<dyn Sim>, SaveError>;
    /// A character that some version of this game wrote, in this version's fields, with what was converted or dropped.
    ///
    /// # Errors
    /// It is of no player kind, or a field does not convert.
    fn fit_character(&self, character: &Character) -> Result<(Character, Vec<Note>), Unfit>;
}

/// Games by the first segment of their rooms' URLs, and what gives each.
pub type Registry = &'static [(&'static str, fn() -> &'static dyn Game)];

/// A character does not fit this version of its game; the text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

/// One room's simulation.
pub trait Sim {
    /// The tick last run.
    fn tick(&self) -> Tick;
    fn round(&self) -> Round;
    /// Gives a seat its body. A handler that fails leaves the seat without one, with a fault noted.
    fn join(&mut self, seat: &SeatInfo, now_ms: u64);
    /// Takes a seat's body away, its leave handler first, and gives its character as that handler left it.
    fn leave(&mut self, seat: Seat, now_ms: u64) -> Option<Character>;
    /// Takes a seat's body away as if it had never been: its leave handler is not run, and nobody gets its character.
    fn expel(&mut self, seat: Seat, now_ms: u64);
    /// A copy of the character a seat plays now.
    fn character(&self, seat: Seat) -> Option<Character>;
    /// A lasting room that slept goes on.
    fn resume(&mut self, away_ms: u64, now_ms: u64);
    /// Runs one tick, or one event. Seats that are not named have neutral controls.
    ///
    /// # Errors
    /// The simulation itself failed (not a handler: those are contained); the state must not be used further.
    fn step(&mut self, moment: &Moment<'_>) -> Result<(), Broken>;
    /// When an event-driven room has a step to run though nobody acts: its earliest timer or deadline.
    fn next_due_ms(&self) -> Option<u64>;
    /// The words of an ai's mind arrived; its body hears them in the next step. Passed over when the ask is no longer
    /// open. At most `ANSWER_CHARS_MAX` characters are heard.
    fn answer(&mut self, ask: AskId, text: &str);
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
    /// What an operator sees of this incarnation's handlers.
    fn tally(&self) -> Tally;
    /// What the minds of bots and ais keep.
    fn minds(&self) -> Vec<MindRow>;
    /// Whether `Given::runs` tells of each handler that ran. Off at first: a test and an operator ask for it.
    fn observe(&mut self, on: bool);
}

/// One step: what happens in it, and when.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment<'a> {
    /// The time of the event, for a due timer its due time; only event-driven games see it.
    pub now_ms: u64,
    pub inputs: &'a [SeatInput],
    /// In the order they are to happen. Those that `Given::done` does not answer wait for the next step: give them
    /// again.
    pub actions: &'a [SeatAction],
}

/// Who decides for a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Driver {
    #[default]
    Person,
    /// The rules' own `bot`.
    Bot,
    /// An asynchronous mind: asked, with a deadline and a floor for when no answer comes.
    Ai,
}

impl Driver {
    /// Its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Driver::Person => "person",
            Driver::Bot => "bot",
            Driver::Ai => "ai",
        }
    }
}

/// Who sits down, as `join` sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatInfo {
    pub seat: Seat,
    pub name: String,
    pub driver: Driver,
    /// Whose seat it is: an account, or nobody's. At most `OWNER_CHARS_MAX` characters.
    pub owner: Option<String>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatInput {
    pub seat: Seat,
    /// What is held in this tick.
    pub held: Controls,
    /// Bit i: button i went down since the last tick, even if it is up again.
    pub pressed: u32,
    /// Where the seat's client says its body is: owner-moved kinds only.
    pub claim: Option<Pose>,
    /// How many ticks ago the seat saw what it acts on, for `World::past`.
    pub rewind: u16,
}

/// An action of a seat, its arguments within their bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatAction {
    pub seat: Seat,
    /// The client's own number of it.
    pub number: u32,
    /// Index into the schema's actions.
    pub action: u16,
    /// The words of its arguments, in order.
    pub args: Vec<i32>,
}

/// Where play stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// From 1.
    pub number: u32,
    /// Play goes on; else the break after it.
    pub live: bool,
    /// The tick at which the round, or the break, ends; none for a round without end. In an event-driven room: none.
    pub ends_at: Option<Tick>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub seat: Seat,
    /// The seat's body when the round ended.
    pub body: Option<BodyId>,
    pub driver: Driver,
    pub score: i32,
    /// From 1; ties share a place.
    pub place: u16,
}

/// The bodies of one tick. `values` holds the words of every body's fields, in schema order (`schema::runs` walks them).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub bodies: Vec<BodyRow>,
    pub values: Vec<i32>,
    /// The words of the shared kinds, kind by kind in schema order.
    pub shared: Vec<i32>,
    pub areas: Vec<AreaRow>,
}

impl Snapshot {
    /// From a body's words on; `schema::runs` takes as many as its fields need.
    #[must_use]
    pub fn words(&self, body: &BodyRow) -> &[i32] {
        self.values.get(body.fields_at as usize..).unwrap_or(&[])
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyRow {
    pub id: BodyId,
    /// Index into the schema's kinds.
    pub kind: u8,
    pub seat: Option<Seat>,
    /// Position in steps of `1 / POSITION_STEPS_PER_METRE` metres; z is 0 on a flat map.
    pub at: [i32; 3],
    /// Radians from +x counter-clockwise, as steps of a 65,536th of the circle.
    pub heading: u16,
    /// Where its fields begin in `Snapshot::values`.
    pub fields_at: u32,
}

/// A disc on the ground that lasts for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AreaRow {
    pub id: u32,
    /// What the rules called it; `Room::effects` may say how it is shown.
    pub name: String,
    /// Steps, as in `BodyRow::at`.
    pub at: [i32; 3],
    /// Steps.
    pub radius: i32,
    /// The tick at which it is gone; in an event-driven room none.
    pub ends_at: Option<Tick>,
}

/// What a room gave out: cosmetic effects, what changed, what is to leave, and what went wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    pub effects: Vec<Effect>,
    pub effects_dropped: u32,
    /// A round began or ended.
    pub round_changed: bool,
    /// A match began anew: bodies are other bodies.
    pub restarted: bool,
    pub areas_changed: bool,
    /// Answers to actions, in the order they happened.
    pub done: Vec<Done>,
    /// Seats whose claim was refused: their body is where it was, and their `r` is to rise.
    pub claims_refused: Vec<Seat>,
    /// Questions to the minds of ais.
    pub asks: Vec<Ask>,
    pub records: Vec<Record>,
    pub travels: Vec<Travel>,
    pub faults: Vec<Fault>,
    pub faults_count: u32,
    pub notes: Vec<Note>,
    pub notes_count: u32,
    /// Handlers that ran, if they are observed.
    pub runs: Vec<HandlerRun>,
}

/// The answer to an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    pub seat: Seat,
    pub number: u32,
    /// Why not, at most `REFUSAL_CHARS_MAX` characters.
    pub result: Result<(), String>,
}

/// The number of a question, never used twice in a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskId(pub u32);

/// A question to the mind of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub id: AskId,
    pub seat: Seat,
    pub question: String,
    /// When the floor answers instead: a tick, or milliseconds in an event-driven room.
    pub deadline: u64,
}

/// Something to be kept outside of the room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub owner: String,
    pub key: String,
    pub value: String,
}

/// A seat goes to another room of its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Travel {
    pub seat: Seat,
    pub room: String,
}

/// A one-tick cosmetic event; it may be lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// What the rules called it; `Room::effects` may say how it is shown.
    pub name: &'static str,
    /// Steps, as in `BodyRow::at`.
    pub at: [i32; 3],
}

/// A handler that failed; its changes were discarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Such as `fighter.tick`.
    pub handler: String,
    pub message: String,
    /// It used up its fuel, rather than failing.
    pub stopped: bool,
}

/// A written value that was changed or dropped to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub handler: String,
    /// `clamped`, `zeroed`, `cut`, `dropped`; of a save, also `converted`.
    pub what: &'static str,
    pub field: String,
    /// What was written, before it was fitted.
    pub written: String,
}

/// A handler that ran (B19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerRun {
    /// None for the room's own.
    pub kind: Option<&'static str>,
    pub handler: &'static str,
    pub error: Option<String>,
    /// Units of fuel it used.
    pub units: u32,
}

/// Where in a tick a room is (B20).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    #[default]
    Idle,
    Round,
    Actions,
    Bots,
    Steer,
    Touch,
    Tick,
    Room,
}

/// Counts of this incarnation's handlers (B20).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub stage: Stage,
    pub ticks: u64,
    pub handlers: u64,
    pub errors: u64,
    /// Units that all of them used.
    pub units: u64,
    /// Handlers that were stopped because their fuel was used up.
    pub budget_stops: u64,
    /// Ticks whose fuel was used up, so that handlers waited for the next.
    pub ticks_cut: u64,
    /// How many of them on end, up to now.
    pub ticks_cut_on_end: u64,
    /// Ticks in which more bodies overlapped than there may be pairs: some were not pushed apart, or had no `touch`.
    pub ticks_crowded: u64,
    /// The most units a handler used, and a tick.
    pub max_units: u32,
    pub max_tick_units: u32,
    /// The handler that used `max_units`.
    pub worst: Option<String>,
}

/// What the mind of a bot or an ai keeps (B53).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MindRow {
    pub seat: Seat,
    pub driver: Driver,
    pub goal: String,
    /// Open questions, each with its deadline.
    pub asks: Vec<(AskId, u64)>,
    pub avoided: Vec<BodyId>,
}

/// The simulation failed outside any handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);
