//! Time: the runtime's clock, a deadline, and a sleep that another loop can cut short.
//!
//! In production the clock stands still while code runs and never passes the object's earliest pending timer.
//! So a loop that takes over cancels the former one's timer *before* it reads the clock: dropping the future
//! alone would not do, as it happens when the task is polled next.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use wasm_bindgen::prelude::wasm_bindgen;
use worker::js_sys::Date as JsDate;
use worker::wasm_bindgen::JsValue;
use worker::{Date, Delay, ScheduledTime};

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    Date::now().as_millis()
}

/// Milliseconds since some moment, with fractions if the runtime has any, for figures alone.
/// Production's stands still while code runs.
pub fn stopwatch() -> f64 {
    performance_now()
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
}

/// A time for `set_alarm`: a plain number would be taken for an offset.
pub fn scheduled(at_ms: u64) -> ScheduledTime {
    ScheduledTime::new(JsDate::new(&JsValue::from_f64(at_ms as f64)))
}

/// What is asked for in many places: its code is there once, and not in each of them, as that of an `async fn` would be.
pub type Soon<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Waits `ms`.
pub async fn sleep(ms: u64) {
    Delay::from(Duration::from_millis(ms)).await;
}

/// What `work` gives; none if it takes longer than `ms`. It is dropped then; what it asked of others may
/// still happen.
pub async fn within<T>(ms: u64, work: impl Future<Output = T>) -> Option<T> {
    let (mut work, mut late) = (pin!(work), pin!(Delay::from(Duration::from_millis(ms))));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => late.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// A timer that is waited for by one task and may be cancelled by another.
#[derive(Default)]
pub struct Timer {
    waiting: RefCell<Option<(Delay, Option<Waker>)>>,
}

impl Timer {
    /// Waits `ms`, at least one turn of the event loop; returns early when cancelled.
    pub async fn sleep(&self, ms: u64) {
        let delay = Delay::from(Duration::from_millis(ms));
        *self.waiting.borrow_mut() = Some((delay, None));
        Sleep(self).await;
    }

    /// Clears the timer at once and lets its task go on.
    pub fn cancel(&self) {
        let waiting = self.waiting.borrow_mut().take();
        if let Some((delay, waker)) = waiting {
            drop(delay);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

struct Sleep<'a>(&'a Timer);

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.0.waiting.borrow_mut();
        let Some((delay, waker)) = waiting.as_mut() else {
            return Poll::Ready(());
        };
        if Pin::new(delay).poll(context).is_ready() {
            *waiting = None;
            return Poll::Ready(());
        }
        *waker = Some(context.waker().clone());
        Poll::Pending
    }
}
