//! Sessions over HTTP: a new guest account and its token, and what a hello's token says of its sender.
//!
//! Nothing is written for a session: the account is in the token, and gets its row with its first character.
//! A Worker without the secret gives out none and knows none.

use std::cell::RefCell;

use serde::Serialize;
use worker::{Env, Request, Response};

use crate::lobby::session;
use crate::lobby::visitors::Visitors;
use crate::platform::clock::now_ms;
use crate::platform::http::{self, HttpError};
use crate::platform::log::console_debug;
use crate::platform::random_bytes;

thread_local! {
    /// Of this isolate: a flood meets at most as many allowances as there are isolates.
    static VISITORS: RefCell<Visitors> = RefCell::default();
}

#[derive(Serialize)]
struct Session {
    account: String,
    token: String,
}

/// A guest account and its token.
///
/// # Errors
/// No secret to sign with, or too many sessions from this address.
pub fn create(request: &Request, env: &Env) -> std::result::Result<Response, HttpError> {
    let secret = secret(env).ok_or(HttpError::Unavailable(
        "This server has no sessions: its operator must set the secret SESSION_SECRET.",
    ))?;
    let visitor = request.headers().get("CF-Connecting-IP")?.unwrap_or_default();
    let now = now_ms();
    if !VISITORS.with_borrow_mut(|visitors| visitors.admit(&visitor, now)) {
        return Err(HttpError::TooMany);
    }
    let account = session::account(random_bytes());
    let token = session::issue(&account, now, secret.as_bytes());
    Ok(http::json(&Session { account, token })?.with_status(201))
}

/// The account of a hello's session token. One that opens nothing counts as none: the host says what is
/// missing.
pub fn account_of(env: &Env, token: Option<&str>) -> Option<String> {
    let token = token?;
    let Some(secret) = secret(env) else {
        console_debug!("a session token came, and there is no SESSION_SECRET");
        return None;
    };
    let account = session::verify(token, now_ms(), secret.as_bytes());
    account.inspect_err(|error| console_debug!("a session token was refused: {error}")).ok()
}

fn secret(env: &Env) -> Option<String> {
    env.var("SESSION_SECRET").ok().map(|secret| secret.to_string()).filter(|secret| !secret.is_empty())
}
