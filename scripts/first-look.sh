#!/usr/bin/env bash
# Makes the images ready that styles need, before the clock of a run starts.
# Usage: first-look.sh STYLES [SOURCE], as opbench's --operator and --images.
# Where images of the first style are there before those of the others, and
# those take minutes to build, a run of one round shows its first result
# meanwhile: what is being built would disturb it, so that they take turns.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

styles=$1 source=${2:-auto}
first=${styles%%,*}
go build -o bin/opbench ./e2e/cmd/opbench

ensure() { bin/opbench images ensure --images="$source" --operator="$1"; }

# opbench ends by a signal with a status of 128 or more, and bash goes on: Ctrl-C is meant for both.
tried() {
  local status=0
  bin/opbench "$@" || status=$?
  ((status < 128)) || exit "$status"
  return "$status"
}

if [[ $first != "$styles" ]]; then
  ensure "$first"
  if ! tried images missing --images="$source" --operator="$styles"; then
    echo "first look: one round of $first, while nothing is being built; then the other images, then all styles"
    tried run --operator="$first" --rounds=1 --images="$source" || echo "first look: $first could not be driven (see above); going on" >&2
  fi
fi
ensure "$styles"
