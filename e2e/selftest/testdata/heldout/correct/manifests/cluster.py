"""The reads and writes of this operator: Kopf has no client for its users."""
import json
import ssl

import aiohttp

from plan import GROUP, INSTANCE, MANAGER, VERSION, Problem, check_owner, deployment_of, holds, instance, is_owned, others_conditions

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/"


class Refused(Exception):
    """What the API server answered, and the name of the object that it answered of."""

    def __init__(self, code, message, name=None):
        super().__init__(message)
        self.code, self.name = code, name


class Gone(Exception):
    """The Memcached is no more."""


FAILED = (Refused, aiohttp.ClientError, OSError)  # which TimeoutError is, too


def path_of(memcached):
    meta = memcached["metadata"]
    return f"/apis/{GROUP}/{VERSION}/namespaces/{meta['namespace']}/memcacheds/{meta['name']}"


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
            text = await reply.text(errors="replace")
            try:
                answer = json.loads(text)
            except ValueError:  # of an overloaded API server, or of a proxy
                answer = None
            if not isinstance(answer, dict):
                raise Refused(reply.status, f"{reply.status} {reply.reason}: {text[:200]}")
            if reply.status >= 400:
                raise Refused(reply.status, answer.get("message") or str(answer), (answer.get("details") or {}).get("name"))
            return answer

    async def find(self, path):
        try:
            return await self.call("GET", path)
        except Refused as refused:
            if refused.code != 404:
                raise
            return None

    async def children_of(self, memcached):
        """Returns the UIDs of a Memcached's Deployment and pods."""
        meta = memcached["metadata"]
        namespace, name = meta["namespace"], meta["name"]
        try:
            deployments = await self.call("GET", f"/apis/apps/v1/namespaces/{namespace}/deployments", fieldSelector=f"metadata.name={name}")
            pods = await self.call("GET", f"/api/v1/namespaces/{namespace}/pods", labelSelector=f"{INSTANCE}={instance(name)}")
        except FAILED as error:
            raise Problem("ChildrenNotRead", f"Deployment and pods could not be read: {error}", again=True) from error
        return {item["metadata"]["uid"] for item in deployments["items"] + pods["items"]}

    async def may_adopt(self, memcached):
        """Says whether a Memcached is still there and not about to go, which may let go its Deployment on purpose."""
        meta = (await self.call("GET", path_of(memcached)))["metadata"]
        return meta["uid"] == memcached["metadata"]["uid"] and "deletionTimestamp" not in meta

    async def write_status(self, memcached, status):
        """Returns the Memcached with its new status."""
        patch = {"status": status}
        if others_conditions(memcached):  # a patch replaces the whole list, so nothing may have changed in it
            patch["metadata"] = {"resourceVersion": memcached["metadata"]["resourceVersion"]}
        try:
            answer = await self.call("PATCH", path_of(memcached) + "/status", patch, "application/merge-patch+json", fieldManager=MANAGER)
        except FAILED as error:
            code = getattr(error, "code", None)
            if code == 404 and error.name == memcached["metadata"]["name"]:
                raise Gone from error
            if code == 409 and "metadata" in patch:
                return memcached  # somebody else wrote; the event of that wakes
            raise Problem("StatusNotWritten", f"the status could not be written: {error}", again=True) from error
        if answer["metadata"]["uid"] != memcached["metadata"]["uid"]:  # a new one of the same name
            raise Gone
        return answer


async def settle(memcached, deployment, api, look=False):
    """Brings the Deployment to what is asked for, and returns it. With look, an unknown Deployment is looked for first."""
    wanted = deployment_of(memcached)
    path = f"/apis/apps/v1/namespaces/{memcached['metadata']['namespace']}/deployments"
    one = f"{path}/{memcached['metadata']['name']}"
    try:
        if deployment is None and look:
            deployment = await api.find(one)
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
        if not is_owned(deployment, memcached) and not await api.may_adopt(memcached):
            return deployment
        return await api.call("PATCH", one, wanted, "application/apply-patch+yaml", fieldManager=MANAGER, force="true")
    except FAILED as error:
        raise Problem("ApplyFailed", f"the Deployment could not be written: {error}", again=True) from error
