#!/usr/bin/env bash
# Runs bin/opbench, or the program in OPBENCH, with a base and ends as the gate answers: 0 fine, 1 worse, broken, missing or more rights, 10 cannot tell. All else is red, too.
# "Cannot tell" is the only answer that is not fine and not red: it is believed only if the gate.json that this run wrote says it.
#   scripts/gate.sh RESULTS --base=REVISION [FLAG]...
set -euo pipefail
results=$1
rm -f "$results/gate.json" "$results/gate.md" # what is there afterwards is of this run
status=0
"${OPBENCH:-bin/opbench}" run --results="$results" "${@:2}" || status=$?
if ((status == 10)) && ! grep -qs '^  "status": 10,$' "$results/gate.json"; then
	echo "gate.sh: opbench ended with status 10 (cannot tell), but $results/gate.json does not say so: nothing was compared; its output above says how far it came" >&2
	exit 3
fi
exit "$status"
