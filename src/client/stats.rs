//! What the client measured of its link: one typed struct for the page's panel (F3) and for programs.
//!
//! Rates are those of the last whole second; shares and percentiles are taken over the last
//! `FRAME_SAMPLES_MAX` frames drawn. Absent: corrections (with prediction) and decisions (with drivers that
//! decide).

use std::collections::VecDeque;

use serde::Serialize;

use crate::client::link::{LastDisconnect, LinkState};
use crate::client::{Client, Scene};
use crate::limits::{FRAME_SAMPLES_MAX, INTERPOLATION_MS};

/// Where what is shown comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TelemetrySource {
    Server,
    /// A practice room, opened on purpose.
    Browser,
    /// Playing on without a server.
    Offline,
    Disconnected,
}

impl TelemetrySource {
    #[must_use]
    pub fn of(is_practice: bool, is_offline: bool, is_connected: bool) -> TelemetrySource {
        match (is_practice, is_offline, is_connected) {
            (true, _, _) => TelemetrySource::Browser,
            (_, true, _) => TelemetrySource::Offline,
            (_, _, false) => TelemetrySource::Disconnected,
            (_, _, true) => TelemetrySource::Server,
        }
    }
}

/// The client's own account of how it fares.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetStats {
    /// `player`, `spectator`, or none before a welcome.
    pub role: Option<&'static str>,
    pub seat: Option<u16>,
    pub connected: bool,
    pub offline: bool,
    pub telemetry_source: TelemetrySource,
    pub link: LinkState,
    /// Milliseconds.
    pub rtt: Option<f64>,
    /// The room's clock less own, milliseconds.
    pub offset: Option<f64>,
    pub snap_hz_in: u64,
    pub input_hz_out: u64,
    pub messages_out_per_s: u64,
    pub idle_inputs_skipped: u64,
    pub last_snap_bytes: u64,
    pub max_snap_bytes: u64,
    pub bytes_in_per_s: u64,
    pub bytes_out_per_s: u64,
    /// Milliseconds others are drawn behind the room's clock as it is heard.
    pub interp_delay: f64,
    /// 90th percentile of the newest snapshot's age when a frame was drawn, milliseconds.
    pub snap_age_p90: Option<f64>,
    /// Frames drawn at a time later than the newest snapshot, percent.
    pub starved_pct: f64,
    pub rejected_snaps: u32,
    /// Messages that could not be read, or came before a welcome.
    pub unread_messages: u32,
    pub owned_bodies: usize,
    pub pending_inputs: usize,
    /// Actions that wait for their answer.
    pub pending_actions: usize,
    /// Others in the room.
    pub peers: usize,
    pub reconnects: u32,
    pub drops: u32,
    pub last_disconnect: Option<LastDisconnect>,
    /// Snapshots that were heartbeats.
    pub heartbeats: u32,
    /// Number, and whether it is live.
    pub round: Option<(u32, bool)>,
    pub epoch: u32,
    /// Newest tick held.
    pub tick: Option<u32>,
}

impl Client {
    /// How the client fares.
    pub fn stats(&mut self, now_ms: f64) -> NetStats {
        let seat = self.seat();
        let is_up = self.link.is_up();
        let owned = |scene: &Scene| scene.bodies.iter().filter(|b| seat.is_some() && b.seat == seat).count();
        NetStats {
            role: self.welcome().map(|w| if w.you.is_some() { "player" } else { "spectator" }),
            seat,
            connected: is_up,
            offline: false,
            telemetry_source: TelemetrySource::of(false, false, is_up),
            link: self.link.state,
            rtt: self.clock.rtt_ms(),
            offset: self.clock.offset_ms(),
            snap_hz_in: self.meter.snaps.per_second(now_ms),
            input_hz_out: self.meter.inputs.per_second(now_ms),
            messages_out_per_s: self.meter.messages_out.per_second(now_ms),
            idle_inputs_skipped: self.inputs.skipped,
            last_snap_bytes: self.meter.last_snap_bytes,
            max_snap_bytes: self.meter.max_snap_bytes,
            bytes_in_per_s: self.meter.bytes_in.per_second(now_ms),
            bytes_out_per_s: self.meter.bytes_out.per_second(now_ms),
            interp_delay: if self.is_event_driven() { 0.0 } else { INTERPOLATION_MS },
            snap_age_p90: self.meter.age_p90_ms(),
            starved_pct: self.meter.starved_pct(),
            rejected_snaps: self.meter.rejected_snaps,
            unread_messages: self.meter.unread_messages,
            owned_bodies: self.newest().map_or(0, owned),
            pending_inputs: self.inputs.pending().len(),
            pending_actions: self.actions.waiting(),
            peers: self.roster().len().saturating_sub(usize::from(seat.is_some())),
            reconnects: self.link.reconnects,
            drops: self.link.drops,
            last_disconnect: self.link.last_disconnect.clone(),
            heartbeats: self.meter.heartbeats,
            round: self.welcome.as_ref().map(|_| (self.round().n, self.round().live == 1)),
            epoch: self.epoch(),
            tick: self.held_tick.map(|tick| tick.0),
        }
    }
}

/// A quantity a second.
#[derive(Debug, Default)]
pub(super) struct Rate {
    second: i64,
    current: u64,
    last: u64,
}

impl Rate {
    pub fn add(&mut self, amount: u64, now_ms: f64) {
        self.turn(now_ms);
        self.current += amount;
    }

    pub fn per_second(&mut self, now_ms: f64) -> u64 {
        self.turn(now_ms);
        self.last
    }

    fn turn(&mut self, now_ms: f64) {
        let second = (now_ms / 1_000.0).floor() as i64;
        if second != self.second {
            self.last = if second == self.second.wrapping_add(1) { self.current } else { 0 };
            (self.current, self.second) = (0, second);
        }
    }
}

/// Counters that `NetStats` is made from.
#[derive(Debug, Default)]
pub(super) struct Meter {
    pub snaps: Rate,
    pub inputs: Rate,
    pub messages_out: Rate,
    pub bytes_in: Rate,
    pub bytes_out: Rate,
    pub last_snap_bytes: u64,
    pub max_snap_bytes: u64,
    pub rejected_snaps: u32,
    pub unread_messages: u32,
    pub heartbeats: u32,
    /// Age of the newest snapshot, and whether the picture stood still.
    frames: VecDeque<(f64, bool)>,
}

impl Meter {
    pub fn snap(&mut self, bytes: usize, now_ms: f64) {
        self.snaps.add(1, now_ms);
        self.last_snap_bytes = bytes as u64;
        self.max_snap_bytes = self.max_snap_bytes.max(bytes as u64);
    }

    pub fn frame(&mut self, age_ms: f64, is_starved: bool) {
        if self.frames.len() >= FRAME_SAMPLES_MAX {
            self.frames.pop_front();
        }
        self.frames.push_back((age_ms, is_starved));
    }

    /// 90th percentile of the snapshot age.
    pub fn age_p90_ms(&self) -> Option<f64> {
        let mut ages: Vec<f64> = self.frames.iter().map(|(age, _)| *age).collect();
        ages.sort_by(f64::total_cmp);
        ages.get((ages.len() * 9 / 10).min(ages.len().saturating_sub(1))).copied()
    }

    pub fn starved_pct(&self) -> f64 {
        let starved = self.frames.iter().filter(|(_, starved)| *starved).count();
        100.0 * starved as f64 / self.frames.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B4
    #[test]
    fn the_source_is_named_for_what_is_shown() {
        assert_eq!(TelemetrySource::of(false, false, true), TelemetrySource::Server);
        assert_eq!(TelemetrySource::of(false, false, false), TelemetrySource::Disconnected);
        assert_eq!(TelemetrySource::of(false, true, false), TelemetrySource::Offline);
        assert_eq!(TelemetrySource::of(true, false, false), TelemetrySource::Browser);
    }

    #[test]
    fn a_rate_is_that_of_the_last_whole_second_and_falls_to_zero() {
        let mut rate = Rate::default();
        for i in 0..20 {
            rate.add(10, 1_000.0 + f64::from(i) * 50.0);
        }
        assert_eq!(rate.per_second(2_010.0), 200);
        assert_eq!(rate.per_second(3_010.0), 0);
        assert_eq!(rate.per_second(9_000.0), 0);
    }

    #[test]
    fn shares_and_percentiles_are_of_the_recent_frames() {
        let mut meter = Meter::default();
        assert_eq!((meter.age_p90_ms(), meter.starved_pct()), (None, 0.0));
        for i in 0..1_000 {
            meter.frame(f64::from(i % 100), i >= 936);
        }
        assert_eq!(meter.starved_pct(), 25.0);
        assert!(meter.age_p90_ms().is_some_and(|age| (85.0..=95.0).contains(&age)));
    }
}
