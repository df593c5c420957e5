//! docs/write-a-game.md, followed to the letter: every block of Rust on it is compiled here, and what it says is run.

#[path = "../worker/src/fireflies.rs"]
pub mod game;
#[path = "../tutorial/handlers.rs"]
pub mod handlers;
#[path = "../tutorial/lamps.rs"]
pub mod lamps;
// Not among the tests of games: `make new GAME=fireflies`, the page's first command, writes one of this name there.
#[path = "../tutorial/fireflies.rs"]
mod script;
#[path = "../tutorial/upgrade.rs"]
pub mod upgrade;

use std::fs::read_to_string;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PAGE: &str = "docs/write-a-game.md";
/// What the reader makes of the page's first two blocks.
const MADE: [&str; 2] = ["src/games/fireflies.rs", "tests/native/fireflies.rs"];

/// A block of Rust on the page, and the file that its first line names.
struct Block {
    file: String,
    code: Vec<String>,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(file) = line.strip_prefix("```rust") {
            let code = lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
            blocks.push(Block { file: file.trim().to_owned(), code });
        }
    }
    blocks
}

fn text(path: &str) -> String {
    read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Whether the lines of a block lie in a file one after the other, however far they are indented.
fn lies_in(block: &Block, file: &str) -> bool {
    let trimmed = |line: &str| line.trim().to_owned();
    let file: Vec<String> = file.lines().map(trimmed).collect();
    let code: Vec<String> = block.code.iter().map(|line| trimmed(line)).collect();
    file.windows(code.len()).any(|lines| lines == code)
}

#[test]
fn the_game_and_its_test_are_the_ones_that_are_compiled_and_run() {
    let blocks = blocks(&text(PAGE));
    assert_eq!([&blocks[0].file, &blocks[1].file], MADE);
    // The game lies in the tests' Worker, so that it is served too; only where it imports from differs.
    let game = text("tests/worker/src/fireflies.rs").replace("use roundtable::prelude", "use crate::prelude");
    assert_eq!(blocks[0].code, game.lines().collect::<Vec<_>>());
    let test = text("tests/tutorial/fireflies.rs");
    let test = test.replace("use crate::tutorial::game::", "use roundtable::games::fireflies::");
    assert_eq!(blocks[1].code, test.lines().collect::<Vec<_>>());
    assert!(game.lines().count() < 60, "a playable game in under 60 lines");
}

#[test]
fn every_other_block_lies_in_a_file_that_is_compiled_and_run() {
    for block in &blocks(&text(PAGE))[MADE.len()..] {
        assert!(block.file.starts_with("tests/tutorial/"), "no test compiles: {:?}", block.code);
        let name = block.file.trim_start_matches("tests/");
        assert!(text("tests/native/tutorial.rs").contains(&format!("../{name}\"]")), "{name} is not above");
        assert!(lies_in(block, &text(&block.file)), "{} has other lines than {:?}", block.file, block.code);
    }
}

#[test]
fn the_page_tells_of_every_handler() {
    let page = text(PAGE);
    let rules = text("src/rules/game.rs");
    let traits = rules.split("pub struct Refusal").next().expect("the traits come first");
    let handlers: Vec<&str> =
        traits.lines().filter_map(|line| line.strip_prefix("    fn ")?.split('(').next()).collect();
    assert_eq!(handlers.len(), 18, "{handlers:?}");
    for handler in handlers {
        let times = handlers_named(&page, handler);
        let wanted = traits.matches(&format!("    fn {handler}(")).count();
        assert!(times >= wanted, "{handler}: {times} of {wanted}");
    }
}

fn handlers_named(page: &str, handler: &str) -> usize {
    let of_handlers = blocks(page).into_iter().filter(|block| block.file == "tests/tutorial/handlers.rs");
    of_handlers.flat_map(|block| block.code).filter(|line| line.contains(&format!("fn {handler}("))).count()
}

#[test]
fn the_commands_on_the_page_are_there() {
    let (page, makefile) = (text(PAGE), text("Makefile"));
    for command in page.lines().filter_map(|line| line.strip_prefix("    make ")) {
        let target = command.split(' ').next().unwrap_or_default();
        assert!(makefile.contains(&format!("\n{target}:")), "make {target}");
    }
}
