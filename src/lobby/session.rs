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

/// Why a session token opens nothing. The texts are for players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// None was given.
    Missing,
    /// Not a token of ours, nor of the identity provider.
    Invalid,
    /// It was good once.
    Expired,
    /// Its account was deleted.
    Deleted,
    /// The operator has set no secret to sign with.
    NoSecret,
    /// Whose it is cannot be looked up just now.
    Away,
}

impl SessionError {
    /// Stable, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            SessionError::Missing => "unauthorized",
            SessionError::Invalid => "session_invalid",
            SessionError::Expired => "session_expired",
            SessionError::Deleted => "session_deleted",
            SessionError::NoSecret => "unavailable",
            SessionError::Away => "records_away",
        }
    }

    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            SessionError::Missing => "a session is needed",
            SessionError::Invalid => "this session is not known here",
            SessionError::Expired => "this session has expired",
            SessionError::Deleted => "this account was deleted",
            SessionError::NoSecret => "this server has no SESSION_SECRET: its operator must set it",
            SessionError::Away => "the records cannot be reached just now",
        }
    }
}

impl std::fmt::Display for SessionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
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

/// The account of a token that any of these secrets signed: the present one, and the former while it is taken out of
/// use.
///
/// # Errors
/// As `verify`.
pub fn verify_any(token: &str, now_ms: u64, secrets: &[impl AsRef<[u8]>]) -> Result<String, SessionError> {
    let mut verified = Err(SessionError::Invalid);
    for secret in secrets {
        verified = verify(token, now_ms, secret.as_ref());
        if verified != Err(SessionError::Invalid) {
            break;
        }
    }
    verified
}

pub(super) fn mac(secret: &[u8], message: &[u8]) -> Hmac<Sha256> {
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

    #[test]
    fn a_former_secret_opens_and_the_first_one_signs() {
        let ada = account([7; 16]);
        let former = issue(&ada, NOW, b"old");
        assert_eq!(verify_any(&former, NOW, &["new", "old"]), Ok(ada.clone()));
        assert_eq!(verify_any(&former, NOW + SESSION_MS, &["new", "old"]), Err(SessionError::Expired));
        assert_eq!(verify_any(&former, NOW, &["new"]), Err(SessionError::Invalid));
        assert_eq!(verify_any(&issue(&ada, NOW, b"new"), NOW, &["new", "old"]), Ok(ada));
        assert_eq!(verify_any(&former, NOW, &[] as &[&str]), Err(SessionError::Invalid));
    }

    #[test]
    fn a_token_cut_short_opens_nothing() {
        let token = issue(&account([7; 16]), NOW, b"secret");
        for end in 0..token.len() {
            assert_eq!(verify(&token[..end], NOW, b"secret"), Err(SessionError::Invalid), "{end}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

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
