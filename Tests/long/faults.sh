#!/usr/bin/env bash
# Finds every injected fault, by worlds or by pairs of tables, and says how fast: Tests/long/faults.sh [WORLDS]
# The faults of the rebase are found by worlds of positions: by which property, and in which situation. `after` is found by these alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
export BAIZE_FAULT_INJECTION=1
swift build -c release --product baize-sim --scratch-path .build-faults
.build-faults/release/baize-sim --mutation all --worlds "${1:-4000}"
for mutation in anchor after; do .build-faults/release/baize-sim --positions table --mutation "$mutation" --worlds 100; done
