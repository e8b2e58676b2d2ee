#!/usr/bin/env bash
# Records what scale takes, in parts: each is a run, and a table, of its own, with the floor of its own cluster.
# Usage: scale.sh plan [PART...]   what each part drives, and how long that took where it was published
#        scale.sh [PART...]        drives them (default: all), but for those that are whole already
# Each part goes to results/scale/PART (RESULTS: another folder; OPBENCH: another program). Stopped at any time, it goes on with the part that was cut.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

results=${RESULTS:-results/scale} opbench=${OPBENCH:-bin/opbench}
# The best style of each framework; the quick ones handle a burst of 50 within 5 s.
quick=(native controller-runtime kube-rs kopf java-operator-sdk client-node shell-operator helm)
# Where a style was driven through the same before: seconds of a round are from there.
published=(docs/results/variants/mawn2fmu docs/results/comparison/hpg7z4f3 docs/results/scale/*/)
# Seconds beside what a style is driven for: to install and remove it in each round, and of each run its cluster.
around=25 cluster=90

# Name, scenario, rounds, seconds of a round where none was published, and the styles.
parts=(
  "bursts        burst-create 6 20 ${quick[*]} metacontroller argo-direct"
  "bursts-slow   burst-create 6 60 operator-sdk argo-best argo-single-step argo-ordered ansible"
  "ramps         ramp 3 240 ${quick[*]:0:4}"
  "ramps-more    ramp 3 240 ${quick[*]:4} argo-direct"
  "queue         growth 3 420 controller-runtime controller-runtime-fifo"
  "growth        growth 1 420 ${quick[*]:0:5}"
  "growth-more   growth 1 600 ${quick[*]:5} argo-direct"
  "growth-slow   growth 1 900 operator-sdk argo-best ansible"
  "five-thousand growth-five-thousand 1 1800 ${quick[*]:0:2}"
  "five-more     growth-five-thousand 1 1800 ${quick[*]:2:3}"
  "five-others   growth-five-thousand 1 1800 ${quick[*]:5}"
  "five-slow     growth-five-thousand 1 1800 ansible argo-best"
)

# seconds of a round of a style in a scenario, of the first published run that has it; empty: none has.
seconds() {
  local run
  for run in "${published[@]}"; do
    grep -q "\"scenario\": \"$2\"" "$run/environment.json" || continue
    awk -v stage="\"scenarios $1\"," '$1 == "\"name\":" && $2 " " $3 == stage { getline; s = $2 + 0; getline; if (!found++) printf "%.0f\n", s / $2 }' "$run/environment.json" | grep . && return
  done
  return 0
}

# whole reports whether a part was driven to its end.
whole() { [[ -f $1/environment.json ]] && ! grep -qE '^  "(undriven|early)":' "$1/environment.json"; }

plan() {
  local style took total=$cluster guessed=()
  for style in floor "${styles[@]}"; do
    took=$(seconds "$style" "$scenario")
    [[ -n $took ]] || { guessed+=("$style"); took=$otherwise; }
    total=$((total + rounds * (took + around)))
  done
  printf '%-14s %3d min  %s, %s round(s): %s%s\n' "$part" $(((total + 59) / 60)) "$scenario" "$rounds" "${styles[*]}" \
    "${guessed:+ (never published, taken for ${otherwise} s a round: ${guessed[*]})}"
  all=$((all + total))
}

drive() {
  if whole "$results/$part"; then
    echo "scale: $part is whole in $results/$part: not driven again"
    return
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
  read -r part scenario rounds otherwise list <<<"$line"
  read -ra styles <<<"$list"
  [[ $# == 0 || " $* " == *" $part "* ]] || continue
  "$act"
done
[[ $act == drive ]] || printf '%-14s %3d min\n' "in all" $(((all + 59) / 60))
