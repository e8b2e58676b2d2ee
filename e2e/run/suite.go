package run

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Usage explains the suite's flags. Those of go test are left out.
func Usage(w io.Writer) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(w)
	new(Options).Register(flags)
	fmt.Fprint(w, "go test ./e2e [-v] [-timeout 60m] -args [flags]\n\nPuts operator styles through scenarios on a real cluster, and says whether each\nwas handled correctly and how long it took.\n\n")
	flags.PrintDefaults()
}

// Selected says which styles and scenarios the pattern of go test's -run leaves: what no subtest looks at is not driven
// either.
func Selected(pattern string) func(style, scenario string) bool {
	parts := strings.Split(pattern, "/")
	matches := func(part int, name string) bool {
		if part >= len(parts) {
			return true
		}
		matched, err := regexp.MatchString(parts[part], name)
		return matched || err != nil // a pattern that does not compile is go test's to refuse
	}
	return func(style, scenario string) bool { return matches(1, style) && matches(2, scenario) }
}
