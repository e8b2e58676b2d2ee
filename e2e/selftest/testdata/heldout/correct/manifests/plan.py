"""What a Memcached comes to: its Deployment, and its status. It decides, and touches nothing."""
import hashlib
from datetime import datetime, timezone

MANAGER = "memcached-operator"
MANAGED_BY = "app.kubernetes.io/managed-by"
INSTANCE = "app.kubernetes.io/instance"
GROUP, VERSION, KIND = "cache.example.com", "v1alpha1", "Memcached"


class Problem(Exception):
    """Why a Deployment is not as it should be, for the status."""

    def __init__(self, reason, message, again=False, foreign=False):
        super().__init__(message)
        self.reason = reason
        self.again = again  # it may go well the next time
        self.foreign = foreign  # there is a Deployment of this name that is not this Memcached's


def instance(name):
    """The name as the value of a label, which has 63 letters at most."""
    return name if len(name) <= 63 else name[:52] + "-" + hashlib.sha256(name.encode()).hexdigest()[:10]


def deployment_of(memcached):
    size = memcached["spec"].get("size")
    if type(size) is not int or not 0 <= size < 1 << 31:
        raise Problem("InvalidSize", f"spec.size is {size!r}; it must be a whole number from 0 to 2147483647")
    meta = memcached["metadata"]
    labels = {"app": "memcached", INSTANCE: instance(meta["name"]), MANAGED_BY: MANAGER}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "labels": dict(labels),
            "ownerReferences": [{
                "apiVersion": f"{GROUP}/{VERSION}",
                "kind": KIND,
                "name": meta["name"],
                "uid": meta["uid"],
                "controller": True,
                "blockOwnerDeletion": True,
            }],
        },
        "spec": {
            "replicas": size,
            "selector": {"matchLabels": dict(labels)},
            "template": {
                "metadata": {"labels": dict(labels)},
                "spec": {
                    "automountServiceAccountToken": False,
                    "enableServiceLinks": False,
                    "securityContext": {
                        "runAsNonRoot": True,
                        "runAsUser": 11211,
                        "seccompProfile": {"type": "RuntimeDefault"},
                    },
                    "containers": [{
                        "name": "memcached",
                        "image": "docker.io/library/memcached:1.6.18",
                        "imagePullPolicy": "IfNotPresent",
                        "command": ["memcached", "--memory-limit=64", "-o", "modern", "-v"],
                        "ports": [{"containerPort": 11211}],
                        "securityContext": {
                            "allowPrivilegeEscalation": False,
                            "capabilities": {"drop": ["ALL"]},
                        },
                    }],
                },
            },
        },
    }


def holds(live, wanted):
    """Says whether all that is wanted is there; others may add to it, as the API server does."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(holds(live.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list) and any(isinstance(item, dict) for item in wanted):
        return isinstance(live, list) and all(any(holds(have, item) for have in live) for item in wanted)
    return live == wanted


def controllers_of(deployment):
    return [owner for owner in deployment["metadata"].get("ownerReferences", []) if owner.get("controller")]


def is_owned(deployment, memcached):
    return any(owner["uid"] == memcached["metadata"]["uid"] for owner in controllers_of(deployment))


def check_owner(deployment, memcached):
    """Refuses a Deployment that is somebody else's. One that was made by this operator, and has no owner, is an orphan of ours."""
    if is_owned(deployment, memcached):
        return
    name = memcached["metadata"]["name"]
    for owner in controllers_of(deployment):
        if owner["kind"] == KIND and owner["apiVersion"].startswith(GROUP + "/") and owner["name"] == name:
            raise Problem(
                "PredecessorDeleting",
                f"Deployment {name} belongs to a deleted Memcached of the same name; a new one is made when it is gone",
                foreign=True)
        raise Problem(
            "DeploymentNotOwned",
            f"Deployment {name} is controlled by {owner['kind']} {owner['name']}: delete it or give one of the two another name",
            foreign=True)
    if (deployment["metadata"].get("labels") or {}).get(MANAGED_BY) != MANAGER:
        raise Problem(
            "DeploymentNotOwned",
            f"Deployment {name} was not made for this Memcached: delete it or give one of the two another name",
            foreign=True)


def pod_of(body):
    """What of a pod counts: its name, whether it serves, and what keeps it from starting."""
    meta, status = body["metadata"], body.get("status", {})
    conditions = {c["type"]: c for c in status.get("conditions", [])}
    trouble = ""
    if conditions.get("PodScheduled", {}).get("status") == "False":
        trouble = "it cannot be scheduled: " + conditions["PodScheduled"].get("message", "")
    for container in status.get("containerStatuses", []):
        waiting = container.get("state", {}).get("waiting", {})
        match waiting.get("reason", ""):
            case "" | "ContainerCreating" | "PodInitializing":
                continue
            case "ErrImagePull" | "ImagePullBackOff":  # which take turns
                trouble = f"image {container['image']} cannot be pulled (ImagePullBackOff)"
            case reason:
                trouble = f"container {container['name']}: {reason}"
    going = "deletionTimestamp" in meta
    return {
        "name": meta["name"],
        "ready": not going and conditions.get("Ready", {}).get("status") == "True",
        "trouble": "" if going else trouble,
    }


def condition_of(size, deployment, pods, nodes, problem):
    """The reason and the message of the condition Ready; true alone for the reason AllReplicasReady."""
    if problem:
        return problem.reason, str(problem)
    state = deployment.get("status", {})
    counts = {state.get(key, 0) for key in ("replicas", "updatedReplicas", "readyReplicas")} | {len(nodes)}
    message = f"{len(nodes)} of {size} pods are ready"
    if "deletionTimestamp" in deployment["metadata"]:
        return "DeploymentDeleting", f"{message}: the Deployment is being deleted; a new one is made when it is gone"
    if state.get("observedGeneration") == deployment["metadata"]["generation"] and counts == {size}:
        return "AllReplicasReady", message
    troubles = sorted(f": pod {pod['name']}: {pod['trouble']}" for pod in pods if pod["trouble"])
    message += troubles[0] if troubles else ""
    for condition in state.get("conditions", []):
        if (condition["type"], condition["status"]) in (("ReplicaFailure", "True"), ("Progressing", "False")):
            return condition["type"], f"{message}: {condition.get('message', '')}"
    return "PodsCannotStart" if troubles else "ReplicasNotReady", message


def conditions_in(memcached):
    return (memcached.get("status") or {}).get("conditions") or []


def others_conditions(memcached):
    """The conditions that somebody else keeps."""
    return [condition for condition in conditions_in(memcached) if condition["type"] != "Ready"]


def is_ready(status):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in status["conditions"])


def status_of(memcached, deployment, pods, problem):
    """All of the status that is ours; the time of the condition is that of the last change of its truth."""
    generation = memcached["metadata"]["generation"]
    nodes = sorted(pod["name"] for pod in pods if pod["ready"])
    reason, message = condition_of(memcached["spec"].get("size"), deployment, pods, nodes, problem)
    ready = "True" if reason == "AllReplicasReady" else "False"
    before = next((c for c in conditions_in(memcached) if c["type"] == "Ready"), {})
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    since = before.get("lastTransitionTime") if before.get("status") == ready else None
    condition = {
        "type": "Ready", "status": ready, "reason": reason, "message": message, "observedGeneration": generation,
        "lastTransitionTime": since or now,
    }
    conditions = [condition if c["type"] == "Ready" else c for c in conditions_in(memcached)]
    return {
        "nodes": nodes,
        "observedGeneration": generation,
        "replicas": (deployment or {}).get("status", {}).get("replicas", 0),
        "selector": f"{INSTANCE}={instance(memcached['metadata']['name'])},{MANAGED_BY}={MANAGER}",
        "conditions": conditions if before else [*conditions, condition],
    }


def differs(memcached, status):
    """Says whether there is something to write: what others keep in the status does not count."""
    live = memcached.get("status") or {}
    return any(live.get(key) != value for key, value in status.items())


def newest(*objects):
    """Of what is known of an object the newest."""
    return max((o for o in objects if o is not None), key=lambda o: int(o["metadata"]["resourceVersion"]), default=None)
