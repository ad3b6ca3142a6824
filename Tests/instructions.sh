#!/usr/bin/env bash
# Counts instructions and calls per operation with callgrind: Tests/instructions.sh [OPTIONS]; --help lists them.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
  echo "Tests/instructions.sh needs valgrind (Debian: apt-get install valgrind)" >&2
  exit 2
fi
build=(swift build -c release)
# Only a build with the traits has TLS.
for word in "$@"; do
  if [ "$word" = --tls ]; then build+=(--enable-all-traits --scratch-path .build-traits); fi
done
"${build[@]}" >&2
exec /usr/bin/python3 Tests/instructions.py --bin "$("${build[@]}" --show-bin-path)" "$@"
