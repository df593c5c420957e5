//! The pulse of a room: an alarm that vouches for its ticks, and the loop that runs them.
//!
//! An alarm arms the next one first, takes over the loop (generation + 1, the former timer cancelled) and
//! returns; the ticks run on until the next alarm takes over, the room pauses or ends, or `PULSE_TAIL_MS`
//! passed without one. An event that finds a live room without a loop arms the alarm and starts the loop at
//! once. An alarm is armed before any tick runs. So a crash is followed by an alarm, and a pulse costs one
//! row and one request, not one a tick.
//!
//! A room that runs by events has no loop: no timer and no task outlives an event, so the object may sleep with its
//! sockets, and the alarm is when the host next has something to do, or none.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use worker::{Response, Result, console_error, console_log};

use crate::host::Host;
use crate::limits::{ALARM_OVERDUE_MS, ALARM_OVERDUE_MS_MAX, PULSE_MS, PULSE_TAIL_MS};
use crate::platform::clock::{Timer, now_ms, scheduled};
use crate::platform::table::{Life, Room, Stage, TableObject};

#[derive(Default)]
pub struct Pulse {
    /// The loop whose number this is may tick; an older one ends.
    generation: Cell<u64>,
    running: Cell<bool>,
    /// The room was live when last looked at: the Lobby has yet to hear that it rests.
    live: Cell<bool>,
    timer: RefCell<Rc<Timer>>,
    /// When the running loop was last vouched for.
    vouched_ms: Cell<u64>,
    /// When the alarm fires, as far as this incarnation knows.
    armed_ms: Cell<Option<u64>>,
    /// When the Lobby was last told of a room without a pulse, and of how many people.
    pub(super) told: Cell<(u64, u32)>,
    /// How long overdue the alarm may be before it is armed anew.
    patience_ms: Cell<u64>,
}

impl Pulse {
    /// Begins a loop: the former one ends without a further tick, its timer cleared at once.
    fn begin(&self, now: u64) -> u64 {
        self.stop();
        self.running.set(true);
        self.vouched_ms.set(now);
        self.generation.get()
    }

    /// Ends the loop.
    pub fn stop(&self) {
        self.generation.set(self.generation.get() + 1);
        self.running.set(false);
        self.timer.take().cancel();
    }

    pub fn is_running(&self) -> bool {
        self.running.get()
    }

    fn is_overdue(&self, now: u64) -> bool {
        let patience_ms = self.patience_ms.get().max(ALARM_OVERDUE_MS);
        let overdue = self.armed_ms.get().is_none_or(|armed| now > armed.saturating_add(patience_ms));
        if overdue {
            self.patience_ms.set((patience_ms * 2).min(ALARM_OVERDUE_MS_MAX));
        }
        overdue
    }
}

impl TableObject {
    /// The alarm. It never fails: an error would cost one of six counted retries, and the last one drops the
    /// alarm.
    ///
    /// # Errors Only if an empty response cannot be made.
    pub async fn alarm(&self) -> Result<Response> {
        let room = &self.0;
        let now = now_ms();
        let generation = room.pulse.begin(now);
        room.pulse.patience_ms.set(0);
        // First of all: whatever happens below, a crash included, an alarm follows.
        room.arm(now + PULSE_MS).await;
        room.ensure();
        room.event(Stage::Other, Host::handle_alarm);
        match room.wanted(now) {
            Wanted::Pulse(due) => {
                if due < now + PULSE_MS {
                    room.arm(due.max(now + 1)).await;
                }
                room.take_over(generation);
            }
            Wanted::Alarm(due) => {
                room.rest();
                room.arm(due.max(now + 1)).await;
            }
            Wanted::Never => {
                room.rest();
                room.disarm().await;
            }
            Wanted::Unknown => room.pulse.stop(),
        }
        Response::empty()
    }
}

/// When a room wants its alarm.
enum Wanted {
    /// It ticks.
    Pulse(u64),
    /// It rests, or runs by events, and something is due then: a timer, the end of a grace, a retry of its outbox.
    Alarm(u64),
    Never,
    /// Nothing is in memory: what is armed stays.
    Unknown,
}

impl Room {
    fn wanted(&self, now: u64) -> Wanted {
        match &*self.life.borrow() {
            Life::Live(host) => match host.next_alarm_ms(now) {
                Some(due) if host.next_tick_ms().is_some() => Wanted::Pulse(due),
                Some(due) => Wanted::Alarm(due),
                None => Wanted::Never,
            },
            Life::Absent | Life::Refused(_) => Wanted::Never,
            Life::Unread => Wanted::Unknown,
        }
    }

    /// After an event: a live room has a loop and an alarm, one that rests has an alarm if something is due.
    pub(super) async fn settle(self: &Rc<Self>) {
        let now = now_ms();
        match self.wanted(now) {
            Wanted::Pulse(due) if !self.pulse.running.get() => {
                let generation = self.pulse.begin(now);
                if self.arm(due.max(now + 1)).await {
                    self.take_over(generation);
                } else {
                    // Nothing would vouch for its ticks: the next event tries again.
                    self.pulse.stop();
                }
            }
            Wanted::Pulse(due) => self.arm_in_time(due, now).await,
            Wanted::Alarm(due) => {
                self.rest();
                self.arm_in_time(due, now).await;
            }
            Wanted::Never => {
                self.rest();
                if self.pulse.armed_ms.get().is_some() {
                    self.disarm().await;
                }
            }
            Wanted::Unknown => {}
        }
    }

    /// The room does not tick: no timer, and the list must know.
    fn rest(self: &Rc<Self>) {
        self.pulse.stop();
        if self.pulse.live.take() {
            console_log!("room {}: paused", self.label());
            self.tell_lobby();
        }
        self.tell_lobby_in_time();
    }

    /// Arms the alarm anew if it is armed for later than it is wanted, or overdue.
    async fn arm_in_time(&self, due: u64, now: u64) {
        let late_ms = self.faults.late_alarm_ms();
        if self.pulse.armed_ms.get().is_none() {
            // A room that woke has its alarm still, and a row is dearer than a look.
            let stored = self.state.storage().get_alarm().await.ok().flatten();
            let stored = stored.and_then(|at| u64::try_from(at).ok());
            self.pulse.armed_ms.set(self.pulse.armed_ms.get().or(stored));
        }
        match self.pulse.armed_ms.get() {
            Some(armed) if due.saturating_add(late_ms) >= armed => {
                if self.pulse.is_overdue(now) {
                    console_log!("room {}: its alarm is overdue, armed anew", self.label());
                    self.arm(now + 1).await;
                }
            }
            _ => {
                self.arm(due.max(now + 1)).await;
            }
        }
    }

    /// Arms the alarm; false if storage refused.
    pub(super) async fn arm(&self, at_ms: u64) -> bool {
        let at_ms = at_ms + self.faults.late_alarm_ms();
        self.pulse.armed_ms.set(Some(at_ms));
        match self.state.storage().set_alarm(scheduled(at_ms)).await {
            Ok(()) => true,
            Err(error) => {
                console_error!("room {}: the alarm was refused: {error}", self.label());
                self.pulse.armed_ms.set(None);
                false
            }
        }
    }

    async fn disarm(&self) {
        self.pulse.armed_ms.set(None);
        if let Err(error) = self.state.storage().delete_alarm().await {
            console_error!("room {}: the alarm was not deleted: {error}", self.label());
        }
    }

    /// Runs the ticks from here on, unless another loop has begun meanwhile.
    fn take_over(self: &Rc<Self>, generation: u64) {
        if self.pulse.generation.get() != generation {
            return;
        }
        self.event(Stage::Other, Host::handle_take_over);
        self.pulse.live.set(true);
        self.tell_lobby();
        let timer = Rc::new(Timer::default());
        *self.pulse.timer.borrow_mut() = Rc::clone(&timer);
        let room = Rc::clone(self);
        self.state.wait_until(async move {
            room.tick_on(generation, &timer).await;
            if room.pulse.generation.get() == generation {
                room.pulse.stop();
                room.settle_down().await;
            }
        });
    }

    /// Ticks on the schedule. Ticks that are late run back to back, a turn of the event loop between them, so
    /// that messages get in.
    async fn tick_on(self: &Rc<Self>, generation: u64, timer: &Timer) {
        loop {
            let due = match &*self.life.borrow() {
                Life::Live(host) => host.next_tick_ms(),
                _ => None,
            };
            let now = now_ms();
            let Some(due) = due else { return };
            if self.pulse.generation.get() != generation
                || now.saturating_sub(self.pulse.vouched_ms.get()) > PULSE_TAIL_MS
            {
                return;
            }
            timer.sleep(due.saturating_sub(now)).await;
            if self.pulse.generation.get() != generation {
                return;
            }
            self.event(Stage::Tick, |host, now| {
                self.faults.panic_if_asked();
                host.handle_tick(now);
            });
        }
    }

    /// The loop has ended by itself. A room that paused needs no alarm; one that was not vouched for waits
    /// for an event.
    async fn settle_down(self: &Rc<Self>) {
        if !matches!(self.wanted(now_ms()), Wanted::Pulse(_)) {
            self.settle().await;
        }
    }
}
