#!/usr/bin/env bash
# Makes sure that there is a Chrome or Chromium for `make test-browser`, and
# prints its path. Where there is none, and root on Debian: installs Debian's
# chromium, saying so. BROWSER=path names one that is found nowhere else. It only
# asks browsers for their version: it leaves no process and no folder.
set -euo pipefail

say() { echo "browser-up: $*" >&2; }
die() { say "$*"; exit 1; }

works() { command -v "$1" >/dev/null && "$1" --version >/dev/null 2>&1; }

find_browser() {
  local name
  for name in "${BROWSER:-}" chromium google-chrome google-chrome-stable chromium-browser chrome; do
    if [[ -n $name ]] && works "$name"; then
      command -v "$name"
      return
    fi
  done
  return 1
}

if [[ -n ${BROWSER:-} ]] && ! works "$BROWSER"; then die "BROWSER=$BROWSER does not answer --version"; fi
if find_browser; then exit 0; fi

advice="install Chrome or Chromium, or name one with BROWSER=path"
[[ $(id -u) == 0 ]] || die "no browser is installed: $advice, or run this as root (sudo scripts/browser-up.sh)"
command -v apt-get >/dev/null || die "no browser is installed, and this is no Debian: $advice"
say "no browser is installed: installing chromium with apt-get"
# Ubuntu has no such package, only a snap.
"$(dirname "$0")/apt-install.sh" chromium fonts-dejavu-core || die "apt-get did not install chromium (see above): $advice"
find_browser || die "chromium was installed, but does not answer --version: try it by hand"
