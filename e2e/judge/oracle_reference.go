package judge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// reference is oracle 3: the Deployment's spec is at the end what the recording
// says that a custom resource asks for (record.Header.Reference, with as many
// replicas as are wanted), but for what the style declares to have otherwise
// (record.Style.Differs). Both are compared in the form of normalSpec. Only the
// spec is: the Deployment's name is each style's own. The labels in it and the
// selector are compared; a style that has its own declares them.
//
// A declared difference that is not there is told, but is no failure.
func reference(t *Timeline) Verdict {
	want := t.style.reference
	switch {
	case t.Sample.Size == nil:
		return notApplicable("the custom resource is to be gone")
	case want == nil:
		return Verdict{Outcome: Invalid, Message: "the recording does not say what a custom resource asks for"}
	}
	child := t.child()
	if child == nil {
		return fail(t.evidence(of(Deployments)), "expected the Deployment of the reference; at %s %s", t.since(t.EndedAt), t.noChild(t.subjects[0]))
	}
	if child.Detail == nil {
		return Verdict{Outcome: Invalid, Message: "the Deployment's spec was not read: the sample is not of the correctness matrix"}
	}
	got, err := normalSpec([]byte(child.Detail.Spec))
	if err != nil {
		return Verdict{Outcome: Invalid, Message: "read the Deployment's spec: " + err.Error()}
	}
	var undeclared []unlike
	used := map[string]bool{}
	for _, u := range shortDifferences(want.of(t.Sample.Name, *t.Sample.Size), got) {
		if path := t.declares(u.path); path != "" {
			used[path] = true
			continue
		}
		if u.path == "spec.replicas" { // nothing to declare: it is the custom resource's
			return fail(t.evidence(of(Deployments)), "%s, in the spec of Deployment %s at %s", u, child.Name, t.since(t.EndedAt))
		}
		undeclared = append(undeclared, u)
	}
	var stale []string
	for _, d := range t.style.Differs {
		if !used[d.Path] {
			stale = append(stale, d.Path)
		}
	}
	note := ""
	if len(stale) > 0 {
		note = fmt.Sprintf("; declared, but not otherwise any more: %s", strings.Join(stale, ", "))
	}
	if len(undeclared) > 0 {
		paths, lines := declarations(undeclared)
		if len(paths) > 1 {
			paths[0] += fmt.Sprintf(" and %s more", plural(len(paths)-1, "path"))
		}
		return fail(lines, "the Deployment's spec is not the reference's at %s: mend it, or declare under differs in style.yaml what is meant to be so%s", paths[0], note)
	}
	return pass("the spec of Deployment %s is the reference's, but for %s%s", child.Name, plural(len(used), "declared difference"), note)
}

const mostOfAValue = 80

// shortDifferences lists where two specs differ, with values of a length to print.
func shortDifferences(want, got any) []unlike {
	list := differences("spec", want, got)
	for i := range list {
		list[i].want, list[i].got = cut(list[i].want, mostOfAValue), cut(list[i].got, mostOfAValue)
	}
	return list
}

// declarations are the paths of differences, and the lines of style.yaml that would
// declare them, with what is seen as the reason: the same for every sample of a style.
// Labels are declared as a whole.
func declarations(differences []unlike) (paths, lines []string) {
	seen := map[string][]string{}
	for _, u := range differences {
		path, what := u.path, ""
		for _, labels := range []string{".matchLabels.", ".labels."} {
			if before, label, found := strings.Cut(path, labels); found {
				path, what = before+strings.TrimSuffix(labels, "."), label+": "
			}
		}
		if seen[path] == nil {
			paths = append(paths, path)
		}
		seen[path] = append(seen[path], fmt.Sprintf("%swant %s, got %s", what, u.want, u.got))
	}
	for _, path := range paths {
		lines = append(lines, fmt.Sprintf("- {path: %s, reason: '%s'}", path, strings.ReplaceAll(strings.Join(seen[path], "; "), "'", "''")))
	}
	return paths, lines
}

// declares returns the declared difference that a path is in; "": none.
func (t *Timeline) declares(path string) string {
	for _, d := range t.style.Differs {
		if path == d.Path || strings.HasPrefix(path, d.Path+".") {
			return d.Path
		}
	}
	return ""
}

// wantedSpec is the reference's spec in its normal form; nil: there is none.
type wantedSpec map[string]any

func readReference(deployment json.RawMessage) (wantedSpec, error) {
	if len(deployment) == 0 {
		return nil, nil
	}
	var in struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(deployment, &in); err != nil {
		return nil, fmt.Errorf("read the reference: %w", err)
	}
	spec, err := normalSpec(in.Spec)
	if err != nil {
		return nil, fmt.Errorf("read the spec of the reference: %w", err)
	}
	return spec, nil
}

// instance is the label that names the custom resource.
const instance = "app.kubernetes.io/instance"

// of is the spec for a custom resource of a name and a size.
func (w wantedSpec) of(name string, size int) map[string]any {
	spec, _ := named(map[string]any(w), name).(map[string]any)
	spec["replicas"] = json.Number(strconv.Itoa(size))
	return spec
}

// named is a part of the spec with the label of another custom resource.
func named(part any, name string) any {
	switch part := part.(type) {
	case map[string]any:
		is := map[string]any{}
		for key, value := range part {
			if _, text := value.(string); text && key == instance {
				value = name
			}
			is[key] = named(value, name)
		}
		return is
	case []any:
		is := make([]any, len(part))
		for i, value := range part {
			is[i] = named(value, name)
		}
		return is
	}
	return part
}
