package judge_test

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Real runs: three rounds of the floor, native and argo by the first version, and a
// round of the floor and native by the second.
const (
	example = "testdata/argo.jsonl.zst"
	second  = "testdata/native.jsonl.zst"
)

// told prints all that was judged.
func told(j *judge.Judgement) string {
	var out strings.Builder
	for _, warning := range j.Warnings {
		fmt.Fprintln(&out, "warning:", warning)
	}
	for _, r := range j.Results {
		fmt.Fprintf(&out, "%s %s round %d in %s, %d-%d, %s %s\n", record.Label(r.Style, r.Variant), r.Scenario, r.Round, r.Namespace, r.Began, r.Ended, r.End, r.Reason)
		for _, v := range r.Verdicts {
			fmt.Fprintf(&out, "  %s: %s: %s\n", v.Oracle, v.Outcome, v.Message)
			for _, line := range v.Evidence {
				fmt.Fprintf(&out, "    %s\n", line)
			}
		}
		for _, s := range r.Samples {
			fmt.Fprintf(&out, "  %s: %s %.9f %s, %d-%d\n", s.Phase, s.Outcome, s.Value, s.Unit, s.From, s.At)
		}
	}
	return out.String()
}

// damaged yields a recording without every so many-th watch event, so that
// samples fail in many ways.
func damaged(entries iter.Seq2[record.Entry, error], every int) iter.Seq2[record.Entry, error] {
	return func(yield func(record.Entry, error) bool) {
		n := 0
		for e, err := range entries {
			if e.Kind == record.KindWatch {
				if n++; n%every == 0 {
					continue
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// What real recordings show does not change by how they are read: whole, and
// with events missing, so that much is not as it should be.
func TestRecordingsAreJudgedAsEver(t *testing.T) {
	for name, every := range map[string]int{"argo": 0, "argo-lossy": 5, "native": 0, "native-lossy": 3} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", strings.TrimSuffix(name, "-lossy")+".jsonl.zst")
			j, err := judge.File(file)
			if every > 0 {
				j, err = judge.Judge(damaged(record.ReadFile(file), every))
			}
			require.NoError(t, err)
			got, golden := told(j), filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got, "run with -update and read the diff")
		})
	}
}
