#!/usr/bin/env bash
# Tests baize.js by the vectors. Needs node 18 or later (Debian: nodejs). BAIZE_SEED repeats the random parts.
set -euo pipefail
cd "$(dirname "$0")"
node --test ./*.test.js
