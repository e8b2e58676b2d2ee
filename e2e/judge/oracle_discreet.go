package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

const discreetName = "no-secrets-logged"

var discreetOracle = Named{Name: discreetName, Judge: discreet}

// discreet judges that the operator writes no secret into its log. The logs are
// searched when the wave has ended, after its samples: see Judgement.logs.
func discreet(*timeline.Timeline) Verdict {
	return undecided("the logs of the operator's pods were not searched")
}

// logs judges a style's samples by what was found in its logs. A secret of a sample
// is that sample's; a token of a service account may be any's.
func (j *Judgement) logs(l *record.Logs) {
	for i := range j.Results {
		r := &j.Results[i]
		if r.Style != l.Style || r.Variant != l.Variant || r.Round != l.Round {
			continue
		}
		r.own()
		k := slices.IndexFunc(r.Verdicts, func(v Verdict) bool { return v.Oracle == discreetName && v.open })
		if k >= 0 {
			r.Verdicts[k] = searched(r.Namespace, l)
		}
		for k := range r.Verdicts {
			r.Verdicts[k].explain(l.Ends)
		}
	}
}

// explain adds what the logs say of the ends that a verdict blames, each once.
func (v *Verdict) explain(ends []record.LogEnd) {
	for _, end := range ends {
		if i := slices.Index(v.containers, end.Container); i >= 0 {
			v.Message += fmt.Sprintf("; the log of %s says at its end: %s", end.Container, end.Line)
			v.containers = slices.DeleteFunc(v.containers, func(c string) bool { return c == end.Container })
		}
	}
}

func searched(namespace string, l *record.Logs) Verdict {
	var found []string
	for _, leak := range l.Leaks {
		if leak.Namespace == "" || leak.Namespace == namespace || strings.HasPrefix(leak.Namespace, namespace+"-") {
			found = append(found, fmt.Sprintf("%s in %s of %s", leak.What, plain.Plural(leak.Lines, "line"), leak.Container))
		}
	}
	unread := ""
	if len(l.Unread) > 0 {
		unread = "; not read: " + strings.Join(l.Unread, "; ")
	}
	v := pass("no secret was found in the logs of %s%s", plain.Plural(len(l.Read), "container"), unread)
	switch {
	case len(found) > 0:
		v = fail(found, "expected no secret in the operator's logs; there is %s%s", strings.Join(found, "; "), unread)
	case len(l.Read) == 0:
		v = notApplicable("no log of the operator could be read%s", unread)
	}
	v.Oracle = discreetName
	return v
}
