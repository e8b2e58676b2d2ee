"""Settles Memcacheds: their Deployments are what they ask for, their status is so.

settle.py NAMESPACE NAME settles one, settle.py "" "" all of them. Both are read here, so
that a late or a repeated run does no harm; and whatever was written between reading
and writing makes the write fail (409), and the step be tried again.
"""
import json
import ssl
import sys
import urllib.error
import urllib.request
from datetime import datetime, timezone

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"
MEMCACHEDS = "/apis/cache.example.com/v1alpha1"
INVALID = 2  # the exit status that is not tried again
CONFLICT = 3  # another turn, the safety net's say, has written meanwhile
TURNS = 5
SIZE = "cache.example.com/size"  # the annotation by which the Sensors tell drift from a change of size


def call(method, path, body=None, kind="application/json"):
    request = urllib.request.Request("https://kubernetes.default.svc" + path, method=method)
    with open(ACCOUNT + "token") as token:
        request.add_header("Authorization", "Bearer " + token.read())
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", kind)
    trusted = ssl.create_default_context(cafile=ACCOUNT + "ca.crt")
    with urllib.request.urlopen(request, context=trusted, timeout=10) as reply:
        return json.load(reply)


def get(path):
    try:
        return call("GET", path)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise


def deployment_of(memcached):
    meta = memcached["metadata"]
    labels = {"app": "memcached", "app.kubernetes.io/instance": meta["name"]}
    size = memcached["spec"]["size"]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "labels": labels,
            "annotations": {SIZE: str(size)},
            "ownerReferences": [{
                "apiVersion": memcached["apiVersion"], "kind": memcached["kind"],
                "name": meta["name"], "uid": meta["uid"],
                "controller": True, "blockOwnerDeletion": True,
            }],
        },
        "spec": {
            "replicas": size,
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


def holds(live, wanted):
    """Says whether all that is wanted is there; the API server adds defaults."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(holds(live.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(live, list) and len(live) == len(wanted) and all(map(holds, live, wanted))
    return live == wanted


def repair(live, wanted):
    """Brings the Deployment to what is wanted, and returns it."""
    meta = wanted["metadata"]
    path = f"/apis/apps/v1/namespaces/{meta['namespace']}/deployments"
    if live is None:
        return call("POST", path, wanted)
    if "deletionTimestamp" in live["metadata"]:
        return live  # made anew when it is gone
    if holds(live, wanted):
        return live
    meta["resourceVersion"] = live["metadata"]["resourceVersion"]
    return call("PATCH", f"{path}/{meta['name']}", wanted, "application/merge-patch+json")


def waiting(pods):
    """Says why containers cannot start, if any."""
    for pod in pods:
        for container in pod["status"].get("containerStatuses", []):
            why = container["state"].get("waiting", {})
            if why.get("reason", "ContainerCreating") != "ContainerCreating":
                return f"; {pod['metadata']['name']}: {why['reason']}: {why.get('message', '')}"
    return ""


def is_ready(pod):
    conditions = pod["status"].get("conditions", [])
    return "deletionTimestamp" not in pod["metadata"] and any(
        c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def status_of(memcached, deployment, pods, problem):
    size = memcached["spec"].get("size")
    nodes = sorted(pod["metadata"]["name"] for pod in pods if is_ready(pod))
    state = deployment.get("status", {}) if deployment else {}
    settled = state.get("observedGeneration") == (deployment or {}).get("metadata", {}).get("generation")
    ready = not problem and settled and len(nodes) == size == state.get("replicas", 0)
    message = problem or f"{len(nodes)} of {size} pods are ready{waiting(pods)}"
    condition = {
        "type": "Ready",
        "status": "True" if ready else "False",
        "reason": "AllReplicasReady" if ready else "NotApplied" if problem else "ReplicasNotReady",
        "message": message,
        "observedGeneration": memcached["metadata"]["generation"],
    }
    before = {c["type"]: c for c in memcached.get("status", {}).get("conditions", [])}.get("Ready", {})
    condition["lastTransitionTime"] = before.get("lastTransitionTime", "")
    if before.get("status") != condition["status"]:
        condition["lastTransitionTime"] = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = memcached["metadata"]["name"]
    return {
        "nodes": nodes,
        "observedGeneration": memcached["metadata"]["generation"],
        "replicas": state.get("replicas", 0),
        "selector": f"app=memcached,app.kubernetes.io/instance={name}",
        "conditions": [condition],
    }


def problem_of(error):
    return json.load(error).get("message", str(error))


def settle(namespace, name):
    """Settles one Memcached; returns why its Deployment could not be written, if so, and the exit status for it."""
    place = f"namespaces/{namespace}"
    live = get(f"/apis/apps/v1/{place}/deployments/{name}")  # before the Memcached: what comes between is a conflict
    memcached = get(f"{MEMCACHEDS}/{place}/memcacheds/{name}")
    if memcached is None or "deletionTimestamp" in memcached["metadata"]:
        return "", 0  # its Deployment goes with it
    problem, status = "", 0
    try:
        live = repair(live, deployment_of(memcached))
    except KeyError as missing:
        problem, status = f"spec has no {missing}", INVALID
    except urllib.error.HTTPError as error:
        problem, status = problem_of(error), {409: CONFLICT, 422: INVALID}.get(error.code, 1)
        if status == CONFLICT:
            return problem, status
    pods = call("GET", f"/api/v1/{place}/pods?labelSelector=app%3Dmemcached%2Capp.kubernetes.io%2Finstance%3D{name}")["items"]
    wanted = status_of(memcached, live, pods, problem)
    if memcached.get("status") != wanted:
        version = memcached["metadata"]["resourceVersion"]
        try:
            call("PATCH", f"{MEMCACHEDS}/{place}/memcacheds/{name}/status",
                 {"metadata": {"resourceVersion": version}, "status": wanted}, "application/merge-patch+json")
        except urllib.error.HTTPError as error:
            if error.code == 404:  # a definition without status
                return problem, status
            return problem or problem_of(error), status or (CONFLICT if error.code == 409 else 1)
    return problem, status


def main(namespace, name):
    which = [(namespace, name)]
    if not name:
        which = [(m["metadata"]["namespace"], m["metadata"]["name"]) for m in call("GET", f"{MEMCACHEDS}/memcacheds")["items"]]
    worst = 0
    for namespace, name in which:
        for _ in range(TURNS):
            problem, status = settle(namespace, name)
            if status != CONFLICT:
                break  # else all is read again
        if problem:
            # The last lines become the message of the Workflow's step.
            print(f"Memcached {namespace}/{name}: {problem}")
        worst = max(worst, status)
    sys.exit(worst)


main(*sys.argv[1:])
