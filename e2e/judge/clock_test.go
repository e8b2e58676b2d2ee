package judge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// A latency below zero was judged and printed: a request that began after its answer, an
// end before the action, or a clock that runs back.
func TestTimesThatCannotBeAreRefused(t *testing.T) {
	block := func(ms float64) record.Entry {
		return record.Entry{Time: at(ms), Kind: record.KindBlock, Block: &record.Block{Style: "native", Round: 1, Stage: record.Installed}}
	}
	audit := func(ms float64) record.Entry {
		return record.Entry{Time: at(ms), Kind: record.KindAudit, Audit: &record.Audit{Verb: "get"}}
	}
	for name, test := range map[string]struct {
		tell func(s *story)
		want string
	}{
		"a request after its answer": {
			func(s *story) { s.act(5010, 15, "create", custom(1, 3, 0)) },
			"line 3: action entry at 15ms: its request began at 5.01s, expected a time before its answer",
		},
		"a schedule after the answer": {func(s *story) {
			s.act(10, 15, "create", custom(1, 3, 0))
			s.entries[2].Action.Intended = time.Second
		}, "line 3: action entry at 15ms: it was due at 1s, expected a time before its answer"},
		"a request before the recording": {func(s *story) { s.act(-1, 15, "create", custom(1, 3, 0)) }, "line 3: action entry at 15ms: its request began at -1ms"},
		"a time below zero":              {func(s *story) { s.act(-2, -1, "create", custom(1, 3, 0)) }, "line 3: action entry at -1ms: a time below zero"},
		"a fault after it was done": {func(s *story) {
			s.breaks(5010, 15, record.Begun, "restart", "api-server")
		}, "line 3: fault entry at 15ms: its request began at 5.01s, expected a time before its answer"},
		"a gap that ends before it begins": {func(s *story) { s.gap(5010, 15, spec.Pods) }, "line 3: gap entry at 15ms: it began at 5.01s, expected a time before its end"},
		"an end before the action": {func(s *story) {
			s.act(5010, 5015, "create", custom(1, 3, 0))
			s.end(1000, record.Settled)
		}, "line 4: end entry at 1s: the clock runs back by 4.015s"},
		"an action before another": {func(s *story) {
			s.act(5010, 5015, "create", custom(1, 3, 0))
			s.act(10, 15, "patch", custom(2, 3, 0))
		}, "line 4: action entry at 15ms: the clock runs back by 5s"},
		"a sample before the last of its namespace": {func(s *story) {
			s.end(5000, record.Settled)
			s.begin(1000, "native", "scale up", 4)
		}, "line 4: begin entry at 1s: the clock runs back by 4s"},
		"an object as it was": {func(s *story) {
			s.see(5000, "ADDED", deployment(1, 3, 0, 0))
			s.see(1000, "MODIFIED", deployment(2, 3, 0, 0))
		}, "line 4: watch entry at 1s: the clock runs back by 4s"},
		"a block": {func(s *story) {
			s.add(block(5000))
			s.add(block(1000))
		}, "line 4: block entry at 1s: the clock runs back by 4s"},
		"the audit log": {func(s *story) {
			s.add(audit(5000))
			s.add(audit(1000))
		}, "line 4: audit entry at 1s: the clock runs back by 4s"},
		"a timeout below zero":  {func(s *story) { s.entries[1].Begin.Timeout = -time.Second }, "line 2: begin entry at 0s: a time below zero"},
		"a timeout without end": {func(s *story) { s.entries[1].Begin.Window = 1 << 62; s.end(1000, record.Settled) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.begin(0, "native", "create", 3)
			test.tell(s)
			_, err := judge.Judge(s.seq())
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

// What is recorded by several goroutines stands in the order in which they wrote it: a
// watch event may be older than an action before it.
func TestTimesOfSeveralWatchesOverlap(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create", 3)
	s.act(10, 15, "create", custom(1, 3, 0))
	s.see(14, "ADDED", custom(1, 3, 0))
	s.see(30, "ADDED", deployment(1, 3, 0, 0))
	s.see(20, "MODIFIED", custom(1, 3, 1))
	s.end(1000, record.TimedOut)
	s.judge()
}
