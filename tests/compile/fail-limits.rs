//! More than a save has room for, and bounds that are none.
use roundtable::prelude::*;

#[derive(Kind, Clone, Default)]
pub struct Library {
    shelf: List<Text<200>, 6>,
}

#[derive(Kind, Clone, Default)]
pub struct Novel {
    text: Text<300>,
}

#[derive(Kind, Clone, Default)]
pub struct Deck {
    cards: List<Int<0, 51>, 100>,
}

#[derive(Kind, Clone, Default)]
pub struct Swapped {
    hp: Int<100, 0>,
}

#[derive(Kind, Clone, Default)]
pub struct Fine {
    speed: Real<-10_000, 10_000, 1_000_000>,
    home: Vector<-1, 1>,
}

fn main() {}
