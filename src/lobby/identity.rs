//! Players of an own identity provider: its JSON Web Tokens (RFC 7519) are taken wherever a session token is.
//!
//! The operator names the issuer, one algorithm and the key; a token of any other algorithm is refused before its signature
//! is looked at (RFC 8725, 3.1). HS256 is verified here by the MAC's own comparison, EdDSA by the platform, which has it.
//! Nothing that a token claims is believed before that. The account of a subject is one that a guest was joined to, else one
//! made from issuer and subject. Absent: keys, the rows of joined accounts.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac::Mac as _;
use serde::Deserialize;
use sha2::Digest as _;

use crate::limits::{IDENTITY_SKEW_MS, SUBJECT_CHARS_MAX};
use crate::lobby::session::{SessionError, mac};

/// How an issuer signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Hs256,
    EdDsa,
}

/// Whose tokens are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// `iss`, exactly.
    pub name: String,
    /// One of `aud`, if the operator wants one.
    pub audience: Option<String>,
    pub algorithm: Algorithm,
}

/// A token whose signature has yet to be verified.
pub struct Signed<'a> {
    /// What is signed.
    pub text: &'a str,
    pub signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    /// Extensions that must be understood: none is.
    crit: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    /// Seconds since 1970, perhaps with a fraction.
    exp: f64,
    nbf: Option<f64>,
    aud: Option<Audience>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Algorithm {
    /// By its name in a token's header.
    #[must_use]
    pub fn of(name: &str) -> Option<Algorithm> {
        match name {
            "HS256" => Some(Algorithm::Hs256),
            "EdDSA" => Some(Algorithm::EdDsa),
            _ => None,
        }
    }
}

/// Whether a token is of this form at all: ours has one dot, these have two.
#[must_use]
pub fn is_one(token: &str) -> bool {
    token.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// Takes a token apart, if it says to be signed as its issuer signs.
///
/// # Errors
/// No token, or one of another algorithm.
pub fn open<'a>(token: &'a str, issuer: &Issuer) -> Result<Signed<'a>, SessionError> {
    let (text, signature) = token.rsplit_once('.').ok_or(SessionError::Invalid)?;
    let (header, _) = text.split_once('.').ok_or(SessionError::Invalid)?;
    let header: Header = decoded(header)?;
    if Algorithm::of(&header.alg) != Some(issuer.algorithm) || header.crit.is_some() {
        return Err(SessionError::Invalid);
    }
    let signature = BASE64.decode(signature).map_err(|_| SessionError::Invalid)?;
    Ok(Signed { text, signature })
}

impl Signed<'_> {
    /// # Errors
    /// Another key signed it, or none.
    pub fn verify_hs256(&self, key: &[u8]) -> Result<(), SessionError> {
        mac(key, self.text.as_bytes()).verify_slice(&self.signature).map_err(|_| SessionError::Invalid)
    }

    /// Whom it is about. Only for a token whose signature was verified.
    ///
    /// # Errors
    /// Another issuer or audience, no subject, expired, or not good yet.
    pub fn subject(&self, issuer: &Issuer, now_ms: u64) -> Result<String, SessionError> {
        let (_, claims) = self.text.split_once('.').ok_or(SessionError::Invalid)?;
        let Claims { iss, sub, exp, nbf, aud } = decoded(claims)?;
        let is_for_us = issuer.audience.as_ref().is_none_or(|wanted| match &aud {
            Some(Audience::One(audience)) => audience == wanted,
            Some(Audience::Many(audiences)) => audiences.contains(wanted),
            None => false,
        });
        let is_whole = (1..=SUBJECT_CHARS_MAX).contains(&sub.chars().count());
        if iss != issuer.name || !is_for_us || !is_whole {
            return Err(SessionError::Invalid);
        }
        // Seconds; the comparisons are false for what is no number.
        let now = now_ms as f64 / 1_000.0;
        let is_begun = nbf.is_none_or(|nbf| nbf <= now + IDENTITY_SKEW_MS as f64 / 1_000.0);
        match (exp > now, is_begun) {
            (true, true) => Ok(sub),
            (false, _) => Err(SessionError::Expired),
            (true, false) => Err(SessionError::Invalid),
        }
    }
}

/// The account of a subject that no guest was joined to.
#[must_use]
pub fn account_of(issuer: &str, subject: &str) -> String {
    let digest = sha2::Sha256::digest(format!("{issuer}\0{subject}"));
    BASE64.encode(&digest[..16])
}

fn decoded<T: serde::de::DeserializeOwned>(part: &str) -> Result<T, SessionError> {
    let bytes = BASE64.decode(part).map_err(|_| SessionError::Invalid)?;
    serde_json::from_slice(&bytes).map_err(|_| SessionError::Invalid)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::wire::names::is_account;

    const NOW_MS: u64 = 1_790_000_000_000;
    const NOW: u64 = NOW_MS / 1_000;

    fn issuer() -> Issuer {
        Issuer { name: "https://id.example".to_owned(), audience: None, algorithm: Algorithm::Hs256 }
    }

    fn token(header: &Value, claims: &Value, key: &[u8]) -> String {
        let text = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
        let signature = BASE64.encode(mac(key, text.as_bytes()).finalize().into_bytes());
        format!("{text}.{signature}")
    }

    fn subject(token: &str, issuer: &Issuer) -> Result<String, SessionError> {
        let signed = open(token, issuer)?;
        signed.verify_hs256(b"key")?;
        signed.subject(issuer, NOW_MS)
    }

    fn claims() -> Value {
        json!({"iss": "https://id.example", "sub": "ada", "exp": NOW + 60})
    }

    fn with(key: &str, value: Value) -> Value {
        let mut claims = claims();
        claims[key] = value;
        claims
    }

    #[test]
    fn a_token_of_the_issuer_says_whom_it_is_about() {
        let header = json!({"alg": "HS256", "typ": "JWT"});
        assert_eq!(subject(&token(&header, &claims(), b"key"), &issuer()), Ok("ada".to_owned()));
        for (claims, error) in [
            (with("exp", json!(NOW)), SessionError::Expired),
            (with("exp", json!(null)), SessionError::Invalid),
            (with("nbf", json!(NOW + 120)), SessionError::Invalid),
            (with("iss", json!("https://id.example/")), SessionError::Invalid),
            (with("sub", json!("")), SessionError::Invalid),
            (with("sub", json!("x".repeat(SUBJECT_CHARS_MAX + 1))), SessionError::Invalid),
            (with("sub", json!(7)), SessionError::Invalid),
        ] {
            assert_eq!(subject(&token(&header, &claims, b"key"), &issuer()), Err(error), "{claims}");
        }
        assert!(subject(&token(&header, &with("nbf", json!(NOW + 30)), b"key"), &issuer()).is_ok());
    }

    #[test]
    fn another_key_or_algorithm_is_refused_whatever_the_header_says() {
        let other = token(&json!({"alg": "HS256"}), &claims(), b"other");
        assert_eq!(subject(&other, &issuer()), Err(SessionError::Invalid));
        for alg in ["none", "None", "HS512", "EdDSA", "RS256", ""] {
            let token = token(&json!({ "alg": alg }), &claims(), b"key");
            assert_eq!(subject(&token, &issuer()), Err(SessionError::Invalid), "{alg}");
        }
        let bare = token(&json!({"alg": "HS256"}), &claims(), b"key");
        let bare = bare.rsplit_once('.').expect("a signature").0.to_owned() + ".";
        assert_eq!(subject(&bare, &issuer()), Err(SessionError::Invalid));
        let crit = token(&json!({"alg": "HS256", "crit": ["x"]}), &claims(), b"key");
        assert_eq!(subject(&crit, &issuer()), Err(SessionError::Invalid));
    }

    #[test]
    fn an_audience_counts_only_if_the_operator_names_one() {
        let issuer = Issuer { audience: Some("roundtable".to_owned()), ..issuer() };
        let header = json!({"alg": "HS256"});
        let opens = |claims: &Value| subject(&token(&header, claims, b"key"), &issuer).is_ok();
        assert!(opens(&with("aud", json!("roundtable"))) && opens(&with("aud", json!(["x", "roundtable"]))));
        assert!(!opens(&claims()) && !opens(&with("aud", json!("x"))) && !opens(&with("aud", json!([]))));
    }

    #[test]
    fn the_account_of_a_subject_is_an_account_and_its_own() {
        let ada = account_of("https://id.example", "ada");
        assert!(is_account(&ada) && ada != account_of("https://id.example", "bob"));
    }

    proptest! {
        #[test]
        fn any_text_is_refused_without_a_panic(text in "[A-Za-z0-9_.-]{0,120}", any in ".{0,60}") {
            prop_assert!(subject(&text, &issuer()).is_err() && subject(&any, &issuer()).is_err());
        }

        #[test]
        fn a_token_that_was_changed_opens_nothing(at in any::<prop::sample::Index>(), with in 1u8..) {
            let mut token = token(&json!({"alg": "HS256"}), &claims(), b"key").into_bytes();
            let at = at.index(token.len());
            token[at] ^= with;
            if let Ok(token) = String::from_utf8(token) {
                prop_assert!(subject(&token, &issuer()).is_err());
            }
        }
    }
}
