//! The alarm of a room and the loop of its ticks: performs what `host::pulse` asks for, on timers of virtual time.
//!
//! Acts that ask storage are awaited, so other events of the object come in between. An alarm is late, comes twice, is
//! lost, or its handler dies and it comes again. Absent: events themselves (`object.rs`).

use roundtable::host::Host;
use roundtable::host::pulse::{Act, Generation};

use crate::disk::Op;
use crate::faults::Point;
use crate::object::At;
use crate::world::{Event, World};

impl World {
    // ---- Acts ----

    /// What the room wants of its alarm and its loop. What asks storage is awaited: other events come in between.
    pub fn act(&mut self, at: At) {
        while self.goes_on(at) {
            let now = self.clock(at);
            let Some(act) = self.life(at).poll_act(now) else { break };
            match act {
                Act::Look => {
                    let refuses = self.touch(at);
                    let found =
                        self.rooms[at.room].disk.rows().alarm.map(|(due, _)| due).filter(|_| !refuses);
                    self.life(at).pulse.handle_found(found);
                }
                Act::Set(due) => {
                    let is_set = self.set_alarm(at, due);
                    self.life(at).pulse.handle_set(is_set.then_some(due));
                }
                Act::Delete => {
                    if !self.touch(at) {
                        self.put(at, Op::Alarm(None));
                    }
                }
                Act::Run(generation) => {
                    self.take_over(at, generation);
                    continue;
                }
                Act::Rest => {
                    self.object(at).expect("the object that acts").timer = None;
                    self.check_rest(at, "rests");
                    continue;
                }
            }
            if self.goes_on(at) && self.dice.chance(0.3) {
                self.object(at).expect("the object that acts").acting += 1;
                let wait = self.dice.within(0, 2);
                return self.at(self.now + wait, Event::Acts(at));
            }
        }
        if self.object(at).is_some_and(|object| object.fallen) {
            self.reset(at, "a superseded object touched storage");
        }
    }

    pub fn acted(&mut self, at: At) {
        if let Some(object) = self.object(at) {
            object.acting -= 1;
            self.act(at);
        }
    }

    /// Storage is asked. True: it refuses.
    fn touch(&mut self, at: At) -> bool {
        let refuses = self.rooms[at.room].disk.refusal(self.now).is_some();
        let object = self.object(at).expect("the object that acts");
        object.fallen |= object.is_superseded;
        refuses || object.is_superseded
    }

    /// Sets the alarm. False: storage refuses.
    pub fn set_alarm(&mut self, at: At, due: u64) -> bool {
        if self.touch(at) || self.dice.chance(self.rates.alarm_refused) {
            return false;
        }
        self.alarms_set += 1;
        self.rooms[at.room].alarm_lost = false;
        let setting = self.alarms_set;
        self.put(at, Op::Alarm(Some((due, setting))));
        true
    }

    // ---- The loop ----

    fn take_over(&mut self, at: At, generation: Generation) {
        self.object(at).expect("the object that acts").timer = None;
        let now = self.clock(at);
        self.life(at).hear(|host| host.handle_take_over(now));
        self.drain(at);
        self.tick_next(at, generation);
    }

    fn tick_next(&mut self, at: At, generation: Generation) {
        if !self.goes_on(at) {
            return;
        }
        let now = self.clock(at);
        match self.life(at).next_tick_ms(generation, now) {
            Some(due) => {
                self.object(at).expect("the object that ticks").timer = Some((generation, due));
                let late = self.dice.within(0, 2);
                self.at(due.max(self.now) + late, Event::Timer { at, generation, due });
            }
            None => {
                if self.life(at).handle_loop_end(generation, now) {
                    self.act(at);
                }
            }
        }
    }

    /// The loop's timer fires.
    pub fn tick(&mut self, at: At, generation: Generation, due: u64) {
        let Some(object) = self.object(at).filter(|object| object.timer == Some((generation, due))) else {
            return;
        };
        object.timer = None;
        if self.clamped {
            // The timer sees its own time, however late it is.
            let object = self.object(at).expect("it is there");
            object.seen_ms = object.seen_ms.max(due);
        }
        if !self.life(at).pulse.is_current(generation) {
            return;
        }
        self.check_vouched(at);
        let now = if self.clamped { self.object(at).expect("it is there").seen_ms } else { self.clock(at) };
        if self.begin(at, false) {
            self.life(at).hear(|host| host.handle_tick(now));
            self.life(at).calm();
        }
        self.finish(at);
        self.tick_next(at, generation);
    }

    // ---- The alarm ----

    pub fn alarm(&mut self, room: usize, setting: u64) {
        let is_set = self.rooms[room].disk.on_disk().alarm.is_some_and(|(_, of)| of == setting);
        if !is_set || self.rooms[room].disk.rows().alarm.is_none_or(|(_, of)| of != setting) {
            return;
        }
        self.rooms[room].disk.take_alarm();
        if self.dice.chance(self.rates.alarm_lost) {
            self.trace(|| format!("room {room}: its alarm is lost"));
            self.rooms[room].alarm_lost = true;
            return;
        }
        self.fire(room);
        if self.dice.chance(self.rates.alarm_twice) {
            self.fire(room);
        }
    }

    /// The alarm's handler. A process that dies in it is given the alarm again.
    pub fn fire(&mut self, room: usize) {
        let at = self.wake(room);
        if self.object(at).expect("just woken").is_superseded {
            return;
        }
        self.rooms[room].firing = true;
        let now = self.clock(at);
        let object = self.object(at).expect("just woken");
        let first = object.life.pulse.handle_fired(now);
        // The loop ended with its generation; its timer is cancelled.
        object.timer = None;
        if self.may_die(Point::InAlarm, at) {
            return;
        }
        let now = self.clock(at);
        let first = first.max(now + 1);
        let is_set = self.set_alarm(at, first);
        if self.object(at).is_none() {
            return;
        }
        self.life(at).pulse.handle_set(is_set.then_some(first));
        if !self.may_die(Point::AfterReArm, at) {
            self.event(at, Host::handle_alarm);
        }
        if self.death.is_none() {
            self.rooms[room].firing = false;
        }
    }
}
