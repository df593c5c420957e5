//! Replays in the browser: `replay(game, log)` gives the digests of a log, hexadecimal. It is how a test shows that rules
//! run here as they do in the Table (F20).

use wasm_bindgen::JsError;

use crate::rules::face::Registry;
use crate::rules::replay::replay;

/// # Errors
/// No such game, or a log that does not run to its end.
pub fn digests(games: Registry, game: &str, log: &str) -> Result<Vec<String>, JsError> {
    let found = games.iter().find(|(name, _)| *name == game);
    let (_, make) = found.ok_or_else(|| JsError::new("there is no game of this name"))?;
    let digests = replay(make(), log).map_err(|error| JsError::new(&error.to_string()))?;
    Ok(digests.iter().map(|digest| format!("{digest:016x}")).collect())
}

/// The games that a browser build has rules of.
#[macro_export]
macro_rules! browser_entry {
    ($games:expr) => {
        /// See `browser::replay`.
        #[::wasm_bindgen::prelude::wasm_bindgen]
        pub fn replay(
            game: &str,
            log: &str,
        ) -> ::std::result::Result<::std::vec::Vec<::std::string::String>, ::wasm_bindgen::JsError> {
            $crate::browser::replay::digests($games, game, log)
        }
    };
}
