//! Characters in D1: read for an account that a lease object has never seen, written a while after each copy
//! came home.
//!
//! A write carries (lease, seq) and D1 takes it only if it is newer, so a write that is repeated, late, or
//! whose answer was lost changes nothing. Absent: when to write; the lease object's alarm says so.

use serde::Deserialize;
use worker::wasm_bindgen::JsValue;
use worker::{D1Database, D1PreparedStatement, D1Result, Env, Error, Result};

use crate::limits::{PEER_CALL_MS, RECORD_READ_MS, RECORD_READ_WAIT_MS, RECORD_READS_MAX};
use crate::lobby::leases::{LeaseRow, Record, RecordsAway};
use crate::platform::accounts;
use crate::platform::clock::{Soon, now_ms, sleep, within};
use crate::platform::faults::d1_is_away;
use crate::platform::log::console_error;
use crate::wire::lease::Stamp;

/// A deleted account has a row without a body.
const GET: &str = "SELECT lease, seq, schema, room, body, updated_at FROM characters
    WHERE account = ?1 AND game = ?2 AND NOT EXISTS (SELECT 1 FROM deleted WHERE account = ?1)
    UNION ALL SELECT 0, 0, '', '', NULL, deleted_at FROM deleted WHERE account = ?1";
const PUT_ACCOUNT: &str = "INSERT INTO accounts (account, created_at) SELECT ?1, ?2
    WHERE NOT EXISTS (SELECT 1 FROM deleted WHERE account = ?1) ON CONFLICT DO NOTHING";
/// Newer is as `Stamp` orders it.
const PUT: &str = "INSERT INTO characters (account, game, lease, seq, schema, body, room, updated_at)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
    WHERE NOT EXISTS (SELECT 1 FROM deleted WHERE account = ?1)
    ON CONFLICT (account, game) DO UPDATE SET lease = excluded.lease, seq = excluded.seq,
        schema = excluded.schema, body = excluded.body, room = excluded.room, updated_at = excluded.updated_at
    WHERE (excluded.lease, excluded.seq) > (characters.lease, characters.seq)";

#[derive(Deserialize)]
struct Row {
    lease: u64,
    seq: u64,
    schema: String,
    room: String,
    body: Option<String>,
    updated_at: u64,
}

/// What D1 knows of a character.
pub enum Found {
    Nothing,
    /// With the time it was written.
    Record(Record, u64),
    /// Its account was deleted.
    Deleted,
}

/// The record of an account's character.
///
/// # Errors
/// D1 did not answer in time, or a record that cannot be read: it must not pass for none.
pub fn read<'a>(
    env: &'a Env,
    account: &'a str,
    game: &'a str,
) -> Soon<'a, std::result::Result<Found, RecordsAway>> {
    Box::pin(read_again(env, account, game))
}

async fn read_again(env: &Env, account: &str, game: &str) -> std::result::Result<Found, RecordsAway> {
    let tries = async {
        let mut turn = 1;
        loop {
            match try_read(env, account, game).await {
                Err(error) if turn < RECORD_READS_MAX => {
                    console_error!("records: try {turn} of a read failed: {error}");
                }
                found => return found,
            }
            turn += 1;
            sleep(RECORD_READ_WAIT_MS).await;
        }
    };
    match within(RECORD_READ_MS, tries).await {
        Some(Ok(record)) => Ok(record),
        Some(Err(error)) => {
            console_error!("records: a read failed: {error}");
            Err(RecordsAway)
        }
        None => {
            console_error!("records: no answer to a read in {RECORD_READ_MS} ms");
            Err(RecordsAway)
        }
    }
}

async fn try_read(env: &Env, account: &str, game: &str) -> Result<Found> {
    let bound = database(env)?.prepare(GET).bind(&[account.into(), game.into()])?;
    let Some(row) = bound.first(None).await? else { return Ok(Found::Nothing) };
    let Row { lease, seq, schema, room, body: Some(body), updated_at } = row else {
        return Ok(Found::Deleted);
    };
    let body = serde_json::from_str(&body)?;
    Ok(Found::Record(Record { stamp: Stamp { lease, seq }, schema, room, body }, updated_at))
}

/// Gives copies to D1, all of them or none as far as is known here.
///
/// # Errors
/// D1 refused, or its answer was lost: it may have them.
pub async fn write<'a>(env: &Env, game: &str, rows: impl Iterator<Item = &'a LeaseRow>) -> Result<()> {
    let written = async {
        let database = database(env)?;
        let mut statements = Vec::new();
        for row in rows {
            if row.gone {
                statements.extend(accounts::forgets(&database, &row.account)?);
            } else {
                statements.extend(statements_of(&database, game, row)?);
            }
        }
        finish(database.batch(statements).await?)
    };
    let late = || Err(Error::RustError(format!("no answer to a write in {PEER_CALL_MS} ms")));
    within(PEER_CALL_MS, written).await.unwrap_or_else(late)
}

fn statements_of(database: &D1Database, game: &str, row: &LeaseRow) -> Result<[D1PreparedStatement; 2]> {
    let now = whole(now_ms());
    let account = JsValue::from_str(&row.account);
    let put_account = database.prepare(PUT_ACCOUNT).bind(&[account.clone(), now.clone()])?;
    let put = database.prepare(PUT).bind(&[
        account,
        game.into(),
        whole(row.stamp.lease),
        whole(row.stamp.seq),
        row.schema.as_str().into(),
        serde_json::to_string(&row.body)?.into(),
        row.from_room.as_str().into(),
        now,
    ])?;
    Ok([put_account, put])
}

/// # Errors
/// A batch of which a statement was refused: none of it was done.
pub fn finish(results: Vec<D1Result>) -> Result<()> {
    results.into_iter().find_map(|result| result.error()).map_or(Ok(()), |error| Err(Error::RustError(error)))
}

/// JavaScript holds whole numbers up to 2^53 exactly: a thousand grants a second take 285,000 years to get
/// there.
pub fn whole(value: u64) -> JsValue {
    JsValue::from_f64(value as f64)
}

/// # Errors
/// A Worker without the binding, or a fault that was asked for.
pub fn database(env: &Env) -> Result<D1Database> {
    if d1_is_away() {
        return Err(Error::RustError("a fault that was asked for".to_owned()));
    }
    env.d1("DB")
}
