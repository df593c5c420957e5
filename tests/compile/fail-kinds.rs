//! What does not go together in a kind.
use roundtable::prelude::*;

#[derive(Kind, Clone, Default)]
#[kind(color = "red")]
pub struct UnknownKey;

#[derive(Kind, Clone, Default)]
#[kind(player, shared)]
pub struct Both;

#[derive(Kind, Clone, Default)]
#[kind(shared, solid)]
pub struct SolidShared;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.5, radius = 0.6)]
pub struct Twice;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0)]
pub struct NoRadius;

#[derive(Kind, Clone, Default)]
#[kind(radius = 1_000)]
pub struct WideRadius;

#[derive(Kind, Clone, Default)]
#[kind(speed = "fast")]
pub struct Fast;

#[derive(Kind, Clone, Default)]
#[kind(owner_moved, speed = 5)]
pub struct MovedByNobody;

#[derive(Kind, Clone, Default)]
#[kind(was = "renamed")]
pub struct Renamed;

#[derive(Kind, Clone, Default)]
#[kind(player, bar = "name")]
pub struct BarOfText {
    name: Text<8>,
}

#[derive(Kind, Clone, Default)]
#[kind(player, label = "name")]
pub struct LabelOfLocal {
    #[local]
    name: Text<8>,
}

#[derive(Kind, Clone, Default)]
#[kind(upgrade)]
pub struct NoUpgrade {
    gold: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
pub struct Tuple(Int<0, 9>);

#[derive(Kind, Clone)]
pub enum Either {
    Gold,
}

#[derive(Kind, Clone, Default)]
pub struct Parameter<const N: u16> {
    name: Text<N>,
}

fn main() {}
