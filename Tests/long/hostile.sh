#!/usr/bin/env bash
# A daemon under a million hostile frames and requests survives, with bounded memory, and serves others:
# Tests/long/hostile.sh [FRAMES [CONNECTIONS]]
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build -c release
frames=${1:-1000000}
connections=${2:-10000}
.build/release/hostile-client --frames "$frames" --connections "$connections"
.build/release/hostile-client --frames "$frames" --connections "$connections" --journal
.build/release/hostile-client --attack doors
.build/release/hostile-client --attack rights
.build/release/hostile-client --http --frames "$((frames / 8))" --connections "$((connections * 2 / 3))" --rounds 12
