//! Numbers out of the bounds of their fields.
use roundtable::prelude::*;

fn main() {
    let full: Int<0, 100> = Int::of::<100>();
    let over: Int<0, 100> = Int::of::<101>();
    let slow: Real<1, 3, 10> = Real::of::<0>();
    println!("{full} {over} {slow}");
}
