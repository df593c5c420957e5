//! The rules' records in a cut, and the digest, which is a hash of those records.
//!
//! Written by hand from the engine, read back strictly: a missing or left-over record, a word out of its field's bounds,
//! a body of no kind or seat: each is refused by name. Nothing panics, and nothing is allocated but what the records
//! themselves hold, times the size of a game's row. Rows of another version of the game are mapped by name (`evolve`);
//! what was converted or dropped is in the engine's notes.
//!
//! | section | id | record |
//! |---|---|---|
//! | 0 | version of these records | the schema (`layout.rs`); version 0 is a hash alone (`former.rs`) |
//! | 1 | 0 | tick, next id, generator, round |
//! | 2 | body | kind, seat, pose, the words of its fields |
//! | 3 | seat | body, name |
//! | 4 | shared kind | the words of its fields |
//! | 5 to 10 | | `upkeep.rs`; version 0 has none of them |

pub mod bystander;
pub mod bytes;
mod former;
pub mod layout;
mod rows;
mod seats;
mod taking;
pub mod types;
mod world;

use xxhash_rust::xxh64::Xxh64;

use crate::rules::cut::{Cut, SECTION_HOST, SaveError};
use crate::rules::engine::Engine;
use crate::rules::field::Fitted;
use crate::rules::schema::runs;
use crate::rules::upkeep::{self, SECTION_UPKEEP_LAST};
pub use taking::{Taking, layout_hash_of, layout_of};

const SECTION_SCHEMA: u8 = 0;
const SECTION_WORLD: u8 = 1;
const SECTION_BODY: u8 = 2;
const SECTION_SEAT: u8 = 3;
/// One record a shared kind, by its index.
const SECTION_SHARED: u8 = 4;
/// How records are laid out; the id of the schema record.
const VERSION: u32 = 1;

/// Hands out every record of the rules: section, id, bytes.
pub fn records(engine: &Engine, each: &mut dyn FnMut(u8, u32, &[u8])) {
    each(SECTION_SCHEMA, VERSION, &engine.schema.layout_record());
    world::put(engine, each);
    rows::put_bodies(engine, each);
    rows::put_shared(engine, each);
    seats::put(engine, each);
    upkeep::records(engine, each);
}

/// Fills an engine that is as new from a cut.
///
/// # Errors
/// Whatever does not fit; the engine is then not to be used.
pub fn restore(engine: &mut Engine, cut: &Cut) -> Result<(), SaveError> {
    if !cut.sections().all(|section| section <= SECTION_UPKEEP_LAST || section >= SECTION_HOST) {
        return Err(SaveError::Corrupt("unknown section"));
    }
    let mut taking = Taking::new(&engine.schema, cut)?;
    world::take(engine, cut)?;
    rows::take_bodies(engine, cut, &mut taking)?;
    rows::take_shared(engine, cut, &mut taking)?;
    seats::take(engine, cut)?;
    if taking.version() > 0 {
        upkeep::restore(engine, cut, &taking)?;
    }
    for note in taking.into_notes() {
        engine.note(|| note.handler.clone(), &note.field, Fitted { what: note.what, written: note.written });
    }
    Ok(())
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

/// The record of a section that has one.
fn only<'a>(cut: &'a Cut, section: u8, missing: &'static str) -> Result<&'a [u8], SaveError> {
    if cut.section(section).count() > 1 {
        return Err(SaveError::Corrupt("a record left over"));
    }
    cut.record(section, 0).ok_or(SaveError::Corrupt(missing))
}
