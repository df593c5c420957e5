//! What a game file may say, and what the compiler says to one that says something else. Messages are pinned in
//! `tests/compile/*.stderr`; `TRYBUILD=overwrite cargo test --test native compile` writes them anew, to be read.

use roundtable::test::Play;

#[path = "../compile/pass-cards.rs"]
#[allow(dead_code)]
mod cards;
#[path = "../compile/pass-coins.rs"]
#[allow(dead_code)]
mod coins;
#[path = "../compile/pass-new.rs"]
#[allow(dead_code)]
mod fresh;

#[test]
fn a_game_that_is_wrong_does_not_compile_and_is_told_why() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile/fail-*.rs");
    // One that is right makes this a build rather than a check: some assertions are made only then. The library is
    // built anew before and after it, so it is one, and last.
    cases.pass("tests/compile/pass-everything.rs");
}

/// The other games that are right are compiled here, where that costs nothing.
#[test]
fn games_that_are_right_play() {
    let mut cards = Play::<cards::Cards>::seeded(1);
    let ada = cards.join("Ada");
    assert_eq!(cards.act(ada, cards::Deed::Pass), Err("you cannot pass".to_owned()));
    let mut coins = Play::<coins::Coins>::seeded(1);
    coins.join("Ada");
    coins.run(2);
    let mut fresh = Play::<fresh::Fresh>::seeded(1);
    fresh.join("Ada");
    fresh.run(2);
    assert_eq!((coins.all::<coins::Coin>().len(), fresh.all::<fresh::Prize>().len()), (12, 10));
}
