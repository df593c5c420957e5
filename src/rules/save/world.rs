//! The world record: tick, next body id, generator, round.

use crate::rules::cut::{Cut, SaveError, put_varint, take_varint};
use crate::rules::engine::Engine;
use crate::rules::face::Round;
use crate::rules::ids::Tick;
use crate::rules::rng::Rng;
use crate::rules::save::bytes::{finish, take_flag, take_u32, take_u64};
use crate::rules::save::{SECTION_WORLD, only};

pub fn put(engine: &Engine, each: &mut dyn FnMut(u8, u32, &[u8])) {
    let mut out = Vec::new();
    put_varint(&mut out, u64::from(engine.tick.0));
    put_varint(&mut out, u64::from(engine.next_id));
    out.extend_from_slice(&engine.rng.state().to_le_bytes());
    put_varint(&mut out, u64::from(engine.round.number));
    put_varint(&mut out, u64::from(engine.round.live));
    put_varint(&mut out, engine.round.ends_at.map_or(0, |tick| u64::from(tick.0) + 1));
    each(SECTION_WORLD, 0, &out);
}

pub fn take(engine: &mut Engine, cut: &Cut) -> Result<(), SaveError> {
    let rest = &mut only(cut, SECTION_WORLD, "no world")?;
    engine.tick = Tick(take_u32(rest)?);
    engine.next_id = take_u32(rest)?;
    engine.rng = Rng::from_state(take_u64(rest)?);
    let number = take_u32(rest)?;
    let live = take_flag(rest)?;
    let ends_at = match take_varint(rest)? {
        0 => None,
        n => Some(Tick(u32::try_from(n - 1).map_err(|_| SaveError::Corrupt("round end"))?)),
    };
    // A break ends; when, in a room that runs by events, its clock says (`upkeep`).
    let is_endless = ends_at.is_none() && !engine.is_on_event();
    // The row of a shared kind lies at id 0, and a round's number must be able to rise.
    if engine.next_id == 0 || number == 0 || number == u32::MAX || (is_endless && !live) {
        return Err(SaveError::Corrupt("round"));
    }
    engine.round = Round { number, live, ends_at };
    finish(rest)
}
