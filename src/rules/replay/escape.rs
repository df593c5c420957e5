//! Texts within a line of a log: what would end the line or the word is written as `%` and two hexadecimal digits a byte.
//!
//! One text has one form: what could have been written without an escape is refused with one.

use std::fmt::Write;

use crate::rules::replay::ReplayFault;

/// A text that goes on to the end of its line.
#[must_use]
pub fn line(text: &str) -> String {
    escape(text, |c| c != '%' && !c.is_control())
}

/// A text that is a word, or part of one.
#[must_use]
pub fn word(text: &str) -> String {
    escape(text, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

/// # Errors
/// It is not what `line` writes.
pub fn read_line(text: &str, what: &'static str) -> Result<String, ReplayFault> {
    read(text, line, what)
}

/// # Errors
/// It is not what `word` writes.
pub fn read_word(text: &str, what: &'static str) -> Result<String, ReplayFault> {
    read(text, word, what)
}

fn escape(text: &str, is_plain: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_plain(c) {
            out.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a String has nothing to refuse.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

fn read(text: &str, written: fn(&str) -> String, what: &'static str) -> Result<String, ReplayFault> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        let digits = escaped.get(..2).ok_or(ReplayFault::Word(what))?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| ReplayFault::Word(what))?);
        rest = &escaped[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    let read = String::from_utf8(bytes).map_err(|_| ReplayFault::Word(what))?;
    if written(&read) == text { Ok(read) } else { Err(ReplayFault::Word(what)) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_ends_a_line_or_a_word_is_escaped_and_nothing_else() {
        assert_eq!(line("100 % sure,\nor so"), "100 %25 sure,%0Aor so");
        assert_eq!(word("a b;é"), "a%20b%3B%C3%A9");
        for bad in ["%", "%2", "%zz", "%41", "%0a", "%+1", "%é"] {
            assert_eq!(read_line(bad, "name"), Err(ReplayFault::Word("name")), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_text_reads_back_from_one_line(text in any::<String>()) {
            prop_assert!(line(&text).lines().count() <= 1 && !word(&text).contains([' ', ';', '|', ',']));
            prop_assert_eq!(read_line(&line(&text), ""), Ok(text.clone()));
            prop_assert_eq!(read_word(&word(&text), ""), Ok(text));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in any::<String>()) {
            let _ = (read_line(&text, ""), read_word(&text, ""));
        }
    }
}
