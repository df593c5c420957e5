//! What a room says, but for welcomes (`welcome.rs`) and snapshots (`snap.rs`): pong, roster, round, shared state,
//! effects, areas, talk, answers, bye.
//!
//! One set of types for both ends: the host fills and writes them, the client reads them.

use serde::{Deserialize, Serialize};

use crate::rules::face::{AreaRow, Effect};
use crate::wire::place::{Place, metres};
use crate::wire::snap::Snap;
pub use crate::wire::welcome::{
    ActionInfo, ArgInfo, CameraInfo, EffectInfo, FieldInfo, InputInfo, KindInfo, MapInfo, ShapeInfo,
    SharedInfo, TypeInfo, Welcome, You,
};

/// A message from a room.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub enum ServerMessage {
    Welcome(Box<Welcome>),
    Snap(Snap),
    Pong(Pong),
    Roster {
        k: u32,
        roster: Vec<RosterRow>,
    },
    Round {
        k: u32,
        round: RoundInfo,
    },
    /// What the room shares with everyone, whole, whenever it changes.
    Shared {
        k: u32,
        shared: serde_json::Map<String, serde_json::Value>,
    },
    /// Effects of one tick.
    Fx {
        k: u32,
        fx: Vec<FxRow>,
    },
    /// Every area there is, whenever that changes.
    Areas {
        k: u32,
        a: Vec<AreaInfo>,
    },
    Say {
        seat: u16,
        text: String,
    },
    /// The answer to an action of this client's seat: its number, and why not.
    Did {
        n: u32,
        k: u32,
        ok: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    Bye {
        code: u16,
        reason: String,
    },
}

impl ServerMessage {
    /// Reads one text message of a room.
    ///
    /// # Errors
    /// No JSON, an unknown type, a missing key or a value of the wrong type. Unknown keys are ignored.
    pub fn parse(text: &str) -> serde_json::Result<ServerMessage> {
        serde_json::from_str(text)
    }

    /// Writes the message as a room sends it.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Structs with text keys: serde_json has nothing to refuse.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct RosterRow {
    pub seat: u16,
    pub name: String,
    /// `person`, `bot` or `ai`.
    pub driver: String,
    /// Its connection is lost; the seat is kept for its grace.
    pub away: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundInfo {
    pub n: u32,
    /// 1 or 0.
    pub live: u8,
    /// A tick; null for a round without end.
    pub ends_at: Option<u32>,
    /// Of the round that is over: seat, score, place each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<(u16, i32, u16)>,
}

/// An effect: `[name,x,y]`, and z on a map with height. Metres.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FxRow(
    pub String,
    pub f64,
    pub f64,
    #[serde(default, skip_serializing_if = "Option::is_none")] pub Option<f64>,
);

impl FxRow {
    /// An effect as it is shown on a map with or without height.
    #[must_use]
    pub fn of(effect: &Effect, has_height: bool) -> FxRow {
        let Place(x, y, z) = Place::of(effect.at, has_height);
        FxRow(effect.name.to_owned(), x, y, z)
    }
}

/// A disc on the ground: `[id,name,x,y,radius,endsAt]`, metres; it ends at a tick, or not by itself.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct AreaInfo(pub u32, pub String, pub f64, pub f64, pub f64, pub Option<u32>);

impl AreaInfo {
    #[must_use]
    pub fn of(area: &AreaRow) -> AreaInfo {
        let [x, y, _] = area.at.map(metres);
        AreaInfo(area.id, area.name.clone(), x, y, metres(area.radius), area.ends_at.map(|tick| tick.0))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Pong {
    /// The ping's own `c`.
    pub c: f64,
    /// The server's clock, milliseconds since 1970.
    pub st: u64,
    pub k: u32,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::describe::{game_info, tests::schema};

    fn welcome(you: Option<You>, hz: Option<u32>, roster: Vec<RosterRow>, round: RoundInfo) -> ServerMessage {
        let game = game_info(&schema());
        ServerMessage::Welcome(Box::new(Welcome {
            v: 1,
            rev: 1,
            schema: game.hash(),
            room: "x".to_owned(),
            game: "arena".to_owned(),
            hz,
            e: 2,
            k: 9,
            st: 1_700_000_000_000,
            you,
            build: Build { id: "b".to_owned(), at: 5 },
            inputs: game.inputs,
            kinds: game.kinds,
            map: game.map,
            fx: game.effects,
            roster,
            round,
            shared: serde_json::Map::new(),
        }))
    }

    fn a_round() -> impl Strategy<Value = RoundInfo> {
        let results = prop::collection::vec((any::<u16>(), any::<i32>(), any::<u16>()), 0..3);
        (any::<u32>(), 0..2u8, prop::option::of(any::<u32>()), results)
            .prop_map(|(n, live, ends_at, results)| RoundInfo { n, live, ends_at, results })
    }

    fn a_roster() -> impl Strategy<Value = Vec<RosterRow>> {
        let row = (any::<u16>(), "\\PC{0,9}", any::<bool>()).prop_map(|(seat, name, away)| RosterRow {
            seat,
            name,
            driver: "person".to_owned(),
            away,
        });
        prop::collection::vec(row, 0..3)
    }

    fn a_message() -> impl Strategy<Value = ServerMessage> {
        let you = (any::<u16>(), any::<u32>(), "[a-z]{0,22}", any::<bool>())
            .prop_map(|(seat, occ, token, back)| You { seat, occ, token, back });
        let effects =
            prop::collection::vec(("[a-z]{1,8}", any::<i16>(), any::<i16>()), 0..4).prop_map(|fx| {
                let metres = |steps| crate::wire::snap::metres(i32::from(steps));
                fx.into_iter().map(|(name, x, y)| (name, metres(x), metres(y))).collect()
            });
        prop_oneof![
            (prop::option::of(you), prop::option::of(any::<u32>()), a_roster(), a_round())
                .prop_map(|(you, hz, roster, round)| welcome(you, hz, roster, round)),
            (any::<i32>(), any::<u64>(), any::<u32>()).prop_map(|(c, st, k)| ServerMessage::Pong(Pong {
                c: f64::from(c),
                st,
                k
            })),
            (any::<u32>(), a_roster()).prop_map(|(k, roster)| ServerMessage::Roster { k, roster }),
            (any::<u32>(), a_round()).prop_map(|(k, round)| ServerMessage::Round { k, round }),
            (any::<u32>(), effects).prop_map(|(k, fx)| ServerMessage::Fx { k, fx }),
            (any::<u16>(), "\\PC{0,20}").prop_map(|(seat, text)| ServerMessage::Say { seat, text }),
            (any::<u32>(), any::<u32>(), prop::option::of("\\PC{0,20}"))
                .prop_map(|(n, k, why)| ServerMessage::Did { n, k, ok: why.is_none(), why }),
            (4000..4022u16, "\\PC{0,20}").prop_map(|(code, reason)| ServerMessage::Bye { code, reason }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(message in a_message()) {
            prop_assert_eq!(ServerMessage::parse(&message.to_json()).expect("our own"), message);
        }

        /// F18
        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
            let _ = ServerMessage::parse(&text);
        }
    }

    #[test]
    fn keys_of_later_revisions_are_ignored_and_unknown_types_are_errors() {
        let pong = ServerMessage::parse(r#"{"t":"pong","c":1,"st":2,"k":3,"later":{}}"#);
        assert_eq!(pong.expect("a pong"), ServerMessage::Pong(Pong { c: 1.0, st: 2, k: 3 }));
        let snap =
            r#"{"t":"snap","e":1,"k":2,"st":3,"d":[[1,1,null],[]],"c":[[0,0,null,null]],"hb":1,"later":0}"#;
        let snap = ServerMessage::parse(snap).expect("a snap");
        assert!(matches!(snap, ServerMessage::Snap(snap) if snap.hb == Some(1)));
        assert!(ServerMessage::parse(r#"{"t":"warp"}"#).is_err());
    }

    #[test]
    fn a_spectator_is_told_so_with_null() {
        let round = RoundInfo { n: 1, live: 1, ends_at: None, results: vec![] };
        let text = welcome(None, Some(20), vec![], round).to_json();
        assert!(text.contains(r#""you":null"#) && text.contains(r#""round":{"n":1,"live":1,"endsAt":null}"#));
    }
}
