#!/usr/bin/env bash
# Tests baize.js: the vectors, scripted daemons, a live daemon, and the declarations. Under a minute.
#
#   Tests/JavaScript/run.sh [BAIZED]     # by default the program that was built last
#
# Needs node 18 or later and tsc (Debian: nodejs, node-typescript). BAIZE_SEED repeats the random parts.
set -euo pipefail
if [ "$#" -gt 0 ]; then BAIZED=$(realpath "$1"); export BAIZED; fi
cd "$(dirname "$0")"
tsc --project tsconfig.json
node --test ./*.test.js
