package judge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// What nobody owns is garbage too, where the namespace is the sample's own.
func TestGarbageThatNobodyOwns(t *testing.T) {
	for name, test := range map[string]struct {
		left    thing
		want    spec.Outcome
		message string
	}{
		"a pod":        {owned(pod(7, "Running"), ""), spec.Fail, "there is still 1 pod: p7"},
		"a Deployment": {owned(deployment(1, 1, 1, 1).named("more", "d7"), ""), spec.Fail, "there is still 1 Deployment: more"},
		"the other's":  {otherPod(), spec.Pass, "no Deployment, ReplicaSet or pod was left"},
	} {
		t.Run(name, func(t *testing.T) {
			s := deleteStory(t, matrix("garbage"), beside(1))
			s.see(2410, "ADDED", otherDeployment(1, 1, 1))
			s.see(2410, "ADDED", otherSet())
			s.see(2420, "ADDED", other(1, 1))
			s.see(2420, "ADDED", test.left)
			s.end(4000, record.TimedOut)
			s.says("garbage", test.want, test.message)
		})
	}
}

// A custom resource may own more of its main child's kind: they are no garbage while it stays, and are once it is gone.
func TestGarbageBesideANamedChild(t *testing.T) {
	of := func(uid string) (proxy, set, member thing) {
		return owned(deployment(1, 1, 1, 1).named("a-proxy", "d7"), uid), owned(replicaSet().named("a-proxy-5d", "r7"), "d7"), owned(pod(7, "Running"), "r7")
	}
	for name, test := range map[string]struct {
		of      string
		change  func(*record.Sample)
		message string
	}{
		"of one that stays":               {"cr2", matrix("garbage"), "no Deployment, ReplicaSet or pod was left"},
		"of the one that is gone":         {"cr1", matrix("garbage"), "Deployment a-proxy is still there"},
		"of the one that is gone, timed":  {"cr1", func(b *record.Sample) { b.Expect = []string{"garbage"} }, "Deployment a-proxy is still there"},
		"of one that stays, of no matrix": {"cr2", func(b *record.Sample) { b.Expect = []string{"garbage"} }, "no Deployment, ReplicaSet or pod was left"},
	} {
		t.Run(name, func(t *testing.T) {
			s := deleteStory(t, test.change, beside(1))
			s.entries[0].Header.Styles[0].Child.Name = "{{.Name}}-deployment"
			s.see(2410, "ADDED", other(1, 1))
			s.see(2410, "ADDED", otherDeployment(1, 1, 1))
			proxy, set, member := of(test.of)
			s.see(2420, "ADDED", proxy)
			s.see(2420, "ADDED", set)
			s.see(2420, "ADDED", member)
			s.end(4000, record.TimedOut)
			assert.Contains(t, s.verdict("garbage").Message, test.message)
		})
	}
}

// A custom resource that stays may have another child, whose pods are nobody's garbage.
func TestPodsOfAnotherChildAreNoGarbage(t *testing.T) {
	for owner, want := range map[string]spec.Outcome{"cr2": spec.Pass, "cr1": spec.Fail} {
		s := deleteStory(t, matrix("garbage"), beside(1))
		s.see(2410, "ADDED", otherDeployment(1, 1, 1))
		s.see(2410, "ADDED", otherSet())
		s.see(2420, "ADDED", other(1, 1))
		s.see(2430, "ADDED", owned(pod(7, "Running"), "job7"))
		s.see(2440, "ADDED", owned(replicaSet().named("shard-5d", "r9"), "d9"))
		s.see(2450, "ADDED", owned(pod(9, "Running"), "r9"))
		item := func(resource, name, uid string, owner record.Owner) record.Item {
			return record.Item{Resource: resource, Namespace: "services", Name: name, UID: uid, Owners: []record.Owner{owner}}
		}
		s.inventory(3900,
			item("jobs.v1.batch", "other-job", "job7", ownedBy(owner)),
			item(spec.Deployments, "shard", "d9", record.Owner{Kind: "Shard", Name: "one", UID: "s1"}),
			item("shards.v1.cache.example.com", "one", "s1", ownedBy("cr2")))
		s.end(4000, record.TimedOut)
		s.says("garbage", want, "")
	}
}

// Without owner references it cannot be told whose an object is, nor what that owns, as long as a custom resource stays
// beside it. One that stays in another namespace has nothing here.
func TestGarbageWithoutOwnersWhereAnotherStays(t *testing.T) {
	for name, test := range map[string]struct {
		of      string // namespace of the one that stays
		want    spec.Outcome
		message string
	}{
		"beside it": {"services", spec.Pass, "nothing that was made for the custom resource was left"},
		"elsewhere": {"elsewhere", spec.Fail, "there is still cronjobs/backup in services, jobs/backup-1 in services"},
	} {
		t.Run(name, func(t *testing.T) {
			s := deleteStory(t, matrix("garbage"), func(b *record.Sample) {
				b.Others = []record.Other{{Namespace: test.of, Name: "other", Size: new(1)}}
			})
			child, custom := otherDeployment(1, 1, 1), other(1, 1)
			child.namespace, custom.namespace = test.of, test.of
			s.see(2410, "ADDED", child)
			s.see(2420, "ADDED", custom)
			item := func(resource, name, uid string, owners ...record.Owner) record.Item {
				return record.Item{Resource: resource, Namespace: "services", Name: name, UID: uid, Managers: []string{"mutant"}, Owners: owners}
			}
			if test.of == "services" {
				s.see(2430, "ADDED", owned(pod(7, "Running"), "job7"))
			}
			s.inventory(3900,
				item("cronjobs.v1.batch", "backup", "cron7"),
				item("jobs.v1.batch", "backup-1", "job7", record.Owner{APIVersion: "batch/v1", Kind: "CronJob", Name: "backup", UID: "cron7"}))
			s.end(4000, record.TimedOut)
			s.says("garbage", test.want, test.message)
		})
	}
}

// The volumes of a StatefulSet are kept without an owner, be it the main child or another.
func TestVolumesOfAnotherChildAreNoGarbage(t *testing.T) {
	for kind, want := range map[string]spec.Outcome{"StatefulSet": spec.Pass, "DaemonSet": spec.Fail} {
		s := deleteStory(t, matrix("garbage"))
		w := workloadtest.Default(t).Workload
		resource := strings.ToLower(kind) + "s.v1.apps"
		w.Children = append(w.Children, spec.ChildKind{ID: "db", Resource: resource, Kind: kind, Name: "{{.Name}}-db"})
		s.entries[0].Header.Workload = &w
		db := thing{resource: resource, namespace: "services", name: "cache-db", uid: "db1", object: fields{"metadata": fields{"ownerReferences": owner("cr1")}}}
		s.see(2410, "ADDED", db)
		s.see(2420, "DELETED", db)
		s.inventory(3900, claimOf("cache-db", "kube-controller-manager", "kube-scheduler", "operator"))
		s.end(4000, record.Settled)
		s.says("garbage", want, "")
	}
}
