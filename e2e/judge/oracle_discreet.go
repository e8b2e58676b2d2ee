package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

var discreetOracle = Named{Name: "no-secrets-logged", Later: discreet, Judge: func(*timeline.Timeline) Verdict {
	return notApplicable("the logs of the operator's pods were not searched")
}}

// discreet judges that the operator writes no secret into its log. The logs are searched when the wave has ended. A
// secret of a sample is that sample's; a token of a service account may be any's.
func discreet(r *Result) (v Verdict, known bool) {
	if len(r.facts.logs) == 0 {
		return Verdict{}, false
	}
	l := r.facts.logs[0]
	var found []string
	for _, leak := range l.Leaks {
		if leak.Namespace == "" || leak.Namespace == r.Namespace || strings.HasPrefix(leak.Namespace, r.Namespace+"-") {
			found = append(found, fmt.Sprintf("%s in %s of %s", leak.What, plain.Plural(leak.Lines, "line"), leak.Container))
		}
	}
	unread := ""
	if len(l.Unread) > 0 {
		unread = "; not read: " + strings.Join(l.Unread, "; ")
	}
	switch {
	case len(found) > 0:
		return fail(found, "expected no secret in the operator's logs; there is %s%s", strings.Join(found, "; "), unread), true
	case len(l.Read) == 0:
		return unheard("no log of the operator could be read%s", unread), true
	}
	return pass("no secret was found in the logs of %s%s", plain.Plural(len(l.Read), "container"), unread), true
}

// explained adds what logs say of the ends that a verdict blames, each once.
func explained(v Verdict, logs []*record.Logs) Verdict {
	if len(v.containers) == 0 {
		return v
	}
	said := map[string]bool{}
	for _, l := range logs {
		for _, end := range l.Ends {
			if slices.Contains(v.containers, end.Container) && !said[end.Container] {
				said[end.Container] = true
				v.Message += fmt.Sprintf("; the log of %s says at its end: %s", end.Container, end.Line)
			}
		}
	}
	return v
}
