//! Shared state as JSON: `{kind: {field: value}}` for each shared kind, in the units of a snapshot. Local
//! and private fields are left out: nobody's own seat is the room.

use serde_json::{Map, Value};

use crate::rules::schema::{KindSpec, Schema, runs};
use crate::wire::values::shown;

/// What `values` (the fields of the shared kinds, kind by kind in schema order) show to everyone.
#[must_use]
pub fn shared_state(schema: &Schema, values: &[i32]) -> Map<String, Value> {
    let mut words = values;
    let mut state = |kind: &KindSpec| {
        let mut fields = Map::new();
        for (field, run) in runs(kind.fields, words) {
            words = &words[run.len()..];
            if field.is_public() {
                fields.insert(field.name.to_owned(), shown(field.ty, run));
            }
        }
        (kind.name.to_owned(), Value::Object(fields))
    };
    schema.kinds.iter().filter(|kind| kind.shared).map(&mut state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::describe::tests::schema;

    #[test]
    fn shared_kinds_are_shown_by_name_without_their_local_and_private_fields() {
        let mut schema = schema();
        let fighter = schema.kinds[0];
        schema.kinds.push(KindSpec { name: "weather", player: false, shared: true, ..fighter });
        schema.kinds.push(KindSpec { name: "gate", player: false, shared: true, ..fighter });
        let shown = shared_state(&schema, &[7, 1, 3, 9, 50, 8, 0, 4, 9, 60]);
        let expected = serde_json::json!({
            "weather": {"hp": 7, "armed": true, "speed": 1.5},
            "gate": {"hp": 8, "armed": false, "speed": 2.0},
        });
        assert_eq!(Value::Object(shown), expected);
    }

    #[test]
    fn shared_fields_of_every_type_take_their_own_run() {
        let mut schema = schema();
        schema.kinds[1].shared = true;
        schema.kinds.push(KindSpec { name: "after", ..schema.kinds[1] });
        let one = [1, -5, 3, 10, -20, 16_384, 1, 2, 104, 105, 3, 9, 1, 5, 6, 0];
        let shown = shared_state(&schema, &[one, one].concat());
        assert_eq!((&shown["chest"], &shown["chest"]["text"]), (&shown["after"], &Value::from("hi")));
        assert_eq!(shown["after"]["list"], serde_json::json!([[0.5, 0.6]]));
    }
}
