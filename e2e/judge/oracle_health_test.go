package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// worker is a style with two components that works in Workflows.
func worker() record.Style {
	return record.Style{Style: spec.Style{
		Name:     "native",
		Declares: spec.Declares{Status: spec.Declaration{Supported: false, Fields: []string{spec.StatusNodes, spec.StatusObservedGeneration}}},
		Components: []spec.Component{
			{Name: "controller", Namespace: "system", Selector: "app=controller,tier!=test"},
			{Name: "bus", Namespace: "argo-events", Selector: "role in (bus)"},
		},
		Work: []spec.Work{{
			Resource: workflows, Namespace: "argo-events",
			Of:       spec.FieldCondition{Path: "spec.for", Matches: `^{{.Namespace}}/{{.Name}}$`},
			Ended:    spec.FieldCondition{Path: "status.phase", Equals: []string{"Succeeded", "Failed"}},
			Messages: []string{"status.message"},
		}},
	}, Installed: spec.Installed{Namespaces: []string{"system", "argo-events"}}}
}

// workSaying is a Workflow for a custom resource, by its place.
func workSaying(name, of, phase, message string) thing {
	x := workflow(name, phase)
	x.object["spec"], x.object["status"] = fields{"for": of}, fields{"phase": phase, "message": message}
	return x
}

// container is the status of a pod's container.
func container(restarts int, state fields) fields {
	return fields{"name": "main", "restartCount": restarts, "state": state}
}

func died(code int, reason string) fields {
	return fields{"terminated": fields{"exitCode": code, "reason": reason}}
}

var running = fields{"running": fields{}}

// part is a pod of one of the operator's components.
func part(name, namespace string, labels fields, statuses ...any) thing {
	return thing{resource: spec.Pods, namespace: namespace, name: name, uid: name, object: fields{
		"metadata": fields{"labels": labels}, "status": fields{"phase": "Running", "containerStatuses": statuses},
	}}
}

func controller(name string, statuses ...any) thing {
	return part(name, "system", fields{"app": "controller"}, statuses...)
}

// step is a pod of a Workflow.
func step(name, of, phase string, statuses ...any) thing {
	x := part(name, "argo-events", fields{}, statuses...)
	x.object["metadata"].(fields)["ownerReferences"] = owner(of)
	x.object["status"].(fields)["phase"] = phase
	return x
}

func TestHealth(t *testing.T) {
	restarted := controller("c1", fields{"name": "main", "restartCount": 2, "state": running, "lastState": died(2, "Error")})
	for name, test := range map[string]telling{
		"nothing happens": {func(*story) {}, spec.Pass, "none of the operator's 1 pod restarted or ended in error"},
		"a restart":       {func(s *story) { s.see(2100, "MODIFIED", restarted) }, spec.Fail, "container main of pod system/c1 ended with exit code 2, Error at +0.090 s"},
		"a crash": {func(s *story) {
			s.see(2100, "MODIFIED", controller("c1", container(1, died(1, "Error"))))
			s.see(2200, "MODIFIED", controller("c1", fields{"name": "main", "restartCount": 2, "state": running, "lastState": died(1, "Error")}))
		}, spec.Fail, "run on; container main of pod system/c1 ended with exit code 1, Error at +0.090 s"},
		"a restart in success": {func(s *story) {
			s.see(2100, "MODIFIED", controller("c1", container(1, died(0, "Completed"))))
			s.see(2200, "MODIFIED", controller("c1", fields{"name": "main", "restartCount": 2, "state": running, "lastState": died(0, "Completed")}))
		}, spec.Fail, "ended with exit code 0, Completed at +0.190 s"},
		"a new pod crashes": {func(s *story) {
			s.see(2100, "ADDED", controller("c2"))
			s.see(2200, "MODIFIED", controller("c2", container(0, died(1, "OOMKilled"))))
		}, spec.Fail, "pod system/c2 ended with exit code 1, OOMKilled"},
		"evicted": {func(s *story) {
			x := controller("c1", container(1, running))
			x.object["status"].(fields)["phase"], x.object["status"].(fields)["reason"] = "Failed", "Evicted"
			s.see(2100, "MODIFIED", x)
		}, spec.Fail, "pod system/c1 failed: Evicted"},
		"killed by the sample": {func(s *story) {
			s.broke(2100, record.Begun, "kill", "controller", "pods/system/c1")
			s.broke(2101, record.Over, "kill", "controller")
			s.see(2110, "MODIFIED", controller("c1", container(1, died(137, "Error"))))
			s.see(2120, "DELETED", controller("c1", container(1, died(137, "Error"))))
			s.see(2130, "ADDED", controller("c2"))
			s.see(2140, "MODIFIED", controller("c2", container(0, running)))
		}, spec.Pass, "none of the operator's 2 pods"},
		"killed before the fault's entry": {func(s *story) {
			s.see(2095, "MODIFIED", controller("c1", container(1, died(137, "Error"))))
			s.broke(2100, record.Begun, "kill", "controller", "pods/system/c1")
		}, spec.Pass, "none of the operator's 1 pod"},
		"crashed before the fault began": {func(s *story) {
			s.see(2085, "MODIFIED", controller("c1", container(1, died(1, "Error"))))
			s.broke(2100, record.Begun, "kill", "controller", "pods/system/c1")
		}, spec.Fail, "ended with exit code 1, Error"},
		"killed, and its heir crashes": {func(s *story) {
			s.broke(2100, record.Begun, "kill", "all")
			s.see(2130, "ADDED", controller("c2"))
			s.see(2140, "MODIFIED", controller("c2", container(1, running)))
		}, spec.Fail, "pod system/c2 restarted"},
		"another's part is killed": {func(s *story) {
			s.broke(2100, record.Begun, "kill", "bus")
			s.see(2110, "MODIFIED", restarted)
		}, spec.Fail, "pod system/c1 ended"},
		"the node is restarted": {func(s *story) {
			s.broke(2100, record.Begun, "restart", "node")
			s.see(2110, "MODIFIED", restarted)
		}, spec.Pass, "none of the"},
		"the node is restarted, and it restarts twice": {func(s *story) {
			s.broke(2100, record.Begun, "restart", "node")
			s.see(2110, "MODIFIED", restarted)
			s.see(2120, "MODIFIED", controller("c1", container(3, running)))
		}, spec.Fail, "pod system/c1 restarted at +0.110 s"},
		"work that succeeded": {func(s *story) {
			s.see(2100, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			s.see(2110, "ADDED", step("w1-a", "w1", "Pending"))
			s.see(2120, "MODIFIED", step("w1-a", "w1", "Succeeded", container(0, died(0, "Completed"))))
		}, spec.Pass, "none of the operator's 2 pods"},
		"work that failed": {func(s *story) {
			s.see(2100, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			s.see(2110, "ADDED", step("w1-a", "w1", "Pending"))
			s.see(2120, "MODIFIED", step("w1-a", "w1", "Failed", container(0, died(64, "Error"))))
		}, spec.Fail, "container main of pod argo-events/w1-a ended with exit code 64"},
		"another's work that failed": {func(s *story) {
			s.see(2100, "ADDED", workSaying("w1", "elsewhere/cache", "Running", ""))
			s.see(2110, "ADDED", step("w1-a", "w1", "Pending"))
			s.see(2120, "MODIFIED", step("w1-a", "w1", "Failed", container(0, died(64, "Error"))))
		}, spec.Pass, "none of the operator's 1 pod"},
		"a stranger's pod": {func(s *story) {
			s.see(2110, "ADDED", part("x", "system", fields{"app": "other"}))
			s.see(2120, "MODIFIED", part("x", "system", fields{"app": "other"}, container(1, running)))
		}, spec.Pass, "none of the operator's 1 pod"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, worker())
			s.given()
			s.see(1800, "LISTED", controller("c1", container(1, running)))
			s.begin(2000, "native", "health", 3, matrix("health"))
			s.changed(2010, 2, 3)
			test.tell(s)
			s.end(4000, record.Settled)
			v := s.says("health", test.want, test.message)
			if test.want == spec.Fail {
				assert.NotEmpty(t, v.Evidence)
			}
		})
	}
}

// What cannot be brought about fails somewhere: that a step's pod ends in error is
// how such an operator tells. A component that falls over it is another matter.
func TestHealthOfWhatCannotBeBroughtAbout(t *testing.T) {
	told := func(s *story) {
		s.see(2100, "ADDED", workSaying("w1", "services/cache", "Running", ""))
		s.see(2110, "ADDED", step("w1-a", "w1", "Pending"))
		s.see(2120, "MODIFIED", step("w1-a", "w1", "Failed", container(0, died(64, "Error"))))
	}
	fell := func(s *story) { s.see(2120, "MODIFIED", controller("c1", container(2, died(2, "Error")))) }
	for name, test := range map[string]struct {
		tell func(*story)
		want spec.Outcome
	}{"told": {told, spec.Pass}, "fell over it": {fell, spec.Fail}} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, worker())
			s.given()
			s.see(1800, "LISTED", controller("c1", container(1, running)))
			s.begin(2000, "native", "bad size", 3, matrix("health"), func(b *record.Sample) { b.Unmeetable = true })
			s.changed(2010, 2, 3)
			test.tell(s)
			s.end(4000, record.Settled)
			s.says("health", test.want, "")
		})
	}
}

// Nor can a step do anything else while its writes are refused, though that may be
// reported a little later, if it names that; one that begins afterwards can.
func TestHealthWhileWritesAreRefused(t *testing.T) {
	begins := func(name string, ms float64) func(*story) {
		return func(s *story) { s.see(ms, "ADDED", step(name, "w1", "Pending")) }
	}
	fails := func(name string, ms float64, reason string) func(*story) {
		return func(s *story) { s.see(ms, "MODIFIED", step(name, "w1", "Failed", container(0, died(64, reason)))) }
	}
	dies := func(s *story) { s.see(2150, "MODIFIED", controller("c1", container(2, died(2, "Error")))) }
	for name, test := range map[string]struct {
		during, after []func(*story)
		want          spec.Outcome
	}{
		"a step":              {[]func(*story){begins("w1-a", 2110), fails("w1-a", 2150, "Forbidden: denied")}, nil, spec.Pass},
		"a step, told later":  {[]func(*story){begins("w1-a", 2110)}, []func(*story){fails("w1-a", 2350, "Forbidden: denied")}, spec.Pass},
		"a step after that":   {nil, []func(*story){begins("w1-b", 2310), fails("w1-b", 2350, "Forbidden: denied")}, spec.Fail},
		"of something else":   {[]func(*story){begins("w1-a", 2110), fails("w1-a", 2150, "OOMKilled")}, nil, spec.Fail},
		"the component fails": {[]func(*story){dies}, nil, spec.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, worker())
			s.given()
			s.see(1800, "LISTED", controller("c1", container(1, running)))
			s.begin(2000, "native", "write refused", 3, matrix("health"), func(b *record.Sample) { b.Cause = "denied|refused" })
			s.broke(2001, record.Begun, "refuse", "deployments.apps")
			s.changed(2010, 2, 3)
			s.see(2100, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			for _, happens := range test.during {
				happens(s)
			}
			s.broke(2300, record.Over, "refuse", "deployments.apps")
			for _, happens := range test.after {
				happens(s)
			}
			s.end(4000, record.Settled)
			s.says("health", test.want, "")
		})
	}
}

// The operator is there before the first sample begins.
func TestHealthOfWhatWasThereBefore(t *testing.T) {
	for name, test := range map[string]struct {
		reference bool
		want      spec.Outcome
	}{"read": {true, spec.Pass}, "not read": {false, spec.Invalid}} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, worker())
			if test.reference {
				s.entries[0].Header.Reference = wanted(t)
			}
			s.see(1, "LISTED", controller("c1", container(1, running)))
			s.created(matrix("health"))
			s.end(1710, record.Settled)
			assert.Equal(t, test.want, s.verdict("health").Outcome)
		})
	}
}

func TestHealthThatCannotBeJudged(t *testing.T) {
	s := newStory(t)
	s.created(matrix("health"))
	s.end(1710, record.Settled)
	assert.Equal(t, spec.NotApplicable, s.verdict("health").Outcome)

	s.entries[0].Header.Styles = []record.Style{worker()}
	v := s.says("health", spec.Invalid, "")
	assert.Equal(t, "no pod of the operator was seen", v.Message)

	wrong := worker()
	wrong.Components[0].Selector = "app in"
	s.entries[0].Header.Styles = []record.Style{wrong}
	s.says("health", spec.Invalid, `component controller of style native: selector "app in"`)
}

// To take its finalizer from what is to be deleted asks for nothing new, though
// the deletion has raised the generation.
func TestWorkOnAFinalizer(t *testing.T) {
	s := newStory(t, worker())
	s.given()
	s.begin(2000, "native", "finalizer", -1, matrix("no-needless-work", "ledger"))
	s.changed(2010, 1, 3)
	s.see(2020, "ADDED", workSaying("w1", "services/cache", "Succeeded", ""))
	s.act(2030, 2035, "delete", thing{resource: customs, namespace: "services", name: "cache", uid: "cr1"})
	doomed := custom(2, 3, 0)
	doomed.object["metadata"] = fields{"generation": 2, "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []string{"hold"}}
	s.see(2036, "MODIFIED", doomed)
	s.see(2040, "ADDED", workSaying("w2", "services/cache", "Succeeded", ""))
	s.act(2050, 2055, "patch", doomed)
	s.see(2056, "DELETED", doomed)
	s.see(2060, "ADDED", workSaying("w3", "services/cache", "Succeeded", ""))
	s.see(2070, "DELETED", deployment(1, 3, 3, 3))
	s.end(4000, record.Settled)
	v := s.says("ledger", spec.Pass, "")
	assert.Equal(t, "the deletion handled after 40ms", v.Message)
	s.says("no-needless-work", spec.Fail, "on account of 2 writes to the custom resource that asked for nothing new; seen 3 work objects, for 1 change")
}

// What an operator looks at anew once it has been upgraded is no work on the
// change that follows; what it does twice after that is.
func TestWorkAfterAnUpgradeIsNoneOnTheNextChange(t *testing.T) {
	for name, test := range map[string]struct {
		again float64
		want  spec.Outcome
	}{"before the change": {2400, spec.Pass}, "after it": {3100, spec.Fail}} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, worker())
			s.given()
			s.begin(2000, "native", "upgrade-keeps-pods", 4, matrix("ledger"))
			s.broke(2010, record.Begun, "upgrade", "all")
			s.broke(2500, record.Over, "upgrade", "all")
			s.see(test.again, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			s.changed(3000, 2, 4)
			s.see(3200, "ADDED", workSaying("w2", "services/cache", "Running", ""))
			s.see(3300, "MODIFIED", deployment(2, 4, 4, 4))
			s.end(4000, record.Settled)
			s.says("ledger", test.want, "")
		})
	}
}

// Objects that a style works by are counted for no-needless-work and the ledger.
func TestWorkIsCounted(t *testing.T) {
	for name, test := range map[string]struct {
		tell             func(*story)
		needless, ledger spec.Outcome
		message          string
	}{
		"one for one change": {func(s *story) {
			s.see(2100, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			s.see(2200, "MODIFIED", workSaying("w1", "services/cache", "Succeeded", ""))
		}, spec.Pass, spec.Pass, "no write to the Deployment, and no work, on account of 1 write"},
		"one for each write": {func(s *story) {
			s.see(2100, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			s.see(2200, "ADDED", workSaying("w2", "services/cache", "Running", ""))
		}, spec.Fail, spec.Pass, "expected no work on account of 1 write to the custom resource that asked for nothing new; seen 2 work objects, for 1 change: w1, w2"},
		"two for one": {func(s *story) {
			s.see(2100, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			s.see(2110, "ADDED", workSaying("w2", "services/cache", "Running", ""))
			s.see(2120, "ADDED", workSaying("w3", "services/cache", "Running", ""))
		}, spec.Fail, spec.Fail, "worked on more than once: 3 work objects for 2 writes to the custom resource"},
		"another's": {func(s *story) {
			s.see(2100, "ADDED", workSaying("w1", "services/other", "Running", ""))
			s.see(2110, "ADDED", workSaying("w2", "services/caches", "Running", ""))
			s.see(2120, "ADDED", workSaying("w3", "services-2/cache", "Running", ""))
		}, spec.Pass, spec.Pass, "no work"},
		"from before": {func(s *story) {
			s.see(2100, "MODIFIED", workSaying("w0", "services/cache", "Succeeded", ""))
			s.see(2110, "ADDED", workSaying("w1", "services/cache", "Succeeded", ""))
		}, spec.Pass, spec.Pass, "no work"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, worker())
			s.given()
			s.see(1800, "ADDED", workSaying("w0", "services/cache", "Running", ""))
			s.begin(2000, "native", "annotation", 4, matrix("no-needless-work", "ledger"))
			s.changed(2010, 2, 4)
			s.changed(2020, 2, 4)
			s.see(2150, "MODIFIED", deployment(2, 4, 4, 4))
			test.tell(s)
			s.end(4000, record.Settled)
			needless, ledger := s.verdict("no-needless-work"), s.verdict("ledger")
			assert.Equal(t, test.needless, needless.Outcome, needless.Message)
			assert.Equal(t, test.ledger, ledger.Outcome, ledger.Message)
			assert.Contains(t, needless.Message+ledger.Message, test.message)
		})
	}
}

// What a container's log says of its end beats its exit code.
func TestTheEndOfALogIsToldOfItsContainer(t *testing.T) {
	s := newStory(t, worker())
	s.begin(2, "native", "create", 3, matrix("health"))
	s.act(10, 15, "create", custom(1, 3, 0))
	s.see(50, "ADDED", controller("c1", container(0, running)))
	s.see(100, "MODIFIED", controller("c1", container(0, died(2, "Error"))))
	s.end(5000, record.Settled)
	s.add(record.Entry{Time: at(6000), Kind: record.KindLogs, Logs: &record.Logs{Style: "native", Round: 1, Ends: []record.LogEnd{
		{Container: "system/c1/main", Line: "panic: assignment to entry in nil map"},
		{Container: "system/c1/main", Line: "panic: once more"},
		{Container: "system/another/main", Line: "no business of this"},
	}}})
	v := s.says("health", spec.Fail, "; the log of system/c1/main says at its end: panic: assignment to entry in nil map")
	assert.NotContains(t, v.Message, "once more")
	assert.NotContains(t, v.Message, "no business")
}
