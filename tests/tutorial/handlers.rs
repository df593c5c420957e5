//! Every handler there is, as docs/write-a-game.md lists them, and what it says of their order.
#![allow(unused_variables)]

use roundtable::prelude::*;
use roundtable::test::Play;

#[derive(Input, Clone, Default)]
#[input(actions = Deed)]
pub struct Pad {
    pub go: Stick,
}

#[derive(Action, Clone)]
pub enum Deed {
    Wave,
}

#[derive(Kind, Clone, Default)]
#[kind(player, radius = 0.5)]
pub struct Walker;

#[derive(Kind, Clone, Default)]
#[kind(radius = 0.5)]
pub struct Stone;

pub struct Game;

#[rustfmt::skip] // A handler a line, as on the page.
impl Rules for Game {
    type Kinds = (Walker, Stone);
    type Input = Pad;
    const ROOM: Room = Room::rounds(2).breaks(1).seats(4);

    // The room is made. What is spawned here is gone when the second round begins.
    fn open(w: &mut World<Self>) {}
    // A round begins. The first one's runs before anybody has joined, a later one's when all have their new bodies.
    fn round_start(w: &mut World<Self>) {}
    // A seat is taken, and again for each new round: its body, and where. The one handler that you must write.
    fn join(w: &mut World<Self>, seat: &Seat) -> Entry<Self> { Entry::new(Walker, Anywhere) }
    // A seat is left; its body is gone already.
    fn leave(w: &mut World<Self>, seat: &Seat) {}
    // Each tick, after the bodies' own.
    fn tick(w: &mut World<Self>) {}
    // A timer that was set with `w.after(delay, name)` is due.
    fn timer(w: &mut World<Self>, name: &str) {}
    // The round's time is over, or `w.end_round()` was called.
    fn round_end(w: &mut World<Self>) {}
    // A lasting room goes on after it stood still so long.
    fn resume(w: &mut World<Self>, away_ms: u64) {}
}

impl Body<Game> for Stone {}

#[rustfmt::skip] // As above.
impl Body<Game> for Walker {
    // Each tick: moves the body. It sees nothing but these; the browser of its player runs it too.
    fn steer(&self, motion: &mut Motion, pad: &Pad, map: &Map) {}
    // Each tick, for each other body whose disc overlaps this one's. Both have theirs run.
    fn touch(&mut self, me: &Me, other: &Other, w: &mut World<Game>) {}
    // Each tick, when everything has moved and touched. `w.input(me)` is the Pad that its seat holds.
    fn tick(&mut self, me: &Me, w: &mut World<Game>) {}
    // The body has just been made, by `w.spawn` or by `join`.
    fn spawn(&mut self, me: &Me, w: &mut World<Game>) {}
    // Its player does an action. Err refuses: the player is told why, and nothing of the call stays.
    fn act(&mut self, me: &Me, deed: Deed, w: &mut World<Game>) -> Result<(), Refusal> { Ok(()) }
    // A timer that was set with `w.after_me(me, delay, name)` is due.
    fn timer(&mut self, me: &Me, name: &str, w: &mut World<Game>) {}
    // Its player is leaving; the body is still there.
    fn leave(&mut self, me: &Me, w: &mut World<Game>) {}
    // What a bot on its seat holds in this tick. `dice` are the bot's own.
    fn bot(&self, me: &Me, w: &World<Game>, dice: &mut Rng) -> Pad { Pad::default() }
    // Its bot or AI answers what `w.ask(me, question, within)` asked; people are not asked.
    fn answer(&mut self, me: &Me, answer: &Answer, w: &mut World<Game>) {}
    // The answer of a bot, and of an AI that says nothing in time.
    fn floor(&self, me: &Me, question: &str, w: &World<Game>) -> String { String::new() }
}

/// The order of what runs in `ticks`, each handler once.
fn order(play: &mut Play<Game>, ticks: u32) -> Vec<String> {
    play.run(ticks);
    let mut order: Vec<String> = Vec::new();
    for name in play.trace() {
        if !order.contains(&name) {
            order.push(name);
        }
    }
    order
}

#[test]
fn handlers_run_in_the_order_that_the_page_tells() {
    let mut play = Play::<Game>::seeded(1);
    play.observe();
    let ada = play.join("Ada");
    assert_eq!(play.trace(), ["join", "walker.spawn"]);
    play.spawn(Stone, At(play.at(ada)));
    let tick = ["walker.touch", "stone.touch", "walker.tick", "stone.tick", "tick"];
    assert_eq!(order(&mut play, 1), tick);
    play.leave(ada);
    assert_eq!(play.trace(), ["walker.leave", "leave"]);
}

#[test]
fn a_new_round_clears_bodies_timers_and_areas_and_joins_before_it_starts() {
    let mut play = Play::<Game>::seeded(1);
    play.join("Ada");
    play.spawn(Stone, Anywhere);
    play.world(|w| {
        w.after(50, "late");
        w.area("mud", Vec2::ZERO, 3.0, 1_000);
    });
    play.observe();
    assert_eq!(order(&mut play, 45), ["walker.tick", "stone.tick", "tick", "round_end"]);
    let anew = ["join", "round_start", "walker.spawn", "walker.tick", "tick"];
    assert_eq!(order(&mut play, 30), anew, "neither the stone nor its timer");
    assert!(play.world(|w| w.areas_at(Vec2::ZERO)).is_empty());
}

#[test]
fn lists_are_owned_so_that_bodies_come_and_go_while_one_loops() {
    let mut play = Play::<Game>::seeded(1);
    play.spawn(Stone, (1.0, 0.0));
    play.world(|w| {
        for stone in w.near::<Stone>(Vec2::ZERO, 2.0) {
            w.take::<Stone>(stone.id);
            w.spawn(Stone, At(stone.at + Vec2::new(1.0, 0.0)));
        }
    });
    assert_eq!(play.all::<Stone>()[0].at, Vec2::new(2.0, 0.0));
}
