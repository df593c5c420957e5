//! A character as JSON and back: field values in the units a snapshot shows, checked against the game's schema.
//!
//! A field the kind no longer has is dropped, one that is missing keeps its default when the body is made. Absent: what
//! happens to a character that cannot be read; its keeper keeps it.

use serde_json::{Map, Value};

use crate::limits::{MAP_HALF_METRES_MAX, POSITION_STEPS_PER_METRE};
use crate::rules::character::Character;
use crate::rules::datum::Datum;
use crate::rules::motion::{Pose, to_steps};
use crate::wire::lease::CharacterBody;
use crate::wire::place::metres;
use crate::wire::values::{datum_value, value_datum};

/// The body names a kind that is no player's here, or holds a value of the wrong type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfitCharacter(pub &'static str);

impl std::fmt::Display for UnfitCharacter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the character does not fit this game: {}", self.0)
    }
}

impl std::error::Error for UnfitCharacter {}

/// Writes a character of this game.
#[must_use]
pub fn to_body(character: &Character) -> CharacterBody {
    let value = |(name, datum): &(String, Datum)| (name.clone(), datum_value(datum));

    CharacterBody {
        kind: character.kind.clone(),
        at: axes(character.pose.at),
        velocity: axes(character.pose.velocity),
        heading: character.pose.heading,
        f: character.fields.iter().map(value).collect::<Map<String, Value>>(),
    }
}

/// Reads a character that some version of this game wrote; `Game::fit_character` makes it one of this version.
///
/// # Errors
/// A place that is none, or a value that no field can have.
pub fn from_body(body: &CharacterBody) -> Result<Character, UnfitCharacter> {
    let field = |(name, value): (&String, &Value)| {
        let datum = value_datum(value, 0).ok_or(UnfitCharacter("a field has a value of no type"))?;
        Ok((name.clone(), datum))
    };
    let fields = body.f.iter().map(field).collect::<Result<Vec<_>, UnfitCharacter>>()?;
    let speed = f64::from(i32::MAX / POSITION_STEPS_PER_METRE);
    let at = place(&body.at, f64::from(MAP_HALF_METRES_MAX))?;
    let pose = Pose { at, velocity: place(&body.velocity, speed)?, heading: body.heading };
    Ok(Character { kind: body.kind.clone(), pose, fields })
}

/// Two or three numbers, as steps.
fn place(axes: &[f64], bound: f64) -> Result<[i32; 3], UnfitCharacter> {
    let within = axes.iter().all(|axis| axis.is_finite() && axis.abs() <= bound);
    if !within || !(2..=3).contains(&axes.len()) {
        return Err(UnfitCharacter("its place is none"));
    }
    let mut steps = [0; 3];
    steps.iter_mut().zip(axes).for_each(|(step, axis)| *step = to_steps(*axis));
    Ok(steps)
}

/// Metres, without a height of 0.
fn axes(steps: [i32; 3]) -> Vec<f64> {
    let axes = steps.map(metres);
    if steps[2] == 0 { axes[..2].to_vec() } else { axes.to_vec() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn walker(gold: i64, at: [i32; 3]) -> Character {
        let fields = [
            ("gold", Datum::Int(gold)),
            ("armed", Datum::Bool(true)),
            ("speed", Datum::Real(2.5)),
            ("title", Datum::Text("Sir".to_owned())),
            ("friend", Datum::Nothing),
            ("spots", Datum::List(vec![Datum::List(vec![Datum::Real(0.5), Datum::Real(-1.5)])])),
        ];
        let fields = fields.map(|(name, datum)| (name.to_owned(), datum)).to_vec();
        let pose = Pose { at, velocity: [0, 1024, 0], heading: 77 };
        Character { kind: "walker".to_owned(), pose, fields }
    }

    #[test]
    fn a_character_is_shown_in_units() {
        let body = to_body(&walker(90, [512, -256, 0]));
        assert_eq!((body.at, body.velocity), (vec![1.0, -0.5], vec![0.0, 2.0]));
        let expected = json!({
            "gold": 90, "armed": true, "speed": 2.5, "title": "Sir", "friend": null, "spots": [[0.5, -1.5]]
        });
        assert_eq!(Value::Object(body.f), expected);
        assert_eq!(to_body(&walker(90, [512, -256, 256])).at, [1.0, -0.5, 0.5]);
    }

    proptest! {
        #[test]
        fn a_character_reads_back(gold in any::<i64>(), x in any::<i16>(), z in any::<i16>()) {
            let mut character = walker(gold, [i32::from(x), 5, i32::from(z)]);
            character.fields.sort_by(|a, b| a.0.cmp(&b.0));
            let text = serde_json::to_string(&to_body(&character)).expect("JSON");
            let body: CharacterBody = serde_json::from_str(&text).expect("our own");
            prop_assert_eq!(from_body(&body), Ok(character));
        }
    }

    /// F18
    #[test]
    fn a_body_that_is_none_is_refused() {
        let good = to_body(&walker(90, [0, 0, 0]));
        for at in [f64::NAN, f64::INFINITY, 1e308, -16_385.0] {
            assert!(from_body(&CharacterBody { at: vec![at, 0.0], ..good.clone() }).is_err(), "{at}");
            assert!(from_body(&CharacterBody { at: vec![0.0, 0.0, at], ..good.clone() }).is_err(), "{at}");
        }
        for axes in [vec![], vec![0.0], vec![0.0; 4]] {
            assert!(from_body(&CharacterBody { at: axes.clone(), ..good.clone() }).is_err());
            assert!(from_body(&CharacterBody { velocity: axes, ..good.clone() }).is_err());
        }
        for value in [json!({}), json!([{}]), json!([[[[1]]]])] {
            let mut bad = good.clone();
            bad.f.insert("gold".to_owned(), value.clone());
            assert!(from_body(&bad).is_err(), "{value}");
        }
        let mut huge = good;
        huge.f.insert("gold".to_owned(), json!(u64::MAX));
        let fields = from_body(&huge).expect("a real").fields;
        assert!(fields.contains(&("gold".to_owned(), Datum::Real(u64::MAX as f64))));
    }
}
