//! A simulation whose inputs can be recorded: the boundary between a room's host and its rules.
//!
//! Everything that changes the simulation goes through here, so nothing that does can be left out of a recording; what
//! only looks at it is passed on. Without a recorder it costs a branch.

use std::ops::{Deref, DerefMut};

use crate::limits::REPLAY_DIGEST_TICKS;
use crate::rules::character::Character;
use crate::rules::cut::Cut;
use crate::rules::face::{
    AskId, Broken, Given, MindRow, Moment, Round, SeatInfo, Sim, Snapshot, Standing, Tally,
};
use crate::rules::ids::{Seat, Tick};
use crate::rules::replay::Op;
use crate::rules::replay::recorder::{Recorder, RecordingWrite};

pub struct Recorded {
    inner: Box<dyn Sim>,
    recorder: Option<Recorder>,
}

impl Recorded {
    #[must_use]
    pub fn new(inner: Box<dyn Sim>) -> Recorded {
        Recorded { inner, recorder: None }
    }

    /// Records from now on, or no more. `make` is given the simulation as it is.
    pub fn set_recorder(&mut self, make: impl FnOnce(&dyn Sim) -> Option<Recorder>) {
        self.recorder = make(self.inner.as_ref());
    }

    /// The file is stored in place of one of this run.
    pub fn outrun(&mut self, run: u64) {
        if let Some(recorder) = &mut self.recorder {
            recorder.outrun(run);
        }
    }

    #[must_use]
    pub fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// The file up to now; none when nothing is recorded.
    #[must_use]
    pub fn file(&self) -> Option<String> {
        let recorder = self.recorder.as_ref().filter(|recorder| !recorder.is_empty())?;
        Some(recorder.file(Some(self.inner.as_ref())))
    }

    /// The same of a simulation that may have stopped in the middle of something.
    #[must_use]
    pub fn file_of_fallen(&self) -> Option<String> {
        let recorder = self.recorder.as_ref().filter(|recorder| !recorder.is_empty())?;
        Some(recorder.file(None))
    }

    /// What is to be stored beside the commit of the state as it is.
    pub fn take_parts(&mut self) -> Option<RecordingWrite> {
        self.recorder.as_mut()?.take_parts(self.inner.as_ref())
    }

    fn note(&mut self, now_ms: u64, op: impl FnOnce() -> Op) {
        if let Some(recorder) = &mut self.recorder {
            recorder.op_at(&op(), now_ms);
        }
    }
}

/// To its holder it is a simulation like any other.
impl Deref for Recorded {
    type Target = dyn Sim;

    fn deref(&self) -> &(dyn Sim + 'static) {
        self
    }
}

impl DerefMut for Recorded {
    fn deref_mut(&mut self) -> &mut (dyn Sim + 'static) {
        self
    }
}

impl Sim for Recorded {
    fn join(&mut self, seat: &SeatInfo, now_ms: u64) {
        self.note(now_ms, || Op::Enter(Box::new(seat.clone())));
        self.inner.join(seat, now_ms);
    }

    fn leave(&mut self, seat: Seat, now_ms: u64) -> Option<Character> {
        self.note(now_ms, || Op::Leave(seat));
        self.inner.leave(seat, now_ms)
    }

    fn expel(&mut self, seat: Seat, now_ms: u64) {
        self.note(now_ms, || Op::Expel(seat));
        self.inner.expel(seat, now_ms);
    }

    fn resume(&mut self, away_ms: u64, now_ms: u64) {
        self.note(now_ms, || Op::Resume { away_ms });
        self.inner.resume(away_ms, now_ms);
    }

    fn step(&mut self, moment: &Moment<'_>) -> Result<(), Broken> {
        if let Some(recorder) = &mut self.recorder {
            recorder.step(moment);
        }
        self.inner.step(moment)?;
        if let Some(recorder) = &mut self.recorder {
            let digest = self.inner.tick().0.is_multiple_of(REPLAY_DIGEST_TICKS);
            recorder.stepped(self.inner.as_ref(), digest);
        }
        Ok(())
    }

    fn answer(&mut self, ask: AskId, text: &str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.op(&Op::Answer { ask, text: text.to_owned() });
        }
        self.inner.answer(ask, text);
    }

    fn drain(&mut self) -> Given {
        let given = self.inner.drain();
        if let Some(recorder) = &mut self.recorder {
            recorder.drained(given != Given::default());
        }
        given
    }

    fn tick(&self) -> Tick {
        self.inner.tick()
    }

    fn round(&self) -> Round {
        self.inner.round()
    }

    fn character(&self, seat: Seat) -> Option<Character> {
        self.inner.character(seat)
    }

    fn next_due_ms(&self) -> Option<u64> {
        self.inner.next_due_ms()
    }

    fn snapshot(&self, out: &mut Snapshot) {
        self.inner.snapshot(out);
    }

    fn cut(&self, cut: &mut Cut) {
        self.inner.cut(cut);
    }

    fn durable_mark(&self) -> u64 {
        self.inner.durable_mark()
    }

    fn digest(&self) -> u64 {
        self.inner.digest()
    }

    fn standing(&self) -> Vec<Standing> {
        self.inner.standing()
    }

    fn tally(&self) -> Tally {
        self.inner.tally()
    }

    fn minds(&self) -> Vec<MindRow> {
        self.inner.minds()
    }

    fn observe(&mut self, on: bool) {
        self.inner.observe(on);
    }
}
