//! What a client says: hello, input, ping, say, do, leave. Read strictly on the server, written by the client.
//!
//! Unknown keys of hello and ping are ignored; in an `in` message every key and value is checked against the
//! game's declared controls, in a `do` against its actions. A tick that is no whole number is no error of the message: its
//! entry is dropped and counted. An action that cannot be is none either: it is answered with the reason.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::limits::MESSAGE_BYTES_MAX;
use crate::rules::ids::{Epoch, Tick};
use crate::rules::input::Controls;
use crate::rules::motion::Pose;
use crate::rules::schema::{ActionSpec, ControlSpec, Schema};
use crate::wire::client_action;
use crate::wire::client_input;
use crate::wire::fields;
use crate::wire::hello;
pub use crate::wire::hello::{Build, Hello};

/// A message from a client, checked.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientMessage {
    Hello(Box<Hello>),
    Input(InputMessage),
    Ping(Ping),
    Say(String),
    /// Something a player does once.
    Do {
        epoch: Epoch,
        /// From 1: the client's own number of it.
        number: u32,
        /// Index into the game's actions, and the words of its arguments, all within their bounds. Or why there is no
        /// such action: at most `REFUSAL_CHARS_MAX` characters for its `did`.
        action: Result<(u16, Vec<i32>), String>,
    },
    Leave,
}

/// What a game declares that its clients' messages are read by.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    pub controls: &'a [ControlSpec],
    pub actions: &'static [ActionSpec],
}

impl Declared<'_> {
    /// Of no game: enough for a hello.
    pub const NONE: Declared<'static> = Declared { controls: &[], actions: &[] };

    #[must_use]
    pub fn by(schema: &Schema) -> Declared<'_> {
        Declared { controls: &schema.controls, actions: schema.actions }
    }
}

/// A batch of inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputMessage {
    pub epoch: Epoch,
    pub entries: Vec<InputEntry>,
    /// `g`: the newest tick the client holds.
    pub held_tick: Option<Tick>,
    /// `r`: the rebase number that its claims rest on.
    pub rebase: Option<u32>,
}

/// Controls from a tick on, until the next entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputEntry {
    /// None: what was sent is no whole number from 0 to `u32::MAX`; the host drops and counts the entry.
    pub tick: Option<Tick>,
    pub controls: Controls,
    /// Where the client says that its owner-moved body is.
    pub claim: Option<Pose>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ping {
    /// The client's own clock, given back in the pong. At most 15 digits come back as they were: serde_json
    /// rounds longer ones its own way.
    pub c: f64,
    /// `g`: the newest tick the client holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub g: Option<f64>,
    /// The page is hidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hid: bool,
    /// Milliseconds the client draws others behind the room's clock now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iv: Option<f64>,
}

/// Why a message was refused; the connection is closed with 4001 (before the hello) or 4002.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// Longer than `MESSAGE_BYTES_MAX`.
    TooLong {
        bytes: usize,
    },
    /// No JSON, or none of ours: a number beyond an `f64` counts here too.
    NotJson,
    /// JSON, but no object with a text `t`.
    NoType,
    /// No message has this type.
    UnknownType(String),
    Missing(&'static str),
    /// A value of the wrong type or out of bounds.
    Wrong {
        key: &'static str,
        wants: &'static str,
    },
    /// A key that an `in` or `do` message does not have.
    UnknownKey(String),
    /// A control the game does not have.
    UnknownControl(String),
    /// A control's value is not of its type.
    WrongControl {
        control: &'static str,
        wants: &'static str,
    },
    /// More entries than one message may carry.
    TooManyEntries {
        entries: usize,
    },
    /// The ticks of the entries do not rise.
    NotRising,
}

impl std::fmt::Display for MessageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MessageError::TooLong { bytes } => {
                write!(f, "{bytes} bytes, at most {MESSAGE_BYTES_MAX} are read")
            }
            MessageError::NotJson => f.write_str("not JSON"),
            MessageError::NoType => f.write_str("not an object with a type `t`"),
            MessageError::UnknownType(t) => write!(f, "unknown type `{t}`"),
            MessageError::Missing(key) => write!(f, "`{key}` is missing"),
            MessageError::Wrong { key, wants } => write!(f, "`{key}` must be {wants}"),
            MessageError::UnknownKey(key) => write!(f, "unknown key `{key}`"),
            MessageError::UnknownControl(name) => write!(f, "no control is named `{name}`"),
            MessageError::WrongControl { control, wants } => write!(f, "control `{control}` must be {wants}"),
            MessageError::TooManyEntries { entries } => write!(f, "{entries} entries in one message"),
            MessageError::NotRising => f.write_str("the ticks of the entries must rise"),
        }
    }
}

impl std::error::Error for MessageError {}

impl ClientMessage {
    /// Reads one text message.
    ///
    /// # Errors
    /// Too long, no JSON object, an unknown type, a missing key, a value of the wrong type or out of bounds.
    pub fn parse(text: &str, declared: &Declared<'_>) -> Result<ClientMessage, MessageError> {
        if text.len() > MESSAGE_BYTES_MAX {
            return Err(MessageError::TooLong { bytes: text.len() });
        }
        let value: Value = serde_json::from_str(text).map_err(|_| MessageError::NotJson)?;
        let Value::Object(mut object) = value else { return Err(MessageError::NoType) };
        let Some(Value::String(t)) = object.remove("t") else { return Err(MessageError::NoType) };
        match t.as_str() {
            "hello" => hello::read(object).map(|hello| ClientMessage::Hello(Box::new(hello))),
            "in" => client_input::read(&object, declared.controls).map(ClientMessage::Input),
            "ping" => read_ping(&object).map(ClientMessage::Ping),
            "say" => Ok(ClientMessage::Say(fields::text(&object, "text")?.to_owned())),
            "do" => client_action::read(&object, declared.actions),
            "leave" => Ok(ClientMessage::Leave),
            _ => Err(MessageError::UnknownType(fields::excerpt(&t))),
        }
    }

    /// Writes the message as a client sends it.
    #[must_use]
    pub fn to_json(&self, declared: &Declared<'_>) -> String {
        match self {
            ClientMessage::Hello(hello) => tagged("hello", hello.as_ref()),
            ClientMessage::Input(message) => client_input::write(message, declared.controls),
            ClientMessage::Ping(ping) => tagged("ping", ping),
            ClientMessage::Say(text) => json!({"t": "say", "text": text}).to_string(),
            ClientMessage::Do { epoch, number, action } => {
                let action = action.as_ref().ok().map(|(index, words)| (*index, words.as_slice()));
                client_action::write((*epoch, *number), action, declared.actions)
            }
            ClientMessage::Leave => json!({"t": "leave"}).to_string(),
        }
    }
}

/// The message with its type in front.
fn tagged<M: Serialize>(t: &'static str, message: &M) -> String {
    #[derive(Serialize)]
    struct Tagged<'a, M> {
        t: &'static str,
        #[serde(flatten)]
        message: &'a M,
    }
    // Structs with text keys and finite numbers only: serde_json has nothing to refuse.
    serde_json::to_string(&Tagged { t, message }).unwrap_or_default()
}

fn read_ping(object: &Map<String, Value>) -> Result<Ping, MessageError> {
    let hid = match object.get("hid") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(hid)) => *hid,
        Some(_) => return Err(MessageError::Wrong { key: "hid", wants: "true or false" }),
    };
    let c = fields::optional_number(object, "c")?.ok_or(MessageError::Missing("c"))?;
    let (g, iv) = (fields::optional_number(object, "g")?, fields::optional_number(object, "iv")?);
    Ok(Ping { c, g, hid, iv })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::ENTRIES_MAX;
    use crate::rules::input::{angle_word, stick_words};
    use crate::rules::vec2::Vec2;
    use crate::wire::describe::tests::{ACTIONS, PAD};
    use crate::wire::hello::tests::a_hello;

    const DECLARED: Declared<'static> = Declared { controls: PAD, actions: ACTIONS };

    fn parse(text: &str) -> Result<ClientMessage, MessageError> {
        ClientMessage::parse(text, &DECLARED)
    }

    /// F18
    #[test]
    fn garbage_is_refused_by_name() {
        let long = format!(r#"{{"t":"say","text":"{}"}}"#, "x".repeat(MESSAGE_BYTES_MAX));
        assert!(matches!(parse(&long), Err(MessageError::TooLong { .. })));
        assert_eq!(parse(r#"{"t":"ping","c":1e999}"#), Err(MessageError::NotJson));
        assert_eq!(parse("[1]"), Err(MessageError::NoType));
        assert_eq!(parse(r#"{"t":5}"#), Err(MessageError::NoType));
        assert_eq!(parse(r#"{"t":"warp"}"#), Err(MessageError::UnknownType("warp".to_owned())));
        assert_eq!(
            parse(r#"{"t":"ping","c":"1"}"#),
            Err(MessageError::Wrong { key: "c", wants: "a number" })
        );
        assert_eq!(parse(r#"{"t":"ping"}"#), Err(MessageError::Missing("c")));
        assert_eq!(parse(r#"{"t":"say","text":1}"#), Err(MessageError::Wrong { key: "text", wants: "text" }));
        assert_eq!(
            parse(r#"{"t":"do","e":1,"n":1,"a":"x","y":1}"#),
            Err(MessageError::UnknownKey("y".to_owned()))
        );
    }

    #[test]
    fn ping_ignores_unknown_keys_and_takes_null_for_absent() {
        let ping = parse(r#"{"t":"ping","c":1.5,"g":null,"hid":true,"iv":100,"later":0}"#);
        assert_eq!(ping, Ok(ClientMessage::Ping(Ping { c: 1.5, g: None, hid: true, iv: Some(100.0) })));
    }

    fn some_controls() -> impl Strategy<Value = Controls> {
        let pad = (-1.5..1.5f64, -1.5..1.5f64, any::<bool>(), -9.0..9.0f64, 0..5i16, any::<i16>(), 0..3i16);
        pad.prop_map(|(x, y, fire, aim, gear, tilt, tool)| {
            let [right, up] = stick_words(Vec2::new(x, y));
            let mut controls = Controls::default();
            let words = [right, up, i16::from(fire), angle_word(aim) as i16, gear, tilt, tool];
            controls.0[..7].copy_from_slice(&words);
            controls
        })
    }

    fn a_claim() -> impl Strategy<Value = Pose> {
        let axis = || prop_oneof![Just(0), -8_388_608..=8_388_608i32];
        ([axis(), axis(), axis()], [axis(), axis(), axis()], any::<u16>())
            .prop_map(|(at, velocity, heading)| Pose { at, velocity, heading })
    }

    fn entries() -> impl Strategy<Value = Vec<InputEntry>> {
        let one = (1..999u32, some_controls(), any::<bool>(), prop::option::of(a_claim()));
        prop::collection::vec(one, 0..ENTRIES_MAX).prop_map(|steps| {
            let mut tick = 0;
            let mut entry = |(step, controls, bad, claim): (u32, Controls, bool, Option<Pose>)| {
                tick += step;
                InputEntry { tick: (!bad).then_some(Tick(tick)), controls, claim }
            };
            steps.into_iter().map(&mut entry).collect()
        })
    }

    fn an_input() -> impl Strategy<Value = InputMessage> {
        let optional = || prop::option::of(any::<u32>());
        (any::<u32>(), entries(), optional(), optional()).prop_map(|(epoch, entries, held, rebase)| {
            InputMessage { epoch: Epoch(epoch), entries, held_tick: held.map(Tick), rebase }
        })
    }

    fn a_ping() -> impl Strategy<Value = Ping> {
        let optional = || prop::option::of(any::<i32>().prop_map(f64::from));
        (any::<i32>(), optional(), any::<bool>(), optional()).prop_map(|(c, g, hid, iv)| Ping {
            c: f64::from(c) / 256.0,
            g,
            hid,
            iv,
        })
    }

    fn a_message() -> impl Strategy<Value = ClientMessage> {
        prop_oneof![
            a_hello().prop_map(|hello| ClientMessage::Hello(Box::new(hello))),
            an_input().prop_map(ClientMessage::Input),
            a_ping().prop_map(ClientMessage::Ping),
            "\\PC{0,64}".prop_map(ClientMessage::Say),
            (any::<u32>(), 1..=u32::MAX, 0..=51).prop_map(|(epoch, number, card)| {
                ClientMessage::Do { epoch: Epoch(epoch), number, action: Ok((1, vec![card])) }
            }),
            Just(ClientMessage::Leave),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(message in a_message()) {
            let text = message.to_json(&DECLARED);
            prop_assume!(text.len() <= MESSAGE_BYTES_MAX);
            prop_assert_eq!(parse(&text), Ok(message));
        }

        /// F18
        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
            let _ = parse(&text);
        }

        /// F18
        #[test]
        fn no_value_under_any_key_makes_the_reader_panic(
            t in "hello|in|ping|say|do|leave",
            keys in prop::collection::vec(("v|game|name|e|k|r|g|s|c|n|a|x|iv|text|want|bots", any_json()), 0..8),
        ) {
            let mut object: Map<String, Value> = keys.into_iter().collect();
            object.insert("t".to_owned(), Value::String(t));
            let _ = parse(&Value::Object(object).to_string());
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-z]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("move|fire|aim|gear|tilt|tool|card|id|at", inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }
}
