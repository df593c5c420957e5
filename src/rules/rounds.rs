//! Rounds and matches: a live round, the break after it, the next match; seats stay throughout.

use crate::rules::contain::fail;
use crate::rules::engine::{Engine, Place};
use crate::rules::evolve::{Report, character_row};
use crate::rules::face::{SeatInfo, Stage};
use crate::rules::field::Fitted;
use crate::rules::game::Rules;
use crate::rules::ids::{BodyId, Seat};
use crate::rules::schema::KindSpec;
use crate::rules::stages::{SHARE_AFTER_TICKS, SHARE_BEFORE_TICKS};
use crate::rules::step::RoomSim;

impl<R: Rules> RoomSim<R> {
    /// The first round of a new room.
    pub fn open(&mut self) {
        self.world.run("open", R::open);
        self.world.run("round_start", R::round_start);
        self.run_fresh(SHARE_AFTER_TICKS);
        self.settle();
    }

    /// Gives a seat the body that `join` says. When it says none, a character plays on as it is: it would be lost with
    /// its seat else.
    pub(super) fn enter(&mut self, info: &SeatInfo) {
        let id = self.world.run("join", |w| {
            let entry = R::join(w, info);
            let id = w.engine.spawn(entry.kind as u8, Some(info.seat), entry.place);
            match id {
                Some(id) => (entry.put)(w, id),
                None => w.engine.note(
                    || "join".to_owned(),
                    "body",
                    Fitted::new("dropped", "the room is full of bodies"),
                ),
            }
            id
        });
        let id =
            id.flatten().or_else(|| self.world.run("join", |w| w.engine.spawn_character(info)).flatten());
        let tick = self.world.engine.tick;
        if let Some(state) = self.world.engine.seats.get_mut(&info.seat) {
            (state.body, state.claimed) = (id, tick);
        }
    }

    /// Ends the round, or the break, if its time has come.
    pub(super) fn run_round(&mut self) {
        self.world.engine.tally.stage = Stage::Round;
        if !self.world.engine.round_is_due() {
            return;
        }
        if !self.world.engine.round.live {
            return self.restart_match();
        }
        self.world.run("round_end", R::round_end);
        let engine = &mut self.world.engine;
        engine.round.live = false;
        let length = engine.span(engine.schema.room.break_s);
        engine.set_round_end(Some(length));
        engine.given.round_changed = true;
        // What was asked while the round ended is not asked of the next one.
        engine.restart_due = false;
    }

    /// The next match: every body goes and shared state starts anew; every seat is joined again as if its holder had just
    /// sat down, with its character as it is now.
    pub(super) fn restart_match(&mut self) {
        let info = |(&seat, state): (&Seat, &crate::rules::engine::SeatState)| SeatInfo {
            seat,
            name: state.name.clone(),
            driver: state.driver,
            owner: state.owner.clone(),
            character: self.world.engine.character(seat),
        };
        let seats: Vec<SeatInfo> = self.world.engine.seats.iter().map(info).collect();
        let engine = &mut self.world.engine;
        engine.clear();
        engine.begin_round(engine.round.number.saturating_add(1));
        (engine.given.round_changed, engine.given.restarted) = (true, true);
        for seat in seats {
            self.enter(&seat);
        }
        self.world.run("round_start", R::round_start);
        self.run_fresh(SHARE_BEFORE_TICKS);
    }
}

impl Engine {
    /// A body as a character has it, somewhere. None without a character, or when it does not fit the game any more.
    fn spawn_character(&mut self, info: &SeatInfo) -> Option<BodyId> {
        let character = info.character.as_ref()?;
        let is_its =
            |kind: &KindSpec| kind.name == character.kind || kind.was.contains(&character.kind.as_str());
        let kind = self.schema.kinds.iter().position(|kind| kind.player && is_its(kind))?;
        let column = self.columns[kind].as_ref();
        let words =
            character_row(&self.schema.kinds[kind], column, character, &mut Report::default()).ok()?;
        // The index of one of at most KINDS_MAX kinds.
        let id = self.spawn(kind as u8, Some(info.seat), Place::Anywhere)?;
        if !self.columns[kind].restore(id, &words) {
            fail("its character does not fit".to_owned());
        }
        Some(id)
    }
}
