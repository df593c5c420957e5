//! A game with everything that can be declared, which the tests of the wire share; and how it is described.

use serde_json::{Value, json};

use super::*;
use crate::rules::schema::Room;
use crate::rules::vec2::Vec2;

const INT: FieldType = FieldType::Int { min: 0, max: 100 };
const SUITS: &[&str] = &["club", "heart"];

const FIGHTER: &[FieldSpec] = &[
    FieldSpec { hud: true, ..FieldSpec::plain("hp", INT) },
    FieldSpec::plain("armed", FieldType::Bool),
    FieldSpec::plain("speed", FieldType::Real { min: 0, max: 8, per_unit: 2 }),
    FieldSpec { local: true, ..FieldSpec::plain("cooldown", FieldType::Int { min: 0, max: 9 }) },
    FieldSpec { private: true, ..FieldSpec::plain("ammo", INT) },
];

/// A field of each type.
pub const EACH: &[FieldSpec] = &[
    FieldSpec::plain("bool", FieldType::Bool),
    FieldSpec { score: true, ..FieldSpec::plain("int", FieldType::Int { min: -5, max: 5 }) },
    FieldSpec::plain("real", FieldType::Real { min: -1, max: 1, per_unit: 4 }),
    FieldSpec::plain("vector", FieldType::Vector { max: 3, per_unit: 10 }),
    FieldSpec::plain("angle", FieldType::Angle),
    FieldSpec::plain("enum", FieldType::Choice { names: SUITS }),
    FieldSpec::plain("text", FieldType::Text { chars: 6 }),
    FieldSpec::plain("seat", FieldType::Seat),
    FieldSpec::plain("body", FieldType::Body),
    FieldSpec::plain("list", FieldType::List { of: &FieldType::Vector { max: 3, per_unit: 10 }, max: 4 }),
    FieldSpec::plain("texts", FieldType::List { of: &FieldType::Text { chars: 3 }, max: 2 }),
];

/// An action with an argument of each type, and one without any.
pub const ACTIONS: &[ActionSpec] = &[
    ActionSpec { name: "pass", args: &[] },
    ActionSpec { name: "play", args: &[ArgSpec { name: "card", ty: FieldType::Int { min: 0, max: 51 } }] },
    ActionSpec {
        name: "each",
        args: &[
            ArgSpec { name: "bool", ty: EACH[0].ty },
            ArgSpec { name: "int", ty: EACH[1].ty },
            ArgSpec { name: "real", ty: EACH[2].ty },
            ArgSpec { name: "vector", ty: EACH[3].ty },
            ArgSpec { name: "angle", ty: EACH[4].ty },
            ArgSpec { name: "enum", ty: EACH[5].ty },
            ArgSpec { name: "text", ty: EACH[6].ty },
            ArgSpec { name: "seat", ty: EACH[7].ty },
            ArgSpec { name: "body", ty: EACH[8].ty },
            ArgSpec { name: "list", ty: EACH[9].ty },
            ArgSpec { name: "texts", ty: EACH[10].ty },
        ],
    },
];

/// A control of each type.
pub const PAD: &[ControlSpec] = &[
    ControlSpec { name: "move", how: ControlType::Stick },
    ControlSpec { name: "fire", how: ControlType::Button },
    ControlSpec { name: "aim", how: ControlType::Aim },
    ControlSpec { name: "gear", how: ControlType::Int { min: 1, max: 5 } },
    ControlSpec { name: "tilt", how: ControlType::Int { min: i16::MIN, max: i16::MAX } },
    ControlSpec { name: "tool", how: ControlType::Choice { names: &["axe", "bow", "rope"] } },
];

const SHAPES: &[Shape] = &[Shape::block(1.0, 2.0, 4.0, 6.0), Shape::disc(0.0, 0.0, 1.5)];

/// Kinds: `fighter` (bodies), `chest` (bodies, a field of each type).
pub fn schema() -> Schema {
    let fighter = KindSpec {
        name: "fighter",
        player: true,
        bar: Some("hp"),
        look: "disc #4af",
        fields: FIGHTER,
        ..KindSpec::PLAIN
    };
    let chest = KindSpec { name: "chest", fields: EACH, ..KindSpec::PLAIN };
    Schema {
        kinds: vec![fighter, chest],
        controls: PAD.to_vec(),
        actions: ACTIONS,
        room: Room::rounds(120).map(Map::flat(40, 20).shapes(SHAPES)).effects(&[("hit", "burst #f44")]),
    }
}

fn as_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("JSON")
}

#[test]
fn a_game_is_described_in_its_own_units() {
    let info = game_info(&schema());
    assert_eq!(info.map.size, [40.0, 20.0]);
    assert_eq!(info.map.shapes, [ShapeInfo::Box([1.0, 2.0, 2.0, 3.0]), ShapeInfo::Disc([0.0, 0.0, 1.5])]);
    assert_eq!((info.hz, info.camera), (Some(20), CameraInfo::Whole));
    assert_eq!(
        as_json(&info.kinds[0]),
        json!({"name": "fighter", "player": true, "radius": 0.5, "look": "disc #4af", "bar": "hp", "fields": [
            {"name": "hp", "type": "int", "min": 0, "max": 100, "hud": true},
            {"name": "armed", "type": "bool"},
            {"name": "speed", "type": "real", "min": 0, "max": 8, "step": 0.5},
            {"name": "ammo", "type": "int", "min": 0, "max": 100, "private": true},
        ]})
    );
}

#[test]
fn each_type_of_field_and_argument_is_described() {
    let info = game_info(&schema());
    let vector = json!({"type": "vector", "min": -3, "max": 3, "step": 0.1});
    let each = json!([
        {"name": "bool", "type": "bool"},
        {"name": "int", "type": "int", "min": -5, "max": 5},
        {"name": "real", "type": "real", "min": -1, "max": 1, "step": 0.25},
        {"name": "vector", "type": "vector", "min": -3, "max": 3, "step": 0.1},
        {"name": "angle", "type": "angle"},
        {"name": "enum", "type": "enum", "names": ["club", "heart"]},
        {"name": "text", "type": "text", "chars": 6},
        {"name": "seat", "type": "seat"},
        {"name": "body", "type": "body"},
        {"name": "list", "type": "list", "max": 4, "of": vector},
        {"name": "texts", "type": "list", "max": 2, "of": {"type": "text", "chars": 3}},
    ]);
    assert_eq!(as_json(&info.actions[2].args), each);
    let mut fields = each.clone();
    fields[1]["score"] = json!(true);
    assert_eq!(as_json(&info.kinds[1].fields), fields);
    let card = json!([{"name": "card", "type": "int", "min": 0, "max": 51}]);
    assert_eq!(
        as_json(&&info.actions[..2]),
        json!([{"name": "pass", "args": []}, {"name": "play", "args": card}])
    );
}

#[test]
fn each_control_is_described() {
    let expected = json!([
        {"name": "move", "how": "stick"},
        {"name": "fire", "how": "button"},
        {"name": "aim", "how": "aim"},
        {"name": "gear", "how": "int", "min": 1, "max": 5},
        {"name": "tilt", "how": "int", "min": -32_768, "max": 32_767},
        {"name": "tool", "how": "enum", "names": ["axe", "bow", "rope"]},
    ]);
    assert_eq!(as_json(&game_info(&schema()).inputs), expected);
}

#[test]
fn what_a_kind_says_of_itself_is_passed_on() {
    let mut kind = schema().kinds[0];
    (kind.speed, kind.turn, kind.solid, kind.owner_moved) = (6.0, 3.0, true, true);
    (kind.label, kind.bar) = (Some("speed"), Some("cooldown"));
    let shown = as_json(&kind_info(&kind));
    assert_eq!(
        [&shown["speed"], &shown["turn"], &shown["solid"], &shown["owned"], &shown["label"]],
        [&json!(6.0), &json!(3.0), &json!(true), &json!(true), &json!("speed")]
    );
    assert!(!shown.to_string().contains("cooldown"), "a local field is never spoken of");
}

#[test]
fn shared_kinds_are_no_bodies_to_draw() {
    let mut schema = schema();
    let shared = KindSpec { name: "weather", player: false, shared: true, ..schema.kinds[0] };
    schema.kinds.insert(0, shared);
    let info = game_info(&schema);
    let names: Vec<&str> = info.kinds.iter().map(|kind| kind.name.as_str()).collect();
    assert_eq!(names, ["fighter", "chest"]);
    let fields: Vec<&str> = info.shared_kinds[0].fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!((info.shared_kinds[0].name.as_str(), fields), ("weather", vec!["hp", "armed", "speed"]));
}

#[test]
fn an_event_driven_game_has_no_ticks() {
    let mut schema = schema();
    schema.room.pace = Pace::OnEvent;
    assert_eq!(game_info(&schema).hz, None);
}

#[test]
fn cameras_are_told_apart() {
    let fixed = camera_info(Camera::Fixed(Vec2::new(1.0, -2.0), 30.0));
    assert_eq!(as_json(&camera_info(Camera::Whole)), json!({"how": "whole"}));
    assert_eq!(as_json(&camera_info(Camera::Follow(25.0))), json!({"how": "follow", "metres": 25.0}));
    assert_eq!(as_json(&fixed), json!({"how": "fixed", "at": [1.0, -2.0], "metres": 30.0}));
}

#[test]
fn the_hash_follows_all_that_is_shown() {
    let hash = |change: &dyn Fn(&mut Schema)| {
        let mut schema = schema();
        change(&mut schema);
        game_info(&schema).hash()
    };
    let mut hashes = vec![
        hash(&|_| {}),
        hash(&|s| s.kinds[0].radius = 0.6),
        hash(&|s| s.kinds[0].speed = 6.0),
        hash(&|s| s.kinds[1].shared = true),
        hash(&|s| s.actions = &ACTIONS[..1]),
        hash(&|s| s.controls.truncate(5)),
        hash(&|s| s.room.pace = Pace::OnEvent),
        hash(&|s| s.room.hz = 30),
        hash(&|s| s.room.camera = Camera::Follow(9.0)),
        hash(&|s| s.room.effects = &[]),
        hash(&|s| s.room.map.ground = "grass"),
    ];
    assert_eq!(hash(&|_| {}), hashes[0]);
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 11);
}
