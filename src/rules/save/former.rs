//! Version 0 of the records: a schema that is only a hash, poses of two axes, and nothing of `upkeep`.
//!
//! Such a save opens if the game still has the very kinds and fields that it had then; it does not say what they were.

use xxhash_rust::xxh64::xxh64;

use crate::rules::schema::{FieldType, Schema};

/// The hash that version 0 wrote for this schema; none for one that it could not have.
pub fn hash(schema: &Schema) -> Option<u64> {
    let mut text = String::new();
    for kind in &schema.kinds {
        text.push_str(&format!("kind {} {} {}\n", kind.name, kind.player, kind.shared));
        for field in kind.fields {
            text.push_str(&format!("{} {}\n", field.name, type_text(field.ty)?));
        }
    }
    Some(xxh64(text.as_bytes(), 0))
}

fn type_text(ty: FieldType) -> Option<String> {
    Some(match ty {
        FieldType::Bool => "Bool".to_owned(),
        FieldType::Int { min, max } => format!("Int {{ min: {min}, max: {max} }}"),
        FieldType::Real { min, max, per_unit } => {
            format!("Real {{ min: {min}, max: {max}, per_unit: {per_unit} }}")
        }
        _ => return None,
    })
}
