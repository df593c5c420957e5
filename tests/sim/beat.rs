//! The alarm of a room and the loop of its ticks: performs what `host::pulse` asks for, on timers of virtual time.
//!
//! What asks storage is awaited, so other events of the object come in between. An alarm is late, comes twice, is
//! lost, or its handler dies and it comes again. Absent: events themselves (`object.rs`).

use roundtable::host::Host;
use roundtable::host::pulse::{Act, Generation};

use crate::disk::Op;
use crate::faults::Point;
use crate::object::At;
use crate::world::{Event, World};

/// What storage answers.
pub enum Answer {
    Found(Option<u64>),
    Set(Option<u64>),
    Deleted,
}

/// What goes on once it has.
#[derive(Clone, Copy)]
pub enum Then {
    Acts,
    Alarm,
}

impl World {
    // ---- Acts ----

    /// What the room wants of its alarm and its loop.
    pub fn act(&mut self, at: At) {
        while self.goes_on(at) {
            let now = self.clock(at);
            let Some(act) = self.life(at).poll_act(now) else { break };
            self.trace(|| format!("{at:?}: {act:?}"));
            match act {
                Act::Look => {
                    let refuses = self.touch(at);
                    let alarm = self.rooms[at.room].disk.rows().alarm;
                    return self.wait_for(
                        at,
                        Answer::Found(alarm.map(|(due, _)| due).filter(|_| !refuses)),
                        Then::Acts,
                    );
                }
                Act::Set(due) => {
                    let is_set = self.set_alarm(at, due);
                    return self.wait_for(at, Answer::Set(is_set.then_some(due)), Then::Acts);
                }
                Act::Delete => {
                    if !self.touch(at) {
                        self.put(at, Op::Alarm(None));
                    }
                    return self.wait_for(at, Answer::Deleted, Then::Acts);
                }
                Act::Run(generation) => self.take_over(at, generation),
                Act::Rest => {
                    self.cancel_timer(at);
                    self.check_rest(at, "rests");
                }
            }
        }
        self.fall(at);
    }

    /// Storage's answer is awaited: now and then other events of the object come in between.
    fn wait_for(&mut self, at: At, answer: Answer, then: Then) {
        self.fall(at);
        let Some(object) = self.object(at) else { return };
        object.acting += 1;
        object.setting += u32::from(matches!(answer, Answer::Set(_)));
        if self.dice.chance(0.3) {
            let wait = self.dice.within(0, 2);
            self.at(self.now + wait, Event::Answered { at, answer, then });
        } else {
            self.answered(at, answer, then);
        }
    }

    pub fn answered(&mut self, at: At, answer: Answer, then: Then) {
        let now = self.now;
        let Some(object) = self.object(at) else { return };
        object.acting -= 1;
        object.setting -= u32::from(matches!(answer, Answer::Set(_)));
        match answer {
            Answer::Found(due) => object.life.pulse.handle_found(due),
            Answer::Set(due) => object.life.handle_alarm_set(due, now),
            Answer::Deleted => {}
        }
        match then {
            Then::Acts => self.act(at),
            Then::Alarm => self.alarm_is_set(at),
        }
    }

    /// A superseded object that touched storage is no more.
    fn fall(&mut self, at: At) {
        if self.object(at).is_some_and(|object| object.fallen) {
            self.reset(at, "a superseded object touched storage");
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
        self.check_vouched(at);
        self.cancel_timer(at);
        let now = self.clock(at);
        self.life(at).hear(|host| host.handle_take_over(now));
        self.drain(at);
        if self.goes_on(at) {
            self.end(at);
        }
        self.tick_next(at, generation);
    }

    /// The loop that waits for it goes on at once, to its end.
    pub fn cancel_timer(&mut self, at: At) {
        if let Some((generation, _)) = self.object(at).and_then(|object| object.timer.take()) {
            self.at(self.now, Event::LoopEnds { at, generation });
        }
    }

    pub fn loop_ends(&mut self, at: At, generation: Generation) {
        if !self.goes_on(at) {
            return;
        }
        let now = self.clock(at);
        if self.life(at).handle_loop_end(generation, now) {
            self.act(at);
        }
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
            None => self.loop_ends(at, generation),
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
            return self.loop_ends(at, generation);
        }
        self.check_vouched(at);
        let now = if self.clamped { self.object(at).expect("it is there").seen_ms } else { self.clock(at) };
        self.object(at).expect("it is there").active_ms = self.now;
        self.life(at).hear(|host| host.handle_tick(now));
        self.drain(at);
        if self.goes_on(at) {
            self.life(at).calm();
            self.end(at);
        }
        self.fall(at);
        self.tick_next(at, generation);
    }

    // ---- The alarm ----

    pub fn alarm(&mut self, room: usize, setting: u64) {
        let is_set = self.rooms[room].disk.on_disk().alarm.is_some_and(|(_, of)| of == setting);
        if !is_set || self.rooms[room].disk.rows().alarm.is_none_or(|(_, of)| of != setting) {
            return;
        }
        self.rooms[room].disk.take_alarm();
        self.trace(|| format!("room {room}: alarm {setting}"));
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
        self.cancel_timer(at);
        let now = self.clock(at);
        let first = self.life(at).pulse.handle_fired(now);
        if self.may_die(Point::InAlarm, at) {
            return;
        }
        let is_set = self.set_alarm(at, first);
        self.wait_for(at, Answer::Set(is_set.then_some(first)), Then::Alarm);
    }

    /// The next alarm is set: the handler goes on.
    fn alarm_is_set(&mut self, at: At) {
        if !self.may_die(Point::AfterReArm, at) {
            self.event(at, Host::handle_alarm);
        }
        if self.death.is_none() {
            self.rooms[at.room].firing = false;
        }
    }
}
