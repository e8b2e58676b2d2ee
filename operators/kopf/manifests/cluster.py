"""The writes of this operator: Kopf has no client for its users."""
import ssl

import aiohttp
import kopf

from plan import INSTANCE, MANAGER, Problem, check_owner, deployment_of, holds, instance

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"


class Refused(Exception):
    """What the API server answered."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class API:
    """A session with the API server."""

    async def __aenter__(self):
        trusted = ssl.create_default_context(cafile=ACCOUNT + "ca.crt")
        self.session = aiohttp.ClientSession(
            "https://kubernetes.default.svc", connector=aiohttp.TCPConnector(ssl=trusted, limit=0),
            timeout=aiohttp.ClientTimeout(total=30))
        return self

    async def __aexit__(self, *_):
        await self.session.close()

    async def call(self, method, path, body=None, kind="application/json", **query):
        with open(ACCOUNT + "token") as token:  # the kubelet renews it
            headers = {"Authorization": "Bearer " + token.read(), "Content-Type": kind}
        async with self.session.request(method, path, json=body, headers=headers, params=query) as reply:
            answer = await reply.json(content_type=None)
            if reply.status >= 400:
                raise Refused(reply.status, answer.get("message", str(answer)))
            return answer

    async def children_of(self, memcached):
        """Returns the UIDs of a Memcached's Deployment and pods."""
        meta = memcached["metadata"]
        namespace, name = meta["namespace"], meta["name"]
        try:
            deployments = await self.call("GET", f"/apis/apps/v1/namespaces/{namespace}/deployments", fieldSelector=f"metadata.name={name}")
            pods = await self.call("GET", f"/api/v1/namespaces/{namespace}/pods", labelSelector=f"{INSTANCE}={instance(name)}")
        except (Refused, aiohttp.ClientError, TimeoutError) as error:
            raise Problem("ChildrenNotRead", f"Deployment and pods could not be read: {error}", again=True) from error
        return {item["metadata"]["uid"] for item in deployments["items"] + pods["items"]}

    async def write_status(self, memcached, status):
        """Returns the Memcached with its new status; nothing if it is gone, or its definition has no status."""
        meta = memcached["metadata"]
        path = f"/apis/cache.example.com/v1alpha1/namespaces/{meta['namespace']}/memcacheds/{meta['name']}/status"
        try:
            return await self.call("PATCH", path, {"status": status}, "application/merge-patch+json")
        except (Refused, aiohttp.ClientError, TimeoutError) as error:
            if getattr(error, "code", None) == 404:
                return None
            raise Problem("StatusNotWritten", f"the status could not be written: {error}", again=True) from error


async def settle(memcached, deployment, api):
    """Brings the Deployment to what is asked for, and returns it."""
    wanted = deployment_of(memcached)
    kopf.adopt(wanted, owner=memcached)
    path = f"/apis/apps/v1/namespaces/{memcached['metadata']['namespace']}/deployments"
    one = f"{path}/{memcached['metadata']['name']}"
    try:
        if deployment is None:
            try:
                return await api.call("POST", path, wanted, fieldManager=MANAGER)
            except Refused as refused:
                if refused.code != 409:
                    raise
                deployment = await api.call("GET", one)  # the index is late, or it lacks our label
        check_owner(deployment, memcached)
        if "deletionTimestamp" in deployment["metadata"] or holds(deployment, wanted):
            return deployment
        return await api.call("PATCH", one, wanted, "application/apply-patch+yaml", fieldManager=MANAGER, force="true")
    except (Refused, aiohttp.ClientError, TimeoutError) as error:
        raise Problem("ApplyFailed", f"the Deployment could not be written: {error}", again=True) from error
