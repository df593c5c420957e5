//! Rows: a record a body, with its pose and the words of its fields, and one a shared kind.

use crate::limits::{BODIES_MAX, MAP_HALF_METRES_MAX, POSITION_STEPS_PER_METRE};
use crate::rules::cut::{Cut, SaveError, put_varint, take_varint};
use crate::rules::engine::{Engine, Head};
use crate::rules::ids::{BodyId, Seat};
use crate::rules::kind::SHARED_ROW;
use crate::rules::motion::Pose;
use crate::rules::save::bytes::{put_signed, take_byte, take_signed, take_words};
use crate::rules::save::taking::OldKind;
use crate::rules::save::{SECTION_BODY, SECTION_SHARED, Taking};

pub fn put_bodies(engine: &Engine, each: &mut dyn FnMut(u8, u32, &[u8])) {
    let (mut out, mut words) = (Vec::new(), Vec::new());
    for head in engine.heads.iter().filter(|head| !head.gone) {
        out.clear();
        words.clear();
        out.push(head.kind);
        put_varint(&mut out, head.seat.map_or(0, |seat| u64::from(seat.0) + 1));
        for axis in head.pose.at.into_iter().chain(head.pose.velocity) {
            put_signed(&mut out, axis);
        }
        put_varint(&mut out, u64::from(head.pose.heading));
        engine.columns[usize::from(head.kind)].put_words(head.id, &mut words);
        words.iter().for_each(|word| put_signed(&mut out, *word));
        each(SECTION_BODY, head.id.0, &out);
    }
}

pub fn put_shared(engine: &Engine, each: &mut dyn FnMut(u8, u32, &[u8])) {
    let (mut out, mut words) = (Vec::new(), Vec::new());
    for (kind, column) in engine.shared_columns() {
        out.clear();
        words.clear();
        column.put_words(SHARED_ROW, &mut words);
        words.iter().for_each(|word| put_signed(&mut out, *word));
        // A kind's index is less than `KINDS_MAX`.
        each(SECTION_SHARED, kind as u32, &out);
    }
}

pub fn take_bodies(engine: &mut Engine, cut: &Cut, taking: &mut Taking) -> Result<(), SaveError> {
    if cut.section(SECTION_BODY).count() > BODIES_MAX as usize {
        return Err(SaveError::Corrupt("too many bodies"));
    }
    for (id, record) in cut.section(SECTION_BODY) {
        if id == 0 || id >= engine.next_id {
            return Err(SaveError::Corrupt("body's id"));
        }
        take_body(engine, BodyId(id), record, taking)?;
    }
    Ok(())
}

fn take_body(engine: &mut Engine, id: BodyId, record: &[u8], taking: &mut Taking) -> Result<(), SaveError> {
    let rest = &mut &record[..];
    let kind = taking.kind(&engine.schema, usize::from(take_byte(rest)?));
    let kind = kind.filter(|kind| !kind.shared).ok_or(SaveError::Corrupt("body's kind"))?;
    let seat = take_seat_of(engine, kind, rest)?;
    let pose = take_pose(rest, taking.version())?;
    let words = take_words(rest)?;
    let refuse = || Err(SaveError::Kind { kind: taking.name(&engine.schema, kind) });
    let Some(now) = kind.now else {
        if seat.is_some() {
            return refuse();
        }
        taking.drop_body(&engine.schema, kind, id);
        return Ok(());
    };
    if seat.is_some() && !engine.schema.kinds[now].player {
        return refuse();
    }
    let words = taking.row(engine, kind, words)?;
    if !engine.columns[now].restore(id, &words) {
        return Err(SaveError::Corrupt("body's fields"));
    }
    // A kind's index is less than `KINDS_MAX`.
    engine.heads.push(Head { id, kind: now as u8, seat, pose, gone: false });
    Ok(())
}

/// Whose body it is.
fn take_seat_of(engine: &Engine, kind: OldKind, rest: &mut &[u8]) -> Result<Option<Seat>, SaveError> {
    match take_varint(rest)? {
        0 => Ok(None),
        n if n <= u64::from(engine.schema.room.seats) && kind.player => Ok(Some(Seat((n - 1) as u16))),
        _ => Err(SaveError::Corrupt("body's seat")),
    }
}

pub(super) fn take_pose(rest: &mut &[u8], version: u32) -> Result<Pose, SaveError> {
    let far = MAP_HALF_METRES_MAX as i32 * POSITION_STEPS_PER_METRE;
    // Version 0 knew no height.
    let axes = if version == 0 { 2 } else { 3 };
    let mut pose = Pose::default();
    for axis in &mut pose.at[..axes] {
        *axis = take_signed(rest)?;
        if !(-far..=far).contains(axis) {
            return Err(SaveError::Corrupt("body's position"));
        }
    }
    for axis in &mut pose.velocity[..axes] {
        *axis = take_signed(rest)?;
    }
    pose.heading = u16::try_from(take_varint(rest)?).map_err(|_| SaveError::Corrupt("body's heading"))?;
    Ok(pose)
}

pub fn take_shared(engine: &mut Engine, cut: &Cut, taking: &mut Taking) -> Result<(), SaveError> {
    const DAMAGED: SaveError = SaveError::Corrupt("shared state");
    let kinds: Vec<OldKind> = (0..).map_while(|at| taking.kind(&engine.schema, at)).collect();
    let mut missing = kinds.iter().filter(|kind| kind.shared).count();
    for (at, record) in cut.section(SECTION_SHARED) {
        let kind = kinds.get(at as usize).copied().filter(|kind| kind.shared).ok_or(DAMAGED)?;
        missing -= 1;
        let words = take_words(&mut &record[..])?;
        let Some(now) = kind.now else {
            taking.drop_row(&engine.schema, kind);
            continue;
        };
        let words = taking.row(engine, kind, words)?;
        if !engine.columns[now].restore(SHARED_ROW, &words) {
            return Err(DAMAGED);
        }
    }
    // A shared kind that the save does not know keeps its default row.
    if missing == 0 { Ok(()) } else { Err(DAMAGED) }
}
