//! Fireflies, played by a script.

use crate::tutorial::game::{Catcher, Fireflies, Firefly, Pad};
use roundtable::prelude::*;
use roundtable::test::Play;

#[test]
fn a_firefly_that_is_touched_is_caught_and_another_glows() {
    let mut play = Play::<Fireflies>::seeded(1);
    let ada = play.join("Ada");
    let firefly = play.all::<Firefly>()[0].at;
    play.put(ada, (firefly.x, firefly.y));
    play.run(1);
    assert_eq!(play.body::<Catcher>(ada).caught, 1);
    assert_eq!(play.all::<Firefly>().len(), 12);
}

#[test]
fn a_catcher_goes_where_its_stick_points() {
    let mut play = Play::<Fireflies>::seeded(1);
    let ada = play.join("Ada");
    play.put(ada, (0.0, 0.0));
    play.hold(ada, Pad { go: Vec2::new(1.0, 0.0) });
    play.run(20);
    assert!(play.at(ada).x > 5.0, "6 m/s for a second");
}
