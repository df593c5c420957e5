//! What the rules have recorded, on its way to D1, which may be away, or take it and not be heard.

use roundtable::host::{CallId, RecordRow};
use roundtable::limits::PEER_CALL_MS;

use crate::checkers::Checker;
use crate::object::At;
use crate::world::{Event, World};

impl World {
    /// A room gives D1 a batch.
    pub fn record(&mut self, at: At, call: CallId, rows: Vec<RecordRow>) {
        let incarnation = self.life(at).incarnation();
        let is_away = self.now < self.lobby.records_back_ms;
        if !is_away {
            for row in rows {
                let is_same = self.recorded.get(&row.id).is_none_or(|known| *known == row);
                self.checks.expect(is_same, Checker::Records, || format!("two records of one id: {row:?}"));
                self.recorded.insert(row.id.clone(), row);
            }
        }
        let is_lost = self.dice.chance(self.rates.call_lost);
        let way = if is_away || is_lost { PEER_CALL_MS } else { self.dice.within(1, 200) };
        let taken = !is_away && !is_lost;
        self.at(self.now + way, Event::Recorded { at, incarnation, call, taken });
    }

    /// The room hears of it, if it is still the one that asked.
    pub fn recorded(&mut self, at: At, incarnation: u64, call: CallId, taken: bool) {
        if self.object(at).is_none_or(|object| object.life.incarnation() != incarnation) {
            return;
        }
        if self.begin(at, false) {
            let now = self.clock(at);
            let object = self.object(at).expect("it goes on");
            if object.life.incarnation() == incarnation {
                object.life.hear(|host| host.handle_recorded(call, taken, now));
            }
        }
        self.finish(at);
    }
}
