package judge

import (
	"fmt"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/normal"
)

var referenceOracle = Named{Name: "reference", Needs: onMains, Shows: onMains, Judge: reference, OfTheEnd: true}

// reference is oracle 3: the main child's spec is at the end what the recording says that a custom resource asks for
// (record.Header.Reference, with as many replicas as are wanted), but for what the style declares to have otherwise
// (record.Style.Differs). Both are compared in the form of normalSpec. Only the spec is: the main child's name is each
// style's own. The labels in it and the selector are compared; a style that has its own declares them.
//
// A declared difference that is not there is told, but is no failure.
func reference(t *timeline.Timeline) Verdict {
	want := t.Style.Reference
	switch {
	case t.Sample.Size == nil:
		return notApplicable("the custom resource is to be gone")
	case want == nil && t.Spec.Reference == "":
		return notApplicable("the workload %s does not say what a custom resource asks for: it has no reference", t.Spec.Name)
	case want == nil:
		return Verdict{Outcome: spec.Invalid, Message: "the recording does not say what a custom resource asks for"}
	}
	child, kind := t.MainChild(), t.Child.Kind
	if child == nil {
		return fail(nil, "expected the %s of the reference; at %s %s", kind, t.Since(t.EndedAt), t.NoChild(t.Subjects[0]))
	}
	if child.Detail == nil {
		return Verdict{Outcome: spec.Invalid, Message: "the spec of the " + kind + " was not read: the sample is not of the correctness matrix"}
	}
	got, err := normal.Spec([]byte(child.Detail.Spec))
	if err != nil {
		return Verdict{Outcome: spec.Invalid, Message: "read the spec of the " + kind + ": " + err.Error()}
	}
	var undeclared []normal.Difference
	used := map[string]bool{}
	for _, u := range shortDifferences(want.Of(t.Sample.Name, *t.Sample.Size), got) {
		if path := declares(t, u.Path); path != "" {
			used[path] = true
			continue
		}
		if u.Path == t.Child.Scale { // nothing to declare: it is the custom resource's
			return fail(nil, "%s, in the spec of %s %s at %s", u, kind, child.Name, t.Since(t.EndedAt))
		}
		undeclared = append(undeclared, u)
	}
	stale := plain.Pick(t.Style.Differs, func(d spec.Difference) (string, bool) { return d.Path, !used[d.Path] })
	note := ""
	if len(stale) > 0 {
		note = fmt.Sprintf("; declared, but not otherwise any more: %s", strings.Join(stale, ", "))
	}
	if len(undeclared) > 0 {
		paths, lines := declarations(undeclared)
		if len(paths) > 1 {
			paths[0] += fmt.Sprintf(" and %s more", plain.Plural(len(paths)-1, "path"))
		}
		return fail(lines, "the %s's spec differs from the reference at %s: correct it, or list the intended differences under differs in style.yaml%s", kind, paths[0], note)
	}
	return pass("the spec of %s %s is the reference's, but for %s%s", kind, child.Name, plain.Plural(len(used), "declared difference"), note)
}

const mostOfAValue = 80

// shortDifferences lists where two specs differ, with values of a length to print.
func shortDifferences(want, got any) []normal.Difference {
	list := normal.Differences("spec", want, got)
	for i := range list {
		list[i].Want, list[i].Got = plain.Clip(list[i].Want, mostOfAValue), plain.Clip(list[i].Got, mostOfAValue)
	}
	return list
}

// declarations are the paths of differences, and the lines of style.yaml that would declare them, with what is seen as
// the reason: the same for every sample of a style. Labels are declared as a whole.
func declarations(differences []normal.Difference) (paths, lines []string) {
	var seen plain.Groups[string, string]
	for _, u := range differences {
		path, what := u.Path, ""
		for _, labels := range []string{".matchLabels.", ".labels."} {
			if before, label, found := strings.Cut(path, labels); found {
				path, what = before+strings.TrimSuffix(labels, "."), label+": "
			}
		}
		seen.Add(path, fmt.Sprintf("%swant %s, got %s", what, u.Want, u.Got))
	}
	return seen.Keys, plain.Map(seen.Keys, func(path string) string {
		return fmt.Sprintf("- {path: %s, reason: '%s'}", path, strings.ReplaceAll(strings.Join(seen.Of[path], "; "), "'", "''"))
	})
}

// declares returns the declared difference that a path is in; "": none.
func declares(t *timeline.Timeline, path string) string {
	d, _ := plain.Find(t.Style.Differs, func(d spec.Difference) bool { return path == d.Path || strings.HasPrefix(path, d.Path+".") })
	return d.Path
}
