"""A Deployment for each Memcached: a handler for each cause, as Kopf's pages for beginners have it."""
import kopf
import kubernetes

from deployment import deployment_of


@kopf.on.create("memcacheds")
def create(name, namespace, spec, **_):
    deployment = deployment_of(name, spec["size"])
    kopf.adopt(deployment)  # the owner reference, by which the garbage collector deletes it
    kubernetes.client.AppsV1Api().create_namespaced_deployment(namespace, deployment)


@kopf.on.resume("memcacheds")
@kopf.on.update("memcacheds")
def update(name, namespace, spec, **_):
    kubernetes.client.AppsV1Api().patch_namespaced_deployment(name, namespace, deployment_of(name, spec["size"]))
