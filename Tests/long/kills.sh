#!/usr/bin/env bash
# Nothing that a client has received is lost by kills of the daemon, with and without changed documents, with a journal in
# PostgreSQL, and by ends of nodes that share one; and no client loses an operation or its seat by kills of its own:
# Tests/long/kills.sh [KILLS [KILLS OF CLIENTS [ENDS OF NODES]]]
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build -c release --enable-all-traits --scratch-path .build-traits
lab=$(swift build -c release --enable-all-traits --scratch-path .build-traits --show-bin-path)/baize-lab
"$lab" crash --kills "${1:-50}"
"$lab" crash --kills "${1:-50}" --migrate
"$lab" crash --kills "${1:-50}" --postgresql
"$lab" relaunch --kills "${2:-200}"
# 3: a limit that assumes a quiet machine was missed.
"$lab" nodes --ends "${3:-200}" || test $? -eq 3
