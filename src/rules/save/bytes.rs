//! The bytes that the rules' records are written in, and their strict reading.
//!
//! Every `take` takes off the front, refuses what is too short or out of bounds, and reserves nothing for a length it
//! was only told.

use crate::limits::ROW_WORDS_MAX;
use crate::rules::cut::{SaveError, put_varint, take_varint};

pub fn put_signed(out: &mut Vec<u8>, value: i32) {
    // Zigzag, so that small numbers of either sign are short.
    put_varint(out, u64::from(((value << 1) ^ (value >> 31)) as u32));
}

pub fn take_signed(rest: &mut &[u8]) -> Result<i32, SaveError> {
    let coded = take_u32(rest)?;
    Ok((coded >> 1) as i32 ^ -((coded & 1) as i32))
}

pub fn take_u32(rest: &mut &[u8]) -> Result<u32, SaveError> {
    u32::try_from(take_varint(rest)?).map_err(|_| SaveError::Corrupt("number too large"))
}

pub fn take_byte(rest: &mut &[u8]) -> Result<u8, SaveError> {
    let (&byte, tail) = rest.split_first().ok_or(SaveError::Corrupt("truncated record"))?;
    *rest = tail;
    Ok(byte)
}

pub fn take_flag(rest: &mut &[u8]) -> Result<bool, SaveError> {
    match take_varint(rest)? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(SaveError::Corrupt("flag")),
    }
}

/// The eight bytes of a number that is as good as random.
pub fn take_u64(rest: &mut &[u8]) -> Result<u64, SaveError> {
    let (state, tail) = rest.split_first_chunk::<8>().ok_or(SaveError::Corrupt("truncated record"))?;
    *rest = tail;
    Ok(u64::from_le_bytes(*state))
}

pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// A text of at most `max` bytes.
pub fn take_text(rest: &mut &[u8], max: usize) -> Result<String, SaveError> {
    let length = usize::try_from(take_varint(rest)?).unwrap_or(usize::MAX);
    if length > max || length > rest.len() {
        return Err(SaveError::Corrupt("text too long"));
    }
    let (text, tail) = rest.split_at(length);
    *rest = tail;
    Ok(std::str::from_utf8(text).map_err(|_| SaveError::Corrupt("text"))?.to_owned())
}

/// The rest of a record as words: a row's fields, which know where they end.
pub fn take_words(rest: &mut &[u8]) -> Result<Vec<i32>, SaveError> {
    let mut words = Vec::new();
    while !rest.is_empty() && words.len() <= ROW_WORDS_MAX {
        words.push(take_signed(rest)?);
    }
    finish(rest)?;
    Ok(words)
}

pub fn finish(rest: &[u8]) -> Result<(), SaveError> {
    if rest.is_empty() { Ok(()) } else { Err(SaveError::Corrupt("bytes left over")) }
}
