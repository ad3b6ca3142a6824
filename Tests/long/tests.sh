#!/usr/bin/env bash
# Proves on all cases what the tests show by samples: 100,000 inserts at the ends of a tree, a hundred deals of klondike, every
# truncation of every bundled document, 2,000 worlds, 450 pairs of tables, 2,000 storms of authors, a board of 400 columns and one
# of 10,000, every value of every byte of the messages, each view of every revision of a card game, 22,000 worlds of positions.
# Usage: Tests/long/tests.sh, after `swift build --build-tests --enable-all-traits`.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The suites that read the variable.
mapfile -t files < <(grep -rl --include='*.swift' 'LongForm\.' Tests | grep -v '^Tests/TestSupport/')
suites=$(sed -n 's/.*@Suite.* struct \([A-Za-z]*\).*/\1/p' "${files[@]}" | paste -sd '|')
test -n "$suites"
before=$SECONDS
BAIZE_LONG=1 swift test --skip-build --filter "$suites"
printf 'the long forms passed in %s s\n' "$((SECONDS - before))"
