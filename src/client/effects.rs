//! Effects on their way to the screen: each is shown when the drawn time reaches its tick, once.
//!
//! Absent: how they look; the welcome says that and the page draws it.

use std::collections::VecDeque;

use crate::limits::{EFFECT_LATE_MS_MAX, EFFECTS_WAITING_MAX};

/// An effect to show now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownEffect {
    /// Index into the welcome's effects; none for one that it does not say the look of.
    pub index: Option<usize>,
    /// Metres; z is 0 on a flat map.
    pub at: [f64; 3],
}

#[derive(Debug, Default)]
pub(super) struct Effects {
    names: Vec<String>,
    /// With the time at which each is due; in order of arrival, which is the order of ticks.
    waiting: VecDeque<(f64, ShownEffect)>,
}

impl Effects {
    /// A welcome or a new epoch: what waited belongs to what was before.
    pub fn restart(&mut self, names: impl Iterator<Item = String>) {
        self.names = names.collect();
        self.waiting.clear();
    }

    pub fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Takes an effect in; the oldest is dropped when too many wait.
    pub fn add(&mut self, name: &str, at: [f64; 3], due_ms: f64) {
        let index = self.names.iter().position(|n| n == name);
        if self.waiting.len() >= EFFECTS_WAITING_MAX {
            self.waiting.pop_front();
        }
        self.waiting.push_back((due_ms, ShownEffect { index, at }));
    }

    /// Hands out what is due at `at_ms`; what is long past (a page that slept) is not shown any more.
    pub fn show(&mut self, at_ms: f64, out: &mut Vec<ShownEffect>) {
        while let Some((due, effect)) = self.waiting.front().copied() {
            if due > at_ms {
                return;
            }
            self.waiting.pop_front();
            if at_ms - due <= EFFECT_LATE_MS_MAX {
                out.push(effect);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(effects: &mut Effects, room_ms: f64) -> Vec<Option<usize>> {
        let mut out = Vec::new();
        effects.show(room_ms, &mut out);
        out.iter().map(|effect| effect.index).collect()
    }

    #[test]
    fn an_effect_is_shown_once_when_its_time_comes() {
        let mut effects = Effects::default();
        effects.restart(["hit", "die"].map(String::from).into_iter());
        effects.add("die", [1.0, 2.0, 0.0], 1_000.0);
        effects.add("undeclared", [1.0, 2.0, 0.0], 1_000.0);
        assert_eq!(shown(&mut effects, 999.0), []);
        assert_eq!(shown(&mut effects, 1_000.0), [Some(1), None]);
        assert_eq!(shown(&mut effects, 1_016.0), []);
    }

    #[test]
    fn a_page_that_slept_is_not_shown_what_it_missed() {
        let mut effects = Effects::default();
        effects.restart(["hit".to_owned()].into_iter());
        for i in 0..1_000 {
            effects.add("hit", [0.0; 3], f64::from(i));
        }
        assert_eq!(shown(&mut effects, 60_000.0), []);
    }
}
