#!/usr/bin/env bash
# Runs the tests that a sanitizer can learn from: Tests/sanitize.sh address|thread
#
# address: what handles memory by itself, and what reads what strangers send. thread: what crosses threads.
# The rest is plain values; it runs without one.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  address)
    scratch=.build-asan
    suites='BaizeWireTests|BaizeTransportTests|(HostileBytes|File|Damage|Door)Tests|ServerTests/Sharing'
    # The test library itself leaves something behind.
    export ASAN_OPTIONS=detect_leaks=0
    ;;
  thread)
    scratch=.build-tsan
    export TSAN_OPTIONS="suppressions=$PWD/Tests/tsan.supp"
    suites='BaizeTransportTests|(JournalWriter|Door|Loop|Stream|Event)Tests|ServerTests/(Sharing|Stopping|JournalServing)'
    ;;
  *) echo "usage: Tests/sanitize.sh address|thread" >&2 && exit 2 ;;
esac
swift test --sanitize="$1" --scratch-path "$scratch" --filter "$suites"
