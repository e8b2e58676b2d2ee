#!/usr/bin/env bash
# Installs packages with apt-get and removes none: prints apt's plan first, and
# stops with status 3, nothing changed, where it would take another package away.
# All that it says goes to standard error.
set -euo pipefail

would_remove=3
say() { echo "apt-install: $*" >&2; }

export DEBIAN_FRONTEND=noninteractive LC_ALL=C

# install plans and installs; it returns 1 where the package lists may be out of date.
install() {
  local plan removed
  plan=$(apt-get --simulate install -y --no-install-recommends "$@" 2>&1) || {
    echo "$plan" >&2
    return 1
  }
  removed=$(sed -n 's/^\(Remv\|Purg\) \([^ ]*\).*/\2/p' <<<"$plan")
  say "the plan for $*:"
  sed -n 's/^\(Inst\|Remv\|Purg\) /  &/p' <<<"$plan" >&2
  if [[ -n $removed ]]; then
    say "this would REMOVE ${removed//$'\n'/ }: stopped, nothing was changed"
    exit $would_remove
  fi
  apt-get install -y --no-remove --no-install-recommends "$@" >&2
}

install "$@" || {
  say "once more, with new package lists"
  apt-get update -q >&2
  install "$@"
}
