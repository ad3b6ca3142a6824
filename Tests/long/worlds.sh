#!/usr/bin/env bash
# The invariants hold in 100,000 worlds, and nothing hidden leaks in 20,000 pairs of tables: Tests/long/worlds.sh [WORLDS [PAIRS [SEED]]]
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build -c release --product baize-sim
.build/release/baize-sim --seed "${3:-1}" --worlds "${1:-100000}"
.build/release/baize-sim --leaks --seed "${3:-1}" --worlds "${2:-20000}"
