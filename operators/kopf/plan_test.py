"""Tests of manifests/plan.py and manifests/known.py; plan_test.go runs them."""
import asyncio
import copy
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "manifests"))

import known  # noqa: E402
import plan  # noqa: E402


def memcached(size=2, **status):
    return {"kind": "Memcached", "metadata": {"name": "m", "namespace": "n", "uid": "u", "generation": 3}, "spec": {"size": size}, "status": status}


def deployment(size=2, **status):
    """As the API server has it: with more than was asked for."""
    live = plan.deployment_of(memcached(size))
    live["metadata"] |= {"generation": 1, "resourceVersion": "9", "ownerReferences": [{"kind": "Memcached", "name": "m", "uid": "u", "controller": True}]}
    live["spec"] |= {"revisionHistoryLimit": 10}
    live["status"] = {"observedGeneration": 1, "replicas": size, "updatedReplicas": size, "readyReplicas": size} | status
    return live


def pods(*names):
    return [{"name": name, "ready": True, "trouble": ""} for name in names]


class Plan(unittest.TestCase):
    def test_names_that_are_alike_are_told_apart(self):
        names = ["a", "a" * 63, "a" * 64, "a" * 250, "a" * 250 + "b"]
        self.assertEqual(len({plan.instance(name) for name in names}), len(names))
        self.assertTrue(all(len(plan.instance(name)) <= 63 for name in names))
        self.assertEqual(plan.instance("a" * 63), "a" * 63)

    def test_a_size_that_is_none(self):
        for size in (None, "3", 1.5, True, -1, 1 << 31):
            with self.assertRaisesRegex(plan.Problem, "spec.size is") as caught:
                plan.deployment_of(memcached(size))
            self.assertFalse(caught.exception.again)

    def test_drift(self):
        wanted = plan.deployment_of(memcached())
        for change, same in (
            (lambda d: None, True),
            (lambda d: d["spec"]["template"]["spec"]["containers"].insert(0, {"name": "side-car"}), True),
            (lambda d: d["metadata"]["labels"].update(more="yes"), True),
            (lambda d: d["spec"].update(replicas=9), False),
            (lambda d: d["spec"]["template"]["spec"]["containers"][0].update(image="other"), False),
            (lambda d: d["spec"]["template"]["spec"]["containers"][0]["command"].append("-vv"), False),
            (lambda d: d["metadata"].pop("labels"), False),
        ):
            live = copy.deepcopy(deployment())
            change(live)
            self.assertEqual(plan.holds(live, wanted), same)

    def test_whose_a_deployment_is(self):
        def owned(labels=True, **owner):
            live = deployment()
            live["metadata"]["ownerReferences"] = [{"kind": "Memcached", "name": "m", "uid": "u", "controller": True} | owner] if owner is not None else []
            if not labels:
                live["metadata"]["labels"] = {}
            return live
        plan.check_owner(owned(), memcached())
        plan.check_owner(owned(controller=False, uid="other"), memcached())  # an orphan of ours
        for live, reason in (
            (owned(uid="older"), "PredecessorDeleting"),
            (owned(uid="other", name="other"), "DeploymentNotOwned"),
            (owned(uid="other", kind="Rollout"), "DeploymentNotOwned"),
            (owned(labels=False, controller=False), "DeploymentNotOwned"),
        ):
            with self.assertRaises(plan.Problem) as caught:
                plan.check_owner(live, memcached())
            self.assertEqual(caught.exception.reason, reason)

    def test_the_condition(self):
        pulling = {"name": "b", "ready": False, "trouble": "image x cannot be pulled (ImagePullBackOff)"}
        stuck = {"type": "Progressing", "status": "False", "message": "too slow"}
        for live, of, problem, reason, message in (
            (deployment(), pods("a", "b"), None, "AllReplicasReady", "2 of 2 pods are ready"),
            (deployment(), pods("a"), None, "ReplicasNotReady", "1 of 2 pods are ready"),
            (deployment(observedGeneration=0), pods("a", "b"), None, "ReplicasNotReady", "2 of 2 pods are ready"),
            (deployment(updatedReplicas=1), pods("a", "b"), None, "ReplicasNotReady", "2 of 2 pods are ready"),
            (deployment(), pods("a") + [pulling], None, "PodsCannotStart", "1 of 2 pods are ready: pod b: image x cannot be pulled (ImagePullBackOff)"),
            (deployment(conditions=[stuck]), [], None, "Progressing", "0 of 2 pods are ready: too slow"),
            (None, [], plan.Problem("ApplyFailed", "why"), "ApplyFailed", "why"),
        ):
            status = plan.status_of(memcached(), live, of, problem)
            condition, = status["conditions"]
            self.assertEqual((condition["reason"], condition["message"]), (reason, message))
            self.assertEqual(condition["status"], "True" if reason == "AllReplicasReady" else "False")
            self.assertEqual((status["observedGeneration"], condition["observedGeneration"]), (3, 3))

    def test_the_time_moves_with_the_truth_alone(self):
        before = plan.status_of(memcached(), deployment(), pods("a"), None)
        before["conditions"][0]["lastTransitionTime"] = "2026-01-01T00:00:00Z"
        waiting = plan.status_of(memcached(**before), deployment(), [], None)
        self.assertEqual(waiting["conditions"][0]["lastTransitionTime"], "2026-01-01T00:00:00Z")
        ready = plan.status_of(memcached(**before), deployment(), pods("b", "a"), None)
        self.assertNotEqual(ready["conditions"][0]["lastTransitionTime"], "2026-01-01T00:00:00Z")
        self.assertEqual(ready["nodes"], ["a", "b"])
        self.assertEqual(plan.status_of(memcached(**ready), deployment(), pods("a", "b"), None), ready, "nothing to write")

    def test_pods(self):
        def pod(**status):
            return {"metadata": {"name": "a"}, "status": status}
        def waiting(reason):
            return pod(containerStatuses=[{"name": "c", "image": "x", "state": {"waiting": {"reason": reason}}}])
        ready = pod(conditions=[{"type": "Ready", "status": "True"}])
        self.assertEqual(plan.pod_of(ready), {"name": "a", "ready": True, "trouble": ""})
        ready["metadata"]["deletionTimestamp"] = "now"
        self.assertFalse(plan.pod_of(ready)["ready"])
        for body, trouble in (
            (waiting("ContainerCreating"), ""),
            (waiting("ErrImagePull"), "image x cannot be pulled (ImagePullBackOff)"),
            (waiting("CrashLoopBackOff"), "container c: CrashLoopBackOff"),
            (pod(conditions=[{"type": "PodScheduled", "status": "False", "message": "no node"}]), "it cannot be scheduled: no node"),
        ):
            self.assertEqual(plan.pod_of(body)["trouble"], trouble)

    def test_the_newest(self):
        older, newer = ({"metadata": {"resourceVersion": version}} for version in ("9", "10"))
        self.assertIs(plan.newest(None, newer, older), newer)
        self.assertIsNone(plan.newest(None))


class Children(unittest.TestCase):
    def test_what_is_gone(self):
        """As after the end of a watch: the index goes on to have what the next list has not."""
        index = {"m": [("old", "deployment"), ("kept", "deployment, too")], "n": [("other", "of another")]}
        children = known.Known(index, "m")
        self.assertEqual(list(children), ["deployment", "deployment, too"])

        async def existing():
            index["m"].append(("new", "made meanwhile"))
            return {"kept"}
        asyncio.run(known.check([children, known.Known(index, "none")], existing()))
        self.assertEqual(list(children), ["deployment, too", "made meanwhile"])
        self.assertEqual(list(known.Known(index, "n")), ["of another"])
        self.assertEqual(list(known.Known(index, "none")), [])


if __name__ == "__main__":
    unittest.main()
