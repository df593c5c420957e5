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
    use crate::wire::client_message::Build;
    use crate::wire::describe::{GameInfo, game_info, tests::schema};

    fn welcome(
        (you, hz): (Option<You>, Option<u32>),
        (map, camera): (MapInfo, CameraInfo),
        areas: Vec<AreaInfo>,
        roster: Vec<RosterRow>,
        round: RoundInfo,
    ) -> ServerMessage {
        let mut schema = schema();
        schema.kinds.push(crate::rules::schema::KindSpec { name: "sky", shared: true, ..schema.kinds[1] });
        let game = GameInfo { map, camera, ..game_info(&schema) };
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
            actions: game.actions,
            kinds: game.kinds,
            shared_kinds: game.shared_kinds,
            map: game.map,
            camera: game.camera,
            fx: game.effects,
            areas,
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

    fn a_number() -> impl Strategy<Value = f64> {
        any::<i16>().prop_map(|steps| metres(i32::from(steps)))
    }

    fn a_map() -> impl Strategy<Value = MapInfo> {
        let shape = prop_oneof![
            [a_number(), a_number(), a_number(), a_number()].prop_map(ShapeInfo::Box),
            [a_number(), a_number(), a_number()].prop_map(ShapeInfo::Disc),
            prop::collection::vec([a_number(), a_number()], 0..5).prop_map(ShapeInfo::Polygon),
            [a_number(), a_number(), a_number(), a_number(), a_number(), a_number()]
                .prop_map(ShapeInfo::Block),
            [a_number(), a_number(), a_number(), a_number()].prop_map(ShapeInfo::Sphere),
        ];
        (prop::collection::vec(a_number(), 2..4), prop::collection::vec(shape, 0..6))
            .prop_map(|(size, shapes)| MapInfo { size, ground: "grass".to_owned(), shapes })
    }

    fn a_camera() -> impl Strategy<Value = CameraInfo> {
        prop_oneof![
            Just(CameraInfo::Whole),
            a_number().prop_map(|metres| CameraInfo::Follow { metres }),
            ([a_number(), a_number()], a_number()).prop_map(|(at, metres)| CameraInfo::Fixed { at, metres }),
        ]
    }

    fn some_areas() -> impl Strategy<Value = Vec<AreaInfo>> {
        let area = (any::<u32>(), "\\PC{0,9}", [a_number(), a_number(), a_number()], any::<Option<u32>>())
            .prop_map(|(id, name, [x, y, radius], ends_at)| AreaInfo(id, name, x, y, radius, ends_at));
        prop::collection::vec(area, 0..3)
    }

    fn some_effects() -> impl Strategy<Value = Vec<FxRow>> {
        let row = ("[a-z]{1,8}", a_number(), a_number(), prop::option::of(a_number()))
            .prop_map(|(name, x, y, z)| FxRow(name, x, y, z));
        prop::collection::vec(row, 0..4)
    }

    fn a_welcome() -> impl Strategy<Value = ServerMessage> {
        let you = (any::<u16>(), any::<u32>(), "[a-z]{0,22}", any::<bool>(), any::<u32>())
            .prop_map(|(seat, occ, token, back, n)| You { seat, occ, token, back, n });
        let who = (prop::option::of(you), prop::option::of(any::<u32>()));
        (who, (a_map(), a_camera()), some_areas(), a_roster(), a_round())
            .prop_map(|(who, shown, areas, roster, round)| welcome(who, shown, areas, roster, round))
    }

    fn a_message() -> impl Strategy<Value = ServerMessage> {
        prop_oneof![
            a_welcome(),
            (any::<u32>(), some_areas()).prop_map(|(k, a)| ServerMessage::Areas { k, a }),
            (any::<i32>(), any::<u64>(), any::<u32>()).prop_map(|(c, st, k)| ServerMessage::Pong(Pong {
                c: f64::from(c),
                st,
                k
            })),
            (any::<u32>(), a_roster()).prop_map(|(k, roster)| ServerMessage::Roster { k, roster }),
            (any::<u32>(), a_round()).prop_map(|(k, round)| ServerMessage::Round { k, round }),
            (any::<u32>(), some_effects()).prop_map(|(k, fx)| ServerMessage::Fx { k, fx }),
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
    fn rows_of_areas_and_effects_are_written_as_the_protocol_says() {
        let area =
            AreaRow { id: 3, name: "fog".to_owned(), at: [512, -256, 0], radius: 1_024, ends_at: None };
        let areas = ServerMessage::Areas { k: 7, a: vec![AreaInfo::of(&area)] };
        assert_eq!(areas.to_json(), r#"{"t":"areas","k":7,"a":[[3,"fog",1.0,-0.5,2.0,null]]}"#);
        let hit = Effect { name: "hit", at: [512, 0, 256] };
        let fx = ServerMessage::Fx { k: 7, fx: vec![FxRow::of(&hit, false), FxRow::of(&hit, true)] };
        assert_eq!(fx.to_json(), r#"{"t":"fx","k":7,"fx":[["hit",1.0,0.0],["hit",1.0,0.0,0.5]]}"#);
    }

    #[test]
    fn a_welcome_without_the_keys_of_this_revision_is_read() {
        let round = RoundInfo { n: 1, live: 1, ends_at: None, results: vec![] };
        let shown = (MapInfo::default(), CameraInfo::Follow { metres: 9.0 });
        let text = welcome((Some(You::default()), Some(20)), shown, vec![], vec![], round).to_json();
        let mut old: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for key in ["actions", "sharedKinds", "camera", "areas", "shared"] {
            old.as_object_mut().expect("an object").remove(key).expect("one of this revision");
        }
        old["you"].as_object_mut().expect("a player's").remove("n");
        let ServerMessage::Welcome(read) = ServerMessage::parse(&old.to_string()).expect("a welcome") else {
            panic!("a welcome")
        };
        assert_eq!(
            (read.camera, read.actions.len(), read.you.map(|you| you.n)),
            (CameraInfo::Whole, 0, Some(0))
        );
    }

    #[test]
    fn a_spectator_is_told_so_with_null() {
        let round = RoundInfo { n: 1, live: 1, ends_at: None, results: vec![] };
        let shown = (MapInfo::default(), CameraInfo::Whole);
        let text = welcome((None, None), shown, vec![], vec![], round).to_json();
        assert!(text.contains(r#""hz":null"#));
        assert!(text.contains(r#""you":null"#) && text.contains(r#""round":{"n":1,"live":1,"endsAt":null}"#));
    }
}
