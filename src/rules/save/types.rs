//! Types of fields as a schema record has them: `FieldType` as some version of the game declared it.
//!
//! Reads a value strictly, by the bounds of its own time, and says which types' values become which by themselves.

use std::fmt;

use crate::limits::{CHOICE_NAMES_MAX, LIST_DEPTH_MAX, LIST_VALUES_MAX, SEATS_MAX, TEXT_CHARS_MAX};
use crate::rules::cut::SaveError;
use crate::rules::datum::Datum;
use crate::rules::save::bytes::{put_signed, put_text, take_byte, take_signed};
use crate::rules::save::layout::take_name;
use crate::rules::schema::FieldType;

/// `FieldType` as some version of the game had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeLayout {
    Bool,
    Int { min: i32, max: i32 },
    Real { min: i32, max: i32, per_unit: i32 },
    Vector { max: i32, per_unit: i32 },
    Angle,
    Choice { names: Vec<String> },
    Text { chars: u16 },
    Seat,
    Body,
    List { of: Box<TypeLayout>, max: u16 },
}

/// Adds a type to a schema record.
pub(super) fn put_type(ty: FieldType, out: &mut Vec<u8>) {
    let mut tagged = |tag: u8, numbers: &[i32]| {
        out.push(tag);
        numbers.iter().for_each(|number| put_signed(out, *number));
    };
    match ty {
        FieldType::Bool => tagged(0, &[]),
        FieldType::Int { min, max } => tagged(1, &[min, max]),
        FieldType::Real { min, max, per_unit } => tagged(2, &[min, max, per_unit]),
        FieldType::Vector { max, per_unit } => tagged(3, &[max, per_unit]),
        FieldType::Angle => tagged(4, &[]),
        FieldType::Choice { names } => {
            tagged(5, &[names.len() as i32]);
            names.iter().for_each(|name| put_text(out, name));
        }
        FieldType::Text { chars } => tagged(6, &[i32::from(chars)]),
        FieldType::Seat => tagged(7, &[]),
        FieldType::Body => tagged(8, &[]),
        FieldType::List { of, max } => {
            tagged(9, &[i32::from(max)]);
            put_type(*of, out);
        }
    }
}

impl TypeLayout {
    #[must_use]
    pub fn of(ty: FieldType) -> TypeLayout {
        match ty {
            FieldType::Bool => TypeLayout::Bool,
            FieldType::Int { min, max } => TypeLayout::Int { min, max },
            FieldType::Real { min, max, per_unit } => TypeLayout::Real { min, max, per_unit },
            FieldType::Vector { max, per_unit } => TypeLayout::Vector { max, per_unit },
            FieldType::Angle => TypeLayout::Angle,
            FieldType::Choice { names } => {
                TypeLayout::Choice { names: names.iter().map(|&name| name.to_owned()).collect() }
            }
            FieldType::Text { chars } => TypeLayout::Text { chars },
            FieldType::Seat => TypeLayout::Seat,
            FieldType::Body => TypeLayout::Body,
            FieldType::List { of, max } => TypeLayout::List { of: Box::new(TypeLayout::of(*of)), max },
        }
    }

    pub(super) fn take(rest: &mut &[u8], depth: u32) -> Result<TypeLayout, SaveError> {
        const BOUNDS: SaveError = SaveError::Corrupt("a field's bounds");
        let ty = match take_byte(rest)? {
            0 => TypeLayout::Bool,
            1 => TypeLayout::Int { min: take_signed(rest)?, max: take_signed(rest)? },
            2 => {
                let (min, max) = (take_signed(rest)?, take_signed(rest)?);
                TypeLayout::Real { min, max, per_unit: take_signed(rest)? }
            }
            3 => TypeLayout::Vector { max: take_signed(rest)?, per_unit: take_signed(rest)? },
            4 => TypeLayout::Angle,
            5 => TypeLayout::Choice { names: take_names(rest)? },
            6 => TypeLayout::Text { chars: take_length(rest, TEXT_CHARS_MAX)? },
            7 => TypeLayout::Seat,
            8 => TypeLayout::Body,
            9 if depth < LIST_DEPTH_MAX => {
                let max = take_length(rest, LIST_VALUES_MAX)?;
                TypeLayout::List { of: Box::new(TypeLayout::take(rest, depth + 1)?), max }
            }
            _ => return Err(SaveError::Corrupt("a field's type")),
        };
        if ty.is_ordered() { Ok(ty) } else { Err(BOUNDS) }
    }

    /// Whether its bounds hold a value, and all of them fit in a word.
    fn is_ordered(&self) -> bool {
        let fits = |bound: i32, per_unit: i32| per_unit > 0 && bound.checked_mul(per_unit).is_some();
        match *self {
            TypeLayout::Int { min, max } => min <= max,
            TypeLayout::Real { min, max, per_unit } => {
                min <= max && fits(min, per_unit) && fits(max, per_unit)
            }
            TypeLayout::Vector { max, per_unit } => max >= 0 && fits(max, per_unit),
            _ => true,
        }
    }

    /// Takes a value of this type off the front; none when it ends too soon or a word is out of bounds.
    pub(super) fn take_value(&self, words: &mut &[i32]) -> Option<Datum> {
        let mut take = |min: i32, max: i32| {
            let (&word, rest) = words.split_first()?;
            *words = rest;
            (min..=max).contains(&word).then_some(word)
        };
        let real = |word: i32, per_unit: i32| Datum::Real(f64::from(word) / f64::from(per_unit));
        Some(match self {
            TypeLayout::Bool => Datum::Bool(take(0, 1)? == 1),
            TypeLayout::Int { min, max } => Datum::Int(i64::from(take(*min, *max)?)),
            TypeLayout::Real { min, max, per_unit } => real(take(min * per_unit, max * per_unit)?, *per_unit),
            TypeLayout::Vector { max, per_unit } => {
                let bound = max * per_unit;
                Datum::List(vec![
                    real(take(-bound, bound)?, *per_unit),
                    real(take(-bound, bound)?, *per_unit),
                ])
            }
            TypeLayout::Angle => Datum::Real(f64::from(take(0, 65_535)?) / 65_536.0 * std::f64::consts::TAU),
            TypeLayout::Choice { names } => {
                Datum::Text(names.get(usize::try_from(take(0, i32::MAX)?).ok()?)?.clone())
            }
            TypeLayout::Text { chars } => {
                let length = take(0, i32::from(*chars))?;
                let chars = (0..length).map(|_| char::from_u32(u32::try_from(take(0, i32::MAX)?).ok()?));
                Datum::Text(chars.collect::<Option<String>>()?)
            }
            TypeLayout::Seat => match take(0, i32::from(SEATS_MAX))? {
                0 => Datum::Nothing,
                word => Datum::Int(i64::from(word) - 1),
            },
            TypeLayout::Body => match take(0, i32::MAX)? {
                0 => Datum::Nothing,
                word => Datum::Int(i64::from(word)),
            },
            TypeLayout::List { of, max } => {
                let length = take(0, i32::from(*max))?;
                Datum::List((0..length).map(|_| of.take_value(words)).collect::<Option<Vec<_>>>()?)
            }
        })
    }

    /// Whether every value of this type has one of `new`, if need be clamped or cut.
    #[must_use]
    pub fn converts_to(&self, new: FieldType) -> bool {
        match (self, new) {
            (TypeLayout::Bool, FieldType::Bool)
            | (TypeLayout::Int { .. }, FieldType::Int { .. } | FieldType::Real { .. })
            | (TypeLayout::Real { .. }, FieldType::Real { .. })
            | (TypeLayout::Vector { .. }, FieldType::Vector { .. })
            | (TypeLayout::Angle, FieldType::Angle)
            | (TypeLayout::Text { .. }, FieldType::Text { .. })
            | (TypeLayout::Seat, FieldType::Seat)
            | (TypeLayout::Body, FieldType::Body) => true,
            (TypeLayout::Choice { names: old }, FieldType::Choice { names }) => {
                old.iter().all(|name| names.contains(&name.as_str()))
            }
            (TypeLayout::List { of, .. }, FieldType::List { of: new, .. }) => of.converts_to(*new),
            _ => false,
        }
    }
}

impl fmt::Display for TypeLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeLayout::Bool => f.write_str("bool"),
            TypeLayout::Int { min, max } => write!(f, "int {min} to {max}"),
            TypeLayout::Real { min, max, per_unit } => write!(f, "real {min} to {max} by 1/{per_unit}"),
            TypeLayout::Vector { max, per_unit } => write!(f, "vector to {max} by 1/{per_unit}"),
            TypeLayout::Angle => f.write_str("angle"),
            TypeLayout::Choice { names } => write!(f, "one of {}", names.join(", ")),
            TypeLayout::Text { chars } => write!(f, "text of {chars}"),
            TypeLayout::Seat => f.write_str("seat"),
            TypeLayout::Body => f.write_str("body"),
            TypeLayout::List { of, max } => write!(f, "list of {max} {of}"),
        }
    }
}

fn take_names(rest: &mut &[u8]) -> Result<Vec<String>, SaveError> {
    let count = take_signed(rest)?;
    if !(1..=CHOICE_NAMES_MAX as i32).contains(&count) {
        return Err(SaveError::Corrupt("the names of a choice"));
    }
    (0..count).map(|_| take_name(rest)).collect()
}

fn take_length(rest: &mut &[u8], max: u16) -> Result<u16, SaveError> {
    let length = u16::try_from(take_signed(rest)?).ok().filter(|length| *length <= max);
    length.ok_or(SaveError::Corrupt("a field's length"))
}
