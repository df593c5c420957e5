//! What `make new` writes, as it is before it has a name. tests/tools/new.test.mjs runs the command itself.

#[path = "../../scripts/new/game.rs"]
mod game;

use roundtable::prelude::*;
use roundtable::test::Play;

use game::{Coin, NewGame, Runner};

#[test]
fn a_new_game_is_played() {
    let mut play = Play::<NewGame>::seeded(7);
    let (ada, bot) = (play.join("Ada"), play.join_bot("Bot"));
    let coin: Other = play.all::<Coin>()[0];
    play.put(ada, (coin.at.x, coin.at.y));
    play.run(1);
    assert_eq!(play.body::<Runner>(ada).coins, 1);
    play.run(400);
    assert!(play.body::<Runner>(bot).coins > 3);
    assert_eq!(play.given.faults, []);
}
