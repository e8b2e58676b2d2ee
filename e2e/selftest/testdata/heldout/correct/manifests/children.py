"""The children of all Memcacheds, in memory, and the session with the API server that writes them."""
import kopf

from cluster import API
from plan import INSTANCE, MANAGED_BY, MANAGER, pod_of


@kopf.on.startup()
async def connect(memo, **_):
    memo.api = await API().__aenter__()


@kopf.on.cleanup()
async def close(memo, **_):
    await memo.api.__aexit__()


@kopf.index("deployments.apps", labels={MANAGED_BY: MANAGER})
def deployments(namespace, name, uid, body, **_):
    return {(namespace, name): (uid, dict(body))}


@kopf.index("pods", labels={MANAGED_BY: MANAGER, INSTANCE: kopf.PRESENT})
def pods(namespace, labels, uid, body, **_):
    return {(namespace, labels[INSTANCE]): (uid, pod_of(body))}
