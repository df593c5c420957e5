//! The schema record: what the rows of a save mean, so that a later version of the game can read them by name.
//!
//! `put` writes a game's, `Layout::parse` reads one strictly. A radius, a look or a control is not in it: those may
//! change, and the rows still mean the same. Absent: what becomes of rows of another layout (`evolve`).

use xxhash_rust::xxh64::xxh64;

use crate::limits::{FIELDS_MAX, KINDS_MAX, SCHEMA_NAME_BYTES_MAX};
use crate::rules::cut::{SaveError, put_varint};
use crate::rules::datum::Datum;
use crate::rules::save::bytes::{finish, put_text, take_byte, take_text, take_u32};
use crate::rules::save::types::{TypeLayout, put_type};
use crate::rules::schema::Schema;

const PLAYER: u8 = 1;
const SHARED: u8 = 2;
const DURABLE: u8 = 1;

/// What each row of a save is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub kinds: Vec<KindLayout>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindLayout {
    pub name: String,
    pub player: bool,
    pub shared: bool,
    pub fields: Vec<FieldLayout>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    pub name: String,
    pub durable: bool,
    pub ty: TypeLayout,
}

impl Schema {
    /// A hash of what a save's rows rest on: kinds, and their fields with types and bounds.
    #[must_use]
    pub fn hash(&self) -> u64 {
        xxh64(&self.layout_record(), 0)
    }

    /// The schema record of this game's saves.
    #[must_use]
    pub fn layout_record(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(self, &mut out);
        out
    }
}

/// Adds a game's schema record.
pub fn put(schema: &Schema, out: &mut Vec<u8>) {
    put_varint(out, schema.kinds.len() as u64);
    for kind in &schema.kinds {
        put_text(out, kind.name);
        out.push(u8::from(kind.player) * PLAYER + u8::from(kind.shared) * SHARED);
        put_varint(out, kind.fields.len() as u64);
        for field in kind.fields {
            put_text(out, field.name);
            out.push(u8::from(field.durable) * DURABLE);
            put_type(field.ty, out);
        }
    }
}

impl Layout {
    /// Reads a schema record.
    ///
    /// # Errors
    /// Anything that no game could have declared.
    pub fn parse(record: &[u8]) -> Result<Layout, SaveError> {
        let rest = &mut &record[..];
        let mut kinds: Vec<KindLayout> = Vec::new();
        for _ in 0..take_count(rest, KINDS_MAX)? {
            let kind = KindLayout::take(rest)?;
            if kinds.iter().any(|other| other.name == kind.name) {
                return Err(SaveError::Corrupt("two kinds of a name"));
            }
            kinds.push(kind);
        }
        finish(rest)?;
        Ok(Layout { kinds })
    }
}

impl KindLayout {
    fn take(rest: &mut &[u8]) -> Result<KindLayout, SaveError> {
        let name = take_name(rest)?;
        let flags = take_byte(rest)?;
        if flags & !(PLAYER | SHARED) != 0 {
            return Err(SaveError::Corrupt("kind"));
        }
        let mut fields: Vec<FieldLayout> = Vec::new();
        for _ in 0..take_count(rest, FIELDS_MAX)? {
            let field = FieldLayout::take(rest)?;
            if fields.iter().any(|other| other.name == field.name) {
                return Err(SaveError::Corrupt("two fields of a name"));
            }
            fields.push(field);
        }
        Ok(KindLayout { name, player: flags & PLAYER != 0, shared: flags & SHARED != 0, fields })
    }

    /// The values of a row; none when the words are no row of this kind.
    #[must_use]
    pub fn values(&self, mut words: &[i32]) -> Option<Vec<Datum>> {
        let values =
            self.fields.iter().map(|field| field.ty.take_value(&mut words)).collect::<Option<Vec<_>>>()?;
        words.is_empty().then_some(values)
    }
}

impl FieldLayout {
    fn take(rest: &mut &[u8]) -> Result<FieldLayout, SaveError> {
        let name = take_name(rest)?;
        let flags = take_byte(rest)?;
        if flags & !DURABLE != 0 {
            return Err(SaveError::Corrupt("field"));
        }
        Ok(FieldLayout { name, durable: flags & DURABLE != 0, ty: TypeLayout::take(rest, 0)? })
    }
}

fn take_count(rest: &mut &[u8], max: usize) -> Result<u32, SaveError> {
    let count = take_u32(rest)?;
    if count as usize <= max { Ok(count) } else { Err(SaveError::Corrupt("too many kinds or fields")) }
}

pub(super) fn take_name(rest: &mut &[u8]) -> Result<String, SaveError> {
    let name = take_text(rest, SCHEMA_NAME_BYTES_MAX)?;
    if name.is_empty() { Err(SaveError::Corrupt("a name")) } else { Ok(name) }
}
