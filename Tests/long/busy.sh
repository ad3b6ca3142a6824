#!/usr/bin/env bash
# Proves that no test fails by time alone: runs all tests, N times, beside ten processes that never wait.
# Usage: Tests/long/busy.sh [N], after `swift build --build-tests --enable-all-traits`. Last: 17 minutes a run, on two cores.
set -euo pipefail
cd "$(dirname "$0")/../.."

loops=()
finish() { [ "${#loops[@]}" -eq 0 ] || kill "${loops[@]}"; }
trap finish EXIT
for _ in $(seq 10); do
  sh -c 'while :; do :; done' &
  loops+=("$!")
done
for run in $(seq "${1:-1}"); do
  before=$SECONDS
  swift test --skip-build
  printf 'run %s beside %s loops: passed in %s s\n' "$run" "${#loops[@]}" "$((SECONDS - before))"
done
