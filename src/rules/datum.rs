//! A field's value on its own, away from its type: what characters, old saves and actions are read from.
//!
//! `show` makes one from a run of words, `read` the words of a (maybe newer) type from one. What converts by itself is
//! said here and nowhere else: another range or step, a whole number to a real, a name to a choice that still has it.
//! Absent: JSON (`wire` turns data into it and back), and which old field is which new one (`evolve.rs`).

use std::collections::BTreeMap;
use std::fmt;

use crate::rules::exact::round;
use crate::rules::field::is_kept;
use crate::rules::input::angle_word;
use crate::rules::schema::FieldType;

/// A value that knows no bounds: what JSON can say.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// No seat, no body.
    Nothing,
    Bool(bool),
    /// A whole number; a seat or a body by its number.
    Int(i64),
    /// A real; an angle in radians.
    Real(f64),
    /// A text, or a choice by its name.
    Text(String),
    /// A list, or the two parts of a vector.
    List(Vec<Datum>),
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Nothing => f.write_str("nothing"),
            Datum::Bool(b) => b.fmt(f),
            Datum::Int(n) => n.fmt(f),
            Datum::Real(v) => v.fmt(f),
            Datum::Text(text) => f.write_str(text),
            Datum::List(values) => {
                f.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    value.fmt(f)?;
                }
                f.write_str("]")
            }
        }
    }
}

/// The fields of a row by name, as some version of the game wrote them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OldFields {
    pub fields: BTreeMap<String, Datum>,
}

impl OldFields {
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Datum> {
        self.fields.get(name)
    }

    /// A whole number, or a real without its fraction; none when there is no such field or it is no number.
    #[must_use]
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Datum::Int(n) => Some(*n),
            // `as` saturates.
            Datum::Real(v) => Some(*v as i64),
            Datum::Bool(b) => Some(i64::from(*b)),
            _ => None,
        }
    }

    #[must_use]
    pub fn real(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Datum::Int(n) => Some(*n as f64),
            Datum::Real(v) => Some(*v),
            _ => None,
        }
    }

    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Datum::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The value of a field of this type; none when `words` are not its run.
#[must_use]
pub fn show(ty: FieldType, words: &[i32]) -> Option<Datum> {
    let word = *words.first()?;
    let part = |word: i32, per_unit: i32| f64::from(word) / f64::from(per_unit.max(1));
    Some(match ty {
        FieldType::Bool => Datum::Bool(word != 0),
        FieldType::Int { .. } => Datum::Int(i64::from(word)),
        FieldType::Real { per_unit, .. } => Datum::Real(part(word, per_unit)),
        FieldType::Vector { per_unit, .. } => {
            let parts = [word, *words.get(1)?].map(|word| Datum::Real(part(word, per_unit)));
            Datum::List(parts.to_vec())
        }
        FieldType::Angle => Datum::Real(part(word, 65_536) * std::f64::consts::TAU),
        FieldType::Choice { names } => Datum::Text((*names.get(usize::try_from(word).ok()?)?).to_owned()),
        FieldType::Text { .. } => {
            let chars = words[1..].iter().map(|c| char::from_u32(u32::try_from(*c).ok()?));
            Datum::Text(chars.collect::<Option<String>>()?)
        }
        FieldType::Seat | FieldType::Body if word == 0 => Datum::Nothing,
        FieldType::Seat => Datum::Int(i64::from(word) - 1),
        FieldType::Body => Datum::Int(i64::from(word)),
        FieldType::List { of, .. } => {
            let mut rest = &words[1..];
            let mut values = Vec::new();
            while !rest.is_empty() {
                let (run, tail) = rest.split_at(of.run(rest)?);
                values.push(show(*of, run)?);
                rest = tail;
            }
            Datum::List(values)
        }
    })
}

/// The words of a value in a field of this type, and whether it had to be made to fit.
///
/// # Errors
/// It does not convert by itself; `words` may then hold part of it.
pub fn read(ty: FieldType, datum: &Datum, words: &mut Vec<i32>) -> Result<bool, DoesNotConvert> {
    let (min, max) = ty.bounds();
    let mut steps = |value: f64, per_unit: i32| {
        if !value.is_finite() {
            return Err(DoesNotConvert);
        }
        let wanted = round(value * f64::from(per_unit));
        // In bounds, so it is an i32.
        words.push(wanted.clamp(f64::from(min), f64::from(max)) as i32);
        Ok(wanted < f64::from(min) || wanted > f64::from(max))
    };
    match (ty, datum) {
        (FieldType::Bool, Datum::Bool(b)) => words.push(i32::from(*b)),
        (FieldType::Int { .. }, Datum::Int(n)) => return steps(*n as f64, 1),
        (FieldType::Real { per_unit, .. }, Datum::Int(n)) => return steps(*n as f64, per_unit),
        (FieldType::Real { per_unit, .. }, Datum::Real(v)) => return steps(*v, per_unit),
        (FieldType::Vector { per_unit, .. }, Datum::List(parts)) => {
            let [x, y] = parts.as_slice() else { return Err(DoesNotConvert) };
            let fitted = steps(number(x)?, per_unit)?;
            return Ok(steps(number(y)?, per_unit)? || fitted);
        }
        (FieldType::Angle, Datum::Int(_) | Datum::Real(_)) => {
            words.push(i32::from(angle_word(number(datum)?)));
        }
        (FieldType::Choice { names }, Datum::Text(name)) => {
            let index = names.iter().position(|n| n == name).ok_or(DoesNotConvert)?;
            words.push(i32::try_from(index).map_err(|_| DoesNotConvert)?);
        }
        (FieldType::Text { chars }, Datum::Text(text)) => {
            let kept = text.chars().filter(|c| is_kept(*c)).take(usize::from(chars));
            let kept: Vec<i32> = kept.map(|c| c as i32).collect();
            words.push(i32::try_from(kept.len()).map_err(|_| DoesNotConvert)?);
            let fitted = text.chars().count() > kept.len();
            words.extend(kept);
            return Ok(fitted);
        }
        (FieldType::Seat | FieldType::Body, Datum::Nothing) => words.push(0),
        (FieldType::Seat, Datum::Int(n)) if (0..i64::from(max)).contains(n) => words.push(*n as i32 + 1),
        (FieldType::Body, Datum::Int(n)) if (1..=i64::from(max)).contains(n) => words.push(*n as i32),
        (FieldType::List { of, max }, Datum::List(values)) => {
            let kept = &values[..values.len().min(usize::from(max))];
            words.push(i32::try_from(kept.len()).map_err(|_| DoesNotConvert)?);
            let mut fitted = kept.len() < values.len();
            for value in kept {
                fitted |= read(*of, value, words)?;
            }
            return Ok(fitted);
        }
        _ => return Err(DoesNotConvert),
    }
    Ok(false)
}

fn number(datum: &Datum) -> Result<f64, DoesNotConvert> {
    match datum {
        Datum::Int(n) => Ok(*n as f64),
        Datum::Real(v) if v.is_finite() => Ok(*v),
        _ => Err(DoesNotConvert),
    }
}

/// A value of one type does not become one of another by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotConvert;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::field::{Angle, Field, Int, List, Real, Text, Vector};
    use crate::rules::ids::{BodyId, Seat};

    /// Any datum, of which many are near what a field takes.
    fn datum() -> impl Strategy<Value = Datum> {
        let leaf = prop_oneof![
            Just(Datum::Nothing),
            any::<bool>().prop_map(Datum::Bool),
            prop_oneof![-9..=110i64, any::<i64>()].prop_map(Datum::Int),
            prop_oneof![-60.0..60.0, any::<u64>().prop_map(f64::from_bits)].prop_map(Datum::Real),
            prop_oneof!["[a-z]{0,10}", any::<String>()].prop_map(Datum::Text),
        ];
        leaf.prop_recursive(2, 12, 4, |inner| proptest::collection::vec(inner, 0..5).prop_map(Datum::List))
    }

    /// What converts is a value in bounds, shown as what is read the same again.
    fn read_as<F: Field>(datum: &Datum) {
        let mut words = Vec::new();
        if read(F::TYPE, datum, &mut words).is_err() {
            return;
        }
        let mut rest = &words[..];
        assert!(F::take(&mut rest).is_some() && rest.is_empty(), "{datum:?} became {words:?}");
        let shown = show(F::TYPE, &words).expect("what was read can be shown");
        let mut back = Vec::new();
        assert_eq!(read(F::TYPE, &shown, &mut back), Ok(false), "{shown:?}");
        assert_eq!(back, words, "{shown:?}");
    }

    /// F18
    #[test]
    fn what_is_no_number_converts_to_none() {
        for v in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let vector = Datum::List(vec![Datum::Int(0), Datum::Real(v)]);
            for ty in [Real::<0, 9, 4>::TYPE, Angle::TYPE, Vector::<9, 4>::TYPE, Int::<0, 9>::TYPE] {
                assert_eq!(read(ty, &Datum::Real(v), &mut Vec::new()), Err(DoesNotConvert), "{v} {ty:?}");
                assert_eq!(read(ty, &vector, &mut Vec::new()), Err(DoesNotConvert), "{v} {ty:?}");
            }
        }
        for (v, words, fitted) in [(1e308, 36, true), (-1e308, 0, true), (-0.0, 0, false), (5e-324, 0, false)]
        {
            let mut read_words = Vec::new();
            assert_eq!(read(Real::<0, 9, 4>::TYPE, &Datum::Real(v), &mut read_words), Ok(fitted), "{v}");
            assert_eq!(read_words, [words], "{v}");
        }
    }

    proptest! {
        /// F18
        #[test]
        fn whatever_converts_is_in_bounds(datum in datum()) {
            read_as::<bool>(&datum);
            read_as::<Int<-5, 100>>(&datum);
            read_as::<Real<-10, 10, 100>>(&datum);
            read_as::<Vector<50, 256>>(&datum);
            read_as::<Angle>(&datum);
            read_as::<Text<8>>(&datum);
            read_as::<List<Int<0, 51>, 3>>(&datum);
            read_as::<List<Text<3>, 4>>(&datum);
            read_as::<List<Vector<9, 1>, 2>>(&datum);
            read_as::<Option<Seat>>(&datum);
            read_as::<Option<BodyId>>(&datum);
        }
    }
}
