//! The `in` message, both ways:
//! `{"t":"in","e":epoch,"k":tick,"r":rebase,"s":[[tick,{"move":[0,1],"fire":true},claim?],…],"g":tick}`.
//!
//! Strict: unknown keys, unknown controls and values of another type refuse the whole message. A control that
//! is not named is neutral. A claim `[at,velocity,heading]` says where an owner-moved body is; whether it can be there is
//! the host's to judge, a place beyond every map is malformed.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::limits::{ENTRIES_MAX, MAP_HALF_METRES_MAX, POSITION_STEPS_PER_METRE};
use crate::rules::ids::{Epoch, Tick};
use crate::rules::input::{CIRCLE_STEPS, Controls, STICK_STEPS, angle_word, stick_words, word_offset};
use crate::rules::motion::{Pose, to_steps};
use crate::rules::schema::{ControlSpec, ControlType};
use crate::rules::vec2::Vec2;
use crate::wire::client_message::{InputEntry, InputMessage, MessageError};
use crate::wire::fields;
use crate::wire::place::metres;
use crate::wire::values::put_angle;

pub(super) fn read(
    object: &Map<String, Value>,
    controls: &[ControlSpec],
) -> Result<InputMessage, MessageError> {
    fields::only(object, &["e", "k", "r", "g", "s"])?;
    let epoch = Epoch(fields::whole(object, "e")?);
    fields::optional_number(object, "k")?;
    let rebase = fields::optional_whole(object, "r")?;
    let held_tick = fields::optional_tick(object, "g")?;
    let list = object.get("s").ok_or(MessageError::Missing("s"))?;
    let list = list.as_array().ok_or(MessageError::Wrong { key: "s", wants: "a list of entries" })?;
    if list.len() > ENTRIES_MAX {
        return Err(MessageError::TooManyEntries { entries: list.len() });
    }
    let entries = list.iter().map(|entry| read_entry(entry, controls)).collect::<Result<Vec<_>, _>>()?;
    let ticks: Vec<Tick> = entries.iter().filter_map(|entry| entry.tick).collect();
    if ticks.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(MessageError::NotRising);
    }
    Ok(InputMessage { epoch, entries, held_tick, rebase })
}

fn read_entry(entry: &Value, controls: &[ControlSpec]) -> Result<InputEntry, MessageError> {
    let (tick, held, claim) = match entry.as_array().map(Vec::as_slice) {
        Some([tick, held]) => (tick, held, None),
        Some([tick, held, claim]) => {
            let wrong = MessageError::Wrong { key: "claim", wants: "[at, velocity, heading] on a map" };
            (tick, held, Some(read_claim(claim).ok_or(wrong)?))
        }
        _ => return Err(MessageError::Wrong { key: "s", wants: "entries [tick, controls]" }),
    };
    if !tick.is_number() {
        return Err(MessageError::Wrong { key: "tick", wants: "a number" });
    }
    let held = held.as_object().ok_or(MessageError::Wrong { key: "controls", wants: "an object" })?;
    let controls = read_controls(held, controls)?;
    Ok(InputEntry { tick: fields::whole_of(tick).map(Tick), controls, claim })
}

fn read_controls(held: &Map<String, Value>, specs: &[ControlSpec]) -> Result<Controls, MessageError> {
    let mut controls = Controls::default();
    for (name, value) in held {
        let index = specs.iter().position(|spec| spec.name == name);
        let index = index.ok_or_else(|| MessageError::UnknownControl(fields::excerpt(name)))?;
        let (spec, at) = (&specs[index], word_offset(specs, index));
        let wrong = |wants| MessageError::WrongControl { control: spec.name, wants };
        match spec.how {
            ControlType::Stick => {
                let [x, y] = plane(value).ok_or_else(|| wrong("two numbers"))?;
                put_words(&mut controls, at, &stick_words(Vec2::new(x, y)));
            }
            ControlType::Aim => {
                let radians = fields::finite(value).ok_or_else(|| wrong("a number"))?;
                // The word's bits: a heading is unsigned, a word signed.
                put_words(&mut controls, at, &[angle_word(radians) as i16]);
            }
            ControlType::Button => {
                let down = value.as_bool().ok_or_else(|| wrong("true or false"))?;
                put_words(&mut controls, at, &[i16::from(down)]);
            }
            ControlType::Int { min, max } => {
                let bounds = i64::from(min)..=i64::from(max);
                let n = fields::whole_i64(value).filter(|n| bounds.contains(n));
                let n = n.ok_or_else(|| wrong("a whole number within its bounds"))?;
                // Between two i16; their difference wraps, and wraps back when it is read.
                put_words(&mut controls, at, &[(n - i64::from(spec.how.neutral())) as i16]);
            }
            ControlType::Choice { names } => {
                let name = value.as_str().and_then(|name| names.iter().position(|n| *n == name));
                let index = name.ok_or_else(|| wrong("one of its names"))?;
                put_words(&mut controls, at, &[index as i16]);
            }
        }
    }
    Ok(controls)
}

/// Words past the end are left out: a schema that has them is refused where games are declared.
fn put_words(controls: &mut Controls, at: usize, words: &[i16]) {
    for (slot, word) in controls.0.iter_mut().skip(at).zip(words) {
        *slot = *word;
    }
}

fn plane(value: &Value) -> Option<[f64; 2]> {
    match value.as_array().map(Vec::as_slice) {
        Some([x, y]) => Some([fields::finite(x)?, fields::finite(y)?]),
        _ => None,
    }
}

fn read_claim(value: &Value) -> Option<Pose> {
    let [at, velocity, heading] = value.as_array()?.as_slice() else { return None };
    let speed_max = f64::from(i32::MAX / POSITION_STEPS_PER_METRE);
    Some(Pose {
        at: steps(at, f64::from(MAP_HALF_METRES_MAX))?,
        velocity: steps(velocity, speed_max)?,
        heading: angle_word(fields::finite(heading)?),
    })
}

/// Two or three numbers from `-bound` to `bound`, as steps.
fn steps(axes: &Value, bound: f64) -> Option<[i32; 3]> {
    let axes = axes.as_array().filter(|axes| (2..=3).contains(&axes.len()))?;
    let mut steps = [0; 3];
    for (step, axis) in steps.iter_mut().zip(axes) {
        *step = to_steps(fields::finite(axis).filter(|v| v.abs() <= bound)?);
    }
    Some(steps)
}

pub(super) fn write(message: &InputMessage, controls: &[ControlSpec]) -> String {
    let mut out = String::new();
    let put = write_into(&mut out, message, controls);
    debug_assert!(put.is_ok(), "a String takes all that is written");
    out
}

fn write_into(out: &mut String, message: &InputMessage, controls: &[ControlSpec]) -> std::fmt::Result {
    write!(out, r#"{{"t":"in","e":{},"s":["#, message.epoch)?;
    for (i, entry) in message.entries.iter().enumerate() {
        out.push_str(if i == 0 { "[" } else { ",[" });
        match entry.tick {
            Some(tick) => write!(out, "{tick},{{")?,
            None => out.push_str("-1,{"),
        }
        write_controls(out, &entry.controls, controls)?;
        out.push('}');
        if let Some(claim) = &entry.claim {
            write_claim(out, claim)?;
        }
        out.push(']');
    }
    out.push(']');
    if let Some(rebase) = message.rebase {
        write!(out, r#","r":{rebase}"#)?;
    }
    if let Some(tick) = message.held_tick {
        write!(out, r#","g":{tick}"#)?;
    }
    out.push('}');
    Ok(())
}

/// A third axis is written where there is one.
fn write_claim(out: &mut String, claim: &Pose) -> std::fmt::Result {
    out.push_str(",[");
    for axes in [claim.at, claim.velocity] {
        let [x, y, z] = axes.map(metres);
        if z == 0.0 { write!(out, "[{x},{y}],")? } else { write!(out, "[{x},{y},{z}],")? }
    }
    put_angle(out, f64::from(claim.heading) / CIRCLE_STEPS)?;
    out.push(']');
    Ok(())
}

/// What is neutral is left out.
fn write_controls(out: &mut String, controls: &Controls, specs: &[ControlSpec]) -> std::fmt::Result {
    let start = out.len();
    for (index, spec) in specs.iter().enumerate() {
        let at = word_offset(specs, index);
        let word = |i: usize| controls.0.get(at + i).copied().unwrap_or(0);
        if (0..spec.how.words()).all(|i| word(i) == 0) {
            continue;
        }
        if out.len() > start {
            out.push(',');
        }
        write!(out, r#""{}":"#, spec.name)?;
        match spec.how {
            // Four decimals are a 79th of a step of the stick.
            ControlType::Stick => {
                let axis = |i| libm::round(f64::from(word(i)) / STICK_STEPS * 1e4) / 1e4;
                write!(out, "[{},{}]", axis(0), axis(1))?;
            }
            ControlType::Aim => put_angle(out, f64::from(word(0) as u16) / CIRCLE_STEPS)?,
            ControlType::Button => out.push_str("true"),
            ControlType::Int { .. } => {
                let n = (spec.how.neutral() as i16).wrapping_add(word(0));
                write!(out, "{n}")?;
            }
            ControlType::Choice { names } => {
                let name = usize::try_from(word(0)).ok().and_then(|i| names.get(i)).unwrap_or(&"");
                write!(out, "\"{name}\"")?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::client_message::{ClientMessage, Declared};
    use crate::wire::describe::tests::PAD;

    const DECLARED: Declared<'static> = Declared { controls: PAD, actions: &[] };

    fn input(rest: &str) -> Result<InputMessage, MessageError> {
        match ClientMessage::parse(&format!(r#"{{"t":"in","e":1,{rest}}}"#), &DECLARED) {
            Ok(ClientMessage::Input(message)) => Ok(message),
            Ok(other) => panic!("an input message, not {other:?}"),
            Err(error) => Err(error),
        }
    }

    #[test]
    fn a_control_that_is_not_named_is_neutral() {
        let message = input(r#""s":[[5,{"fire":true}],[6,{"move":[0,1]}]]"#);
        let entries = message.expect("well formed").entries;
        assert_eq!(entries[0].controls.0[..4], [0, 0, 1, 0]);
        assert_eq!(entries[1].controls.0[..4], [0, 127, 0, 0]);
    }

    /// F18
    #[test]
    fn ticks_that_are_no_whole_numbers_lose_their_entry_only() {
        for tick in ["-1", "1.5", "9007199254740992", "1e300", "4294967296"] {
            let message = input(&format!(r#""s":[[{tick},{{}}],[7,{{}}]]"#)).expect("well formed");
            let ticks: Vec<_> = message.entries.iter().map(|entry| entry.tick).collect();
            assert_eq!(ticks, [None, Some(Tick(7))], "{tick}");
        }
        assert_eq!(input(r#""s":[[7.0,{}]]"#).expect("well formed").entries[0].tick, Some(Tick(7)));
    }

    /// F18
    #[test]
    fn wrong_shapes_refuse_the_message() {
        for rest in [
            r#""s":[["7",{}]]"#,
            r#""s":[[7]]"#,
            r#""s":[[7,[]]]"#,
            r#""s":{}"#,
            r#""s":[[7,{}]],"z":1"#,
            r#""s":[[7,{"jump":true}]]"#,
            r#""s":[[7,{"fire":1}]]"#,
            r#""s":[[7,{"move":[1]}]]"#,
            r#""s":[[7,{"move":["0","1"]}]]"#,
            r#""s":[[7,{"aim":null}]]"#,
            r#""s":[[7,{}],[7,{}]]"#,
            r#""s":[[7,{}],[6,{}]]"#,
            r#""s":[[7,{},[1,2,3]]]"#,
            r#""s":[],"k":"1""#,
            r#""s":[],"r":"1""#,
            r#""s":[],"r":-1"#,
            r#""s":[],"r":0.5"#,
            r#""s":[[7,{"gear":0}]]"#,
            r#""s":[[7,{"gear":6}]]"#,
            r#""s":[[7,{"gear":2.5}]]"#,
            r#""s":[[7,{"gear":"2"}]]"#,
            r#""s":[[7,{"tilt":32768}]]"#,
            r#""s":[[7,{"tilt":-1e300}]]"#,
            r#""s":[[7,{"tool":"spoon"}]]"#,
            r#""s":[[7,{"tool":1}]]"#,
        ] {
            assert!(input(rest).is_err(), "{rest}");
        }
        let many = vec!["[1,{}]"; ENTRIES_MAX + 1].join(",");
        assert_eq!(
            input(&format!(r#""s":[{many}]"#)),
            Err(MessageError::TooManyEntries { entries: ENTRIES_MAX + 1 })
        );
    }

    #[test]
    fn a_claim_is_a_pose_in_steps() {
        let message = input(r#""s":[[7,{},[[1,-2],[0,0.5],1.5707963]],[8,{}]],"k":3,"r":2,"g":6"#);
        let message = message.expect("well formed");
        let claim = Pose { at: [512, -1024, 0], velocity: [0, 256, 0], heading: 16_384 };
        assert_eq!(message.entries.iter().map(|e| e.claim).collect::<Vec<_>>(), [Some(claim), None]);
        assert_eq!((message.rebase, message.held_tick), (Some(2), Some(Tick(6))));
        let high = input(r#""s":[[7,{},[[1,-2,4],[0,0,-1],0]]]"#).expect("well formed").entries[0].claim;
        assert_eq!(high.map(|pose| (pose.at[2], pose.velocity[2])), Some((2_048, -512)));
    }

    /// F18
    #[test]
    fn a_claim_that_is_no_place_on_any_map_is_malformed() {
        let wrong = Err(MessageError::Wrong { key: "claim", wants: "[at, velocity, heading] on a map" });
        for claim in [
            "null",
            "[]",
            "[[0,0],[0,0]]",
            "[[0,0],[0,0],0,0]",
            "[[0],[0,0],0]",
            "[[0,0,0,0],[0,0],0]",
            "[[0,null],[0,0],0]",
            "[[0,0],[0,\"1\"],0]",
            "[[0,0],[0,0],null]",
            "[[0,0],[0,0],true]",
            "[[16384.1,0],[0,0],0]",
            "[[0,-1e308],[0,0],0]",
            "[[0,0,1e18],[0,0],0]",
            "[[0,0],[1e9,0],0]",
        ] {
            assert_eq!(input(&format!(r#""s":[[7,{{}},{claim}]]"#)), wrong, "{claim}");
        }
        assert!(input(r#""s":[[7,{},[[16384,-16384],[5e-324,-0.0],-1e308]]]"#).is_ok());
    }

    #[test]
    fn whole_numbers_and_names_are_held_as_how_far_they_are_from_neutral() {
        let message =
            input(r#""s":[[7,{"gear":1,"tilt":-32768,"tool":"axe"}],[8,{"gear":5.0,"tool":"rope"}]]"#);
        let words: Vec<_> =
            message.expect("well formed").entries.iter().map(|e| e.controls.0[4..7].to_vec()).collect();
        assert_eq!(words, [[0, i16::MIN, 0], [4, 0, 2]]);
    }

    /// F18
    #[test]
    fn extreme_numbers_become_words_in_bounds() {
        for (x, y) in [("1e308", "1e308"), ("-1e308", "0"), ("5e-324", "-0.0"), ("1e308", "-1e-308")] {
            let message =
                input(&format!(r#""s":[[7,{{"move":[{x},{y}],"aim":{x}}}]]"#)).expect("well formed");
            let [right, up, ..] = message.entries[0].controls.0;
            assert!(right.abs() <= 127 && up.abs() <= 127, "({x}, {y}) gave ({right}, {up})");
        }
    }

    #[test]
    fn every_word_a_stick_can_have_survives_the_way() {
        for right in -127..=127i16 {
            for up in -127..=127i16 {
                let words =
                    stick_words(Vec2::new(f64::from(right) / STICK_STEPS, f64::from(up) / STICK_STEPS));
                let [x, y] = words.map(|word| libm::round(f64::from(word) / STICK_STEPS * 1e4) / 1e4);
                assert_eq!(stick_words(Vec2::new(x, y)), words, "({right}, {up})");
            }
        }
    }
}
