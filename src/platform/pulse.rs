//! The alarm and the tick loop of a room, as `host::pulse` wants them. It decides nothing.
//!
//! A loop is a task beside the room: a timer on the fixed schedule, and a number. What takes it over cancels its timer
//! before it reads the clock, for in production the clock never passes a pending timer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use worker::{Response, Result, console_error, console_log};

use crate::host::Host;
use crate::host::pulse::{Act, Generation};
use crate::platform::clock::{Timer, now_ms, scheduled};
use crate::platform::table::{Room, Stage, TableObject};

#[derive(Default)]
pub struct Loop {
    /// Of the loop that runs.
    timer: RefCell<Rc<Timer>>,
    /// When the Lobby was last told of a room without a pulse, and of how many people.
    pub(super) told: Cell<(u64, u32)>,
}

impl Loop {
    /// Cancels the timer of the loop that runs, if one does.
    pub(super) fn cancel(&self) {
        self.timer.take().cancel();
    }
}

impl TableObject {
    /// The alarm. It never fails: an error would cost one of six counted retries, and the last one drops the
    /// alarm.
    ///
    /// # Errors
    /// Only if an empty response cannot be made.
    pub async fn alarm(&self) -> Result<Response> {
        let room = &self.0;
        room.ticks.cancel();
        let at_ms = room.life.borrow_mut().pulse.handle_fired(now_ms());
        // First of all: whatever happens below, a crash included, an alarm follows.
        room.set_alarm(at_ms).await;
        room.ensure(false);
        room.event(Stage::Other, Host::handle_alarm);
        room.settle().await;
        Response::empty()
    }
}

impl Room {
    /// After an event: does with the alarm and the loop what the room wants.
    pub(super) async fn settle(self: &Rc<Self>) {
        loop {
            let act = self.life.borrow_mut().poll_act(now_ms());
            match act {
                Some(Act::Look) => self.look().await,
                Some(Act::Set(at_ms)) => self.set_alarm(at_ms).await,
                Some(Act::Delete) => self.delete_alarm().await,
                Some(Act::Run(generation)) => self.take_over(generation),
                Some(Act::Rest) => {
                    console_log!("room {}: paused", self.label());
                    self.ticks.cancel();
                    self.tell_lobby();
                }
                None => break,
            }
        }
        self.tell_lobby_in_time();
    }

    async fn look(&self) {
        let stored = self.state.storage().get_alarm().await.ok().flatten();
        let stored = stored.and_then(|at| u64::try_from(at).ok());
        self.life.borrow_mut().pulse.handle_found(stored);
    }

    async fn set_alarm(&self, at_ms: u64) {
        // A test may ask for alarms that are late.
        let at_ms = at_ms + self.faults.late_alarm_ms();
        let taken = match self.state.storage().set_alarm(scheduled(at_ms)).await {
            Ok(()) => Some(at_ms),
            Err(error) => {
                console_error!("room {}: the alarm was refused: {error}", self.label());
                None
            }
        };
        self.life.borrow_mut().handle_alarm_set(taken);
    }

    async fn delete_alarm(&self) {
        if let Err(error) = self.state.storage().delete_alarm().await {
            console_error!("room {}: the alarm was not deleted: {error}", self.label());
        }
    }

    /// Runs the ticks from here on.
    fn take_over(self: &Rc<Self>, generation: Generation) {
        self.ticks.cancel();
        self.event(Stage::Other, Host::handle_take_over);
        self.tell_lobby();
        let timer = Rc::new(Timer::default());
        *self.ticks.timer.borrow_mut() = Rc::clone(&timer);
        let room = Rc::clone(self);
        self.state.wait_until(async move {
            room.tick_on(generation, &timer).await;
            let goes_on = room.life.borrow_mut().handle_loop_end(generation, now_ms());
            if goes_on {
                room.settle().await;
            }
        });
    }

    /// Ticks on the schedule. Ticks that are late run back to back, a turn of the event loop between them, so
    /// that messages get in.
    async fn tick_on(self: &Rc<Self>, generation: Generation, timer: &Timer) {
        loop {
            let now = now_ms();
            let Some(due) = self.life.borrow().next_tick_ms(generation, now) else { return };
            timer.sleep(due.saturating_sub(now)).await;
            if !self.life.borrow().pulse.is_current(generation) {
                return;
            }
            self.event(Stage::Tick, |host, now| {
                self.faults.panic_if_asked();
                host.handle_tick(now);
            });
        }
    }
}
