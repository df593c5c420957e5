//! What the simulation has found, each as a short script with nothing left to chance that matters.

use crate::games::Kind;
use crate::world::World;

/// Players who do only what the script says; who is not asked to play stays away.
fn world(kind: Kind, players: usize, playing: &[usize]) -> World {
    let mut world = World::new(1, kind, players);
    for (number, player) in world.players.iter_mut().enumerate() {
        (player.is_scripted, player.wants, player.room) = (true, playing.contains(&number), 0);
    }
    world
}

impl World {
    fn until_playing(&mut self, number: usize) {
        self.players[number].wants = true;
        assert!(self.run(60_000, |world| world.plays(number)), "player {number} does not come to play");
    }

    fn strike(&mut self, number: usize, times: u64) {
        for _ in 0..times {
            self.do_it(number, "strike", serde_json::Value::Null);
            self.pump(number);
        }
    }
}

/// Two tabs of one account have one stay in turn, and number their actions alike: what one asked for before its link broke
/// was answered with what the other had done.
#[test]
fn a_tab_is_not_told_that_it_did_what_another_tab_of_its_account_did() {
    let mut world = world(Kind::Mint, 3, &[0]);
    world.until_playing(0);
    let (_, link) = world.players[0].link.expect("it is online");
    world.half_open(link);
    world.strike(0, 2);
    world.until_playing(2);
    world.strike(2, 3);
    assert!(world.run(1_000, |world| world.players[2].struck == 3));
    assert!(world.run(20_000, |world| world.players[0].link.is_some_and(|(_, now)| now != link)));
    world.until_playing(0);
    world.run(2_000, |_| false);
    let player = &world.players[0];
    assert_eq!((player.struck, player.unknown, player.waiting()), (0, 2, 0));
    world.go_home();
    assert_eq!(world.checks.found, []);
}
