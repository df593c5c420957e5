//! What a step of the rules leads to: answers, rebases and records are kept, a commit is decided on, everyone is told, and
//! who goes through a portal goes.
//!
//! The order matters: what is decided to be committed gates what is sent. Absent: when a step runs (`tick.rs`,
//! `events.rs`), how commits and outputs wait for each other (`ledger.rs`, `outbox.rs`).

use crate::host::seats::Holder;
use crate::host::{ConnectionId, Host};
use crate::limits::{EVENT_RETRY_MS, FAULT_MS_MAX};
use crate::rules::face::{Given, Travel};
use crate::wire::close::{Close, CloseCode};
use crate::wire::names::is_room_name;

impl Host {
    /// A lasting world that stood still is told for how long, before anything else happens in it.
    pub(super) fn go_on(&mut self) {
        if let Some(since_ms) = self.slept_since_ms.take() {
            self.sim.resume(self.now_ms.saturating_sub(since_ms), self.now_ms);
            self.ledger.want();
        }
    }

    /// The rules have run a step: takes what they gave out, decides what is committed, and sends.
    pub(super) fn finish_step(&mut self, stamp_ms: u64) {
        self.broken_since_ms = None;
        self.counters.tick_ms = Some(self.now_ms);
        self.counters.ticks += 1;
        self.carry();
        let given = std::mem::take(&mut self.carried);
        self.counters.take(&given, self.sim.tick());
        if let Some(why) = self.cut_for_long() {
            return self.end(&why);
        }
        let answers = self.keep_answers(&given);
        self.rebase(&given);
        // By events each leave is a step of its own, after this one.
        let by_events = self.is_event_driven();
        let mut farewells = Vec::new();
        if !by_events {
            farewells = self.let_go(&given.travels);
            // Before it is shown who is here.
            self.balance_bots();
        }
        self.want_commit(&given);
        self.publish_tick(&given, stamp_ms);
        for (connection, answer) in &answers {
            self.say_did(*connection, answer);
        }
        if by_events {
            farewells = self.let_go(&given.travels);
        }
        for (connection, close) in farewells {
            self.part_with(connection, close);
        }
    }

    /// Takes what the rules gave out. Records are kept at once, for a commit that comes now must have them, and a room that
    /// pauses has no further step; the rest is for the next step.
    pub(super) fn carry(&mut self) {
        let given = self.sim.drain();
        self.records.add(&given.records, self.epoch, self.sim.tick());
        let carried = &mut self.carried;
        carried.effects.extend(given.effects);
        carried.effects_dropped += given.effects_dropped;
        carried.round_changed |= given.round_changed;
        carried.restarted |= given.restarted;
        carried.areas_changed |= given.areas_changed;
        carried.done.extend(given.done);
        carried.claims_refused.extend(given.claims_refused);
        carried.asks.extend(given.asks);
        carried.travels.extend(given.travels);
        carried.faults.extend(given.faults);
        carried.faults_count += given.faults_count;
        carried.notes.extend(given.notes);
        carried.notes_count += given.notes_count;
    }

    /// Ticks were cut for want of fuel for so long that the room does not come round (B41).
    fn cut_for_long(&self) -> Option<String> {
        let tally = self.sim.tally();
        let period_ms = if self.is_event_driven() {
            EVENT_RETRY_MS
        } else {
            1_000 / u64::from(self.schema.room.hz.max(1))
        };
        let is_long = tally.ticks_cut_on_end > 0 && tally.ticks_cut_on_end * period_ms >= FAULT_MS_MAX;
        is_long.then(|| {
            format!("cut short for long, most by {}", tally.worst.as_deref().unwrap_or("no handler"))
        })
    }

    /// Bodies are not where their owners take them to be: what those claim meanwhile is void.
    fn rebase(&mut self, given: &Given) {
        for (seat, held) in self.seats.iter_mut() {
            if given.restarted || given.claims_refused.contains(&seat) {
                held.rebase = held.rebase.saturating_add(1);
                held.input.drop_claims();
            }
        }
        if given.restarted {
            self.seats.tell_roster();
        }
        self.counters.claims_refused += given.claims_refused.len() as u64;
    }

    /// Seats that go through a portal: each is left for good. Its connection is to be told where to go.
    fn let_go(&mut self, travels: &[Travel]) -> Vec<(ConnectionId, Close)> {
        let mut farewells = Vec::new();
        for Travel { seat, room } in travels {
            let Some(holder) = self.seats.held(*seat).map(|held| held.holder) else { continue };
            if !is_room_name(room) || *room == self.setup.room {
                self.counters.error(&format!("travel to `{room}`: there is no such other room"));
                continue;
            }
            self.free_seat(*seat);
            if let Holder::Here(connection) = holder {
                farewells.push((connection, Close::new(CloseCode::Travel, room.clone())));
            }
        }
        farewells
    }

    /// What of this tick makes a commit due. Each commit is a whole cut, whatever made it due.
    fn want_commit(&mut self, given: &Given) {
        let durable = self.is_persistent() && self.sim.durable_mark() != self.durable_mark;
        let round_over = given.round_changed && !self.sim.round().live;
        let has_records = self.records.next() > self.records_cut;
        if durable || round_over || has_records {
            self.counters.durable_ticks += 1;
            self.ledger.want();
        } else if self.movement_is_due() {
            self.ledger.want_movement();
        }
    }

    fn movement_is_due(&self) -> bool {
        let (hz, tick) = (self.schema.room.hz, self.sim.tick());
        let wait_ms = self.movement_ms(self.now_ms);
        wait_ms.is_some_and(|wait_ms| self.ledger.movement_is_due(self.now_ms, tick, hz, wait_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Output;
    use crate::host::stub::{CARDS, CHARACTERS, LASTING, MATCH, Rig, START_MS, hello, seen, setup};
    use crate::limits::{GRACE_MS, PULSE_MS};
    use crate::rules::motion::Pose;
    use crate::wire::client_message::Hello;
    use crate::wire::server_message::{AreaInfo, ServerMessage};

    const LEAVE: &str = r#"{"t":"leave"}"#;

    #[test]
    fn who_goes_through_a_portal_is_told_where_after_the_commit_and_the_seat_is_free() {
        for game in [&MATCH, &LASTING, &CARDS] {
            let mut rig = Rig::new(game);
            rig.join(1);
            rig.join(2);
            rig.act(1, 1, "go", r#"{"room":"cave-2"}"#);
            rig.ticks(1);
            let (_, code, reason) = rig.closed.last().expect("closed");
            assert_eq!((*code, reason.as_str()), (CloseCode::Travel, "cave-2"));
            assert_eq!((rig.dids(1).len(), rig.facts().seats), (1, 1), "its action is answered before");
            assert_eq!(rig.disk.scores().keys().collect::<Vec<_>>(), [&1]);
            rig.lose(1);
            rig.ticks(1);
            let told = rig.to(2).filter_map(|message| match message {
                ServerMessage::Roster { roster, .. } => Some(roster.len()),
                _ => None,
            });
            assert_eq!(told.last(), Some(1));
        }
    }

    #[test]
    fn the_character_of_who_travels_returns_home_with_what_it_had() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        rig.act(1, 1, "bump", r#"{"by":5}"#);
        rig.act(1, 2, "go", r#"{"room":"cave"}"#);
        rig.ticks(1);
        assert_eq!((rig.close_of(1), rig.facts().holds.returning), (Some(CloseCode::Travel), 1));
        rig.answer_all();
        assert_eq!((rig.lobby.is_there("ada"), rig.lobby.score("ada")), (false, Some(5)));
    }

    #[test]
    fn a_farewell_waits_for_its_commit_in_a_match_room_too() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.join(2);
        rig.act(1, 1, "go", r#"{"room":"cave"}"#);
        rig.disk_fails = true;
        rig.ticks(3);
        assert_eq!(rig.close_of(1), None);
        rig.disk_fails = false;
        rig.ticks(100);
        assert_eq!(rig.close_of(1), Some(CloseCode::Travel));
    }

    #[test]
    fn there_is_no_way_to_what_is_no_other_room() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        for (number, room) in (1..).zip(["", "Cave", "a/b", "x"]) {
            rig.act(1, number, "go", &format!(r#"{{"room":"{room}"}}"#));
            rig.ticks(1);
            let said = format!("travel to `{room}`: there is no such other room");
            assert_eq!((rig.facts().last_error, rig.close_of(1)), (Some(said), None));
        }
        assert_eq!(rig.facts().seats, 1);
    }

    /// B48
    #[test]
    fn a_record_leaves_the_rules_through_the_commit_of_its_tick() {
        for game in [&MATCH, &LASTING, &CARDS] {
            let mut rig = Rig::new(game);
            rig.join(1);
            rig.act(1, 1, "bump", r#"{"by":5}"#);
            rig.act(1, 2, "record", "{}");
            rig.act(1, 3, "record", "{}");
            let before = rig.disk.records().iter().count();
            rig.ticks(1);
            let kept = rig.disk.records();
            let names: Vec<_> =
                kept.iter().map(|(n, r)| (n, r.owner.as_str(), r.key.as_str(), r.value.as_str())).collect();
            assert_eq!(names, [(0, "seat0", "score", "5"), (1, "seat0", "score", "5")]);
            assert!(before == 0 || rig.host.next_tick_ms().is_none());
            rig.crash();
            assert_eq!((rig.facts().records, rig.facts().records_lost), (2, 0));
        }
    }

    /// B48
    #[test]
    fn what_the_rules_record_when_the_last_player_leaves_is_in_the_commit_of_the_pause() {
        let mut rig = Rig::new(&LASTING);
        rig.join(1);
        rig.act(1, 1, "bump", r#"{"by":9}"#);
        rig.ticks(1);
        crate::host::stub::record_leaves(true);
        rig.say(1, LEAVE);
        let kept = rig.disk.records();
        assert_eq!(kept.iter().map(|(_, record)| record.value.as_str()).collect::<Vec<_>>(), ["9"]);
        assert!(rig.facts().paused);
    }

    #[test]
    fn a_lasting_world_that_stood_still_is_told_for_how_long_before_anyone_comes() {
        let mut rig = Rig::new(&LASTING);
        rig.hello(9, &Hello { watch: true, ..hello() });
        rig.join(1);
        rig.ticks(10);
        assert!(seen().resumed.is_empty(), "a new one has slept for nobody");
        rig.say(1, LEAVE);
        rig.now_ms += 60_000;
        rig.join(2);
        assert_eq!(seen().resumed, [60_000]);
        // Evicted while paused, and asked for a day later.
        rig.say(2, LEAVE);
        let stamp = rig.snaps(9).last().expect("a snap").st;
        rig.crash();
        rig.now_ms += 86_400_000;
        rig.join(3);
        assert_eq!(seen().resumed, [60_000, rig.now_ms - stamp]);
        // Killed with players in it.
        rig.ticks(100);
        let stamp = rig.snaps(3).last().expect("a snap").st;
        rig.now_ms += 9_000;
        let commits = rig.disk.commits.len();
        rig.crash();
        assert_eq!(seen().resumed.len(), 2, "before its first tick");
        rig.ticks(1);
        assert_eq!(seen().resumed[2], rig.now_ms - stamp);
        assert!(rig.disk.commits.len() >= commits + 2, "it is kept");
        rig.ticks(9);
        assert_eq!(seen().resumed.len(), 3);
    }

    #[test]
    fn a_match_is_not_told_that_it_slept() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.ticks(100);
        rig.crash();
        rig.run_ms(GRACE_MS + PULSE_MS);
        rig.join(2);
        rig.ticks(1);
        assert!(seen().resumed.is_empty());
    }

    /// B47
    #[test]
    fn a_match_that_begins_anew_is_told_and_rebases_every_seat() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.join(2);
        rig.input(1, r#"{"move":[1,0]}"#);
        rig.ticks(1);
        let before = rig.sent.len();
        rig.act(2, 1, "anew", "{}");
        rig.ticks(1);
        let news: Vec<_> =
            rig.sent[before..].iter().filter(|(to, _)| *to == 1).map(|(_, news)| news).collect();
        let [ServerMessage::Snap(snap), ServerMessage::Round { .. }, ServerMessage::Roster { roster, .. }] =
            news[..]
        else {
            panic!("{news:?}")
        };
        assert_eq!((roster.len(), snap.c.clone()), (2, vec![(0, 1, Some(1), Some(-1)), (1, 1, None, None)]));
        assert_eq!(rig.facts().seats, 2, "seats stay");
    }

    /// B47
    #[test]
    fn a_claim_that_is_refused_raises_the_rebase_number_and_older_claims_are_void() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        let claim = |rig: &mut Rig, rebase: &str, tick: u32, x: i32| {
            rig.say(1, &format!(r#"{{"t":"in","e":1{rebase},"s":[[{tick},{{}},[[{x},0],[0,0],0]]]}}"#));
        };
        let control = |rig: &Rig| rig.snaps(1).last().expect("a snap").c[0];
        claim(&mut rig, r#","r":0"#, 1, 1);
        rig.ticks(1);
        assert_eq!((seen().claims.len(), control(&rig)), (1, (0, 0, Some(1), Some(0))));
        // Through a wall; what was claimed on top of it is void.
        claim(&mut rig, r#","r":0"#, 2, 9);
        claim(&mut rig, r#","r":0"#, 3, 10);
        rig.ticks(1);
        assert_eq!(control(&rig), (0, 1, Some(2), Some(1)));
        rig.ticks(1);
        claim(&mut rig, r#","r":0"#, 4, 1);
        claim(&mut rig, "", 5, 1);
        rig.ticks(2);
        assert_eq!((seen().claims.len(), rig.facts().inputs.claims_dropped), (2, 2));
        claim(&mut rig, r#","r":1"#, 6, 2);
        rig.ticks(1);
        let at = Pose { at: [1_024, 0, 0], ..Pose::default() };
        assert_eq!((seen().claims.last(), rig.facts().inputs.claims_refused), (Some(&at), 1));
        assert_eq!(control(&rig), (0, 1, Some(6), Some(0)), "inputs are acked all the while");
    }

    #[test]
    fn areas_are_in_the_welcome_and_sent_whole_when_they_change() {
        let mut rig = Rig::new(&LASTING);
        assert!(rig.join(1).areas.is_empty());
        rig.act(1, 1, "area", "{}");
        rig.ticks(2);
        let mud = AreaInfo(1, "mud".to_owned(), 1.0, 0.0, 2.0, Some(99));
        let areas = |message: &ServerMessage| match message {
            ServerMessage::Areas { k, a } => Some((*k, a.clone())),
            _ => None,
        };
        assert_eq!(rig.to(1).filter_map(areas).collect::<Vec<_>>(), [(1, vec![mud.clone()])]);
        rig.crash();
        assert_eq!(rig.join(2).areas, [mud]);
        rig.act(2, 1, "area", "{}");
        rig.ticks(1);
        assert_eq!(rig.to(2).filter_map(areas).collect::<Vec<_>>(), [(2, vec![])]);
    }

    /// B45
    #[test]
    fn a_seat_is_rewound_by_its_round_trip_its_interpolation_and_a_period() {
        let mut rig = Rig::new(&MATCH);
        rig.join(1);
        rig.join(2);
        rig.ticks(20);
        let rewinds = |rig: &mut Rig| {
            rig.ticks(1);
            [0, 1].map(|seat| seen().rewinds[&seat])
        };
        assert_eq!(rewinds(&mut rig), [4, 4], "nobody has said anything yet");
        // Seat 0 answers tick 21 after 80 ms.
        rig.now_ms += 80;
        rig.say(1, r#"{"t":"ping","c":1,"g":21}"#);
        assert_eq!(rewinds(&mut rig), [6, 4], "80 + 150 + 50 ms");
        rig.say(1, r#"{"t":"ping","c":1,"iv":50}"#);
        assert_eq!(rewinds(&mut rig), [4, 4], "80 + 50 + 50 ms");
        // A longer trip is not the least, and one of an input counts as well as one of a ping.
        rig.say(1, r#"{"t":"ping","c":1,"g":20}"#);
        rig.say(2, r#"{"t":"in","e":1,"s":[],"g":23}"#);
        assert_eq!(rewinds(&mut rig), [4, 4]);
    }

    /// F21, F22
    #[test]
    fn no_tick_that_a_client_names_rewinds_it_beyond_the_cap_and_one_never_sent_counts_for_nothing() {
        let mut rig = Rig::new(&MATCH);
        let token = rig.join(1).you.expect("a seat").token;
        rig.ticks(1_200);
        for never in ["9999", "-1", "0.5", "1e300"] {
            rig.say(1, &format!(r#"{{"t":"ping","c":1,"g":{never}}}"#));
        }
        rig.say(1, r#"{"t":"in","e":7,"s":[],"g":1}"#);
        rig.ticks(1);
        assert_eq!(seen().rewinds[&0], 4);
        rig.say(1, r#"{"t":"ping","c":-3600000,"g":1,"iv":1e9}"#);
        rig.ticks(1);
        assert_eq!(seen().rewinds[&0], 10, "250 ms of interpolation and 250 beyond, for a trip of a minute");
        rig.knock(2, &token);
        rig.ticks(1);
        assert_eq!(seen().rewinds[&0], 4, "another line is measured anew");
    }

    /// B12
    #[test]
    fn who_joins_is_seen_with_driver_owner_and_character() {
        let mut rig = Rig::new(&CHARACTERS);
        rig.enter(1, "ada");
        rig.act(1, 1, "bump", r#"{"by":4}"#);
        rig.ticks(1);
        rig.say(1, LEAVE);
        rig.answer_all();
        rig.enter(2, "ada");
        let info = seen().joins.pop().expect("a join");
        let character = info.character.expect("its character");
        assert_eq!(
            (info.driver.name(), info.owner.as_deref(), info.name.as_str()),
            ("person", Some("ada"), "Player")
        );
        assert_eq!(character.fields, [("score".to_owned(), crate::rules::datum::Datum::Int(4))]);
        let mut rig = Rig::new(&MATCH);
        rig.hello_as(1, Some("bob"), &hello());
        rig.hello_as(2, Some("no account"), &hello());
        let owners: Vec<_> = seen().joins.into_iter().skip(2).map(|info| info.owner).collect();
        assert_eq!(owners, [Some("bob".to_owned()), None]);
        // It is kept, for a match that starts anew.
        let stored = rig.disk.stored();
        crate::host::stub::change_game(true);
        let host = Host::restore(setup(&MATCH), &stored, &[], START_MS);
        crate::host::stub::change_game(false);
        assert!(host.is_ok() && seen().joins[4].owner.as_deref() == Some("bob"));
    }

    #[test]
    fn frames_of_the_step_that_a_seat_left_in_go_before_its_farewell() {
        let mut rig = Rig::new(&CARDS);
        rig.join(1);
        rig.host.handle_message(
            ConnectionId(1),
            r#"{"t":"do","e":1,"n":1,"a":"go","x":{"room":"cave"}}"#,
            rig.now_ms,
        );
        let commit = rig.host.poll_commit().expect("a commit");
        assert!(rig.host.poll_output().is_none());
        rig.disk.write(&commit);
        rig.host.handle_commit(crate::host::CommitOutcome::Taken { rows_written: 1 }, rig.now_ms);
        let kinds: Vec<bool> = std::iter::from_fn(|| rig.host.poll_output())
            .map(|output| matches!(output, Output::Close { .. }))
            .collect();
        assert_eq!(kinds.iter().position(|is_close| *is_close), Some(kinds.len() - 1));
    }
}
