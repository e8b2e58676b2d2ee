package run

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// Usage explains the suite's flags: its own first, then e2e-framework's. Those of go test and of klog are left out.
func Usage(w io.Writer, flags *flag.FlagSet) {
	own := flag.NewFlagSet("", flag.ContinueOnError)
	new(Options).Register(own)
	others := flag.NewFlagSet("", flag.ContinueOnError)
	for _, name := range []string{"kubeconfig", "context", "feature", "skip-features", "assess", "skip-assessment", "labels", "skip-labels", "dry-run", "fail-fast"} {
		if f := flags.Lookup(name); f != nil {
			others.Var(f.Value, f.Name, f.Usage)
		}
	}
	own.SetOutput(w)
	others.SetOutput(w)
	fmt.Fprint(w, "go test ./e2e [-v] [-timeout 60m] -args [flags]\n\nPuts operator styles through scenarios on a real cluster, and says whether each\nwas handled correctly and how long it took.\n\nFlags of operatorbench:\n")
	own.PrintDefaults()
	fmt.Fprint(w, "\nFlags of e2e-framework:\n")
	others.PrintDefaults()
}

// Deadline is when go test's -timeout ends a test binary that began at began;
// zero where it has none. Setting up counts: go test's own watch covers it.
func Deadline(began time.Time, timeout *flag.Flag) time.Time {
	if timeout == nil {
		return time.Time{}
	}
	getter, ok := timeout.Value.(flag.Getter)
	if !ok {
		return time.Time{}
	}
	limit, ok := getter.Get().(time.Duration)
	if !ok || limit <= 0 {
		return time.Time{}
	}
	return began.Add(limit)
}

// Selected says which styles and scenarios e2e-framework's --feature and --skip-features and go test's -run leave: what
// no subtest looks at is not driven either.
func Selected(feature, skip *regexp.Regexp, testRun *flag.Flag) func(style, scenario string) bool {
	var second, third *regexp.Regexp
	if testRun != nil {
		parts := strings.Split(testRun.Value.String(), "/")
		// A pattern that does not compile is go test's to refuse.
		if len(parts) > 1 {
			second, _ = regexp.Compile(parts[1])
		}
		if len(parts) > 2 {
			third, _ = regexp.Compile(parts[2])
		}
	}
	matches := func(pattern *regexp.Regexp, name string) bool { return pattern == nil || pattern.MatchString(name) }
	return func(style, scenario string) bool {
		return matches(second, style) && matches(third, scenario) &&
			matches(feature, scenario) && (skip == nil || !skip.MatchString(scenario))
	}
}
