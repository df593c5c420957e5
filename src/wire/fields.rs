//! Typed reading of keys from a JSON object that came from a client.
//!
//! Each reader names the key it failed at. Absent: what a value means; `client_message.rs` and
//! `client_input.rs` say so.

use serde_json::{Map, Value};

use crate::rules::ids::Tick;
use crate::wire::client_message::MessageError;

/// Characters of a client's own text that a refusal repeats: enough to find the typing mistake.
const EXCERPT_CHARS: usize = 24;

pub(super) fn excerpt(text: &str) -> String {
    crate::wire::names::clean_text(text, EXCERPT_CHARS)
}

/// Refuses keys other than `keys`.
pub(super) fn only(object: &Map<String, Value>, keys: &[&str]) -> Result<(), MessageError> {
    match object.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(MessageError::UnknownKey(excerpt(key))),
        None => Ok(()),
    }
}

pub(super) fn text<'a>(object: &'a Map<String, Value>, key: &'static str) -> Result<&'a str, MessageError> {
    let value = object.get(key).ok_or(MessageError::Missing(key))?;
    value.as_str().ok_or(MessageError::Wrong { key, wants: "text" })
}

/// A whole number from 0 to `u32::MAX`.
pub(super) fn whole(object: &Map<String, Value>, key: &'static str) -> Result<u32, MessageError> {
    let value = object.get(key).ok_or(MessageError::Missing(key))?;
    whole_of(value).ok_or(MessageError::Wrong { key, wants: "a whole number" })
}

/// A number; absent and null are none. JSON has no infinities, so it is finite.
pub(super) fn optional_number(
    object: &Map<String, Value>,
    key: &'static str,
) -> Result<Option<f64>, MessageError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => finite(value).map(Some).ok_or(MessageError::Wrong { key, wants: "a number" }),
    }
}

/// A whole number from 0 to `u32::MAX`; absent and null are none.
pub(super) fn optional_whole(
    object: &Map<String, Value>,
    key: &'static str,
) -> Result<Option<u32>, MessageError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => whole(object, key).map(Some),
    }
}

/// A tick a client tells of itself: absent, null and what is no tick are none.
pub(super) fn optional_tick(
    object: &Map<String, Value>,
    key: &'static str,
) -> Result<Option<Tick>, MessageError> {
    optional_number(object, key)?;
    Ok(object.get(key).and_then(whole_of).map(Tick))
}

/// `value` as a whole number from 0 to `u32::MAX`; `5.0` is one.
pub(super) fn whole_of(value: &Value) -> Option<u32> {
    if let Some(n) = value.as_u64() {
        return u32::try_from(n).ok();
    }
    let n = value.as_f64()?;
    let fits = n >= 0.0 && n <= f64::from(u32::MAX) && libm::trunc(n) == n;
    fits.then_some(n as u32)
}

/// `value` as a whole number; `5.0` is one. Those beyond 2^53, which doubles do not tell apart, are none of ours.
pub(super) fn whole_i64(value: &Value) -> Option<i64> {
    if let Some(n) = value.as_i64() {
        return Some(n);
    }
    let n = value.as_f64()?;
    let fits = n.abs() <= 9_007_199_254_740_992.0 && libm::trunc(n) == n;
    fits.then_some(n as i64)
}

pub(super) fn finite(value: &Value) -> Option<f64> {
    value.as_f64().filter(|n| n.is_finite())
}
