package restarts_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/restarts"
	"operatorbench/e2e/spec"
)

// told is a recording of one block: what its pod in the namespace system shows, before
// the installation has ended and after it.
func told(labels string, before, after []string, change ...func(*record.Block)) []restarts.Block {
	m := restarts.NewMeter()
	m.Add(record.Entry{Kind: record.KindHeader, Header: &record.Header{Styles: []record.Style{{Style: spec.Style{
		Name: "native", Components: []spec.Component{{Name: "controller", Namespace: "system", Selector: "app=controller"}},
	}}}}})
	stage := func(name string) {
		b := &record.Block{Style: "native", Round: 3, Stage: name}
		for _, f := range change {
			f(b)
		}
		m.Add(record.Entry{Kind: record.KindBlock, Block: b})
	}
	show := func(status string) {
		event := "MODIFIED"
		if rest, gone := strings.CutPrefix(status, "deleted "); gone {
			event, status = spec.Deleted, rest
		}
		m.Add(record.Entry{Kind: record.KindWatch, Watch: &record.Watch{
			Event: event, Resource: spec.Pods, Namespace: "system", Name: "c1", UID: "u1",
			Object: json.RawMessage(fmt.Sprintf(`{"metadata":{"name":"c1","namespace":"system","uid":"u1","labels":{"app":%q}},"status":%s}`, labels, status)),
		}})
	}
	stage(record.Installing)
	for _, one := range before {
		show(one)
	}
	stage(record.Installed)
	for _, one := range after {
		show(one)
	}
	stage(record.Driven)
	return m.Blocks()
}

func TestRestarts(t *testing.T) {
	running := `{"phase":"Running","containerStatuses":[{"name":"main","restartCount":0,"state":{"running":{}}}]}`
	crashed := `{"phase":"Running","containerStatuses":[{"name":"main","restartCount":0,"state":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}`
	again := `{"phase":"Running","containerStatuses":[{"name":"main","restartCount":1,"state":{"running":{}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}`
	twice := strings.ReplaceAll(again, `"restartCount":1`, `"restartCount":2`)
	const oom = "container main of pod system/c1 ended with exit code 137, OOMKilled"
	for name, test := range map[string]struct {
		labels        string
		before, after []string
		ends          int
		first         string
	}{
		"it runs on":             {"controller", []string{running}, []string{running, running}, 0, ""},
		"killed and restarted":   {"controller", []string{running}, []string{crashed, again}, 1, oom},
		"only the restart seen":  {"controller", []string{running}, []string{again, again}, 1, oom},
		"twice":                  {"controller", []string{running}, []string{crashed, twice}, 2, oom},
		"while it was installed": {"controller", []string{running, crashed, again}, []string{again}, 0, ""},
		"another's pod":          {"memcached", []string{running}, []string{again}, 0, ""},
		"evicted":                {"controller", []string{running}, []string{`{"phase":"Failed","reason":"Evicted","message":"no memory"}`}, 1, "pod system/c1 failed: Evicted: no memory"},
		"as it goes":             {"controller", []string{running}, []string{"deleted " + again}, 0, ""},
		"it was never seen":      {"controller", nil, nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			blocks := told(test.labels, test.before, test.after)
			require.Len(t, blocks, 1)
			assert.Equal(t, restarts.Block{Style: "native", Round: 3, Ends: test.ends, First: test.first}, blocks[0])
		})
	}
	assert.Len(t, told("controller", nil, nil, func(b *record.Block) { b.Load = "burst-create" }), 1)
	assert.Empty(t, told("controller", nil, nil, func(b *record.Block) { b.Wave = 1 }), "faults end pods there")
	blocks := told("controller", []string{running}, []string{crashed}, func(b *record.Block) { b.Style = "other" })
	assert.Empty(t, blocks)
}
