package judge_test

import (
	"math"
	"testing"
	"time"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Where all custom resources have gone, nothing is asked for any more, but for what was before there was any.
func TestNobodyLooksAfterWhatHasGone(t *testing.T) {
	const lists = 5000. // every so many milliseconds
	for name, test := range map[string]struct {
		from, until float64 // of the lists
		stays       bool
		want        spec.Outcome
		message     string
	}{
		"never":          {0, 0, false, spec.Pass, "0 requests"},
		"to the end":     {25_000, 35_000, false, spec.Pass, "0 requests"},
		"for ever":       {25_000, 80_000, false, spec.Fail, "10s after the last event until +59.990 s it asked 7 times, where 3 were let pass (0 before there was any): list pods services (7×)"},
		"as before":      {1000, 80_000, false, spec.Pass, "0 requests"},
		"of one that is": {25_000, 80_000, true, spec.Pass, "0 requests"},
	} {
		t.Run(name, func(t *testing.T) {
			s := strict(t)
			s.begin(0, "native", "deleted-at-zero", -1, matrix("in-vain"), func(b *record.Sample) {
				if b.Window = 50 * time.Second; test.stays {
					size := 0
					b.Others = []record.Other{{Namespace: "services", Name: "other", Size: &size}}
				}
			})
			for ms := test.from; ms < test.until; ms += lists {
				s.by("a", ms, "list", spec.Pods, "services", "", 200)
			}
			s.by("a", 79_000, "watch", spec.Pods, "services", "", 200)
			s.act(20_010, 20_015, "create", custom(1, 1, 0))
			s.see(20_016, "ADDED", custom(1, 1, 0))
			s.act(30_000, 30_005, "delete", custom(1, 1, 0))
			s.see(30_006, "DELETED", custom(1, 1, 0))
			s.entries = ordered(s.entries)
			s.end(80_000, record.Settled)
			s.says("in-vain", test.want, test.message)
		})
	}
}

// What comes to nothing is tried ever more seldom, and not for ever.
func TestInVain(t *testing.T) {
	create := func(s *story, ms float64, code int) {
		s.by("a", ms, "create", spec.Deployments, "services", "cache", code)
	}
	waits := func(s *story, tries int) {
		for n := range tries {
			create(s, 100+5*math.Pow(2, float64(n)), 403)
		}
	}
	every := func(s *story, wait, until float64) {
		for ms := 100.0; ms < until; ms += wait {
			create(s, ms, 403)
		}
	}
	broken := func(s *story) {
		s.add(record.Entry{Time: at(12), Kind: record.KindFault, Fault: &record.Fault{Stage: record.Begun, From: at(10), Kind: spec.FaultRefuse, What: "child", Namespace: "services"}})
	}
	movingPods := func(s *story, tries int) { // for each pod that moves
		broken(s)
		waits(s, 8)
		for n := range 6 {
			s.see(4000+50*float64(n), "MODIFIED", pod(n, "Running"))
			for try := range tries {
				create(s, 4010+50*float64(n)+10*float64(try), 403)
			}
		}
	}
	for name, test := range map[string]telling{
		"nothing refused":                 {func(s *story) { create(s, 100, 201) }, spec.Pass, "0 requests of the operator's came to nothing"},
		"ever more seldom":                {func(s *story) { broken(s); waits(s, 11) }, spec.Pass, "11 requests"},
		"a few times in vain":             {func(s *story) { waits(s, 8) }, spec.Pass, "8 requests"},
		"for ever, nothing broken":        {func(s *story) { waits(s, 9) }, spec.Fail, "it asked 9 times from +0.095 s to +1.370 s: create deployments services/cache, answered with 403"},
		"ten times a second":              {func(s *story) { broken(s); every(s, 100, 9000) }, spec.Fail, "it asked 10 times within a second, in which nothing moved, at +2.090 s, 2s after the first refusal"},
		"without a pause":                 {func(s *story) { broken(s); every(s, 5, 9000) }, spec.Fail, "(1780 tries in all)"},
		"as often as its pods move":       {func(s *story) { movingPods(s, 1) }, spec.Pass, "14 requests"},
		"twice as often as its pods move": {func(s *story) { movingPods(s, 2) }, spec.Fail, "it asked 12 times within a second, in which 6 things moved"},
		"ten times for two seconds":       {func(s *story) { broken(s); every(s, 100, 2000) }, spec.Pass, "19 requests"},
		"twice a second":                  {func(s *story) { broken(s); every(s, 500, 9000) }, spec.Pass, "18 requests"},
		"a new pod begins anew": {func(s *story) {
			waits(s, 8)
			for n := range 8 {
				s.by("b", 5000+5*math.Pow(2, float64(n)), "create", spec.Deployments, "services", "cache", 403)
			}
		}, spec.Pass, "16 requests"},
		"conflicts": {func(s *story) {
			for ms := 100.0; ms < 9000; ms += 100 {
				create(s, ms, 409)
			}
		}, spec.Pass, "0 requests"},
		"another wrong value begins anew": {func(s *story) {
			for i, from := range []float64{100, 9000} {
				s.act(from-10, from-5, "patch", custom(2+2*i, 1, 0))
				s.entries[len(s.entries)-1].Action.Wrong = "spec.image to \"?\""
				for n := range 10 {
					create(s, from+5*math.Pow(2, float64(n)), 422)
				}
			}
		}, spec.Pass, "20 requests"},
		"a wrong value again and again": {func(s *story) {
			s.act(50, 55, "patch", custom(2, 1, 0))
			s.entries[len(s.entries)-1].Action.Wrong = "spec.image to \"?\""
			every(s, 100, 9000)
		}, spec.Fail, "it asked 10 times within a second, in which nothing moved, at +2.090 s, 2s after the first refusal"},
		"what has gone": {func(s *story) {
			for ms := 100.0; ms < 7000; ms += 1000 {
				s.by("a", ms, "get", customs, "services", "cache", 404)
			}
		}, spec.Fail, "it goes on with get memcacheds services/cache, answered with 404: 7 tries in all, 5 of them later than 1s after the last event"},
		"five children of one kind, whose creations name none": {func(s *story) {
			broken(s)
			w := workloadtest.Default(t).Workload
			for _, id := range []string{"a", "b", "c", "d"} {
				w.Children = append(w.Children, spec.ChildKind{ID: id, Resource: spec.Deployments, Kind: "Deployment"})
			}
			s.entries[0].Header.Workload = &w
			for _, ms := range []float64{100, 3000, 7000, 15_000} {
				for n := range 5 {
					s.by("a", ms+float64(n), "create", spec.Deployments, "services", "", 403)
				}
			}
		}, spec.Pass, "20 requests"},
		"looked for once more": {func(s *story) {
			s.by("a", 100, "get", customs, "services", "cache", 404)
			s.by("a", 2000, "get", customs, "services", "cache", 404)
		}, spec.Pass, "2 requests"},
	} {
		t.Run(name, func(t *testing.T) {
			s := strict(t)
			s.begin(0, "native", "create", 1, matrix("in-vain"))
			test.tell(s)
			s.act(10, 15, "create", custom(1, 1, 0))
			s.see(1000, "ADDED", custom(1, 1, 0))
			s.entries = ordered(s.entries)
			s.end(20_000, record.Settled)
			s.says("in-vain", test.want, test.message)
		})
	}
}
