package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// asks is a request of the style's service account, as the audit log tells of it.
func (s *story) asks(ms float64, verb, resource, namespace string, code int) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindAudit, Audit: &record.Audit{
		User: "system:serviceaccount:native-system:operator", Verb: verb, Resource: resource, Namespace: namespace, Code: code,
	}})
}

func strict(t *testing.T) *story {
	t.Helper()
	s := newStory(t)
	style := native
	style.Namespaces = []string{"native-system"}
	s.entries[0].Header.Styles = []record.Style{style}
	return s
}

// Who looks for the Deployment learns that the API server did not take it.
func TestWhatTheAPIServerRefusedIsToldWhereTheDeploymentIsMissing(t *testing.T) {
	s := strict(t)
	s.begin(0, "native", "create", 1, func(b *record.Sample) { b.Expect = []string{"converged", "reference"} })
	s.entries[0].Header.Reference = []byte(`{"spec":{"replicas":1}}`)
	s.done(10, "create", custom(1, 1, 0))
	s.asks(17, "list", spec.Deployments, "services", 403)
	s.asks(17, "get", "namespaces.v1", "services", 403) // which is nothing that it needs
	s.asks(18, "create", spec.Deployments, "elsewhere", 422)
	s.asks(19, "update", spec.Deployments, "services", 409)
	for ms := range 14 {
		s.asks(float64(20+ms), "create", spec.Deployments, "services", 422)
	}
	s.asks(50, "patch", spec.Deployments, "services", 403)
	s.asks(60, "update", customs, "services", 422)
	s.asks(70, "update", customs, "services", 422)
	s.asks(80, "update", spec.Pods, "services", 403) // the fourth kind
	const want = "there is no Deployment whose controller is the custom resource cache" +
		"; the API server refused 14 requests to create deployments (422 Unprocessable Entity), the last at +0.023 s" +
		"; the API server refused 2 requests to update memcacheds (422 Unprocessable Entity), the last at +0.060 s" +
		"; the API server refused 1 request to patch deployments (403 Forbidden), the last at +0.040 s"
	const denied = "; the operator's account may not list deployments (403 Forbidden)"
	assert.Equal(t, want+denied, missing(t, s))
	assert.Equal(t, want+denied, lacksNow(t, s, spec.PointWritten))
	s.end(10_010, record.TimedOut)
	assert.Contains(t, s.verdict("converged").Message, want)
	assert.Contains(t, s.verdict("reference").Message, want)
}

// An operator that cannot write the custom resource cannot take its finalizer.
func TestWhatTheAPIServerRefusedIsToldWhereAFinalizerStays(t *testing.T) {
	s := strict(t)
	s.begin(0, "native", "delete", -1, func(b *record.Sample) { b.Expect = []string{"gone"} })
	leaving := custom(1, 0, 0)
	leaving.object["metadata"].(fields)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	leaving.object["metadata"].(fields)["finalizers"] = []string{"example.com/cleanup"}
	s.see(1, "LISTED", custom(1, 0, 0))
	s.act(10, 15, "delete", custom(1, 0, 0))
	s.see(16, "MODIFIED", leaving)
	s.asks(20, "update", customs, "services", 422)
	s.asks(25, "update", customs, "services", 422)
	s.end(10_010, record.TimedOut)
	assert.Contains(t, s.verdict("gone").Message, "the custom resource cache waits for its finalizers: example.com/cleanup"+
		"; the API server refused 2 requests to update memcacheds (422 Unprocessable Entity), the last at +0.015 s")
}

// Nobody must look into the cluster, which is gone by then, for why no pod is ready.
func TestAPodThatCannotPullItsImageIsTold(t *testing.T) {
	for _, matrix := range []bool{false, true} {
		t.Run(fmt.Sprint("matrix ", matrix), func(t *testing.T) { pullsNothing(t, matrix) })
	}
}

func pullsNothing(t *testing.T, matrix bool) {
	t.Helper()
	s := newStory(t)
	s.begin(0, "native", "create", 3, func(b *record.Sample) { b.Matrix, b.Expect = matrix, []string{"converged"} })
	s.done(10, "create", custom(1, 3, 0))
	s.see(40, "ADDED", deployment(1, 3, 3, 0))
	s.see(41, "ADDED", replicaSet())
	waits := func(reason, message string) thing {
		p := pod(1, "Pending")
		p.object["status"] = fields{"phase": "Pending", "containerStatuses": []any{fields{"name": "memcached", "state": fields{"waiting": fields{"reason": reason, "message": message}}}}}
		return p
	}
	s.see(50, "ADDED", waits("ContainerCreating", ""))
	const lacks = "Deployment cache-deployment has 0 of 3 ready replicas"
	assert.Equal(t, lacks, missing(t, s), "a container that is about to start has no message")
	s.see(60, "MODIFIED", waits("ImagePullBackOff", `Back-off pulling image "example.org/cache:none"`))
	const want = lacks + `; of pod p1 container memcached waits: ImagePullBackOff: Back-off pulling image "example.org/cache:none"`
	assert.Equal(t, want, missing(t, s))
	assert.Equal(t, want, lacksNow(t, s, spec.PointReady))
	s.end(60_010, record.TimedOut)
	assert.Equal(t, 1, strings.Count(s.verdict("converged").Message, "Back-off pulling image"))
}

// An operator that was refused once is awaited until it is refused a minute later.
func TestATryAfterAMinuteIsAPoint(t *testing.T) {
	s := strict(t)
	s.begin(0, "native", "write-refused", 1, matrix("recovers"))
	s.done(20, "create", custom(1, 1, 0))
	const lacks = "the API server has refused the operator no write 1m0s after the first one that it refused"
	assert.Equal(t, lacks, lacksNow(t, s, spec.PointRetried))
	s.by("a", 30, "create", spec.Deployments, "services", "cache", 403)
	s.by("a", 50_000, "create", spec.Deployments, "services", "cache", 403)
	s.by("a", 70_000, "get", customs, "services", "gone", 404)
	assert.Equal(t, lacks, lacksNow(t, s, spec.PointRetried))
	s.by("b", 70_000, "create", spec.Deployments, "services", "cache", 403)
	assert.Empty(t, lacksNow(t, s, spec.PointRetried))
}

// What was refused before the right was taken, or is refused of another kind, is not awaited.
func TestADeniedReadIsAPoint(t *testing.T) {
	s := strict(t)
	s.begin(0, "native", "children-unreadable", 1, matrix("recovers"))
	s.asks(5, "list", spec.Deployments, "", 403)
	s.breaks(10, 12, record.Begun, spec.FaultForbidRead, "deployments.apps")
	s.done(20, "create", custom(1, 1, 0))
	s.asks(30, "list", spec.Pods, "", 403)
	assert.Equal(t, "the API server has refused the operator no request to list or watch deployments", lacksNow(t, s, spec.PointDenied))
	s.asks(40, "watch", spec.Deployments, "", 403)
	assert.Empty(t, lacksNow(t, s, spec.PointDenied))
}
