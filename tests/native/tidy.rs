//! The shape of the source tree, as a test: import direction, banned items, lengths, and which lines of the behaviours
//! (B) and field cases (F) have a test that names them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What each layer may import besides itself and `limits`.
const LAYERS: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("games", &["rules", "prelude"]),
    ("wire", &["rules"]),
    ("host", &["rules", "wire"]),
    ("lobby", &["rules", "wire"]),
    ("client", &["rules", "wire"]),
    ("platform", &["rules", "wire", "host", "lobby"]),
    ("browser", &["rules", "wire", "client", "host"]),
];

/// What no deterministic layer may use, and why.
const BANNED: &[(&str, &str)] = &[
    ("HashMap", "iterates in another order on each target"),
    ("HashSet", "iterates in another order on each target"),
    ("DefaultHasher", "is not the same in every release"),
    ("std::time", "time is an argument"),
    ("Instant::now", "time is an argument"),
    ("SystemTime", "time is an argument"),
    ("rand::random", "seeds are arguments"),
    ("getrandom", "seeds are arguments"),
    ("todo!(", "is no code"),
    ("unimplemented!(", "is no code"),
];

/// Methods of floats whose last bit differs between targets; `libm` has the same ones. A root is laid down to the last bit.
const INEXACT: &[&str] = &[
    ".sin()",
    ".cos()",
    ".tan()",
    ".sin_cos()",
    ".atan2(",
    ".exp()",
    ".ln()",
    ".powf(",
    ".powi(",
    ".hypot(",
    ".mul_add(",
    ".cbrt()",
    ".log10()",
    ".log2()",
    ".tanh()",
];

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
/// Code is formatted to 110; the rest is for comments and test titles.
const COLUMNS_MAX: usize = 130;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(dir: &str, endings: &[&str]) -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, endings: &[&str], out: &mut Vec<(PathBuf, String)>) {
        let Ok(entries) = fs::read_dir(dir) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
            if path.is_dir() {
                if !["node_modules", "build", "dist", "target", "artefacts", ".wrangler"]
                    .contains(&name.as_str())
                {
                    walk(&path, endings, out);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let text = fs::read_to_string(&path).expect("a source file is text");
                out.push((path, text));
            }
        }
    }
    let mut out = Vec::new();
    walk(&root().join(dir), endings, &mut out);
    out.sort();
    out
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// The lines before a file's tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or(line)
}

#[test]
fn imports_go_one_way() {
    let mut wrong = Vec::new();
    for (layer, may) in LAYERS {
        for (path, text) in files(&format!("src/{layer}"), &[".rs"]) {
            for (number, line) in text.lines().enumerate() {
                for named in without_comment(line).split("crate::").skip(1) {
                    let to =
                        named.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                    let is_layer = LAYERS.iter().any(|(name, _)| *name == to) || to == "prelude";
                    if is_layer && to != *layer && !may.contains(&to) {
                        wrong.push(format!("{}:{}: {layer} imports {to}", shown(&path), number + 1));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_platform_knows_the_worker_and_only_the_browser_its_bindings() {
    for (path, text) in files("src", &[".rs"]) {
        let code: String = text.lines().map(without_comment).collect::<Vec<_>>().join("\n");
        let folder = shown(&path);
        let platform = folder.starts_with("src/platform");
        assert!(platform || !code.contains("worker::"), "{folder} uses worker");
        let bound = platform || folder.starts_with("src/browser");
        assert!(
            bound || !(code.contains("wasm_bindgen") || code.contains("js_sys")),
            "{folder} uses wasm_bindgen"
        );
    }
}

#[test]
fn deterministic_layers_use_nothing_banned() {
    let mut wrong = Vec::new();
    for layer in ["rules", "games", "host", "client", "wire", "lobby"] {
        for (path, text) in files(&format!("src/{layer}"), &[".rs"]) {
            for (number, line) in without_tests(&text).lines().enumerate() {
                let line = without_comment(line);
                for (item, why) in BANNED.iter().filter(|(item, _)| line.contains(item)) {
                    wrong.push(format!("{}:{}: {item} {why}", shown(&path), number + 1));
                }
                for item in INEXACT.iter().filter(|item| line.contains(*item)) {
                    wrong.push(format!("{}:{}: {item} differs between targets", shown(&path), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is compared by a MAC's own verify or in constant time, never by an operator: the time that takes tells how much of
/// a guess was right.
const SECRETS: &[&str] = &["token", "secret", "mac", "signature", "tag"];

/// The last name of an operand: of `self.token()` that is `token`, of `secret.len()` it is `len`.
fn last_name(operand: &str) -> &str {
    let path = operand.trim().trim_end_matches(['(', ')', '?']).trim_start_matches(['&', '*', '(', '!']);
    let start = path.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    &path[start..]
}

/// Whether a line compares a secret by `==` or `!=`.
fn compares_a_secret(line: &str) -> bool {
    let is_secret =
        |operand: &str| SECRETS.contains(&last_name(operand).rsplit('_').next().unwrap_or_default());
    let operators = ["==", "!="].into_iter().flat_map(|operator| line.match_indices(operator));
    let found: Vec<usize> = operators.map(|(at, _)| at).collect();
    found.into_iter().any(|at| {
        let (left, right) = (&line[..at], line[at + 2..].trim_start());
        // A blank says only that there is none.
        let end = right.find(|c: char| c.is_whitespace() || ",;{|&)".contains(c)).unwrap_or(right.len());
        !right.starts_with('[') && (is_secret(left) || is_secret(&right[..end.max(1).min(right.len())]))
    })
}

#[test]
fn secrets_are_not_compared_by_operators() {
    for (line, is_one) in [
        ("if given == self.secret {", true),
        ("token != kept.token()", true),
        ("if *mac == *other {", true),
        ("let same = resume_token == kept;", true),
        ("given.len() == secret.len() && x == 0", false),
        ("self.token == [0; 16]", false),
        ("tokens == 3 && byte != b'.'", false),
    ] {
        assert_eq!(compares_a_secret(line), is_one, "{line}");
    }
    let mut wrong = Vec::new();
    // The rig is the tests' own.
    for (path, text) in files("src", &[".rs"]).iter().filter(|(path, _)| !path.ends_with("host/rig.rs")) {
        for (number, line) in without_tests(text).lines().enumerate() {
            if compares_a_secret(without_comment(line)) {
                wrong.push(format!("{}:{}: {}", shown(path), number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "compared by an operator:\n{}", wrong.join("\n"));
}

#[test]
fn async_and_storage_stay_in_the_platform() {
    for layer in ["rules", "games", "host", "client", "wire", "lobby"] {
        for (path, text) in files(&format!("src/{layer}"), &[".rs"]) {
            let code: String = text.lines().map(without_comment).collect::<Vec<_>>().join("\n");
            assert!(!code.contains("async ") && !code.contains(".await"), "{} is async", shown(&path));
        }
    }
}

#[test]
fn files_and_functions_have_a_size() {
    let mut wrong = Vec::new();
    let mut all = files("src", &[".rs"]);
    all.extend(files("macros/src", &[".rs"]));
    all.extend(files("tests", &[".rs", ".mjs"]));
    all.extend(files("web/src", &[".ts"]));
    for (path, text) in &all {
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            wrong.push(format!("{}: {lines} lines", shown(path)));
        }
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.chars().count() > COLUMNS_MAX)
        {
            wrong.push(format!("{}:{}: {} columns", shown(path), number + 1, line.chars().count()));
        }
        if path.extension().is_some_and(|ending| ending == "rs") {
            wrong.extend(long_functions(path, text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Functions longer than the limit: from the line with `fn` to the closing brace at the same indentation.
fn long_functions(path: &Path, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut long = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let is_fn = line.trim_start().split(' ').take(5).any(|word| word == "fn")
            && !line.trim_start().starts_with("//");
        if !is_fn || line.trim_end().ends_with(';') {
            continue;
        }
        let end = lines.iter().skip(start + 1).position(|l| {
            l.trim_end() == "}" && indent(l) == 0 || { l.trim() == "}" && indent(l) == indent(line) }
        });
        if let Some(length) = end.map(|end| end + 2).filter(|length| *length > FUNCTION_LINES_MAX) {
            long.push(format!("{}:{}: a function of {length} lines", shown(path), start + 1));
        }
    }
    long
}

#[test]
fn every_file_says_what_it_is() {
    let mut all = files("src", &[".rs"]);
    all.extend(files("macros/src", &[".rs"]));
    all.extend(files("tests/native", &[".rs"]));
    all.extend(files("tests/sim", &[".rs"]));
    for (path, text) in all {
        assert!(text.starts_with("//!"), "{} does not begin with //!", shown(&path));
    }
}

/// Numbers such as B12 in a text.
fn numbers(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| {
            word.len() > 1
                && (word.starts_with('B') || word.starts_with('F'))
                && word[1..].bytes().all(|b| b.is_ascii_digit())
        })
        .map(str::to_owned)
}

/// The B and F numbers that tests name: in the comment above a test, or in its title.
fn tested() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut all = files("src", &[".rs"]);
    all.extend(files("tests", &[".rs", ".mjs"]));
    for (_, text) in &all {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (i, line) in lines.iter().enumerate() {
            let is_test = *line == "#[test]" || line.starts_with("test(");
            if !is_test {
                continue;
            }
            if line.starts_with("test(") {
                found.extend(numbers(line));
                found.extend(
                    lines.get(i + 1).filter(|_| *line == "test(").into_iter().flat_map(|l| numbers(l)),
                );
            }
            let above = lines[..i].iter().rev().take_while(|line| line.starts_with("//"));
            found.extend(above.flat_map(|line| numbers(line)));
        }
    }
    found
}

fn listed(text: &str) -> BTreeSet<String> {
    text.lines().filter(|line| !line.starts_with('#')).flat_map(numbers).collect()
}

#[test]
fn every_line_that_is_done_has_a_test_that_names_it() {
    let list = listed(
        &fs::read_to_string(root().join("tests/lines.txt")).expect("tests/lines.txt lists what is done"),
    );
    let tested = tested();
    let missing: Vec<_> = list.difference(&tested).collect();
    let unlisted: Vec<_> = tested.difference(&list).collect();
    assert!(missing.is_empty(), "done, but no test names them: {missing:?}");
    assert!(unlisted.is_empty(), "tests name them, but tests/lines.txt does not: {unlisted:?}");
}

/// Against every version of the list that git knows; a tree without git has only today's.
#[test]
fn a_line_that_is_done_never_goes_back() {
    let git = |args: &[&str]| {
        let output =
            Command::new("git").args(args).current_dir(root()).output().ok().filter(|o| o.status.success());
        output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default()
    };
    let now = listed(
        &fs::read_to_string(root().join("tests/lines.txt")).expect("tests/lines.txt lists what is done"),
    );
    for commit in git(&["log", "--format=%H", "--", "tests/lines.txt"]).lines() {
        let then = listed(&git(&["show", &format!("{commit}:tests/lines.txt")]));
        let lost: Vec<_> = then.difference(&now).collect();
        assert!(lost.is_empty(), "done in {commit}, gone now: {lost:?}");
    }
}
