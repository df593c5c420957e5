//! NewGame, played by the rules alone.

use roundtable::games::newgame::{Coin, NewGame, Pad, Runner};
use roundtable::prelude::*;
use roundtable::test::Play;

#[test]
fn a_coin_that_is_touched_counts_and_another_is_made() {
    let mut play = Play::<NewGame>::seeded(7);
    let ada = play.join("Ada");
    for coin in play.all::<Coin>() {
        play.put(coin.id, (12.0, 12.0));
    }
    let coin = play.all::<Coin>()[0];
    play.put(ada, (-10.0, 5.0));
    play.put(coin.id, (-8.0, 5.0));
    play.hold(ada, Pad { r#move: Vec2::new(1.0, 0.0) });
    play.run(10);
    assert_eq!(play.body::<Runner>(ada).coins, 1);
    assert_eq!(play.effects(), ["coin"]);
    assert_eq!(play.all::<Coin>().len(), 12);
}

#[test]
fn bots_gather_coins() {
    let mut play = Play::<NewGame>::seeded(7);
    let bot = play.join_bot("Bot");
    play.run(20 * 20);
    assert!(play.body::<Runner>(bot).coins > 3);
}
