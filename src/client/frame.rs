//! One animation frame as one flat array of numbers: what a page needs to draw, in a single call.
//!
//! `[header: HEADER_LEN numbers][bodies][effects]`, all `f64`: ids, ticks and whole numbers are exact. A body is
//! `id, kind, seat or -1, x, y, heading, field…` with the fields its kind declares (NaN: not known); an effect is
//! `index or -1, x, y`. Kinds and effects are indices into the welcome. Absent: names and looks; the welcome has them.

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
            0.0,
        ];
        for (slot, number) in out.iter_mut().zip(numbers) {
            *slot = number;
        }
    }
}

impl Client {
    /// Writes what is to be drawn now over `out`, as `frame.rs` lays it out. Effects are handed out once.
    pub fn frame(&mut self, now_ms: f64, out: &mut Vec<f64>) {
        out.clear();
        out.resize(HEADER_LEN, 0.0);
        let mut header = self.header(now_ms);
        if let Some(heard_ms) = self.clock.heard_ms(now_ms) {
            let drawn_ms = heard_ms - INTERPOLATION_MS;
            let room_ms = self.clock.room_ms(now_ms).unwrap_or(heard_ms);
            let age_ms = self.snapshots.newest().map(|scene| room_ms - scene.stamp_ms);
            header.tick = self.snapshots.tick_at(drawn_ms);
            let is_starved = self.snapshots.sample(drawn_ms, |body, fields| {
                header.bodies += 1.0;
                let seat = or_none(body.seat.map(f64::from));
                let [x, y, _] = body.at;
                out.extend([f64::from(body.id), body.kind as f64, seat, x, y, body.heading]);
                out.extend(fields);
            });
            if let Some(age_ms) = age_ms {
                self.meter.frame(age_ms, is_starved);
                header.starved = f64::from(u8::from(is_starved));
            }
            self.shown.clear();
            self.effects.show(drawn_ms, &mut self.shown);
            for effect in &self.shown {
                let index = or_none(effect.index.map(|i| i as f64));
                out.extend([index, effect.at[0], effect.at[1]]);
            }
            header.effects = self.shown.len() as f64;
        }
        header.write(out);
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
