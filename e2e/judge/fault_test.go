package judge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// breaks tells of a fault of the story's sample, or its mending, that took from until to.
func (s *story) breaks(from, to float64, stage, kind, what string) {
	s.add(record.Entry{Time: at(to), Kind: record.KindFault, Fault: &record.Fault{
		Stage: stage, From: at(from), Kind: kind, What: what, Namespace: s.sample.Namespace,
	}})
}

func (s *story) nudges(from, to float64, x thing) {
	s.act(from, to, "patch", x)
	a := s.entries[len(s.entries)-1].Action
	a.Nudge, a.Measured = true, false
}

// halted tells of an operator that is stopped at 100 ms and back at 300 ms,
// while a scale from 1 to 2 is asked for.
func halted(t *testing.T) *story {
	t.Helper()
	return haltedFor(t, "converged", "recovers")
}

// haltedFor is the same for a scenario with these oracles.
func haltedFor(t *testing.T, oracles ...string) *story {
	t.Helper()
	s := newOverlap(t)
	s.see(1, "LISTED", custom(1, 1, 0))
	s.see(1, "LISTED", deployment(1, 1, 1, 1))
	s.begin(50, "busy", "kill", 2, ofMatrix("services", oracles...))
	s.breaks(100, 110, record.Begun, "stop", "operator")
	s.done(150, "patch", custom(2, 2, 0).at(100))
	return s
}

func TestRecovery(t *testing.T) {
	mended := func(s *story) { s.breaks(300, 350, record.Over, "stop", "operator") }
	for name, test := range map[string]struct {
		tell func(*story)
		want *judge.Recovery
	}{
		"by itself, counted from the mending's beginning": {func(s *story) {
			mended(s)
			s.see(500, "MODIFIED", deployment(2, 2, 2, 2))
		}, &judge.Recovery{By: verdicts.Itself, After: 200 * time.Millisecond}},
		"the last time that the state came counts": {func(s *story) {
			mended(s)
			s.see(500, "MODIFIED", deployment(2, 2, 2, 2))
			s.see(600, "MODIFIED", deployment(3, 1, 1, 1))
			s.see(700, "MODIFIED", deployment(4, 2, 2, 2))
		}, &judge.Recovery{By: verdicts.Itself, After: 400 * time.Millisecond}},
		"before the fault was over": {func(s *story) {
			s.see(200, "MODIFIED", deployment(2, 2, 2, 2))
			mended(s)
		}, &judge.Recovery{By: verdicts.Itself}},
		"only after a nudge": {func(s *story) {
			mended(s)
			s.nudges(900, 905, custom(2, 2, 0).at(101))
			s.see(906, "MODIFIED", custom(2, 2, 0).at(101))
			s.see(950, "MODIFIED", deployment(2, 2, 2, 2))
		}, &judge.Recovery{By: verdicts.Nudge, After: 650 * time.Millisecond}},
		"never, though nudged": {func(s *story) {
			mended(s)
			s.nudges(900, 905, custom(2, 2, 0).at(101))
			s.see(906, "MODIFIED", custom(2, 2, 0).at(101))
		}, &judge.Recovery{By: verdicts.Never}},
		"the fault was never over": {func(s *story) {
			s.see(500, "MODIFIED", deployment(2, 2, 2, 2))
		}, nil},
		"mending it failed": {func(s *story) {
			mended(s)
			s.entries[len(s.entries)-1].Fault.Error = "no"
			s.see(500, "MODIFIED", deployment(2, 2, 2, 2))
		}, nil},
		"nobody looked": {func(s *story) {
			mended(s)
			s.gap(400, 600, spec.Deployments)
			s.see(700, "MODIFIED", deployment(2, 2, 2, 2))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := halted(t)
			test.tell(s)
			s.end(2000, record.Settled)
			assert.Equal(t, test.want, s.result().Recovery)
		})
	}
	s := halted(t)
	mended(s)
	s.see(500, "MODIFIED", deployment(2, 2, 2, 2))
	s.end(600, record.Interrupted)
	assert.Nil(t, s.result().Recovery, "an interrupted sample tells nothing")

	s = haltedFor(t, "converged")
	mended(s)
	s.see(500, "MODIFIED", deployment(2, 2, 2, 2))
	s.end(2000, record.Settled)
	assert.Nil(t, s.result().Recovery, "what no oracle asks for")
}

// Faults are the sample's that they are recorded for, and stand in its evidence.
func TestFaultsAreEvidence(t *testing.T) {
	s := halted(t)
	s.begin(200, "busy", "create", 1, ofMatrix("b", "converged"))
	s.breaks(210, 220, record.Begun, "kill", "bus")
	s.sample.Namespace, s.sample.Scenario = "services", "kill"
	s.breaks(300, 350, record.Over, "stop", "operator")
	s.see(400, "ADDED", workFor("w-1", "services/cache", "Running"))
	s.see(401, "MODIFIED", workFor("w-1", "services/cache", "Running"))
	s.see(402, "MODIFIED", workFor("w-1", "services/cache", "Failed"))
	s.nudges(900, 905, custom(2, 2, 0).at(101))
	s.end(2000, record.TimedOut)
	v := s.verdictOf("services", "converged")
	assert.Equal(t, spec.Fail, v.Outcome)
	evidence := strings.Join(v.Evidence, "\n")
	assert.Contains(t, evidence, "fault begun: stop operator")
	assert.Contains(t, evidence, "fault over: stop operator")
	assert.Contains(t, evidence, "memcacheds/cache, a nudge")
	assert.NotContains(t, evidence, "bus")
	assert.Contains(t, evidence, "ADDED workflows/w-1 for services/cache\n")
	assert.Contains(t, evidence, "MODIFIED workflows/w-1 for services/cache, ended\n")
}

// However much happens, what was broken is told.
func TestFaultsAreNotLeftOut(t *testing.T) {
	s := halted(t)
	s.breaks(300, 350, record.Over, "stop", "operator")
	s.nudges(900, 905, custom(2, 2, 0).at(101))
	for ms := range 6 {
		s.see(1000+float64(ms), "MODIFIED", deployment(1, 1, 1, 1))
	}
	s.end(2000, record.TimedOut)
	evidence := s.verdict("converged").Evidence
	require.Len(t, evidence, 9)
	assert.Contains(t, evidence[0], "fault begun: stop")
	assert.Contains(t, evidence[1], "harness: patch")
	assert.Contains(t, evidence[2], "fault over: stop")
	assert.Contains(t, evidence[3], "a nudge")
	assert.Equal(t, "… 2 more", evidence[4])
}

// What comes after a point that was not reached was never asked for.
func TestStepsThatStoppedAreTold(t *testing.T) {
	s := halted(t)
	s.end(2000, record.TimedOut)
	assert.NotContains(t, s.verdict("converged").Message, "the steps stopped")
	end := s.entries[len(s.entries)-1].End
	end.Await, end.Reason = spec.PointHandled, "await handled: there is no Deployment"
	assert.Contains(t, s.verdict("converged").Message, "; the steps stopped at await handled: there is no Deployment")
}

// verdictOf is what an oracle says of the sample in a namespace.
func (s *story) verdictOf(namespace, oracle string) judge.Verdict {
	s.t.Helper()
	for _, r := range s.judge().Results {
		for _, v := range r.Verdicts {
			if r.Namespace == namespace && v.Oracle == oracle {
				return v
			}
		}
	}
	require.Fail(s.t, "there is no such verdict")
	return judge.Verdict{}
}

// restarted tells of a restart of the API server from 100 to 5000 ms.
func restarted(t *testing.T, kind string) *story {
	t.Helper()
	s := newOverlap(t)
	s.see(1, "LISTED", custom(1, 1, 0))
	s.see(1, "LISTED", deployment(1, 1, 1, 1))
	s.begin(50, "busy", "kill", 1, ofMatrix("services", "converged", "isolation", "recovers"))
	s.gap(150, 4000, spec.Deployments)
	s.breaks(100, 5000, record.Begun, kind, "api-server")
	s.breaks(5000, 5000, record.Over, kind, "api-server")
	return s
}

// Of a restart of the API server it is known why nothing was heard.
func TestAGapThatARestartExplains(t *testing.T) {
	s := restarted(t, "restart")
	s.end(6000, record.Settled)
	s.says("converged", spec.Pass, "; the restart of the api-server interrupted the watch of deployments for 3.85s")
	assert.NotContains(t, s.verdict("isolation").Message, "restart", "it says nothing of what it did not look at")

	s = restarted(t, "kill")
	s.end(6000, record.Settled)
	assert.Equal(t, spec.Invalid, s.verdict("converged").Outcome, "a pod that is killed breaks no watch")

	s = restarted(t, "restart")
	s.gap(34_000, 36_000, spec.Deployments)
	s.end(37_000, record.Settled)
	assert.Equal(t, spec.Pass, s.verdict("converged").Outcome, "watches may take a while to come back")

	s = restarted(t, "restart")
	s.gap(36_000, 37_000, spec.Deployments)
	s.end(38_000, record.Settled)
	assert.Equal(t, spec.Invalid, s.verdict("converged").Outcome, "that gap has another reason")
}

// To replace a definition closes the watches of its resource, and no others.
func TestAGapThatADefinitionExplains(t *testing.T) {
	for resource, want := range map[string]spec.Outcome{customs: spec.NotApplicable, spec.Deployments: spec.Invalid} {
		s := newOverlap(t)
		s.see(1, "LISTED", custom(1, 1, 0))
		s.see(1, "LISTED", deployment(1, 1, 1, 1))
		s.begin(50, "busy", "bad size", 1, ofMatrix("services", "ledger"))
		s.breaks(100, 150, record.Begun, "definition", "tutorial")
		s.gap(200, 203, resource)
		s.breaks(1000, 1050, record.Over, "definition", "tutorial")
		s.gap(1100, 1104, resource)
		s.end(2000, record.Settled)
		assert.Equal(t, want, s.verdict("ledger").Outcome)
	}
}

// A watch can be back only when the sample has ended.
func TestAGapThatOutlastsTheSample(t *testing.T) {
	for kind, want := range map[string]spec.Outcome{"restart": spec.Pass, "kill": spec.Invalid} {
		s := newOverlap(t)
		s.see(1, "LISTED", custom(1, 1, 0))
		s.see(1, "LISTED", deployment(1, 1, 1, 1))
		s.begin(50, "busy", "kill", 1, ofMatrix("services", "converged"))
		s.breaks(100, 5000, record.Begun, kind, "api-server")
		s.breaks(5000, 5000, record.Over, kind, "api-server")
		s.end(6000, record.Settled)
		s.gap(150, 7000, spec.Deployments)
		s.says("converged", want, "6.85s")
	}
}

// What went while nothing was heard is recorded as deleted when that is noticed,
// before everything is listed anew: it is judged as what the watch brought.
func TestWhatWentInAGap(t *testing.T) {
	s := restarted(t, "restart")
	s.see(5010, "DELETED", deployment(1, 1, 1, 1).at(1))
	s.see(5011, "LISTED", deployment(1, 1, 1, 1).named("another", "d2"))
	s.gap(4990, 5020, spec.Deployments)
	assert.True(t, strings.HasPrefix(missing(t, s), "there is no Deployment cache-deployment; there is Deployment another with "), missing(t, s))
	s.see(5100, "ADDED", deployment(1, 1, 1, 1).named("cache-deployment", "d3"))
	assert.Empty(t, missing(t, s))
	s.end(6000, record.Settled)
	r := s.result()
	v := s.says("converged", spec.Pass, "at +5.000 s")
	assert.Contains(t, v.Message, "for 3.85s; the restart of the api-server interrupted the watch of deployments for 30ms")
	assert.Equal(t, &judge.Recovery{By: verdicts.Itself, After: 100 * time.Millisecond}, r.Recovery)
}
