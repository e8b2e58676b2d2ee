"""When a Memcached is looked at: every five seconds, whatever happens."""
import kopf

import children  # its handlers
import settings  # the same
from backoffs import LONGEST
from cluster import settle
from known import Known, check
from plan import Problem, instance, is_ready, newest, status_of

EACH = 5  # seconds
SAFETY_NET = 300  # seconds until the children of a Memcached that is ready are read, and not only looked up


@kopf.timer("memcacheds", interval=EACH)
async def reconcile(body, namespace, name, memo, patch, deployments: kopf.Index, pods: kopf.Index, logger, **_):
    if "quiet" not in memo:  # what is remembered of this Memcached alone
        memo.deployment, memo.pods, memo.quiet = Known(deployments, (namespace, name)), Known(pods, (namespace, instance(name))), 0
    deployment, problem = newest(*memo.deployment), None
    try:
        if memo.quiet == LONGEST and not is_ready(body.status) or memo.quiet == SAFETY_NET:
            await check([memo.deployment, memo.pods], memo.api.children_of(body))
            deployment = newest(*memo.deployment)
        deployment = await settle(body, deployment, memo.api)
    except Problem as why:
        problem = why
    status = status_of(body, deployment, list(memo.pods), problem)
    memo.quiet = memo.quiet % SAFETY_NET + EACH if status == dict(body.status) else 0
    if status != dict(body.status):
        patch.status.update(status)
        if problem:
            logger.warning(str(problem))
            kopf.warn(body, reason=problem.reason, message=str(problem))
