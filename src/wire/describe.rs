//! What a game declares, as its welcome shows it: the page draws from this and holds no game.
//!
//! Wire types are twins of the rules' types; this is where the one becomes the other.

use xxhash_rust::xxh64::xxh64;

use crate::rules::map::{Map, Shape};
use crate::rules::schema::{ControlSpec, FieldSpec, FieldType, KindSpec, Schema};
use crate::wire::server_message::{EffectInfo, FieldInfo, InputInfo, KindInfo, MapInfo, ShapeInfo};

/// What a welcome says of the game: made once per room.
#[derive(Clone, Debug, PartialEq)]
pub struct GameInfo {
    pub inputs: Vec<InputInfo>,
    pub kinds: Vec<KindInfo>,
    pub map: MapInfo,
    pub effects: Vec<EffectInfo>,
}

/// Describes a whole game.
#[must_use]
pub fn game_info(schema: &Schema) -> GameInfo {
    GameInfo {
        inputs: schema.controls.iter().map(input_info).collect(),
        kinds: schema.kinds.iter().filter(|kind| !kind.shared).map(kind_info).collect(),
        map: map_info(&schema.room.map),
        effects: schema.room.effects.iter().map(effect_info).collect(),
    }
}

impl GameInfo {
    /// Hash of what a client works from, hexadecimal: another one means that a client must not use what it
    /// kept.
    #[must_use]
    pub fn hash(&self) -> String {
        let shown = (&self.inputs, &self.kinds, &self.map, &self.effects);
        // Text keys and finite numbers only: serde_json has nothing to refuse.
        let text = serde_json::to_string(&shown).unwrap_or_default();
        format!("{:016x}", xxh64(text.as_bytes(), 0))
    }
}

#[must_use]
pub fn input_info(control: &ControlSpec) -> InputInfo {
    InputInfo { name: control.name.to_owned(), how: control.how.name().to_owned() }
}

#[must_use]
pub fn kind_info(kind: &KindSpec) -> KindInfo {
    KindInfo {
        name: kind.name.to_owned(),
        player: kind.player,
        radius: kind.radius,
        look: kind.look.to_owned(),
        bar: kind.bar.map(str::to_owned),
        fields: kind.fields.iter().filter(|field| field.is_public()).map(field_info).collect(),
    }
}

fn field_info(field: &FieldSpec) -> FieldInfo {
    let (ty, min, max) = match field.ty {
        FieldType::Bool => ("bool", None, None),
        FieldType::Int { min, max } => ("int", Some(min), Some(max)),
        FieldType::Real { min, max, .. } => ("real", Some(min), Some(max)),
        FieldType::Vector { max, .. } => ("vector", Some(-max), Some(max)),
        FieldType::Angle => ("angle", None, None),
        FieldType::Choice { .. } => ("enum", None, None),
        FieldType::Text { .. } => ("text", None, None),
        FieldType::Seat => ("seat", None, None),
        FieldType::Body => ("body", None, None),
        FieldType::List { .. } => ("list", None, None),
    };
    FieldInfo {
        name: field.name.to_owned(),
        ty: ty.to_owned(),
        min: min.map(f64::from),
        max: max.map(f64::from),
        score: field.score,
    }
}

#[must_use]
pub fn map_info(map: &Map) -> MapInfo {
    let shape = |shape: &Shape| match *shape {
        Shape::Box { centre, half } => ShapeInfo::Box([centre.x, centre.y, half.x, half.y]),
        Shape::Disc { centre, radius } => ShapeInfo::Disc([centre.x, centre.y, radius]),
    };
    MapInfo {
        size: [map.half.x * 2.0, map.half.y * 2.0],
        ground: map.ground.to_owned(),
        shapes: map.shapes.iter().map(shape).collect(),
    }
}

fn effect_info(effect: &(&'static str, &'static str)) -> EffectInfo {
    EffectInfo { name: effect.0.to_owned(), look: effect.1.to_owned() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::rules::schema::{ControlType, Room};

    const fn field(name: &'static str, ty: FieldType) -> FieldSpec {
        FieldSpec { name, ty, durable: false, score: false, local: false }
    }

    const FIGHTER: &[FieldSpec] = &[
        field("hp", FieldType::Int { min: 0, max: 100 }),
        field("armed", FieldType::Bool),
        field("speed", FieldType::Real { min: 0, max: 8, per_unit: 2 }),
        FieldSpec { local: true, ..field("cooldown", FieldType::Int { min: 0, max: 9 }) },
    ];
    const SHAPES: &[Shape] = &[Shape::block(1.0, 2.0, 4.0, 6.0), Shape::disc(0.0, 0.0, 1.5)];

    /// A game with every type of field and shape.
    pub fn schema() -> Schema {
        let look = "disc #4af";
        Schema {
            kinds: vec![KindSpec {
                name: "fighter",
                player: true,
                shared: false,
                radius: 0.5,
                look,
                bar: Some("hp"),
                fields: FIGHTER,
            }],
            controls: vec![ControlSpec { name: "move", how: ControlType::Stick }],
            room: Room::rounds(120).map(Map::flat(40, 20).shapes(SHAPES)).effects(&[("hit", "burst #f44")]),
        }
    }

    #[test]
    fn a_game_is_described_in_its_own_units() {
        let info = game_info(&schema());
        assert_eq!(info.inputs, [InputInfo { name: "move".to_owned(), how: "stick".to_owned() }]);
        assert_eq!(info.map.size, [40.0, 20.0]);
        assert_eq!(info.map.shapes, [ShapeInfo::Box([1.0, 2.0, 2.0, 3.0]), ShapeInfo::Disc([0.0, 0.0, 1.5])]);
        let text = serde_json::to_string(&info.kinds[0].fields).expect("JSON");
        let (hp, armed) =
            (r#"{"name":"hp","type":"int","min":0.0,"max":100.0}"#, r#"{"name":"armed","type":"bool"}"#);
        assert_eq!(text, format!(r#"[{hp},{armed},{{"name":"speed","type":"real","min":0.0,"max":8.0}}]"#));
    }

    #[test]
    fn shared_kinds_are_no_bodies_to_draw() {
        let mut schema = schema();
        let shared = KindSpec { name: "weather", player: false, shared: true, ..schema.kinds[0] };
        schema.kinds.insert(0, shared);
        let names: Vec<String> = game_info(&schema).kinds.into_iter().map(|kind| kind.name).collect();
        assert_eq!(names, ["fighter"]);
    }

    #[test]
    fn the_hash_follows_what_is_shown() {
        let mut other = schema();
        other.kinds[0].radius = 0.6;
        assert_eq!(game_info(&schema()).hash(), game_info(&schema()).hash());
        assert_ne!(game_info(&schema()).hash(), game_info(&other).hash());
    }
}
