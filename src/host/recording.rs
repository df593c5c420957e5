//! Recordings: an operator asks that what enters a room's simulation is kept, and fetches it as one file.
//!
//! The recorder sits between host and rules (`rules/replay/recorded.rs`) and knows nothing of seats' tokens. What it wrote
//! is stored beside each commit, in rows of its own, so that a room that fell or slept goes on with it: the stored file
//! always ends with the state of the last commit, and a file that does not is given up for a new one. Nothing here can
//! end a room. Absent: the file (`rules/replay`), the rows (`platform`).

use serde::Serialize;

use crate::host::Host;
use crate::rules::replay::file::Header;
use crate::rules::replay::recorder::Recorder;
pub use crate::rules::replay::recorder::RecordingWrite;

/// What is stored of a recording: its parts one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRecording {
    pub run: u64,
    pub bytes: Vec<u8>,
}

/// Whether a room is recorded, and how far back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordingFacts {
    pub on: bool,
    /// Where the file begins.
    pub from_epoch: u32,
    pub from_tick: u32,
    pub bytes: usize,
    /// Why nothing is recorded any more.
    pub stopped: Option<&'static str>,
}

impl Host {
    /// Begins a recording with the room as it is, or ends it. One that is on goes on.
    pub fn set_recording(&mut self, on: bool, now_ms: u64) {
        if !on {
            return self.sim.set_recorder(|_| None);
        }
        if self.sim.recorder().is_none() {
            self.now_ms = now_ms;
            self.start_recording();
            // The file is stored beside a commit of the state it begins with, so that a crash soon after finds it.
            self.ledger.want_now();
        }
    }

    /// The room was recorded before it fell or slept.
    pub fn resume_recording(&mut self, stored: StoredRecording) {
        let (header, by_events) = (self.recording_header(), self.is_event_driven());
        let run = stored.run;
        let text = String::from_utf8(stored.bytes).ok();
        self.sim.set_recorder(|sim| Recorder::resume(run, text?, &header, by_events, sim));
        if self.sim.recorder().is_none() {
            self.start_recording();
            self.sim.outrun(run);
        }
    }

    fn start_recording(&mut self) {
        // A recording begins with nothing that waits to be taken.
        self.carry();
        let (header, by_events, now_ms) = (self.recording_header(), self.is_event_driven(), self.now_ms);
        self.sim.set_recorder(|sim| Some(Recorder::start(header, by_events, now_ms, sim)));
    }

    fn recording_header(&self) -> Header {
        Header {
            game: self.setup.game_name.clone(),
            room: self.setup.room.clone(),
            build: self.setup.build.id.clone(),
            schema: self.schema.hash(),
            epoch: self.epoch,
            ..Header::default()
        }
    }

    /// What of a recording is to be stored now that a commit of the room as it is was taken. To be called with nothing
    /// in between.
    pub fn poll_recording(&mut self) -> Option<RecordingWrite> {
        self.sim.take_parts()
    }

    /// So many rows were written for the recording.
    pub fn handle_recording(&mut self, rows_written: u64) {
        self.counters.rows_written += rows_written;
    }

    /// The replay file up to now; none when the room is not recorded.
    #[must_use]
    pub fn recording(&self) -> Option<String> {
        self.sim.file()
    }

    /// The same of a host that panicked or ended: what it was doing last is the last line.
    #[must_use]
    pub fn recording_of_fallen(&self) -> Option<String> {
        self.sim.file_of_fallen()
    }

    pub(super) fn recording_facts(&self) -> RecordingFacts {
        let Some(recorder) = self.sim.recorder() else { return RecordingFacts::default() };
        let (epoch, tick) = recorder.since();
        let (on, stopped) = (recorder.stopped().is_none(), recorder.stopped());
        RecordingFacts { on, from_epoch: epoch.0, from_tick: tick.0, bytes: recorder.len(), stopped }
    }
}

#[cfg(test)]
mod tests {
    use crate::host::secrets::Secret;
    use crate::host::stub::{
        BOTS, CARDS, CHARACTERS, LASTING, MATCH, Rig, Stub, break_steps, change_game, hello,
    };
    use crate::limits::GRACE_MS;
    use crate::rules::cut::{Cut, SECTION_HOST};
    use crate::rules::replay::file::{ReplayFile, run};

    fn recorded(game: &'static Stub) -> Rig {
        let mut rig = Rig::new(game);
        rig.hello(1, &hello());
        rig.host.set_recording(true, rig.now_ms);
        rig
    }

    /// The file of a room ends where the room is.
    #[track_caller]
    fn replays(rig: &Rig, game: &'static Stub) -> String {
        let text = rig.host.recording().expect("a file");
        let file = ReplayFile::parse(&text).map_err(|error| error.to_string()).expect("a file of ours");
        run(&file, game).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(text.ends_with(&format!("digest {}\n", rig.facts().digest)), "{text}");
        text
    }

    fn play(rig: &mut Rig) {
        rig.input(1, r#"{"move":[1,0],"fire":true}"#);
        rig.ticks(3);
        rig.act(1, 1, "bump", r#"{"by":3}"#);
        rig.act(1, 2, "record", "{}");
        rig.ticks(200);
        rig.input(1, "{}");
        rig.ticks(2);
    }

    #[test]
    fn what_is_played_is_recorded() {
        for game in [&MATCH, &LASTING, &BOTS] {
            let mut rig = recorded(game);
            play(&mut rig);
            let text = replays(&rig, game);
            assert!(text.contains("\nhold 0 127,0,1 ") && text.contains("\nact 0 0 3\n"), "{text}");
            assert!(text.lines().count() < 40, "what is held is said once: {text}");
            rig.lose(1);
            rig.run_ms(GRACE_MS + 50);
            assert!(rig.facts().paused && replays(&rig, game).contains("\nleave 0\n"));
        }
    }

    #[test]
    fn a_room_that_fell_or_slept_goes_on_with_its_recording() {
        for game in [&MATCH, &LASTING, &CARDS] {
            let mut rig = recorded(game);
            for _ in 0..3 {
                play(&mut rig);
                rig.crash();
                rig.run_ms(GRACE_MS + 50);
                rig.hello(1, &hello());
                rig.slept = !rig.slept;
            }
            play(&mut rig);
            let text = replays(&rig, game);
            assert_eq!(text.lines().filter(|line| line.starts_with("epoch ")).count(), 4, "{text}");
            assert_eq!(rig.facts().recording.from_epoch, 1);
        }
    }

    /// Timers and their times, and an object that slept between any two events.
    #[test]
    fn a_room_that_runs_by_events_is_recorded_with_its_times() {
        let mut rig = recorded(&CARDS);
        rig.act(1, 1, "later", r#"{"ms":700}"#);
        rig.come_back();
        rig.now_ms += 5_000;
        rig.host.handle_alarm(rig.now_ms);
        rig.drain();
        let text = replays(&rig, &CARDS);
        assert!(text.contains(&format!("\nat {}\ntick 1\n", rig.now_ms - 4_300)), "{text}");
    }

    #[test]
    fn a_room_that_came_back_as_another_begins_anew_in_a_run_of_its_own() {
        let mut rig = recorded(&MATCH);
        play(&mut rig);
        let (run, _) = rig.disk.recording.clone().expect("it is stored");
        change_game(true);
        rig.crash();
        change_game(false);
        play(&mut rig);
        replays(&rig, &MATCH);
        let facts = rig.facts().recording;
        assert_eq!((facts.on, facts.from_epoch, facts.from_tick), (true, 2, 0));
        assert_eq!(rig.disk.recording.as_ref().expect("stored").0, run + 1);
    }

    #[test]
    fn a_recording_that_has_just_begun_outlives_a_crash() {
        let mut rig = recorded(&MATCH);
        rig.ticks(3);
        rig.host.set_recording(false, rig.now_ms);
        rig.host.set_recording(true, rig.now_ms);
        rig.drain();
        rig.crash();
        let facts = rig.facts().recording;
        assert_eq!((facts.on, facts.from_epoch, facts.from_tick), (true, 1, 3));
    }

    #[test]
    fn a_recording_ends_when_it_is_told_to() {
        let mut rig = recorded(&MATCH);
        rig.ticks(3);
        rig.host.set_recording(true, rig.now_ms);
        assert_eq!(rig.facts().recording.from_tick, 0, "one that is on goes on");
        rig.host.set_recording(false, rig.now_ms);
        assert_eq!(
            (rig.host.recording(), rig.host.poll_recording(), rig.facts().recording.on),
            (None, None, false)
        );
    }

    #[test]
    fn what_a_fallen_host_did_last_is_the_end_of_its_file() {
        let mut rig = recorded(&LASTING);
        rig.ticks(5);
        rig.input(1, r#"{"fire":true}"#);
        break_steps(true);
        rig.ticks(1);
        break_steps(false);
        assert!(rig.host.has_ended());
        let text = rig.host.recording_of_fallen().expect("a file");
        assert!(
            text.ends_with("tick 5\nhold 0 0,0,1 2\ntick 1\n") || text.ends_with("hold 0 0,0,1 2\ntick 1\n"),
            "{text}"
        );
    }

    /// A file goes to others: of what the host keeps, nothing is in it.
    #[test]
    fn a_file_holds_no_token_and_nothing_else_of_the_hosts() {
        let mut rig = Rig::new(&CHARACTERS);
        let mut tokens = vec![rig.enter(1, "ada").you.expect("a seat").token];
        rig.host.set_recording(true, rig.now_ms);
        rig.ticks(5);
        tokens.push(rig.enter(2, "bob").you.expect("a seat").token);
        rig.crash();
        tokens.push(rig.enter(3, "ada").you.expect("a seat").token);
        rig.ticks(100);
        let text = replays(&rig, &CHARACTERS);
        let file = ReplayFile::parse(&text).map_err(|error| error.to_string()).expect("a file");
        let mut cut = Cut::default();
        cut.apply(file.save()).expect("a save");
        assert!(cut.sections().all(|section| section < SECTION_HOST));
        for token in tokens {
            let secret = Secret::from_token(&token).expect("a token").0;
            assert!(!text.contains(&token) && !file.save().windows(16).any(|bytes| bytes == secret));
        }
    }
}
