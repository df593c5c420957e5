//! Runs the golden replays in an optimised build and holds their digests against those that are written down: floats must
//! come out of this optimiser as they come out of every other (F20).

#[allow(dead_code)]
#[path = "../../tests/native/kitchen.rs"]
mod kitchen;
#[allow(dead_code)]
#[path = "../../tests/native/sky.rs"]
mod sky;

use std::path::Path;

use roundtable::games::GAMES;
use roundtable::rules::adapter::game;
use roundtable::rules::replay::replay;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    kitchen::hush();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/golden");
    let games = GAMES.iter().map(|(name, make)| (*name, make()));
    for (name, game) in games.chain([("kitchen", game::<kitchen::Kitchen>()), ("sky", game::<sky::Sky>())]) {
        let read = |ending: &str| std::fs::read_to_string(golden.join(format!("{name}.{ending}")));
        // A game that is new has no log yet.
        let Ok(log) = read("log") else { continue };
        let digests: String = replay(game, &log)?.iter().map(|digest| format!("{digest:016x}\n")).collect();
        if digests != read("digests")? {
            return Err(format!("{name}: this build gives other digests than the golden ones").into());
        }
        println!("{name}: {} digests as golden", digests.lines().count());
    }
    Ok(())
}
