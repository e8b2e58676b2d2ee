package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/table"
)

// The figures beside the tutorial's claims are those of the recordings.
func TestTutorialFigures(t *testing.T) {
	measured := reportOf(t, "results/comparison")
	var out bytes.Buffer
	require.NoError(t, measured.JSON(&out))
	var d report.Document
	require.NoError(t, json.Unmarshal(out.Bytes(), &d))
	all := table.Table{Left: 1, Header: []string{
		"style", "files", "images of its own", "inner phases to be seen", "status", "create in run (n)", "Workflow created, p50", "create done, p50", "pods / change", "CPU / change", "burst-create an hour",
	}}
	for _, style := range d.Styles {
		if !style.Floor {
			all.Row(figuresOf(measured, &d, style.Label)...)
		}
	}
	between(t, "tutorial.md", "figures", all.Markdown())
}

// roughly prints a number with two significant digits: a rate is not known better.
func roughly(value float64) string {
	size := math.Pow(10, math.Floor(math.Log10(value))-1)
	return fmt.Sprintf("%.0f", math.Round(value/size)*size)
}

// figuresOf is a style's row.
func figuresOf(r *report.Report, d *report.Document, label string) []string {
	files, images := "–", "–"
	if s, e := r.Facts(label); s != nil && s.Owned != nil {
		files = fmt.Sprint(s.Owned.Files)
		own := slices.DeleteFunc(slices.Clone(e.Images), func(i record.ImageFacts) bool { return !slices.Contains(s.Images, i.Name) || !i.Custom() })
		images = fmt.Sprintf("%d of %d", len(own), len(s.Images))
	}
	inner, status, created, written, run := map[string]bool{}, "no", "–", "–", "–"
	first := r.Cell(label, "create") // that of the first run which measured it
	for _, c := range d.Cells {
		for _, p := range c.Phases {
			switch {
			case c.Label != label || p.P50 == nil:
			case strings.HasPrefix(c.Scenario, "burst-"):
			case p.Phase == spec.PhaseStatusWritten:
				status = "yes"
			case spec.Inner(p.Phase):
				inner[p.Phase] = true
			}
			if c.Label == label && c.Scenario == "create" && c.Run == first.Run {
				switch p.Phase {
				case "workflow created":
					created = plain.Duration(p.P50.Seconds)
				case spec.PhaseChildWritten:
					written, run = plain.Duration(p.P50.Seconds), fmt.Sprintf("%s (%d)", c.Run, p.N)
				}
			}
		}
	}
	pods, cpu, hourly := "–", "–", "–"
	if used := r.Value(label, "pods"); used.Known {
		pods = strings.TrimSuffix(fmt.Sprintf("%.1f", used.Number), ".0")
	}
	if used := r.Value(label, "cpu"); used.Known {
		cpu = plain.Duration(used.Number)
	}
	if c := r.Cell(label, "burst-create"); c != nil {
		if written, _ := c.Outcome(); written.N > 0 && !written.Max.Censored {
			hourly = roughly(3600 * float64(written.N/written.Rounds) / result.Lasts(written).P50.Value)
		}
	}
	return []string{label, files, images, fmt.Sprint(len(inner)), status, run, created, written, pods, cpu, hourly}
}
