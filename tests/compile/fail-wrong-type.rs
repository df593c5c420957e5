//! A type without bounds, and values of another type than the field's.
use roundtable::prelude::*;

#[derive(Input, Clone, Default)]
pub struct Pad {
    go: f64,
}

#[derive(Kind, Clone, Default)]
#[kind(player)]
pub struct Runner {
    coins: u32,
    hp: Int<0, 100>,
    name: Text<8>,
}

impl Runner {
    fn hit(&mut self) {
        self.hp = "low";
        self.hp -= 0.5;
        self.name = 5;
    }
}

fn main() {}
