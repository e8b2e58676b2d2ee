#!/usr/bin/env bash
# The hook of all Memcacheds. shell-operator asks it what to watch, and runs it after each change with what there is then.
set -euo pipefail

if [[ ${1:-} == "--config" ]]; then
  cat /logic/bindings.yaml
  exit
fi

jq --compact-output --from-file /logic/plan.jq "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
