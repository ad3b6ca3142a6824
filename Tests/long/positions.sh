#!/usr/bin/env bash
# People type, drop, remove and undo in the same lists, each with a replica, on the real table: counts, for each situation, what
# violates order, runs, away, prediction and convergence. Then the model judges the same operations.
# Usage: Tests/long/positions.sh [WORLDS [SEED]], or the figures of many drops and runs: Tests/long/positions.sh figures [SEED]
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build -c release --product baize-sim
worlds=${1:-2000} seed=${2:-1}
play() { .build/release/baize-sim --positions "$1" --seed "$seed" --worlds "$2" "${@:3}" || failed=1; }

failed=0
if [ "$worlds" = figures ]; then
  play table 10000 --situation "one author's gaps"
  play table 130000 --situation 'typed runs'
  play table 20000 --situation 'returned runs'
else
  play table "$worlds"
  play both "$((worlds / 4 + 1))"
fi
exit "$failed"
