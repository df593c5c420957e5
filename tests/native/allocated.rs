//! Counts what a thread has allocated, so that a test can say how much something may cost.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    /// Bytes this thread holds, less what it frees of others; and the most since `peak_of` began.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends frees after its locals are gone; nobody measures that.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

// SAFETY: every call is the system's allocator's own; counting touches no memory it manages.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as our caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as our caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // As if both were held while one is copied to the other.
        count(size as isize);
        count(-(layout.size() as isize));
        // SAFETY: as our caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Bytes this thread holds now, less what it freed of others.
pub fn held() -> isize {
    HELD.get()
}

/// Runs `f`, and says how many more bytes this thread held at once than before.
pub fn peak_of<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let value = f();
    (value, usize::try_from(PEAK.get() - before).unwrap_or(0))
}
