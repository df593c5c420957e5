//! Controls: what a seat holds, as 16-bit words in the order of the game's declaration.
//!
//! Quantised when parsed, so that server, prediction and replay all use the same values. Absent: who sent them.

use crate::limits::{CONTROL_WORDS_MAX, CONTROLS_MAX};
use crate::rules::exact::{floor, round};
use crate::rules::motion::Motion;
use crate::rules::must::must;
use crate::rules::schema::{ActionSpec, ControlSpec, ControlType};
use crate::rules::vec2::Vec2;

/// The words of one input. Words past the game's own are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Controls(pub [i16; CONTROL_WORDS_MAX]);

/// Steps of a stick from its centre to its rim.
pub const STICK_STEPS: f64 = 127.0;
/// Steps of a whole circle in an aim word or a heading.
pub const CIRCLE_STEPS: f64 = 65_536.0;

/// A vector in the unit disc: keys, left touch stick, left gamepad stick.
pub type Stick = Vec2;

/// An angle, radians from +x counter-clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aim(pub f64);

/// A key, a labelled touch button or a gamepad button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Button {
    down: bool,
    pressed: bool,
}

impl Button {
    /// A button as a bot holds it down.
    pub const DOWN: Button = Button { down: true, pressed: false };

    /// It is held down in this tick.
    #[must_use]
    pub fn down(self) -> bool {
        self.down
    }

    /// It went down since the last tick, even if it is up again; holding is not pressing again.
    #[must_use]
    pub fn pressed(self) -> bool {
        self.pressed
    }
}

/// A whole number from `MIN` to `MAX`, both included: a gear, a slot, a bet. Untouched it is the one nearest to 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level<const MIN: i16, const MAX: i16>(i16);

impl<const MIN: i16, const MAX: i16> Level<MIN, MAX> {
    const ORDERED: () = must(MIN <= MAX, "the least value of a Level is above its greatest");

    /// The number nearest to `value` that is in bounds, as a bot holds it.
    #[must_use]
    pub fn new(value: i32) -> Self {
        // Between two i16.
        Level(value.clamp(i32::from(MIN), i32::from(MAX)) as i16)
    }

    #[must_use]
    pub const fn get(self) -> i32 {
        self.0 as i32
    }
}

impl<const MIN: i16, const MAX: i16> Default for Level<MIN, MAX> {
    fn default() -> Self {
        Level::new(0)
    }
}

impl<const MIN: i16, const MAX: i16> From<i32> for Level<MIN, MAX> {
    fn from(value: i32) -> Self {
        Level::new(value)
    }
}

impl<const MIN: i16, const MAX: i16> PartialEq<i32> for Level<MIN, MAX> {
    fn eq(&self, other: &i32) -> bool {
        self.get() == *other
    }
}

impl<const MIN: i16, const MAX: i16> PartialOrd<i32> for Level<MIN, MAX> {
    fn partial_cmp(&self, other: &i32) -> Option<std::cmp::Ordering> {
        self.get().partial_cmp(other)
    }
}

impl<const MIN: i16, const MAX: i16> std::fmt::Debug for Level<MIN, MAX> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A game's input: the struct its `#[derive(Input)]` is on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no input",
    label = "not an input",
    note = "a game's input is a struct with `#[derive(Input, Clone, Default)]`"
)]
pub trait Input: Clone + Default + 'static {
    const CONTROLS: &'static [ControlSpec];
    /// It is the input of an event-driven game: `#[input(on_event)]`. Such a game has actions alone.
    const ON_EVENT: bool;
    /// What a player does once: `#[input(actions = …)]`, else `NoAction`.
    type Action: Action;
    /// `Motion`, or `NoMovementInEventDrivenGame` in an event-driven game.
    type Motion: Steered;
    /// Reads the words of every control, in order.
    fn read(words: &mut ControlReader<'_>) -> Self;
    /// Adds the words of every control, in order.
    fn write(&self, words: &mut ControlWriter);
}

/// What a player of a game does once: the enum its `#[derive(Action)]` is on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no set of actions",
    label = "not actions",
    note = "a game's actions are an enum with `#[derive(Action, Clone)]`"
)]
pub trait Action: Clone + 'static {
    const ACTIONS: &'static [ActionSpec];
    /// The action of this index with these arguments; none when there is none such, or they do not fit.
    fn read(action: u16, args: &[i32]) -> Option<Self>;
    /// Its index, and the words of its arguments.
    fn write(&self, args: &mut Vec<i32>) -> u16;
}

/// The actions of a game that has none.
#[derive(Clone, Copy, Debug)]
pub enum NoAction {}

impl Action for NoAction {
    const ACTIONS: &'static [ActionSpec] = &[];
    fn read(_: u16, _: &[i32]) -> Option<NoAction> {
        None
    }
    fn write(&self, _: &mut Vec<i32>) -> u16 {
        match *self {}
    }
}

/// What `steer` is given: a `Motion` in a room that ticks.
pub trait Steered {
    /// Runs `steer` on a body that is being moved; without movement it is not run.
    fn steer(motion: &mut Motion, steer: impl FnOnce(&mut Self));
}

impl Steered for Motion {
    fn steer(motion: &mut Motion, steer: impl FnOnce(&mut Motion)) {
        steer(motion);
    }
}

/// What `steer` would be given in an event-driven game: nothing that moves, for time does not go on by itself there. Such
/// a game leaves `steer` out. The name is what a maker reads who wrote one.
#[derive(Debug)]
pub struct NoMovementInEventDrivenGame(());

impl Steered for NoMovementInEventDrivenGame {
    fn steer(_: &mut Motion, _: impl FnOnce(&mut NoMovementInEventDrivenGame)) {}
}

/// A type a control can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no control of an input",
    label = "not a control",
    note = "controls are Stick, Aim, Button, Level<MIN, MAX>, and enums with `#[derive(Choice, Clone, Copy)]`"
)]
pub trait Control: Copy + Default {
    const HOW: ControlType;
    fn read(words: &mut ControlReader<'_>) -> Self;
    fn write(self, words: &mut ControlWriter);
}

/// Checks a game's controls when it is compiled: no more of them, and of their words, than an input holds.
#[track_caller]
pub const fn check_controls(controls: &[ControlSpec]) {
    must(controls.len() <= CONTROLS_MAX, "an input has at most 16 controls");
    let (mut words, mut i) = (0, 0);
    while i < controls.len() {
        words += controls[i].how.words();
        i += 1;
    }
    must(words <= CONTROL_WORDS_MAX, "an input's controls take at most 16 words (a stick takes two)");
}

/// Hands out the words of controls in the order of the declaration.
pub struct ControlReader<'a> {
    controls: &'a Controls,
    pressed: u32,
    word: usize,
    control: u32,
}

impl<'a> ControlReader<'a> {
    #[must_use]
    pub fn new(controls: &'a Controls, pressed: u32) -> ControlReader<'a> {
        ControlReader { controls, pressed, word: 0, control: 0 }
    }

    pub fn word(&mut self) -> i16 {
        let word = self.controls.0.get(self.word).copied().unwrap_or(0);
        self.word += 1;
        word
    }

    /// Begins the next control; says whether it was pressed.
    pub fn next_control(&mut self) -> bool {
        let pressed = self.pressed >> self.control & 1 == 1;
        self.control += 1;
        pressed
    }
}

/// Takes the words of controls in the order of the declaration.
#[derive(Default)]
pub struct ControlWriter {
    controls: Controls,
    word: usize,
}

impl ControlWriter {
    pub fn word(&mut self, word: i16) {
        if let Some(place) = self.controls.0.get_mut(self.word) {
            *place = word;
        }
        self.word += 1;
    }

    #[must_use]
    pub fn controls(self) -> Controls {
        self.controls
    }
}

/// The words of a typed input.
#[must_use]
pub fn controls_of(input: &impl Input) -> Controls {
    let mut words = ControlWriter::default();
    input.write(&mut words);
    words.controls()
}

impl Control for Stick {
    const HOW: ControlType = ControlType::Stick;
    fn read(words: &mut ControlReader<'_>) -> Stick {
        words.next_control();
        let (x, y) = (words.word(), words.word());
        Vec2::new(f64::from(x) / STICK_STEPS, f64::from(y) / STICK_STEPS)
    }
    fn write(self, words: &mut ControlWriter) {
        stick_words(self).into_iter().for_each(|word| words.word(word));
    }
}

impl Control for Aim {
    const HOW: ControlType = ControlType::Aim;
    fn read(words: &mut ControlReader<'_>) -> Aim {
        words.next_control();
        Aim(f64::from(words.word() as u16) / CIRCLE_STEPS * std::f64::consts::TAU)
    }
    fn write(self, words: &mut ControlWriter) {
        words.word(angle_word(self.0) as i16);
    }
}

impl Control for Button {
    const HOW: ControlType = ControlType::Button;
    fn read(words: &mut ControlReader<'_>) -> Button {
        let pressed = words.next_control();
        Button { down: words.word() != 0, pressed }
    }
    fn write(self, words: &mut ControlWriter) {
        words.word(i16::from(self.down));
    }
}

impl<const MIN: i16, const MAX: i16> Control for Level<MIN, MAX> {
    const HOW: ControlType = {
        let () = Self::ORDERED;
        ControlType::Int { min: MIN, max: MAX }
    };
    fn read(words: &mut ControlReader<'_>) -> Self {
        words.next_control();
        Level::new(Self::HOW.neutral() + i32::from(words.word()))
    }
    fn write(self, words: &mut ControlWriter) {
        // Half of all i16 at most lie on either side of the neutral one.
        words.word((self.get() - Self::HOW.neutral()) as i16);
    }
}

/// Words of a stick pushed to `v`; a vector outside the unit disc is drawn in to its rim, one that is not finite is
/// neutral.
#[must_use]
pub fn stick_words(v: Vec2) -> [i16; 2] {
    if !v.is_finite() {
        return [0, 0];
    }
    // Rounding can leave words a hair outside the rim; read back, those would be drawn in again. Twice is stable, so
    // a client's words are the server's.
    let [x, y] = rounded_in(v);
    rounded_in(Vec2::new(f64::from(x) / STICK_STEPS, f64::from(y) / STICK_STEPS))
}

fn rounded_in(v: Vec2) -> [i16; 2] {
    let length = v.length();
    let v = if length > 1.0 { v * (1.0 / length) } else { v };
    // In the unit disc, so both fit.
    [v.x, v.y].map(|axis| round(axis * STICK_STEPS) as i16)
}

/// The word of an angle in radians; one that is not finite is 0.
#[must_use]
pub fn angle_word(radians: f64) -> u16 {
    if !radians.is_finite() {
        return 0;
    }
    let turns = radians / std::f64::consts::TAU;
    let part = turns - floor(turns);
    // 65,536 itself is a whole turn, which is 0 again.
    (round(part * CIRCLE_STEPS) as u32 % 65_536) as u16
}

/// Where control `index` has its first word.
#[must_use]
pub fn word_offset(controls: &[ControlSpec], index: usize) -> usize {
    controls.iter().take(index).map(|control| control.how.words()).sum()
}

/// The mask of buttons that `now` holds down and `before` does not.
#[must_use]
pub fn newly_down(controls: &[ControlSpec], before: &Controls, now: &Controls) -> u32 {
    let mut mask = 0;
    let mut word = 0;
    for (index, control) in controls.iter().take(CONTROLS_MAX).enumerate() {
        let down = |c: &Controls| c.0.get(word).is_some_and(|w| *w != 0);
        if control.how == ControlType::Button && down(now) && !down(before) {
            mask |= 1 << index;
        }
        word += control.how.words();
    }
    mask
}
