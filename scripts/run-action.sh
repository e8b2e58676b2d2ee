#!/usr/bin/env bash
# Runs action.yml on this machine as a pull request of another repository would, by act, on the host itself: in a clone of that repository's HEAD. The
# actions that it uses are replaced by a stub, which keeps what would be uploaded; Go is this machine's. With comment=true, the comments of the pull
# request are files in results/action-comments, which stay from run to run; FORK=1 makes it a stranger's pull request.
#   scripts/run-action.sh REPOSITORY BASE [INPUT=VALUE]...    such as ../my-operator HEAD~1 folder=./bench profile=quick
set -euo pipefail
(($# >= 2)) || { sed -n '5s/^#  */  /p' "${BASH_SOURCE[0]}" >&2; exit 2; }
theirs=$(realpath "$1") base=$(git -C "$1" rev-parse "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p bin results
[[ -x bin/act ]] || echo "run-action: building act, which takes a minute the first time"
go build -C tools/act -trimpath -o ../../bin/ tool

work=$PWD/results/action
rm -rf "$work"
mkdir -p "$work/stub"
git clone --quiet --no-hardlinks "$theirs" "$work/clone"
git -C "$work/clone" remote set-url origin https://github.com/theirs/theirs.git # act takes the repository's name from it; nothing is fetched
mkdir -p "$work/programs"
ln -s "$PWD/e2e/cmd/opbench/testdata/gh" "$work/programs/gh"
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
        if [[ -n $NAME && -e $FILES ]]; then mkdir -p "$UPLOADS/$NAME" && cp -r "$FILES/." "$UPLOADS/$NAME/"; fi
      shell: bash
      env: {NAME: "${{ inputs.name }}", FILES: "${{ inputs.path }}"}
STUB
{
	printf 'on: pull_request\njobs:\n  gate:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v5\n' # which act does itself
	printf '      - id: gate\n        uses: operatorbench/operatorbench@here\n        with:\n          base: %s\n' "$base"
	for input in "${@:3}"; do printf '          %s: "%s"\n' "${input%%=*}" "${input#*=}"; done
	# shellcheck disable=SC2016 # it is the workflow's
	printf '      - if: always()\n        run: |\n          echo "the action says: ${{ steps.gate.outputs.verdict }}, in ${{ steps.gate.outputs.report }}"\n'
} >"$work/workflow.yml"
printf '{"pull_request": {"number": 7, "base": {"sha": "%s"}, "head": {"repo": {"full_name": "%s"}}}}\n' "$base" "$([[ -n ${FORK:-} ]] && echo stranger || echo theirs)/theirs" >"$work/event.json"
arguments=(--local-repository "operatorbench/operatorbench@here=$PWD" --local-repository "actions/checkout@v5=$work/stub")
while read -r action; do
	arguments+=(--local-repository "$action=$work/stub")
done < <(sed -nE 's/^ *- *uses: *([^ ]+).*/\1/p' action.yml | sort -u)
cd "$work/clone"
"$OLDPWD/bin/act" pull_request --workflows "$work/workflow.yml" --job gate --platform ubuntu-latest=-self-hosted --eventpath "$work/event.json" \
	--no-cache-server --action-offline-mode --action-cache-path "$work/act" --pull=false --env "UPLOADS=$work/uploads" --env "COMMENTS=$(dirname "$work")/action-comments" --env "PATH=$work/programs:$PATH" "${arguments[@]}"
