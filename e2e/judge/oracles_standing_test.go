package judge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

func (s *story) inventory(ms float64, objects ...record.Item) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindInventory, Inventory: &record.Inventory{Namespace: "services", Resources: []string{"configmaps.v1"}, Objects: objects}})
}

func configMap(owners ...record.Owner) record.Item {
	return record.Item{Resource: "configmaps.v1", Namespace: "services", Name: "settings", UID: "c1", Managers: []string{"mutant"}, Owners: owners}
}

func claimOf(of string, managers ...string) record.Item {
	return record.Item{Resource: "persistentvolumeclaims.v1", Namespace: "services", Name: "data-" + of + "-0", UID: "v1", Managers: managers}
}

func ownedBy(uid string, change ...func(*record.Owner)) record.Owner {
	r := record.Owner{APIVersion: "cache.example.com/v1alpha1", Kind: "Memcached", Name: "cache", UID: uid, Controller: true, BlockOwnerDeletion: true}
	for _, f := range change {
		f(&r)
	}
	return r
}

// Garbage is of any kind, and anywhere.
func TestGarbageOfAnyKind(t *testing.T) {
	elsewhere := configMap()
	elsewhere.Namespace, elsewhere.Name = "operators", "services-cache"
	work := configMap()
	work.Resource, work.Namespace = workflows, "argo-events"
	deployed := record.Item{Resource: spec.Deployments, Namespace: "services", Name: "other-deployment", UID: "d2", Owners: []record.Owner{ownedBy("cr2")}}
	claim, shard := claimOf("cache-deployment", "kube-controller-manager", "kube-scheduler", "operator"), record.Item{Resource: "shards.v1.cache.example.com", Namespace: "services", Name: "one", UID: "s1", Owners: []record.Owner{ownedBy("cr2")}}
	ofOther := configMap(record.Owner{Kind: "Deployment", Name: "other-deployment", UID: "d2"})
	for name, test := range map[string]struct {
		lists   [][]record.Item
		other   bool // a custom resource stays
		want    spec.Outcome
		message string
	}{
		"none was taken":             {nil, false, spec.Pass, "no Deployment, ReplicaSet or pod was left"},
		"nothing":                    {[][]record.Item{{}}, false, spec.Pass, "of 1 resource that the style may write"},
		"without an owner":           {[][]record.Item{{configMap()}}, false, spec.Fail, "0s after the first inventory, there is still configmaps/settings in services"},
		"of an owner that is gone":   {[][]record.Item{{configMap(ownedBy("cr1"))}}, false, spec.Fail, "configmaps/settings in services"},
		"elsewhere":                  {[][]record.Item{{elsewhere}}, false, spec.Fail, "configmaps/services-cache in operators"},
		"work":                       {[][]record.Item{{work}}, false, spec.Pass, "nothing that was made"},
		"collected late":             {[][]record.Item{{configMap()}, {}}, false, spec.Pass, "nothing that was made"},
		"not even in the grace":      {[][]record.Item{{configMap()}, {configMap()}}, false, spec.Fail, "500ms after the first inventory"},
		"whose it is cannot be told": {[][]record.Item{{configMap()}}, true, spec.Pass, "nothing that was made"},
		"of one that stays":          {[][]record.Item{{configMap(ownedBy("cr2"))}}, true, spec.Pass, "nothing that was made"},
		"through another":            {[][]record.Item{{deployed, ofOther}}, true, spec.Pass, "nothing that was made"},
		"a StatefulSet's volume":     {[][]record.Item{{claim}}, false, spec.Pass, "nothing that was made"},
		"a volume of the operator's": {[][]record.Item{{claimOf("own", "mutant", "kube-controller-manager", "kube-scheduler")}}, false, spec.Fail, "persistentvolumeclaims/data-own-0"},
		"through one of its group":   {[][]record.Item{{shard, configMap(record.Owner{APIVersion: "cache.example.com/v1", Kind: "Shard", Name: "one", UID: "s1"})}}, true, spec.Pass, "nothing that was made"},
		"of the one that is gone":    {[][]record.Item{{configMap(ownedBy("cr1"))}}, true, spec.Fail, "configmaps/settings"},
	} {
		t.Run(name, func(t *testing.T) {
			change := []func(*record.Sample){matrix("garbage")}
			if test.other {
				change = append(change, beside(1))
			}
			s := deleteStory(t, change...)
			s.entries[0].Header.Styles[0].Work = []spec.Work{{Resource: workflows, Namespace: "argo-events"}}
			if test.other {
				s.see(2410, "ADDED", other(1, 1))
				s.see(2411, "ADDED", otherDeployment(1, 1, 1))
			}
			for i, items := range test.lists {
				s.inventory(3500+500*float64(i), items...)
			}
			s.end(5000, record.Settled)
			v := s.says("garbage", test.want, test.message)
			if test.want == spec.Fail {
				assert.Contains(t, v.Evidence[0], "written by mutant")
			}
		})
	}
}

func TestOwned(t *testing.T) {
	deployed := func(owners ...record.Owner) record.Item {
		return record.Item{Resource: spec.Deployments, Namespace: "services", Name: "cache", UID: "d1", Owners: owners}
	}
	endpoints := configMap()
	endpoints.Managers = []string{"kube-controller-manager"}
	volume, theirs := configMap(), configMap()
	volume.Managers = []string{"kube-controller-manager", "kube-scheduler"}
	theirs.Managers = []string{"kube-controller-manager", "operator"}
	for name, test := range map[string]struct {
		there   []record.Item
		want    spec.Outcome
		message string
	}{
		"right":              {[]record.Item{deployed(ownedBy("cr1"))}, spec.Pass, "each of 1 object was owned"},
		"no owner":           {[]record.Item{deployed()}, spec.Fail, "deployments/cache: it has no owner reference"},
		"another's uid":      {[]record.Item{deployed(ownedBy("cr0"))}, spec.Fail, "the uid of the reference is cr0"},
		"another name":       {[]record.Item{deployed(ownedBy("cr1", func(r *record.Owner) { r.Name = "cash" }))}, spec.Fail, "names cash, wanted cache"},
		"another kind":       {[]record.Item{deployed(ownedBy("cr1", func(r *record.Owner) { r.Kind = "Memcache" }))}, spec.Fail, "wanted cache.example.com/v1alpha1 Memcached"},
		"another version":    {[]record.Item{deployed(ownedBy("cr1", func(r *record.Owner) { r.APIVersion = "cache.example.com/v1" }))}, spec.Fail, "names cache.example.com/v1 Memcached"},
		"no controller":      {[]record.Item{deployed(ownedBy("cr1", func(r *record.Owner) { r.Controller = false }))}, spec.Fail, "controller is not true: another"},
		"not blocking":       {[]record.Item{deployed(ownedBy("cr1", func(r *record.Owner) { r.BlockOwnerDeletion = false }))}, spec.Fail, "blockOwnerDeletion is not true: a deletion"},
		"any kind of child":  {[]record.Item{deployed(ownedBy("cr1")), configMap()}, spec.Fail, "configmaps/settings: it has no owner reference"},
		"owned by the child": {[]record.Item{deployed(ownedBy("cr1")), configMap(record.Owner{Kind: "Deployment", UID: "d1"})}, spec.Pass, "each of 2 objects"},
		"the cluster's own":  {[]record.Item{deployed(ownedBy("cr1")), endpoints}, spec.Pass, "each of 2 objects"},
		"noted on by all":    {[]record.Item{deployed(ownedBy("cr1")), volume}, spec.Pass, "each of 2 objects"},
		"and by an operator": {[]record.Item{deployed(ownedBy("cr1")), theirs}, spec.Fail, "configmaps/settings: it has no owner reference"},
		"a StatefulSet's volume that the operator has enlarged": {
			[]record.Item{deployed(ownedBy("cr1")), claimOf("cache-deployment", "kube-controller-manager", "kube-scheduler", "operator")}, spec.Pass, "each of 2 objects",
		},
		"owned by another resource of the group": {
			[]record.Item{
				{Resource: "shards.v1.cache.example.com", Namespace: "services", Name: "one", UID: "s1", Owners: []record.Owner{ownedBy("cr1")}},
				deployed(record.Owner{APIVersion: "cache.example.com/v1alpha1", Kind: "Shard", Name: "one", UID: "s1", Controller: true, BlockOwnerDeletion: true}),
			}, spec.Pass, "each of 2 objects",
		},
		"nothing": {nil, spec.NotApplicable, "nothing was there"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.entries[0].Header.Styles[0].Declares.OwnerReferences.Supported = true
			s.created(matrix("owned"))
			s.inventory(1700, test.there...)
			s.end(1710, record.Settled)
			s.says("owned", test.want, test.message)
		})
	}
	s := newStory(t)
	s.created(matrix("owned"))
	s.inventory(1700, deployed())
	s.end(1710, record.Settled)
	assert.Equal(t, spec.NotApplicable, s.verdict("owned").Outcome, "it declares none")
}

func TestUntouched(t *testing.T) {
	withoutStatus := func() *spec.Workload {
		w := workloadtest.Default(t).Workload
		w.WholeStatus = true
		return &w
	}
	held := func(generation int, finalizers ...string) thing {
		o := custom(generation, 3, 1)
		meta := fields{}
		for key, value := range o.object["metadata"].(fields) {
			meta[key] = value
		}
		meta["finalizers"] = finalizers
		o.object["metadata"] = meta
		return o
	}
	for name, test := range map[string]telling{
		"status alone": {func(s *story) { s.see(1800, "MODIFIED", custom(1, 3, 1, "p1")) }, spec.Pass, "brought about by the harness"},
		"the user's":   {func(s *story) { s.changed(1800, 2, 4) }, spec.Pass, "brought about by the harness"},
		"heard of before the reply": {func(s *story) {
			s.see(1802, "MODIFIED", custom(2, 4, 1).at(900))
			s.act(1800, 1805, "patch", custom(2, 4, 0).at(900))
		}, spec.Pass, "brought about by the harness"},
		"through the scale subresource, whose reply has no generation": {func(s *story) {
			s.act(1800, 1805, "patch", custom(0, 4, 0).at(900))
			s.see(1806, "MODIFIED", custom(2, 4, 0).at(900))
		}, spec.Pass, "brought about by the harness"},
		"the operator's": {func(s *story) { s.see(1800, "MODIFIED", custom(2, 5, 1)) }, spec.Fail, "memcacheds/cache reached generation 2 at +1.790 s without an action of the harness: spec.size from 3 to 5"},
		"the operator's after the user's": {func(s *story) {
			s.changed(1800, 2, 4)
			s.see(1900, "MODIFIED", custom(3, 3, 1))
		}, spec.Fail, "generation 3 at +1.890 s without an action of the harness: spec.size from 4 to 3"},
		"more generations than can be listed": {func(s *story) { s.see(1800, "MODIFIED", custom(1<<50, 5, 1)) }, spec.Fail, "generation 2"},
		"one of two in a gap": {func(s *story) {
			s.act(1800, 1805, "patch", custom(3, 4, 0).at(900))
			s.see(1806, "LISTED", custom(3, 4, 0).at(900))
		}, spec.Fail, "generation 2"},
		"a deletion that waits": {func(s *story) {
			s.add(record.Entry{Time: at(1805), Kind: record.KindAction, Action: &record.Action{From: at(1800), Verb: "delete", Resource: customs, Namespace: "services", Name: "cache"}})
			going := custom(2, 3, 1)
			going.object["metadata"] = fields{"generation": 2, "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []string{"f"}}
			s.see(1806, "MODIFIED", going)
		}, spec.Pass, "brought about by the harness"},
		"a finalizer that the harness takes away": {func(s *story) {
			s.done(1800, "update", held(1, "operatorbench/hold"))
			s.see(1901, "MODIFIED", held(1))
			s.act(1900, 1905, "update", held(1))
		}, spec.Pass, "brought about by the harness"},
		"a finalizer that the operator takes away": {func(s *story) {
			s.done(1800, "update", held(1, "operatorbench/hold"))
			s.see(1901, "DELETED", held(2))
			s.act(1950, 1955, "update", held(1))
		}, spec.Fail, "memcacheds/cache lost operatorbench/hold at +1.891 s, before the harness removed it"},
		"the operator's own finalizer": {func(s *story) {
			s.see(1806, "MODIFIED", held(1, "cache.example.com/finalizer"))
			s.see(1901, "MODIFIED", held(1))
		}, spec.Pass, "brought about by the harness"},
		"a status that was written with the whole object": {func(s *story) {
			s.entries[0].Header.Workload = withoutStatus()
			s.see(1806, "MODIFIED", custom(2, 3, 1))
			s.act(1900, 1905, "patch", custom(3, 4, 1).at(900))
			s.see(1906, "MODIFIED", custom(4, 4, 1))
		}, spec.Pass, "brought about by the harness"},
		"a size that was written with the whole object": {func(s *story) {
			s.entries[0].Header.Workload = withoutStatus()
			s.see(1806, "MODIFIED", custom(2, 4, 1))
		}, spec.Fail, "spec.size from 3 to 4"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.created(matrix("untouched"))
			test.tell(s)
			s.end(3000, record.Settled)
			s.says("untouched", test.want, test.message)
		})
	}
}

// audited tells of a request that the API server answered at a time, by a clock that
// is an hour ahead, and whose line was read later.
func (s *story) audited(ms, read float64, user, verb, resource string) {
	answered := s.entries[0].Header.Began.Add(time.Hour + at(ms))
	s.add(record.Entry{Time: at(read), Kind: record.KindAudit, Audit: &record.Audit{
		Received: answered, Answered: answered, User: user, Verb: verb, Resource: resource, Subresource: "status", Namespace: "services", Name: "cache", Code: 200,
	}})
}

func TestCalm(t *testing.T) {
	const operator = "system:serviceaccount:operators:native"
	for name, test := range map[string]telling{
		"calm": {func(s *story) {
			s.audited(690, 692, operator, "update", customs)
		}, spec.Pass, "no write was asked for in the sample's namespaces from +1.690 s to +3.690 s"},
		"no audit log": {func(*story) {}, spec.NotApplicable, "no audit log"},
		"in kube-system": {func(s *story) {
			s.entries[0].Header.Styles[0].Namespaces = []string{"kube-system"}
			s.audited(690, 692, operator, "update", customs)
		}, spec.NotApplicable, "has no audit log of the operator"},
		"read late": {func(s *story) {
			s.audited(690, 692, operator, "update", customs)
			s.audited(695, 2000, operator, "update", customs)
		}, spec.Pass, "no write"},
		"unchanged": {func(s *story) {
			for ms := 900.0; ms < 3700; ms += 200 {
				s.audited(ms, ms+2, operator, "update", customs)
			}
		}, spec.Fail, "the operator asked for 10 writes, the first at +1.692 s: update memcacheds/status services/cache (10×); nothing moved"},
		"reads":      {func(s *story) { s.audited(2500, 2501, operator, "get", customs) }, spec.Pass, "no write"},
		"Events":     {func(s *story) { s.audited(2500, 2501, operator, "create", spec.Events) }, spec.Pass, "no write"},
		"another's":  {func(s *story) { s.audited(2500, 2501, "system:serviceaccount:kube-system:x", "update", spec.Pods) }, spec.Pass, "no write"},
		"a last one": {func(s *story) { s.audited(2500, 2501, operator, "update", spec.Deployments) }, spec.Pass, "1 write was asked for"},
		"what moved": {func(s *story) {
			for ms := 2500.0; ms < 3500; ms += 500 {
				s.audited(ms, ms+1, operator, "update", spec.Deployments)
			}
			s.see(2501, "MODIFIED", thing{resource: "configmaps.v1", namespace: "services", name: "cache", uid: "c"})
		}, spec.Fail, "asked for 2 writes, the first at +2.491 s: update deployments/status services/cache (2×); what moved: configmaps/cache"},
		"for ever, with something moving each time": {func(s *story) {
			for ms := 1200.0; ms < 3700; ms += 600 {
				s.audited(ms, ms+1, operator, "update", spec.Deployments)
				s.see(ms+1, "MODIFIED", deployment(1, 3, 3, 3))
			}
		}, spec.Fail, "the operator asked for 4 writes"},
		"before the rest, long before the end": {func(s *story) {
			for ms := 2000.0; ms < 3500; ms += 200 {
				s.audited(ms, ms+1, operator, "update", customs)
			}
			s.audited(9000, 9001, operator, "update", customs)
			s.rested, s.over = 3700, 9500
		}, spec.Fail, "from +1.690 s to +3.690 s; the operator asked for 8 writes"},
		"while a pod that was added is taken away": {func(s *story) {
			for ms := 3800.0; ms < 4400; ms += 200 {
				s.audited(ms, ms+1, operator, "update", customs)
			}
			s.rested, s.over = 3700, 4500
		}, spec.Pass, "no write was asked for in the sample's namespaces from +1.690 s to +3.690 s"},
		"log cut off": {func(s *story) {
			s.audited(2500, 2501, operator, "update", spec.Pods)
			s.add(record.Entry{Time: at(2600), Kind: record.KindGap, Gap: &record.Gap{From: at(2550), Resource: "audit", Reason: "r"}})
		}, spec.NotApplicable, "nothing was heard of audit"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.entries[0].Header.Styles[0].Namespaces = []string{"operators"}
			s.created(matrix("calm"), func(b *record.Sample) { b.Window = 3 * time.Second })
			test.tell(s)
			s.end(max(3700, s.over), record.Settled)
			s.says("calm", test.want, test.message)
		})
	}
}

// handled tells of samples of a create, each in a namespace of its own, whose Deployments are written so many
// milliseconds later.
func handled(t *testing.T, change func(*record.Sample), took ...float64) []judge.Verdict {
	t.Helper()
	s := newStory(t)
	for i, ms := range took {
		namespace, began := fmt.Sprintf("s%d", i), 100_000*float64(i)
		in := func(x thing) thing { x.namespace, x.uid = namespace, x.uid+namespace; return x }
		s.begin(began, "native", "create", 3, matrix("prompt"), change, func(b *record.Sample) { b.Namespace = namespace })
		s.act(began+10, began+15, "create", in(custom(1, 3, 0)).at(10*i+1))
		s.see(began+16, "ADDED", in(custom(1, 3, 0)).at(10*i+1))
		d := in(deployment(1, 3, 0, 0))
		d.object["metadata"] = fields{"generation": 1, "ownerReferences": owner("cr1" + namespace)}
		s.see(began+10+ms, "ADDED", d)
		s.sample.Namespace = namespace
		s.end(began+10+ms+1000, record.Settled)
	}
	var verdicts []judge.Verdict
	for _, r := range s.judge().Results {
		require.Len(t, r.Verdicts, 1)
		assert.Equal(t, "prompt", r.Verdicts[0].Oracle)
		verdicts = append(verdicts, r.Verdicts[0])
	}
	return verdicts
}

func TestPrompt(t *testing.T) {
	plain := func(*record.Sample) {}
	all := handled(t, plain, 20, 30, 25, 20, 40_000, 22, 9_000, 25)
	for i, v := range all {
		want := spec.Pass
		if i == 4 {
			want = spec.Fail
		}
		assert.Equal(t, want, v.Outcome, v.Message)
	}
	assert.Contains(t, all[4].Message, "within 10.025s (10 times the style's own median of 25ms, of 8 samples in which nothing was broken, and at least 10s more); the Deployment was written 40s after the create of s4/cache at +0.000 s")
	assert.Equal(t, spec.Pass, handled(t, plain, 62_000, 61_000, 64_000, 62_000, 62_000, 100_000, 62_000, 62_000)[5].Outcome, "a style that takes a minute")
	for _, v := range handled(t, plain, 20, 30, 25, 20, 40_000, 22, 25) {
		assert.Equal(t, spec.NotApplicable, v.Outcome)
		assert.Contains(t, v.Message, "at least 8 are needed")
	}
	for _, v := range handled(t, func(b *record.Sample) { b.Matrix = false }, 20, 30, 25, 20, 40_000, 22, 25, 24) {
		assert.Equal(t, spec.NotApplicable, v.Outcome, "a measured sample has its latency")
	}
}

// What was late in the given state counts; what is late because something was
// broken does not.
func TestPromptOfAGivenState(t *testing.T) {
	verdict := func(fault bool) judge.Verdict {
		s := newStory(t)
		for i := range 9 {
			namespace, began := fmt.Sprintf("s%d", i), 100_000*float64(i)
			in := func(x thing) thing { x.namespace, x.uid = namespace, x.uid+namespace; return x }
			took := 20.0
			if i == 8 {
				took = 40_000
			}
			s.begin(began, "native", "scale-up", 3, matrix("prompt"), func(b *record.Sample) { b.Namespace, b.Prepare = namespace, true })
			if fault {
				s.add(record.Entry{Time: at(began + 5), Kind: record.KindFault, Fault: &record.Fault{Stage: record.Begun, From: at(began + 4), Kind: "kill", Namespace: namespace}})
			}
			s.act(began+10, began+15, "create", in(custom(1, 3, 0)).at(10*i+1))
			d := in(deployment(1, 3, 0, 0))
			d.object["metadata"] = fields{"generation": 1, "ownerReferences": owner("cr1" + namespace)}
			s.see(began+16, "ADDED", in(custom(1, 3, 0)).at(10*i+1))
			s.see(began+10+took, "ADDED", d)
			s.end(began+50_000, record.Settled)
			s.begin(began+50_001, "native", "scale-up", 3, matrix("prompt"), func(b *record.Sample) { b.Namespace = namespace })
			s.act(began+50_010, began+50_015, "patch", in(custom(1, 3, 0)).at(10*i+1))
			s.end(began+51_000, record.Settled)
		}
		return s.verdict("prompt")
	}
	v := verdict(false)
	assert.Equal(t, spec.Fail, v.Outcome, v.Message)
	assert.Contains(t, v.Message, "written 40s after the create")
	assert.Equal(t, spec.NotApplicable, verdict(true).Outcome)
}

func TestSecretsInLogs(t *testing.T) {
	for name, test := range map[string]struct {
		logs    *record.Logs
		want    spec.Outcome
		message string
	}{
		"nobody looked":   {nil, spec.NotApplicable, "were not searched"},
		"none":            {&record.Logs{Style: "native", Round: 1, Read: []string{"operators/native/main"}}, spec.Pass, "no secret was found in the logs of 1 container"},
		"another style's": {&record.Logs{Style: "argo", Round: 1, Leaks: []record.Leak{{What: "x"}}}, spec.NotApplicable, "were not searched"},
		"unreadable":      {&record.Logs{Style: "native", Round: 1, Unread: []string{"operators/native/main: gone"}}, spec.NotApplicable, "operators/native/main: gone"},
		"its Secret": {&record.Logs{Style: "native", Round: 1, Read: []string{"a/b/c"}, Leaks: []record.Leak{
			{Container: "a/b/c", What: "the value of Secret services/operatorbench-secret", Namespace: "services", Lines: 2},
		}}, spec.Fail, "there is the value of Secret services/operatorbench-secret in 2 lines of a/b/c"},
		"another sample's": {&record.Logs{Style: "native", Round: 1, Read: []string{"a/b/c"}, Leaks: []record.Leak{{What: "x", Namespace: "elsewhere"}}}, spec.Pass, "no secret"},
		"a token":          {&record.Logs{Style: "native", Round: 1, Read: []string{"a/b/c"}, Leaks: []record.Leak{{Container: "a/b/c", What: "the token of a service account", Lines: 1}}}, spec.Fail, "the token of a service account in 1 line of a/b/c"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.created(matrix("no-secrets-logged"))
			s.end(1710, record.Settled)
			if test.logs != nil {
				s.add(record.Entry{Time: at(2000), Kind: record.KindLogs, Logs: test.logs})
			}
			s.says("no-secrets-logged", test.want, test.message)
		})
	}
}

// What is asked of every sample says nothing of one whose steps never began.
func TestStandingOraclesOfNoSteps(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create", 3, matrix("converged", "owned", "untouched", "calm", "prompt", "no-secrets-logged"))
	s.end(10, record.TimedOut)
	for i, v := range s.result().Verdicts {
		want := spec.NotApplicable
		if i == 0 {
			want = spec.Fail
		}
		assert.Equal(t, want, v.Outcome, v.Oracle)
	}
}
