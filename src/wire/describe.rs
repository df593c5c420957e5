//! What a game declares, as its welcome shows it: the page draws from this and holds no game.
//!
//! Wire types are twins of the rules' types; this is where the one becomes the other.

use xxhash_rust::xxh64::xxh64;

use crate::rules::map::{Map, Shape};
use crate::rules::schema::{
    ActionSpec, ArgSpec, Camera, ControlSpec, ControlType, FieldSpec, FieldType, KindSpec, Pace, Schema,
};
use crate::wire::server_message::{
    ActionInfo, ArgInfo, CameraInfo, EffectInfo, FieldInfo, InputInfo, KindInfo, MapInfo, ShapeInfo,
    SharedInfo, TypeInfo,
};

/// What a welcome says of the game: made once per room.
#[derive(Clone, Debug, PartialEq)]
pub struct GameInfo {
    /// None in an event-driven game.
    pub hz: Option<u32>,
    pub inputs: Vec<InputInfo>,
    pub actions: Vec<ActionInfo>,
    pub kinds: Vec<KindInfo>,
    pub shared_kinds: Vec<SharedInfo>,
    pub map: MapInfo,
    pub camera: CameraInfo,
    pub effects: Vec<EffectInfo>,
}

/// Describes a whole game.
#[must_use]
pub fn game_info(schema: &Schema) -> GameInfo {
    let (shared, bodies): (Vec<&KindSpec>, Vec<&KindSpec>) =
        schema.kinds.iter().partition(|kind| kind.shared);
    GameInfo {
        hz: (schema.room.pace == Pace::Ticks).then_some(schema.room.hz),
        inputs: schema.controls.iter().map(input_info).collect(),
        actions: schema.actions.iter().map(action_info).collect(),
        kinds: bodies.into_iter().map(kind_info).collect(),
        shared_kinds: shared.into_iter().map(shared_info).collect(),
        map: map_info(&schema.room.map),
        camera: camera_info(schema.room.camera),
        effects: schema.room.effects.iter().map(effect_info).collect(),
    }
}

impl GameInfo {
    /// Hash of what a client works from, hexadecimal: another one means that a client must not use what it
    /// kept.
    #[must_use]
    pub fn hash(&self) -> String {
        let GameInfo { hz, inputs, actions, kinds, shared_kinds, map, camera, effects } = self;
        let shown = (hz, inputs, actions, kinds, shared_kinds, map, camera, effects);
        // Text keys and finite numbers only: serde_json has nothing to refuse.
        let text = serde_json::to_string(&shown).unwrap_or_default();
        format!("{:016x}", xxh64(text.as_bytes(), 0))
    }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[must_use]
pub fn input_info(control: &ControlSpec) -> InputInfo {
    let (name, how) = (control.name.to_owned(), control.how.name().to_owned());
    match control.how {
        ControlType::Int { min, max } => {
            InputInfo { name, how, min: Some(min), max: Some(max), ..InputInfo::default() }
        }
        ControlType::Choice { names } => InputInfo { name, how, names: texts(names), ..InputInfo::default() },
        ControlType::Stick | ControlType::Aim | ControlType::Button => {
            InputInfo { name, how, ..InputInfo::default() }
        }
    }
}

#[must_use]
pub fn action_info(action: &ActionSpec) -> ActionInfo {
    let arg = |arg: &ArgSpec| ArgInfo { name: arg.name.to_owned(), ty: type_info(arg.ty) };
    ActionInfo { name: action.name.to_owned(), args: action.args.iter().map(arg).collect() }
}

/// Local fields are never spoken of; private ones are declared to everyone.
#[must_use]
pub fn kind_info(kind: &KindSpec) -> KindInfo {
    let named = |name: Option<&str>| {
        let is_shown = |name: &&str| kind.fields.iter().any(|field| field.name == *name && !field.local);
        name.filter(is_shown).map(str::to_owned)
    };
    KindInfo {
        name: kind.name.to_owned(),
        player: kind.player,
        radius: kind.radius,
        look: kind.look.to_owned(),
        label: named(kind.label),
        bar: named(kind.bar),
        speed: (kind.speed > 0.0).then_some(kind.speed),
        turn: (kind.turn > 0.0).then_some(kind.turn),
        solid: kind.solid,
        owned: kind.owner_moved,
        fields: kind.fields.iter().filter(|field| !field.local).map(field_info).collect(),
    }
}

/// The room's row is nobody's own, so what is private in it is shown to nobody.
fn shared_info(kind: &KindSpec) -> SharedInfo {
    let fields = kind.fields.iter().filter(|field| field.is_public()).map(field_info).collect();
    SharedInfo { name: kind.name.to_owned(), fields }
}

fn field_info(field: &FieldSpec) -> FieldInfo {
    let (score, private, hud) = (field.score, field.private, field.hud);
    FieldInfo { name: field.name.to_owned(), ty: type_info(field.ty), score, private, hud }
}

#[must_use]
pub fn type_info(ty: FieldType) -> TypeInfo {
    let plain = |name: &str| TypeInfo { ty: name.to_owned(), ..TypeInfo::default() };
    let step = |per_unit: i32| Some(1.0 / f64::from(per_unit.max(1)));
    match ty {
        FieldType::Bool => plain("bool"),
        FieldType::Int { min, max } => TypeInfo { min: Some(min), max: Some(max), ..plain("int") },
        FieldType::Real { min, max, per_unit } => {
            TypeInfo { min: Some(min), max: Some(max), step: step(per_unit), ..plain("real") }
        }
        FieldType::Vector { max, per_unit } => {
            TypeInfo { min: Some(-max), max: Some(max), step: step(per_unit), ..plain("vector") }
        }
        FieldType::Angle => plain("angle"),
        FieldType::Choice { names } => TypeInfo { names: texts(names), ..plain("enum") },
        FieldType::Text { chars } => TypeInfo { chars: Some(chars), ..plain("text") },
        FieldType::Seat => plain("seat"),
        FieldType::Body => plain("body"),
        FieldType::List { of, max } => {
            let of = Some(Box::new(type_info(*of)));
            TypeInfo { max: Some(i32::from(max)), of, ..plain("list") }
        }
    }
}

/// Whether positions on this map have a third axis.
#[must_use]
pub fn has_height(map: &Map) -> bool {
    height(map).is_some()
}

/// Metres from the ground up to the ceiling; none on a flat map.
fn height(map: &Map) -> Option<f64> {
    (map.depth > 0.0).then_some(map.depth)
}

#[must_use]
pub fn map_info(map: &Map) -> MapInfo {
    let shape = |shape: &Shape| match *shape {
        Shape::Box { centre, half } => ShapeInfo::Box([centre.x, centre.y, half.x, half.y]),
        Shape::Disc { centre, radius } => ShapeInfo::Disc([centre.x, centre.y, radius]),
        Shape::Polygon(points) => ShapeInfo::Polygon(points.iter().map(|p| [p.x, p.y]).collect()),
        Shape::Block { centre: c, half } => ShapeInfo::Block([c.x, c.y, c.z, half.x, half.y, half.z]),
        Shape::Sphere { centre: c, radius } => ShapeInfo::Sphere([c.x, c.y, c.z, radius]),
    };
    let mut size = vec![map.half.x * 2.0, map.half.y * 2.0];
    size.extend(height(map));
    MapInfo { size, ground: map.ground.to_owned(), shapes: map.shapes.iter().map(shape).collect() }
}

fn camera_info(camera: Camera) -> CameraInfo {
    match camera {
        Camera::Whole => CameraInfo::Whole,
        Camera::Follow(metres) => CameraInfo::Follow { metres },
        Camera::Fixed(at, metres) => CameraInfo::Fixed { at: [at.x, at.y], metres },
    }
}

fn effect_info(effect: &(&'static str, &'static str)) -> EffectInfo {
    EffectInfo { name: effect.0.to_owned(), look: effect.1.to_owned() }
}

#[cfg(test)]
pub(super) mod tests;
