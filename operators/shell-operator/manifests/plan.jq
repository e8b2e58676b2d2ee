# What all Memcacheds come to, as patch operations of shell-operator: from the snapshots of a binding context to what has to be
# written, which is nothing where all is as it should be.

def manager: "memcached-operator";

# The name as the value of a label, which has 63 letters at most.
def instance:
  if length <= 63 then .
  else .[:52] + "-" + (reduce explode[] as $letter (5381; (. * 33 + $letter) % 4294967296) | tostring)
  end;

def labels_of($memcached):
  {app: "memcached", "app.kubernetes.io/instance": ($memcached.metadata.name | instance), "app.kubernetes.io/managed-by": manager};

def owner_of($memcached):
  {apiVersion: $memcached.apiVersion, kind: $memcached.kind, name: $memcached.metadata.name, uid: $memcached.metadata.uid,
   controller: true, blockOwnerDeletion: true};

# What is wanted of a Deployment; what others own of it stays.
def wanted($memcached; $live):
  labels_of($memcached) as $labels
  | {
      metadata: {
        labels: $labels,
        ownerReferences: ([$live.metadata.ownerReferences[]? | select(.uid != $memcached.metadata.uid)] + [owner_of($memcached)])
      },
      spec: {
        replicas: $memcached.spec.size,
        selector: {matchLabels: $labels},
        template: {
          metadata: {labels: $labels},
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            securityContext: {runAsNonRoot: true, runAsUser: 11211, seccompProfile: {type: "RuntimeDefault"}},
            containers: [{
              name: "memcached",
              image: "docker.io/library/memcached:1.6.18",
              imagePullPolicy: "IfNotPresent",
              command: ["memcached", "--memory-limit=64", "-o", "modern", "-v"],
              ports: [{containerPort: 11211}],
              securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: ["ALL"]}}
            }]
          }
        }
      }
    };

# Whether all that is wanted is there; others may add to it, as the API server does.
def holds($live; $wanted):
  if ($wanted | type) == "object" then
    ($live | type) == "object" and all($wanted | to_entries[]; holds($live[.key]; .value))
  elif ($wanted | type) == "array" and any($wanted[]; type == "object") then
    ($live | type) == "array" and all($wanted[]; . as $item | any($live[]; holds(.; $item)))
  else $live == $wanted
  end;

# Why the Deployment cannot be as it should be, or null.
def problem($memcached; $live):
  $memcached.spec.size as $size
  | $memcached.metadata as {$name, $uid}
  | [$live.metadata.ownerReferences[]? | select(.controller and .uid != $uid)] as $others
  | if ($size | type) != "number" or $size != ($size | floor) or $size < 0 or $size > 2147483647 then
      {reason: "InvalidSize", message: "spec.size is \($size | tojson); it must be a whole number from 0 to 2147483647"}
    elif $live == null then null
    elif any($others[]; .kind == $memcached.kind and .name == $name) then
      {reason: "PredecessorDeleting", message: "Deployment \($name) belongs to a deleted Memcached of the same name; a new one is made when it is gone"}
    elif $live.metadata.deletionTimestamp then
      {reason: "DeploymentDeleting", message: "Deployment \($name) is being deleted; a new one is made when it is gone"}
    elif ($others | length) > 0 or $live.spec.selector.matchLabels != labels_of($memcached) then
      {reason: "DeploymentNotOwned", message: "Deployment \($name) was not made for this Memcached: delete it or give one of the two another name"}
    else null
    end;

# Why a pod does not start, in words that stay the same while the kubelet tries again.
def trouble:
  if .metadata.deletionTimestamp then empty
  else
    (.unscheduled[] | "it cannot be scheduled: \(.)"),
    (.waiting[]
      | if .reason | IN("ContainerCreating", "PodInitializing") then empty
        elif .reason | IN("ErrImagePull", "ImagePullBackOff") then "image \(.image) cannot be pulled (ImagePullBackOff)"
        else "container \(.name): \(.reason)"
        end)
  end;

# Reason and message of the condition Ready.
def readiness($memcached; $live; $pods; $nodes; $problem):
  $memcached.spec.size as $size
  | "\($nodes | length) of \($size) pods are ready" as $message
  | [$pods[] | .metadata.name as $pod | trouble | ": pod \($pod): \(.)"] as $troubles
  | [$live.status.conditions[]? | select([.type, .status] | IN(["ReplicaFailure", "True"], ["Progressing", "False"]))] as $failures
  | if $problem then $problem
    elif $live == null then
      {reason: "ReplicasNotReady", message: "\($message): the Deployment is not there yet; if it stays away, look into the operator's log"}
    elif $live.status.observedGeneration == $live.metadata.generation
        and all(($live.status | .replicas, .updatedReplicas, .readyReplicas), ($nodes | length); (. // 0) == $size) then
      {reason: "AllReplicasReady", $message}
    elif ($failures | length) > 0 then {reason: $failures[0].type, message: "\($message)\($troubles[0] // ""): \($failures[0].message)"}
    elif ($troubles | length) > 0 then {reason: "PodsCannotStart", message: "\($message)\($troubles[0])"}
    else {reason: "ReplicasNotReady", $message}
    end;

def status_of($memcached; $live; $pods; $problem):
  [$pods[] | select(.ready and (.metadata.deletionTimestamp | not)) | .metadata.name] as $nodes
  | readiness($memcached; $live; $pods; $nodes; $problem) as $because
  | (if $because.reason == "AllReplicasReady" then "True" else "False" end) as $ready
  | ($memcached.status.conditions // []) as $conditions
  | ([$conditions[] | select(.type == "Ready" and .status == $ready) | .lastTransitionTime][0] // (now | todate)) as $since
  | {type: "Ready", status: $ready, lastTransitionTime: $since, observedGeneration: $memcached.metadata.generation} + $because
  | . as $condition
  | {
      $nodes,
      observedGeneration: $memcached.metadata.generation,
      replicas: ($live.status.replicas // 0),
      selector: (labels_of($memcached) | del(.app) | to_entries | map("\(.key)=\(.value)") | join(",")),
      conditions: ([$conditions[] | select(.type != "Ready")] + [$condition])
    };

# The Deployment's name and kind, for an operation on it.
def of_deployment($memcached):
  {apiVersion: "apps/v1", kind: "Deployment", namespace: $memcached.metadata.namespace, name: $memcached.metadata.name};

# One that is there without its label is not among the snapshots. If it is this Memcached's, it gets its labels back.
def relabel($memcached):
  of_deployment($memcached) + {
    operation: "JQPatch", ignoreMissingObject: true,
    jqFilter: "if any(.metadata.ownerReferences[]?; .uid == \($memcached.metadata.uid | tojson)) then .metadata.labels += \(labels_of($memcached) | tojson) else . end"
  };

def operations($memcached; $live; $pods):
  problem($memcached; $live) as $problem
  | wanted($memcached; $live) as $wanted
  | (
      if $problem then empty
      elif $live == null then
        {operation: "CreateIfNotExists", object: ($wanted | .apiVersion = "apps/v1" | .kind = "Deployment" | .metadata += ($memcached.metadata | {name, namespace}))},
        relabel($memcached)
      elif holds($live; $wanted) then empty
      else of_deployment($memcached) + {operation: "MergePatch", ignoreMissingObject: true, mergePatch: $wanted}
      end
    ),
    (
      status_of($memcached; $live; $pods; $problem)
      | select(. as $status | any(keys_unsorted[]; $memcached.status[.] != $status[.]))
      | {operation: "MergePatch", apiVersion: $memcached.apiVersion, kind: $memcached.kind, subresource: "status", ignoreMissingObject: true,
         namespace: $memcached.metadata.namespace, name: $memcached.metadata.name, mergePatch: {status: .}}
    );

# Bindings of a group all come with the same snapshots, of which the last are the newest.
.[-1].snapshots
| ([.deployments[].filterResult | {key: "\(.metadata.namespace)/\(.metadata.name)", value: .}] | from_entries) as $deployments
| (reduce (.pods | map(.filterResult) | sort_by(.metadata.name))[] as $pod ({}; .["\($pod.metadata.namespace)/\($pod.instance)"] += [$pod])) as $pods
| .memcacheds[].filterResult
| select(.metadata.deletionTimestamp | not) # the garbage collector deletes what it owns
| .metadata as {$namespace, $name}
| operations(.; $deployments["\($namespace)/\($name)"]; $pods["\($namespace)/\($name | instance)"] // [])
