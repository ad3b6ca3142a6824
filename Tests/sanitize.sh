#!/usr/bin/env bash
# Runs the tests that matter to a sanitizer: Tests/sanitize.sh address|thread
#
# address: code that manages memory or reads untrusted input. thread: code that shares data between threads.
# All other code handles plain values and runs without a sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  address)
    scratch=.build-asan
    suites='BaizeWireTests|BaizeTransportTests|BaizeTokensTests|(HostileBytes|File|Damage|Admission)Tests|ServerTests/Sharing'
    # The test library itself leaks.
    export ASAN_OPTIONS=detect_leaks=0
    ;;
  thread)
    scratch=.build-tsan
    export TSAN_OPTIONS="suppressions=$PWD/Tests/tsan.supp"
    suites='BaizeTransportTests|(JournalThread|Admission|Loop|Stream|Event)Tests|ServerTests/(Sharing|Stopping|JournalServing|SignedTokens)'
    ;;
  *) echo "usage: Tests/sanitize.sh address|thread" >&2 && exit 2 ;;
esac
BAIZE_SANITIZERS=1 swift test --enable-all-traits --sanitize="$1" --scratch-path "$scratch" --filter "$suites"
