//! Own controls on their way to the room: entries stamped with the tick they are for, and the ones not yet
//! acknowledged.
//!
//! An edge of a button, or another choice, goes out at once (at most one message per `EDGE_SPACING_MS`, the rest ride on the
//! next). A stick or aim that drifts is sent every `INPUT_SPACING_MS` while the allowance lasts, then
//! `INPUTS_PER_SECOND`: steering feels direct in a lively moment and a long one costs 4 messages a second,
//! pings included. What has not changed is not sent, but for a heartbeat. Entries are made when they are
//! sent, so a batched drift is never stamped late. All of it is re-based at a welcome, an epoch and the
//! room's own `r`. Absent: prediction, clocks.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::limits::{
    CONTROL_WORDS_MAX, CONTROLS_MAX, ENTRIES_MAX, INPUT_HEARTBEAT_MS, INPUT_QUEUE_MAX, INPUT_SPACING_MS,
    INPUTS_BURST, INPUTS_PER_SECOND, LEAD_TICKS_MAX,
};
use crate::rules::ids::Tick;
use crate::rules::input::{CIRCLE_STEPS, Controls, STICK_STEPS};
use crate::rules::schema::ControlType;
use crate::wire::client_message::InputEntry;
use crate::wire::server_message::InputInfo;

/// Milliseconds between two messages even for button edges: a tick at 20 Hz, so nothing is held back that
/// would matter.
const EDGE_SPACING_MS: f64 = 50.0;
/// Ticks own stamps may run ahead of the aimed one (a button hammered within a tick) before entries are
/// merged.
const RUN_AHEAD_TICKS_MAX: u32 = 6;
/// Arrivals with a tick or more to spare before the lead is lowered: raising is quick, lowering slow.
const CALM_ARRIVALS: u32 = 6;

#[derive(Debug)]
struct Spec {
    name: String,
    /// Of a choice without its names.
    how: ControlType,
    names: Vec<String>,
    word: usize,
}

impl Spec {
    /// A control as the welcome declares it; none for a type this build does not know.
    fn of(info: &InputInfo, word: usize) -> Option<Spec> {
        let how = match info.how.as_str() {
            "stick" => ControlType::Stick,
            "aim" => ControlType::Aim,
            "button" => ControlType::Button,
            "int" => ControlType::Int { min: info.min?, max: info.max.filter(|max| Some(*max) >= info.min)? },
            "enum" => ControlType::Choice { names: &[] },
            _ => return None,
        };
        Some(Spec { name: info.name.clone(), how, names: info.names.clone(), word })
    }

    /// A change of it is sent at once, and none is left out.
    fn is_sudden(&self) -> bool {
        matches!(self.how, ControlType::Button | ControlType::Choice { .. })
    }

    /// The value of its words as the wire writes it; none for a neutral one.
    fn value(&self, words: &Controls) -> Option<Value> {
        let word = words.0[self.word];
        match self.how {
            ControlType::Stick => {
                let y = words.0[self.word + 1];
                let axis = |w: i16| round_to(f64::from(w) / STICK_STEPS, 1e4);
                ((word, y) != (0, 0)).then(|| json!([axis(word), axis(y)]))
            }
            _ if word == 0 => None,
            // Five digits tell 65,536 steps of a circle apart.
            ControlType::Aim => {
                let turns = f64::from(word as u16) / CIRCLE_STEPS;
                Some(json!(round_to(turns * std::f64::consts::TAU, 1e5)))
            }
            ControlType::Button => Some(Value::Bool(true)),
            // The room closes on what is out of bounds, so a page's slip is drawn in here.
            ControlType::Int { min, max } => {
                Some(json!((self.how.neutral() as i16).wrapping_add(word).clamp(min, max)))
            }
            ControlType::Choice { .. } => {
                Some(json!(usize::try_from(word).ok().and_then(|index| self.names.get(index))?))
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Inputs {
    specs: Vec<Spec>,
    current: Controls,
    /// Controls of the newest entry made.
    told: Controls,
    unsent: Vec<InputEntry>,
    /// Sent and not acknowledged, rising.
    pending: VecDeque<InputEntry>,
    newest: Option<u32>,
    rebase: Option<u32>,
    /// Ticks added to the earliest tick that an entry could be in time for.
    margin: i32,
    /// The entry whose arrival has not been seen in the lead row.
    unseen: Option<u32>,
    calm: u32,
    allowance: f64,
    polled_at: f64,
    sent_at: f64,
    skipped_tick: u32,
    /// Ticks in which nothing was sent because nothing had changed.
    pub skipped: u64,
}

impl Inputs {
    pub fn new(now_ms: f64) -> Inputs {
        Inputs {
            specs: Vec::new(),
            current: Controls::default(),
            told: Controls::default(),
            unsent: Vec::new(),
            pending: VecDeque::new(),
            newest: None,
            rebase: None,
            margin: 1,
            unseen: None,
            calm: 0,
            allowance: INPUTS_BURST,
            polled_at: now_ms,
            sent_at: now_ms,
            skipped_tick: 0,
            skipped: 0,
        }
    }

    /// What the game declares. Controls of a type this build does not know are left neutral.
    pub fn declare(&mut self, infos: &[InputInfo]) {
        self.specs.clear();
        let mut word = 0;
        for info in infos.iter().take(CONTROLS_MAX) {
            let Some(spec) = Spec::of(info, word) else { continue };
            word += spec.how.words();
            if word > CONTROL_WORDS_MAX {
                break;
            }
            self.specs.push(spec);
        }
    }

    /// Stamps begin anew: what was pending belongs to another incarnation or connection. What is held now is
    /// sent first.
    pub fn rebase(&mut self) {
        self.unsent.clear();
        self.pending.clear();
        self.newest = None;
        self.rebase = None;
        self.unseen = None;
        self.told = Controls::default();
    }

    /// What the player holds from now on. `target` is the tick to stamp; none while entries cannot be sent.
    pub fn set(&mut self, controls: Controls, target: Option<u32>) {
        let is_edge = self
            .specs
            .iter()
            .any(|spec| spec.is_sudden() && controls.0[spec.word] != self.current.0[spec.word]);
        self.current = controls;
        if let Some(target) = target
            && is_edge
        {
            self.push(target);
        }
    }

    /// Makes an entry of what is held now, for `target` or, as stamps rise, the first free tick after it.
    fn push(&mut self, target: u32) {
        let tick = self.newest.map_or(target, |newest| target.max(newest.saturating_add(1)));
        self.told = self.current;
        let is_full = tick > target.saturating_add(RUN_AHEAD_TICKS_MAX) || self.unsent.len() >= ENTRIES_MAX;
        if is_full && let Some(last) = self.unsent.last_mut() {
            last.controls = self.current;
            return;
        }
        self.newest = Some(tick);
        self.unsent.push(InputEntry { tick: Some(Tick(tick)), controls: self.current, claim: None });
    }

    /// The entries to send now, if it is time for any.
    pub fn poll(&mut self, target: u32, now_ms: f64) -> Option<Vec<InputEntry>> {
        let passed = (now_ms - self.polled_at).max(0.0);
        self.polled_at = now_ms;
        self.allowance = (self.allowance + passed * INPUTS_PER_SECOND / 1_000.0).min(INPUTS_BURST);
        let since = now_ms - self.sent_at;
        let (is_edge, is_drift) = (!self.unsent.is_empty(), self.current != self.told);
        let goes = (is_edge && since >= EDGE_SPACING_MS)
            || (is_drift && since >= INPUT_SPACING_MS && self.allowance >= 1.0);
        if !goes && since < INPUT_HEARTBEAT_MS {
            if !is_edge && !is_drift && target > self.skipped_tick {
                self.skipped += 1;
                self.skipped_tick = target;
            }
            return None;
        }
        if is_drift || !is_edge {
            self.push(target);
        }
        self.sent_at = now_ms;
        self.skipped_tick = target;
        self.allowance = (self.allowance - 1.0).max(-INPUTS_BURST);
        let entries = std::mem::take(&mut self.unsent);
        self.pending.extend(&entries);
        let excess = self.pending.len().saturating_sub(INPUT_QUEUE_MAX);
        self.pending.drain(..excess);
        self.unseen = self.unseen.or(self.newest);
        Some(entries)
    }

    /// The own row of a snapshot's control table: what was used, and how long before its tick the newest
    /// entry came.
    pub fn row(&mut self, tick: u32, rebase: u32, ack: Option<u32>, lead: Option<i32>) {
        if self.rebase.is_some_and(|r| r != rebase) {
            self.rebase();
        }
        self.rebase = Some(rebase);
        if let Some(ack) = ack {
            self.pending.retain(|entry| entry.tick.is_some_and(|t| t.0 > ack));
        }
        let (Some(unseen), Some(lead)) = (self.unseen, lead) else { return };
        // Lead is the newest tick received less the tick just run, so this is when the unseen entry has
        // come.
        if i64::from(tick) + i64::from(lead) >= i64::from(unseen) {
            self.unseen = None;
            self.adapt(lead);
        }
    }

    fn adapt(&mut self, lead: i32) {
        let most = LEAD_TICKS_MAX as i32 / 2;
        if lead < 0 {
            self.margin = self.margin.saturating_sub(lead.max(-most)).min(most);
            self.calm = 0;
        } else if lead >= 2 {
            self.calm += 1;
            if self.calm >= CALM_ARRIVALS {
                self.margin = (self.margin - 1).max(-most);
                self.calm = 0;
            }
        } else {
            self.calm = 0;
        }
    }

    /// The tick to stamp when the room's clock stands at `tick` (with its fraction) as a message sent now
    /// arrives.
    pub fn target(&self, tick: f64) -> u32 {
        // `as` saturates; a clock that is far off gives a stamp the room drops and counts.
        (tick.floor() + 1.0 + f64::from(self.margin)).max(0.0) as u32
    }

    /// Own entries that the room has not said it used.
    pub fn pending(&self) -> &VecDeque<InputEntry> {
        &self.pending
    }

    /// The controls of an entry as the wire names them; neutral ones are left out.
    pub fn controls_json(&self, controls: &Controls) -> Value {
        let named = |spec: &Spec| Some((spec.name.clone(), spec.value(controls)?));
        Value::Object(self.specs.iter().filter_map(named).collect())
    }
}

fn round_to(value: f64, per_unit: f64) -> f64 {
    libm::round(value * per_unit) / per_unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ids::Epoch;
    use crate::rules::schema::ControlSpec;
    use crate::wire::client_message::{ClientMessage, Declared, InputMessage};
    use crate::wire::describe::input_info;

    const PAD: [ControlSpec; 6] = [
        ControlSpec { name: "move", how: ControlType::Stick },
        ControlSpec { name: "look", how: ControlType::Aim },
        ControlSpec { name: "fire", how: ControlType::Button },
        ControlSpec { name: "gear", how: ControlType::Int { min: 1, max: 5 } },
        ControlSpec { name: "tilt", how: ControlType::Int { min: -300, max: i16::MAX } },
        ControlSpec { name: "tool", how: ControlType::Choice { names: &["axe", "bow", "rope"] } },
    ];

    fn inputs() -> Inputs {
        let infos: Vec<InputInfo> = PAD.iter().map(input_info).collect();
        let mut inputs = Inputs::new(0.0);
        inputs.declare(&infos);
        inputs
    }

    fn controls(x: i16, y: i16, aim: i16, fire: i16) -> Controls {
        let mut controls = Controls::default();
        controls.0[..4].copy_from_slice(&[x, y, aim, fire]);
        controls
    }

    fn ticks(entries: Option<Vec<InputEntry>>) -> Vec<u32> {
        entries.unwrap_or_default().iter().filter_map(|entry| entry.tick).map(|tick| tick.0).collect()
    }

    /// B9: a heartbeat is sent, and between two of them each tick without a change is counted.
    #[test]
    fn input_that_has_not_changed_is_not_sent_but_for_a_heartbeat() {
        let mut inputs = inputs();
        let mut sent = 0;
        for frame in 0..600 {
            let now = f64::from(frame) * 1_000.0 / 60.0;
            inputs.set(controls(0, 0, 0, 0), Some(frame / 3 + 1));
            sent += u32::from(inputs.poll(frame / 3 + 1, now).is_some());
        }
        assert!((8..=10).contains(&sent), "{sent} messages in 10 s");
        assert!(inputs.skipped >= 180, "{} ticks skipped", inputs.skipped);
    }

    #[test]
    fn a_press_goes_out_at_once_and_its_release_is_a_tick_later() {
        let mut inputs = inputs();
        inputs.set(controls(0, 0, 0, 1), Some(10));
        assert_eq!(ticks(inputs.poll(10, 500.0)), [10]);
        inputs.set(controls(0, 0, 0, 0), Some(10));
        assert_eq!(ticks(inputs.poll(10, 510.0)), [] as [u32; 0], "rides on the next message");
        assert_eq!(ticks(inputs.poll(11, 550.0)), [11]);
    }

    #[test]
    fn a_stick_that_drifts_for_a_minute_costs_four_messages_a_second_with_pings() {
        let mut inputs = inputs();
        let mut sent = Vec::new();
        for frame in 0..3_600_u32 {
            let now = 1_000.0 + f64::from(frame) * 1_000.0 / 60.0;
            let tick = 20 + frame / 3;
            inputs.set(controls((frame % 127) as i16, 5, 0, 0), Some(tick));
            if inputs.poll(tick, now).is_some() {
                sent.push(now);
            }
        }
        assert!(sent.len() as f64 <= 60.0 * INPUTS_PER_SECOND + INPUTS_BURST, "{}", sent.len());
        assert!(sent[10] - sent[0] < 1_300.0, "a lively second is not held back: {}", sent[10] - sent[0]);
    }

    #[test]
    fn a_button_hammered_faster_than_ticks_keeps_its_stamps_rising_and_near() {
        let mut inputs = inputs();
        let mut newest = 0;
        for i in 0..1_000_u32 {
            let tick = 10 + i / 50;
            inputs.set(controls(0, 0, 0, (i % 2) as i16), Some(tick));
            for sent in ticks(inputs.poll(tick, 1_000.0 + f64::from(i))) {
                assert!(sent > newest && sent <= tick + RUN_AHEAD_TICKS_MAX + 1, "{sent} at {tick}");
                newest = sent;
            }
        }
        assert!(inputs.pending().len() <= INPUT_QUEUE_MAX);
    }

    #[test]
    fn entries_are_pending_until_they_are_acknowledged() {
        let mut inputs = inputs();
        for (tick, fire) in [(10, 1), (12, 0), (14, 1)] {
            inputs.set(controls(0, 0, 0, fire), Some(tick));
            inputs.poll(tick, f64::from(tick) * 50.0);
        }
        inputs.row(13, 0, Some(12), Some(1));
        assert_eq!(ticks(Some(inputs.pending().iter().copied().collect())), [14]);
    }

    /// F25: after a welcome, an epoch or the room's own re-base no stamp of the former window is sent or
    /// kept.
    #[test]
    fn a_rebase_forgets_stamps_and_says_again_what_is_held() {
        let mut inputs = inputs();
        inputs.set(controls(127, 0, 0, 1), Some(5_000));
        inputs.poll(5_000, 500.0);
        inputs.row(5_000, 0, None, None);
        inputs.row(5_001, 1, None, None);
        assert_eq!(inputs.pending().len(), 0);
        let entries = inputs.poll(40, 700.0).expect("what is held is said again");
        assert_eq!(
            entries,
            [InputEntry { tick: Some(Tick(40)), controls: controls(127, 0, 0, 1), claim: None }]
        );
    }

    #[test]
    fn late_arrivals_raise_the_lead_at_once_and_early_ones_lower_it_slowly() {
        let mut inputs = inputs();
        let arrive = |inputs: &mut Inputs, lead: i32, n: u32| {
            inputs.set(controls(0, 0, 0, (n % 2) as i16), Some(100 * n));
            inputs.poll(100 * n, f64::from(n) * 1_000.0);
            inputs.row((100 * n).saturating_add_signed(-lead), 0, None, Some(lead));
        };
        let before = inputs.target(50.0);
        arrive(&mut inputs, -3, 1);
        assert_eq!(inputs.target(50.0), before + 3);
        (2..30).for_each(|n| arrive(&mut inputs, 3, n));
        assert!(inputs.target(50.0) < before + 3);
        (30..200).for_each(|n| arrive(&mut inputs, -50, n));
        inputs.row(u32::MAX, 0, None, Some(i32::MIN));
        inputs.row(0, 0, None, Some(i32::MAX));
        assert!(inputs.target(50.0) <= 51 + LEAD_TICKS_MAX / 2, "bounded whatever the room says");
    }

    #[test]
    fn what_is_written_reads_back_as_the_same_controls() {
        let inputs = inputs();
        let declared = Declared { controls: &PAD, actions: &[] };
        for (i, aim) in [0, 1, 255, -1, i16::MIN, i16::MAX].into_iter().enumerate() {
            let mut sent = controls(-90, 89, aim, 1);
            sent.0[4..7].copy_from_slice(&[i as i16 % 5, [-300, i16::MAX][i % 2], i as i16 % 3]);
            let text = json!({"t": "in", "e": 1, "s": [[7, inputs.controls_json(&sent)]]}).to_string();
            let entries = vec![InputEntry { tick: Some(Tick(7)), controls: sent, claim: None }];
            let expected = InputMessage { epoch: Epoch(1), entries, ..InputMessage::default() };
            assert_eq!(ClientMessage::parse(&text, &declared), Ok(ClientMessage::Input(expected)));
        }
    }

    #[test]
    fn words_beyond_what_is_declared_are_never_sent() {
        let mut held = Controls([i16::MAX; CONTROL_WORDS_MAX]);
        let inputs = inputs();
        let shown = |held: &Controls| inputs.controls_json(held);
        assert_eq!((&shown(&held)["gear"], &shown(&held)["tool"]), (&json!(1), &Value::Null));
        held.0[4..7].copy_from_slice(&[9, -301, -1]);
        assert_eq!(
            (&shown(&held)["gear"], &shown(&held)["tilt"], &shown(&held)["tool"]),
            (&json!(5), &json!(-300), &Value::Null)
        );
    }

    #[test]
    fn another_choice_goes_out_at_once_and_a_number_rides_along() {
        let mut inputs = inputs();
        let mut held = Controls::default();
        held.0[4] = 3;
        inputs.set(held, Some(10));
        assert_eq!(ticks(inputs.poll(10, 60.0)), [] as [u32; 0]);
        held.0[6] = 2;
        inputs.set(held, Some(10));
        let sent = inputs.poll(10, 61.0).expect("at once");
        assert_eq!(sent.iter().map(|entry| entry.controls).collect::<Vec<_>>(), [held]);
    }

    #[test]
    fn controls_of_an_unknown_type_and_too_many_of_them_are_left_out() {
        let mut inputs = Inputs::new(0.0);
        let info =
            |how: &str| InputInfo { name: "a".to_owned(), how: how.to_owned(), ..InputInfo::default() };
        let upside_down = InputInfo { min: Some(5), max: Some(1), ..info("int") };
        inputs.declare(&[info("steering wheel"), info("int"), upside_down, info("button")]);
        assert_eq!(inputs.specs.len(), 1);
        inputs.declare(&vec![info("stick"); 1_000]);
        assert!(inputs.specs.iter().all(|spec| spec.word + 1 < CONTROL_WORDS_MAX));
    }
}
