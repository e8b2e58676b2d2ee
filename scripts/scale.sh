#!/usr/bin/env bash
# Records what scale takes, in parts: each is a run, and a table, of its own, with the floor of its own cluster.
# Usage: scale.sh plan [PART...]   what each part drives, and how long that takes (a ?: as nobody has measured it)
#        scale.sh [PART...]        drives them (default: all), but for those that are whole already
# Each part goes to results/scale/PART (RESULTS: another folder; OPBENCH: another program). Stopped at any time, it goes on with the part that was cut.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

results=${RESULTS:-results/scale} opbench=${OPBENCH:-bin/opbench}
# The best style of each framework; the quick ones handle a burst of 50 within 5 s.
quick=(native controller-runtime kube-rs kopf java-operator-sdk client-node shell-operator helm)
# Seconds beside what a style is driven for: to install and remove it in each round, and of each run its cluster.
around=25 cluster=90

# Name, scenario, rounds, seconds that a style takes for a round, the floor too (a ? behind them: not measured yet), and the styles.
parts=(
  "bursts        burst-create 6 18 ${quick[*]} metacontroller argo-direct"
  "bursts-slow   burst-create 6 64 operator-sdk argo-best argo-single-step argo-ordered ansible"
  "ramps         ramp 3 117 ${quick[*]:0:4}"
  "ramps-more    ramp 3 93 ${quick[*]:4} argo-direct"
  "ramps-slow    ramp 3 240 argo-best ansible"
  "queue         growth 3 320 controller-runtime controller-runtime-fifo"
  "growth        growth 1 370 ${quick[*]:0:5}"
  "growth-more   growth 1 605 ${quick[*]:5} argo-direct"
  "growth-slow   growth 1 1000 argo-best ansible"
  "five-thousand growth-five-thousand 1 605 ${quick[*]:0:2}"
  "five-more     growth-five-thousand 1 970 ${quick[*]:2:3}"
  "five-others   growth-five-thousand 1 1850? ${quick[*]:5}"
  "five-slow     growth-five-thousand 1 1800? ansible argo-best"
)

# whole reports whether a part was driven to its end.
whole() { [[ -f $1/environment.json ]] && ! grep -qE '^  "(undriven|early)":' "$1/environment.json"; }

plan() {
  local total=$((cluster + rounds * (${#styles[@]} + 1) * (${seconds%\?} + around)))
  printf '%-14s %4s min  %s, %s round(s): %s\n' "$part" "$(((total + 59) / 60))${seconds##*[0-9]}" "$scenario" "$rounds" "${styles[*]}"
  all=$((all + total))
}

drive() {
  if whole "$results/$part"; then
    echo "scale: $part is whole in $results/$part: not driven again"
    return
  fi
  if [[ -n $(ls -A "$results/$part" 2>/dev/null) && ! -f $results/$part/environment.json && ! -f $results/$part/recording.jsonl ]]; then
    echo "scale: $results/$part holds no recording, and is not removed for a new one: name another folder in RESULTS" >&2
    exit 2
  fi
  rm -rf "${results:?}/$part"
  local list status=0
  list=$(IFS=,; echo "${styles[*]}")
  "$opbench" run --operator="$list" --scenario="$scenario" --rounds="$rounds" --images="${IMAGES:-auto}" --results="$results/$part" || status=$?
  whole "$results/$part" || { echo "scale: $part was cut short (status $status): the same command goes on with it" >&2; exit 1; }
}

act=drive all=0
[[ ${1:-} != plan ]] || { act=plan; shift; }
for asked in "$@"; do
  printf '%s\n' "${parts[@]}" | grep -q "^$asked " || { echo "scale: there is no part $asked; there are $(printf '%s\n' "${parts[@]}" | awk '{printf "%s ", $1}')" >&2; exit 2; }
done
[[ $act == plan || -n ${OPBENCH:-} ]] || go build -o "$opbench" ./e2e/cmd/opbench
for line in "${parts[@]}"; do
  read -r part scenario rounds seconds list <<<"$line"
  read -ra styles <<<"$list"
  [[ $# == 0 || " $* " == *" $part "* ]] || continue
  "$act"
done
[[ $act == drive ]] || printf '%-14s %4s min\n' "in all" $(((all + 59) / 60))
