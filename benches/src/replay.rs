//! Runs the golden replays in an optimised build and holds their digests against those that are written down: floats must
//! come out of this optimiser as they come out of every other (F20).

use std::path::Path;

use roundtable::games::GAMES;
use roundtable::rules::replay::replay;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/golden");
    for (name, game) in GAMES {
        let read = |ending: &str| std::fs::read_to_string(golden.join(format!("{name}.{ending}")));
        let digests: String =
            replay(game(), &read("log")?)?.iter().map(|digest| format!("{digest:016x}\n")).collect();
        if digests != read("digests")? {
            return Err(format!("{name}: this build gives other digests than the golden ones").into());
        }
        println!("{name}: {} digests as golden", digests.lines().count());
    }
    Ok(())
}
