package run

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// Shell is what can be asked of the suite: a run, and which of its subtests are looked at.
type Shell struct {
	Options
	DryRun        bool
	FailFast      bool
	feature, skip regexp.Regexp
}

// Register adds the suite's flags to a flag set.
func (s *Shell) Register(flags *flag.FlagSet) {
	s.Options.Register(flags)
	flags.StringVar(&s.Kubeconfig, "kubeconfig", "", "kubeconfig of the existing cluster")
	flags.StringVar(&s.Context, "context", "", "context of the kubeconfig (default its current one)")
	flags.TextVar(&s.feature, "feature", regexp.MustCompile(""), "regular expression of the scenarios that are driven")
	flags.TextVar(&s.skip, "skip-features", regexp.MustCompile(""), "regular expression of the scenarios that are not driven")
	flags.BoolVar(&s.DryRun, "dry-run", false, "only list the subtests")
	flags.BoolVar(&s.FailFast, "fail-fast", false, "look at no further scenario of a style once it has failed in one")
}

// Usage explains the suite's flags. Those of go test are left out.
func Usage(w io.Writer) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(w)
	new(Shell).Register(flags)
	fmt.Fprint(w, "go test ./e2e [-v] [-timeout 60m] -args [flags]\n\nPuts operator styles through scenarios on a real cluster, and says whether each\nwas handled correctly and how long it took.\n\n")
	flags.PrintDefaults()
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

// Selected says which styles and scenarios --feature, --skip-features and go test's -run leave: what no subtest looks at is
// not driven either.
func (s *Shell) Selected(testRun *flag.Flag) func(style, scenario string) bool {
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
			s.feature.MatchString(scenario) && (s.skip.String() == "" || !s.skip.MatchString(scenario))
	}
}
