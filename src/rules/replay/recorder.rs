//! Writes a replay file while a room runs: all that goes into the simulation, in order, as differences.
//!
//! The file is a save and one or two segments of a log. When the newest segment is full a save is taken; when the next is
//! full too, the file begins anew at that save. So a room that has been recorded for long has at least a whole segment
//! behind it, and never more than two. What is about to be done is written before it is done: a file that ends in a panic
//! ends with the step that panicked. Absent: who wants a recording, and where it is kept (the host, the platform).

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::limits::{
    RECORDING_HEAD_BYTES_MAX, RECORDING_PART_BYTES, RECORDING_SEGMENT_BYTES, RECORDING_SEGMENT_TICKS,
};
use crate::rules::cut::Cut;
use crate::rules::face::{Moment, SeatInput, Sim};
use crate::rules::ids::{Epoch, Seat, Tick};
use crate::rules::input::Controls;
use crate::rules::replay::Op;
use crate::rules::replay::file::{Header, ReplayFile, heading};

/// What a seat holds as far as the log tells; none: it has to be told.
type Hand = Option<(Controls, u16)>;

/// The save at which the next file begins, if this one gets too long.
struct Next {
    heading: String,
    header: Header,
    /// Where the log that follows that save begins.
    log_at: usize,
}

pub struct Recorder {
    header: Header,
    /// Of this incarnation.
    epoch: Epoch,
    /// Time is an input of such a room, and of no other.
    by_events: bool,
    text: String,
    /// Where the log begins.
    log_at: usize,
    next: Option<Next>,
    /// Steps since the newest save.
    steps: u32,
    hands: BTreeMap<Seat, Hand>,
    now_ms: Option<u64>,
    /// Steps that are not written yet: nothing came in between.
    pending: u32,
    /// What the newest step gave out has not been taken.
    has_stepped: bool,
    /// Files that were begun so far: which one a part belongs to.
    run: u64,
    /// Bytes of this one that were handed out to be stored.
    stored: usize,
    /// Nothing is recorded any more, and why.
    stopped: Option<&'static str>,
}

/// Parts of a file to be stored, each in place of the former one of its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingWrite {
    /// Parts of a lower run are of a file that was given up.
    pub run: u64,
    pub parts: Vec<(u32, Vec<u8>)>,
}

impl Recorder {
    /// Begins with a save of the room as it is. `header` without tick and time. What the rules gave out must have been
    /// taken.
    #[must_use]
    pub fn start(header: Header, by_events: bool, now_ms: u64, sim: &dyn Sim) -> Recorder {
        let mut recorder = Recorder {
            epoch: header.epoch,
            header,
            by_events,
            text: String::new(),
            log_at: 0,
            next: None,
            steps: 0,
            hands: BTreeMap::new(),
            now_ms: by_events.then_some(now_ms),
            pending: 0,
            has_stepped: false,
            run: 0,
            stored: 0,
            stopped: None,
        };
        match recorder.save(sim) {
            Some((header, heading)) => {
                recorder.log_at = heading.len();
                (recorder.header, recorder.text) = (header, heading);
            }
            None => recorder.stopped = Some("the room's save is too large for a recording"),
        }
        recorder
    }

    /// Goes on with a stored file of this very room, which was restored from the commit that the file ends with. None when
    /// it is anything else: then a new file is to be begun.
    #[must_use]
    pub fn resume(
        run: u64,
        text: String,
        header: &Header,
        by_events: bool,
        sim: &dyn Sim,
    ) -> Option<Recorder> {
        let file = ReplayFile::parse_heading(&text).ok()?;
        let (written, log) = (&file.header, file.log());
        let same = written.game == header.game && written.room == header.room;
        let same = same && written.build == header.build && written.schema == header.schema;
        let last = Op::Digest(sim.digest()).to_string();
        if !same || text.strip_suffix('\n')?.rsplit('\n').next()? != last {
            return None;
        }
        let counts = log.lines().filter_map(|line| line.strip_prefix("tick ")?.parse::<u32>().ok());
        let steps = counts.fold(0, u32::saturating_add);
        // Where its second segment begins is forgotten: at its most, with one more, it stays within what is read.
        if log.len() > 2 * RECORDING_SEGMENT_BYTES || steps > 2 * RECORDING_SEGMENT_TICKS {
            return None;
        }
        let mut recorder = Recorder {
            epoch: header.epoch,
            log_at: text.len() - log.len(),
            header: file.header,
            by_events,
            stored: text.len(),
            text,
            next: None,
            steps,
            hands: BTreeMap::new(),
            now_ms: None,
            pending: 0,
            has_stepped: false,
            run,
            stopped: None,
        };
        recorder.op(&Op::Epoch(header.epoch));
        Some(recorder)
    }

    /// The file is stored in place of one of this run.
    pub fn outrun(&mut self, run: u64) {
        self.run = run.saturating_add(1);
    }

    /// Where the file begins.
    #[must_use]
    pub fn since(&self) -> (Epoch, Tick) {
        (self.header.epoch, self.header.tick)
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Why nothing is recorded any more.
    #[must_use]
    pub fn stopped(&self) -> Option<&'static str> {
        self.stopped
    }

    /// The file up to now. `sim`: in the state that it leads to; none when that is not to be looked at.
    #[must_use]
    pub fn file(&self, sim: Option<&dyn Sim>) -> String {
        let mut text = self.text.clone();
        put_pending(&mut text, self.pending);
        if let Some(sim) = sim {
            put(&mut text, &Op::Digest(sim.digest()));
        }
        text
    }

    /// What is to be stored beside the commit of the state as it is.
    pub fn take_parts(&mut self, sim: &dyn Sim) -> Option<RecordingWrite> {
        if self.stored == self.text.len() && self.pending == 0 || self.stopped.is_some() {
            return None;
        }
        self.op(&Op::Digest(sim.digest()));
        let from = self.stored / RECORDING_PART_BYTES;
        let bytes = &self.text.as_bytes()[from * RECORDING_PART_BYTES..];
        let part = |(index, part): (usize, &[u8])| Some((u32::try_from(from + index).ok()?, part.to_vec()));
        let parts = bytes.chunks(RECORDING_PART_BYTES).enumerate().filter_map(part).collect();
        self.stored = self.text.len();
        Some(RecordingWrite { run: self.run, parts })
    }

    /// Anything but a step.
    pub fn op(&mut self, op: &Op) {
        if self.stopped.is_some() {
            return;
        }
        put_pending(&mut self.text, std::mem::take(&mut self.pending));
        put(&mut self.text, op);
        match op {
            Op::Leave(seat) | Op::Expel(seat) => drop(self.hands.remove(seat)),
            Op::Enter(info) => drop(self.hands.remove(&info.seat)),
            _ => {}
        }
    }

    /// Something that happens at a time.
    pub fn op_at(&mut self, op: &Op, now_ms: u64) {
        self.time(now_ms);
        self.op(op);
    }

    fn time(&mut self, now_ms: u64) {
        if self.by_events && self.now_ms != Some(now_ms) {
            self.now_ms = Some(now_ms);
            self.op(&Op::At { now_ms });
        }
    }

    /// A step is about to run.
    pub fn step(&mut self, moment: &Moment<'_>) {
        if self.stopped.is_some() {
            return;
        }
        self.time(moment.now_ms);
        for input in moment.inputs {
            self.input(input);
        }
        let is_named = |seat: &Seat| moment.inputs.iter().any(|input| input.seat == *seat);
        let others: Vec<Seat> = self.hands.keys().copied().filter(|seat| !is_named(seat)).collect();
        for seat in others {
            self.input(&SeatInput { seat, ..SeatInput::default() });
        }
        for action in moment.actions {
            let (seat, action, args) = (action.seat, action.action, action.args.clone());
            self.op(&Op::Act { seat, action, args });
        }
        self.pending += 1;
        self.steps += 1;
        self.has_stepped = true;
    }

    fn input(&mut self, input: &SeatInput) {
        let SeatInput { seat, held, pressed, claim, rewind } = *input;
        let told = *self.hands.entry(seat).or_insert(Some((Controls::default(), 0)));
        if told.is_none_or(|(controls, _)| controls != held) || pressed != 0 {
            self.op(&Op::Hold { seat, controls: held, pressed });
        }
        if told.is_none_or(|(_, ticks)| ticks != rewind) {
            self.op(&Op::Sees { seat, ticks: rewind });
        }
        if let Some(pose) = claim {
            self.op(&Op::Claim { seat, pose });
        }
        self.hands.insert(seat, Some((held, rewind)));
    }

    /// A step has run, and the simulation is sound. `digest`: one is due.
    pub fn stepped(&mut self, sim: &dyn Sim, digest: bool) {
        if self.stopped.is_some() {
            return;
        }
        if digest {
            self.op(&Op::Digest(sim.digest()));
        }
        let log_at = self.next.as_ref().map_or(self.log_at, |next| next.log_at);
        let is_long = self.text.len() - log_at > RECORDING_SEGMENT_BYTES;
        if is_long || self.steps >= RECORDING_SEGMENT_TICKS {
            self.turn(sim);
        }
    }

    /// What the rules gave out was taken; `something`: there was any.
    pub fn drained(&mut self, something: bool) {
        if !std::mem::take(&mut self.has_stepped) && something {
            self.op(&Op::Drain);
        }
    }

    /// Drops the older segment, if there are two, and begins another.
    fn turn(&mut self, sim: &dyn Sim) {
        put_pending(&mut self.text, std::mem::take(&mut self.pending));
        if let Some(Next { heading, header, log_at }) = self.next.take() {
            self.log_at = heading.len();
            self.text = heading + &self.text[log_at..];
            self.header = header;
            self.run += 1;
            self.stored = 0;
        }
        match self.save(sim) {
            Some((header, heading)) => {
                self.next = Some(Next { heading, header, log_at: self.text.len() });
                self.steps = 0;
                // Both the file as it is and the one that begins here have to be right.
                self.hands.values_mut().for_each(|hand| *hand = None);
            }
            None => {
                self.text = String::new();
                self.stopped = Some("the room's save has become too large for a recording");
            }
        }
    }

    /// A heading with the room as it is, if it is not too large.
    fn save(&self, sim: &dyn Sim) -> Option<(Header, String)> {
        let mut cut = Cut::default();
        sim.cut(&mut cut);
        let (tick, now_ms) = (sim.tick(), self.now_ms.unwrap_or(0));
        let header = Header { tick, now_ms, epoch: self.epoch, ..self.header.clone() };
        let heading = heading(&header, &cut.difference(&Cut::default()));
        (heading.len() <= RECORDING_HEAD_BYTES_MAX).then_some((header, heading))
    }
}

fn put(text: &mut String, op: &Op) {
    // Writing to a String has nothing to refuse.
    let _ = writeln!(text, "{op}");
}

fn put_pending(text: &mut String, steps: u32) {
    if steps > 0 {
        put(text, &Op::Tick(steps));
    }
}
