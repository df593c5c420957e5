//! A whole cut of a room as records, and the one format of saves and journal rows.
//!
//! A cut is every record that a restore needs, by key. A save is a difference from nothing; a journal row is the
//! difference from the commit before. Sections below `SECTION_HOST` are the rules', the others the host's. Absent: what a
//! record means; its writer and its reader say so.

use std::collections::BTreeMap;

/// First section that belongs to the host.
pub const SECTION_HOST: u8 = 16;
/// Version of the encoding of differences.
const FORMAT: u8 = 1;

/// The name of a record: which table it belongs to, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub section: u8,
    pub id: u32,
}

/// Records by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    records: BTreeMap<Key, Vec<u8>>,
}

/// Why a save cannot be used. It is kept, never overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveError {
    /// Written by another version of the format.
    Version(u8),
    /// The rules' records are laid out in a way that only a newer build knows.
    Records(u32),
    /// The game's kinds or fields are not those of the save, which does not say what its own were.
    Schema,
    /// Seats of the save play a kind that the game has no more, or not for players.
    Kind { kind: String },
    /// A field's values do not become those of its type of now.
    Field { kind: String, field: String, was: String, is: String },
    /// The game's `upgrade` of a row panicked.
    Upgrade { kind: String, message: String },
    /// Truncated, left over, out of order or out of bounds; the text says what.
    Corrupt(&'static str),
    /// Rows of the journal are missing.
    Gap,
}

impl SaveError {
    /// Its name for machines; it stays what it is.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            SaveError::Version(_) => "version",
            SaveError::Records(_) => "records",
            SaveError::Schema => "schema",
            SaveError::Kind { .. } => "kind",
            SaveError::Field { .. } => "field",
            SaveError::Upgrade { .. } => "upgrade",
            SaveError::Corrupt(_) => "corrupt",
            SaveError::Gap => "gap",
        }
    }

    /// The save is whole, and the game has become another: the game can be changed to read it, and a match can begin
    /// anew without it.
    #[must_use]
    pub fn is_of_another_game(&self) -> bool {
        use SaveError::{Field, Kind, Schema, Upgrade};
        matches!(self, Schema | Kind { .. } | Field { .. } | Upgrade { .. })
    }
}

impl std::fmt::Display for SaveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SaveError::Version(v) => write!(f, "the save has format version {v}, this build reads {FORMAT}"),
            SaveError::Records(v) => {
                write!(f, "the save's records are of version {v}: a newer build wrote it")
            }
            SaveError::Schema => f.write_str("the save is of another version of this game"),
            SaveError::Kind { kind } => {
                write!(f, "seats play a {kind}, which is no player kind here; say a rename with `was`")
            }
            SaveError::Field { kind, field, was, is } => {
                write!(f, "{kind}.{field} was {was} and is {is}: the kind needs an `upgrade`")
            }
            SaveError::Upgrade { kind, message } => write!(f, "the upgrade of a {kind} failed: {message}"),
            SaveError::Corrupt(what) => write!(f, "the save is damaged: {what}"),
            SaveError::Gap => f.write_str("the save's journal has a gap"),
        }
    }
}

impl std::error::Error for SaveError {}

impl Cut {
    pub fn put(&mut self, section: u8, id: u32, record: Vec<u8>) {
        self.records.insert(Key { section, id }, record);
    }

    #[must_use]
    pub fn record(&self, section: u8, id: u32) -> Option<&[u8]> {
        self.records.get(&Key { section, id }).map(Vec::as_slice)
    }

    /// The records of a section by rising id.
    pub fn section(&self, section: u8) -> impl Iterator<Item = (u32, &[u8])> {
        let keys = Key { section, id: 0 }..=Key { section, id: u32::MAX };
        self.records.range(keys).map(|(key, record)| (key.id, record.as_slice()))
    }

    /// The sections that hold anything, each once, rising.
    pub fn sections(&self) -> impl Iterator<Item = u8> {
        let mut last = None;
        self.records.keys().filter_map(move |key| {
            let fresh = last != Some(key.section);
            last = Some(key.section);
            fresh.then_some(key.section)
        })
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// What turns `former` into `self`, encoded. A save is `difference(&Cut::default())`.
    #[must_use]
    pub fn difference(&self, former: &Cut) -> Vec<u8> {
        let mut out = vec![FORMAT];
        for (key, record) in &self.records {
            if former.records.get(key) != Some(record) {
                put_key(&mut out, *key);
                put_varint(&mut out, record.len() as u64 + 1);
                out.extend_from_slice(record);
            }
        }
        for key in former.records.keys().filter(|key| !self.records.contains_key(key)) {
            put_key(&mut out, *key);
            put_varint(&mut out, 0);
        }
        out
    }

    /// Applies an encoded difference.
    ///
    /// # Errors
    /// Another format, or bytes that are no difference; `self` is then unchanged.
    pub fn apply(&mut self, difference: &[u8]) -> Result<(), SaveError> {
        let Some((&format, mut rest)) = difference.split_first() else {
            return Err(SaveError::Corrupt("empty row"));
        };
        if format != FORMAT {
            return Err(SaveError::Version(format));
        }
        let mut next = self.records.clone();
        while !rest.is_empty() {
            let key = take_key(&mut rest)?;
            let Some(length) = take_varint(&mut rest)?.checked_sub(1) else {
                next.remove(&key).ok_or(SaveError::Corrupt("removes an absent record"))?;
                continue;
            };
            let length = usize::try_from(length).map_err(|_| SaveError::Corrupt("length"))?;
            if length > rest.len() {
                return Err(SaveError::Corrupt("truncated record"));
            }
            let (record, tail) = rest.split_at(length);
            next.insert(key, record.to_vec());
            rest = tail;
        }
        self.records = next;
        Ok(())
    }
}

fn put_key(out: &mut Vec<u8>, key: Key) {
    out.push(key.section);
    put_varint(out, u64::from(key.id));
}

fn take_key(rest: &mut &[u8]) -> Result<Key, SaveError> {
    let (&section, tail) = rest.split_first().ok_or(SaveError::Corrupt("truncated key"))?;
    *rest = tail;
    let id = u32::try_from(take_varint(rest)?).map_err(|_| SaveError::Corrupt("record id"))?;
    Ok(Key { section, id })
}

/// LEB128, as protocol buffers use it.
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes one LEB128 number off the front of `rest`.
///
/// # Errors
/// `Corrupt` when it does not end in time, overflows or could be shorter.
pub fn take_varint(rest: &mut &[u8]) -> Result<u64, SaveError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, tail) = rest.split_first().ok_or(SaveError::Corrupt("truncated number"))?;
        *rest = tail;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return Err(SaveError::Corrupt("number too large"));
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            // One number has one encoding, so that equal states are equal bytes.
            let shortest = byte != 0 || shift == 0;
            return if shortest {
                Ok(value)
            } else {
                Err(SaveError::Corrupt("number not in its shortest form"))
            };
        }
    }
    Err(SaveError::Corrupt("number too long"))
}
