#!/usr/bin/env bash
# The figures that Tests/figures.md quotes are still those of this tree, on a quiet machine: Tests/long/figures.sh [OPTIONS]
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build -c release
exec .build/release/baize-lab figures "$@"
