//! One-time codes, by which an account comes to a second device: read off one screen, typed in at another.
//!
//! Good for `CODE_MS` and for once. Only a keyed hash of one is stored: who reads the database learns none. Absent: the
//! rows, which are D1's, and how often an address may try (`visitors.rs`).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac::Mac as _;

use crate::limits::CODE_LETTERS;
use crate::lobby::session::mac;
use crate::wire::names::PLAIN_LETTERS;

/// A code of so many random bytes.
#[must_use]
pub fn code(random: [u8; CODE_LETTERS]) -> String {
    random.iter().map(|byte| char::from(PLAIN_LETTERS[usize::from(*byte) % PLAIN_LETTERS.len()])).collect()
}

/// What is stored of a code, however it was typed; none for what cannot be one.
#[must_use]
pub fn hash(typed: &str, secret: &[u8]) -> Option<String> {
    let letters = typed.chars().filter(|c| !matches!(c, ' ' | '-')).take(CODE_LETTERS + 1);
    let code: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let is_code = code.len() == CODE_LETTERS && code.bytes().all(|byte| PLAIN_LETTERS.contains(&byte));
    is_code.then(|| BASE64.encode(mac(secret, format!("code {code}").as_bytes()).finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_again_however_it_was_typed() {
        let code = code([0, 30, 31, 255, 7, 8, 9, 10]);
        let stored = hash(&code, b"secret").expect("a code");
        let typed = format!(" {}-{} ", code[..4].to_uppercase(), &code[4..]);
        assert_eq!(hash(&typed, b"secret"), Some(stored.clone()));
        assert!(hash(&code, b"other") != Some(stored.clone()) && !stored.contains(&code));
    }

    #[test]
    fn what_cannot_be_a_code_is_none() {
        for typed in ["", "abcdefg", "abcdefghj", "abcdefg0", "abcdefgi", "äbcdefgh", &"a".repeat(9_999)] {
            assert_eq!(hash(typed, b"secret"), None, "{typed}");
        }
    }
}
