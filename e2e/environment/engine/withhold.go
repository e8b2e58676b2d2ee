package engine

import (
	"regexp"
	"strings"

	"operatorbench/e2e/plain"
)

// variable is an environment variable as an argument of an engine's, in a command line as a shell reads it.
var variable = regexp.MustCompile(`(^|\s)(-e|--env)([\s=]+)((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+)`)

// Withhold returns a text of an engine's, or of kind's, without the values of environment variables and without the
// credentials of URLs: containers have this machine's proxies, with their passwords.
func Withhold(text string) string {
	text = variable.ReplaceAllStringFunc(text, func(found string) string {
		parts := variable.FindStringSubmatch(found)
		name, _, valued := strings.Cut(parts[4], "=")
		if !valued {
			return found
		}
		return parts[1] + parts[2] + parts[3] + strings.TrimLeft(name, `'"`) + "=" + plain.Withheld
	})
	return plain.WithoutCredentials(text)
}

// commandLine is a command as a shell reads it, without what Withhold leaves out.
func commandLine(name string, args []string) string {
	return Withhold(strings.Join(plain.Map(append([]string{name}, args...), plain.Shell), " "))
}
