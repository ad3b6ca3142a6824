# Sourced by the gates: a step says what it checks and what it took, and the end lists all of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LANG=C.UTF-8

steps=()
current=
current_from=$SECONDS

# step TITLE: ends the step before it, and begins one.
step() {
  end_step
  current=$1
  current_from=$SECONDS
  printf '\n== %s\n' "$current"
}

end_step() {
  if [ -n "$current" ]; then
    steps+=("$(printf '%5d s  %s' $((SECONDS - current_from)) "$current")")
    printf -- '-- %d s\n' $((SECONDS - current_from))
  fi
  current=
}

# Lists the steps with their times; the last one is the one that failed, if any did.
times() {
  local code=$?
  if [ -n "$current" ]; then steps+=("$(printf '%5d s  FAILED: %s' $((SECONDS - current_from)) "$current")"); fi
  printf '\n'
  printf '%s\n' "${steps[@]}"
  printf '%5d s  in all\n' "$SECONDS"
  return "$code"
}

# quiet COMMAND…: lets a measure miss a limit that assumes a quiet machine, and nothing else.
quiet() { "$@" || test $? -eq 3; }

check_format() {
  step "Format"
  swift format lint --strict --parallel --recursive Package.swift Sources Tests
}

build_tests() {
  step "Build: warnings are errors, imports are checked"
  build_without_warnings --build-tests --enable-all-traits --explicit-target-dependency-import-check error
}

# build_without_warnings ARGUMENT…: builds, and fails if the compiler warns. No flag for that: the tests would be built again.
build_without_warnings() {
  local said
  said=$(mktemp)
  swift build "$@" 2>&1 | tee "$said" | grep -v '^\[' || true
  # The pipe hides the build's own code.
  grep -q 'Build complete' "$said" || return 1
  if grep -n 'warning:' "$said"; then return 1; fi
}
