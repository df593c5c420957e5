//! What goes wrong, and how often: the seed draws which faults a run has and their rates.
//!
//! A fault is off in half of the runs: those that hide one another are apart now and then. Timed ones are drawn four
//! times a second of virtual time (`chaos`), the others where they strike. Absent: what must hold all the same
//! (`checkers.rs`).

use crate::dice::Dice;
use crate::net::Up;
use crate::object::At;
use crate::world::{Event, World};

pub const CHAOS_MS: u64 = 250;

/// Where in an event the process or the object may die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The alarm has fired, the next one is not set.
    InAlarm,
    /// It is set, and nothing else has happened.
    AfterReArm,
    /// The room was read, its higher epoch is not committed.
    InRestore,
    AfterRestore,
    /// The commit is written, nothing of it was sent.
    AfterCommit,
    /// Something was sent.
    MidOutputs,
}

/// What dies.
#[derive(Clone, Copy, Debug)]
pub enum Death {
    Process,
    Object(At),
}

#[derive(Clone, Debug, Default)]
pub struct Rates {
    // Each time.
    pub commit_throws: f64,
    pub slow_disk: f64,
    pub alarm_late: f64,
    pub alarm_twice: f64,
    pub alarm_lost: f64,
    pub alarm_refused: f64,
    pub die_at_a_commit: f64,
    pub die_in_an_alarm: f64,
    pub die_in_a_restore: f64,
    pub delay: f64,
    pub call_lost: f64,
    pub call_late: f64,
    pub call_doubled: f64,
    pub flush_fails: f64,
    // Four times a second.
    pub process_dies: f64,
    pub object_dies: f64,
    pub superseded: f64,
    pub panics: f64,
    pub refuses: f64,
    pub overloads: f64,
    pub stalls: f64,
    pub stops: f64,
    pub cuts: f64,
    pub half_opens: f64,
    pub slow_reads: f64,
    pub records_away: f64,
    pub lobby_dies: f64,
}

impl Rates {
    pub fn draw(dice: &mut Dice) -> Rates {
        let mut rate = |most: f64| {
            let (is_on, part) = (dice.word() & 1 == 1, (dice.within(1, 16) as f64) / 16.0);
            if is_on { most * part } else { 0.0 }
        };
        Rates {
            commit_throws: rate(0.02),
            slow_disk: rate(0.3),
            alarm_late: rate(0.5),
            alarm_twice: rate(0.3),
            alarm_lost: rate(0.2),
            alarm_refused: rate(0.1),
            die_at_a_commit: rate(0.02),
            die_in_an_alarm: rate(0.2),
            die_in_a_restore: rate(0.2),
            delay: rate(0.01),
            call_lost: rate(0.3),
            call_late: rate(0.3),
            call_doubled: rate(0.2),
            flush_fails: rate(0.02),
            process_dies: rate(0.02),
            object_dies: rate(0.02),
            superseded: rate(0.03),
            panics: rate(0.01),
            refuses: rate(0.003),
            overloads: rate(0.005),
            stalls: rate(0.05),
            stops: rate(0.01),
            cuts: rate(0.1),
            half_opens: rate(0.05),
            slow_reads: rate(0.1),
            records_away: rate(0.05),
            lobby_dies: rate(0.02),
        }
    }
}

pub const REFUSED: &str = "Exceeded allowed rows written in Durable Objects free tier.";
pub const LOADED: &str = "Durable Object is overloaded. Too many requests for the same object.";

impl World {
    /// Something may die here. True: it has.
    pub fn may_die(&mut self, point: Point, at: At) -> bool {
        if self.death.is_some() {
            return true;
        }
        let rate = match point {
            Point::InAlarm | Point::AfterReArm => self.rates.die_in_an_alarm,
            Point::InRestore | Point::AfterRestore => self.rates.die_in_a_restore,
            Point::AfterCommit => self.rates.die_at_a_commit,
            Point::MidOutputs => self.rates.die_at_a_commit / 8.0,
        };
        if self.script.is_some_and(|deadly| deadly == point) || self.dice.chance(rate) {
            self.script = self.script.filter(|deadly| *deadly != point);
            let death = if self.dice.chance(0.5) { Death::Process } else { Death::Object(at) };
            self.trace(|| format!("{at:?}: {death:?} dies {point:?}"));
            self.death = Some(death);
        }
        self.death.is_some()
    }

    /// Draws the timed faults.
    pub fn chaos(&mut self) {
        let rates = self.rates.clone();
        if self.dice.chance(rates.process_dies) {
            self.kill();
        }
        if self.dice.chance(rates.records_away) {
            self.lobby.records_back_ms = self.now + self.dice.within(500, 8_000);
        }
        if self.dice.chance(rates.lobby_dies) {
            self.lobby.die();
        }
        for room in 0..self.rooms.len() {
            self.chaos_in(room, &rates);
        }
        for link in self.open_links() {
            if self.dice.chance(rates.cuts) {
                self.cut(link);
            }
            if self.dice.chance(rates.half_opens) {
                self.half_open(link);
            }
            if self.dice.chance(rates.slow_reads) {
                self.slow_down(link);
            }
        }
        if !self.is_calm {
            self.at(self.now + CHAOS_MS, Event::Chaos);
        }
    }

    fn chaos_in(&mut self, room: usize, rates: &Rates) {
        if self.dice.chance(rates.stalls) {
            self.trace(|| format!("room {room}: its thread is busy"));
            self.rooms[room].stalled_until = self.now + self.dice.within(60, 4_000);
        }
        if self.dice.chance(rates.refuses) {
            // The platform's midnight need not be the object's.
            let midnight = self.now - self.now % 86_400_000 + 86_400_000 + self.dice.within(0, 2_000);
            // A run that has passed midnight would have to wait for a day.
            if midnight < self.now + 120_000 {
                self.rooms[room].disk.refuses = Some((midnight, REFUSED));
                self.trace(|| format!("room {room}: storage refuses until midnight"));
            }
        }
        if self.dice.chance(rates.overloads) {
            self.rooms[room].disk.refuses = Some((self.now + self.dice.within(100, 5_000), LOADED));
        }
        if self.dice.chance(rates.superseded) {
            self.supersede(room);
        }
        let (now, newest) = (self.now, self.newest(room));
        let Some(at) = newest else { return };
        if self.dice.chance(rates.object_dies) {
            self.reset(at, "it was evicted");
        } else if self.dice.chance(rates.panics) {
            self.panic(at);
        } else if self.dice.chance(rates.stops) {
            self.stop(at);
        } else if self.object(at).is_some_and(|object| object.is_idle() && object.active_ms + 3_000 < now) {
            self.sleep(at);
        }
    }

    /// The host panics in an event.
    pub fn panic(&mut self, at: At) {
        if self.begin(at, false) {
            let now = self.clock(at);
            self.object(at).expect("it goes on").life.handle_panic(now);
            self.cancel_timer(at);
        }
        self.finish(at);
    }

    /// An orderly stop: all that the room is must be stored.
    pub fn stop(&mut self, at: At) {
        if self.begin(at, false) {
            let now = self.clock(at);
            let is_up = self.object(at).expect("it goes on").life.hear(|host| host.handle_stop(now));
            self.drain(at);
            if is_up && self.goes_on(at) {
                self.check_rest(at, "was stopped");
            }
        }
        self.finish(at);
    }

    /// Somebody closes a link from the client's side.
    pub fn close_from_client(&mut self, link: usize) {
        if self.dice.chance(0.5) {
            self.send_up(link, Up::Closed);
        } else {
            self.cut(link);
        }
    }
}
