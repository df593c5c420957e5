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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::client_message::Declared;
    use crate::wire::describe::tests::{ACTIONS, EACH};
    use crate::wire::values::tests::each_run;

    const DECLARED: Declared<'static> = Declared { controls: &[], actions: ACTIONS };

    fn parse(rest: &str) -> Result<ClientMessage, MessageError> {
        ClientMessage::parse(&format!(r#"{{"t":"do",{rest}}}"#), &DECLARED)
    }

    fn action(rest: &str) -> Result<(u16, Vec<i32>), String> {
        match parse(&format!(r#""e":1,"n":7,{rest}"#)) {
            Ok(ClientMessage::Do { epoch: Epoch(1), number: 7, action }) => action,
            other => panic!("{rest} gave {other:?}"),
        }
    }

    #[test]
    fn an_action_is_its_index_and_the_words_of_its_arguments() {
        assert_eq!(action(r#""a":"play","x":{"card":3}"#), Ok((1, vec![3])));
        for none in [r#""a":"pass","x":{}"#, r#""a":"pass","x":null"#, r#""a":"pass""#] {
            assert_eq!(action(none), Ok((0, vec![])), "{none}");
        }
    }

    /// F18
    #[test]
    fn an_action_that_cannot_be_is_answered_with_what_is_wrong() {
        for (rest, why) in [
            (r#""a":"fly""#, "no action is named `fly`"),
            (r#""a":"""#, "no action is named ``"),
            (r#""a":"play""#, "`card` is missing"),
            (r#""a":"play","x":{"card":52}"#, "`card` must be a whole number from 0 to 51"),
            (r#""a":"play","x":{"card":3.5}"#, "`card` must be a whole number from 0 to 51"),
            (r#""a":"play","x":{"card":null}"#, "`card` must be a whole number from 0 to 51"),
            (r#""a":"play","x":{"card":3,"bribe":1}"#, "`play` has no argument `bribe`"),
            (r#""a":"pass","x":{"card":3}"#, "`pass` has no argument `card`"),
        ] {
            assert_eq!(action(rest), Err(why.to_owned()), "{rest}");
        }
        let why = action(&format!(r#""a":"{}""#, "\u{1F600}".repeat(900))).expect_err("no such action");
        assert!(why.chars().count() <= REFUSAL_CHARS_MAX, "{why}");
    }

    /// F18
    #[test]
    fn what_is_no_such_message_is_malformed() {
        for rest in [
            r#""n":7,"a":"pass""#,
            r#""e":1,"a":"pass""#,
            r#""e":1,"n":7"#,
            r#""e":1,"n":0,"a":"pass""#,
            r#""e":1,"n":-1,"a":"pass""#,
            r#""e":1,"n":1.5,"a":"pass""#,
            r#""e":1,"n":4294967296,"a":"pass""#,
            r#""e":1,"n":"7","a":"pass""#,
            r#""e":-1,"n":7,"a":"pass""#,
            r#""e":1,"n":7,"a":5"#,
            r#""e":1,"n":7,"a":null"#,
            r#""e":1,"n":7,"a":"pass","x":[]"#,
            r#""e":1,"n":7,"a":"pass","x":"card""#,
            r#""e":1,"n":7,"a":"pass","y":1"#,
        ] {
            assert!(parse(rest).is_err(), "{rest}");
        }
    }

    fn a_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,9}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 6, |inner| prop::collection::vec(inner, 0..6).prop_map(Value::from))
    }

    proptest! {
        #[test]
        fn every_action_survives_the_way(epoch in any::<u32>(), number in 1..=u32::MAX, runs in each_run()) {
            let epoch = Epoch(epoch);
            let message = ClientMessage::Do { epoch, number, action: Ok((2, runs.concat())) };
            let text = message.to_json(&DECLARED);
            prop_assert_eq!(ClientMessage::parse(&text, &DECLARED), Ok(message));
        }

        /// F18: what is taken is within bounds, whatever was sent.
        #[test]
        fn no_argument_gets_past_its_bounds(values in prop::collection::vec(a_value(), EACH.len())) {
            let args = EACH.iter().zip(values).map(|(field, value)| (field.name.to_owned(), value)).collect();
            match ClientMessage::parse(&named(1, 1, "each", &args), &DECLARED) {
                Ok(ClientMessage::Do { action: Ok((2, words)), .. }) => {
                    prop_assert!(crate::rules::schema::runs(EACH, &words).count() == EACH.len());
                }
                Ok(ClientMessage::Do { action: Err(why), .. }) => {
                    prop_assert!(!why.is_empty() && why.chars().count() <= REFUSAL_CHARS_MAX);
                }
                other => prop_assert!(matches!(other, Err(MessageError::TooLong { .. })), "{:?}", other),
            }
        }
    }

    #[test]
    fn an_action_without_a_meaning_is_written_as_one_that_is_unknown() {
        for action in [Err("why".to_owned()), Ok((9, vec![]))] {
            let message = ClientMessage::Do { epoch: Epoch(1), number: 7, action };
            let read = ClientMessage::parse(&message.to_json(&DECLARED), &DECLARED);
            assert!(matches!(read, Ok(ClientMessage::Do { number: 7, action: Err(_), .. })), "{read:?}");
        }
    }
}
