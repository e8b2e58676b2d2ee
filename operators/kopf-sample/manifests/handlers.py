"""What Kopf's walkthrough comes to for a Memcached: one handler creates, one updates, and what the first returns is kept in the status."""
import kopf
import kubernetes

from deployment import deployment_of


@kopf.on.create("memcacheds")
def create_fn(spec, name, namespace, logger, **_):
    size = spec.get("size")
    if not size:
        raise kopf.PermanentError(f"a Memcached needs a size, and has {size!r}")
    deployment = deployment_of(name, size)
    kopf.adopt(deployment)
    created = kubernetes.client.AppsV1Api().create_namespaced_deployment(namespace, deployment)
    logger.info("created Deployment %s", created.metadata.name)
    return {"deployment-name": created.metadata.name}


@kopf.on.update("memcacheds")
def update_fn(spec, status, namespace, logger, **_):
    size = spec.get("size")
    if not size:
        raise kopf.PermanentError(f"a Memcached needs a size, and has {size!r}")
    name = status["create_fn"]["deployment-name"]
    kubernetes.client.AppsV1Api().patch_namespaced_deployment(name, namespace, {"spec": {"replicas": size}})
    logger.info("resized Deployment %s", name)
