//! Names of rooms and players: what is allowed, checked and cleaned in one place.

use crate::limits::{ACCOUNT_BYTES_MAX, NAME_CHARS_MAX, ROOM_NAME_BYTES_MAX};

/// First path segments that no game may take.
pub const RESERVED: &[&str] = &["api", "ws", "health", "admin", "assets", "metrics"];

/// A room is named by `[a-z0-9-]{1,32}`.
#[must_use]
pub fn is_room_name(name: &str) -> bool {
    (1..=ROOM_NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Whether a text can be an account: 1 to 64 of `A–Z a–z 0–9 _ -`.
#[must_use]
pub fn is_account(text: &str) -> bool {
    (1..=ACCOUNT_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// What names and codes that we make up are written in: no two letters look alike.
pub const PLAIN_LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";

/// What the name of a room begins with that is never listed: only who has its URL finds it.
pub const PRIVATE_PREFIX: &str = "p-";

/// A player's name as others see it: control and formatting characters out, runs of space one space, cut at
/// `NAME_CHARS_MAX`; an empty one becomes `Player`.
#[must_use]
pub fn clean_name(name: &str) -> String {
    let cleaned = clean_text(name, NAME_CHARS_MAX);
    if cleaned.is_empty() { "Player".to_owned() } else { cleaned }
}

/// Text fit to be shown to others, at most `chars` characters. Direction overrides and zero-width characters
/// are taken out: they let one player look like another.
#[must_use]
pub fn clean_text(text: &str, chars: usize) -> String {
    let shown = |c: char| {
        let invisible = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        !(c.is_control() || invisible || matches!(c, '\u{2028}'..='\u{202e}'))
    };
    let mut out = String::new();
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| shown(*c)).collect();
        if !word.is_empty() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&word);
        }
    }
    out.chars().take(chars).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn room_names_are_short_and_plain() {
        assert!(is_room_name("a") && is_room_name("room-7") && is_room_name(&"x".repeat(32)));
        for bad in ["", "A", "a b", "a/b", "ä", "a_b", "a.b"] {
            assert!(!is_room_name(bad), "{bad}");
        }
        assert!(!is_room_name(&"x".repeat(33)));
    }

    #[test]
    fn accounts_are_plain_and_bounded() {
        assert!(is_account("Az09_-") && is_account(&"x".repeat(64)));
        for bad in ["", "a b", "ä", "a.b", "a/b", &"x".repeat(65)] {
            assert!(!is_account(bad), "{bad}");
        }
    }

    #[test]
    fn names_are_cleaned_of_what_deceives() {
        assert_eq!(clean_name("  Ada \t Love\u{200b}lace\n"), "Ada Lovelace");
        assert_eq!(clean_name("\u{202e}adA"), "adA");
        assert_eq!(clean_name("\u{0}\u{feff}"), "Player");
        assert_eq!(clean_name(&"x".repeat(99)).len(), NAME_CHARS_MAX);
        assert_eq!(clean_text(&format!("{} y", "x".repeat(23)), 24), "x".repeat(23));
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing(text in any::<String>()) {
            let once = clean_name(&text);
            prop_assert!(once.chars().count() <= NAME_CHARS_MAX && !once.is_empty());
            prop_assert_eq!(clean_name(&once), once);
        }
    }
}
