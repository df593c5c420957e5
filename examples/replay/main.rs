//! `cargo run --example replay FILE [--at TICK]`: plays a recorded room again, and says whether it is the same room.
//!
//! FILE is what `GET /api/rooms/<game>/<room>/replay` gave (docs/replay.md). Every digest in it is compared with this
//! build's; `--at` stops at the end of a tick and prints the room. Ends with 1 at a difference, or when the file cannot be
//! played. Native only: no part of the Worker.

mod play;
mod show;

use std::process::ExitCode;

use roundtable::games::GAMES;

const USAGE: &str = "usage: cargo run --example replay FILE [--at TICK]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let played = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [path] => read(path).and_then(|text| play::play(GAMES, &text, None)),
        [path, "--at", tick] | ["--at", tick, path] => match tick.parse() {
            Ok(tick) => read(path).and_then(|text| play::play(GAMES, &text, Some(tick))),
            Err(_) => Err(format!("`{tick}` is no tick\n{USAGE}")),
        },
        _ => Err(USAGE.to_owned()),
    };
    let (lines, code) = match played {
        Ok(played) => (played.lines, if played.same { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
        Err(why) => (vec![format!("! {why}")], ExitCode::FAILURE),
    };
    lines.iter().for_each(|line| println!("{line}"));
    code
}

fn read(path: &str) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    String::from_utf8(bytes).map_err(|_| format!("{path}: no replay file: it is no text"))
}
