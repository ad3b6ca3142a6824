#!/usr/bin/env bash
# Greedy players of hearts get fewer points than random ones: prints the mean points of both in games to a hundred points, with
# intervals of 95 % confidence. Usage: Tests/long/hearts.sh [GAMES [SEED]]
set -euo pipefail
cd "$(dirname "$0")/../.."
export BAIZE_HEARTS_MATCHES=${1:-1000} BAIZE_SEED=${2:-1}
exec swift test -c release -Xswiftc -enable-testing --filter HeartsMatchTests
