//! Calls between objects: one JSON message there, one back, within `PEER_CALL_MS` or lost.
//!
//! A lost call says nothing of whether it arrived: every message is idempotent and asked again by its sender.
//! A stub is made for each call, as one that has failed stays broken. The host part of an address means
//! nothing between objects; the paths are ones that the Worker never forwards.

use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::{Env, Error, Headers, Method, Request, RequestInit, Response, Result, Stub};

use crate::limits::PEER_CALL_MS;
use crate::lobby::directory::Summary;
use crate::lobby::{leases_name, rooms_name};
use crate::platform::clock::{Soon, within};
use crate::platform::log::console_error;
use crate::wire::lease::{LobbyAnswer, LobbyRequest, TableAnswer, TableRequest};

/// Asks the lease object of the request's account; none if the call is lost.
pub fn ask_lobby<'a>(env: &'a Env, request: &'a LobbyRequest) -> Soon<'a, Option<LobbyAnswer>> {
    Box::pin(async move {
        let (account, game) = request.about();
        let name = leases_name(game, account);
        let asked =
            async { answer_of(post(&lobby(env, &name)?, "http://lobby/lease", request).await?).await };
        answered(&name, within(PEER_CALL_MS, asked).await)
    })
}

/// Asks a room's Table; none if the call is lost.
pub fn ask_table<'a>(
    env: &'a Env,
    game: &'a str,
    room: &'a str,
    request: &'a TableRequest,
) -> Soon<'a, Option<TableAnswer>> {
    Box::pin(async move {
        let name = format!("{game}/{room}");
        let asked = async {
            let table = env.durable_object("TABLE")?.get_by_name(&name)?;
            answer_of(post(&table, "http://table/release", request).await?).await
        };
        answered(&name, within(PEER_CALL_MS, asked).await)
    })
}

/// Tells the Lobby of a room.
///
/// # Errors
/// The message is lost.
pub async fn tell_rooms(env: &Env, game: &str, summary: &Summary) -> Result<()> {
    post(&rooms_of(env, game)?, "http://lobby/heard", summary).await.map(|_| ())
}

/// The Lobby object that lists a game's rooms.
///
/// # Errors
/// A Worker without the binding.
pub fn rooms_of(env: &Env, game: &str) -> Result<Stub> {
    lobby(env, &rooms_name(game))
}

fn lobby(env: &Env, name: &str) -> Result<Stub> {
    env.durable_object("LOBBY")?.get_by_name(name)
}

async fn post<T: Serialize>(stub: &Stub, address: &str, message: &T) -> Result<Response> {
    let headers = Headers::new();
    headers.set("Content-Type", "application/json")?;
    let body = serde_json::to_string(message)?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_headers(headers).with_body(Some(body.into()));
    stub.fetch_with_request(Request::new_with_init(address, &init)?).await
}

async fn answer_of<T: DeserializeOwned>(mut response: Response) -> Result<T> {
    if response.status_code() != 200 {
        return Err(Error::RustError(format!("status {}", response.status_code())));
    }
    Ok(serde_json::from_str(&response.text().await?)?)
}

fn answered<T>(name: &str, outcome: Option<Result<T>>) -> Option<T> {
    match outcome {
        Some(Ok(answer)) => return Some(answer),
        Some(Err(error)) => console_error!("{name}: a call failed: {error}"),
        None => console_error!("{name}: no answer in {PEER_CALL_MS} ms"),
    }
    None
}
