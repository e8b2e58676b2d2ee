package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/verdicts"
)

// Check says of styles, each a name or a folder, all that can be said without a cluster. Its error lists what a run
// would refuse, and which expected verdicts can no longer be.
func Check(root string, out io.Writer, names ...string) error {
	catalogue, err := images.Load(root)
	if err != nil {
		return err
	}
	found, err := styles.Find(filepath.Join(root, "operators"), names...)
	problems := []error{err}
	for _, operator := range found {
		all, err := expectedScenarios(operator)
		var expected verdicts.Expected
		if err == nil {
			expected, err = expectedOf(operator)
		}
		if err == nil {
			err = stale(operator, expected, all)
		}
		wrong := errors.Join(styles.Check(catalogue, operator), styles.CheckCluster(catalogue, operator))
		if !errors.Is(wrong, err) { // it tells of the workload, too
			wrong = errors.Join(wrong, err)
		}
		if err = wrong; err == nil {
			err = describe(out, catalogue, operator, expected, all)
		}
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	_, err = catalogue.With(styles.OwnImages(found...)...) // what one brings along, another may not
	return err
}

// stale lists the scenarios whose expected verdict in a style's file cannot be.
func stale(style *styles.Style, expected verdicts.Expected, all []scenarios.Scenario) error {
	if !expected.Known() {
		return nil
	}
	p := driving(style)
	var problems []error
	for _, s := range all {
		entry, _ := expected.Of(s.Name)
		if unfit := p.unfit(s); unfit != "" && p.operator != nil && entry.Line > 0 && entry.Verdict != spec.NotApplicable {
			problems = append(problems, fmt.Errorf("%s:%d: %s: expected %s, and it is not applicable: %s", expected.Path, entry.Line, s.Name, entry.Verdict, unfit))
		}
	}
	return errors.Join(problems...)
}

// driving is the participant by which a run drives a style; that of the floor has no operator.
func driving(operator *styles.Style) *participant {
	if operator.Control == spec.Harness {
		return &participant{}
	}
	return &participant{operator: operator, asked: operator}
}

// describe says what a run would do with a style that has no fault.
func describe(out io.Writer, catalogue *images.Catalogue, style *styles.Style, expected verdicts.Expected, all []scenarios.Scenario) error {
	var text strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&text, "  %-10s %s\n", what, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&text, "%s (%s)\n", style.Name, style.Folder)
	facts, err := style.Facts(catalogue)
	if err != nil {
		return err
	}
	objects, err := style.Objects()
	if err != nil {
		return err
	}
	footprint := kube.Plan(objects)
	line("installs", "%d objects in %d stage(s); namespaces: %s", facts.Objects, len(style.Stages), cmp.Or(strings.Join(footprint.Namespaces, ", "), "none"))
	line("", "in no namespace: %s", cmp.Or(strings.Join(footprint.ClusterScoped, ", "), "none"))
	handled, err := style.Handles()
	if err != nil {
		return err
	}
	if asked := asksFor(objects, handled); asked != "" {
		line("requests", "%s; the node must have that beside what Kubernetes itself requests", asked)
	}
	reach, err := style.Reach()
	if err != nil {
		return err
	}
	for i, each := range reach {
		line([]string{"beware", ""}[min(i, 1)], "%s", each)
	}
	doubts, err := doubtful(style, catalogue)
	if err != nil {
		return err
	}
	for i, each := range doubts {
		line([]string{"warning", ""}[min(i, 1)], "%s", each)
	}
	manifests, err := json.Marshal(objects)
	if err != nil {
		return err
	}
	for i, image := range facts.Images {
		line([]string{"images", ""}[min(i, 1)], "%s: %s, %s", image.Name, image.Reference, origin(style, image, string(manifests)))
	}
	applicable, reasons := fitting(style, all)
	line("scenarios", "%d of %d apply", applicable, len(all))
	for _, why := range reasons {
		line("", "%s", why)
	}
	if expected.Known() {
		line("verdicts", "expected to fail: %d of those that apply, by %s", len(expected.Failing()), expected.Path)
	} else {
		line("verdicts", "none is expected, because there is no %s: no verdict fails a run", verdicts.File)
	}
	_, err = io.WriteString(out, text.String())
	return err
}

// doubtful is what of a style may be a mistake.
func doubtful(style *styles.Style, catalogue *images.Catalogue) ([]string, error) {
	doubts, err := style.Doubts(catalogue)
	if err != nil {
		return nil, err
	}
	every, err := everyRun(style)
	for _, name := range every {
		if style.Control == "" && name != images.NodeImage && !slices.Contains(style.ImageNames(), name) {
			doubts = append(doubts, fmt.Sprintf("images does not list %s, which what the operator makes runs: a run brings it all the same", name))
		}
	}
	return doubts, err
}

// fitting counts the scenarios that apply to a style, and says of the others why they do not.
func fitting(style *styles.Style, all []scenarios.Scenario) (applicable int, reasons []string) {
	var names plain.Groups[string, string]
	p := driving(style)
	for _, s := range all {
		why := p.unfit(s)
		if why == "" {
			applicable++
			continue
		}
		if why == lacksComponent(style, s) { // which one is another with each scenario
			why = style.Name + " has none of the components that these are about"
		}
		names.Add(why, s.Name)
	}
	return applicable, plain.Map(names.Keys, func(why string) string { return why + ": " + few(names.Of[why], "scenarios") })
}

// origin says where an image of a style comes from, and whether the manifests name it.
func origin(style *styles.Style, image styles.ImageFact, manifests string) string {
	own := slices.IndexFunc(style.Own, func(own images.Image) bool { return own.Name == image.Name })
	switch {
	case own < 0:
		return "of the catalogue"
	case !strings.Contains(manifests, strconv.Quote(image.Reference)):
		return style.Own[own].From() + "; no manifest names it"
	}
	return style.Own[own].From()
}
