#!/usr/bin/env bash
# Nothing that a client has received is lost by kills of the daemon, with and without changed documents, and no client loses an
# operation or its seat by kills of its own: Tests/long/kills.sh [KILLS [KILLS OF CLIENTS]]
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build -c release
.build/release/baize-lab crash --kills "${1:-50}"
.build/release/baize-lab crash --kills "${1:-50}" --migrate
.build/release/baize-lab relaunch --kills "${2:-200}"
