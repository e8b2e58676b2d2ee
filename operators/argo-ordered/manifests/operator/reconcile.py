"""Makes the Deployment of one Memcached what the Memcached asks for now.

The event said only which one. What it asks for is read here, so that a late or a
repeated run does no harm.
"""
import json
import ssl
import sys
import urllib.error
import urllib.request

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"
REFUSED = 2  # the exit status that is not tried again


def call(method, path, body=None):
    request = urllib.request.Request("https://kubernetes.default.svc" + path, method=method)
    with open(ACCOUNT + "token") as token:
        request.add_header("Authorization", "Bearer " + token.read())
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/apply-patch+yaml")
    trusted = ssl.create_default_context(cafile=ACCOUNT + "ca.crt")
    with urllib.request.urlopen(request, context=trusted, timeout=10) as reply:
        return json.load(reply)


def deployment_of(memcached):
    meta = memcached["metadata"]
    labels = {"app": "memcached", "app.kubernetes.io/instance": meta["name"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "labels": labels,
            "ownerReferences": [{
                "apiVersion": memcached["apiVersion"], "kind": memcached["kind"],
                "name": meta["name"], "uid": meta["uid"],
                "controller": True, "blockOwnerDeletion": True,
            }],
        },
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


def reconcile(namespace, name):
    try:
        memcached = call("GET", f"/apis/cache.example.com/v1alpha1/namespaces/{namespace}/memcacheds/{name}")
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return  # its Deployment goes with it: it is the owner
        raise
    if "deletionTimestamp" in memcached["metadata"]:
        return
    call("PATCH", f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}?fieldManager=memcached-operator&force=true",
         deployment_of(memcached))


def main(namespace, name):
    try:
        reconcile(namespace, name)
    except urllib.error.HTTPError as error:
        # The last lines become the message of the Workflow's step.
        print(f"Memcached {namespace}/{name}: {json.load(error).get('message', error)}")
        sys.exit(REFUSED if error.code == 422 else 1)
    except KeyError as missing:
        print(f"Memcached {namespace}/{name} has no {missing}")
        sys.exit(REFUSED)


main(*sys.argv[1:])
