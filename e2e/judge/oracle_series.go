package judge

import (
	"fmt"
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

// mostNamed is how many of its custom resources a verdict names.
const mostNamed = 12

var seriesOracle = Named{Name: "series", Needs: onWritten, Shows: onWritten, Judge: series}

// series is the oracle for samples that create many custom resources one after the other: each has its main child, of
// its size, at the end, and none had it much later than the median of them.
func series(t *timeline.Timeline) Verdict {
	members := slices.DeleteFunc(slices.Clone(t.Subjects[1:]), func(s *timeline.Subject) bool { return s.Size == nil }) // others are to be gone
	took, missing := seriesTook(t, members)
	if len(took) == 0 && len(missing) == 0 {
		return notApplicable("there is one custom resource only")
	}
	if len(missing) > 0 {
		return fail(nil, "expected each of %s to have its %s; %d have none of their size at %s: %s",
			plain.Plural(len(members), "custom resource"), t.Child.Kind, len(missing), t.Since(t.EndedAt), plain.Some(missing, mostNamed))
	}
	sorted := slices.Sorted(slices.Values(took))
	median := sorted[(len(sorted)-1)/2]
	most := promptly(median)
	var late []string
	for i, d := range took {
		if d > most {
			late = append(late, fmt.Sprintf("%s after %s", members[i].Name, timeline.Round(d)))
		}
	}
	if len(late) > 0 {
		return fail(nil, "expected each of %s to have its %s within %s, as the median took %s; %d were later: %s",
			plain.Plural(len(members), "custom resource"), t.Child.Kind, timeline.Round(most), timeline.Round(median), len(late), plain.Some(late, mostNamed))
	}
	return pass("each of %s had its %s within %s; the median took %s", plain.Plural(len(members), "custom resource"), t.Child.Kind, timeline.Round(sorted[len(sorted)-1]), timeline.Round(median))
}

// seriesTook is how long each of the custom resources waited for its main child, and which have none at the end.
func seriesTook(t *timeline.Timeline, members []*timeline.Subject) (took []time.Duration, missing []string) {
	asked, written := map[*timeline.Subject]time.Duration{}, map[*timeline.Subject]time.Duration{}
	t.Replay(func(now *timeline.Timeline, e *timeline.Event) {
		switch a, accepted := t.AcceptedIn(e); {
		case accepted && a.Verb == "create":
			asked[a.On] = a.From
		case e.Kind == record.KindWatch && e.Watch.Resource == t.Mains:
			for _, s := range members {
				if _, known := written[s]; known || s.Size == nil {
					continue
				}
				if d := now.ChildOf(s); d != nil && (d.UID == e.Object.UID || t.Child.Many) && d.Replicas == *s.Size {
					written[s] = e.Time
				}
			}
		}
	})
	for _, s := range members {
		d := t.ChildOf(s)
		if at, ever := written[s]; ever && d != nil && d.Replicas == *s.Size {
			took = append(took, max(at-asked[s], 0))
		} else {
			missing = append(missing, s.Name)
		}
	}
	return took, missing
}
