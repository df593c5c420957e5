//! `make check-save FILE=…` and the comparison of `make deploy`: what this build would do to what is stored.
//!
//! `check_save FILE` takes a save (bytes, as the admin route gives them) or a character (JSON, as D1 has it) and reads
//! it as a room would; GAME names the game where the file does not. `check_save --live FILE` takes the answer of a
//! Worker's `/health`. Ends with 1 when something would be refused, or dropped though it is durable and DROP does not
//! name it. Native only: no part of the Worker.

mod check;

use std::process::ExitCode;

use roundtable::games::GAMES;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
    let dropped = variable("DROP").unwrap_or_default();
    let outcome = match arguments.as_slice() {
        ["--live", path] => read(path).map(|bytes| check::live(GAMES, &bytes, &dropped)),
        [path] => read(path).map(|bytes| check::file(GAMES, variable("GAME").as_deref(), &bytes, &dropped)),
        _ => Err("usage: make check-save FILE=<a save, or a character as JSON> [GAME=<its game>]".to_owned()),
    };
    let outcome = outcome.unwrap_or_else(check::Outcome::refused);
    outcome.lines.iter().for_each(|line| println!("{line}"));
    if outcome.fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{path}: {error}"))
}
