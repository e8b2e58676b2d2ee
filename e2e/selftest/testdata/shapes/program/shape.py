"""Keeps what shape.json says for each custom resource: children, a finalizer, conditions."""
import json, os, queue, re, ssl, threading, time, urllib.error, urllib.request

SECRETS = "/var/run/secrets/kubernetes.io/serviceaccount/"
API = "https://{KUBERNETES_SERVICE_HOST}:{KUBERNETES_SERVICE_PORT}".format(**os.environ)
TLS = ssl.create_default_context(cafile=SECRETS + "ca.crt")
SHAPE = json.load(open("/shape/shape.json"))
CUSTOMS, FINALIZER = SHAPE["customs"], SHAPE.get("finalizer")  # CUSTOMS: apis/GROUP/VERSION/PLURAL
MANAGER = "?fieldManager=shape&force=true"
pending, waiting = queue.Queue(), set()  # namespace and name of what is to be looked at
applied = {}  # by path: what was applied last, and the version that it is in since


def ask(path, method="GET", body=None):
    request = urllib.request.Request(f"{API}/{path}", method=method, data=body and json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + open(SECRETS + "token").read())
    request.add_header("Content-Type", "application/apply-patch+yaml")
    return urllib.request.urlopen(request, context=TLS, timeout=30)


def at(collection, namespace, name=""):
    root, plural = collection.rsplit("/", 1)
    return f"{root}/namespaces/{namespace}/{plural}/{name}"


def fill(template, cr):
    """Puts what a custom resource says in the place of {its.path}."""
    if isinstance(template, dict):
        return {key: fill(value, cr) for key, value in template.items()}
    if isinstance(template, list):
        return [fill(value, cr) for value in template]
    if not isinstance(template, str):
        return template

    def value(path):
        found = cr
        for key in path.group(1).split("."):
            found = found[key]
        return found
    whole = re.fullmatch(r"{([\w.]+)}", template)
    return value(whole) if whole else re.sub(r"{([\w.]+)}", lambda path: str(value(path)), template)


def wanted(child, cr):
    made, name = fill(child["object"], cr), cr["metadata"]["name"]
    made["metadata"] |= {"namespace": cr["metadata"]["namespace"], "labels": {"shape": name}}
    if child.get("owned", True):
        made["metadata"]["ownerReferences"] = [{"apiVersion": cr["apiVersion"], "kind": cr["kind"], "name": name,
                                                "uid": cr["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True}]
    return made


def apply_child(child, cr):
    made = wanted(child, cr)
    path = at(child["collection"], made["metadata"]["namespace"], made["metadata"]["name"])
    if os.environ.get("FAULT") == "never-down" and "replicas" in made.get("spec", {}):
        made["spec"]["replicas"] = max(made["spec"]["replicas"], (find(path) or made)["spec"]["replicas"])
    if os.environ.get("FAULT") == "at-once":
        made["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"] = "100%"
    if os.environ.get("FAULT") == "forgets":
        del made["spec"]["volumeClaimTemplates"]
        made["spec"]["template"]["spec"]["volumes"] = [{"name": "data", "emptyDir": {}}]
    last, live = applied.get(path), find(path)
    if os.environ.get("FAULT") == "notes-first" and live is not None:
        note = str(cr["metadata"]["generation"])
        if live["metadata"].get("annotations", {}).get("handled") == note:
            return live
        ask(path + "?fieldManager=notes", "PATCH", {"apiVersion": made["apiVersion"], "kind": made["kind"],
                                                    "metadata": {"name": made["metadata"]["name"], "annotations": {"handled": note}}}).close()
        time.sleep(5)  # a pod that is killed has two more seconds
    if last is None or live is None or last != (made, live["metadata"]["resourceVersion"]):
        live = json.load(ask(path + MANAGER, "PATCH", made))
        applied[path] = made, live["metadata"]["resourceVersion"]
    return live


def find(path):
    try:
        return json.load(ask(path))
    except urllib.error.HTTPError as refused:
        if refused.code != 404:
            raise


def reconcile(namespace, name):
    path = at(CUSTOMS, namespace, name)
    cr = find(path)
    if cr is None:
        return
    mine = {"apiVersion": cr["apiVersion"], "kind": cr["kind"], "metadata": {"name": name, "uid": cr["metadata"]["uid"]}}
    if "deletionTimestamp" in cr["metadata"]:
        if FINALIZER in cr["metadata"].get("finalizers", []) and not remove(cr):
            ask(path + MANAGER, "PATCH", mine).close()  # what is no longer applied is taken away
        return
    if FINALIZER and FINALIZER not in cr["metadata"].get("finalizers", []):
        mine["metadata"]["finalizers"] = [FINALIZER]
        ask(path + MANAGER, "PATCH", mine).close()
    if os.environ.get("FAULT") == "brittle" and " " in cr["spec"].get("image", ""):
        os._exit(1)
    if os.environ.get("FAULT") == "mute" and " " in cr["spec"].get("image", ""):
        return  # nothing is written, and nothing said
    children = [apply_child(child, cr) for child in SHAPE["children"]]
    if "condition" in SHAPE:
        report(path, cr, children)


def remove(cr):
    """Deletes the children, and returns those that are still there."""
    left = []
    for child in SHAPE["children"]:
        made = wanted(child, cr)
        path = at(child["collection"], made["metadata"]["namespace"], made["metadata"]["name"])
        is_there = find(path)
        if is_there and "deletionTimestamp" not in is_there["metadata"]:
            ask(path + "?propagationPolicy=Foreground", "DELETE").close()
        left += [path] if is_there else []
    return left


def report(path, cr, children):
    """Writes one condition: whether every child that runs pods runs those that are asked for."""
    def ready(child):
        asks, has = child["spec"]["replicas"], child.get("status", {})
        return has.get("observedGeneration") == child["metadata"]["generation"] and all(
            has.get(field, 0) == asks for field in ("replicas", "readyReplicas", "updatedReplicas"))
    are = all(ready(child) for child in children if "replicas" in child.get("spec", {}))
    before = {c["type"]: c for c in cr.get("status", {}).get("conditions", [])}.get(SHAPE["condition"], {})
    now = {"type": SHAPE["condition"], "status": str(are), "reason": "Complete" if are else "Progressing", "message": "",
           "observedGeneration": cr["metadata"]["generation"]}
    stamp = before.get("lastTransitionTime")
    now["lastTransitionTime"] = stamp if before.get("status") == now["status"] else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    if before != now:
        ask(f"{path}/status{MANAGER}", "PATCH", {"apiVersion": cr["apiVersion"], "kind": cr["kind"],
                                                 "metadata": {"name": cr["metadata"]["name"], "uid": cr["metadata"]["uid"]},
                                                 "status": {"conditions": [now]}}).close()


def add(what, name):
    key = what["metadata"]["namespace"], name
    if name and key not in waiting:
        waiting.add(key)
        pending.put(key)


def watch(collection):
    """Has the custom resource of each object looked at that is there, and then of each that changes, for 20 s at a time."""
    def name(what):
        return what["metadata"]["name"] if collection == CUSTOMS else what["metadata"].get("labels", {}).get("shape")
    while True:
        try:
            listed = json.load(ask(collection))
            for what in listed["items"]:
                add(what, name(what))
            print("watching", collection, flush=True)
            for line in ask(f"{collection}?watch=true&timeoutSeconds=20&resourceVersion={listed['metadata']['resourceVersion']}"):
                change = json.loads(line)
                if change["type"] == "ERROR":
                    break
                add(change["object"], name(change["object"]))
        except OSError as problem:
            print(collection, problem, flush=True)
            time.sleep(1)


def work():
    while True:
        key = pending.get()
        waiting.discard(key)
        try:
            reconcile(*key)
        except OSError as problem:  # the next list tries again
            text = problem.read().decode() if isinstance(problem, urllib.error.HTTPError) else ""
            print(*key, problem, text, flush=True)


for collection in sorted({CUSTOMS} | {child["collection"] for child in SHAPE["children"]}):
    threading.Thread(target=watch, args=(collection,)).start()
work()
