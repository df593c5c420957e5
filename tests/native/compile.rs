//! What a game file may say, and what the compiler says to one that says something else. Messages are pinned in
//! `tests/compile/*.stderr`; `TRYBUILD=overwrite cargo test --test native compile` writes them anew, to be read.

#[test]
fn a_game_that_is_wrong_does_not_compile_and_is_told_why() {
    let cases = trybuild::TestCases::new();
    // The games that are right make this a build rather than a check: some assertions are made only then.
    cases.pass("tests/compile/pass-*.rs");
    cases.compile_fail("tests/compile/fail-*.rs");
}
