package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// throughOneStyle runs through one style as the suite does.
func throughOneStyle(p *Progress) {
	p.Note("install argo")
	p.Began(record.Sample{Style: "argo", Scenario: "create", Round: 2})
	p.Ended(judge.Result{
		Scenario: "create", Verdicts: []judge.Verdict{{Outcome: spec.Pass}},
		Samples: []judge.Sample{{Phase: spec.PhaseAcknowledged, Value: 0.003}, {Phase: spec.PhaseReady, Value: 62.9}},
	})
	p.Began(record.Sample{Style: "argo", Scenario: "delete", Round: 2, Prepare: true})
	p.Began(record.Sample{Style: "native", Scenario: "create", Round: 2})
	p.Clear()
	p.Stop()
}

func TestProgressOnATerminal(t *testing.T) {
	var out strings.Builder
	throughOneStyle(&Progress{out: &out, terminal: true, width: func() int { return 60 }})
	assert.Equal(t, []string{
		"",
		"install argo",
		"argo  round 2  create",
		"argo  round 2  create  last: create pass, ready 62.9 s",
		"argo  round 2  delete (given state)  last: create pass, re…",
		"native  round 2  create",
		"",
	}, strings.Split(out.String(), eraseLine))
}

func TestProgressElsewhere(t *testing.T) {
	var out strings.Builder
	throughOneStyle(NewProgress(&out))
	assert.Empty(t, out.String())
}

func TestProgressKeepsToItsLine(t *testing.T) {
	var out strings.Builder
	p := &Progress{out: &out, terminal: true, width: func() int { return 40 }}
	p.Note("pull failed:\nunexpected\x1b[2J status " + strings.Repeat("é", 100))
	assert.Equal(t, eraseLine+"pull failed: unexpected [2J status ééé…", out.String())
}
