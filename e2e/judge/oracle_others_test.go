package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// marked is the main child with what others have put into it.
func marked(generation int, label, template bool, finalizers ...string) thing {
	d := referring(deployment(generation, generation, generation, generation))
	meta := d.object["metadata"].(fields)
	meta["finalizers"] = finalizers
	if label {
		meta["labels"] = fields{"operatorbench/team": "payments", "app": "memcached"}
	}
	if template {
		d.object["spec"].(fields)["template"] = fields{"metadata": fields{"annotations": fields{"operatorbench/restarted": "yes"}}}
	}
	return d
}

// shared has a second owner, which does not control it.
func shared(d thing) thing {
	meta := d.object["metadata"].(fields)
	meta["ownerReferences"] = append(meta["ownerReferences"].([]any), fields{"uid": "root", "kind": "ConfigMap", "name": spec.OtherOwner})
	return d
}

func referring(d thing) thing {
	d.object["metadata"].(fields)["ownerReferences"] = []any{fields{"uid": "cr1", "kind": "Memcached", "name": "cache", "controller": true}}
	return d
}

// What others have put into the child stays until they take it away.
func TestOthersKeepWhatTheyHavePut(t *testing.T) {
	all := func() thing { return shared(marked(2, true, true, "operatorbench/hold")) }
	for name, test := range map[string]struct {
		after   thing
		drift   bool // the harness takes the finalizer away before
		want    spec.Outcome
		message string
	}{
		"all of it stays":         {all(), false, spec.Pass, "annotation of its pods' template: operatorbench/restarted, finalizer operatorbench/hold, label operatorbench/team, owner reference to ConfigMap kube-root-ca.crt"},
		"the second owner goes":   {marked(2, true, true, "operatorbench/hold"), false, spec.Fail, "it lost the owner reference to ConfigMap kube-root-ca.crt"},
		"the harness takes one":   {shared(marked(2, true, true)), true, spec.Pass, "finalizer operatorbench/hold"},
		"the finalizer goes":      {shared(marked(2, true, true)), false, spec.Fail, "it lost the finalizer operatorbench/hold"},
		"a label goes":            {shared(marked(2, false, true, "operatorbench/hold")), false, spec.Fail, "it lost the label operatorbench/team"},
		"a restart is taken back": {shared(marked(2, true, false, "operatorbench/hold")), false, spec.Fail, "it lost the annotation of its pods' template: operatorbench/restarted"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.begin(0, "native", "others-marks", 2, matrix("others-kept"))
			s.done(10, "create", custom(1, 1, 0))
			s.see(20, "ADDED", referring(deployment(1, 1, 1, 1)))
			s.done(30, "patch", shared(marked(1, true, true, "operatorbench/hold")))
			if test.drift {
				test.after = test.after.at(705)
				s.act(40, 45, "patch", test.after)
			}
			s.see(50, "MODIFIED", test.after)
			s.end(5000, record.Settled)
			s.says("others-kept", test.want, test.message)
		})
	}
	s := newStory(t) // the operator is quicker than the answer to the harness
	s.begin(0, "native", "others-marks", 2, matrix("others-kept"))
	s.done(10, "create", custom(1, 1, 0))
	s.see(20, "ADDED", referring(deployment(1, 1, 1, 1)))
	s.see(31, "MODIFIED", shared(marked(1, true, true, "operatorbench/hold")).at(701))
	s.see(32, "MODIFIED", shared(marked(2, false, true, "operatorbench/hold")))
	s.act(30, 35, "patch", shared(marked(1, true, true, "operatorbench/hold")).at(701))
	s.entries = ordered(s.entries)
	s.end(5000, record.Settled)
	assert.Equal(t, spec.Fail, s.verdict("others-kept").Outcome, s.verdict("others-kept").Message)

	s = newStory(t)
	s.begin(0, "native", "create", 1, matrix("others-kept"))
	s.act(10, 15, "create", custom(1, 1, 0))
	s.see(20, "ADDED", referring(deployment(1, 1, 1, 1)))
	s.end(5000, record.Settled)
	assert.Equal(t, spec.NotApplicable, s.verdict("others-kept").Outcome)
}

// What is deleted and made anew has lost what others had put into it, unless the harness asked for its deletion.
func TestOthersLoseWhatIsMadeAnew(t *testing.T) {
	for name, test := range map[string]struct {
		deletes string // what the harness deletes before
		want    spec.Outcome
	}{"by the operator": {"", spec.Fail}, "by the harness": {spec.Deployments, spec.Pass}, "with its custom resource": {customs, spec.Pass}} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.begin(0, "native", "others-marks", 1, matrix("others-kept"))
			s.done(10, "create", custom(1, 1, 0))
			s.see(20, "ADDED", referring(deployment(1, 1, 1, 1)))
			s.done(30, "patch", marked(1, true, false))
			if test.deletes != "" {
				name := map[bool]string{true: "cache", false: "cache-deployment"}[test.deletes == customs]
				s.add(record.Entry{Time: at(45), Kind: record.KindAction, Action: &record.Action{From: at(40), Verb: "delete", Resource: test.deletes, Namespace: "services", Name: name}})
			}
			s.see(50, "DELETED", marked(1, true, false))
			s.see(60, "ADDED", referring(deployment(1, 1, 1, 1)).named("cache-deployment", "d2"))
			s.end(5000, record.Settled)
			v := s.verdict("others-kept")
			assert.Equal(t, test.want, v.Outcome, v.Message)
			if test.want == spec.Fail {
				assert.Contains(t, v.Message, "in deployments/cache-deployment what others have put there; it was deleted with the label operatorbench/team at +0.040 s")
			}
		})
	}
}
