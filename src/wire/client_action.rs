//! The `do` message, both ways: `{"t":"do","e":epoch,"n":7,"a":"play","x":{"card":3}}`.
//!
//! What is no such message closes its connection, like any malformed one. An action the game does not have, and an
//! argument that is missing, unknown or out of bounds, are answered instead: the reason names it. Nothing is drawn in to
//! fit: what a player does happens as it was said, or not.

use serde_json::{Map, Value, json};

use crate::limits::REFUSAL_CHARS_MAX;
use crate::rules::datum::show;
use crate::rules::ids::Epoch;
use crate::rules::schema::ActionSpec;
use crate::wire::client_message::{ClientMessage, MessageError};
use crate::wire::fields;
use crate::wire::values::{datum_value, read_value, wanted};

pub(super) fn read(
    object: &Map<String, Value>,
    actions: &'static [ActionSpec],
) -> Result<ClientMessage, MessageError> {
    fields::only(object, &["e", "n", "a", "x"])?;
    let epoch = Epoch(fields::whole(object, "e")?);
    let number = fields::whole(object, "n")?;
    if number == 0 {
        return Err(MessageError::Wrong { key: "n", wants: "a whole number from 1" });
    }
    let name = fields::text(object, "a")?;
    let none = Map::new();
    let args = match object.get("x") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(args)) => args,
        Some(_) => return Err(MessageError::Wrong { key: "x", wants: "an object" }),
    };
    let action = call(actions, name, args).map_err(|why| why.chars().take(REFUSAL_CHARS_MAX).collect());
    Ok(ClientMessage::Do { epoch, number, action })
}

/// The index of the action of this name, and the words of its arguments.
fn call(
    actions: &'static [ActionSpec],
    name: &str,
    args: &Map<String, Value>,
) -> Result<(u16, Vec<i32>), String> {
    let index = actions.iter().position(|action| action.name == name);
    let index = index.ok_or_else(|| format!("no action is named `{}`", fields::excerpt(name)))?;
    let action = &actions[index];
    if let Some(key) = args.keys().find(|key| action.args.iter().all(|arg| arg.name != **key)) {
        return Err(format!("`{}` has no argument `{}`", action.name, fields::excerpt(key)));
    }
    let mut words = Vec::new();
    for arg in action.args {
        let value = args.get(arg.name).ok_or_else(|| format!("`{}` is missing", arg.name))?;
        read_value(arg.ty, value, &mut words)
            .ok_or_else(|| format!("`{}` must be {}", arg.name, wanted(arg.ty)))?;
    }
    Ok((index as u16, words))
}

/// Writes an action by its index. One that is none is written without a name, and read as unknown.
pub(super) fn write(
    (epoch, number): (Epoch, u32),
    action: Option<(u16, &[i32])>,
    actions: &'static [ActionSpec],
) -> String {
    let known = action.and_then(|(index, words)| Some((actions.get(usize::from(index))?, words)));
    let Some((spec, mut words)) = known else { return named(epoch.0, number, "", &Map::new()) };
    let mut args = Map::new();
    for arg in spec.args {
        let Some((run, rest)) = arg.ty.run(words).and_then(|taken| words.split_at_checked(taken)) else {
            break;
        };
        let value = show(arg.ty, run).map_or(Value::Null, |datum| datum_value(&datum));
        args.insert(arg.name.to_owned(), value);
        words = rest;
    }
    named(epoch.0, number, spec.name, &args)
}

/// Writes an action by name, as one sends it who knows a game by its welcome only.
#[must_use]
pub fn named(epoch: u32, number: u32, name: &str, args: &Map<String, Value>) -> String {
    json!({"t": "do", "e": epoch, "n": number, "a": name, "x": args}).to_string()
}
