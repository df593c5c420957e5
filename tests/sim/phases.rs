//! The phases of a run, and what must come true in its end: everyone plays, everyone comes home, everything adds up.

use roundtable::limits::{LATER_MS_MAX, OUTBOX_RETRY_MS_MAX, PARK_MS_MAX};
use roundtable::lobby::leases::LeaseRow;
use roundtable::rules::cut::Cut;
use roundtable::rules::face::Snapshot;
use roundtable::rules::schema::runs;

use crate::checkers::Checker;
use crate::dice::Dice;
use crate::games::Kind;
use crate::world::{Event, World};

/// What a run found, and how it went.
pub struct Outcome {
    pub found: Vec<(Checker, String)>,
    pub log: Vec<String>,
    pub events: u64,
    /// Virtual time.
    pub ms: u64,
}

/// Milliseconds within which everyone must play again: a room may be parked, a client keeps to the time it was told.
const HEAL_MS: u64 = PARK_MS_MAX + LATER_MS_MAX as u64 / 5;
/// The same for everything to come home.
const HOME_MS: u64 = 4 * OUTBOX_RETRY_MS_MAX;

/// One run from its seed.
pub fn run(seed: u64, with_log: bool) -> Outcome {
    let mut dice = Dice::new(!seed);
    let kind = Kind::ALL[dice.index(Kind::ALL.len())];
    let mut world = World::new(seed, kind, 2 + dice.index(3));
    world.log = with_log.then(Vec::new);
    let start = world.now;
    let (calm, wild) = (dice.within(1_000, 4_000), dice.within(6_000, 20_000));
    world.at(start, Event::Look);
    world.run(calm, |_| false);
    world.unleash();
    world.run(wild, |_| false);
    world.calm_down();
    if !world.checks.has_failed() {
        world.heal();
    }
    if !world.checks.has_failed() {
        world.go_home();
    }
    Outcome {
        found: world.checks.found,
        log: world.log.unwrap_or_default(),
        events: world.events,
        ms: world.now - start,
    }
}

impl World {
    /// Everyone who wants to play does.
    pub fn heal(&mut self) {
        for number in 0..self.players.len() {
            // Two tabs of one account would take the seat from each other for ever.
            self.players[number].wants = number != 2;
            // What was heard before counts for nothing.
            self.players[number].heard_ms = 0;
        }
        let all_play = |world: &mut World| {
            (0..world.players.len()).all(|number| !world.players[number].wants || world.plays(number))
        };
        if !self.run(HEAL_MS, all_play) {
            let who: Vec<String> = (0..self.players.len())
                .filter(|number| self.players[*number].wants && !self.plays(*number))
                .map(|number| format!("{number}: {}", self.players[number].client.link_json(self.now as f64)))
                .collect();
            self.checks.expect(self.checks_failed(), Checker::Liveness, || format!("does not play: {who:?}"));
        }
        for room in 0..self.rooms.len() {
            let lives = self.newest(room).is_some_and(|at| {
                let object = self.object(at).expect("it is there");
                // One that was superseded ticks on for a while beside an alarm that is another's.
                !object.is_superseded && object.life.host().is_some_and(|host| host.next_tick_ms().is_some())
            });
            let is_set = self.rooms[room].disk.rows().alarm.is_some() || self.rooms[room].alarm_lost;
            self.checks.expect(is_set || !lives, Checker::Liveness, || {
                format!("room {room} lives without an alarm")
            });
        }
    }

    fn room_states(&self) -> Vec<String> {
        let state = |room: usize| {
            let object = self.rooms[room].objects.last()?;
            let facts = serde_json::to_string(&object.life.facts(self.now)).expect("facts");
            Some(format!("flushed {} {}", self.rooms[room].disk.is_flushed(), facts.replace('"', "")))
        };
        (0..self.rooms.len()).filter_map(state).collect()
    }

    fn checks_failed(&self) -> bool {
        self.checks.has_failed()
    }

    /// Everyone leaves, and everything comes home.
    pub fn go_home(&mut self) {
        self.players.iter_mut().for_each(|player| player.wants = false);
        let all_home = |world: &mut World| world.is_home();
        if !self.run(HOME_MS, all_home) {
            let row = |row: &LeaseRow| {
                format!("{} {} {:?} {:?} {:?}", row.account, row.lease, row.room, row.stamp, row.stored)
            };
            let rows: Vec<_> = self.lobby.rows.values().map(row).collect();
            let what = format!("not home: {rows:?}, rooms {:?}", self.room_states());
            self.checks.expect(self.checks.has_failed(), Checker::Liveness, || what);
        }
        if !self.checks.has_failed() {
            self.count();
        }
    }

    fn is_home(&mut self) -> bool {
        let rests = (0..self.rooms.len()).all(|room| {
            if self.rooms[room].disk.rows().newest.is_none() {
                return true;
            }
            let at = self.wake(room);
            let now = self.now;
            let object = self.object(at).expect("it is there");
            let rests = object.life.host().is_none_or(|host| {
                let facts = host.facts(now);
                facts.paused && facts.outbox == 0 && facts.holds.asked == 0
            });
            // An object without a host is read at the next event, and may have something to send home still.
            let rests = rests && object.life.host().is_some();
            if object.life.host().is_none() {
                self.event(at, |_, _| {});
            }
            rests && self.rooms[room].disk.is_flushed()
        });
        let lobby = &self.lobby;
        let stored =
            |account: &String, stamp| lobby.records.get(account).is_some_and(|record| record.stamp == stamp);
        // A grant whose answer was lost names a room that holds nothing: the next one who asks gets it from there.
        rests && lobby.rows.values().all(|row| row.body.is_none() || stored(&row.account, row.stamp))
    }

    /// What characters have is what was made.
    fn count(&mut self) {
        let carried = |name: &str| -> i64 {
            let of = |row: &LeaseRow| row.body.as_ref()?.f.get(name)?.as_i64();
            self.lobby.rows.values().filter_map(of).sum()
        };
        let (gold, shells) = (carried("gold"), carried("shells"));
        let total = |name: &str| (0..self.rooms.len()).map(|room| self.stored(room, name)).sum::<i64>();
        let what = match self.kind {
            Kind::Isle => {
                let (minted, lying, till) = (total("minted"), total("coin"), total("till"));
                (minted != gold + lying + till || 3 * shells != till).then(|| {
                    format!(
                        "minted {minted}, carried {gold}, lying {lying}, spent {till} for {shells} shells"
                    )
                })
            }
            Kind::Mint => {
                let (minted, struck) = (total("minted"), total("struck"));
                let known: u64 = self.players.iter().map(|player| player.struck).sum();
                let unknown: u64 = self.players.iter().map(|player| player.unknown + player.waiting()).sum();
                let is_once = (known..=known + unknown).contains(&(struck as u64));
                (minted + struck != gold || !is_once).then(|| {
                    format!(
                        "minted {minted}, struck {struck} ({known} to {}), carried {gold}",
                        known + unknown
                    )
                })
            }
            Kind::Arena | Kind::Cards => None,
        };
        if let Some(what) = what {
            self.checks.violate(Checker::Conservation, || what);
        }
    }

    /// Of what is stored of a room: a field of its shared kinds, or how many bodies of a kind there are.
    fn stored(&self, room: usize, name: &str) -> i64 {
        let Some(stored) = self.rooms[room].disk.on_disk().stored() else { return 0 };
        let mut cut = Cut::default();
        cut.apply(&stored.save).expect("a save");
        stored.journal.iter().for_each(|row| cut.apply(&row.bytes).expect("a row"));
        let mut snapshot = Snapshot::default();
        self.rooms[room].game.restore(&cut).expect("a room").snapshot(&mut snapshot);
        let schema = &self.rooms[room].schema;
        if let Some(kind) = schema.kinds.iter().position(|kind| kind.name == name) {
            return snapshot.bodies.iter().filter(|body| usize::from(body.kind) == kind).count() as i64;
        }
        let mut words = &snapshot.shared[..];
        for kind in schema.kinds.iter().filter(|kind| kind.shared) {
            for (field, run) in runs(kind.fields, words) {
                words = &words[run.len()..];
                if field.name == name {
                    return i64::from(run[0]);
                }
            }
        }
        0
    }
}
