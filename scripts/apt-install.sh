#!/usr/bin/env bash
# Installs packages with apt-get, removes none, and upgrades no container engine or
# runtime but those that are asked for, as that restarts it: prints apt's plan first,
# and stops with status 3, nothing changed, where it would.
# All that it says goes to standard error.
set -euo pipefail

stopped=3
# What containers run by, on this machine or on a node of somebody's cluster.
runtimes='containerd(\.io)?|docker(\.io|-ce|-ce-cli|-engine)|moby-[a-z]+|runc|crun|cri-o|podman|buildah|nerdctl|kubelet'
say() { echo "apt-install: $*" >&2; }

export DEBIAN_FRONTEND=noninteractive LC_ALL=C

# install plans and installs; it returns 1 where the package lists may be out of date.
install() {
  local plan removed upgraded
  plan=$(apt-get --simulate install -y --no-install-recommends "$@" 2>&1) || {
    echo "$plan" >&2
    return 1
  }
  removed=$(sed -n 's/^\(Remv\|Purg\) \([^ ]*\).*/\2/p' <<<"$plan")
  say "the plan for $*:"
  sed -n 's/^\(Inst\|Remv\|Purg\) /  &/p' <<<"$plan" >&2
  if [[ -n $removed ]]; then
    say "this would REMOVE ${removed//$'\n'/ }: stopped, nothing was changed"
    exit $stopped
  fi
  upgraded=$(sed -n 's/^Inst \([^ ]*\) \[.*/\1/p' <<<"$plan" | sed -nE "/^($runtimes)(:|\$)/p" | sed -E "/^($(IFS='|'; echo "$*"))(:|\$)/d")
  if [[ -n $upgraded ]]; then
    say "this would UPGRADE ${upgraded//$'\n'/ }, which may run: stopped, nothing was changed"
    exit $stopped
  fi
  # Another apt may be at work: a new machine's upgrades of its own are.
  apt-get install -y -o DPkg::Lock::Timeout=120 --no-remove --no-install-recommends "$@" >&2
}

install "$@" || {
  say "once more, with new package lists"
  apt-get update -q >&2
  install "$@"
}
