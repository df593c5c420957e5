//! `POST /api/test/replay?game=`: runs a replay's log (a JSON string) in this build and answers with its digests. With the
//! test key alone, as the fault hooks: a log is work that nobody else may ask for.

use worker::{Request, Response};

use crate::limits::REPLAY_BYTES_MAX;
use crate::platform::http::{self, HttpError};
use crate::platform::log::console_log;
use crate::rules::face::Game;
use crate::rules::replay::replay;

/// # Errors
/// A log that does not run to its end; why is in the Worker's log.
pub async fn answer(game: &dyn Game, mut request: Request) -> Result<Response, HttpError> {
    let log: String = http::body_within(&mut request, REPLAY_BYTES_MAX).await?;
    let digests = replay(game, &log).map_err(|error| {
        console_log!("replay: {error}");
        HttpError::BadRequest("The log does not run to its end.")
    })?;
    let digests: Vec<String> = digests.iter().map(|digest| format!("{digest:016x}")).collect();
    Ok(http::json(&serde_json::json!({ "digests": digests }))?)
}
