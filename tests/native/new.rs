//! `make new`: what it writes is what its templates say, and they are a game that compiles and a test that passes.

use std::fs::{create_dir_all, read_to_string, write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A copy of what `make new` looks at and changes.
fn checkout(name: &str) -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("new-{name}"));
    let _ = std::fs::remove_dir_all(&home);
    for file in [
        "scripts/new.sh",
        "scripts/toolchain.sh",
        "scripts/new/game.rs.txt",
        "scripts/new/test.rs.txt",
        "src/games/mod.rs",
        "src/rules/mod.rs",
        "tests/native/main.rs",
        "Cargo.lock",
        "rust-toolchain.toml",
    ] {
        create_dir_all(home.join(file).parent().expect("a folder")).expect("made");
        write(home.join(file), read_to_string(Path::new(ROOT).join(file)).expect(file)).expect("written");
    }
    home
}

fn make_new(home: &Path, game: &str) -> Output {
    Command::new("sh").arg("scripts/new.sh").current_dir(home).env("GAME", game).output().expect("a shell")
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
        "abcdefghijklmnopqrstuvwxyz",
        "match",
        "world",
    ] {
        let made = make_new(&home, bad);
        let error = String::from_utf8_lossy(&made.stderr).into_owned();
        // Arena's file is not in the copy.
        if bad != "arena" {
            assert!(!made.status.success() && error.trim().lines().count() == 1, "{bad}: {error}");
        }
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
