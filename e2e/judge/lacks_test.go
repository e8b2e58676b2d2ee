package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// ask asks the open sample after each entry, and returns each new answer.
func ask(t *testing.T, s *story, question func(*timeline.Timeline) string) []string {
	t.Helper()
	splitter := timeline.NewSplitter()
	var answers []string
	for _, e := range s.entries {
		_, err := splitter.Add(e)
		require.NoError(t, err)
		if open := splitter.Open("services"); open != nil {
			if a := question(open); len(answers) == 0 || answers[len(answers)-1] != a {
				answers = append(answers, a)
			}
		}
	}
	return answers
}

// lacks is what the open sample lacked for a point, one answer after the other.
func lacks(t *testing.T, s *story, point string) []string {
	t.Helper()
	return ask(t, s, func(open *timeline.Timeline) string { return open.Lacks(point) })
}

// lacksNow is what it lacks after the last entry.
func lacksNow(t *testing.T, s *story, point string) string {
	t.Helper()
	all := lacks(t, s, point)
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

const unacknowledged = "the API server has not acknowledged the sample's action"

func TestLacksOnCreate(t *testing.T) {
	s := newStory(t)
	s.created()
	none := "there is no Deployment whose controller is the custom resource cache"
	pods := []string{"Deployment cache-deployment has 0 of 3 ready replicas", "Deployment cache-deployment has 2 of 3 ready replicas"}
	for point, want := range map[string][]string{
		spec.PointWorking: {unacknowledged, "the operator has not begun: no inner phase, no work object, no write, no Event has been seen", ""},
		spec.PointWritten: {unacknowledged, none, ""},
		spec.PointReady:   {unacknowledged, none, pods[0], pods[1], ""},
		spec.PointHandled: {unacknowledged, none, pods[0], pods[1], "status.observedGeneration of cache is 0, wanted 1", ""},
		"nonsense":        {unacknowledged, `there is no point "nonsense" of a reconcile`},
	} {
		assert.Equal(t, want, lacks(t, s, point), point)
	}
	assert.Equal(t, "the custom resource cache is still there", lacksNow(t, s, spec.PointGone))
}

// What is awaited is the size that is asked for now, not the sample's last.
func TestLacksConcernsThePresentSize(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create, scale, delete", -1)
	s.done(10, "create", custom(1, 1, 0).at(100))
	s.see(20, "ADDED", deployment(1, 1, 1, 1))
	assert.Empty(t, lacksNow(t, s, spec.PointReady))
	s.act(30, 35, "patch", custom(2, 2, 0).at(101))
	assert.Equal(t, "Deployment cache-deployment asks for 1 replicas, wanted 2", lacksNow(t, s, spec.PointReady))
	s.see(36, "MODIFIED", custom(2, 2, 0).at(101))
	s.see(40, "MODIFIED", deployment(2, 2, 2, 2))
	assert.Empty(t, lacksNow(t, s, spec.PointReady))

	s.act(50, 55, "delete", thing{resource: customs, namespace: "services", name: "cache", uid: "cr1"})
	points := []string{spec.PointWritten, spec.PointReady, spec.PointHandled, spec.PointGone}
	for _, point := range points {
		assert.Contains(t, lacksNow(t, s, point), "is still there", point)
	}
	s.see(60, "DELETED", custom(2, 2, 0))
	s.see(70, "DELETED", deployment(2, 2, 2, 2))
	for _, point := range points {
		assert.Empty(t, lacksNow(t, s, point), point)
	}
}

// A write that is refused leaves no trace but in the audit log.
func TestAnAttemptIsASignOfWork(t *testing.T) {
	const has, none = "", "the operator has not begun: no inner phase, no work object, no write, no Event has been seen"
	user := "system:serviceaccount:argo-events:sensor"
	for name, test := range map[string]struct {
		audit record.Audit
		want  string
	}{
		"refused":             {record.Audit{User: user, Verb: "patch", Resource: spec.Deployments, Namespace: "services", Code: 422}, has},
		"elsewhere":           {record.Audit{User: user, Verb: "patch", Resource: spec.Deployments, Namespace: "other", Code: 422}, none},
		"by somebody else":    {record.Audit{User: "system:serviceaccount:kube-system:deployment-controller", Verb: "patch", Resource: spec.Deployments, Namespace: "services"}, none},
		"by no account":       {record.Audit{User: "argo-events", Verb: "patch", Resource: spec.Deployments, Namespace: "services"}, none},
		"looked":              {record.Audit{User: user, Verb: "get", Resource: spec.Deployments, Namespace: "services"}, none},
		"of another resource": {record.Audit{User: user, Verb: "create", Resource: "leases.v1.coordination.k8s.io", Namespace: "services"}, none},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			style := native
			style.Namespaces = []string{"argo-events"}
			s.entries[0].Header.Styles = []record.Style{style}
			s.begin(0, "native", "held", 1, matrix())
			s.done(10, "create", custom(1, 1, 0))
			s.add(record.Entry{Time: at(20), Kind: record.KindAudit, Audit: &test.audit})
			assert.Equal(t, test.want, lacksNow(t, s, spec.PointWorking))
		})
	}
	s := newStory(t)
	style := native
	style.Namespaces = []string{"argo-events"}
	s.entries[0].Header.Styles = []record.Style{style}
	s.begin(0, "native", "held", 1, matrix())
	s.add(record.Entry{Time: at(5), Kind: record.KindAudit, Audit: &record.Audit{User: user, Verb: "patch", Resource: spec.Deployments, Namespace: "services"}})
	s.done(10, "create", custom(1, 1, 0))
	assert.Equal(t, none, lacksNow(t, s, spec.PointWorking), "it was for what was before")
}

// A status that says that a reconcile is under way is believed: ansible's Memcached was
// deleted in the midst of a pass, as nothing had been written for half a second. What
// cannot be brought about is tried again for ever, and a load ends by its figures.
func TestTheStatusSaysThatAReconcileIsUnderWay(t *testing.T) {
	const busy = "the status of cache says that a reconcile is under way: condition Running, reason Running"
	passes := native
	passes.Name, passes.Declares.Status.Busy = "passes", &spec.Busy{Type: "Running", Reason: "Running"}
	for name, test := range map[string]struct {
		change      func(*record.Sample)
		whole, done string
	}{
		"measured":           {func(*record.Sample) {}, busy, ""},
		"of the matrix":      {matrix("converged"), busy, ""},
		"what cannot be met": {func(b *record.Sample) { b.Matrix, b.Unmeetable, b.Cause = true, true, "0 of 3" }, "", ""},
		"a load":             {func(b *record.Sample) { b.Load = true }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, passes)
			s.created(func(b *record.Sample) { b.Style = "passes" }, test.change)
			running := conditioned(custom(1, 3, 1, "p1", "p2", "p3"), "Running", "Running", "0 of 3")
			running.object["status"].(fields)["conditions"].([]any)[0].(fields)["status"] = "True"
			s.see(710, "MODIFIED", running)
			missing := func() string {
				all := ask(t, s, (*timeline.Timeline).Missing)
				return all[len(all)-1]
			}
			assert.Equal(t, test.whole, missing())
			if test.whole != "" {
				assert.Equal(t, busy, lacksNow(t, s, spec.PointHandled))
			}
			over := conditioned(custom(1, 3, 1, "p1", "p2", "p3"), "Running", "Successful", "0 of 3")
			over.object["status"].(fields)["conditions"].([]any)[0].(fields)["status"] = "True"
			s.see(720, "MODIFIED", over)
			assert.Equal(t, test.done, missing())
		})
	}
}

// Who may not watch a kind never hears of it, and no object says so.
func TestAReadThatIsForbiddenIsNamed(t *testing.T) {
	const user = "system:serviceaccount:operators:mine"
	for name, test := range map[string]struct {
		audit record.Audit
		want  string
	}{
		"watch, in the whole cluster": {record.Audit{User: user, Verb: "watch", Resource: spec.Pods, Code: 403}, "; the operator's account may not watch pods (403 Forbidden)"},
		"list, in the namespace":      {record.Audit{User: user, Verb: "list", Resource: spec.Pods, Namespace: "services", Code: 403}, "; the operator's account may not list pods (403 Forbidden)"},
		"a write":                     {record.Audit{User: user, Verb: "patch", Resource: spec.Pods, Code: 403}, ""},
		"found":                       {record.Audit{User: user, Verb: "watch", Resource: spec.Pods, Code: 200}, ""},
		"by somebody else":            {record.Audit{User: "system:serviceaccount:others:mine", Verb: "watch", Resource: spec.Pods, Code: 403}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.entries[0].Header.Styles[0].Namespaces = []string{"operators"}
			s.begin(0, "native", "create", 2, matrix("converged", "status"))
			s.act(10, 15, "create", custom(1, 2, 0))
			s.add(record.Entry{Time: at(20), Kind: record.KindAudit, Audit: &test.audit})
			s.see(21, "ADDED", custom(1, 2, 0))
			s.see(30, "ADDED", deployment(1, 2, 2, 2))
			s.see(40, "MODIFIED", custom(1, 2, 1))
			assert.Equal(t, "status.nodes of cache names 0 of 2 pods"+test.want, lacksNow(t, s, spec.PointHandled))
		})
	}
}
