package judge_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// requests are a container's resources.
func requests(cpu any) fields { return fields{"resources": fields{"requests": fields{"cpu": cpu}}} }

// unplaced is a pod for which the scheduler finds no node; each change is made to its spec.
func unplaced(reason, message string, changes ...fields) thing {
	p := member(4, "Pending")
	p.object["status"] = fields{"phase": "Pending", "conditions": []any{fields{"type": "PodScheduled", "status": "False", "reason": reason, "message": message}}}
	pod := fields{}
	for _, change := range changes {
		for key, value := range change {
			pod[key] = value
		}
	}
	p.object["spec"] = pod
	return p
}

// scaledUp tells of a custom resource with a template, all ready, which is then scaled from 3 to 4, and of the child
// and the pod that came of it.
func scaledUp(t *testing.T, template fields, asks int, fourth thing, change ...func(*record.Sample)) *story {
	t.Helper()
	of := func(generation, size int) thing {
		x := queued(generation, size, generation, "Up")
		x.object["spec"].(fields)["template"] = template
		return x
	}
	s := newStory(t)
	s.entries[0].Header.Workload = &queue
	s.entries[0].Header.Styles = []record.Style{{Style: spec.Style{Name: "native", Child: spec.Child{OwnerReference: true}}}}
	s.begin(0, "native", "scale-up", 3, func(b *record.Sample) { b.Prepare = true })
	s.done(10, "create", of(1, 3))
	s.see(30, "ADDED", server(3, 3))
	s.end(1000, record.Settled)
	s.begin(1100, "native", "scale-up", 4, change...)
	s.done(1110, "patch", of(2, 4))
	s.see(1200, "MODIFIED", server(asks, 3))
	s.see(1210, "ADDED", member(4, "Pending"))
	s.see(1410, "MODIFIED", fourth)
	s.end(11_110, record.TimedOut)
	return s
}

// A node on which a pod that is rightly asked for has no room says nothing of the operator. One that asks for more than
// its custom resource does, or makes more pods, has itself to blame.
func TestAClusterWithoutRoomIsNotTheOperators(t *testing.T) {
	const full = "0/1 nodes are available: 1 Insufficient cpu."
	const since = "pod p4 cannot be scheduled since +0.300 s: Unschedulable: " + full
	container := func(resources fields) fields { return fields{"containers": []any{resources}} }
	apart := fields{"affinity": fields{"podAntiAffinity": fields{"required": []any{"host"}}}}
	for name, test := range map[string]struct {
		template fields
		asks     int
		fourth   thing
		own      string // what the operator has to blame itself for, as the end of the sentence; "": nothing, it is the cluster
	}{
		"it asks for what the custom resource does": {container(requests("0.05")), 4, unplaced("Unschedulable", full, container(requests("50m"))), ""},
		"whatever the message":                      {container(requests("0.05")), 4, unplaced("Unschedulable", "", container(requests("50m"))), ""},
		"a limit is a request": {
			container(fields{"resources": fields{"limits": fields{"cpu": "50m"}}}), 4, unplaced("Unschedulable", full, container(requests("50m"))), "",
		},
		"it asks for nothing":                     {nil, 4, unplaced("Unschedulable", full), ""},
		"pods apart, as the custom resource says": {apart, 4, unplaced("Unschedulable", full, apart), ""},
		"it asks for more": {
			container(requests("50m")), 4, unplaced("Unschedulable", full, container(requests("8"))), since + "; it asks for 8 of cpu, which the custom resource does not",
		},
		"it wants pods apart": {
			nil, 4, unplaced("Unschedulable", full, apart), since + `; it asks for affinity {"podAntiAffinity":{"required":["host"]}}, which the custom resource does not`,
		},
		"it has a volume": {
			nil, 4, unplaced("Unschedulable", full, fields{"volumes": []any{fields{"persistentVolumeClaim": fields{"claimName": "data-4"}}}}),
			since + `; it asks for persistentVolumeClaim {"claimName":"data-4"}, which the custom resource does not`,
		},
		"it makes too many":  {nil, 5, unplaced("Unschedulable", full), since},
		"it is held back":    {nil, 4, unplaced("SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"), ""},
		"in the matrix, too": {container(requests("0.05")), 4, unplaced("Unschedulable", full, container(requests("50m"))), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := scaledUp(t, test.template, test.asks, test.fourth, func(b *record.Sample) {
				b.Matrix, b.Expect = name == "in the matrix, too", slices.Clone(sized)
			}).result()
			converged := r.Verdicts[0]
			if name == "it is held back" {
				assert.Equal(t, spec.Fail, r.Outcome())
				assert.NotContains(t, converged.Message, "scheduled")
				return
			}
			if test.own != "" {
				assert.Equal(t, spec.Fail, r.Outcome())
				assert.Equal(t, record.TimedOut, r.End)
				assert.Contains(t, converged.Message, test.own)
				assert.Contains(t, phases(r), "ready timeout 10000")
				return
			}
			assert.Equal(t, spec.Invalid, r.Outcome())
			assert.Equal(t, record.Interrupted, r.End)
			assert.Contains(t, r.Reason, "the cluster has no node for what the custom resource asks for: pod p4 cannot be scheduled since +0.300 s: Unschedulable")
			for _, v := range r.Verdicts {
				assert.Equal(t, spec.Invalid, v.Outcome, v.Oracle)
				assert.Equal(t, "the sample was interrupted: "+r.Reason, v.Message, v.Oracle)
			}
			for _, sample := range r.Samples {
				assert.Equal(t, judge.Interrupted, sample.Outcome, sample.Phase)
			}
		})
	}
}

// Pods for which no custom resource asks are the operator's own: one that leaves some behind with each change until the
// node is full has no cluster to blame. A rollout's own surplus is Kubernetes', and what is going makes room by itself.
func TestANodeThatTheOperatorFilledIsNoExcuse(t *testing.T) {
	const full = "0/1 nodes are available: 1 Too many pods."
	two := 2
	another := func(name, uid string, asks int) thing {
		x := server(asks, asks)
		x.name, x.uid = name, uid
		return x
	}
	of := func(owners string, n int, phase string) thing {
		x := pod(n, phase)
		x.object["metadata"] = fields{"ownerReferences": owner(owners)}
		return x
	}
	going := of("d2", 11, "Running")
	going.object["metadata"].(fields)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	elsewhere := func(generation, size int) thing {
		x := queued(generation, size, generation, "Up")
		x.name, x.uid = "other", "cr2"
		return x
	}
	ofOther := another("other-server", "d2", 2)
	ofOther.object["metadata"] = fields{"generation": 1, "ownerReferences": owner("cr2")}
	proxied := queue
	proxied.Children = append(slices.Clone(queue.Children), spec.ChildKind{ID: "proxy", Resource: spec.Deployments, Kind: "Deployment"})
	for name, test := range map[string]struct {
		workload *spec.Workload
		seen     []thing
		own      string
	}{
		"a StatefulSet of each change": {
			&queue,
			[]thing{another("cache-server-2", "d2", 3), of("d2", 11, "Running"), of("d2", 12, "Running"), of("d2", 13, "Pending")},
			"; no custom resource asks for pods p11, p12 and p13",
		},
		"pods by themselves":         {&queue, []thing{of("", 11, "Running")}, "; no custom resource asks for pod p11"},
		"their work is done":         {&queue, []thing{of("job", 11, "Succeeded"), of("job", 12, "Failed")}, ""},
		"they are going":             {&queue, []thing{another("cache-server-2", "d2", 1), going}, ""},
		"its own child's":            {&queue, []thing{of("d1", 1, "Running"), of("d1", 2, "Running"), of("d1", 3, "Running"), of("d1", 5, "Running")}, ""},
		"another custom resource's":  {&queue, []thing{elsewhere(1, 2), ofOther, of("d2", 11, "Running"), of("d2", 12, "Running")}, ""},
		"more than another asks for": {&queue, []thing{elsewhere(1, 1), ofOther, of("d2", 11, "Running"), of("d2", 12, "Running")}, "; no custom resource asks for pod p12"},
		"a proxy for each, as its workload says": {
			&proxied, []thing{of("proxies", 11, "Running"), of("proxies", 12, "Running"), of("proxies", 13, "Running"), of("proxies", 14, "Running")}, "",
		},
		"more proxies": {
			&proxied,
			[]thing{of("proxies", 11, "Running"), of("proxies", 12, "Running"), of("proxies", 13, "Running"), of("proxies", 14, "Running"), of("proxies", 15, "Running")},
			"; no custom resource asks for pod p15",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scaledUp(t, nil, 4, unplaced("Unschedulable", full), func(b *record.Sample) {
				b.Expect, b.Others = slices.Clone(sized), []record.Other{{Namespace: "services", Name: "other", Size: &two}}
			})
			s.entries[0].Header.Workload = test.workload
			end := s.entries[len(s.entries)-1]
			s.entries = s.entries[:len(s.entries)-1]
			for i, x := range test.seen {
				if x.name == "other" {
					s.act(1490, 1495, "create", x)
				}
				s.see(1500+float64(i), "ADDED", x)
			}
			s.entries = append(s.entries, end)
			r := s.result()
			if test.own == "" {
				assert.Equal(t, record.Interrupted, r.End)
				assert.Equal(t, spec.Invalid, r.Outcome())
				return
			}
			assert.Equal(t, record.TimedOut, r.End)
			assert.Equal(t, spec.Fail, r.Outcome())
			assert.Contains(t, r.Verdicts[0].Message, "pod p4 cannot be scheduled since +0.300 s: Unschedulable: "+full+test.own)
		})
	}
}

// What the sample still waits for is told while it waits, too.
func TestAPodWithoutANodeIsTold(t *testing.T) {
	s := scaledUp(t, nil, 4, unplaced("Unschedulable", "0/1 nodes are available: 1 Too many pods."))
	s.entries = s.entries[:len(s.entries)-1]
	assert.Equal(t, "StatefulSet cache-server has 3 of 4 ready replicas; pod p4 cannot be scheduled since +0.300 s: Unschedulable: 0/1 nodes are available: 1 Too many pods.", missing(t, s))
}

// Scenarios that begin with what the cluster has no room for are not the operator's either.
func TestAGivenStateForWhichThereIsNoRoom(t *testing.T) {
	s := scaledUp(t, nil, 4, unplaced("Unschedulable", "0/1 nodes are available: 1 Too many pods."), func(b *record.Sample) { b.Prepare = true })
	s.begin(11_200, "native", "delete", -1)
	s.end(11_201, record.TimedOut)
	r := s.result()
	assert.Equal(t, spec.Invalid, r.Outcome())
	assert.Empty(t, r.Samples)
	require.NotEmpty(t, r.Verdicts)
	assert.Equal(t, "the sample was interrupted: the cluster has no node for what the custom resource asks for: pod p4 cannot be scheduled since -9.790 s: "+
		"Unschedulable: 0/1 nodes are available: 1 Too many pods.", r.Verdicts[0].Message)
}

// A custom resource that asks for a node's label, say, is told beside its own condition: what the pod says is nearer.
func TestWhyAPodDoesNotStartIsToldBeforeACondition(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create", 3, func(b *record.Sample) { b.Expect = []string{"converged"} })
	s.done(10, "create", custom(1, 3, 0))
	s.see(40, "ADDED", deployment(1, 3, 3, 0))
	s.see(41, "ADDED", replicaSet())
	p := pod(1, "Pending")
	p.object["status"] = fields{"containerStatuses": []any{fields{"name": "memcached", "state": fields{"waiting": fields{"reason": "ErrImagePull", "message": "no such host"}}}}}
	s.see(60, "MODIFIED", p)
	s.see(70, "MODIFIED", conditioned(custom(1, 3, 0), "Ready", "Waiting", "0 of 3 pods are ready"))
	s.end(10_010, record.TimedOut)
	message := s.verdict("converged").Message
	assert.Contains(t, message, "; of pod p1 container memcached waits: ErrImagePull: no such host")
	assert.NotContains(t, message, "last said of it")
}
