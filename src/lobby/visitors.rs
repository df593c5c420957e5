//! How many sessions an address may be given: an allowance that each one uses up and time gives back.
//!
//! Sessions cost nothing here, no row and no object, so this only has to slow down a flood. Absent: the
//! addresses' meaning; a text is a visitor.

use std::collections::BTreeMap;

use crate::limits::{SESSION_SPACING_MS, SESSIONS_BURST, VISITOR_CHARS_MAX, VISITORS_MAX};

/// Visitors, and when each one's allowance is whole again.
#[derive(Default)]
pub struct Visitors(BTreeMap<String, u64>);

impl Visitors {
    /// Whether this visitor may have one more; if so it is counted.
    pub fn admit(&mut self, visitor: &str, now_ms: u64) -> bool {
        let visitor: String = visitor.chars().take(VISITOR_CHARS_MAX).collect();
        let whole_ms = self.0.get(&visitor).copied().unwrap_or(0).max(now_ms) + SESSION_SPACING_MS;
        if whole_ms - now_ms > SESSIONS_BURST * SESSION_SPACING_MS {
            return false;
        }
        if !self.0.contains_key(&visitor) && self.0.len() >= VISITORS_MAX {
            self.forget(now_ms);
        }
        self.0.insert(visitor, whole_ms);
        true
    }

    /// Those with a whole allowance say nothing; if all have used some, the one that used least is forgotten.
    fn forget(&mut self, now_ms: u64) {
        self.0.retain(|_, whole_ms| *whole_ms > now_ms);
        if self.0.len() >= VISITORS_MAX
            && let Some(least) = self.0.iter().min_by_key(|(_, whole_ms)| **whole_ms).map(|(v, _)| v.clone())
        {
            self.0.remove(&least);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_790_000_000_000;

    #[test]
    fn an_address_is_slowed_down_and_others_are_not() {
        let mut visitors = Visitors::default();
        let given = (0..2 * SESSIONS_BURST).filter(|_| visitors.admit("a", NOW)).count() as u64;
        assert_eq!(given, SESSIONS_BURST);
        assert!(visitors.admit("b", NOW));
        assert!(!visitors.admit("a", NOW + SESSION_SPACING_MS - 1));
        assert!(visitors.admit("a", NOW + SESSION_SPACING_MS));
    }

    #[test]
    fn a_flood_of_addresses_takes_no_more_room() {
        let mut visitors = Visitors::default();
        while visitors.admit("busy", NOW) {}
        for i in 0..3 * VISITORS_MAX {
            assert!(visitors.admit(&format!("v{i}"), NOW));
        }
        assert_eq!(visitors.0.len(), VISITORS_MAX);
        assert!(!visitors.admit("busy", NOW), "who used most is remembered longest");
        assert!(visitors.admit(&"x".repeat(10_000), NOW));
    }
}
