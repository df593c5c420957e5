//! Answers over HTTP: JSON errors with a stable code and the right status. What went wrong inside is logged,
//! not sent.

use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::js_sys::decode_uri_component;
use worker::{Request, Response, Result};

use crate::limits::BODY_BYTES_MAX;
use crate::lobby::session::SessionError;
use crate::platform::log::console_error;

/// Why a request was not served.
#[derive(Debug)]
pub enum HttpError {
    NotFound,
    NoSuchGame,
    NoSuchRoom,
    /// Nobody asked for the room to be recorded.
    NotRecorded,
    BadRequest(&'static str),
    /// A missing or wrong `Authorization`.
    Unauthorized,
    Method(&'static str),
    TooLarge,
    /// The route is for WebSockets.
    UpgradeRequired,
    /// Too many of these from one address.
    TooMany,
    /// Something of the kind is under way.
    Busy,
    /// Whoever asks is not who may.
    Session(SessionError),
    /// A code that was never given out, was spent, or has expired.
    CodeUnknown,
    /// The identity has another account.
    AlreadyJoined,
    /// A room does not give a character back.
    Held,
    /// What the operator has not set up.
    Unavailable(&'static str),
    /// The text is for the log.
    Internal(String),
}

impl From<worker::Error> for HttpError {
    fn from(error: worker::Error) -> HttpError {
        HttpError::Internal(error.to_string())
    }
}

impl From<SessionError> for HttpError {
    fn from(error: SessionError) -> HttpError {
        HttpError::Session(error)
    }
}

#[derive(Serialize)]
struct Body<'a> {
    error: Detail<'a>,
}

#[derive(Serialize)]
struct Detail<'a> {
    code: &'a str,
    message: &'a str,
}

impl HttpError {
    fn parts(&self) -> (u16, &'static str, &'static str) {
        match self {
            HttpError::NotFound => (404, "not_found", "There is nothing at this address."),
            HttpError::NoSuchGame => (404, "no_such_game", "There is no game of this name."),
            HttpError::NoSuchRoom => (404, "no_such_room", "There is no room of this name."),
            HttpError::NotRecorded => (404, "not_recorded", "This room is not recorded."),
            HttpError::BadRequest(message) => (400, "bad_request", message),
            HttpError::Unauthorized => (401, "unauthorized", "This needs a valid Authorization header."),
            HttpError::Method(_) => (405, "method_not_allowed", "This address does not take this method."),
            HttpError::TooLarge => (413, "too_large", "The body of the request is too large."),
            HttpError::UpgradeRequired => (426, "upgrade_required", "This address is for WebSockets."),
            HttpError::TooMany => {
                (429, "too_many", "Too many of these from this address; try again in a minute.")
            }
            HttpError::Busy => (409, "busy", "This is being done already, or was just now: try again."),
            HttpError::Session(error) => {
                let status = match error {
                    SessionError::NoSecret | SessionError::Away => 503,
                    _ => 401,
                };
                (status, error.code(), error.text())
            }
            HttpError::CodeUnknown => {
                (404, "code_unknown", "This code is not known, was used, or has expired.")
            }
            HttpError::AlreadyJoined => (409, "already_joined", "This identity has another account already."),
            HttpError::Held => (409, "held", "A room has not given your character back yet: try again."),
            HttpError::Unavailable(message) => (503, "unavailable", message),
            HttpError::Internal(_) => (500, "internal", "Something went wrong here."),
        }
    }

    /// The answer to the client; what is internal goes to the log.
    pub fn into_response(self) -> Result<Response> {
        if let HttpError::Internal(text) = &self {
            console_error!("internal error: {text}");
        }
        let (status, code, message) = self.parts();
        let mut response = json(&Body { error: Detail { code, message } })?.with_status(status);
        match self {
            HttpError::Method(allowed) => response.headers_mut().set("Allow", allowed)?,
            HttpError::UpgradeRequired => response.headers_mut().set("Upgrade", "websocket")?,
            HttpError::Unauthorized | HttpError::Session(_) if status == 401 => {
                response.headers_mut().set("WWW-Authenticate", "Bearer")?
            }
            HttpError::TooMany => response.headers_mut().set("Retry-After", "60")?,
            _ => {}
        }
        Ok(response)
    }
}

/// A JSON answer that no cache keeps.
pub fn json<T: Serialize>(value: &T) -> Result<Response> {
    let mut response = Response::from_json(value)?;
    response.headers_mut().set("Cache-Control", "no-store")?;
    Ok(response)
}

/// The JSON body of a client's request.
///
/// # Errors
/// A body that is too large, or not of this form.
pub async fn body<T: DeserializeOwned>(request: &mut Request) -> std::result::Result<T, HttpError> {
    body_within(request, BODY_BYTES_MAX).await
}

/// The JSON body of a request, of at most `bytes_max`.
///
/// # Errors
/// A body that is too large, or not of this form.
pub async fn body_within<T: DeserializeOwned>(
    request: &mut Request,
    bytes_max: usize,
) -> std::result::Result<T, HttpError> {
    parse(&text_within(request, bytes_max).await?)
}

/// The text of a request, of at most `bytes_max`.
///
/// # Errors
/// A body that is too large.
pub async fn text_within(request: &mut Request, bytes_max: usize) -> std::result::Result<String, HttpError> {
    let declared = request.headers().get("Content-Length")?.and_then(|length| length.parse::<usize>().ok());
    if declared.is_some_and(|length| length > bytes_max) {
        return Err(HttpError::TooLarge);
    }
    let text = request.text().await?;
    if text.len() > bytes_max {
        return Err(HttpError::TooLarge);
    }
    Ok(text)
}

/// # Errors
/// Text that is not the JSON of this form.
pub fn parse<T: DeserializeOwned>(text: &str) -> std::result::Result<T, HttpError> {
    serde_json::from_str(text)
        .map_err(|_| HttpError::BadRequest("The body is not the JSON that this address takes."))
}

/// A value of the address's query, by its key as it is written there. None: there is none, or it is not well encoded.
///
/// The runtime has parsed the address already, so its parts are found by their marks. The `url` crate would do it once more,
/// and bring tables of all scripts for names of hosts: 20 kB of the Worker.
#[must_use]
pub fn query(request: &Request, key: &str) -> Option<String> {
    let url = request.inner().url();
    let pairs = url.split_once('?')?.1.split('&');
    let (_, value) =
        pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).find(|(name, _)| *name == key)?;
    decode_uri_component(&value.replace('+', " ")).ok().map(String::from)
}

/// The address of another path of this server.
#[must_use]
pub fn address_of(request: &Request, path: &str) -> String {
    let url = request.inner().url();
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    let end = url[host..].find('/').map_or(url.len(), |end| host + end);
    format!("{}{path}", &url[..end])
}

/// Compares a secret without telling by the time taken how much of it was right.
pub fn same_secret(given: &str, secret: &str) -> bool {
    let (given, secret) = (given.as_bytes(), secret.as_bytes());
    given.len() == secret.len() && given.iter().zip(secret).fold(0, |acc, (a, b)| acc | (a ^ b)) == 0
}
