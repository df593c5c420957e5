//! Resume tokens: 128 random bits, as text in a welcome, compared in constant time.
//!
//! The bits are an argument (the platform draws them). Absent: which seat a token opens (`seats.rs`).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The secret of a seat. No `PartialEq` and no `Debug`: it is compared by `same_secret` and never logged.
#[derive(Clone, Copy)]
pub(super) struct Secret(pub [u8; 16]);

impl Secret {
    /// As a welcome carries it.
    pub(super) fn token(self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// What a hello carries; none if it is no token of ours.
    pub(super) fn from_token(token: &str) -> Option<Secret> {
        let mut bytes = [0; 16];
        let length = URL_SAFE_NO_PAD.decode_slice(token, &mut bytes).ok()?;
        (length == bytes.len()).then_some(Secret(bytes))
    }
}

/// Whether both are the same, in a time that does not tell where they differ.
pub(super) fn same_secret(a: Secret, b: Secret) -> bool {
    let difference = a.0.iter().zip(b.0).fold(0u8, |difference, (a, b)| difference | (a ^ b));
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_and_nothing_else_does() {
        let secret = Secret([0xfb; 16]);
        let token = secret.token();
        assert_eq!(token.len(), 22);
        assert!(Secret::from_token(&token).is_some_and(|read| same_secret(read, secret)));
        for bad in ["", "x", &token[1..], &format!("{token}A"), "????????????????????..", &"a".repeat(512)] {
            assert!(Secret::from_token(bad).is_none(), "{bad}");
        }
    }

    /// F1
    #[test]
    fn one_bit_makes_another_secret() {
        for bit in 0..128 {
            let mut bytes = [7; 16];
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(!same_secret(Secret([7; 16]), Secret(bytes)));
        }
    }
}
