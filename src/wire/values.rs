//! Values of fields and arguments as JSON, both ways: what `rules::datum` says of a value, in the clients' words.
//!
//! What a client sends is read strictly: out of bounds is refused, never drawn in. What a room shows is written by hand,
//! for it is sent at 20 Hz. Absent: which field or argument it is.

use std::fmt::Write;

use serde_json::{Number, Value};

use crate::rules::datum::{Datum, show};
use crate::rules::input::{CIRCLE_STEPS, angle_word};
use crate::rules::schema::FieldType;
use crate::wire::fields::{finite, whole_i64};

/// A value as clients and records show it.
#[must_use]
pub fn datum_value(datum: &Datum) -> Value {
    match datum {
        Datum::Nothing => Value::Null,
        Datum::Bool(b) => Value::Bool(*b),
        Datum::Int(n) => Value::from(*n),
        Datum::Real(v) => Number::from_f64(*v).map_or(Value::Null, Value::Number),
        Datum::Text(text) => Value::from(text.as_str()),
        Datum::List(values) => values.iter().map(datum_value).collect(),
    }
}

/// A shown value; none for an object, or lists within lists beyond what a field can be.
#[must_use]
pub fn value_datum(value: &Value, depth: u32) -> Option<Datum> {
    Some(match value {
        Value::Null => Datum::Nothing,
        Value::Bool(b) => Datum::Bool(*b),
        Value::Number(n) => match n.as_i64() {
            Some(n) => Datum::Int(n),
            None => Datum::Real(n.as_f64()?),
        },
        Value::String(text) => Datum::Text(text.clone()),
        Value::Array(values) if depth < 3 => {
            Datum::List(values.iter().map(|value| value_datum(value, depth + 1)).collect::<Option<_>>()?)
        }
        Value::Array(_) | Value::Object(_) => return None,
    })
}

/// The run of a field as clients and records show it.
#[must_use]
pub fn shown(ty: FieldType, run: &[i32]) -> Value {
    show(ty, run).map_or(Value::Null, |datum| datum_value(&datum))
}

/// Adds the words of a value of this type; none when it is of another type or out of bounds, and then `words` may hold
/// part of it.
pub(super) fn read_value(ty: FieldType, value: &Value, words: &mut Vec<i32>) -> Option<()> {
    let (min, max) = ty.bounds();
    let within = |n: i64| i32::try_from(n).ok().filter(|n| (min..=max).contains(n));
    // In bounds in its own unit, so its steps are, too.
    let steps = |value: &Value, (least, most): (i32, i32), per_unit: i32| {
        let v = finite(value).filter(|v| (f64::from(least)..=f64::from(most)).contains(v))?;
        Some(libm::round(v * f64::from(per_unit)) as i32)
    };
    match (ty, value) {
        (FieldType::Bool, value) => words.push(i32::from(value.as_bool()?)),
        (FieldType::Int { .. }, value) => words.push(within(whole_i64(value)?)?),
        (FieldType::Real { min, max, per_unit }, value) => words.push(steps(value, (min, max), per_unit)?),
        (FieldType::Vector { max, per_unit }, value) => {
            let [x, y] = value.as_array()?.as_slice() else { return None };
            words.extend([steps(x, (-max, max), per_unit)?, steps(y, (-max, max), per_unit)?]);
        }
        (FieldType::Angle, value) => words.push(i32::from(angle_word(finite(value)?))),
        (FieldType::Choice { names }, value) => {
            let name = value.as_str()?;
            words.push(i32::try_from(names.iter().position(|n| *n == name)?).ok()?);
        }
        (FieldType::Text { chars }, value) => {
            let text = value.as_str()?;
            let length = text.chars().count();
            (length <= usize::from(chars)).then(|| words.push(length as i32))?;
            words.extend(text.chars().map(|c| c as i32));
        }
        (FieldType::Seat | FieldType::Body, Value::Null) => words.push(0),
        (FieldType::Seat, value) => {
            words.push(within(whole_i64(value).filter(|n| *n >= 0)?.checked_add(1)?)?)
        }
        (FieldType::Body, value) => words.push(within(whole_i64(value).filter(|n| *n >= 1)?)?),
        (FieldType::List { of, .. }, value) => {
            let values = value.as_array()?;
            words.push(within(i64::try_from(values.len()).ok()?)?);
            values.iter().try_for_each(|value| read_value(*of, value, words))?;
        }
    }
    Some(())
}

/// What a value of this type has to be, for the client that sent another one.
pub(super) fn wanted(ty: FieldType) -> String {
    match ty {
        FieldType::Bool => "true or false".to_owned(),
        FieldType::Int { min, max } => format!("a whole number from {min} to {max}"),
        FieldType::Real { min, max, .. } => format!("a number from {min} to {max}"),
        FieldType::Vector { max, .. } => format!("[x, y], each from -{max} to {max}"),
        FieldType::Angle => "a number".to_owned(),
        FieldType::Choice { .. } => "one of its names".to_owned(),
        FieldType::Text { chars } => format!("a text of at most {chars} characters"),
        FieldType::Seat => "a seat or null".to_owned(),
        FieldType::Body => "the id of a body or null".to_owned(),
        FieldType::List { of, max } => format!("a list of at most {max}, each {}", wanted(*of)),
    }
}

/// Writes the run of a field as `shown` shows it; null when `run` is none of this type.
pub(super) fn put_value(out: &mut String, ty: FieldType, run: &[i32]) -> std::fmt::Result {
    let steps = |word: i32, per_unit: i32| f64::from(word) / f64::from(per_unit.max(1));
    match (ty, run) {
        (FieldType::Bool, [word]) => write!(out, "{}", *word != 0),
        (FieldType::Int { .. }, [word]) => write!(out, "{word}"),
        (FieldType::Real { per_unit, .. }, [word]) => write!(out, "{}", steps(*word, per_unit)),
        (FieldType::Vector { per_unit, .. }, [x, y]) => {
            write!(out, "[{},{}]", steps(*x, per_unit), steps(*y, per_unit))
        }
        // A stored angle has 16 bits; what a run has beyond them turns whole circles.
        (FieldType::Angle, [word]) => put_angle(out, f64::from(*word as u16) / CIRCLE_STEPS),
        (FieldType::Choice { names }, [word]) => {
            match usize::try_from(*word).ok().and_then(|index| names.get(index)) {
                Some(name) => put_text(out, name.chars()),
                None => out.write_str("null"),
            }
        }
        (FieldType::Seat, [word]) if *word > 0 => write!(out, "{}", word - 1),
        (FieldType::Body, [word]) if *word > 0 => write!(out, "{word}"),
        (FieldType::Text { .. }, [_, chars @ ..]) => {
            let read = |c: &i32| u32::try_from(*c).ok().and_then(char::from_u32);
            put_text(out, chars.iter().map(|c| read(c).unwrap_or(char::REPLACEMENT_CHARACTER)))
        }
        (FieldType::List { of, .. }, [_, rest @ ..]) => put_list(out, *of, rest),
        _ => out.write_str("null"),
    }
}

fn put_list(out: &mut String, of: FieldType, mut rest: &[i32]) -> std::fmt::Result {
    let mut comma = "[";
    while !rest.is_empty() {
        let Some((run, tail)) = of.run(rest).and_then(|taken| rest.split_at_checked(taken)) else { break };
        out.push_str(comma);
        put_value(out, of, run)?;
        (comma, rest) = (",", tail);
    }
    out.push_str(if comma == "[" { "[]" } else { "]" });
    Ok(())
}

fn put_text(out: &mut String, chars: impl Iterator<Item = char>) -> std::fmt::Result {
    out.push('"');
    for c in chars {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => write!(out, "\\u{:04x}", u32::from(c))?,
            c => out.push(c),
        }
    }
    out.push('"');
    Ok(())
}

/// A part of the circle in radians. Five decimals tell all 65,536 steps apart.
pub(super) fn put_angle(out: &mut String, turns: f64) -> std::fmt::Result {
    write!(out, "{}", libm::round(turns * std::f64::consts::TAU * 1e5) / 1e5)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::wire::describe::tests::EACH;

    /// Words that a value of this type can have.
    pub fn a_run(ty: FieldType) -> BoxedStrategy<Vec<i32>> {
        let (min, max) = ty.bounds();
        match ty {
            FieldType::Vector { .. } => prop::collection::vec(min..=max, 2).boxed(),
            FieldType::Text { chars } => prop::collection::vec(any::<char>(), 0..=usize::from(chars))
                .prop_map(|text| {
                    let mut run = vec![text.len() as i32];
                    run.extend(text.iter().map(|c| *c as i32));
                    run
                })
                .boxed(),
            FieldType::List { of, max } => prop::collection::vec(a_run(*of), 0..=usize::from(max))
                .prop_map(|values| {
                    let mut run = vec![values.len() as i32];
                    run.extend(values.concat());
                    run
                })
                .boxed(),
            _ => (min..=max).prop_map(|word| vec![word]).boxed(),
        }
    }

    /// The runs of `EACH`, in order.
    pub fn each_run() -> impl Strategy<Value = Vec<Vec<i32>>> {
        EACH.iter().map(|field| a_run(field.ty)).collect::<Vec<_>>()
    }

    fn written(ty: FieldType, run: &[i32]) -> Value {
        let mut text = String::new();
        put_value(&mut text, ty, run).expect("a String takes it");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{ty:?} {run:?} gave {text}: {error}"))
    }

    fn read(ty: FieldType, value: &Value) -> Option<Vec<i32>> {
        let mut words = Vec::new();
        read_value(ty, value, &mut words).map(|()| words)
    }

    proptest! {
        #[test]
        fn every_value_survives_the_way_there_and_back(runs in each_run()) {
            for (field, run) in EACH.iter().zip(&runs) {
                for value in [shown(field.ty, run), written(field.ty, run)] {
                    prop_assert_eq!(read(field.ty, &value), Some(run.clone()), "{} {}", field.name, value);
                }
            }
        }

        /// F18
        #[test]
        fn words_of_no_value_are_still_json(words in prop::collection::vec(any::<i32>(), 0..9)) {
            for field in EACH {
                written(field.ty, &words);
            }
        }
    }

    /// F18
    #[test]
    fn what_is_out_of_bounds_or_of_another_type_is_refused() {
        let bad = [
            ("bool", vec![json!(1), json!("true"), json!(null)]),
            (
                "int",
                vec![json!(6), json!(-6), json!(1.5), json!(1e300), json!(u64::MAX), json!("1"), json!([1])],
            ),
            ("real", vec![json!(1.0001), json!(-1.0001), json!(1e308), json!(null), json!("0")]),
            (
                "vector",
                vec![json!([0]), json!([0, 0, 0]), json!([0, 3.01]), json!({"x": 0, "y": 0}), json!(1)],
            ),
            ("angle", vec![json!("0"), json!(null), json!([0])]),
            ("enum", vec![json!("spade"), json!(0), json!(""), json!("Club")]),
            ("text", vec![json!("1234567"), json!(5), json!(null)]),
            ("seat", vec![json!(-1), json!(512), json!(1.5), json!(i64::MAX), json!("0"), json!(false)]),
            ("body", vec![json!(0), json!(-1), json!(2_147_483_648_u32), json!("1"), json!(0.5)]),
            ("list", vec![json!([[0, 0], [0]]), json!([[0, 0], [9, 0]]), json!(vec![[0, 0]; 5]), json!({})]),
            ("texts", vec![json!(["a", 1]), json!(["long"]), json!([["a"]]), json!("a")]),
        ];
        for (name, values) in bad {
            let field = EACH.iter().find(|field| field.name == name).expect("one of them");
            for value in values {
                assert_eq!(read(field.ty, &value), None, "{name} {value}");
            }
        }
    }

    #[test]
    fn numbers_are_taken_as_json_writes_them() {
        assert_eq!(read(FieldType::Int { min: 0, max: 9 }, &json!(5.0)), Some(vec![5]));
        assert_eq!(read(FieldType::Real { min: 0, max: 9, per_unit: 4 }, &json!(1)), Some(vec![4]));
        assert_eq!(read(FieldType::Real { min: 0, max: 9, per_unit: 4 }, &json!(1.3)), Some(vec![5]));
        assert_eq!(read(FieldType::Angle, &json!(-1e308)).map(|words| words.len()), Some(1));
        assert_eq!(read(FieldType::Seat, &json!(null)), Some(vec![0]));
        assert_eq!(read(FieldType::Seat, &json!(511)), Some(vec![512]));
    }
}
