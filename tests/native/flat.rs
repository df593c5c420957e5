//! A room that runs for long takes no more memory than one that has just begun.

use crate::allocated::held;
use crate::saves::played::{entered, held as controls};

const TICKS: u32 = 50_000;
/// Until whatever keeps a bounded past has as much of it as it may: rings, histories, samples.
const WARM_TICKS: u32 = 5_000;
/// Bytes between two ticks of the same room: bodies come and go, the save folds. A third of a byte a tick shows.
const BREATH_BYTES: isize = 16 << 10;

/// The bytes held after each stretch of ticks, of a room in which three play.
fn stretches(game: &str) -> Vec<isize> {
    let (mut room, more) = (entered(game), controls(game));
    let mut bytes = Vec::with_capacity((TICKS / WARM_TICKS) as usize);
    for tick in 1..=TICKS {
        room.tick(tick, more);
        if tick % 200 == 0 {
            // As the platform does after each event.
            let _ = room.host.poll_log(room.now_ms);
        }
        if tick % WARM_TICKS == 0 {
            bytes.push(held());
        }
    }
    let facts = room.host.facts(room.now_ms);
    assert_eq!((facts.tick, facts.people, facts.alive), (TICKS, 3, true));
    bytes
}

fn check(game: &str) {
    let bytes = stretches(game);
    let (least, most) = (bytes.iter().min().expect("some"), bytes.iter().max().expect("some"));
    assert!(most - least < BREATH_BYTES, "{game}: {bytes:?}");
}

/// F16
#[test]
fn fifty_thousand_ticks_of_an_arena_leave_the_heap_flat() {
    check("arena");
}

/// F16
#[test]
fn fifty_thousand_ticks_of_an_isle_leave_the_heap_flat() {
    check("isle");
}
