"""What a Memcached comes to: its Deployment, its status, and the writes that bring about the first.

It knows nothing of when; handlers.py does.
"""
import hashlib
import ssl
from datetime import datetime, timezone

import aiohttp
import kopf

MANAGER = "memcached-operator"
MANAGED_BY = "app.kubernetes.io/managed-by"
INSTANCE = "app.kubernetes.io/instance"
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"


class Problem(Exception):
    """Why a Deployment is not as it should be, for the status."""

    def __init__(self, reason, message, again=False):
        super().__init__(message)
        self.reason, self.again = reason, again


class Refused(Exception):
    """What the API server answered."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class API:
    """The API server, for what Kopf does not write by itself: it has no client for its users."""

    async def __aenter__(self):
        trusted = ssl.create_default_context(cafile=ACCOUNT + "ca.crt")
        self.session = aiohttp.ClientSession(
            "https://kubernetes.default.svc", connector=aiohttp.TCPConnector(ssl=trusted, limit=0),
            timeout=aiohttp.ClientTimeout(total=30))
        return self

    async def __aexit__(self, *_):
        await self.session.close()

    async def call(self, method, path, body=None, kind="application/json", **query):
        with open(ACCOUNT + "token") as token:  # the kubelet renews it
            headers = {"Authorization": "Bearer " + token.read(), "Content-Type": kind}
        async with self.session.request(method, path, json=body, headers=headers, params=query) as reply:
            answer = await reply.json(content_type=None)
            if reply.status >= 400:
                raise Refused(reply.status, answer.get("message", str(answer)))
            return answer

    async def write_status(self, memcached, status):
        """Returns the Memcached with its new status; nothing if it is gone, or its definition has no status."""
        meta = memcached["metadata"]
        path = f"/apis/cache.example.com/v1alpha1/namespaces/{meta['namespace']}/memcacheds/{meta['name']}/status"
        try:
            return await self.call("PATCH", path, {"status": status}, "application/merge-patch+json")
        except (Refused, aiohttp.ClientError, TimeoutError) as error:
            if getattr(error, "code", None) == 404:
                return None
            raise Problem("StatusNotWritten", f"the status could not be written: {error}", again=True) from error


def instance(name):
    """The name as the value of a label, which has 63 letters at most."""
    return name if len(name) <= 63 else name[:52] + "-" + hashlib.sha256(name.encode()).hexdigest()[:10]


def deployment_of(memcached):
    meta = memcached["metadata"]
    labels = {"app": "memcached", INSTANCE: instance(meta["name"]), MANAGED_BY: MANAGER}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": meta["name"], "labels": dict(labels)},
        "spec": {
            "replicas": memcached["spec"]["size"],
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
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
    kopf.adopt(deployment, owner=memcached)
    return deployment


def holds(live, wanted):
    """Says whether all that is wanted is there; others may add to it, as the API server does."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(holds(live.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list) and any(isinstance(item, dict) for item in wanted):
        return isinstance(live, list) and all(any(holds(have, item) for have in live) for item in wanted)
    return live == wanted


def check_owner(deployment, memcached):
    """Refuses a Deployment that is somebody else's."""
    meta, name = deployment["metadata"], memcached["metadata"]["name"]
    owners = [o for o in meta.get("ownerReferences", []) if o.get("controller")]
    if any(owner["uid"] == memcached["metadata"]["uid"] for owner in owners):
        return
    if any(owner["kind"] == memcached["kind"] and owner["name"] == name for owner in owners):
        raise Problem("PredecessorDeleting", f"Deployment {name} belongs to a deleted Memcached of the same name; a new one is made when it is gone")
    if owners:
        raise Problem("DeploymentNotOwned", f"Deployment {name} is controlled by {owners[0]['kind']} {owners[0]['name']}: delete it or give one of the two another name")
    if meta.get("labels", {}).get(MANAGED_BY) != MANAGER:
        raise Problem("DeploymentNotOwned", f"Deployment {name} was not made for this Memcached: delete it or give one of the two another name")


async def settle(memcached, deployment, api):
    """Brings the Deployment to what is asked for, and returns it."""
    size = memcached["spec"].get("size")
    if type(size) is not int or not 0 <= size < 1 << 31:
        raise Problem("InvalidSize", f"spec.size is {size!r}; it must be a whole number from 0 to 2147483647")
    wanted = deployment_of(memcached)
    path = f"/apis/apps/v1/namespaces/{memcached['metadata']['namespace']}/deployments"
    one = f"{path}/{memcached['metadata']['name']}"
    try:
        if deployment is None:
            try:
                return await api.call("POST", path, wanted, fieldManager=MANAGER)
            except Refused as refused:
                if refused.code != 409:
                    raise
                deployment = await api.call("GET", one)  # the index is late, or it lacks our label
        check_owner(deployment, memcached)
        if "deletionTimestamp" in deployment["metadata"] or holds(deployment, wanted):
            return deployment
        return await api.call("PATCH", one, wanted, "application/apply-patch+yaml", fieldManager=MANAGER, force="true")
    except (Refused, aiohttp.ClientError, TimeoutError) as error:
        raise Problem("ApplyFailed", f"the Deployment could not be written: {error}", again=True) from error


def pod_of(body):
    """What of a pod counts: its name, whether it serves, and what keeps it from starting."""
    meta, status = body["metadata"], body.get("status", {})
    conditions = {c["type"]: c for c in status.get("conditions", [])}
    trouble = ""
    if conditions.get("PodScheduled", {}).get("status") == "False":
        trouble = "it cannot be scheduled: " + conditions["PodScheduled"].get("message", "")
    for container in status.get("containerStatuses", []):
        waiting = container["state"].get("waiting", {})
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
    if state.get("observedGeneration") == deployment["metadata"]["generation"] and counts == {size}:
        return "AllReplicasReady", message
    troubles = sorted(f": pod {pod['name']}: {pod['trouble']}" for pod in pods if pod["trouble"])
    message += troubles[0] if troubles else ""
    for condition in state.get("conditions", []):
        if (condition["type"], condition["status"]) in (("ReplicaFailure", "True"), ("Progressing", "False")):
            return condition["type"], f"{message}: {condition['message']}"
    return "PodsCannotStart" if troubles else "ReplicasNotReady", message


def status_of(memcached, deployment, pods, problem):
    """The whole status; the time of the condition is that of the last change of its truth."""
    generation = memcached["metadata"]["generation"]
    nodes = sorted(pod["name"] for pod in pods if pod["ready"])
    reason, message = condition_of(memcached["spec"].get("size"), deployment, pods, nodes, problem)
    ready = "True" if reason == "AllReplicasReady" else "False"
    before = {c["type"]: c for c in memcached.get("status", {}).get("conditions", [])}.get("Ready", {})
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "nodes": nodes,
        "observedGeneration": generation,
        "replicas": (deployment or {}).get("status", {}).get("replicas", 0),
        "selector": f"{INSTANCE}={instance(memcached['metadata']['name'])},{MANAGED_BY}={MANAGER}",
        "conditions": [{
            "type": "Ready", "status": ready, "reason": reason, "message": message, "observedGeneration": generation,
            "lastTransitionTime": before["lastTransitionTime"] if before.get("status") == ready else now,
        }],
    }


def newest(*objects):
    """Of what is known of an object the newest."""
    return max((o for o in objects if o is not None), key=lambda o: int(o["metadata"]["resourceVersion"]), default=None)
