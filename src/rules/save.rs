//! The rules' records in a cut, and the digest, which is a hash of those records.
//!
//! Written by hand from the engine, read back strictly: another schema, a missing or left-over record, a word out of its
//! field's bounds, a body of no kind or seat: each is refused by name, and nothing panics or allocates past what is there.

use xxhash_rust::xxh64::{Xxh64, xxh64};

use crate::limits::{BODIES_MAX, MAP_HALF_METRES_MAX, POSITION_STEPS_PER_METRE, ROW_WORDS_MAX, SEATS_MAX};
use crate::rules::cut::{Cut, SECTION_HOST, SaveError, put_varint, take_varint};
use crate::rules::engine::{Engine, Head};
use crate::rules::face::Round;
use crate::rules::ids::{BodyId, Seat, Tick};
use crate::rules::kind::SHARED_ROW;
use crate::rules::motion::Pose;
use crate::rules::rng::Rng;
use crate::rules::schema::{Schema, runs};
use crate::rules::upkeep::{self, SECTION_UPKEEP_LAST};

const SECTION_SCHEMA: u8 = 0;
const SECTION_WORLD: u8 = 1;
const SECTION_BODY: u8 = 2;
const SECTION_SEAT: u8 = 3;
/// One record a shared kind, by its index.
const SECTION_SHARED: u8 = 4;
/// Bytes of a seat's name in a save: `NAME_CHARS_MAX` characters of at most 4 bytes, rounded up.
const NAME_BYTES_MAX: u64 = 128;

impl Schema {
    /// A hash of what a save's records rest on: kinds, and their fields with types and bounds. A radius, a look or a
    /// control may change, and a save still opens.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut text = String::new();
        for kind in &self.kinds {
            text.push_str(&format!("kind {} {} {}\n", kind.name, kind.player, kind.shared));
            for f in kind.fields {
                text.push_str(&format!("{} {:?}\n", f.name, f.ty));
            }
        }
        xxh64(text.as_bytes(), 0)
    }
}

/// Hands out every record of the rules: section, id, bytes.
pub fn records(engine: &Engine, each: &mut dyn FnMut(u8, u32, &[u8])) {
    each(SECTION_SCHEMA, 0, &engine.schema.hash().to_le_bytes());
    let mut out = Vec::new();
    put_world(engine, &mut out);
    each(SECTION_WORLD, 0, &out);
    let mut values = Vec::new();
    for head in engine.heads.iter().filter(|head| !head.gone) {
        out.clear();
        values.clear();
        engine.columns[usize::from(head.kind)].put_words(head.id, &mut values);
        put_body(head, &values, &mut out);
        each(SECTION_BODY, head.id.0, &out);
    }
    for (kind, column) in engine.shared_columns() {
        out.clear();
        values.clear();
        column.put_words(SHARED_ROW, &mut values);
        values.iter().for_each(|value| put_signed(&mut out, *value));
        each(SECTION_SHARED, kind as u32, &out);
    }
    for (seat, state) in &engine.seats {
        out.clear();
        put_varint(&mut out, state.body.map_or(0, |id| u64::from(id.0)));
        out.extend_from_slice(state.name.as_bytes());
        each(SECTION_SEAT, u32::from(seat.0), &out);
    }
    upkeep::records(engine, each);
}

/// A hash of the whole state: equal on every target for equal states.
pub fn digest(engine: &Engine) -> u64 {
    let mut hash = Xxh64::new(0);
    records(engine, &mut |section, id, record| {
        hash.update(&[section]);
        hash.update(&id.to_le_bytes());
        hash.update(&(record.len() as u32).to_le_bytes());
        hash.update(record);
    });
    hash.digest()
}

/// A hash of the durable fields, and of which bodies have any.
pub fn durable_mark(engine: &Engine) -> u64 {
    let mut hash = Xxh64::new(0);
    let mut values = Vec::new();
    for (kind, column) in engine.schema.kinds.iter().zip(&engine.columns) {
        if !kind.fields.iter().any(|field| field.durable) {
            continue;
        }
        for id in column.ids() {
            values.clear();
            column.put_words(*id, &mut values);
            hash.update(&id.0.to_le_bytes());
            for (_, run) in runs(kind.fields, &values).filter(|(field, _)| field.durable) {
                run.iter().for_each(|word| hash.update(&word.to_le_bytes()));
            }
        }
    }
    hash.digest()
}

/// Fills an engine that is as new from a cut.
///
/// # Errors
/// Whatever does not fit; the engine is then not to be used.
pub fn restore(engine: &mut Engine, cut: &Cut) -> Result<(), SaveError> {
    let known = |section| section <= SECTION_UPKEEP_LAST || section >= SECTION_HOST;
    if !cut.sections().all(known) {
        return Err(SaveError::Corrupt("unknown section"));
    }
    match cut.record(SECTION_SCHEMA, 0) {
        None => return Err(SaveError::Corrupt("no schema")),
        Some(hash) if hash != engine.schema.hash().to_le_bytes() => return Err(SaveError::Schema),
        Some(_) => {}
    }
    if cut.section(SECTION_SCHEMA).count() != 1 || cut.section(SECTION_WORLD).count() != 1 {
        return Err(SaveError::Corrupt("a record left over"));
    }
    take_world(engine, cut.record(SECTION_WORLD, 0).ok_or(SaveError::Corrupt("no world"))?)?;
    if cut.section(SECTION_BODY).count() > BODIES_MAX as usize {
        return Err(SaveError::Corrupt("too many bodies"));
    }
    for (id, record) in cut.section(SECTION_BODY) {
        take_body(engine, BodyId(id), record)?;
    }
    take_shared(engine, cut)?;
    for (id, record) in cut.section(SECTION_SEAT) {
        take_seat(engine, id, record)?;
    }
    let owned = |head: &Head| match head.seat {
        None => true,
        Some(seat) => engine.seats.get(&seat).is_some_and(|state| state.body == Some(head.id)),
    };
    if !engine.heads.iter().all(owned) {
        return Err(SaveError::Corrupt("a body of an empty seat"));
    }
    upkeep::restore(engine, cut)
}

fn put_world(engine: &Engine, out: &mut Vec<u8>) {
    put_varint(out, u64::from(engine.tick.0));
    put_varint(out, u64::from(engine.next_id));
    out.extend_from_slice(&engine.rng.state().to_le_bytes());
    put_varint(out, u64::from(engine.round.number));
    put_varint(out, u64::from(engine.round.live));
    put_varint(out, engine.round.ends_at.map_or(0, |tick| u64::from(tick.0) + 1));
}

fn take_world(engine: &mut Engine, record: &[u8]) -> Result<(), SaveError> {
    let rest = &mut &record[..];
    engine.tick = Tick(take_u32(rest)?);
    engine.next_id = take_u32(rest)?;
    let (state, tail) = rest.split_first_chunk::<8>().ok_or(SaveError::Corrupt("random state"))?;
    *rest = tail;
    engine.rng = Rng::from_state(u64::from_le_bytes(*state));
    let number = take_u32(rest)?;
    let live = take_flag(rest)?;
    let ends_at = match take_varint(rest)? {
        0 => None,
        n => Some(Tick(u32::try_from(n - 1).map_err(|_| SaveError::Corrupt("round end"))?)),
    };
    if number == 0 || (!live && ends_at.is_none()) {
        return Err(SaveError::Corrupt("round"));
    }
    engine.round = Round { number, live, ends_at };
    finish(rest)
}

fn put_body(head: &Head, values: &[i32], out: &mut Vec<u8>) {
    out.push(head.kind);
    put_varint(out, head.seat.map_or(0, |seat| u64::from(seat.0) + 1));
    for axis in head.pose.at.into_iter().chain(head.pose.velocity) {
        put_signed(out, axis);
    }
    put_varint(out, u64::from(head.pose.heading));
    for value in values {
        put_signed(out, *value);
    }
}

fn take_body(engine: &mut Engine, id: BodyId, record: &[u8]) -> Result<(), SaveError> {
    let (&kind, mut tail) = record.split_first().ok_or(SaveError::Corrupt("body"))?;
    let rest = &mut tail;
    let spec = engine
        .schema
        .kinds
        .get(usize::from(kind))
        .filter(|kind| !kind.shared)
        .ok_or(SaveError::Corrupt("body's kind"))?;
    let seat = match take_varint(rest)? {
        0 => None,
        n if n <= u64::from(engine.schema.room.seats) && spec.player => Some(Seat((n - 1) as u16)),
        _ => return Err(SaveError::Corrupt("body's seat")),
    };
    let far = MAP_HALF_METRES_MAX as i32 * POSITION_STEPS_PER_METRE;
    let mut axes = [0; 6];
    for (i, axis) in axes.iter_mut().enumerate() {
        *axis = take_signed(rest)?;
        if i < 3 && !(-far..=far).contains(axis) {
            return Err(SaveError::Corrupt("body's position"));
        }
    }
    let heading = u16::try_from(take_varint(rest)?).map_err(|_| SaveError::Corrupt("body's heading"))?;
    let values = take_words(rest)?;
    finish(rest)?;
    if id.0 == 0 || id.0 >= engine.next_id || !engine.columns[usize::from(kind)].restore(id, &values) {
        return Err(SaveError::Corrupt("body's fields"));
    }
    let pose = Pose { at: [axes[0], axes[1], axes[2]], velocity: [axes[3], axes[4], axes[5]], heading };
    engine.heads.push(Head { id, kind, seat, pose, gone: false });
    Ok(())
}

/// The rest of a record as words: a row's fields, which know where they end.
fn take_words(rest: &mut &[u8]) -> Result<Vec<i32>, SaveError> {
    let mut words = Vec::new();
    while !rest.is_empty() && words.len() <= ROW_WORDS_MAX {
        words.push(take_signed(rest)?);
    }
    finish(rest)?;
    Ok(words)
}

fn take_shared(engine: &mut Engine, cut: &Cut) -> Result<(), SaveError> {
    let kinds: Vec<usize> = engine.shared_columns().map(|(kind, _)| kind).collect();
    if cut.section(SECTION_SHARED).count() != kinds.len() {
        return Err(SaveError::Corrupt("shared state"));
    }
    for kind in kinds {
        let rest = &mut cut.record(SECTION_SHARED, kind as u32).ok_or(SaveError::Corrupt("shared state"))?;
        let values = take_words(rest)?;
        if !engine.columns[kind].restore(SHARED_ROW, &values) {
            return Err(SaveError::Corrupt("shared state"));
        }
    }
    Ok(())
}

fn take_seat(engine: &mut Engine, id: u32, record: &[u8]) -> Result<(), SaveError> {
    let number = u16::try_from(id).ok().filter(|n| *n < engine.schema.room.seats.min(SEATS_MAX));
    let seat = Seat(number.ok_or(SaveError::Corrupt("seat"))?);
    let rest = &mut &record[..];
    let body = match take_u32(rest)? {
        0 => None,
        id => Some(BodyId(id)),
    };
    if body.is_some_and(|id| engine.head(id).is_none_or(|head| head.seat != Some(seat))) {
        return Err(SaveError::Corrupt("seat's body"));
    }
    if rest.len() as u64 > NAME_BYTES_MAX {
        return Err(SaveError::Corrupt("seat's name"));
    }
    let name = std::str::from_utf8(rest).map_err(|_| SaveError::Corrupt("seat's name"))?.to_owned();
    let state = engine.seats.entry(seat).or_default();
    (state.name, state.body) = (name, body);
    Ok(())
}

fn put_signed(out: &mut Vec<u8>, value: i32) {
    // Zigzag, so that small numbers of either sign are short.
    put_varint(out, u64::from(((value << 1) ^ (value >> 31)) as u32));
}

fn take_signed(rest: &mut &[u8]) -> Result<i32, SaveError> {
    let coded = take_u32(rest)?;
    Ok((coded >> 1) as i32 ^ -((coded & 1) as i32))
}

fn take_u32(rest: &mut &[u8]) -> Result<u32, SaveError> {
    u32::try_from(take_varint(rest)?).map_err(|_| SaveError::Corrupt("number too large"))
}

fn take_flag(rest: &mut &[u8]) -> Result<bool, SaveError> {
    match take_varint(rest)? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(SaveError::Corrupt("flag")),
    }
}

fn finish(rest: &[u8]) -> Result<(), SaveError> {
    if rest.is_empty() { Ok(()) } else { Err(SaveError::Corrupt("bytes left over")) }
}
