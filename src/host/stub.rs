//! A tiny game for the host's tests, so that they need no rules of a real one.
//!
//! A body moves by its stick, or to where its claim says, and counts presses of `fire` durably. `over` ends or restarts
//! the round. What its actions do is said at `ACTIONS`. With characters there is shared state too: all the presses, and
//! a tick count that nobody is told. `CARDS` runs by events and keeps a hand that only its own seat sees.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use crate::host::rig::{Disk, Rig, START_MS, hello, scores, setup};
use crate::rules::character::Character;
use crate::rules::cut::{Cut, SaveError};
use crate::rules::datum::Datum;
use crate::rules::face::{
    AreaRow, Ask, AskId, BodyRow, Broken, Done, Driver, Effect, Fault, Game, Given, MindRow, Moment, Note,
    Record, Round, SeatAction, SeatInfo, SeatInput, Sim, Snapshot, Standing, Tally, Travel, Unfit,
};
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::motion::Pose;
use crate::rules::schema::{
    ActionSpec, ArgSpec, ControlSpec, ControlType, FieldSpec, FieldType, KindSpec, Pace, Room, Schema,
};

pub const CONTROLS: &[ControlSpec] = &[
    ControlSpec { name: "move", how: ControlType::Stick },
    ControlSpec { name: "fire", how: ControlType::Button },
    ControlSpec { name: "over", how: ControlType::Button },
];
pub const FIRE: usize = 2;

const fn arg(name: &'static str, ty: FieldType) -> ArgSpec {
    ArgSpec { name, ty }
}

pub const ACTIONS: &[ActionSpec] = &[
    // Adds to the score: twice is not once.
    ActionSpec { name: "bump", args: &[arg("by", FieldType::Int { min: 0, max: 9 })] },
    // Never works.
    ActionSpec { name: "refuse", args: &[] },
    // As `bump` by 1, but it waits for a tick that is a multiple of 4.
    ActionSpec { name: "wait", args: &[] },
    // Adds 1 to the score of everyone when so many milliseconds have passed.
    ActionSpec { name: "later", args: &[arg("ms", FieldType::Int { min: 0, max: 3_600_000 })] },
    // Through a portal.
    ActionSpec { name: "go", args: &[arg("room", FieldType::Text { chars: 40 })] },
    // A record of its score.
    ActionSpec { name: "record", args: &[] },
    // The match begins anew.
    ActionSpec { name: "anew", args: &[] },
    // An area comes, or goes.
    ActionSpec { name: "area", args: &[] },
    // Takes this card, which nobody else sees.
    ActionSpec { name: "take", args: &[arg("card", FieldType::Int { min: 0, max: 51 })] },
    // A handler fails, and a value does not fit; the mind is asked.
    ActionSpec { name: "trouble", args: &[] },
];

thread_local! {
    /// Every step fails; each test has a thread of its own.
    static BROKEN: Cell<bool> = const { Cell::new(false) };
    /// The game was changed since: no save of it opens.
    static CHANGED: Cell<bool> = const { Cell::new(false) };
    /// What a restore dropped.
    static LOST: Cell<bool> = const { Cell::new(false) };
    /// Who leaves is recorded.
    static RECORD_LEAVES: Cell<bool> = const { Cell::new(false) };
    /// So many ticks on end were cut short.
    static CUT: Cell<u64> = const { Cell::new(0) };
    /// Who joined, what was resumed, and what the seats' inputs said of the past.
    static SEEN: RefCell<Seen> = RefCell::default();
}

/// What the game was told, over all its rooms of this test.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub joins: Vec<SeatInfo>,
    pub leaves: Vec<Seat>,
    pub resumed: Vec<u64>,
    /// The time of each step.
    pub steps: Vec<u64>,
    pub rewinds: BTreeMap<u16, u16>,
    pub claims: Vec<Pose>,
}

/// Makes every step fail from now, or none.
pub fn break_steps(broken: bool) {
    BROKEN.set(broken);
}

/// Makes every save one of another version of the game, or of this one again.
pub fn change_game(changed: bool) {
    CHANGED.set(changed);
}

/// Makes each restore drop a field of a former version, or none.
pub fn lose_fields(lost: bool) {
    LOST.set(lost);
}

/// Makes the rules record the score of everyone who leaves, or not.
pub fn record_leaves(record: bool) {
    RECORD_LEAVES.set(record);
}

/// Says that so many ticks on end were cut short.
pub fn cut_ticks(on_end: u64) {
    CUT.set(on_end);
}

/// What the game was told so far.
pub fn seen() -> Seen {
    SEEN.with_borrow(Clone::clone)
}

/// Controls with one button down.
pub fn held(word: usize) -> Controls {
    let mut controls = Controls::default();
    controls.0[word] = 1;
    controls
}

const FIELDS: &[FieldSpec] = &[FieldSpec {
    durable: true,
    score: true,
    ..FieldSpec::plain("score", FieldType::Int { min: 0, max: 1_000_000 })
}];

const CARD_FIELDS: &[FieldSpec] =
    &[FIELDS[0], FieldSpec { private: true, ..FieldSpec::plain("hand", FieldType::Int { min: 0, max: 51 }) }];

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
/// Match and lasting rooms of four seats, two of them held at least; players may ask for three.
pub static BOTS: Stub = Stub { room: Room::rounds(120).seats(4).bots(2).bots_on_request(3) };
pub static LASTING_BOTS: Stub = Stub { room: Room::lasting().seats(4).bots(2).bots_on_request(3) };
/// Rooms that run by events.
pub static CARDS: Stub = Stub { room: Room::lasting().seats(3).pace(Pace::OnEvent) };
pub static CARD_MATCH: Stub = Stub { room: Room::rounds(0).seats(3).pace(Pace::OnEvent).bots(2) };

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Walker {
    at: [i32; 3],
    score: i32,
    hand: i32,
    is_bot: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct State {
    tick: u32,
    round: u32,
    live: bool,
    bangs: i32,
    /// Times of timers.
    timers: Vec<u64>,
    has_area: bool,
}

struct StubSim {
    state: State,
    bodies: BTreeMap<u16, Walker>,
    room: Room,
    mark: u64,
    given: Given,
}

impl Stub {
    fn sim(&self, state: State, bodies: BTreeMap<u16, Walker>) -> Box<StubSim> {
        Box::new(StubSim { state, bodies, room: self.room.clone(), mark: 0, given: Given::default() })
    }
}

impl Game for Stub {
    fn schema(&self) -> Schema {
        let fields = if self.room.pace == Pace::OnEvent { CARD_FIELDS } else { FIELDS };
        let kind = KindSpec {
            name: "walker",
            player: true,
            owner_moved: true,
            look: "disc #4af",
            fields,
            ..KindSpec::PLAIN
        };
        let shared = KindSpec { name: "land", shared: true, fields: SHARED, ..KindSpec::PLAIN };
        let kinds = if self.room.characters { vec![shared, kind] } else { vec![kind] };
        Schema { kinds, controls: CONTROLS.to_vec(), actions: ACTIONS, room: self.room.clone() }
    }

    fn create(&self, _seed: u64, _now_ms: u64) -> Box<dyn Sim> {
        self.sim(State { round: 1, live: true, ..State::default() }, BTreeMap::new())
    }

    fn restore(&self, cut: &Cut) -> Result<Box<dyn Sim>, SaveError> {
        if CHANGED.get() {
            return Err(SaveError::Schema);
        }
        let record = cut.record(1, 0).ok_or(SaveError::Corrupt("no stub"))?;
        let state = postcard::from_bytes(record).map_err(|_| SaveError::Corrupt("stub"))?;
        let mut bodies = BTreeMap::new();
        for (seat, record) in cut.section(2) {
            let body = postcard::from_bytes(record).map_err(|_| SaveError::Corrupt("stub body"))?;
            bodies.insert(u16::try_from(seat).map_err(|_| SaveError::Corrupt("stub seat"))?, body);
        }
        let mut sim = self.sim(state, bodies);
        if LOST.get() {
            sim.given.notes = vec![note("dropped", "walker.gold", "7")];
            sim.given.notes_count = 1;
        }
        Ok(sim)
    }

    fn fit_character(&self, character: &Character) -> Result<(Character, Vec<Note>), Unfit> {
        if character.kind != "walker" {
            return Err(Unfit("its kind is not a player's".to_owned()));
        }
        let is_known = |(name, _): &&(String, Datum)| name == "score";
        let (fields, others): (Vec<_>, Vec<_>) = character.fields.iter().partition(is_known);
        let fitted = Character { fields: fields.into_iter().cloned().collect(), ..character.clone() };
        Ok((fitted, others.iter().map(|(name, _)| note("dropped", name, "")).collect()))
    }
}

fn note(what: &'static str, field: &str, written: &str) -> Note {
    Note { handler: "walker.act".to_owned(), what, field: field.to_owned(), written: written.to_owned() }
}

fn record(seat: Seat, score: i32) -> Record {
    Record { owner: format!("seat{seat}"), key: "score".to_owned(), value: score.to_string() }
}

impl StubSim {
    fn play(&mut self, input: &SeatInput) {
        SEEN.with_borrow_mut(|seen| {
            seen.rewinds.insert(input.seat.0, input.rewind);
            seen.claims.extend(input.claim);
        });
        let Some(body) = self.bodies.get_mut(&input.seat.0) else { return };
        match input.claim {
            // A metre and no more.
            Some(claim) if (claim.at[0] - body.at[0]).abs() <= 512 => body.at = claim.at,
            Some(_) => self.given.claims_refused.push(input.seat),
            None => {
                body.at[0] += i32::from(input.held.0[0]);
                body.at[1] += i32::from(input.held.0[1]);
            }
        }
        if input.pressed & 2 != 0 {
            body.score += 1;
            self.state.bangs += 1;
            self.mark += 1;
            self.given.effects.push(Effect { name: "bang", at: body.at });
        }
        if input.pressed & 4 != 0 {
            self.state.round += u32::from(!self.state.live);
            self.state.live = !self.state.live;
            self.given.round_changed = true;
        }
    }

    /// None: it waits for a later step.
    fn act(&mut self, action: &SeatAction, now_ms: u64) -> Option<Result<(), String>> {
        let tick = self.state.tick;
        let Some(body) = self.bodies.get_mut(&action.seat.0) else { return Some(Err("no body".to_owned())) };
        match (ACTIONS[usize::from(action.action)].name, &action.args[..]) {
            ("bump", [by]) => body.score += by,
            ("refuse", []) => return Some(Err("not now".to_owned())),
            ("wait", []) if !tick.is_multiple_of(4) => return None,
            ("wait", []) => body.score += 1,
            ("later", [ms]) => {
                self.state.timers.push(now_ms + u64::from(ms.unsigned_abs()));
                self.state.timers.sort_unstable();
            }
            ("go", [_, chars @ ..]) => {
                let room = chars.iter().filter_map(|c| char::from_u32(c.unsigned_abs())).collect();
                self.given.travels.push(Travel { seat: action.seat, room });
            }
            ("record", []) => {
                let record = record(action.seat, body.score);
                self.given.records.push(record);
            }
            ("anew", []) => {
                self.state.round = 1;
                self.bodies.values_mut().for_each(|body| body.score = 0);
                self.given.restarted = true;
            }
            ("area", []) => {
                self.state.has_area = !self.state.has_area;
                self.given.areas_changed = true;
            }
            ("take", [card]) => body.hand = *card,
            ("trouble", []) => {
                let fault = Fault { handler: "walker.act".into(), message: "oh".into(), stopped: false };
                self.given.faults.push(fault);
                self.given.faults_count += 1;
                self.given.notes.push(note("clamped", "walker.score", "-1"));
                self.given.notes_count += 1;
                let (id, question) = (AskId(tick), "where to?".to_owned());
                self.given.asks.push(Ask { id, seat: action.seat, question, deadline: 99 });
            }
            other => panic!("no such action: {other:?}"),
        }
        self.mark += 1;
        Some(Ok(()))
    }

    fn ring_timers(&mut self, now_ms: u64) {
        while self.state.timers.first().is_some_and(|due| *due <= now_ms) {
            self.state.timers.remove(0);
            self.bodies.values_mut().for_each(|body| body.score += 1);
            self.mark += 1;
        }
    }
}

impl Sim for StubSim {
    fn tick(&self) -> Tick {
        Tick(self.state.tick)
    }
    fn round(&self) -> Round {
        Round { number: self.state.round, live: self.state.live, ends_at: None }
    }
    fn join(&mut self, seat: &SeatInfo, _now_ms: u64) {
        SEEN.with_borrow_mut(|seen| seen.joins.push(seat.clone()));
        let kept = seat.character.as_ref().and_then(|character| character.fields.first());
        let score = match kept {
            Some((_, Datum::Int(score))) => i32::try_from(*score).expect("a score"),
            _ => 0,
        };
        let is_bot = seat.driver == Driver::Bot;
        self.bodies.insert(seat.seat.0, Walker { score, is_bot, ..Walker::default() });
        self.mark += 1;
    }
    fn leave(&mut self, seat: Seat, _now_ms: u64) -> Option<Character> {
        SEEN.with_borrow_mut(|seen| seen.leaves.push(seat));
        let character = self.character(seat);
        let body = self.bodies.remove(&seat.0);
        if let Some(body) = body.filter(|_| RECORD_LEAVES.get()) {
            self.given.records.push(record(seat, body.score));
        }
        self.mark += 1;
        character
    }
    fn expel(&mut self, seat: Seat, _now_ms: u64) {
        self.mark += u64::from(self.bodies.remove(&seat.0).is_some());
    }
    fn character(&self, seat: Seat) -> Option<Character> {
        let body = self.bodies.get(&seat.0)?;
        let pose = Pose { at: body.at, ..Pose::default() };
        let fields = vec![("score".to_owned(), Datum::Int(body.score.into()))];
        Some(Character { kind: "walker".to_owned(), pose, fields })
    }
    fn resume(&mut self, away_ms: u64, _now_ms: u64) {
        SEEN.with_borrow_mut(|seen| seen.resumed.push(away_ms));
    }
    fn step(&mut self, moment: &Moment<'_>) -> Result<(), Broken> {
        if BROKEN.get() {
            return Err(Broken("the stub was told to break".to_owned()));
        }
        self.state.tick += 1;
        SEEN.with_borrow_mut(|seen| seen.steps.push(moment.now_ms));
        if self.room.pace == Pace::OnEvent {
            self.ring_timers(moment.now_ms);
        }
        let mut waits = BTreeSet::new();
        for action in moment.actions {
            // What waits is not overtaken by what its seat did later.
            if waits.contains(&action.seat) {
                continue;
            }
            if let Some(result) = self.act(action, moment.now_ms) {
                self.given.done.push(Done { seat: action.seat, number: action.number, result });
            } else {
                waits.insert(action.seat);
            }
        }
        for body in self.bodies.values_mut().filter(|body| body.is_bot) {
            body.at[1] += 1;
        }
        moment.inputs.iter().for_each(|input| self.play(input));
        Ok(())
    }
    fn next_due_ms(&self) -> Option<u64> {
        self.state.timers.first().copied().filter(|_| self.room.pace == Pace::OnEvent)
    }
    fn answer(&mut self, _ask: AskId, _text: &str) {}
    fn drain(&mut self) -> Given {
        std::mem::take(&mut self.given)
    }
    fn snapshot(&self, out: &mut Snapshot) {
        *out = Snapshot::default();
        for (seat, body) in &self.bodies {
            out.bodies.push(BodyRow {
                id: BodyId(u32::from(*seat) + 1),
                kind: u8::from(self.room.characters),
                seat: Some(Seat(*seat)),
                at: body.at,
                heading: 0,
                fields_at: out.values.len() as u32,
            });
            out.values.push(body.score);
            if self.room.pace == Pace::OnEvent {
                out.values.push(body.hand);
            }
        }
        if self.room.characters {
            out.shared = vec![self.state.bangs, self.state.tick as i32];
        }
        if self.state.has_area {
            let (name, at, ends_at) = ("mud".to_owned(), [512, 0, 0], Some(Tick(99)));
            out.areas.push(AreaRow { id: 1, name, at, radius: 1_024, ends_at });
        }
    }
    fn cut(&self, cut: &mut Cut) {
        cut.put(1, 0, postcard::to_allocvec(&self.state).expect("plain numbers"));
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
        let row = |(seat, body): (&u16, &Walker)| Standing {
            seat: Seat(*seat),
            body: Some(BodyId(u32::from(*seat) + 1)),
            driver: if body.is_bot { Driver::Bot } else { Driver::Person },
            score: body.score,
            place: 1,
        };
        self.bodies.iter().map(row).collect()
    }
    fn tally(&self) -> Tally {
        let worst = Some("walker.tick".to_owned());
        Tally { ticks_cut_on_end: CUT.get(), ticks_cut: CUT.get(), max_units: 7, worst, ..Tally::default() }
    }
    fn minds(&self) -> Vec<MindRow> {
        let mind = |(seat, _): (&u16, &Walker)| MindRow {
            seat: Seat(*seat),
            driver: Driver::Bot,
            goal: "win".to_owned(),
            asks: vec![(AskId(3), 99)],
            avoided: vec![BodyId(4)],
        };
        self.bodies.iter().filter(|(_, body)| body.is_bot).map(mind).collect()
    }
    fn observe(&mut self, _on: bool) {}
}
