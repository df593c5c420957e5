//! An account's own page: where its characters are, and its deletion.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};
use worker::{Env, Request, Response};

use crate::lobby::session::SessionError;
use crate::platform::http::{self, HttpError};
use crate::platform::peers::ask_lobby;
use crate::platform::{Registry, accounts, sessions};
use crate::rules::schema::Schema;
use crate::wire::lease::{LEASE_VERSION, LobbyAnswer, LobbyRequest, Sight};

type Answer = std::result::Result<Response, HttpError>;

#[derive(Serialize)]
struct Me {
    account: String,
    characters: Vec<Character>,
}

#[derive(Serialize)]
pub struct Character {
    game: &'static str,
    room: String,
    kind: Option<String>,
    /// Those that others may see.
    fields: Map<String, Value>,
    since: u64,
    #[serde(rename = "where")]
    place: &'static str,
}

/// The account's characters, each as the newest copy says that the Lobby has.
///
/// # Errors
/// A token that opens nothing, or a lease object that does not answer.
pub async fn show(request: &Request, env: &Env, games: Registry) -> Answer {
    let account = sessions::caller(request, env).await?;
    let characters = characters(env, games, &account).await?;
    Ok(http::json(&Me { account, characters })?)
}

/// The characters of an account.
///
/// # Errors
/// A lease object that does not answer.
pub async fn characters(
    env: &Env,
    games: Registry,
    account: &str,
) -> std::result::Result<Vec<Character>, SessionError> {
    let mut characters = Vec::new();
    for (game, schema) in with_characters(games) {
        let (account, name) = (account.to_owned(), game.to_owned());
        let asked = LobbyRequest::Look { v: LEASE_VERSION, account, game: name };
        match ask_lobby(env, &asked).await {
            Some(LobbyAnswer::Seen { sight: Some(sight) }) => {
                characters.push(character(game, &schema, sight))
            }
            Some(LobbyAnswer::Seen { sight: None } | LobbyAnswer::Gone) => {}
            _ => return Err(SessionError::Away),
        }
    }
    Ok(characters)
}

/// Deletes the account: its characters, from whoever holds them, its records and itself.
///
/// # Errors
/// A token that opens nothing, or a room that does not give a character back: nothing of that is lost, and the same request
/// goes on where this one ended.
pub async fn delete(request: &Request, env: &Env, games: Registry) -> Answer {
    let account = sessions::bearer(request, env).await?;
    for (game, _) in with_characters(games) {
        let (account, game) = (account.clone(), game.to_owned());
        let answer = ask_lobby(env, &LobbyRequest::Forget { v: LEASE_VERSION, account, game }).await;
        match answer {
            Some(LobbyAnswer::Done | LobbyAnswer::Gone) => {}
            _ => return Err(HttpError::Held),
        }
    }
    accounts::forget(env, &account).await?;
    Ok(http::json(&serde_json::json!({ "deleted": true }))?)
}

fn with_characters(games: Registry) -> impl Iterator<Item = (&'static str, Schema)> {
    games.iter().map(|(name, game)| (*name, game().schema())).filter(|(_, schema)| schema.room.characters)
}

fn character(game: &'static str, schema: &Schema, sight: Sight) -> Character {
    let Sight { held, room, since, body } = sight;
    let (kind, fields) = body.map_or_else(Default::default, |body| {
        let kind = schema.kinds.iter().find(|kind| kind.name == body.kind);
        let shown =
            kind.map_or(&[][..], |kind| kind.fields).iter().filter(|field| !field.private && !field.local);
        let shown: BTreeSet<&str> = shown.map(|field| field.name).collect();
        let fields = body.f.into_iter().filter(|(name, _)| shown.contains(name.as_str())).collect();
        (Some(body.kind), fields)
    });
    Character { game, room, kind, fields, since, place: if held { "held" } else { "home" } }
}
