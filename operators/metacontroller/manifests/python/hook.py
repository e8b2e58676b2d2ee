"""The hook of the Memcached controller: says what Deployment and what status a Memcached must have. It decides and
touches nothing; Metacontroller watches and writes. Answers are made of the request alone, but for the time of a change."""
import hashlib
import json
import signal
import sys
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MOST = 2**31 - 1  # of spec.replicas


def labels_of(name):
    """The labels that select the pods of one Memcached. A value has at most 63 letters; a longer name is told apart by a hash."""
    if len(name) > 63:
        name = name[:52] + "-" + hashlib.sha256(name.encode()).hexdigest()[:10]
    return {"app": "memcached", "app.kubernetes.io/instance": name}


def customize(request):
    """The pods are nobody's children here, but the status names them. The rule may depend on the name alone: Metacontroller
    keeps the answer under name and generation, also for a namesake in another namespace, or one that was made anew."""
    selector = {"matchLabels": labels_of(request["parent"]["metadata"]["name"])}
    return {"relatedResources": [{"apiVersion": "v1", "resource": "pods", "labelSelector": selector}]}


def sync(request):
    parent = request["parent"]
    name = parent["metadata"]["name"]
    child = request["children"]["Deployment.apps/v1"].get(name)
    pods = [pod for pod in request["related"].get("Pod.v1", {}).values() if child and is_of(child, pod)]
    nodes = sorted(pod["metadata"]["name"] for pod in pods if is_ready(pod))
    size, problem = size_of(parent)
    if problem:  # what runs goes on running
        ready = ("False", "InvalidSize", problem)
        children = [deployment(name, child["spec"]["replicas"])] if child else []
    else:
        ready = readiness(size, child, pods, len(nodes))
        children = [deployment(name, size)]
    status = {
        "nodes": nodes,
        "selector": ",".join(f"{key}={value}" for key, value in labels_of(name).items()),
        "conditions": with_ready(parent.get("status", {}).get("conditions", []), *ready),
    }  # No number: Metacontroller would write a status with one again at every look. It adds observedGeneration.
    return {"status": status, "children": children}


def size_of(parent):
    """The wanted number of pods, or what is wrong with it."""
    size = parent.get("spec", {}).get("size")
    if size is None:
        return 0, "spec.size is missing"
    if type(size) is not int or not 0 <= size <= MOST:
        return 0, f"spec.size must be a whole number from 0 to {MOST}, not {json.dumps(size)}"
    return size, None


def deployment(name, replicas):
    """Only what is wanted: what the API server adds by default is not there, nor spelt otherwise than it would be, since
    Metacontroller writes again whatever differs."""
    labels = labels_of(name)
    container = {
        "name": "memcached",
        "image": "docker.io/library/memcached:1.6.18",
        "imagePullPolicy": "IfNotPresent",
        "command": ["memcached", "--memory-limit=64", "-o", "modern", "-v"],
        "ports": [{"containerPort": 11211}],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    pod = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 11211, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def is_of(child, pod):
    """A ReplicaSet is named after its Deployment and the hash that it labels its pods with."""
    meta = pod["metadata"]
    wanted = f"{child['metadata']['name']}-{meta.get('labels', {}).get('pod-template-hash', '')}"
    return any(o["kind"] == "ReplicaSet" and o["name"] == wanted and o.get("controller") for o in meta.get("ownerReferences", []))


def is_ready(pod):
    return "deletionTimestamp" not in pod["metadata"] and condition(pod, "Ready", "True") is not None


def condition(thing, kind, status):
    return next((c for c in thing.get("status", {}).get("conditions", []) if (c["type"], c["status"]) == (kind, status)), None)


def readiness(size, child, pods, ready):
    """Status, reason and message of the condition Ready."""
    if child is None:
        return "False", "ReplicasNotReady", "the Deployment does not exist yet; if it stays away, look at the events"
    if "deletionTimestamp" in child["metadata"]:
        return "False", "DeploymentDeleting", "the Deployment is being deleted; it is made again when it is gone"
    message = f"{ready} of {size} pods are ready"
    status = child.get("status", {})
    counts = {status.get(field, 0) for field in ("replicas", "updatedReplicas", "readyReplicas")} | {ready}
    if status.get("observedGeneration", 0) >= child["metadata"]["generation"] and counts == {size}:
        return "True", "AllReplicasReady", message
    if failure := condition(child, "ReplicaFailure", "True"):
        return "False", "ReplicaFailure", f"{message}: {failure['message']}"
    for pod in sorted(pods, key=lambda pod: pod["metadata"]["name"]):
        if why := trouble(pod):
            return "False", "PodsCannotStart", f"{message}: pod {pod['metadata']['name']}: {why}"
    return "False", "ReplicasNotReady", message


def trouble(pod):
    """Why a pod cannot start, in words that stay the same while the kubelet tries again."""
    if "deletionTimestamp" in pod["metadata"]:
        return None
    if unscheduled := condition(pod, "PodScheduled", "False"):
        return "it cannot be scheduled: " + unscheduled.get("message", "")
    for container in pod.get("status", {}).get("containerStatuses", []):
        reason = container.get("state", {}).get("waiting", {}).get("reason", "")
        if reason in ("ErrImagePull", "ImagePullBackOff"):  # which take turns
            return f"image {container['image']} cannot be pulled (ImagePullBackOff)"
        if reason not in ("", "ContainerCreating", "PodInitializing"):
            return f"container {container['name']}: {reason}"
    return None


def with_ready(conditions, status, reason, message):
    """The conditions with Ready among them; its time of transition moves only with its status."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    since = next((c["lastTransitionTime"] for c in conditions if (c["type"], c["status"]) == ("Ready", status)), now)
    ready = {"type": "Ready", "status": status, "reason": reason, "message": message, "lastTransitionTime": since}
    if all(c["type"] != "Ready" for c in conditions):
        return conditions + [ready]
    return [ready if c["type"] == "Ready" else c for c in conditions]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # a connection serves many requests
    wbufsize = -1  # headers and body go out at once; otherwise the second waits for the first to be acknowledged

    def do_GET(self):
        self.answer(200, b"ok\n")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        hook = {"/customize": customize, "/sync": sync}.get(self.path)
        if hook is None:
            self.answer(404, b"no such hook\n")
            return
        try:
            self.answer(200, json.dumps(hook(json.loads(body))).encode())
        except (ValueError, KeyError, TypeError, AttributeError) as wrong:  # Metacontroller tells the Memcached and tries again
            traceback.print_exc()
            self.answer(500, f"{type(wrong).__name__}: {wrong}\n".encode())

    def answer(self, code, body):
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code="-", size="-"):
        """A line for what is refused alone."""
        if code != 200:
            super().log_request(code, size)


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # five is the default


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    server = Server(("", int(sys.argv[1])), Handler)
    print("serving on port", server.server_port, flush=True)
    server.serve_forever()
