#!/usr/bin/env bash
# The hook, in the form of shell-operator's examples: it is run for each change, and looks at the first one that it is given.

if [[ $1 == "--config" ]]; then
  cat <<CONFIG
configVersion: v1
kubernetes:
- apiVersion: cache.example.com/v1alpha1
  kind: Memcached
  executeHookOnEvent: [Added, Modified]
CONFIG
  exit
fi

deployment_of() {
  jq --compact-output '
    .metadata as {$name, $namespace, $uid}
    | {app: "memcached", "app.kubernetes.io/instance": $name} as $labels
    | {operation: "CreateOrUpdate", object: {
        apiVersion: "apps/v1", kind: "Deployment",
        metadata: {$name, $namespace, $labels, ownerReferences: [{$apiVersion, $kind, $name, $uid, controller: true, blockOwnerDeletion: true}]},
        spec: {
          replicas: .spec.size,
          selector: {matchLabels: $labels},
          template: {metadata: {$labels}, spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            securityContext: {runAsNonRoot: true, runAsUser: 11211, seccompProfile: {type: "RuntimeDefault"}},
            containers: [{
              name: "memcached", image: "docker.io/library/memcached:1.6.18", imagePullPolicy: "IfNotPresent",
              command: ["memcached", "--memory-limit=64", "-o", "modern", "-v"], ports: [{containerPort: 11211}],
              securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: ["ALL"]}}
            }]
          }}
        }
      }}' --arg apiVersion cache.example.com/v1alpha1 --arg kind Memcached >> "$KUBERNETES_PATCH_PATH"
}

type=$(jq -r '.[0].type' "$BINDING_CONTEXT_PATH")
if [[ $type == "Synchronization" ]]; then
  jq -c '.[0].objects[].object' "$BINDING_CONTEXT_PATH" | while read -r memcached; do
    deployment_of <<< "$memcached"
  done
else
  jq -c '.[0].object' "$BINDING_CONTEXT_PATH" | deployment_of
fi
