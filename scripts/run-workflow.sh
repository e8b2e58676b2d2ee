#!/usr/bin/env bash
# Runs jobs of .github/workflows on this machine, step by step as GitHub does, in a clone of HEAD: by act, on the host itself. Actions are replaced by a
# stub, which keeps what would be uploaded: the clone is the checkout, and Go is this machine's.
#   scripts/run-workflow.sh ci                 make verify, the gate's self-test, the browser
#   scripts/run-workflow.sh e2e [STYLE]        correctness and latencies of one style (native)
#   scripts/run-workflow.sh gate [BASE]        HEAD against a revision (HEAD~1)
#   scripts/run-workflow.sh pages              the pages that would be published
# What act has no part in: the jobs that comment on a pull request and that publish pages, and the one that asks registries for digests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
	sed -n '4,7s/^#  */  /p' "${BASH_SOURCE[0]}" >&2
	exit 2
}
workflow=${1:-} option=${2:-}
case $workflow in
	ci) jobs=(test) event=push arguments=() ;;
	e2e) jobs=(matrix e2e) event=workflow_dispatch arguments=(--input rounds=1 --matrix "operator:${option:-native}") ;;
	gate) jobs=(gate) event=pull_request arguments=() ;;
	pages) jobs=(build) event=push arguments=() ;;
	*) usage ;;
esac

mkdir -p bin results
[[ -x bin/act ]] || echo "run-workflow: building act, which takes a minute the first time"
go build -C tools/act -trimpath -o ../../bin/ tool

# In results/, which git ignores: what a run made stays there to be looked at, and goes with it.
work=$PWD/results/workflow-$workflow
rm -rf "$work"
mkdir -p "$work/stub"
git clone --quiet --no-hardlinks . "$work/clone"
cat >"$work/stub/action.yml" <<'STUB'
name: stub
description: Stands in for an action, and keeps the files that one would upload.
inputs:
  name: {description: of an artifact}
  path: {description: of an artifact's files}
runs:
  using: composite
  steps:
    - run: |
        echo "a stub stands in for this action"
        if [[ -n $NAME && -e $FILES ]]; then mkdir -p "$UPLOADS/$NAME" && cp -r "$FILES/." "$UPLOADS/$NAME/" && ls -R "$UPLOADS/$NAME"; fi
      shell: bash
      env: {NAME: "${{ inputs.name }}", FILES: "${{ inputs.path }}"}
STUB
base=$(git rev-parse "${option:-HEAD~1}" 2>/dev/null || git rev-parse HEAD~1)
printf '{"pull_request": {"base": {"sha": "%s"}}}\n' "$base" >"$work/event.json"
[[ $workflow == e2e ]] || arguments+=(--eventpath "$work/event.json")

# Every action that the workflow names, by its commit.
while read -r action; do
	arguments+=(--local-repository "$action=$work/stub")
done < <(sed -nE 's/^[ -]*uses: *([^ ]+).*/\1/p' ".github/workflows/$workflow.yml" | sort -u)

status=0
for job in "${jobs[@]}"; do
	echo "==> $workflow: $job"
	(cd "$work/clone" && "$OLDPWD/bin/act" "$event" --workflows ".github/workflows/$workflow.yml" --job "$job" --platform ubuntu-latest=-self-hosted \
		--no-cache-server --action-offline-mode --action-cache-path "$work/act" --pull=false --env "UPLOADS=$work/uploads" "${arguments[@]}") || status=$?
done
echo "run-workflow: what was uploaded is in ${work#"$PWD"/}/uploads"
exit "$status"
