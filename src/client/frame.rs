//! One animation frame as one flat array of numbers: what a page needs to draw, in a single call.
//!
//! `[header: HEADER_LEN numbers][bodies][effects]`, all `f64`: ids, ticks and whole numbers are exact. A body is
//! `id, kind, seat or -1, x, y, heading, field…` with the fields its kind declares: a bool, int, real or angle is one number,
//! an enum the place among its names, a seat or body its number or -1, a vector two numbers; NaN is not known. Texts and
//! lists are no numbers: they are in `details`. An effect is `index or -1, x, y`. On a map with height (three numbers in the
//! welcome's `map.size`) both end with z. Kinds and effects are indices into the welcome. Absent: names and looks; the
//! welcome has them.

use crate::client::Client;
use crate::client::link::LinkState;
use crate::limits::INTERPOLATION_MS;

/// Numbers of the header, by position.
pub const HEADER_LEN: usize = 16;
/// Layout of this array; another number is another layout.
pub const FRAME_LAYOUT: f64 = 1.0;

/// The header of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameHeader {
    /// 1: 0 connecting, 1 joining, 2 online, 3 waiting to dial again, 4 ended.
    pub link: f64,
    /// 2, 3, 4: rise when the welcome, the link's account, or roster and round should be read again.
    pub welcome_version: f64,
    pub link_version: f64,
    pub room_version: f64,
    /// 5: outputs wait to be polled.
    pub outputs: f64,
    /// 6: own seat, or -1.
    pub seat: f64,
    /// 7, 8, 9: round number, whether it is live, seconds until it or the break ends (-1: no end).
    pub round: f64,
    pub live: f64,
    pub ends_in_s: f64,
    /// 10: the tick drawn, with its fraction.
    pub tick: f64,
    /// 11: the picture stands still: drawn at a time later than the newest snapshot.
    pub starved: f64,
    /// 12: seconds until the link dials again, or -1.
    pub retry_in_s: f64,
    /// 13, 14: how many bodies and effects follow.
    pub bodies: f64,
    pub effects: f64,
    /// 15: rises when `details` should be read again.
    pub details_version: f64,
}

impl FrameHeader {
    /// Writes it over the first `HEADER_LEN` numbers, which are there already.
    pub(super) fn write(&self, out: &mut [f64]) {
        let numbers = [
            FRAME_LAYOUT,
            self.link,
            self.welcome_version,
            self.link_version,
            self.room_version,
            self.outputs,
            self.seat,
            self.round,
            self.live,
            self.ends_in_s,
            self.tick,
            self.starved,
            self.retry_in_s,
            self.bodies,
            self.effects,
            self.details_version,
        ];
        for (slot, number) in out.iter_mut().zip(numbers) {
            *slot = number;
        }
    }
}

/// What a frame shows.
struct Drawn {
    /// The room's clock.
    scene_ms: f64,
    /// What effects are due by: the room's clock, in an event-driven room the own one.
    effects_ms: f64,
    tick: f64,
    /// Of the newest snapshot, where one is due each tick.
    age_ms: Option<f64>,
}

impl Client {
    /// Writes what is to be drawn now over `out`, as `frame.rs` lays it out. Effects are handed out once.
    pub fn frame(&mut self, now_ms: f64, out: &mut Vec<f64>) {
        out.clear();
        out.resize(HEADER_LEN, 0.0);
        let mut header = self.header(now_ms);
        let has_height = self.welcome.as_ref().is_some_and(|welcome| welcome.map.size.len() > 2);
        if let Some(drawn) = self.drawn(now_ms) {
            header.tick = drawn.tick;
            let is_starved = self.snapshots.sample(drawn.scene_ms, |body, fields| {
                header.bodies += 1.0;
                let seat = or_none(body.seat.map(f64::from));
                let [x, y, z] = body.at;
                out.extend([f64::from(body.id), body.kind as f64, seat, x, y, body.heading]);
                out.extend(fields);
                out.extend(has_height.then_some(z));
            });
            if let Some(age_ms) = drawn.age_ms {
                self.meter.frame(age_ms, is_starved);
                header.starved = f64::from(u8::from(is_starved));
            }
            self.shown.clear();
            self.effects.show(drawn.effects_ms, &mut self.shown);
            for effect in &self.shown {
                let [x, y, z] = effect.at;
                out.extend([or_none(effect.index.map(|i| i as f64)), x, y]);
                out.extend(has_height.then_some(z));
            }
            header.effects = self.shown.len() as f64;
        }
        header.write(out);
    }

    /// The moment to draw: behind the room's clock where ticks come steadily, the newest where they come now and then.
    fn drawn(&mut self, now_ms: f64) -> Option<Drawn> {
        let newest = self.snapshots.newest().map(|scene| (scene.tick, scene.stamp_ms));
        if self.is_event_driven() {
            let (tick, scene_ms) = newest?;
            return Some(Drawn { scene_ms, effects_ms: now_ms, tick: f64::from(tick), age_ms: None });
        }
        let heard_ms = self.clock.heard_ms(now_ms)?;
        let scene_ms = heard_ms - INTERPOLATION_MS;
        let room_ms = self.clock.room_ms(now_ms).unwrap_or(heard_ms);
        let age_ms = newest.map(|(_, stamp_ms)| room_ms - stamp_ms);
        Some(Drawn { scene_ms, effects_ms: scene_ms, tick: self.snapshots.tick_at(scene_ms), age_ms })
    }

    fn header(&self, now_ms: f64) -> FrameHeader {
        let round = &self.snapshots.round;
        let until = |tick: u32| {
            let room_ms = self.clock.room_ms(now_ms)?;
            Some(((self.snapshots.stamp_of(tick) - room_ms) / 1_000.0).max(0.0))
        };
        FrameHeader {
            link: link_number(self.link.state),
            welcome_version: f64::from(self.welcome_version),
            link_version: f64::from(self.link.version),
            room_version: f64::from(self.room_version),
            details_version: f64::from(self.snapshots.details_version),
            outputs: self.outputs.len() as f64,
            seat: or_none(self.seat().map(f64::from)),
            round: f64::from(round.n),
            live: f64::from(round.live),
            ends_in_s: or_none(round.ends_at.and_then(until)),
            retry_in_s: or_none(self.link.retry_in_ms(now_ms).map(|ms| ms / 1_000.0)),
            ..FrameHeader::default()
        }
    }
}

/// The number of a link state.
fn link_number(state: LinkState) -> f64 {
    match state {
        LinkState::Connecting => 0.0,
        LinkState::Joining => 1.0,
        LinkState::Online => 2.0,
        LinkState::Waiting => 3.0,
        LinkState::Ended => 4.0,
    }
}

/// An optional number, -1 for none.
fn or_none(value: Option<f64>) -> f64 {
    value.unwrap_or(-1.0)
}
