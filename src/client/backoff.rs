//! How long to wait before the next try to connect: jittered, doubling, or the time a close reason names.
//!
//! The first try after a plain loss comes within `RECONNECT_MS_MIN`; in the first `RECONNECT_EAGER_MS` of an
//! outage tries stay `RECONNECT_EAGER_MS_MAX` apart, since the seat is still kept then; later they reach
//! `RECONNECT_MS_MAX`. Waits for an account (busy, returning, records away, no session) have a schedule of their own, which
//! failed tries to connect do not stretch. The jitter is drawn from a seed, so a simulation repeats. Absent: state of the
//! link, clocks.

use crate::limits::{
    BUSY_WAIT_MS_MAX, BUSY_WAIT_MS_MIN, FULL_WAIT_MS, LATER_MS_MAX, LIMIT_WAIT_MS_MIN, RECONNECT_EAGER_MS,
    RECONNECT_EAGER_MS_MAX, RECONNECT_MS_MAX, RECONNECT_MS_MIN,
};
use crate::wire::close::{CloseCode, Retry};

/// A close reason's number from which on it is a time (milliseconds since 1970) and no duration: the year
/// 2001.
const EPOCH_MS_MIN: f64 = 1e12;

/// Tries since the link was last steadily up.
#[derive(Debug)]
pub(super) struct Backoff {
    tries: u32,
    /// Tries that ended because of the account.
    waits: u32,
    since_ms: Option<f64>,
    random: u64,
}

impl Backoff {
    pub fn new(seed: u64) -> Backoff {
        Backoff { tries: 0, waits: 0, since_ms: None, random: seed }
    }

    pub fn reset(&mut self) {
        (self.tries, self.waits, self.since_ms) = (0, 0, None);
    }

    /// A number from 0 to 1 (SplitMix64).
    fn draw(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // 53 bits: exact in an f64.
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Half to the whole of a step that doubles with each try, between `least` and `most`.
    fn step(&mut self, least: f64, most: f64) -> f64 {
        let doubled = least * f64::from(1u32 << self.tries.min(16));
        self.tries = self.tries.saturating_add(1);
        doubled.min(most) * (0.5 + 0.5 * self.draw())
    }

    /// Milliseconds until the account is tried again: 1 to 2 s at first, 15 to 30 s in the end.
    fn account_step(&mut self) -> f64 {
        let doubled = 2.0 * BUSY_WAIT_MS_MIN * f64::from(1u32 << self.waits.min(16));
        self.waits = self.waits.saturating_add(1);
        doubled.min(BUSY_WAIT_MS_MAX) * (0.5 + 0.5 * self.draw())
    }
}

/// Milliseconds to wait after a loss with this code (none: the link just broke).
pub(super) fn next_wait_ms(backoff: &mut Backoff, code: Option<CloseCode>, reason: &str, now_ms: f64) -> f64 {
    match code {
        Some(CloseCode::Full) => FULL_WAIT_MS * (1.0 + 0.1 * backoff.draw()),
        Some(CloseCode::Busy | CloseCode::Returning | CloseCode::Away | CloseCode::Session) => {
            backoff.account_step()
        }
        Some(code) if code.retry() == Retry::Later => {
            let asked = wait_in_reason(reason, now_ms).unwrap_or(LIMIT_WAIT_MS_MIN);
            let least = if code == CloseCode::Limit { LIMIT_WAIT_MS_MIN } else { 0.0 };
            asked.clamp(least, LATER_MS_MAX) * (1.0 + 0.1 * backoff.draw())
        }
        // At once, but not all of a room's players in the same millisecond.
        _ if backoff.tries == 0 && code.is_none_or(|c| c.retry() == Retry::Now) => {
            backoff.tries = 1;
            backoff.since_ms = Some(now_ms);
            RECONNECT_MS_MIN * backoff.draw()
        }
        _ => {
            let since = *backoff.since_ms.get_or_insert(now_ms);
            let is_eager = now_ms - since < RECONNECT_EAGER_MS;
            backoff.step(RECONNECT_MS_MIN, if is_eager { RECONNECT_EAGER_MS_MAX } else { RECONNECT_MS_MAX })
        }
    }
}

/// The wait that a reason names: `60 s`, `500 ms`, `5 min`, or a time in milliseconds since 1970.
fn wait_in_reason(reason: &str, now_ms: f64) -> Option<f64> {
    let bytes = reason.as_bytes();
    let start = bytes.iter().position(u8::is_ascii_digit)?;
    let digits = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let number: f64 = reason[start..start + digits].parse().ok()?;
    if number >= EPOCH_MS_MIN {
        return Some((number - now_ms).max(0.0));
    }
    let unit: String =
        reason[start + digits..].trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    match unit.as_str() {
        "ms" => Some(number),
        "min" | "minute" | "minutes" => Some(number * 60_000.0),
        "h" | "hour" | "hours" => Some(number * 3_600_000.0),
        "s" | "second" | "seconds" => Some(number * 1_000.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A deploy closes every socket at once; fifty clients do not knock together.
    #[test]
    fn clients_that_lost_the_room_together_come_back_apart() {
        let mut waits: Vec<f64> =
            (0..50).map(|seed| next_wait_ms(&mut Backoff::new(seed), None, "", 0.0)).collect();
        waits.sort_by(f64::total_cmp);
        assert!(waits[0] >= 0.0 && waits[49] <= RECONNECT_MS_MIN);
        assert!(waits[40] - waits[10] > RECONNECT_MS_MIN / 4.0, "{waits:?}");
    }

    #[test]
    fn tries_are_dense_while_the_seat_is_kept_and_thin_out_later() {
        let mut backoff = Backoff::new(1);
        let mut now = 0.0;
        let mut waits = Vec::new();
        while now < 120_000.0 {
            let wait = next_wait_ms(&mut backoff, None, "", now);
            waits.push((now, wait));
            now += wait.max(1.0);
        }
        let early = |at: &f64| *at < RECONNECT_EAGER_MS;
        assert!(waits.iter().filter(|(at, _)| early(at)).all(|(_, w)| *w <= RECONNECT_EAGER_MS_MAX));
        let late: Vec<f64> = waits.iter().filter(|(at, _)| !early(at)).map(|(_, w)| *w).collect();
        assert!(late.iter().all(|w| (RECONNECT_MS_MAX / 2.0..=RECONNECT_MS_MAX).contains(w)), "{late:?}");
    }

    #[test]
    fn a_wait_that_the_room_names_is_kept_to() {
        let wait = |code, reason: &str| next_wait_ms(&mut Backoff::new(3), Some(code), reason, EPOCH_MS_MIN);
        assert!((60_000.0..=66_000.0).contains(&wait(CloseCode::Parked, "parked: try again in 60 s")));
        assert!((120_000.0..=132_000.0).contains(&wait(CloseCode::Limit, "until 1000000120000")));
        assert!(wait(CloseCode::Limit, "1 s") >= LIMIT_WAIT_MS_MIN);
        assert!(wait(CloseCode::Parked, "no number at all") >= LIMIT_WAIT_MS_MIN);
        assert!(wait(CloseCode::Parked, "999999999999 h") <= LATER_MS_MAX * 1.1);
        assert!((10_000.0..=11_000.0).contains(&wait(CloseCode::Full, "all 8 seats are taken")));
    }

    /// A server that was away for long does not make the first wait for a character a long one.
    #[test]
    fn an_account_is_waited_for_from_1_to_30_seconds_on_its_own_schedule() {
        for code in [CloseCode::Busy, CloseCode::Returning, CloseCode::Away] {
            let mut backoff = Backoff::new(3);
            for _ in 0..20 {
                next_wait_ms(&mut backoff, None, "", 0.0);
            }
            let waits: Vec<f64> = (0..12).map(|_| next_wait_ms(&mut backoff, Some(code), "", 0.0)).collect();
            assert!(waits[0] <= 2.0 * BUSY_WAIT_MS_MIN, "{code:?} {waits:?}");
            assert!(waits.iter().all(|ms| (BUSY_WAIT_MS_MIN..=BUSY_WAIT_MS_MAX).contains(ms)), "{waits:?}");
            assert!(waits[4..].iter().all(|ms| *ms >= BUSY_WAIT_MS_MAX / 2.0), "{waits:?}");
        }
        let wait = |seed| next_wait_ms(&mut Backoff::new(seed), Some(CloseCode::Busy), "", 0.0);
        let mut waits: Vec<f64> = (0..50).map(wait).collect();
        waits.sort_by(f64::total_cmp);
        assert!(waits[40] - waits[10] > BUSY_WAIT_MS_MIN / 4.0, "jittered: {waits:?}");
    }
}
