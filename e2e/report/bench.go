package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
)

// Bench prints the measured latencies in Go's benchmark format, one line for each, so that benchstat compares them:
//
//	benchstat -col /operator bench.txt
//
// Warm-up rounds are left out, and so is what the format cannot say: timeouts, and latencies that do not count.
// Comments tell how many; a comparison of the rest alone would favour the style that times out. What differs
// between runs of one machine (run, seed, revision) is a comment too: as configuration it would keep benchstat from
// comparing them. See https://go.dev/design/14313-benchmark-format.
func (r *Report) Bench(out io.Writer) error {
	buffered := bufio.NewWriter(out) // it keeps the first error until it is flushed
	_, _ = buffered.WriteString("Unit ns/op better=lower\n")
	for _, one := range r.Parts {
		comment(buffered, one)
		benchConfig(buffered, one.Environment)
		for _, label := range r.Styles { // benchstat compares with what comes first: the floor
			benchStyle(buffered, one, label)
		}
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", BenchFile, err)
	}
	return nil
}

// benchStyle prints the latencies of one style.
func benchStyle(out io.Writer, one result.Part, label string) {
	suffix := ""
	if e := one.Environment; e != nil && e.Host.CPUs > 0 {
		suffix = "-" + strconv.Itoa(e.Host.CPUs)
	}
	var line []byte
	for i := range one.Samples {
		s := &one.Samples[i]
		if s.Warmup || s.Outcome != judge.OK || record.Label(s.Operator, s.Variant) != label {
			continue
		}
		line = append(appendName(append(line[:0], "Benchmark"...), s), suffix...)
		line = strconv.AppendInt(append(line, " 1 "...), int64(math.Round(s.Value*1e9)), 10)
		line = append(line, " ns/op\n"...)
		_, _ = out.Write(line)
	}
}

// benchConfig is what figures must share to be compared. Keys of Go's own benchmarks (goos, goarch, pkg, cpu) are the
// ones that benchstat prints. A key without a value takes back what an earlier recording had.
func benchConfig(out io.Writer, e *record.Environment) {
	if e == nil {
		e = &record.Environment{}
	}
	goos, cpus := "", ""
	if e.Host.CPUs > 0 {
		goos, cpus = "linux", strconv.Itoa(e.Host.CPUs)
	}
	for _, pair := range [][2]string{
		{"goos", goos},
		{"goarch", e.Host.Arch},
		{"pkg", "operatorbench"},
		{"cpu", e.Host.CPU},
		{"cpus", cpus},
		{"kernel", e.Host.Kernel},
		{"cluster", strings.TrimSpace(e.Cluster + " " + e.Kind)},
		{"kubernetes", e.Kubernetes},
	} {
		_, _ = fmt.Fprintln(out, strings.TrimSpace(pair[0]+": "+plain.Line(pair[1])))
	}
	_, _ = fmt.Fprintln(out)
}

// comment says what the recording is, and what is left out of it. Lines that
// begin with # are no configuration and no result: readers pass over them.
func comment(out io.Writer, one result.Part) {
	line := "# run " + one.Header.Run + ", seed " + strconv.FormatUint(one.Header.Seed, 10)
	if e := one.Environment; e != nil && e.Revision != "" {
		line += ", revision " + e.Revision
	}
	_, _ = fmt.Fprintln(out, plain.Line(line))
	warmups := 0
	var left plain.Groups[string, string] // outcomes, by name
	for i := range one.Samples {
		s := &one.Samples[i]
		switch {
		case s.Warmup:
			warmups++
		case s.Outcome != judge.OK:
			left.Add(string(appendName(nil, s)), s.Outcome)
		}
	}
	if warmups > 0 {
		_, _ = fmt.Fprintf(out, "# left out: %s of warm-up rounds\n", plain.Plural(warmups, "latency", "latencies"))
	}
	for _, name := range left.Keys {
		parts := plain.Pick([]string{judge.Timeout, judge.Wrong, judge.Interrupted}, func(outcome string) (string, bool) {
			n := len(plain.Where(left.Of[name], func(one string) bool { return one == outcome }))
			return strconv.Itoa(n) + " " + outcome, n > 0
		})
		_, _ = fmt.Fprintf(out, "# left out, as this format cannot say it: %s %s\n", name, strings.Join(parts, ", "))
	}
}

// appendName appends a benchmark's name, whose parts benchstat can select,
// group and sort by: /operator, /variant, /scenario, /phase.
func appendName(name []byte, s *judge.Sample) []byte {
	name = appendPart(append(name, "Reconcile/operator="...), s.Operator)
	if s.Variant != "" {
		name = appendPart(append(name, "/variant="...), s.Variant)
	}
	name = appendPart(append(name, "/scenario="...), s.Scenario)
	return appendPart(append(name, "/phase="...), s.Phase)
}

// appendPart appends a value as package testing writes names: blanks are
// underscores, and a slash would begin another part.
func appendPart(name []byte, value string) []byte {
	for _, r := range value {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '/' || r == utf8.RuneError {
			r = '_'
		}
		name = utf8.AppendRune(name, r)
	}
	return name
}
