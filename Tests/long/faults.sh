#!/usr/bin/env bash
# Finds every injected fault, by worlds or by pairs of tables, and says how fast: Tests/long/faults.sh [WORLDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
export BAIZE_FAULT_INJECTION=1
swift build -c release --product baize-sim --scratch-path .build-faults
exec .build-faults/release/baize-sim --mutation all --worlds "${1:-4000}"
