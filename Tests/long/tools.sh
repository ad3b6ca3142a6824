#!/usr/bin/env bash
# Proves that each test asks for all that it uses of other programs: runs the tests that need a tool, with each tool hidden, with each
# module of Python that they import hidden, and with all of them hidden. Needs root and util-linux, and the tests built.
# Last: under a minute, on two cores.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "$(id -u)" -ne 0 ]; then
  echo "Tests/long/tools.sh: only root can hide files" >&2
  exit 2
fi

# What Tests/TestSupport/Tool.swift declares, and the suites of the tests that have the trait.
mapfile -t tools < <(sed -n 's/.*"\(\/\(usr\/\)\?s\?bin\/[^"]*\)".*/\1/p' Tests/TestSupport/Tool.swift)
mapfile -t modules < <(sed -n 's/.*from \([a-z]*\)\..* import.*/\1/p' Tests/TestSupport/Tool.swift | sort -u)
mapfile -t files < <(grep -rl --include='*.swift' '\.needs(' Tests | grep -v '^Tests/TestSupport/')
names=$(sed -n 's/.*@Suite.* struct \([A-Za-z]*\).*/\1/p' "${files[@]}" | paste -sd '|')
[ "${#tools[@]}" -gt 0 ] && [ -n "$names" ]

# The folder of a module, where this machine's Python has it.
folder() { /usr/bin/python3 -c "import importlib.util as u, sys; s = u.find_spec(sys.argv[1]); print(*(s.submodule_search_locations if s else []), sep='\n')" "$1" | head -n 1; }

# Runs the tests in a mount namespace in which paths are hidden: files by one that cannot be executed, folders by an empty one.
run_without() {
  local what=$1
  shift
  local log
  log=$(mktemp)
  # shellcheck disable=SC2016
  if unshare --mount -- sh -euc '
    filter=$1; shift
    for path; do
      if [ -d "$path" ]; then mount -t tmpfs tmpfs "$path"; else mount --bind /dev/null "$path"; fi
    done
    exec swift test --skip-build --filter "$filter"' sh "$names" "$@" >"$log" 2>&1; then
    printf 'ok      without %s: %s tests skipped\n' "$what" "$(grep -c 'skipped' "$log" || true)"
  else
    printf 'failed  without %s\n' "$what"
    grep '✘' "$log" || tail -n 20 "$log"
    failed=1
  fi
  rm -f "$log"
}

failed=0
all=()
for tool in "${tools[@]}"; do
  [ -e "$tool" ] || continue
  all+=("$tool")
done
run_without nothing
for tool in "${all[@]}"; do run_without "$tool" "$tool"; done
folders=()
for module in "${modules[@]}"; do
  path=$(folder "$module")
  [ -n "$path" ] || continue
  folders+=("$path")
  run_without "Python's module $module" "$path"
done
run_without "all of them" "${all[@]}" "${folders[@]}"
exit "$failed"
