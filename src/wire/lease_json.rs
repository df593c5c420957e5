//! The messages of `lease.rs` as JSON: one flat object each, `op` or `answer` naming which.
//!
//! All of them go through one struct. A derive of each would write the same reader many times over, and the Worker's size is
//! bounded. Keys that are not there are as 0, empty or null, which the receiver checks anyway; an unknown name is an error.

use serde::{Deserialize, Serialize};

use crate::wire::lease::{
    CharacterBody, Copy, LobbyAnswer, LobbyRequest, Sight, Stamp, TableAnswer, TableRequest,
};

/// Every key that a message between objects has.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Flat {
    #[serde(skip_serializing_if = "is_none")]
    op: String,
    #[serde(skip_serializing_if = "is_none")]
    answer: String,
    #[serde(skip_serializing_if = "is_none")]
    v: u32,
    #[serde(skip_serializing_if = "is_none")]
    account: String,
    #[serde(skip_serializing_if = "is_none")]
    game: String,
    #[serde(skip_serializing_if = "is_none")]
    room: String,
    #[serde(skip_serializing_if = "is_none")]
    lease: u64,
    #[serde(skip_serializing_if = "is_none")]
    seq: u64,
    #[serde(skip_serializing_if = "is_none")]
    schema: String,
    #[serde(skip_serializing_if = "is_none")]
    force: bool,
    #[serde(skip_serializing_if = "is_none")]
    force_at_ms: u64,
    #[serde(skip_serializing_if = "is_none")]
    seen: bool,
    #[serde(skip_serializing_if = "is_none")]
    held: bool,
    #[serde(skip_serializing_if = "is_none")]
    since: u64,
    #[serde(skip_serializing_if = "is_none")]
    body: Option<CharacterBody>,
}

fn is_none<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Flat {
    fn op(name: &str, v: u32, account: String, game: String) -> Flat {
        Flat { op: name.to_owned(), v, account, game, ..Flat::default() }
    }

    fn answer(name: &str) -> Flat {
        Flat { answer: name.to_owned(), ..Flat::default() }
    }

    fn with(self, copy: Copy) -> Flat {
        let Copy { v, account, game, room, stamp: Stamp { lease, seq }, schema, body } = copy;
        Flat { v, account, game, room, lease, seq, schema, body, ..self }
    }

    fn copy(self) -> Copy {
        let Flat { v, account, game, room, lease, seq, schema, body, .. } = self;
        Copy { v, account, game, room, stamp: Stamp { lease, seq }, schema, body }
    }
}

impl From<LobbyRequest> for Flat {
    fn from(request: LobbyRequest) -> Flat {
        match request {
            LobbyRequest::Grant { v, account, game, room } => {
                Flat { room, ..Flat::op("grant", v, account, game) }
            }
            LobbyRequest::Copy(copy) => Flat { op: "copy".to_owned(), ..Flat::default() }.with(copy),
            LobbyRequest::Return(copy) => Flat { op: "return".to_owned(), ..Flat::default() }.with(copy),
            LobbyRequest::Confirm { v, account, game, room, lease } => {
                Flat { room, lease, ..Flat::op("confirm", v, account, game) }
            }
            LobbyRequest::Break { v, account, game, force } => {
                Flat { force, ..Flat::op("break", v, account, game) }
            }
            LobbyRequest::Look { v, account, game } => Flat::op("look", v, account, game),
            LobbyRequest::Forget { v, account, game } => Flat::op("forget", v, account, game),
        }
    }
}

impl TryFrom<Flat> for LobbyRequest {
    type Error = String;

    fn try_from(flat: Flat) -> Result<LobbyRequest, String> {
        Ok(match flat.op.as_str() {
            "copy" => LobbyRequest::Copy(flat.copy()),
            "return" => LobbyRequest::Return(flat.copy()),
            op => {
                let Flat { v, account, game, room, lease, force, .. } = flat.clone();
                match op {
                    "grant" => LobbyRequest::Grant { v, account, game, room },
                    "confirm" => LobbyRequest::Confirm { v, account, game, room, lease },
                    "break" => LobbyRequest::Break { v, account, game, force },
                    "look" => LobbyRequest::Look { v, account, game },
                    "forget" => LobbyRequest::Forget { v, account, game },
                    _ => return Err(format!("unknown op {op:?}")),
                }
            }
        })
    }
}

impl From<LobbyAnswer> for Flat {
    fn from(answer: LobbyAnswer) -> Flat {
        match answer {
            LobbyAnswer::Granted { lease, body } => Flat { lease, body, ..Flat::answer("granted") },
            LobbyAnswer::Busy => Flat::answer("busy"),
            LobbyAnswer::Away => Flat::answer("away"),
            LobbyAnswer::Done => Flat::answer("done"),
            LobbyAnswer::Revoked { lease } => Flat { lease, ..Flat::answer("revoked") },
            LobbyAnswer::Home => Flat::answer("home"),
            LobbyAnswer::Waits { force_at_ms } => Flat { force_at_ms, ..Flat::answer("waits") },
            LobbyAnswer::Forced => Flat::answer("forced"),
            LobbyAnswer::Gone => Flat::answer("gone"),
            LobbyAnswer::Seen { sight: None } => Flat::answer("seen"),
            LobbyAnswer::Seen { sight: Some(Sight { held, room, since, body }) } => {
                Flat { seen: true, held, room, since, body, ..Flat::answer("seen") }
            }
        }
    }
}

impl TryFrom<Flat> for LobbyAnswer {
    type Error = String;

    fn try_from(flat: Flat) -> Result<LobbyAnswer, String> {
        let Flat { answer, lease, force_at_ms, seen, held, room, since, body, .. } = flat;
        Ok(match answer.as_str() {
            "granted" => LobbyAnswer::Granted { lease, body },
            "busy" => LobbyAnswer::Busy,
            "away" => LobbyAnswer::Away,
            "done" => LobbyAnswer::Done,
            "revoked" => LobbyAnswer::Revoked { lease },
            "home" => LobbyAnswer::Home,
            "waits" => LobbyAnswer::Waits { force_at_ms },
            "forced" => LobbyAnswer::Forced,
            "gone" => LobbyAnswer::Gone,
            "seen" => LobbyAnswer::Seen { sight: seen.then_some(Sight { held, room, since, body }) },
            answer => return Err(format!("unknown answer {answer:?}")),
        })
    }
}

impl From<TableRequest> for Flat {
    fn from(request: TableRequest) -> Flat {
        let name = if matches!(request, TableRequest::Revoke { .. }) { "revoke" } else { "release" };
        let (v, account, game, lease) = request.parts();
        Flat { lease, ..Flat::op(name, v, account.to_owned(), game.to_owned()) }
    }
}

impl TryFrom<Flat> for TableRequest {
    type Error = String;

    fn try_from(flat: Flat) -> Result<TableRequest, String> {
        let Flat { op, v, account, game, lease, .. } = flat;
        match op.as_str() {
            "release" => Ok(TableRequest::Release { v, account, game, lease }),
            "revoke" => Ok(TableRequest::Revoke { v, account, game, lease }),
            op => Err(format!("unknown op {op:?}")),
        }
    }
}

impl From<TableAnswer> for Flat {
    fn from(answer: TableAnswer) -> Flat {
        match answer {
            TableAnswer::Released(copy) => Flat::answer("released").with(*copy),
            TableAnswer::Absent => Flat::answer("absent"),
            TableAnswer::Busy => Flat::answer("busy"),
        }
    }
}

impl TryFrom<Flat> for TableAnswer {
    type Error = String;

    fn try_from(flat: Flat) -> Result<TableAnswer, String> {
        match flat.answer.as_str() {
            "released" => Ok(TableAnswer::Released(Box::new(flat.copy()))),
            "absent" => Ok(TableAnswer::Absent),
            "busy" => Ok(TableAnswer::Busy),
            answer => Err(format!("unknown answer {answer:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    fn copy() -> Copy {
        let f = [("gold".to_owned(), json!(7))].into_iter().collect();
        let (at, velocity) = (vec![1.5, -2.0], vec![0.0; 2]);
        let body = Some(CharacterBody { kind: "walker".to_owned(), at, velocity, heading: 9, f });
        let (account, game, room) = ("ada".to_owned(), "isle".to_owned(), "one".to_owned());
        Copy { v: 1, account, game, room, stamp: Stamp { lease: 3, seq: 4 }, schema: "5".to_owned(), body }
    }

    #[track_caller]
    fn reads_back<T: Clone + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned>(messages: &[T]) {
        for message in messages {
            let text = serde_json::to_string(message).expect("JSON");
            assert_eq!(serde_json::from_str::<T>(&text).ok().as_ref(), Some(message), "{text}");
        }
        for bad in [r#"{"op":"steal"}"#, r#"{"answer":"perhaps"}"#, "{}", "[]", r#"{"op":7}"#, "null"] {
            assert!(serde_json::from_str::<T>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_message_reads_back_and_an_unknown_one_is_an_error() {
        let (v, lease) = (1, 9);
        let names = || ("ada".to_owned(), "isle".to_owned());
        let ((account, game), room) = (names(), "one".to_owned());
        reads_back(&[
            LobbyRequest::Grant { v, account: account.clone(), game: game.clone(), room: room.clone() },
            LobbyRequest::Copy(copy()),
            LobbyRequest::Return(Copy { body: None, ..copy() }),
            LobbyRequest::Confirm {
                v,
                account: account.clone(),
                game: game.clone(),
                room: room.clone(),
                lease,
            },
            LobbyRequest::Break { v, account: account.clone(), game: game.clone(), force: true },
            LobbyRequest::Look { v, account: account.clone(), game: game.clone() },
            LobbyRequest::Forget { v, account: account.clone(), game: game.clone() },
        ]);
        let sight = Sight { held: false, room, since: 5, body: copy().body };
        reads_back(&[
            LobbyAnswer::Granted { lease, body: copy().body },
            LobbyAnswer::Granted { lease, body: None },
            LobbyAnswer::Busy,
            LobbyAnswer::Away,
            LobbyAnswer::Done,
            LobbyAnswer::Revoked { lease },
            LobbyAnswer::Home,
            LobbyAnswer::Waits { force_at_ms: 8 },
            LobbyAnswer::Forced,
            LobbyAnswer::Gone,
            LobbyAnswer::Seen { sight: None },
            LobbyAnswer::Seen { sight: Some(sight) },
        ]);
        reads_back(&[
            TableRequest::Release { v, account: account.clone(), game: game.clone(), lease },
            TableRequest::Revoke { v, account, game, lease },
        ]);
        reads_back(&[TableAnswer::Released(Box::new(copy())), TableAnswer::Absent, TableAnswer::Busy]);
    }

    #[test]
    fn a_message_is_one_flat_object_and_keys_of_a_later_version_are_passed_over() {
        let text = serde_json::to_string(&LobbyRequest::Return(copy())).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&value["op"], &value["lease"], &value["seq"]), (&json!("return"), &json!(3), &json!(4)));
        let later = text.replace("{\"op\"", "{\"sealed\":true,\"op\"");
        assert_eq!(serde_json::from_str::<LobbyRequest>(&later).ok(), Some(LobbyRequest::Return(copy())));
    }
}
