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

    use super::*;
    use crate::wire::describe::tests::schema;

    fn fighter(hp: i32, armed: i32, speed: i32) -> Character {
        let fields = [("hp", hp), ("armed", armed), ("speed", speed), ("cooldown", 4)];
        let fields = fields.map(|(name, word)| (name.to_owned(), word)).to_vec();
        let pose = Pose { at: [512, -256], velocity: [0, 1024], heading: 77 };
        Character { kind: "fighter".to_owned(), pose, fields }
    }

    #[test]
    fn a_character_is_shown_in_units() {
        let body = to_body(&fighter(90, 1, 5), &schema());
        assert_eq!((body.at, body.velocity), ([1.0, -0.5], [0.0, 2.0]));
        assert_eq!(
            Value::Object(body.f),
            serde_json::json!({"hp": 90, "armed": true, "speed": 2.5, "cooldown": 4})
        );
    }

    proptest! {
        #[test]
        fn a_character_reads_back(hp in 0..=100, armed in 0..=1, speed in 0..=16) {
            let character = fighter(hp, armed, speed);
            prop_assert_eq!(from_body(&to_body(&character, &schema()), &schema()), Ok(character));
        }
    }

    /// F18
    #[test]
    fn a_body_that_does_not_fit_is_refused_or_drawn_in() {
        let good = to_body(&fighter(90, 1, 5), &schema());
        let with = |key: &str, value: Value| {
            let mut body = good.clone();
            body.f.insert(key.to_owned(), value);
            from_body(&body, &schema())
        };
        assert!(with("hp", Value::from("90")).is_err() && with("armed", Value::from(1)).is_err());
        assert_eq!(with("hp", Value::from(1e308)).map(|c| c.fields[0].1), Ok(100));
        assert_eq!(with("gone", Value::from(3)).map(|c| c.fields.len()), Ok(4));
        for at in [f64::NAN, f64::INFINITY, 1e308] {
            assert!(from_body(&CharacterBody { at: [at, 0.0], ..good.clone() }, &schema()).is_err());
        }
        assert!(from_body(&CharacterBody { kind: "gem".to_owned(), ..good }, &schema()).is_err());
    }
}
