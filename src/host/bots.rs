//! Bots: the rules move seats that nobody holds, up to as many as the game or a player wishes.
//!
//! Seats are filled while a person is there, and bots give way: to a person who finds no free seat, and when more are held
//! than are to be filled. They have names of their own, no token and no connection, and keep nothing alive: with the last
//! person they go. They come and go between ticks, by rising seat and the newest first, so a replay of who came and went
//! has them too. A game with characters has no bots: nobody lent them any. Absent: what a bot does (`rules`).

use crate::host::Host;
use crate::host::seats::{Holder, Sitter};
use crate::host::secrets::Secret;
use crate::limits::NAME_CHARS_MAX;
use crate::rules::face::Driver;
use crate::rules::ids::Seat;

/// None longer than a player's may be.
const NAMES: [&str; 24] = [
    "Alder", "Birch", "Clover", "Dune", "Ember", "Fern", "Garnet", "Hazel", "Iris", "Juniper", "Kestrel",
    "Lark", "Maple", "Nettle", "Otter", "Pebble", "Quill", "Robin", "Sorrel", "Tansy", "Umber", "Vale",
    "Willow", "Yarrow",
];

const _: () = assert!(NAMES.len() < u16::MAX as usize && NAME_CHARS_MAX >= 12);

impl Host {
    /// A seated player wishes so many seats to be held.
    pub(super) fn wish_for_bots(&mut self, seats: Option<u16>) {
        if let Some(seats) = seats {
            self.bots_asked = seats.min(self.schema.room.bots_asked_max);
        }
    }

    /// Seats that are to be held, by bots if need be.
    fn seats_to_fill(&self) -> usize {
        let room = &self.schema.room;
        if room.characters || self.seats.driven_by(Driver::Person) == 0 {
            return 0;
        }
        usize::from(room.bots.max(self.bots_asked))
    }

    /// Fills seats, or empties them again. Not in the middle of a tick.
    pub(super) fn balance_bots(&mut self) {
        while !self.has_ended() && self.seats.len() > self.seats_to_fill() {
            let Some(seat) = self.seats.bot_to_go(None) else { break };
            self.dismiss_bot(seat);
        }
        while !self.has_ended() && self.seats.len() < self.seats_to_fill() {
            let Some(seat) = self.seats.free(None, |seat| self.holds.is_reserved(seat)) else { break };
            self.seat_bot(seat);
        }
    }

    fn seat_bot(&mut self, seat: Seat) {
        let (name, secret) = (self.bot_name(seat), Secret([0; 16]));
        let bot = Sitter { name, driver: Driver::Bot, owner: None, holder: Holder::Bot, secret };
        self.seats.sit(seat, bot, self.now_ms);
        if let Some(info) = self.seats.held(seat).map(|held| held.info(seat)) {
            self.sim.join(&info, self.now_ms);
        }
        self.ledger.want();
        self.step_of_event();
    }

    /// The body of a bot goes, and then its seat is free.
    pub(super) fn dismiss_bot(&mut self, seat: Seat) {
        // No character: a game that has them has no bots.
        let _ = self.sim.leave(seat, self.now_ms);
        self.seats.free_up(seat);
        self.ledger.want();
        self.step_of_event();
    }

    /// One that nobody here has, chosen by the seat; the seat's number tells apart those of a crowd.
    fn bot_name(&self, seat: Seat) -> String {
        let is_free = |name: &&str| self.seats.iter().all(|(_, held)| held.name != *name);
        let names = NAMES.iter().cycle().skip(usize::from(seat.0) % NAMES.len()).take(NAMES.len());
        let name = names.copied().find(is_free);
        name.map_or_else(|| format!("{} {}", NAMES[usize::from(seat.0) % NAMES.len()], seat.0), str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::host::stub::{BOTS, CARD_MATCH, CHARACTERS, LASTING_BOTS, Rig, hello, seen};
    use crate::limits::GRACE_MS;
    use crate::wire::client_message::Hello;
    use crate::wire::names::clean_name;
    use crate::wire::server_message::ServerMessage;

    fn asks(bots: u16) -> Hello {
        Hello { bots: Some(bots), ..hello() }
    }

    /// Each held seat with its driver, as everyone is told.
    fn drivers(rig: &Rig) -> Vec<(u16, &'static str)> {
        let facts = rig.host.seats.iter();
        facts.map(|(seat, held)| (seat.0, held.driver.name())).collect()
    }

    const PERSON: &str = "person";
    const BOT: &str = "bot";

    #[test]
    fn bots_fill_seats_while_a_person_is_there_and_go_with_the_last() {
        for game in [&BOTS, &LASTING_BOTS] {
            let mut rig = Rig::new(game);
            rig.hello(9, &Hello { watch: true, ..hello() });
            assert_eq!(drivers(&rig), [], "who watches keeps nothing alive");
            rig.join(1);
            assert_eq!(drivers(&rig), [(0, PERSON), (1, BOT)]);
            rig.ticks(2);
            let Some(ServerMessage::Roster { roster, .. }) =
                rig.to(1).find(|message| matches!(message, ServerMessage::Roster { .. }))
            else {
                panic!("a roster")
            };
            assert_eq!((roster[1].driver.as_str(), roster[1].away), (BOT, false));
            assert_eq!((rig.facts().people, rig.facts().drivers.bots), (1, 1));
            assert!(rig.snaps(1)[1].d.1[1].at.1 > 0.0, "the rules move it");
            rig.lose(1);
            rig.run_ms(GRACE_MS);
            assert!(rig.facts().paused && drivers(&rig).is_empty());
            assert_eq!(rig.disk.scores().len(), 0, "its body left too");
        }
    }

    #[test]
    fn a_person_who_finds_no_free_seat_takes_that_of_a_bot() {
        let mut rig = Rig::new(&LASTING_BOTS);
        rig.hello(1, &asks(99));
        assert_eq!(drivers(&rig), [(0, PERSON), (1, BOT), (2, BOT)], "as many as may be asked for");
        rig.join(2);
        // One came, so one bot went: three are held again.
        assert_eq!(drivers(&rig), [(0, PERSON), (1, BOT), (3, PERSON)]);
        rig.join(3);
        assert_eq!(drivers(&rig), [(0, PERSON), (2, PERSON), (3, PERSON)]);
        let mut full = Rig::new(&BOTS);
        full.host.schema.room.bots = 4;
        full.join(1);
        assert_eq!(full.facts().drivers.bots, 3);
        full.hello(2, &Hello { want: Some(1), ..hello() });
        assert_eq!(full.welcome(2).you.expect("a seat").seat, 1);
        assert_eq!(seen().leaves.last(), Some(&Seat(1)), "its body leaves first");
        full.join(3);
        full.join(4);
        full.hello(5, &hello());
        assert_eq!((full.facts().drivers.bots, full.closed.len()), (0, 1));
    }

    #[test]
    fn the_newest_wish_of_who_sits_holds_while_somebody_is_there() {
        let mut rig = Rig::new(&BOTS);
        let you = {
            rig.hello(1, &asks(3));
            rig.welcome(1).you.expect("a seat")
        };
        rig.hello(2, &Hello { watch: true, ..asks(0) });
        assert_eq!(rig.facts().seats, 3, "who watches has no say");
        rig.hello(3, &Hello { token: Some(you.token), ..asks(0) });
        assert_eq!(rig.facts().seats, 2, "the game's own fill stays");
        rig.hello(4, &asks(3));
        rig.crash();
        assert_eq!(rig.facts().seats, 3, "it is kept");
        rig.run_ms(GRACE_MS);
        assert!(rig.facts().paused);
        rig.join(5);
        assert_eq!(rig.facts().seats, 2, "and forgotten with the last person");
    }

    /// B37
    #[test]
    fn restored_bots_are_where_they_were_and_not_away() {
        let mut rig = Rig::new(&LASTING_BOTS);
        rig.join(1);
        rig.ticks(100);
        let (before, occupancies) = (rig.facts().digest, rig.host.seats.next_occupancy());
        rig.crash();
        assert_eq!(rig.host.seats.roster().iter().map(|row| row.away).collect::<Vec<_>>(), [true, false]);
        assert_eq!((drivers(&rig)[1], rig.facts().digest), ((1, BOT), before));
        assert_eq!(rig.host.seats.next_occupancy(), occupancies, "the same bot");
        rig.ticks(3);
        let knock = rig.knock(2, "AAAAAAAAAAAAAAAAAAAAAA").you.expect("a seat");
        assert!(!knock.back, "no token opens a bot's seat");
    }

    #[test]
    fn bots_are_frozen_as_bots_when_they_join_and_have_names_of_their_own() {
        let mut rig = Rig::new(&BOTS);
        rig.hello(1, &Hello { name: Some("Birch".to_owned()), ..asks(3) });
        let joins = seen().joins;
        let names: BTreeSet<&str> = joins.iter().map(|info| info.name.as_str()).collect();
        assert_eq!((names.len(), joins[1].driver, &joins[1].owner), (3, Driver::Bot, &None));
        for name in NAMES {
            assert_eq!(clean_name(name), name);
        }
        rig.host.schema.room.bots = 512;
        let mut many = rig.host;
        many.seats = crate::host::seats::Seats::new(512);
        let person = Sitter {
            name: "Ada".to_owned(),
            driver: Driver::Person,
            owner: None,
            holder: Holder::Away { until_ms: 0 },
            secret: Secret([1; 16]),
        };
        many.seats.sit(Seat(0), person, 0);
        many.balance_bots();
        let names: BTreeSet<String> = many.seats.iter().map(|(_, held)| held.name.clone()).collect();
        assert_eq!(names.len(), 512);
        assert!(names.iter().all(|name| clean_name(name) == *name));
    }

    #[test]
    fn a_game_with_characters_has_none() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.host.schema.room.bots = 2;
        rig.enter(1, "ada");
        rig.ticks(2);
        assert_eq!(drivers(&rig), [(0, PERSON)]);
    }

    #[test]
    fn a_room_that_runs_by_events_is_filled_too_with_a_step_each() {
        let mut rig = Rig::new(&CARD_MATCH);
        rig.join(1);
        assert_eq!((drivers(&rig), rig.facts().tick), (vec![(0, PERSON), (1, BOT)], 2));
        rig.say(1, r#"{"t":"leave"}"#);
        assert_eq!((drivers(&rig), rig.facts().tick), (vec![], 4));
    }
}
