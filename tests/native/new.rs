//! `make new`: what it writes is what its templates say, and they are a game that compiles and a test that passes.

use std::fs::{copy, create_dir_all, read_dir, read_to_string};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A copy of what `make new` looks at and changes, with every game and every test that lies there: one of them might have
/// taken a name.
fn checkout(name: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("new-{name}"));
    let _ = std::fs::remove_dir_all(&home);
    for folder in ["scripts", "src/games", "tests/native"] {
        copy_folder(&Path::new(ROOT).join(folder), &home.join(folder));
    }
    create_dir_all(home.join("src/rules")).expect("made");
    for file in ["src/rules/mod.rs", "Makefile", "Cargo.lock", "rust-toolchain.toml"] {
        copy(Path::new(ROOT).join(file), home.join(file)).expect(file);
    }
    home
}

fn copy_folder(from: &Path, to: &Path) {
    create_dir_all(to).expect("made");
    for entry in read_dir(from).expect("a folder") {
        let (from, to) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).expect("an entry");
        if from.is_dir() { copy_folder(&from, &to) } else { copy(&from, &to).map(drop).expect("copied") }
    }
}

fn make_new(home: &Path, game: &str) -> Output {
    Command::new("sh").arg("scripts/new.sh").current_dir(home).env("GAME", game).output().expect("a shell")
}

/// The first command of docs/write-a-game.md, as it stands there.
fn command_of_the_page() -> String {
    let page = read_to_string(Path::new(ROOT).join("docs/write-a-game.md")).expect("the page");
    let command =
        page.lines().find_map(|line| line.strip_prefix("    make new ")).expect("it begins with one");
    format!("make new {command}")
}

#[test]
fn the_first_command_of_the_tutorial_works_in_a_clone() {
    let command = command_of_the_page();
    let game = command.strip_prefix("make new GAME=").expect("it names a game");
    // Whoever has followed the page has this game already, and is not to be told off for it.
    if Path::new(ROOT).join(format!("src/games/{game}.rs")).exists() {
        return;
    }
    let home = checkout("tutorial");
    let made = Command::new("sh").args(["-c", &command]).current_dir(&home).env_remove("GAME").output();
    let made = made.expect("a shell");
    assert!(made.status.success(), "{command}: {}", String::from_utf8_lossy(&made.stderr));
    for file in [format!("src/games/{game}.rs"), format!("tests/native/{game}.rs")] {
        assert!(home.join(&file).exists(), "{file}");
    }
    let main = read_to_string(home.join("tests/native/main.rs")).expect("the list");
    assert_eq!(main.lines().filter(|line| *line == format!("mod {game};")).count(), 1);
}

#[test]
fn a_new_game_is_written_and_listed() {
    let home = checkout("written");
    let made = make_new(&home, "fireflies2");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = |path: &str| read_to_string(home.join(path)).expect(path);
    assert!(text("src/games/fireflies2.rs").contains("impl Rules for Fireflies2 {"));
    assert!(text("tests/native/fireflies2.rs").contains("use roundtable::games::fireflies2::{Fireflies2,"));
    let games = text("src/games/mod.rs");
    assert!(games.contains("pub mod fireflies2;"));
    assert!(games.contains(r#"("fireflies2", game::<fireflies2::Fireflies2>),"#), "{games}");
    assert!(text("tests/native/main.rs").contains("mod fireflies2;"));
    assert!(!make_new(&home, "fireflies2").status.success(), "a second one would overwrite the first");
}

#[test]
fn a_name_that_is_none_is_refused_in_one_line() {
    let home = checkout("refused");
    for bad in [
        "",
        "2fast",
        "Fire",
        "fire-flies",
        "api",
        "mod",
        "arena",
        "leases",
        "abcdefghijklmnopqrstuvwxyz",
        "match",
        "world",
    ] {
        let made = make_new(&home, bad);
        let error = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(!made.status.success() && error.trim().lines().count() == 1, "{bad}: {error}");
    }
}

/// `tests/compile/pass-new.rs` is the template with its names filled in, so that it is known to compile.
#[test]
fn what_is_written_compiles() {
    let text = |path: &str| read_to_string(Path::new(ROOT).join(path)).expect(path);
    let filled = text("scripts/new/game.rs.txt").replace("NAME", "Fresh").replace("GAME", "fresh");
    let filled = filled.replace("use crate::prelude", "use roundtable::prelude");
    assert_eq!(text("tests/compile/pass-new.rs"), filled + "\nfn main() {}\n");
}
