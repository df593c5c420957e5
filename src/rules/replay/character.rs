//! A character as one word of a log, exact to the bit: `KIND@X,Y,Z,VX,VY,VZ,HEADING;FIELD=VALUE;…`.
//!
//! A value: `n` for nothing, `t`, `f`, `i5`, `r3fe0000000000000`, `'text`, `[value|value]`. A real is written as its bits.
//! Absent: whether it fits the game; `fit_character` says so.

use crate::limits::{FIELDS_MAX, LIST_DEPTH_MAX, ROW_WORDS_MAX};
use crate::rules::character::Character;
use crate::rules::datum::Datum;
use crate::rules::motion::Pose;
use crate::rules::replay::ReplayFault;
use crate::rules::replay::escape;
use crate::rules::replay::text::{hash, number};

const BAD: ReplayFault = ReplayFault::Word("character");

#[must_use]
pub fn write(character: &Character) -> String {
    let Pose { at: [x, y, z], velocity: [vx, vy, vz], heading } = character.pose;
    let mut out = format!("{}@{x},{y},{z},{vx},{vy},{vz},{heading}", escape::word(&character.kind));
    for (name, value) in &character.fields {
        out.push_str(&format!(";{}={}", escape::word(name), show(value)));
    }
    out
}

/// # Errors
/// It is not what `write` writes.
pub fn read(text: &str) -> Result<Character, ReplayFault> {
    let mut parts = text.split(';');
    let (kind, place) = parts.next().and_then(|first| first.split_once('@')).ok_or(BAD)?;
    let mut fields = Vec::new();
    for part in parts {
        let (name, value) = part.split_once('=').ok_or(BAD)?;
        let mut rest = value;
        let datum = take(&mut rest, LIST_DEPTH_MAX + 1)?;
        if !rest.is_empty() || fields.len() >= FIELDS_MAX {
            return Err(BAD);
        }
        fields.push((escape::read_word(name, "character")?, datum));
    }
    Ok(Character { kind: escape::read_word(kind, "character")?, pose: pose(place)?, fields })
}

fn pose(text: &str) -> Result<Pose, ReplayFault> {
    let mut words = text.split(',');
    let mut pose = Pose::default();
    for axis in pose.at.iter_mut().chain(&mut pose.velocity) {
        *axis = number(words.next().ok_or(BAD)?, "character")?;
    }
    pose.heading = number(words.next().ok_or(BAD)?, "character")?;
    if words.next().is_some() { Err(BAD) } else { Ok(pose) }
}

fn show(value: &Datum) -> String {
    match value {
        Datum::Nothing => "n".to_owned(),
        Datum::Bool(true) => "t".to_owned(),
        Datum::Bool(false) => "f".to_owned(),
        Datum::Int(n) => format!("i{n}"),
        Datum::Real(v) => format!("r{:016x}", v.to_bits()),
        Datum::Text(text) => format!("'{}", escape::word(text)),
        Datum::List(values) => format!("[{}]", values.iter().map(show).collect::<Vec<_>>().join("|")),
    }
}

/// Takes a value off the front; lists lie in lists at most `depth` deep.
fn take(rest: &mut &str, depth: u32) -> Result<Datum, ReplayFault> {
    if let Some(values) = rest.strip_prefix('[') {
        *rest = values;
        return list(rest, depth.checked_sub(1).ok_or(BAD)?);
    }
    let end = rest.find(['|', ']']).unwrap_or(rest.len());
    let (word, tail) = rest.split_at(end);
    *rest = tail;
    let mut chars = word.chars();
    let (kind, value) = (chars.next().ok_or(BAD)?, chars.as_str());
    Ok(match (kind, value) {
        ('n', "") => Datum::Nothing,
        ('t', "") => Datum::Bool(true),
        ('f', "") => Datum::Bool(false),
        ('i', n) => Datum::Int(number(n, "character")?),
        ('r', v) => Datum::Real(f64::from_bits(hash(v, "character")?)),
        ('\'', text) => Datum::Text(escape::read_word(text, "character")?),
        _ => return Err(BAD),
    })
}

fn list(rest: &mut &str, depth: u32) -> Result<Datum, ReplayFault> {
    let mut values = Vec::new();
    if let Some(tail) = rest.strip_prefix(']') {
        *rest = tail;
        return Ok(Datum::List(values));
    }
    loop {
        values.push(take(rest, depth)?);
        let mut chars = rest.chars();
        let next = chars.next();
        *rest = chars.as_str();
        match next {
            Some('|') if values.len() < ROW_WORDS_MAX => {}
            Some(']') => return Ok(Datum::List(values)),
            _ => return Err(BAD),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn datum() -> impl Strategy<Value = Datum> {
        let leaf = prop_oneof![
            Just(Datum::Nothing),
            any::<bool>().prop_map(Datum::Bool),
            any::<i64>().prop_map(Datum::Int),
            prop::num::f64::NORMAL.prop_map(Datum::Real),
            any::<String>().prop_map(Datum::Text),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Datum::List))
    }

    proptest! {
        #[test]
        fn a_character_reads_back_to_the_bit(
            kind in any::<String>(), x in any::<i32>(), heading in any::<u16>(),
            fields in prop::collection::vec((any::<String>(), datum()), 0..5),
        ) {
            let pose = Pose { at: [x, -1, 0], velocity: [0, x, 7], heading };
            let character = Character { kind, pose, fields };
            let text = write(&character);
            prop_assert!(!text.contains([' ', '\n']));
            prop_assert_eq!(read(&text), Ok(character));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[a-z@,;=i\\[\\]|'%0-9-]{0,40}") {
            let _ = read(&text);
        }
    }

    /// F18
    #[test]
    fn lists_within_lists_have_a_depth() {
        let deep = |depth: usize| format!("a@0,0,0,0,0,0,0;f={}i1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&deep(4)).is_ok());
        for depth in [5, 100_000] {
            assert_eq!(read(&deep(depth)), Err(BAD));
        }
        for bad in ["", "a", "a@0,0", "a@0,0,0,0,0,0,0;", "a@0,0,0,0,0,0,0;f=", "a@0,0,0,0,0,0,0;f=i1|i2"] {
            assert_eq!(read(bad), Err(BAD), "{bad}");
        }
    }
}
