//! The Worker: routes requests to pages, to the Lobby and to rooms. It keeps nothing.
//!
//! Names are checked and secrets compared here, before any object is reached. An upgrade is never refused by
//! a status, which a browser cannot read: the socket is accepted, told why, and closed.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use worker::{Env, Method, Request, Response, Result, Stub};

use crate::host::parking::storage_is_away;
use crate::limits::ROOM_NAME_MADE_CHARS;
use crate::platform::clock::now_ms;
use crate::platform::faults::{IsolateFault, set_isolate, test_key};
use crate::platform::http::{self, HttpError, same_secret};
use crate::platform::log::console_error;
use crate::platform::peers::{ask_lobby, rooms_of};
use crate::platform::sockets::Sockets;
use crate::platform::{Registry, build, find_game, me, random_bytes, recorded, replay, sessions};
use crate::rules::face::Game;
use crate::rules::schema::Schema;
use crate::wire::close::{Close, CloseCode};
use crate::wire::lease::{LEASE_VERSION, LobbyAnswer, LobbyRequest};
use crate::wire::names::{PLAIN_LETTERS, PRIVATE_PREFIX, is_account, is_room_name};
use crate::wire::{PROTOCOL_REVISION, PROTOCOL_VERSION};

type Answer = std::result::Result<Response, HttpError>;

/// Serves one request.
///
/// # Errors
/// Only if an answer cannot be made.
pub async fn fetch(request: Request, env: Env, games: Registry) -> Result<Response> {
    let routes = Routes { env, games };
    match routes.route(request).await {
        Ok(response) => Ok(response),
        Err(error) => error.into_response(),
    }
}

struct Routes {
    env: Env,
    games: Registry,
}

#[derive(Serialize)]
struct Health {
    ok: bool,
    build: crate::wire::client_message::Build,
    versions: Versions,
    games: BTreeMap<&'static str, GameSchema>,
}

/// What a game's saves are made of: `make deploy` compares it with that of the build about to go out.
#[derive(Serialize)]
struct GameSchema {
    /// Its hash, hexadecimal, as copies of characters name it.
    schema: String,
    /// The schema record of its saves, base64url.
    fields: String,
}

#[derive(Serialize)]
struct Versions {
    protocol: u32,
    revision: u32,
}

#[derive(Serialize)]
struct GameRow {
    game: &'static str,
    seats: u32,
    /// The most seats that bots fill, by themselves or because a player asks for them.
    bots: u16,
}

#[derive(Serialize)]
struct RoomAddress<'a> {
    game: &'a str,
    room: &'a str,
    url: String,
}

#[derive(Deserialize)]
struct NewRoom {
    game: String,
    /// Listed while it has people; else its name begins with `PRIVATE_PREFIX`, and only who has the URL finds it.
    #[serde(default = "yes")]
    public: bool,
}

impl Routes {
    async fn route(&self, request: Request) -> Answer {
        let path = request.path();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match (request.method(), segments.as_slice()) {
            (Method::Get | Method::Head, ["health"]) => self.health(),
            (Method::Get | Method::Head, ["api", "games"]) => self.list_games(),
            (Method::Get | Method::Head, ["api", "rooms"]) => self.list_rooms(&request).await,
            (Method::Post, ["api", "rooms"]) => self.new_room(request).await,
            (Method::Post, ["api", "session"]) => sessions::create(request, &self.env).await,
            (Method::Post, ["api", "session", "code"]) => sessions::code(&request, &self.env).await,
            (Method::Post, ["api", "session", "join"]) => {
                sessions::join(request, &self.env, self.games).await
            }
            (Method::Get, ["api", "me"]) => me::show(&request, &self.env, self.games).await,
            (Method::Delete, ["api", "me"]) => me::delete(&request, &self.env, self.games).await,
            (Method::Get, ["api", "records"]) => {
                recorded::list(&self.env, &self.asked_game(&request)?, &request).await
            }
            (Method::Get, ["api", "quick"]) => self.quick(&request).await,
            (Method::Get, ["api", "rooms", game, room, "facts" | "save" | "replay"])
            | (
                Method::Post,
                ["api", "rooms", game, room, "record" | "stop" | "tick" | "announce" | "kick"],
            ) => self.operate(game, room, request).await,
            (Method::Post, ["api", "characters", game, account, "break"]) => {
                self.break_lease(game, account, request).await
            }
            (Method::Post, ["api", "rooms", game, room, "fault"]) => self.fault(game, room, request).await,
            (Method::Post, ["api", "fault"]) => self.isolate_fault(request).await,
            (Method::Post, ["api", "test", "replay"]) => self.replay(request).await,
            (Method::Get, ["ws", game, room]) => self.socket(game, room, request).await,
            (Method::Get | Method::Head, ["ws", ..]) => Err(HttpError::NotFound),
            (_, ["health"] | ["ws", _, _] | ["api", "games" | "quick" | "records"]) => {
                Err(HttpError::Method("GET"))
            }
            (_, ["api", "session"] | ["api", "session", "code" | "join"]) => Err(HttpError::Method("POST")),
            (_, ["api", "me"]) => Err(HttpError::Method("GET, DELETE")),
            (_, ["api", "rooms"]) => Err(HttpError::Method("GET, POST")),
            (Method::Get | Method::Head, ["api" | "admin" | "assets" | "metrics", ..]) => {
                Err(HttpError::NotFound)
            }
            (Method::Get | Method::Head, [game, room]) => self.page(game, room).await,
            (Method::Get | Method::Head, _) => self.asset(request).await,
            _ => Err(HttpError::NotFound),
        }
    }

    fn health(&self) -> Answer {
        let versions = Versions { protocol: PROTOCOL_VERSION, revision: PROTOCOL_REVISION };
        let games = self.games.iter().map(|(name, game)| (*name, game_schema(&game().schema()))).collect();
        Ok(http::json(&Health { ok: true, build: build(), versions, games })?)
    }

    fn list_games(&self) -> Answer {
        let row = |(name, game): &(&'static str, fn() -> &'static dyn Game)| {
            let room = game().schema().room;
            GameRow { game: name, seats: u32::from(room.seats), bots: room.bots.max(room.bots_asked_max) }
        };
        let games: Vec<GameRow> = self.games.iter().map(row).collect();
        Ok(http::json(&serde_json::json!({ "games": games }))?)
    }

    async fn list_rooms(&self, request: &Request) -> Answer {
        let game = self.asked_game(request)?;
        let rooms: serde_json::Value =
            rooms_of(&self.env, &game)?.fetch_with_str("http://lobby/list").await?.json().await?;
        Ok(http::json(&serde_json::json!({ "game": game, "rooms": rooms }))?)
    }

    async fn quick(&self, request: &Request) -> Answer {
        #[derive(Deserialize)]
        struct Quick {
            room: Option<String>,
        }
        let game = self.asked_game(request)?;
        let quick: Quick =
            rooms_of(&self.env, &game)?.fetch_with_str("http://lobby/quick").await?.json().await?;
        let room = quick.room.unwrap_or_else(made_up_name);
        Ok(http::json(&address(request, &game, &room))?)
    }

    async fn new_room(&self, mut request: Request) -> Answer {
        sessions::admit_room(&request)?;
        let NewRoom { game, public } = http::body(&mut request).await?;
        find_game(self.games, &game).ok_or(HttpError::NoSuchGame)?;
        let prefix = if public { "" } else { PRIVATE_PREFIX };
        let room = format!("{prefix}{}", made_up_name());
        Ok(http::json(&address(&request, &game, &room))?.with_status(201))
    }

    /// The page of a room: the same for all, and the room need not have been made.
    async fn page(&self, game: &str, room: &str) -> Answer {
        if find_game(self.games, game).is_none() {
            return not_found_page("There is no game of this name.");
        }
        if !is_room_name(room) {
            return not_found_page("A room is named with 1 to 32 of a-z, 0-9 and -.");
        }
        self.asset(Request::new("http://assets/room", Method::Get)?).await
    }

    async fn asset(&self, request: Request) -> Answer {
        // The test Worker has no pages.
        let Ok(assets) = self.env.assets("ASSETS") else { return Err(HttpError::NotFound) };
        let response = assets.fetch_request(request).await?;
        if response.status_code() == 404 { Err(HttpError::NotFound) } else { Ok(response) }
    }

    async fn socket(&self, game: &str, room: &str, request: Request) -> Answer {
        let upgrade = request.headers().get("Upgrade")?.unwrap_or_default();
        if !upgrade.eq_ignore_ascii_case("websocket") {
            return Err(HttpError::UpgradeRequired);
        }
        let refused = |reason: &str| Ok(Sockets::refuse(&Close::new(CloseCode::Room, reason))?);
        if find_game(self.games, game).is_none() {
            return refused("there is no game of this name");
        }
        if !is_room_name(room) {
            return refused("a room is named with 1 to 32 of a-z, 0-9 and -");
        }
        match self.table(game, room)?.fetch_with_request(request).await {
            Ok(response) => Ok(response),
            Err(error) => Ok(Sockets::refuse(&not_reached(&error))?),
        }
    }

    /// An operator frees a character from the room that holds it.
    async fn break_lease(&self, game: &str, account: &str, mut request: Request) -> Answer {
        #[derive(Deserialize)]
        struct Break {
            #[serde(default)]
            force: bool,
        }
        self.is_operator(&request)?;
        let Break { force } = http::body(&mut request).await?;
        find_game(self.games, game)
            .filter(|game| game.schema().room.characters)
            .ok_or(HttpError::NoSuchGame)?;
        if !is_account(account) {
            return Err(HttpError::BadRequest("This is no account."));
        }
        let (account, game) = (account.to_owned(), game.to_owned());
        let asked = LobbyRequest::Break { v: LEASE_VERSION, account, game, force };
        let answer = ask_lobby(&self.env, &asked).await;
        let (where_is, force_at) = match answer {
            Some(LobbyAnswer::Home | LobbyAnswer::Forced) => ("home", None),
            Some(LobbyAnswer::Waits { force_at_ms }) => ("held", Some(force_at_ms)),
            _ => return Err(HttpError::Busy),
        };
        let forced = answer == Some(LobbyAnswer::Forced);
        Ok(http::json(&serde_json::json!({ "where": where_is, "forced": forced, "force_at": force_at }))?)
    }

    /// What only an operator may see or do.
    async fn operate(&self, game: &str, room: &str, request: Request) -> Answer {
        self.is_operator(&request)?;
        self.in_room(game, room, request).await
    }

    fn is_operator(&self, request: &Request) -> std::result::Result<(), HttpError> {
        let token = self.env.var("ADMIN_TOKEN").map(|token| token.to_string()).unwrap_or_default();
        let given = request.headers().get("Authorization")?.unwrap_or_default();
        let given = given.strip_prefix("Bearer ").unwrap_or_default();
        if token.is_empty() || !same_secret(given, &token) {
            return Err(HttpError::Unauthorized);
        }
        Ok(())
    }

    async fn fault(&self, game: &str, room: &str, request: Request) -> Answer {
        self.may_break(&request)?;
        self.in_room(game, room, request).await
    }

    async fn isolate_fault(&self, mut request: Request) -> Answer {
        self.may_break(&request)?;
        let fault: IsolateFault = http::body(&mut request).await?;
        set_isolate(fault);
        Ok(http::json(&serde_json::json!({ "ok": true }))?)
    }

    async fn replay(&self, request: Request) -> Answer {
        self.may_break(&request)?;
        let game = find_game(self.games, &self.asked_game(&request)?).ok_or(HttpError::NoSuchGame)?;
        replay::answer(game, request).await
    }

    /// Without the key the hooks are not there.
    fn may_break(&self, request: &Request) -> std::result::Result<(), HttpError> {
        let given = request.headers().get("X-Test-Key")?.unwrap_or_default();
        let key = test_key(&self.env).ok_or(HttpError::NotFound)?;
        if same_secret(&given, &key) { Ok(()) } else { Err(HttpError::NotFound) }
    }

    async fn in_room(&self, game: &str, room: &str, request: Request) -> Answer {
        find_game(self.games, game).ok_or(HttpError::NoSuchGame)?;
        if !is_room_name(room) {
            return Err(HttpError::NoSuchRoom);
        }
        Ok(self.table(game, room)?.fetch_with_request(request).await?)
    }

    fn table(&self, game: &str, room: &str) -> Result<Stub> {
        self.env.durable_object("TABLE")?.get_by_name(&format!("{game}/{room}"))
    }

    fn asked_game(&self, request: &Request) -> std::result::Result<String, HttpError> {
        let game =
            http::query(request, "game").ok_or(HttpError::BadRequest("Say which game: ?game=<name>."))?;
        find_game(self.games, &game).ok_or(HttpError::NoSuchGame)?;
        Ok(game)
    }
}

/// What a player is told when the object of a room could not be reached: a day's allowance is used up, it is overloaded,
/// or it was reset just now.
fn not_reached(error: &worker::Error) -> Close {
    let (why, now) = (error.to_string(), now_ms());
    console_error!("a room was not reached: {why}");
    match storage_is_away(&why, now) {
        Some(until) => Close::new(CloseCode::Limit, format!("until {until}: the server has reached a limit")),
        None => Close::new(CloseCode::Storage, "the room did not answer"),
    }
}

fn game_schema(schema: &Schema) -> GameSchema {
    let fields = BASE64_URL_SAFE_NO_PAD.encode(schema.layout_record());
    GameSchema { schema: format!("{:016x}", schema.hash()), fields }
}

fn address<'a>(request: &Request, game: &'a str, room: &'a str) -> RoomAddress<'a> {
    RoomAddress { game, room, url: http::address_of(request, &format!("/{game}/{room}")) }
}

fn yes() -> bool {
    true
}

/// A room name nobody has tried.
fn made_up_name() -> String {
    let bytes: [u8; ROOM_NAME_MADE_CHARS] = random_bytes();
    bytes.iter().map(|byte| char::from(PLAIN_LETTERS[usize::from(*byte) % PLAIN_LETTERS.len()])).collect()
}

fn not_found_page(message: &str) -> Answer {
    let page = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>Not found</title><body style=\"font:16px system-ui;margin:3rem auto;max-width:32rem;\
         padding:0 1rem\">\
         <h1>Not found</h1><p>{message}</p><p><a href=\"/\">All games</a></p>"
    );
    Ok(Response::from_html(page)?.with_status(404))
}
