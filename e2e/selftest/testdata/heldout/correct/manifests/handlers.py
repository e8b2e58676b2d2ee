"""When a Memcached is looked at: at first, whenever it or one of its children changes, and every five minutes; what is not ready
and does not change, once after ten seconds, too.

As Kopf's page on reconciliation has it: children are kept in indices, and a daemon beside each Memcached
waits until it is woken.
"""
import asyncio
import contextlib
import weakref

import kopf

import children  # its handlers
import settings  # the same
from backoffs import LONGEST, Backoffs
from cluster import Gone, settle
from known import Known, check
from plan import GROUP, INSTANCE, VERSION, Problem, differs, instance, is_ready, newest, status_of

SAFETY_NET = 300  # seconds: Kopf repairs nothing by level


@kopf.on.startup()
async def remember(memo, **_):
    memo.woken = weakref.WeakValueDictionary()  # by namespace and instance, as long as the daemon runs


# An indexer is not called for what is deleted, and its index changes after it; these are called for all, and then.
@kopf.on.event(GROUP, VERSION, "memcacheds")
@kopf.on.event("deployments.apps")
async def wake(namespace, name, memo, **_):
    if woken := memo.woken.get((namespace, instance(name))):
        woken.set()


@kopf.on.event("pods")
async def wake_grandparent(namespace, labels, memo, **_):
    if woken := memo.woken.get((namespace, labels.get(INSTANCE))):
        woken.set()


@kopf.daemon(GROUP, VERSION, "memcacheds", cancellation_timeout=1)
async def reconcile(body, namespace, name, memo, deployments: kopf.Index, pods: kopf.Index, stopped, logger, **_):
    """Reconciles whenever it is woken. It ends by itself only if its Memcached is gone, so that it writes its status itself:
    Kopf does so for a daemon that has ended."""
    woken = memo.woken[namespace, instance(name)] = asyncio.Event()
    its_deployment, its_pods = Known(deployments, (namespace, name)), Known(pods, (namespace, instance(name)))
    memcached, written, told, backoffs, quiet, blocked = None, None, None, None, False, False
    while not stopped:
        woken.clear()
        memcached = newest(memcached, dict(body))
        deployment, problem = newest(*its_deployment), None
        try:
            if quiet:
                await check([its_deployment, its_pods], memo.api.children_of(memcached))
                deployment = newest(*its_deployment)
            deployment = written = await settle(memcached, deployment and newest(deployment, written), memo.api, look=blocked)
        except Problem as why:
            problem = why
        blocked = problem is not None and problem.foreign  # what is there is not ours, and does not count
        status = status_of(memcached, None if blocked else deployment, [] if blocked else list(its_pods), problem)
        if differs(memcached, status):
            try:
                memcached = await memo.api.write_status(memcached, status)
            except Gone:  # without Kopf's finalizer, which it had not got yet
                return
            except Problem as why:
                problem = problem or why
        if problem and str(problem) != told:
            logger.warning(str(problem))
            kopf.warn(body, reason=problem.reason, message=str(problem))
        told = problem and str(problem)
        backoffs = (backoffs or iter(Backoffs())) if problem and problem.again else None
        if backoffs:
            pause = next(backoffs)
        elif blocked:  # no event tells that a Deployment without our label is gone
            pause = LONGEST
        else:
            pause = SAFETY_NET if quiet or is_ready(status) else LONGEST
        quiet = quiet or not backoffs
        with contextlib.suppress(TimeoutError):  # asyncio.wait_for of Python 3.11 can lose a cancellation
            async with asyncio.timeout(pause):
                await woken.wait()
                quiet = False
