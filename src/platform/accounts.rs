//! Accounts in D1: joined identities, one-time codes, and what is left of a deleted account.
//!
//! Every write of an account's is conditional on its not being deleted, in one statement, so nothing that comes late brings
//! it back. Absent: tokens (`sessions.rs`), characters (`records.rs`).

use serde::Deserialize;
use worker::wasm_bindgen::JsValue;
use worker::{D1Database, D1PreparedStatement, Env, Result};

use crate::limits::{CODE_MS, PEER_CALL_MS};
use crate::lobby::session::SessionError;
use crate::platform::clock::{Soon, now_ms, within};
use crate::platform::log::console_error;
use crate::platform::records::{database, finish, whole};

const IS_DELETED: &str = "SELECT account FROM deleted WHERE account = ?1";
const GET_JOINED: &str = "SELECT account FROM identities WHERE issuer = ?1 AND subject = ?2";
const JOIN: &str = "INSERT INTO identities (issuer, subject, account, joined_at) SELECT ?1, ?2, ?3, ?4
    WHERE NOT EXISTS (SELECT 1 FROM deleted WHERE account = ?3) ON CONFLICT DO NOTHING";
/// An account has one code at a time, and those that have expired go with it.
const DROP_CODES: &str = "DELETE FROM codes WHERE account = ?1 OR expires_at <= ?2";
const PUT_CODE: &str = "INSERT INTO codes (code, account, expires_at) SELECT ?1, ?2, ?3
    WHERE NOT EXISTS (SELECT 1 FROM deleted WHERE account = ?2)";
/// In one statement, so that of two who have it one is served.
const TAKE_CODE: &str = "DELETE FROM codes WHERE code = ?1 AND expires_at > ?2 RETURNING account";
const FORGET: [&str; 6] = [
    "INSERT INTO deleted (account, deleted_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
    "DELETE FROM characters WHERE account = ?1",
    "DELETE FROM records WHERE owner = ?1",
    "DELETE FROM identities WHERE account = ?1",
    "DELETE FROM codes WHERE account = ?1",
    "DELETE FROM accounts WHERE account = ?1",
];

#[derive(Deserialize)]
struct Row {
    account: String,
}

type Found<T> = std::result::Result<T, SessionError>;

/// Refuses a deleted account.
///
/// # Errors
/// It was deleted, or D1 is away.
pub async fn check_alive(env: &Env, account: &str) -> Found<()> {
    match one(env, IS_DELETED, vec![account.into()]).await? {
        Some(_) => Err(SessionError::Deleted),
        None => Ok(()),
    }
}

/// The account that a subject was joined to.
///
/// # Errors
/// D1 is away.
pub async fn joined(env: &Env, issuer: &str, subject: &str) -> Found<Option<String>> {
    one(env, GET_JOINED, vec![issuer.into(), subject.into()]).await
}

/// Joins a subject to an account, if it has none. Says which one it has then.
///
/// # Errors
/// D1 is away, or the account was deleted.
pub async fn join(env: &Env, issuer: &str, subject: &str, account: &str) -> Found<String> {
    let values = vec![issuer.into(), subject.into(), account.into(), whole(now_ms())];
    run(env, vec![(JOIN, values)]).await?;
    joined(env, issuer, subject).await?.ok_or(SessionError::Deleted)
}

/// Keeps a code, and says when it expires.
///
/// # Errors
/// D1 is away.
pub async fn put_code(env: &Env, hash: &str, account: &str) -> Found<u64> {
    let now = now_ms();
    let drop = (DROP_CODES, vec![account.into(), whole(now)]);
    run(env, vec![drop, (PUT_CODE, vec![hash.into(), account.into(), whole(now + CODE_MS)])]).await?;
    Ok(now + CODE_MS)
}

/// Spends a code: its account, once.
///
/// # Errors
/// D1 is away.
pub async fn take_code(env: &Env, hash: &str) -> Found<Option<String>> {
    one(env, TAKE_CODE, vec![hash.into(), whole(now_ms())]).await
}

/// All that is done in D1 for an account that is deleted. Repeated without effect.
fn forgetting(account: &str) -> impl Iterator<Item = (&'static str, Vec<JsValue>)> {
    let (account, now) = (JsValue::from_str(account), whole(now_ms()));
    FORGET.into_iter().map(move |query| {
        let both = vec![account.clone(), now.clone()];
        (query, if query.contains("?2") { both } else { vec![account.clone()] })
    })
}

/// The same, as statements of a batch.
///
/// # Errors
/// A statement that cannot be made.
pub fn forgets(database: &D1Database, account: &str) -> Result<Vec<D1PreparedStatement>> {
    forgetting(account).map(|(query, values)| database.prepare(query).bind(&values)).collect()
}

/// Deletes what D1 has of an account.
///
/// # Errors
/// D1 is away.
pub async fn forget(env: &Env, account: &str) -> Found<()> {
    run(env, forgetting(account).collect()).await
}

fn one<'a>(env: &'a Env, query: &'a str, values: Vec<JsValue>) -> Soon<'a, Found<Option<String>>> {
    Box::pin(async move {
        let read = async { database(env)?.prepare(query).bind(&values)?.first::<Row>(None).await };
        answered(within(PEER_CALL_MS, read).await).map(|row| row.map(|row| row.account))
    })
}

fn run<'a>(env: &'a Env, queries: Vec<(&'a str, Vec<JsValue>)>) -> Soon<'a, Found<()>> {
    Box::pin(async move {
        let written = async {
            let database = database(env)?;
            let bind = |(query, values): &(&str, Vec<JsValue>)| database.prepare(*query).bind(values);
            finish(database.batch(queries.iter().map(bind).collect::<Result<_>>()?).await?)
        };
        answered(within(PEER_CALL_MS, written).await)
    })
}

fn answered<T>(outcome: Option<Result<T>>) -> Found<T> {
    match outcome {
        Some(Ok(value)) => return Ok(value),
        Some(Err(error)) => console_error!("accounts: D1 refused: {error}"),
        None => console_error!("accounts: no answer of D1 in {PEER_CALL_MS} ms"),
    }
    Err(SessionError::Away)
}
