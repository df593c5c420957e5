//! `Text`: bounded text that is shown to others.

use std::fmt;
use std::ops::{AddAssign, Deref};

use crate::limits::TEXT_CHARS_MAX;
use crate::rules::field::{Field, Fitted, take_length, take_word};
use crate::rules::must::must;
use crate::rules::schema::FieldType;

/// A text of at most `CHARS` characters, without control characters and direction overrides.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const CHARS: u16>(String);

impl<const CHARS: u16> Text<CHARS> {
    const FITS: () = must(CHARS <= TEXT_CHARS_MAX, "a Text has at most 256 characters");

    pub fn set(&mut self, value: impl Into<Self>) {
        *self = value.into();
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Whether a text keeps this character. Control characters and those that turn the direction of what follows would
/// garble whatever the text is shown in.
#[must_use]
pub fn is_kept(c: char) -> bool {
    !(c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

impl<const CHARS: u16> Field for Text<CHARS> {
    const TYPE: FieldType = {
        let () = Self::FITS;
        FieldType::Text { chars: CHARS }
    };
    fn put(&self, words: &mut Vec<i32>) {
        words.push(self.0.chars().count() as i32);
        words.extend(self.0.chars().map(|c| c as i32));
    }
    fn take(words: &mut &[i32]) -> Option<Self> {
        let length = take_length(words, CHARS)?;
        let mut text = String::new();
        for _ in 0..length {
            let c = u32::try_from(take_word(words)?).ok().and_then(char::from_u32)?;
            text.push(Some(c).filter(|c| is_kept(*c))?);
        }
        Some(Text(text))
    }
    fn fit(&mut self) -> Option<Fitted> {
        let kept = || self.0.chars().filter(|c| is_kept(*c));
        let (all, fits) = (self.0.chars().count(), kept().count());
        if fits == all && fits <= usize::from(CHARS) {
            return None;
        }
        let what = if fits > usize::from(CHARS) { "cut" } else { "dropped" };
        let text = kept().take(usize::from(CHARS)).collect();
        let written = std::mem::replace(&mut self.0, text);
        Some(Fitted::new(what, written))
    }
}

impl<const CHARS: u16> Deref for Text<CHARS> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const CHARS: u16> From<&str> for Text<CHARS> {
    fn from(text: &str) -> Self {
        Text(text.to_owned())
    }
}

impl<const CHARS: u16> From<String> for Text<CHARS> {
    fn from(text: String) -> Self {
        Text(text)
    }
}

impl<const CHARS: u16> AddAssign<&str> for Text<CHARS> {
    fn add_assign(&mut self, more: &str) {
        self.0.push_str(more);
    }
}

impl<const CHARS: u16> PartialEq<str> for Text<CHARS> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl<const CHARS: u16> PartialEq<&str> for Text<CHARS> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl<const CHARS: u16> fmt::Debug for Text<CHARS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const CHARS: u16> fmt::Display for Text<CHARS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
