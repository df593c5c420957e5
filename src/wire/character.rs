//! A character as JSON and back: field values in the units a snapshot shows, checked against the game's schema.
//!
//! A field the kind no longer has is dropped, one that is missing keeps its default when the body is made. Absent: what
//! happens to a character that cannot be read; its keeper keeps it.

use serde_json::{Map, Number, Value};

use crate::limits::{MAP_HALF_METRES_MAX, POSITION_STEPS_PER_METRE};
use crate::rules::character::Character;
use crate::rules::motion::{Pose, to_metres, to_steps};
use crate::rules::schema::{FieldType, Schema};
use crate::rules::vec2::Vec2;
use crate::wire::lease::CharacterBody;

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
pub fn to_body(character: &Character, schema: &Schema) -> CharacterBody {
    let kind = schema.kinds.iter().find(|kind| kind.name == character.kind);
    let fields = kind.map_or(&[][..], |kind| kind.fields);
    let value = |(name, word): &(String, i32)| {
        let spec = fields.iter().find(|field| field.name == name)?;
        Some((name.clone(), shown(spec.ty, *word)))
    };
    let [at, velocity] = [character.pose.at, character.pose.velocity].map(to_metres);
    CharacterBody {
        kind: character.kind.clone(),
        at: [at.x, at.y],
        velocity: [velocity.x, velocity.y],
        heading: character.pose.heading,
        f: character.fields.iter().filter_map(value).collect::<Map<String, Value>>(),
    }
}

/// Reads a character that some version of this game wrote.
///
/// # Errors
/// Not a player kind of this game, a value of another type, or a place that is none.
pub fn from_body(body: &CharacterBody, schema: &Schema) -> Result<Character, UnfitCharacter> {
    let kind = schema.kinds.iter().find(|kind| kind.player && kind.name == body.kind);
    let kind = kind.ok_or(UnfitCharacter("its kind is not a player's"))?;
    let mut fields = Vec::new();
    for spec in kind.fields {
        if let Some(value) = body.f.get(spec.name) {
            let word = word(spec.ty, value).ok_or(UnfitCharacter("a field has another type"))?;
            fields.push((spec.name.to_owned(), word));
        }
    }
    let far = f64::from(MAP_HALF_METRES_MAX);
    let steps = |[x, y]: [f64; 2], bound: f64| {
        let v = Vec2::new(x, y);
        let within = v.is_finite() && x.abs() <= bound && y.abs() <= bound;
        within.then(|| [to_steps(x), to_steps(y)]).ok_or(UnfitCharacter("its place is none"))
    };
    let speed = f64::from(i32::MAX / POSITION_STEPS_PER_METRE);
    let pose =
        Pose { at: steps(body.at, far)?, velocity: steps(body.velocity, speed)?, heading: body.heading };
    Ok(Character { kind: body.kind.clone(), pose, fields })
}

/// A word as clients and records show it.
#[must_use]
pub fn shown(ty: FieldType, word: i32) -> Value {
    match ty {
        FieldType::Bool => Value::Bool(word != 0),
        FieldType::Int { .. } => Value::from(word),
        FieldType::Real { per_unit, .. } => {
            let real = f64::from(word) / f64::from(per_unit.max(1));
            Number::from_f64(real).map_or(Value::Null, Value::Number)
        }
    }
}

/// The word of a shown value, drawn in to the field's bounds; none for another type.
fn word(ty: FieldType, value: &Value) -> Option<i32> {
    let (min, max) = ty.bounds();
    let scale = match ty {
        FieldType::Bool => return value.as_bool().map(i32::from),
        FieldType::Int { .. } => 1.0,
        FieldType::Real { per_unit, .. } => f64::from(per_unit),
    };
    let steps = libm::round(value.as_f64()? * scale);
    // In bounds, so it is an i32.
    Some(steps.clamp(f64::from(min), f64::from(max)) as i32)
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
