//! The hello: what a client says first, and the bounds of what it says.
//!
//! Unknown keys are ignored, for a newer client may say more; known ones are checked. Absent: what a hello
//! leads to; the host decides that.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::{HELLO_LIST_MAX, HELLO_TEXT_CHARS_MAX, SEATS_MAX, SESSION_BYTES_MAX};
use crate::wire::PROTOCOL_VERSION;
use crate::wire::client_message::MessageError;
use crate::wire::fields;

/// The first message of a connection. All but `v` and `game` are optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub v: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<u32>,
    pub game: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Resume token of a seat held before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Session token of an account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Spectate: no seat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watch: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The seat wished for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub want: Option<u16>,
    /// Seats wanted at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u16>,
    /// Seats that bots are asked to fill up to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bots: Option<u16>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caps: Vec<String>,
    /// 1: this client may be sent fewer frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coast: Option<u32>,
    /// The game's own version and features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ver: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feat: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Value>,
    /// The build the client runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
}

/// A build: its id, and when it was made, which decides older and newer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    pub id: String,
    /// Milliseconds since 1970.
    pub at: u64,
}

pub(super) fn read(mut object: Map<String, Value>) -> Result<Hello, MessageError> {
    let v = fields::whole(&object, "v")?;
    if v != PROTOCOL_VERSION {
        // What the other fields of another version look like is not ours to judge: the close says older or
        // newer.
        let game = object.get("game").and_then(Value::as_str).unwrap_or_default().to_owned();
        return Ok(Hello { v, game, ..Hello::default() });
    }
    fields::text(&object, "game")?;
    // A null says the same as an absent key.
    object.retain(|_, value| !value.is_null());
    for (key, wants) in HELLO_TYPES {
        if object.get(*key).is_some_and(|value| !wants.admits(value)) {
            return Err(MessageError::Wrong { key, wants: wants.name() });
        }
    }
    serde_json::from_value(Value::Object(object))
        .map_err(|_| MessageError::Wrong { key: "hello", wants: "as docs/protocol.md says" })
}

/// What a key of a hello may hold.
#[derive(Clone, Copy)]
enum Wants {
    Text,
    Session,
    Flag,
    Small,
    Seats,
    Texts,
    Build,
}

/// The bounded keys of a hello; `ver` and `agent` are the game's own and bounded by the message.
const HELLO_TYPES: &[(&str, Wants)] = &[
    ("rev", Wants::Small),
    ("game", Wants::Text),
    ("name", Wants::Text),
    ("token", Wants::Text),
    ("session", Wants::Session),
    ("watch", Wants::Flag),
    ("device", Wants::Text),
    ("want", Wants::Small),
    ("max", Wants::Small),
    ("bots", Wants::Seats),
    ("caps", Wants::Texts),
    ("coast", Wants::Small),
    ("feat", Wants::Texts),
    ("build", Wants::Build),
];

impl Wants {
    fn admits(self, value: &Value) -> bool {
        let text = |v: &Value| v.as_str().is_some_and(|s| s.chars().count() <= HELLO_TEXT_CHARS_MAX);
        match self {
            Wants::Text => text(value),
            Wants::Session => value.as_str().is_some_and(|s| s.len() <= SESSION_BYTES_MAX),
            Wants::Flag => value.is_boolean(),
            Wants::Small => value.as_u64().is_some_and(|n| n <= u64::from(u16::MAX)),
            Wants::Seats => value.as_u64().is_some_and(|n| n <= u64::from(SEATS_MAX)),
            Wants::Texts => value.as_array().is_some_and(|a| a.len() <= HELLO_LIST_MAX && a.iter().all(text)),
            Wants::Build => value.get("id").is_some_and(text) && value.get("at").is_some_and(Value::is_u64),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Wants::Text => "text of at most 512 characters",
            Wants::Session => "text of at most 2048 bytes",
            Wants::Flag => "true or false",
            Wants::Small => "a whole number from 0 to 65535",
            Wants::Seats => "a whole number from 0 to 512",
            Wants::Texts => "at most 16 texts of at most 512 characters",
            Wants::Build => "an object with `id` and `at`",
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::wire::client_message::{ClientMessage, Declared};

    fn parse(text: &str) -> Result<ClientMessage, MessageError> {
        ClientMessage::parse(text, &Declared::NONE)
    }

    fn hello(rest: &str) -> Result<ClientMessage, MessageError> {
        parse(&format!(r#"{{"t":"hello","v":1,"game":"arena"{rest}}}"#))
    }

    /// B1
    #[test]
    fn hello_carries_every_field_and_ignores_unknown_ones() {
        let text = r#","rev":1,"name":"Ada","token":"tok","session":null,"watch":true,"device":"d","want":3,
            "max":2,"bots":9,"caps":["a"],"coast":1,"ver":{"x":1},"feat":["f"],"agent":{"m":1},
            "build":{"id":"b","at":5},"later":[1]"#;
        let Ok(ClientMessage::Hello(hello)) = hello(text) else { panic!("a hello") };
        assert_eq!(
            (hello.rev, hello.name.as_deref(), hello.token.as_deref()),
            (Some(1), Some("Ada"), Some("tok"))
        );
        assert_eq!((hello.session, hello.watch, hello.device.as_deref()), (None, true, Some("d")));
        assert_eq!(
            (hello.want, hello.max, hello.caps, hello.coast),
            (Some(3), Some(2), vec!["a".to_owned()], Some(1))
        );
        assert_eq!(hello.bots, Some(9));
        assert_eq!(
            (hello.feat, hello.build),
            (vec!["f".to_owned()], Some(Build { id: "b".to_owned(), at: 5 }))
        );
        assert_eq!((hello.ver, hello.agent), (Some(json!({"x": 1})), Some(json!({"m": 1}))));
    }

    #[test]
    fn hello_values_are_typed_and_bounded() {
        for rest in [
            r#","name":5"#.to_owned(),
            r#","watch":1"#.to_owned(),
            r#","want":-1"#.to_owned(),
            r#","want":70000"#.to_owned(),
            r#","want":1.5"#.to_owned(),
            r#","bots":513"#.to_owned(),
            r#","bots":-1"#.to_owned(),
            r#","bots":true"#.to_owned(),
            r#","caps":[1]"#.to_owned(),
            r#","build":{"id":"b"}"#.to_owned(),
            format!(r#","name":"{}""#, "n".repeat(HELLO_TEXT_CHARS_MAX + 1)),
            format!(r#","feat":[{}"x"]"#, r#""x","#.repeat(HELLO_LIST_MAX)),
        ] {
            assert!(matches!(hello(&rest), Err(MessageError::Wrong { .. })), "{rest}");
        }
        assert_eq!(parse(r#"{"t":"hello","v":1}"#), Err(MessageError::Missing("game")));
        assert_eq!(parse(r#"{"t":"hello","game":"arena"}"#), Err(MessageError::Missing("v")));
    }

    #[test]
    fn hello_of_another_version_is_read_as_far_as_its_version() {
        let Ok(ClientMessage::Hello(hello)) =
            parse(r#"{"t":"hello","v":2,"game":"arena","name":{"first":1}}"#)
        else {
            panic!("a hello")
        };
        assert_eq!((hello.v, hello.game.as_str(), hello.name), (2, "arena", None));
    }

    fn texts() -> impl Strategy<Value = Option<String>> {
        prop::option::of("\\PC{0,24}")
    }

    pub fn a_hello() -> impl Strategy<Value = Hello> {
        let heads =
            (prop::option::of(0..9u32), "[a-z]{1,8}", texts(), texts(), texts(), any::<bool>(), texts());
        let tails = (
            prop::option::of(any::<u16>()),
            prop::collection::vec("[a-z]{0,4}", 0..HELLO_LIST_MAX),
            prop::option::of(0..2u32),
            prop::option::of(("[a-z]{1,5}", any::<u64>())),
        );
        (heads, tails).prop_map(
            |((rev, game, name, token, session, watch, device), (want, caps, coast, build))| Hello {
                v: PROTOCOL_VERSION,
                rev,
                game,
                name,
                token,
                session,
                watch,
                device,
                want,
                max: want,
                bots: want.map(|seats| seats % (SEATS_MAX + 1)),
                feat: caps.clone(),
                caps,
                coast,
                ver: build.as_ref().map(|(id, _)| json!({ "id": id })),
                agent: None,
                build: build.map(|(id, at)| Build { id, at }),
            },
        )
    }
}
