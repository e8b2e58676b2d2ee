package docs_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

// The table of figures from several runs has what their recordings give.
func TestFindingsFigures(t *testing.T) {
	var runs []*report.Report
	header := []string{"style"}
	for _, folder := range []string{"results/quick", "results/replication-quick", "results/replication-slow", "results/comparison"} {
		for _, one := range reportOf(t, folder).Tables() {
			if one.Headline() == "create" && !slices.ContainsFunc(runs, func(have *report.Report) bool { return have.Runs[0] == one.Runs[0] }) {
				runs, header = append(runs, one), append(header, one.Runs[0]+"\n"+one.Environment.Host.String())
			}
		}
	}
	all := table.Table{Left: 1, Header: header}
	for _, label := range reportOf(t, "results/comparison").Styles {
		row, known := []string{label}, 0
		for _, one := range runs {
			row = append(row, headlineOf(one, label))
			if row[len(row)-1] != plain.Unknown {
				known++
			}
		}
		if known > 1 {
			all.Row(row...)
		}
	}
	require.NotEmpty(t, all.Rows)
	between(t, "findings.md", "again", all.Markdown())
}

// When the last of fifty was written is of the recording.
func TestFindingsBursts(t *testing.T) {
	const load = "burst-create"
	for _, run := range reportOf(t, "results/scale").Tables() {
		if run.Headline() != load {
			continue
		}
		all := table.Table{Left: 1, Header: []string{"style", "last written after", "rank", "times as long as native"}}
		for _, label := range run.ByLatency(load) {
			row := []string{label}
			for _, id := range []string{result.Last(load), "rank", result.Times(load)} {
				v := run.Value(label, id)
				row = append(row, strings.TrimSpace(cmp.Or(v.Text, plain.Unknown)+" "+v.Interval()))
			}
			all.Row(row...)
		}
		require.Len(t, all.Rows, 11)
		between(t, "findings.md", "bursts", all.Markdown())
		return
	}
	require.Fail(t, "no published run has "+load)
}

// What growing to a thousand takes is of the recording.
func TestFindingsGrowth(t *testing.T) {
	all := table.Table{Left: 1, Header: []string{"style", "run", "one more of 0", "of 1,000", "memory, 0", "1,000", "a thousand take", "stops in", "whole again", "newcomer waits", "of the time left"}}
	for _, run := range reportOf(t, "results/scale").Tables() {
		for _, one := range run.Growths() {
			first, last := one.Levels[0], one.Levels[len(one.Levels)-1]
			row := []string{one.Style, run.Runs[0], first.More.P50.String(), plain.Unknown}
			if last.Customs >= 1000 {
				row[3] = last.More.P50.String()
			}
			memory := slices.Repeat([]string{plain.Unknown}, 3)
			if slope, known := one.Slope(); known {
				memory = []string{plain.Bytes(int64(first.Rest.Memory.Median())), plain.Bytes(int64(last.Rest.Memory.Median())), plain.Bytes(int64(slope))}
			}
			back := slices.Repeat([]string{plain.Unknown}, 4)
			if one.Back != nil {
				back = []string{plain.Duration(one.Rests[0].Stop.Median()), one.Back.Whole.P50.String(), one.Back.Wait.P50.String(), fmt.Sprintf("%.0f%%", 100*one.Back.Share.P50.Value)}
			}
			all.Row(slices.Concat(row, memory, back)...)
		}
	}
	require.Len(t, all.Rows, 15)
	between(t, "findings.md", "growth", all.Markdown())
}

// The highest rates that were held are of the recordings: a table of each run, with its floor.
func TestFindingsRamps(t *testing.T) {
	columns := result.HeldColumns()
	all := table.Table{Left: 1, Header: []string{"style", "run"}}
	for _, c := range columns[1:] {
		all.Header = append(all.Header, c.Head)
	}
	for _, one := range reportOf(t, "results/scale").Ramps() {
		row := []string{one.Style, one.Climbs[0].Run}
		for _, c := range columns[1:] {
			v := c.Of(&one)
			row = append(row, strings.TrimSpace(cmp.Or(v.Text, plain.Unknown)+" "+v.Note))
		}
		all.Row(row...)
	}
	require.Len(t, all.Rows, 14)
	between(t, "findings.md", "ramps", all.Markdown())
}

// What a team has that follows its framework's first pages, beside the careful style: how many tests fail, each with its
// causes. The last column has what the careful one fails.
func TestFindingsSamples(t *testing.T) {
	careful, err := together([]string{"results/matrix", "results/six-scenarios"}, true)
	require.NoError(t, err)
	samples, err := together([]string{"results/variants", "results/four-scenarios", "results/six-scenarios"}, true)
	require.NoError(t, err)
	all := table.Table{Left: 2, Header: []string{"framework", "its sample", "tests that fail", "causes", "the careful style", "tests that fail"}}
	for _, one := range [][3]string{
		{"Kopf", "kopf-sample", "kopf"},
		{"shell-operator", "shell-operator-sample", "shell-operator"},
		{"controller-runtime", "operator-sdk", "controller-runtime"},
		{"kube-rs", "kube-rs-sample", "kube-rs"},
		{"Java Operator SDK", "java-operator-sdk-sample", "java-operator-sdk"},
	} {
		of := samples
		if one[1] == "operator-sdk" {
			of = careful // its sample runs as it is, and is one of the styles
		}
		sample, better := of.Fails(one[1]), careful.Fails(one[2])
		require.True(t, sample.Known && better.Known, one)
		all.Row(one[0], one[1], fmt.Sprintf("%d of %d", sample.Failed, sample.Of)+sample.Rest(), fmt.Sprint(len(of.Causes(one[1]))), one[2], fmt.Sprintf("%d of %d", better.Failed, better.Of)+better.Rest())
	}
	between(t, "findings.md", "samples", all.Markdown())
}

// headlineOf is a style's median of a create, where it is from, and how many times
// native's it is.
func headlineOf(r *report.Report, label string) string {
	c := r.Cell(label, r.Headline())
	if c == nil {
		return plain.Unknown
	}
	written, _ := c.Outcome()
	text := written.P50.String() + "\n" + result.Spread(written, stat.Observation.String)
	if ratio := r.Value(label, result.Times(r.Headline())); ratio.Text != "" {
		text += "\n× " + result.Reference + " " + strings.Join(strings.Fields(ratio.Text+" "+ratio.Interval()+" "+ratio.Note), " ")
	}
	return text
}
