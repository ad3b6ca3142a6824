#!/usr/bin/env bash
# A million inputs for each target break nothing: Tests/long/fuzz.sh [RUNS [TARGET…]]
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${1:-1000000}
test $# -eq 0 || shift
exec Tests/fuzz.py --runs "$runs" --seed 1 --jobs 2 "$@"
