//! Two rooms, the Lobby's policy and one account: the real host and the real lease steps, wired by a network that loses,
//! doubles and delays, with crashes and failing writes.
//!
//! At every moment at most one room holds the character, and once all is quiet it is home with exactly what was minted.

mod mint;
mod world;

use proptest::prelude::*;

use world::{Event, World};

fn event() -> impl Strategy<Value = Event> {
    let room = 0..2usize;
    let message = 0..4usize;
    prop_oneof![
        5 => room.clone().prop_map(Event::Come),
        1 => room.clone().prop_map(Event::Lose),
        2 => room.clone().prop_map(Event::Leave),
        5 => room.clone().prop_map(Event::Mint),
        1 => room.clone().prop_map(Event::GraceEnds),
        1 => room.clone().prop_map(Event::Alarm),
        1 => room.clone().prop_map(Event::Crash),
        1 => room.prop_map(Event::WriteFails),
        16 => (message.clone(), any::<bool>()).prop_map(|(n, again)| Event::Deliver(n, again)),
        1 => message.clone().prop_map(Event::Drop),
        1 => message.prop_map(Event::GiveUp),
        1 => Just(Event::LobbyCrashes),
        1 => Just(Event::TurnDies),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_character_is_in_one_place_and_nothing_doubles(
        events in prop::collection::vec(event(), 1..80),
        returns_wait in any::<bool>(),
        look_at in prop::collection::vec(0..80usize, 0..3),
    ) {
        let mut world = World::new(returns_wait);
        for (i, event) in events.iter().enumerate() {
            world.apply(*event);
            prop_assert!(world.holders() <= 1, "two hold it after {event:?}");
            if look_at.contains(&i) {
                // Had everything crashed here, what is stored would come together all the same.
                let mut stored = world.crashed();
                stored.settle();
                prop_assert_eq!(stored.gold(), stored.minted(), "after {:?}", event);
            }
        }
        world.settle();
        prop_assert_eq!(world.gold(), world.minted());
        prop_assert_eq!((world.holders(), world.is_home()), (0, true));
    }
}

/// The walk through: mint in one room, be called to the other, mint there, come home.
#[test]
fn a_character_goes_from_room_to_room_with_what_it_has() {
    let mut world = World::new(true);
    world.apply(Event::Come(0));
    world.deliver_all();
    world.apply(Event::Mint(0));
    world.apply(Event::Come(1));
    world.deliver_all();
    world.apply(Event::Mint(1));
    assert_eq!((world.holders(), world.gold(), world.lease()), (1, 1, 2));
    assert_eq!(world.closes, ["taken"], "the first tab is told");
    world.settle();
    assert_eq!((world.gold(), world.minted(), world.is_home(), world.lease()), (2, 2, true, 2));
}

#[test]
fn two_joins_at_once_leave_one_holder_and_one_who_is_told() {
    for first in 0..2 {
        let mut world = World::new(true);
        world.apply(Event::Come(0));
        world.apply(Event::Come(1));
        // Either asking is heard first, and either answer arrives first.
        world.apply(Event::Deliver(first, false));
        world.deliver_all();
        assert_eq!((world.holders(), world.closes.len()), (1, 1), "{:?}", world.closes);
    }
}
