"""When a Memcached is looked at: every five seconds, whatever happens."""
import kopf

import children  # its handlers
import settings  # the same
from cluster import settle
from plan import Problem, instance, newest, status_of


@kopf.timer("memcacheds", interval=5)
async def reconcile(body, namespace, name, memo, patch, deployments: kopf.Index, pods: kopf.Index, logger, **_):
    deployment = newest(*deployments.get((namespace, name), []))
    problem = None
    try:
        deployment = await settle(body, deployment, memo.api)
    except Problem as why:
        problem = why
    status = status_of(body, deployment, list(pods.get((namespace, instance(name)), [])), problem)
    if status != dict(body.status):
        patch.status.update(status)
        if problem:
            logger.warning(str(problem))
            kopf.warn(body, reason=problem.reason, message=str(problem))
