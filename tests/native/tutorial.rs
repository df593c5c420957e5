//! docs/write-a-game.md, followed to the letter: its game and its test are the ones compiled and run here.

#[path = "../worker/src/fireflies.rs"]
pub mod game;

use std::fs::read_to_string;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The code blocks of the page that name a file, in order.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(file) = line.strip_prefix("```rust ") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((file.to_owned(), code.join("\n") + "\n"));
        }
    }
    blocks
}

fn text(path: &str) -> String {
    read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_code_on_the_page_is_the_code_that_is_compiled_and_run() {
    let blocks = blocks(&text("docs/write-a-game.md"));
    let files: Vec<&str> = blocks.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(files, ["src/games/fireflies.rs", "tests/native/fireflies.rs"]);
    // The game lies in the tests' Worker, so that it is served too; only where it imports from differs.
    let game = text("tests/worker/src/fireflies.rs").replace("use roundtable::prelude", "use crate::prelude");
    assert_eq!(blocks[0].1, game);
    let test = text("tests/native/fireflies.rs");
    assert_eq!(
        blocks[1].1,
        test.replace("use crate::tutorial::game::", "use roundtable::games::fireflies::")
    );
    assert!(game.lines().count() < 60, "a playable game in under 60 lines");
}

#[test]
fn the_commands_on_the_page_are_there() {
    let (page, makefile) = (text("docs/write-a-game.md"), text("Makefile"));
    for command in page.lines().filter_map(|line| line.strip_prefix("    make ")) {
        let target = command.split(' ').next().unwrap_or_default();
        assert!(makefile.contains(&format!("\n{target}:")), "make {target}");
    }
}
