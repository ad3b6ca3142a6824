#!/usr/bin/env bash
# In every state of the model of the cluster's protocol nothing that was published is lost, doubled or changed, within larger bounds than the
# tests have; without a rule it is. Usage: Tests/long/cluster.sh [--verbose]
# Last: twelve runs of up to four million states, four minutes and a gigabyte.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift build -c release --product baize-sim
.build/release/baize-sim --cluster "$@"
