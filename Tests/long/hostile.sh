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
.build/release/hostile-client --attack turns --seconds 20
.build/release/hostile-client --attack turns --seconds 20 --journal
for memory in 300000000 800000000; do
  for addresses in 1 10 100; do
    .build/release/hostile-client --attack shares --seconds 60 --memory-max "$memory" --addresses "$addresses"
    .build/release/hostile-client --attack shares --seconds 60 --memory-max "$memory" --addresses "$addresses" --journal
  done
done
.build/release/hostile-client --http --frames "$((frames / 8))" --connections "$((connections * 2 / 3))" --rounds 12
