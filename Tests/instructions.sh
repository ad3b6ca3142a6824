#!/usr/bin/env bash
# Counts instructions and calls per operation with callgrind: Tests/instructions.sh [OPTIONS]; --help lists them.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
  echo "Tests/instructions.sh needs valgrind (Debian: apt-get install valgrind)" >&2
  exit 2
fi
swift build -c release >&2
exec /usr/bin/python3 Tests/instructions.py --bin "$(swift build -c release --show-bin-path)" "$@"
