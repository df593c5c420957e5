//! Who a request or a hello is of: session tokens of ours, or tokens of the operator's identity provider; and the routes that
//! give tokens out.
//!
//! Nothing is written for a session: the account is in the token, and gets its row with its first character. A Worker without
//! the secret gives out none and knows none. Absent: what a token is made of (`crate::lobby::session`, `identity`), rows
//! (`accounts.rs`).

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use worker::{Env, Request, Response};

use crate::limits::BODY_BYTES_MAX;
use crate::lobby::codes;
use crate::lobby::identity::{self, Algorithm, Issuer};
use crate::lobby::session::{self, SessionError};
use crate::lobby::visitors::Visitors;
use crate::platform::clock::{Soon, now_ms};
use crate::platform::http::{self, HttpError};
use crate::platform::log::console_debug;
use crate::platform::{Registry, accounts, eddsa, me, random_bytes};

thread_local! {
    /// Of this isolate: a flood meets at most as many allowances as there are isolates.
    static VISITORS: RefCell<Visitors> = RefCell::default();
    /// Who made rooms.
    static MAKERS: RefCell<Visitors> = RefCell::default();
}

#[derive(Serialize)]
struct Session {
    account: String,
    token: String,
}

#[derive(Serialize)]
struct Code {
    code: String,
    expires_at: u64,
}

#[derive(Deserialize)]
struct Redeem {
    code: String,
}

#[derive(Deserialize)]
struct Join {
    identity: String,
}

type Answer = std::result::Result<Response, HttpError>;

/// A session: a new guest's, a fresh token of the account whose token came along, or that of a one-time code.
///
/// # Errors
/// No secret to sign with, too many from this address, or a token or code that opens nothing.
pub async fn create(mut request: Request, env: &Env) -> Answer {
    let secrets = secrets(env);
    let secret = secrets.first().ok_or(SessionError::NoSecret)?;
    admit(&request, &VISITORS)?;
    let text = http::text_within(&mut request, BODY_BYTES_MAX).await?;
    let account = if !text.is_empty() {
        let Redeem { code } = http::parse(&text)?;
        let hash = codes::hash(&code, secret.as_bytes()).ok_or(HttpError::CodeUnknown)?;
        accounts::take_code(env, &hash).await?.ok_or(HttpError::CodeUnknown)?
    } else if request.headers().has("Authorization")? {
        caller(&request, env).await?
    } else {
        session::account(random_bytes())
    };
    let token = session::issue(&account, now_ms(), secret.as_bytes());
    Ok(http::json(&Session { account, token })?.with_status(201))
}

/// A one-time code by which the account of this request comes to a second device.
///
/// # Errors
/// A token that opens nothing, too many from this address, or D1 away.
pub async fn code(request: &Request, env: &Env) -> Answer {
    let account = caller(request, env).await?;
    admit(request, &VISITORS)?;
    let secrets = secrets(env);
    let secret = secrets.first().ok_or(SessionError::NoSecret)?;
    let code = codes::code(random_bytes());
    let hash = codes::hash(&code, secret.as_bytes()).ok_or(HttpError::CodeUnknown)?;
    let expires_at = accounts::put_code(env, &hash, &account).await?;
    Ok(http::json(&Code { code, expires_at })?.with_status(201))
}

/// Joins the account of this request to a subject of the identity provider, which opens it from then on.
///
/// # Errors
/// A token that opens nothing, a subject that has another account or characters of its own, which nothing would open any
/// more, or D1 away.
pub async fn join(mut request: Request, env: &Env, games: Registry) -> Answer {
    let account = caller(&request, env).await?;
    let Join { identity } = http::body(&mut request).await?;
    let (issuer, subject) = subject_of(env, &identity).await?;
    let own = identity::account_of(&issuer, &subject);
    if own != account
        && accounts::joined(env, &issuer, &subject).await?.is_none()
        && !me::characters(env, games, &own).await?.is_empty()
    {
        return Err(HttpError::AlreadyJoined);
    }
    if accounts::join(env, &issuer, &subject, &account).await? != account {
        return Err(HttpError::AlreadyJoined);
    }
    Ok(http::json(&serde_json::json!({ "account": account }))?)
}

/// Whose request it is.
///
/// # Errors
/// No token, one that opens nothing, or one of a deleted account.
pub fn caller<'a>(request: &'a Request, env: &'a Env) -> Soon<'a, std::result::Result<String, SessionError>> {
    Box::pin(async {
        let account = bearer(request, env).await?;
        accounts::check_alive(env, &account).await?;
        Ok(account)
    })
}

/// The same, of a deleted account too.
///
/// # Errors
/// No token, or one that opens nothing.
pub fn bearer<'a>(request: &'a Request, env: &'a Env) -> Soon<'a, std::result::Result<String, SessionError>> {
    Box::pin(borne(request, env))
}

async fn borne(request: &Request, env: &Env) -> std::result::Result<String, SessionError> {
    let header = request.headers().get("Authorization").ok().flatten().unwrap_or_default();
    let token = header.strip_prefix("Bearer ").ok_or(SessionError::Missing)?;
    if is_identity(env, token) { identified(env, token).await } else { account_of(env, Some(token)) }
}

/// The account of a session token of ours.
///
/// # Errors
/// Why it opens nothing.
pub fn account_of(env: &Env, token: Option<&str>) -> std::result::Result<String, SessionError> {
    let secrets = secrets(env);
    if secrets.is_empty() {
        return Err(SessionError::NoSecret);
    }
    let account = session::verify_any(token.ok_or(SessionError::Missing)?, now_ms(), &secrets);
    account.inspect_err(|error| console_debug!("a session token was refused: {error}"))
}

/// A token is one of the identity provider's, of which there is one. Without a secret of our own nobody has an account.
pub fn is_identity(env: &Env, token: &str) -> bool {
    let is_set = |name| text(env, name).is_some();
    identity::is_one(token) && is_set("IDENTITY_ISSUER") && is_set("SESSION_SECRET")
}

/// The account of such a token.
///
/// # Errors
/// Why it opens nothing, or D1 away.
pub async fn identified(env: &Env, token: &str) -> std::result::Result<String, SessionError> {
    let (issuer, subject) = subject_of(env, token).await?;
    let joined = accounts::joined(env, &issuer, &subject).await?;
    Ok(joined.unwrap_or_else(|| identity::account_of(&issuer, &subject)))
}

fn subject_of<'a>(
    env: &'a Env,
    token: &'a str,
) -> Soon<'a, std::result::Result<(String, String), SessionError>> {
    Box::pin(verified(env, token))
}

async fn verified(env: &Env, token: &str) -> std::result::Result<(String, String), SessionError> {
    let configured = issuer(env).zip(text(env, "IDENTITY_KEY"));
    let (issuer, key) = configured.ok_or(SessionError::Invalid)?;
    let signed = identity::open(token, &issuer)?;
    match issuer.algorithm {
        Algorithm::Hs256 => signed.verify_hs256(key.as_bytes())?,
        Algorithm::EdDsa => eddsa::verify(&signed, &key).await?,
    }
    let subject = signed.subject(&issuer, now_ms());
    let subject = subject.inspect_err(|error| console_debug!("an identity was refused: {error}"))?;
    Ok((issuer.name, subject))
}

fn issuer(env: &Env) -> Option<Issuer> {
    let algorithm = text(env, "IDENTITY_ALG").map_or(Some(Algorithm::EdDsa), |name| Algorithm::of(&name))?;
    Some(Issuer { name: text(env, "IDENTITY_ISSUER")?, audience: text(env, "IDENTITY_AUDIENCE"), algorithm })
}

/// The secret that signs, and the one before while it is taken out of use. Without the first there are none.
fn secrets(env: &Env) -> Vec<String> {
    let Some(secret) = text(env, "SESSION_SECRET") else { return Vec::new() };
    std::iter::once(secret).chain(text(env, "SESSION_SECRET_FORMER")).collect()
}

fn text(env: &Env, name: &str) -> Option<String> {
    env.var(name).ok().map(|value| value.to_string()).filter(|value| !value.is_empty())
}

/// Counts a room that is made against the allowance of its address.
///
/// # Errors
/// Too many from this address.
pub fn admit_room(request: &Request) -> std::result::Result<(), HttpError> {
    admit(request, &MAKERS)
}

fn admit(
    request: &Request,
    visitors: &'static std::thread::LocalKey<RefCell<Visitors>>,
) -> std::result::Result<(), HttpError> {
    let visitor = request.headers().get("CF-Connecting-IP")?.unwrap_or_default();
    let is_admitted = visitors.with_borrow_mut(|visitors| visitors.admit(&visitor, now_ms()));
    if is_admitted { Ok(()) } else { Err(HttpError::TooMany) }
}
