//! What the tool says of a file, as lines, and whether the room is the one that was recorded. No I/O.

use roundtable::rules::face::Registry;
use roundtable::rules::ids::Tick;
use roundtable::rules::replay::file::{Header, ReplayFile, run_to};
use roundtable::rules::replay::{ReplayError, ReplayFault};

use crate::show::show;

#[derive(Debug)]
pub struct Played {
    pub lines: Vec<String>,
    /// Every digest that was come to is as recorded.
    pub same: bool,
}

/// # Errors
/// The file cannot be played, and why.
pub fn play(games: Registry, text: &str, at: Option<u32>) -> Result<Played, String> {
    let file = ReplayFile::parse(text).map_err(|error| error.to_string())?;
    let Header { game: name, room, build, schema, epoch, tick, .. } = &file.header;
    let game = games.iter().find(|(known, _)| known == name).map(|(_, game)| game());
    let game = game.ok_or_else(|| format!("there is no game {name} in this build"))?;
    let now = game.schema().hash();
    if now != *schema {
        return Err(format!(
            "{name} was another game then: the file is of schema {schema:016x} (build {build}), this build's is \
             {now:016x}; play it with the build that recorded it"
        ));
    }
    if at.is_some_and(|at| at < tick.0) {
        return Err(format!("the file begins at tick {tick}"));
    }
    let mut replayed = file.open(game).map_err(|error| error.to_string())?;
    let steps = file.steps;
    let mut lines = vec![format!(
        "{name}/{room}: {steps} steps from tick {tick} of epoch {epoch}, recorded by build {build}"
    )];
    let ran = run_to(&file, &mut replayed, at.map(Tick));
    let end = replayed.sim.tick();
    let same = match &ran {
        Ok(ran) => {
            lines.push(format!("  {} digests are as recorded, up to tick {end}", ran.same));
            if let Some(differs) = &ran.differs {
                lines.pop();
                lines.extend(difference(differs, ran.same, ran.same_at));
            }
            if at.is_some() && !ran.stopped {
                lines.push(format!("! the file ends with tick {end}"));
            }
            ran.differs.is_none() && (at.is_none() || ran.stopped)
        }
        Err(error) => {
            lines.push(format!("! {error}, after tick {end}"));
            false
        }
    };
    if at.is_some() || ran.is_err() {
        lines.extend(show(&game.schema(), &replayed.sim));
    }
    Ok(Played { lines, same })
}

/// The first digest that differs, and from when on the room may have been another.
fn difference(error: &ReplayError, same: usize, same_at: Option<Tick>) -> Vec<String> {
    let since = same_at.map_or("the beginning".to_owned(), |tick| format!("tick {tick}"));
    let mut lines =
        vec![format!("! {error}"), format!("  {same} digests before it are as recorded, up to {since}")];
    if let (ReplayFault::Differs { tick, .. }, Some(at)) = (&error.why, same_at) {
        lines.push(format!("  look at the ticks between: --at {at} to --at {tick}"));
    }
    lines
}
