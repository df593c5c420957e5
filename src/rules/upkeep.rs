//! The records of what a room keeps besides bodies and seats: clocks, timers, areas, questions, minds, where bodies were.
//!
//! Written and read as `save.rs` says: by hand, strictly, and nothing is allocated past what the bytes hold. Absent:
//! bodies, seats, shared state and the schema.

use crate::limits::{
    ANSWER_CHARS_MAX, AREAS_MAX, ASKS_MAX, AVOIDED_MAX, CONTROL_WORDS_MAX, GOAL_CHARS_MAX, LABEL_CHARS_MAX,
    OWNER_CHARS_MAX, QUESTION_CHARS_MAX, TIMERS_MAX,
};
use crate::rules::areas::{AreaId, AreaState};
use crate::rules::cut::{Cut, SaveError, put_varint, take_varint};
use crate::rules::engine::{Cursor, Engine, SeatState};
use crate::rules::face::{AskId, Driver};
use crate::rules::history::{Moment, Past};
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::minds::{Mind, OpenAsk};
use crate::rules::save::Taking;
use crate::rules::timers::Timer;

const SECTION_CLOCK: u8 = 5;
/// One record a timer, by its id; likewise areas and questions.
const SECTION_TIMER: u8 = 6;
const SECTION_AREA: u8 = 7;
const SECTION_ASK: u8 = 8;
/// One record a seat: its driver and what that keeps.
const SECTION_MIND: u8 = 9;
/// One record a slot of the ring.
const SECTION_PAST: u8 = 10;
/// The last section of this file.
pub const SECTION_UPKEEP_LAST: u8 = SECTION_PAST;

/// Hands out the records of this file: section, id, bytes.
pub fn records(engine: &Engine, each: &mut dyn FnMut(u8, u32, &[u8])) {
    let mut out = Vec::new();
    put_clock(engine, &mut out);
    each(SECTION_CLOCK, 0, &out);
    for timer in &engine.timers.list {
        out.clear();
        put_varint(&mut out, timer.due);
        put_varint(&mut out, timer.body.map_or(0, |id| u64::from(id.0)));
        out.extend_from_slice(timer.name.as_bytes());
        each(SECTION_TIMER, timer.id, &out);
    }
    for area in &engine.areas.list {
        out.clear();
        put_varint(&mut out, area.ends);
        area.at.iter().for_each(|axis| put_signed(&mut out, *axis));
        put_signed(&mut out, area.radius);
        out.extend_from_slice(area.name.as_bytes());
        each(SECTION_AREA, area.id.0, &out);
    }
    for (id, ask) in &engine.asks.open {
        out.clear();
        put_varint(&mut out, u64::from(ask.seat.0));
        put_varint(&mut out, ask.deadline);
        put_text(&mut out, &ask.question);
        put_varint(&mut out, u64::from(ask.answer.is_some()));
        out.extend_from_slice(ask.answer.as_deref().unwrap_or_default().as_bytes());
        each(SECTION_ASK, id.0, &out);
    }
    for (seat, state) in &engine.seats {
        out.clear();
        put_mind(state, &mut out);
        each(SECTION_MIND, u32::from(seat.0), &out);
    }
    for (slot, moment) in engine.history.slots.iter().enumerate() {
        if let Some(moment) = moment {
            out.clear();
            put_past(moment, &mut out);
            each(SECTION_PAST, slot as u32, &out);
        }
    }
}

/// Fills an engine that has its bodies and seats. What belongs to a body whose kind is no more goes with it.
///
/// # Errors
/// Whatever does not fit; the engine is then not to be used.
pub fn restore(engine: &mut Engine, cut: &Cut, taking: &Taking) -> Result<(), SaveError> {
    let corrupt = SaveError::Corrupt;
    if cut.section(SECTION_CLOCK).count() != 1 || cut.section(SECTION_MIND).count() != engine.seats.len() {
        return Err(corrupt("a record left over"));
    }
    take_clock(engine, cut.record(SECTION_CLOCK, 0).ok_or(corrupt("no clock"))?, taking)?;
    if cut.section(SECTION_TIMER).count() > TIMERS_MAX || cut.section(SECTION_AREA).count() > AREAS_MAX {
        return Err(corrupt("too many timers or areas"));
    }
    if cut.section(SECTION_ASK).count() > ASKS_MAX {
        return Err(corrupt("too many questions"));
    }
    cut.section(SECTION_TIMER).try_for_each(|(id, record)| take_timer(engine, id, record, taking))?;
    cut.section(SECTION_AREA).try_for_each(|(id, record)| take_area(engine, id, record))?;
    cut.section(SECTION_ASK).try_for_each(|(id, record)| take_ask(engine, id, record))?;
    cut.section(SECTION_MIND).try_for_each(|(id, record)| take_mind(engine, id, record))?;
    cut.section(SECTION_PAST).try_for_each(|(slot, record)| take_past(engine, slot, record))
}

fn put_clock(engine: &Engine, out: &mut Vec<u8>) {
    put_varint(out, engine.now_ms);
    put_varint(out, engine.round_due_ms.map_or(0, |due| due.saturating_add(1)));
    for next in [engine.timers.next_id, engine.areas.next_id, engine.asks.next_id] {
        put_varint(out, u64::from(next));
    }
    let Cursor { tick, touch } = engine.cursor;
    put_varint(out, tick.map_or(0, |(kind, _)| u64::from(kind) + 1));
    put_varint(out, tick.map_or(0, |(_, id)| u64::from(id.0)));
    let (a, b) = touch.unwrap_or_default();
    [a, b].iter().for_each(|id| put_varint(out, u64::from(id.0)));
    engine.fresh.iter().for_each(|id| put_varint(out, u64::from(id.0)));
}

fn take_clock(engine: &mut Engine, record: &[u8], taking: &Taking) -> Result<(), SaveError> {
    let mut from = Reader(record);
    engine.now_ms = from.number()?;
    engine.round_due_ms = from.number()?.checked_sub(1);
    if !engine.is_on_event() && (engine.now_ms != 0 || engine.round_due_ms.is_some()) {
        return Err(SaveError::Corrupt("clock"));
    }
    if engine.is_on_event() && !engine.round.live && engine.round_due_ms.is_none() {
        return Err(SaveError::Corrupt("clock"));
    }
    engine.timers.next_id = from.word()?;
    engine.areas.next_id = from.word()?;
    engine.asks.next_id = from.word()?;
    let (kind, id) = (from.number()?, from.word()?);
    let touch = (BodyId(from.word()?), BodyId(from.word()?));
    let old = kind.checked_sub(1).map(|kind| taking.kind(&engine.schema, usize::try_from(kind).ok()?));
    if old == Some(None) || (kind == 0 && id != 0) || (touch.0.0 == 0 && touch.1.0 != 0) {
        return Err(SaveError::Corrupt("cursor"));
    }
    // A kind's index is less than `KINDS_MAX`; without its kind the next tick begins at the first body.
    let tick = old.flatten().and_then(|kind| kind.now).map(|kind| (kind as u8, BodyId(id)));
    engine.cursor = Cursor { tick, touch: (touch.0.0 > 0).then_some(touch) };
    while !from.is_empty() {
        let id = BodyId(from.word()?);
        if taking.is_dropped(id) {
            continue;
        }
        if engine.head(id).is_none() || engine.fresh.contains(&id) {
            return Err(SaveError::Corrupt("a spawn of no body"));
        }
        engine.fresh.push_back(id);
    }
    Ok(())
}

fn take_timer(engine: &mut Engine, id: u32, record: &[u8], taking: &Taking) -> Result<(), SaveError> {
    let mut from = Reader(record);
    let (due, body) = (from.number()?, from.word()?);
    let body = (body > 0).then_some(BodyId(body));
    let name = from.rest(LABEL_CHARS_MAX)?;
    if body.is_some_and(|id| taking.is_dropped(id)) {
        return Ok(());
    }
    if id >= engine.timers.next_id || body.is_some_and(|id| engine.head(id).is_none()) {
        return Err(SaveError::Corrupt("timer"));
    }
    engine.timers.put(Timer { id, due, body, name });
    Ok(())
}

fn take_area(engine: &mut Engine, id: u32, record: &[u8]) -> Result<(), SaveError> {
    let mut from = Reader(record);
    let ends = from.number()?;
    let at = [from.signed()?, from.signed()?, from.signed()?];
    let (radius, name) = (from.signed()?, from.rest(LABEL_CHARS_MAX)?);
    if id >= engine.areas.next_id || radius < 0 {
        return Err(SaveError::Corrupt("area"));
    }
    engine.areas.put_back(AreaState { id: AreaId(id), name, at, radius, ends });
    Ok(())
}

fn take_ask(engine: &mut Engine, id: u32, record: &[u8]) -> Result<(), SaveError> {
    let mut from = Reader(record);
    let seat = Seat(u16::try_from(from.number()?).map_err(|_| SaveError::Corrupt("question"))?);
    let (deadline, question) = (from.number()?, from.text(QUESTION_CHARS_MAX)?);
    let answered = from.flag()?;
    let answer = from.rest(ANSWER_CHARS_MAX)?;
    if id >= engine.asks.next_id || !engine.seats.contains_key(&seat) || !(answered || answer.is_empty()) {
        return Err(SaveError::Corrupt("question"));
    }
    let answer = answered.then_some(answer);
    engine.asks.open.insert(AskId(id), OpenAsk { seat, question, deadline, answer });
    Ok(())
}

fn put_mind(state: &SeatState, out: &mut Vec<u8>) {
    out.push(match state.driver {
        Driver::Person => 0,
        Driver::Bot => 1,
        Driver::Ai => 2,
    });
    put_varint(out, u64::from(state.claimed.0));
    put_varint(out, u64::from(state.owner.is_some()));
    put_text(out, state.owner.as_deref().unwrap_or_default());
    put_text(out, &state.mind.goal);
    put_varint(out, state.mind.avoided.len() as u64);
    state.mind.avoided.iter().for_each(|id| put_varint(out, u64::from(id.0)));
    state.bot_held.0.iter().for_each(|word| put_signed(out, i32::from(*word)));
}

fn take_mind(engine: &mut Engine, id: u32, record: &[u8]) -> Result<(), SaveError> {
    let corrupt = SaveError::Corrupt("driver");
    let mut from = Reader(record);
    let driver = match from.number()? {
        0 => Driver::Person,
        1 => Driver::Bot,
        2 => Driver::Ai,
        _ => return Err(corrupt),
    };
    let (claimed, owned) = (Tick(from.word()?), from.flag()?);
    let owner = from.text(OWNER_CHARS_MAX)?;
    let goal = from.text(GOAL_CHARS_MAX)?;
    let count = from.number()?;
    if count > AVOIDED_MAX as u64 || claimed > engine.tick || !(owned || owner.is_empty()) {
        return Err(corrupt);
    }
    let avoided = (0..count).map(|_| Ok(BodyId(from.word()?))).collect::<Result<Vec<_>, SaveError>>()?;
    let mut bot_held = Controls([0; CONTROL_WORDS_MAX]);
    for word in &mut bot_held.0 {
        *word = i16::try_from(from.signed()?).map_err(|_| SaveError::Corrupt("controls"))?;
    }
    from.finish()?;
    let state = u16::try_from(id).ok().and_then(|seat| engine.seats.get_mut(&Seat(seat)));
    let state = state.ok_or(corrupt)?;
    (state.driver, state.owner, state.claimed) = (driver, owned.then_some(owner), claimed);
    (state.mind, state.bot_held) = (Mind { goal, avoided }, bot_held);
    Ok(())
}

fn put_past(moment: &Moment, out: &mut Vec<u8>) {
    put_varint(out, u64::from(moment.tick.0));
    let mut last = 0;
    for past in &moment.bodies {
        put_varint(out, u64::from(past.id.0 - last));
        last = past.id.0;
        past.at.iter().for_each(|axis| put_signed(out, *axis));
        put_varint(out, u64::from(past.heading));
    }
}

fn take_past(engine: &mut Engine, slot: u32, record: &[u8]) -> Result<(), SaveError> {
    let corrupt = SaveError::Corrupt("where bodies were");
    let mut from = Reader(record);
    let tick = Tick(from.word()?);
    if tick > engine.tick {
        return Err(corrupt);
    }
    let (mut bodies, mut last) = (Vec::new(), 0u32);
    while !from.is_empty() {
        let step = from.word()?;
        last = last.checked_add(step).filter(|_| step > 0).ok_or(SaveError::Corrupt("where bodies were"))?;
        let at = [from.signed()?, from.signed()?, from.signed()?];
        let heading = u16::try_from(from.number()?).map_err(|_| SaveError::Corrupt("where bodies were"))?;
        bodies.push(Past { id: BodyId(last), at, heading });
    }
    // A game whose rate changed has another ring: what does not lie in it is forgotten.
    if engine.history.slot(tick) == slot as usize
        && let Some(place) = engine.history.slots.get_mut(slot as usize)
    {
        *place = Some(Moment { tick, bodies });
    }
    Ok(())
}

fn put_signed(out: &mut Vec<u8>, value: i32) {
    // Zigzag: small numbers of either sign are short.
    put_varint(out, u64::from(((value << 1) ^ (value >> 31)) as u32));
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads a record from its front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn number(&mut self) -> Result<u64, SaveError> {
        take_varint(&mut self.0)
    }

    fn word(&mut self) -> Result<u32, SaveError> {
        u32::try_from(self.number()?).map_err(|_| SaveError::Corrupt("number too large"))
    }

    fn signed(&mut self) -> Result<i32, SaveError> {
        let word = self.word()?;
        Ok((word >> 1) as i32 ^ -((word & 1) as i32))
    }

    fn flag(&mut self) -> Result<bool, SaveError> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(SaveError::Corrupt("flag")),
        }
    }

    /// A text with its length in front.
    fn text(&mut self, chars_max: usize) -> Result<String, SaveError> {
        let length = usize::try_from(self.number()?).map_err(|_| SaveError::Corrupt("text"))?;
        if length > self.0.len() {
            return Err(SaveError::Corrupt("truncated text"));
        }
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        checked(text, chars_max)
    }

    /// The rest of the record, as text.
    fn rest(&mut self, chars_max: usize) -> Result<String, SaveError> {
        checked(std::mem::take(&mut self.0), chars_max)
    }

    fn finish(&self) -> Result<(), SaveError> {
        if self.0.is_empty() { Ok(()) } else { Err(SaveError::Corrupt("bytes left over")) }
    }
}

fn checked(text: &[u8], chars_max: usize) -> Result<String, SaveError> {
    let text = std::str::from_utf8(text).map_err(|_| SaveError::Corrupt("text"))?;
    if text.chars().count() > chars_max {
        return Err(SaveError::Corrupt("text too long"));
    }
    Ok(text.to_owned())
}
