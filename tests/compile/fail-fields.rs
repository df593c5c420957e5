//! What does not go together in a field.
use roundtable::prelude::*;

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct PrivateLocal {
    #[private]
    #[local]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct HudLocal {
    #[hud]
    #[local]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct PrivateScore {
    #[score]
    #[private]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct LocalScore {
    #[score]
    #[local]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct TwoScores {
    #[score]
    coins: Int<0, 9>,
    #[score]
    gems: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct NoNumber {
    #[score]
    name: Text<9>,
}

#[derive(Kind, Clone, Default)]
pub struct PrivateOfNobody {
    #[private]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
pub struct ScoreOfNobody {
    #[score]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
pub struct HudOfNobody {
    #[hud]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
pub struct Misspelt {
    #[durabel]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
pub struct WithValue {
    #[durable(yes)]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
pub struct WasNothing {
    #[was]
    coins: Int<0, 9>,
}

#[derive(Kind, Clone, Default)]
pub struct WasAnother {
    gold: Int<0, 9>,
    #[was("gold")]
    coins: Int<0, 9>,
}

fn main() {}
