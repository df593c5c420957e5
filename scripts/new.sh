#!/bin/sh
# `make new GAME=name`: writes src/games/<name>.rs, a small game that can be played at once, and its test, and puts both
# where games and tests are listed. docs/write-a-game.md goes on from there.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"

game=${GAME:-}
case "$game" in
    '') fail "say which: make new GAME=fireflies" ;;
    *[!a-z0-9]* | [0-9]*) fail "a game's name has the letters a to z and digits, and begins with a letter: not '$game'" ;;
esac
[ "${#game}" -le 24 ] || fail "a game's name has at most 24 letters: '$game' has ${#game}"
case "$game" in
    api | ws | health | admin | assets | metrics | mod | self | super | crate | test) fail "'$game' is taken: choose another" ;;
esac
# Neither may a module be named so, nor may the game's type hide a word that its rules are written in.
case " as async await become box break const continue core do dyn else enum extern false final fn for gen if impl in let \
loop macro match move mut override priv pub ref return static std struct trait true try type typeof unsafe unsized use \
virtual where while yield roundtable option some none vec string ok err result default clone copy " in
    *" $game "*) fail "'$game' is a word of Rust: choose another" ;;
esac
for path in "src/games/$game.rs" "tests/native/$game.rs" "tests/native/$game"; do
    [ ! -e "$path" ] || fail "there is a game or a test '$game' already: $path"
done
name=$(printf '%s' "$game" | awk '{ print toupper(substr($0, 1, 1)) substr($0, 2) }')
! grep -qw "$name" src/rules/mod.rs scripts/new/game.rs.txt || fail "'$name' means something in a game already: choose another"

sed "s/NAME/$name/g; s/GAME/$game/g" scripts/new/game.rs.txt > "src/games/$game.rs"
sed "s/NAME/$name/g; s/GAME/$game/g" scripts/new/test.rs.txt > "tests/native/$game.rs"

# insert LINE FILE PATTERN: LINE before the first line of FILE that matches.
insert() {
    awk -v line="$1" -v pattern="$3" '!done && $0 ~ pattern { print line; done = 1 } { print }' "$2" > "$2.new"
    mv "$2.new" "$2"
}
insert "pub mod $game;" src/games/mod.rs '^pub mod '
insert "    (\"$game\", game::<$game::$name>)," src/games/mod.rs '^];'
insert "mod $game;" tests/native/main.rs '^mod '
rustfmt --edition 2024 src/games/mod.rs tests/native/main.rs >/dev/null 2>&1 || true
say "src/games/$game.rs   the game: play it with make dev, at http://127.0.0.1:8787/$game/lounge"
say "tests/native/$game.rs   its test: cargo test --test native $game"
