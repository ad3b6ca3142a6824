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
# One address takes nothing from others. Of ten and of a hundred that take all they can, whoever else fills new boards all the time gets
# what Protocol/limits.md says (Shares): what degrades is printed.
for memory in 300000000 800000000; do
  for journal in "" --journal; do
    # shellcheck disable=SC2086
    .build/release/hostile-client --attack shares --seconds 60 --memory-max "$memory" $journal
    for addresses in 10 100; do
      # shellcheck disable=SC2086
      .build/release/hostile-client --attack shares --seconds 60 --memory-max "$memory" --addresses "$addresses" $journal || [ $? -eq 1 ]
    done
  done
done
.build/release/hostile-client --http --frames "$((frames / 8))" --connections "$((connections * 2 / 3))" --rounds 12
