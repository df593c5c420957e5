//! What the rules recorded, in D1: rooms add to it, and anyone may read the best of a key.
//!
//! A row is put in once by its id, however often it is sent. Absent: when it is sent (`host::records`).

use serde::{Deserialize, Serialize};
use worker::wasm_bindgen::JsValue;
use worker::{Env, Request, Response, Result};

use crate::host::RecordRow;
use crate::limits::{PEER_CALL_MS, RECORD_KEY_CHARS_MAX, RECORDS_LISTED_MAX};
use crate::platform::clock::{now_ms, within};
use crate::platform::http::{self, HttpError};
use crate::platform::log::console_error;
use crate::platform::records::{database, finish, whole};

const PUT: &str = "INSERT INTO records (id, game, key, value, rank, owner, room, recorded_at)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
    WHERE NOT EXISTS (SELECT 1 FROM deleted WHERE account = ?6) ON CONFLICT (id) DO NOTHING";
const GET_BEST: &str =
    "SELECT owner, value, room, recorded_at AS at FROM records WHERE game = ?1 AND key = ?2
    ORDER BY rank DESC, recorded_at LIMIT ?3";

#[derive(Serialize)]
struct List<'a> {
    game: &'a str,
    key: &'a str,
    records: Vec<Listed>,
}

#[derive(Serialize, Deserialize)]
struct Listed {
    owner: String,
    value: String,
    room: String,
    at: u64,
}

/// Gives D1 a batch. Says whether it has them now.
pub async fn put(env: &Env, game: &str, room: &str, rows: &[RecordRow]) -> bool {
    let outcome = within(PEER_CALL_MS, try_put(env, game, room, rows)).await;
    match outcome {
        Some(Ok(())) => return true,
        Some(Err(error)) => console_error!("room {game}/{room}: records were not stored: {error}"),
        None => console_error!("room {game}/{room}: no answer to records in {PEER_CALL_MS} ms"),
    }
    false
}

async fn try_put(env: &Env, game: &str, room: &str, rows: &[RecordRow]) -> Result<()> {
    let database = database(env)?;
    let now = whole(now_ms());
    let bind = |row: &RecordRow| {
        let rank = row.value.trim().parse::<f64>().ok().filter(|rank| rank.is_finite());
        database.prepare(PUT).bind(&[
            row.id.as_str().into(),
            game.into(),
            row.key.as_str().into(),
            row.value.as_str().into(),
            rank.map_or(JsValue::NULL, JsValue::from_f64),
            row.owner.as_str().into(),
            room.into(),
            now.clone(),
        ])
    };
    finish(database.batch(rows.iter().map(bind).collect::<Result<_>>()?).await?)
}

/// The best of a key, highest number first, of two that are equal the older; what is no number comes last.
///
/// # Errors
/// A key that none can have, or D1 away.
pub async fn list(env: &Env, game: &str, request: &Request) -> std::result::Result<Response, HttpError> {
    let key = http::query(request, "key");
    let key = key.filter(|key| (1..=RECORD_KEY_CHARS_MAX).contains(&key.chars().count()));
    let key = key.ok_or(HttpError::BadRequest("Say which records: ?key=<key>."))?;
    let read = async {
        let limit = whole(RECORDS_LISTED_MAX as u64);
        let bound = database(env)?.prepare(GET_BEST).bind(&[game.into(), key.as_str().into(), limit])?;
        bound.all().await?.results::<Listed>()
    };
    match within(PEER_CALL_MS, read).await {
        Some(Ok(records)) => Ok(http::json(&List { game, key: &key, records })?),
        Some(Err(error)) => {
            console_error!("records of {game} were not read: {error}");
            Err(HttpError::Unavailable("The records cannot be reached just now."))
        }
        None => Err(HttpError::Unavailable("The records cannot be reached just now.")),
    }
}
