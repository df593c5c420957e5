#!/bin/sh
# `make new GAME=name`: a small game in src/games/name.rs and its test in tests/native/name.rs, both known to the rest.
set -eu
. "$(dirname "$0")/toolchain.sh"
cd "$ROOT"

export LC_ALL=C
name=${GAME:-}
[ -n "$name" ] || fail "say its name: make new GAME=<name>"
case "$name" in
    *[!a-z0-9]* | [!a-z]* | ?) fail "a game is named with 2 to 24 of a-z and 0-9, a letter first: $name" ;;
esac
[ "${#name}" -le 24 ] || fail "a game is named with 2 to 24 of a-z and 0-9, a letter first: $name"
case " api ws health admin assets metrics " in
    *" $name "*) fail "$name is the first segment of other addresses" ;;
esac
case " abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl \
in let loop macro match move mut override priv pub ref return self static struct super trait true try type typeof unsafe \
unsized use virtual where while yield core std alloc roundtable option some none vec string ok err result default clone \
copy drop send sync iterator " in
    *" $name "*) fail "$name is a word of Rust" ;;
esac
title=$(printf '%s' "$name" | cut -c1 | tr '[:lower:]' '[:upper:]')$(printf '%s' "$name" | cut -c2-)
for place in "src/games/$name.rs" "tests/native/$name.rs" "tests/native/$name"; do
    [ ! -e "$place" ] || fail "$name is taken: there is $place"
done
# The game's type must not hide a word that its rules are written in.
if grep -qw "$title" src/rules/mod.rs scripts/new/game.rs; then fail "$title means something in a game already"; fi

fill() { sed "s/NewGame/$title/g; s/newgame/$name/g" "$1" > "$2"; }
fill scripts/new/game.rs "src/games/$name.rs"
fill scripts/new/test.rs "tests/native/$name.rs"

# insert FILE LINE: before the first `mod` of the file; rustfmt puts them in order.
insert() {
    awk -v line="$2" '!done && /^(pub )?mod / { print line; done = 1 } { print }' "$1" > "$1.next"
    mv "$1.next" "$1"
}
insert src/games/mod.rs "pub mod $name;"
insert tests/native/main.rs "mod $name;"
sed "s/)\];/), (\"$name\", game::<$name::$title>)];/" src/games/mod.rs > src/games/mod.rs.next
mv src/games/mod.rs.next src/games/mod.rs
rustfmt --edition 2024 src/games/mod.rs tests/native/main.rs

say "src/games/$name.rs is the game, tests/native/$name.rs its test."
say "Play it: make dev, then http://127.0.0.1:8787/$name/hello. Test it: cargo test --test native $name::"
