//! Time: the runtime's clock, and a sleep that another loop can cut short.
//!
//! In production the clock stands still while code runs and never passes the object's earliest pending timer.
//! So a loop that takes over cancels the former one's timer *before* it reads the clock: dropping the future
//! alone would not do, as it happens when the task is polled next.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use worker::{Date, Delay};

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    Date::now().as_millis()
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
