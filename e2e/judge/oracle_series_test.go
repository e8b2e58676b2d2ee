package judge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// TestSeries tells of twenty custom resources, one every 100 ms, whose Deployments
// are written so many milliseconds after them.
func TestSeries(t *testing.T) {
	const count = 20
	for name, test := range map[string]struct {
		took    func(i int) float64 // below zero: never
		want    spec.Outcome
		message string
	}{
		"all alike": {func(int) float64 { return 50 }, spec.Pass, "each of 20 custom resources had its Deployment within 50ms; the median took 50ms"},
		"every fifth is late": {func(i int) float64 {
			if i%5 == 0 {
				return 40000
			}
			return 50
		}, spec.Fail, "expected each of 20 custom resources to have its Deployment within 10.05s, as the median took 50ms; 4 were later: series-05 after 40s, series-10 after 40s, series-15 after 40s and series-20 after 40s"},
		"some seconds are no lateness": {func(i int) float64 { return float64(i) * 500 }, spec.Pass, "within 10s; the median took 5s"},
		"a slow style, and one slower": {func(i int) float64 {
			if i == 7 {
				return 25000
			}
			return 4000
		}, spec.Pass, "within 25s; the median took 4s"},
		"it stops": {func(i int) float64 {
			if i > 15 {
				return -1
			}
			return 50
		}, spec.Fail, "5 have none of their size at +60.000 s: series-16, series-17, series-18, series-19 and series-20"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			one := 1
			s.begin(0, "native", "series", 1, func(b *record.Sample) {
				b.Matrix, b.Expect, b.Timeout = true, []string{"series"}, time.Hour
				for i := 1; i <= count; i++ {
					b.Others = append(b.Others, record.Other{Namespace: "services", Name: fmt.Sprintf("series-%02d", i), Size: &one})
				}
			})
			type write struct {
				at float64
				x  thing
			}
			var writes []write
			asked := func(i int) float64 { return float64(i * 100) }
			for i := 1; i <= count; i++ {
				cr := custom(1, 1, 0).named(fmt.Sprintf("series-%02d", i), fmt.Sprintf("cr-%d", i))
				writes = append(writes, write{asked(i) + 10, cr})
				if took := test.took(i); took >= 0 {
					child := deployment(1, 1, 0, 0).named(cr.name, "d-"+cr.uid)
					child.object["metadata"].(fields)["ownerReferences"] = owner(cr.uid)
					writes = append(writes, write{asked(i) + took, child})
				}
			}
			// Before a recording's entries are sorted, actions come first: an action's From is what counts.
			for i, w := range writes {
				if w.x.resource == customs {
					s.act(w.at-10, w.at, "create", writes[i].x)
				}
			}
			s.act(2500, 2510, "create", custom(1, 1, 0))
			for _, w := range writes {
				s.see(w.at, "ADDED", w.x)
			}
			s.end(62500-2400, record.Settled)
			s.says("series", test.want, test.message)
		})
	}
}

func TestNoSeries(t *testing.T) {
	s := newStory(t)
	s.created(func(b *record.Sample) { b.Expect = []string{"series"} })
	s.end(1710, record.Settled)
	assert.Equal(t, spec.NotApplicable, s.verdict("series").Outcome)
}
