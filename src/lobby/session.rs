//! Sessions: a token that says which account a player is, signed with HMAC-SHA256 and the Worker's secret.
//!
//! `base64url(account "." expiry_ms) "." base64url(mac)`. The account is 128 random bits as base64url;
//! nothing else is known of a player. Verified by the MAC's own comparison, which takes the same time
//! whatever differs.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::limits::SESSION_MS;
use crate::wire::names::is_account;

/// Why a session token opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// Not a token of ours.
    Invalid,
    /// It was good once.
    Expired,
}

impl std::fmt::Display for SessionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            SessionError::Invalid => "This session is not known here.",
            SessionError::Expired => "This session has expired.",
        })
    }
}

impl std::error::Error for SessionError {}

/// The account of 128 random bits.
#[must_use]
pub fn account(random: [u8; 16]) -> String {
    BASE64.encode(random)
}

/// A token for an account, good for `SESSION_MS` from `now_ms`.
#[must_use]
pub fn issue(account: &str, now_ms: u64, secret: &[u8]) -> String {
    let claim = BASE64.encode(format!("{account}.{}", now_ms.saturating_add(SESSION_MS)));
    let mac = BASE64.encode(mac(secret, claim.as_bytes()).finalize().into_bytes());
    format!("{claim}.{mac}")
}

/// The account of a token.
///
/// # Errors
/// A token that was not issued with this secret, or that has expired.
pub fn verify(token: &str, now_ms: u64, secret: &[u8]) -> Result<String, SessionError> {
    let (claim, signature) = token.split_once('.').ok_or(SessionError::Invalid)?;
    let signature = BASE64.decode(signature).map_err(|_| SessionError::Invalid)?;
    mac(secret, claim.as_bytes()).verify_slice(&signature).map_err(|_| SessionError::Invalid)?;
    let claim = BASE64.decode(claim).map_err(|_| SessionError::Invalid)?;
    let claim = String::from_utf8(claim).map_err(|_| SessionError::Invalid)?;
    let (account, expiry) = claim.split_once('.').ok_or(SessionError::Invalid)?;
    let expiry: u64 = expiry.parse().map_err(|_| SessionError::Invalid)?;
    if !is_account(account) {
        return Err(SessionError::Invalid);
    }
    if now_ms >= expiry {
        return Err(SessionError::Expired);
    }
    Ok(account.to_owned())
}

fn mac(secret: &[u8], message: &[u8]) -> Hmac<Sha256> {
    // HMAC takes a key of any length.
    let mut mac = <Hmac<Sha256>>::new_from_slice(secret).expect("HMAC takes any key");
    mac.update(message);
    mac
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = 1_790_000_000_000;

    #[test]
    fn a_token_gives_back_its_account_until_it_expires() {
        let ada = account([7; 16]);
        let token = issue(&ada, NOW, b"secret");
        assert_eq!(verify(&token, NOW + SESSION_MS - 1, b"secret"), Ok(ada));
        assert_eq!(verify(&token, NOW + SESSION_MS, b"secret"), Err(SessionError::Expired));
        assert_eq!(verify(&token, NOW, b"another"), Err(SessionError::Invalid));
    }

    #[test]
    fn an_account_of_ours_is_one() {
        assert!(is_account(&account([255; 16])));
    }

    proptest! {
        #[test]
        fn a_token_that_was_changed_opens_nothing(at in any::<prop::sample::Index>(), with in 1u8..) {
            let mut token = issue(&account([7; 16]), NOW, b"secret").into_bytes();
            let at = at.index(token.len());
            token[at] ^= with;
            if let Ok(token) = String::from_utf8(token) {
                // The last character of a MAC has two bits that base64 does not use.
                prop_assert!(verify(&token, NOW, b"secret").is_err());
            }
        }

        #[test]
        fn any_text_is_refused_without_a_panic(text in ".{0,80}") {
            prop_assert!(verify(&text, NOW, b"secret").is_err());
        }
    }
}
