//! The client as JavaScript sees it: a thin shell around `client::Client` that decides nothing.
//!
//! The page feeds socket events and the time, calls `frame` once an animation frame (`tick` once a second
//! while hidden), and after each call takes `poll` until it gives nothing, if `frame` said that something
//! waits. Everything handed out is a copy: memory of the wasm instance may move. After a trap the page throws
//! the instance away and makes a new one.
//!
//! What is new for a page since revision 1 of the protocol (what was there works as before):
//! - the constructor's hello takes `bots`, the seats that bots are asked to fill up to;
//! - `act(name, args, now)` does an action, `args` being a JSON object; it gives an id, and `poll` later gives
//!   `{"do":"did","id":…,"ok":true,"why":null,"tick":…}` with it, once, whatever happens (`tick` null: not the room's word);
//! - controls of a frame may be an `int` (how far above its neutral value, the one nearest to 0) and an `enum` (its place
//!   among its names), one word each;
//! - `welcome()` has `actions`, `sharedKinds`, `camera`, `areas`, and `hz` null in an event-driven room; `room()` has
//!   `areas`, rows `[id,name,x,y,radius,endsAt]`;
//! - in a frame an enum is a place among its names, a seat or body -1 for none, a vector two numbers; texts and lists are
//!   left out of it: `details()` gives them as `{id:{field:value}}`, to be read again when number 15 of the header rises;
//!   on a map with height each body and effect ends with its z;
//! - `stats()` has `pendingActions`.

#[cfg(feature = "replay")]
pub mod replay;

use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::client::{Client, Output, Setup};
use crate::rules::input::Controls;
use crate::wire::client_message::{Build, Hello};

/// A link to one room.
#[wasm_bindgen]
pub struct NetClient {
    client: Client,
    frame: Vec<f64>,
}

#[wasm_bindgen]
impl NetClient {
    /// `hello` is a JSON object with keys of the protocol's hello; what is not in it is left out. `seed` is
    /// any number.
    ///
    /// # Errors
    /// A hello that is none; it comes from the page itself.
    #[wasm_bindgen(constructor)]
    pub fn new(hello: &str, is_reloaded: bool, seed: f64, now_ms: f64) -> Result<NetClient, JsError> {
        console_error_panic_hook::set_once();
        let mut hello: Hello = serde_json::from_str(hello)?;
        hello.build = hello.build.or_else(own_build);
        let setup = Setup { hello, reloaded: is_reloaded, seed: seed.to_bits() };
        Ok(NetClient { client: Client::new(setup, now_ms), frame: Vec::new() })
    }

    pub fn opened(&mut self, generation: u32, now_ms: f64) {
        self.client.handle_opened(generation, now_ms);
    }

    pub fn text(&mut self, generation: u32, text: &str, now_ms: f64) {
        self.client.handle_text(generation, text, now_ms);
    }

    pub fn closed(&mut self, generation: u32, code: u16, reason: &str, now_ms: f64) {
        self.client.handle_closed(generation, code, reason, now_ms);
    }

    pub fn failed(&mut self, generation: u32, now_ms: f64) {
        self.client.handle_failed(generation, now_ms);
    }

    pub fn online(&mut self, now_ms: f64) {
        self.client.handle_online(now_ms);
    }

    pub fn hidden(&mut self, is_hidden: bool, now_ms: f64) {
        self.client.handle_hidden(is_hidden, now_ms);
    }

    /// Time has passed and nothing is drawn.
    pub fn tick(&mut self, now_ms: f64) {
        self.client.handle_timeout(now_ms);
    }

    /// The session that was asked for, or none if it could not be had.
    pub fn session(&mut self, token: Option<String>, now_ms: f64) {
        self.client.handle_session(token, now_ms);
    }

    #[wasm_bindgen(js_name = setName)]
    pub fn set_name(&mut self, name: &str) {
        self.client.set_name(name);
    }

    pub fn say(&mut self, text: &str, now_ms: f64) {
        self.client.say(text, now_ms);
    }

    /// Does something once: an action of the welcome by its name, with its arguments by name in a JSON object. Gives
    /// the id that `poll` answers with.
    ///
    /// # Errors
    /// Arguments that are no JSON object; they come from the page itself.
    pub fn act(&mut self, name: &str, args: &str, now_ms: f64) -> Result<u32, JsError> {
        Ok(self.client.act(name, serde_json::from_str(args)?, now_ms))
    }

    pub fn leave(&mut self, now_ms: f64) {
        self.client.leave(now_ms);
    }

    #[wasm_bindgen(js_name = connectAgain)]
    pub fn connect_again(&mut self, watch: bool, now_ms: f64) {
        self.client.connect_again(watch, now_ms);
    }

    /// The one call of an animation frame: takes what the player holds, lets time pass, gives what is to be
    /// drawn.
    pub fn frame(&mut self, controls: &[i16], now_ms: f64) -> Vec<f64> {
        let mut held = Controls::default();
        for (word, value) in held.0.iter_mut().zip(controls) {
            *word = *value;
        }
        self.client.set_controls(held, now_ms);
        self.client.handle_timeout(now_ms);
        self.client.frame(now_ms, &mut self.frame);
        self.frame.clone()
    }

    /// The next thing to do, as JSON with `do` naming it, until there is none.
    pub fn poll(&mut self) -> Option<String> {
        let value = match self.client.poll_output()? {
            Output::Connect { generation } => json!({"do": "connect", "generation": generation}),
            Output::Send { generation, text } => {
                json!({"do": "send", "generation": generation, "text": text})
            }
            Output::Close { generation, code, reason } => {
                json!({"do": "close", "generation": generation, "code": code, "reason": reason})
            }
            Output::StoreToken(token) => json!({"do": "store", "token": token}),
            Output::NeedSession => json!({"do": "session"}),
            Output::Reload => json!({"do": "reload"}),
            Output::Travel { room } => json!({"do": "travel", "room": room}),
            Output::Notice(notice) => json!({"do": "notice", "notice": notice}),
            Output::Say { seat, text } => json!({"do": "say", "seat": seat, "text": text}),
            Output::Did { id, tick, result } => {
                json!({"do": "did", "id": id, "ok": result.is_ok(), "why": result.err(), "tick": tick})
            }
        };
        Some(value.to_string())
    }

    /// The welcome with the roster as it is now, as JSON; none before the first.
    pub fn welcome(&self) -> Option<String> {
        serde_json::to_string(self.client.welcome()?).ok()
    }

    /// Roster, round, shared state and areas as JSON: to be read again when the frame's version of them rises.
    pub fn room(&self) -> String {
        let client = &self.client;
        json!({
            "roster": client.roster(), "round": client.round(), "shared": client.shared(), "areas": client.areas()
        })
        .to_string()
    }

    /// Texts and lists of the newest bodies as JSON: to be read again when the frame's version of them rises.
    pub fn details(&self) -> String {
        json!(self.client.details()).to_string()
    }

    /// The link's account as JSON: to be read again when the frame's version of it rises.
    pub fn link(&self, now_ms: f64) -> String {
        self.client.link_json(now_ms)
    }

    /// The statistics as JSON.
    pub fn stats(&mut self, now_ms: f64) -> String {
        json!(self.client.stats(now_ms)).to_string()
    }
}

/// The build of this wasm, if it was made by the repository's scripts.
fn own_build() -> Option<Build> {
    let (id, at) = (option_env!("ROUNDTABLE_BUILD_ID")?, option_env!("ROUNDTABLE_BUILD_AT")?);
    Some(Build { id: id.to_owned(), at: at.parse().ok()? })
}
