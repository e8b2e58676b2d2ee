package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/spec/workloads"
)

const root = "../.."

// Every folder under operators/ is held to what operators/README.md asks of a style.
func TestEveryStyleKeepsTheContract(t *testing.T) {
	names, err := styles.Names(filepath.Join(root, "operators"))
	require.NoError(t, err)
	all, err := styles.Find(filepath.Join(root, "operators"), names...)
	require.NoError(t, err)
	require.Greater(t, len(all), 3)
	c := newContract(t)
	for _, operator := range all {
		t.Run(operator.Name, func(t *testing.T) { assert.NoError(t, c.check(operator)) })
	}
}

// contract is what a style's folder is held to.
type contract struct {
	catalogue *images.Catalogue
}

func newContract(t *testing.T) contract {
	t.Helper()
	catalogue, err := images.Load(root)
	require.NoError(t, err)
	return contract{catalogue}
}

func (c contract) check(style *styles.Style) error {
	if err := styles.Check(c.catalogue, style); err != nil {
		return err
	}
	objs, err := style.Objects()
	if err != nil {
		return err
	}
	problems := []error{c.readme(style), c.verdicts(style), c.images(objs)}
	if workloads.NameOf(style.Workload) == workloads.NameOf("") {
		problems = append(problems, restricted(objs)) // an operator of another custom resource is installed as it is published
	}
	return errors.Join(problems...)
}

// mostLines is half a page, for a style that stands on another's shoulders.
const mostLines = 40

// readme holds a style to one that is short where the style is no operator of its own.
func (c contract) readme(style *styles.Style) error {
	file := filepath.Join(style.Folder, "README.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: a reader needs what the style is and when to choose it: %w", style.Name, err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if !strings.HasPrefix(lines[0], "# ") {
		return fmt.Errorf("%s:1: found %q, expected a title", file, lines[0])
	}
	bases, err := style.Bases()
	if err == nil && (len(bases) > 0 || style.Control != "") && len(lines) > mostLines {
		err = fmt.Errorf("%s:%d: it has %d lines, expected at most %d: what an overlay or a control is, it is in half a page", file, mostLines+1, len(lines), mostLines)
	}
	return err
}

// verdicts holds a style to a file that expects nothing of scenarios that do not
// apply to it; that a failure has its reason, reading the file sees to.
func (c contract) verdicts(operator *styles.Style) error {
	folder := operator.Folder
	all, err := expectedScenarios(operator)
	if err != nil {
		return err
	}
	expected, err := verdicts.Load(folder, verdictsOf(all), oracles())
	if err != nil {
		return err
	}
	if !expected.Known() {
		return fmt.Errorf("%s: it is not there: run `make matrix OPERATOR=%s ARGS=--update-verdicts`, and say why what fails does",
			filepath.Join(folder, verdicts.File), operator.Name)
	}
	return stale(operator, expected, all)
}

// floating is the tag of whatever was built last.
var floating = regexp.MustCompile(`[\w./-]+:latest\b`)

// images holds manifests to images of the catalogue, which says what they are
// made of.
func (c contract) images(objs []*unstructured.Unstructured) error {
	var problems []error
	for _, obj := range objs {
		if name := floating.FindString(fmt.Sprint(obj.Object)); name != "" {
			problems = append(problems, fmt.Errorf("%s: found %s, expected a tag that always means the same", kube.Describe(obj), name))
		}
		for inner := range kube.Maps(obj.Object) {
			image, is := inner["image"].(string)
			if is && !slices.ContainsFunc(c.catalogue.Images, func(i images.Image) bool { return i.Reference == image }) {
				problems = append(problems, fmt.Errorf("%s: image %s is not in fixtures/catalogue.yaml", kube.Describe(obj), image))
			}
		}
	}
	return errors.Join(problems...)
}

var pinnedVersion = regexp.MustCompile(`^v1\.\d+$`)

// restricted holds every pod to a namespace of the style's own that refuses what
// is not restricted, by the standard of a pinned version.
func restricted(objs []*unstructured.Unstructured) error {
	var problems []error
	own := map[string]bool{}
	for _, obj := range objs {
		if obj.GetKind() != "Namespace" {
			continue
		}
		own[obj.GetName()] = true
		labels := obj.GetLabels()
		level, version := labels["pod-security.kubernetes.io/enforce"], labels["pod-security.kubernetes.io/enforce-version"]
		if level != "restricted" || !pinnedVersion.MatchString(version) {
			problems = append(problems, fmt.Errorf("%s enforces %q in version %q, expected restricted in one such as v1.37", kube.Describe(obj), level, version))
		}
	}
	for _, obj := range objs {
		if _, found, _ := unstructured.NestedMap(obj.Object, "spec", "template"); found && !own[obj.GetNamespace()] {
			problems = append(problems, fmt.Errorf("%s has pods in a namespace that the style does not bring along", kube.Describe(obj)))
		}
	}
	return errors.Join(problems...)
}

// The contract finds what is wrong with a folder: each case changes one place of
// a good one.
func TestTheContractIsHeld(t *testing.T) {
	for name, test := range map[string]struct{ file, old, new, want string }{
		"nothing":              {"README.md", "", "", ""},
		"a field is missing":   {"style.yaml", "source: ", "#", `style.yaml:2: style: field "source" is missing`},
		"no README":            {"README.md", "*", "", "README.md: no such file"},
		"a README of no title": {"README.md", "# idle: ", "", "README.md:1: found \"what must fail\", expected a title"},
		"a README of a page":   {"README.md", "\n\n", strings.Repeat("\nmore", 15) + "\n", "README.md:41: it has "},
		"no verdicts":          {"verdicts.yaml", "*", "", "verdicts.yaml: it is not there: run `make matrix"},
		"a verdict stale":      {"verdicts.yaml", "# latency\n", "updates-race: {verdict: fail, why: It does nothing.}\n", "verdicts.yaml:4: updates-race: expected fail, and it is not applicable: "},
		"a failure unexplained": {
			"verdicts.yaml", "create: {verdict: fail, why: It does nothing.}", "create: fail", `verdicts.yaml:5: create: found "fail", expected pass, not applicable, or {verdict: fail, why: a sentence}`,
		},
		"a scenario unknown":          {"verdicts.yaml", "create: ", "creat: ", `verdicts.yaml:5: unknown scenario "creat"`},
		"an image of nobody":          {"manifests/operator.yaml", "pause:3.10.2", "pause:3.9", "Deployment idle-operator/idle-operator: image registry.k8s.io/pause:3.9 is not in fixtures/catalogue.yaml"},
		"an image unknown":            {"style.yaml", "[pause]", "[paus]", "style.yaml:6: "},
		"an image unlisted":           {"style.yaml", "[pause]", "[memcached]", "which images (line 6) does not list: add pause"},
		"a floating tag":              {"manifests/operator.yaml", "pause:3.10.2", "pause:latest", "found registry.k8s.io/pause:latest, expected a tag that always means the same"},
		"privileged pods":             {"manifests/operator.yaml", "enforce: restricted", "enforce: privileged", `Namespace idle-operator enforces "privileged" in version "v1.37", expected restricted`},
		"a standard that moves":       {"manifests/operator.yaml", "enforce-version: v1.37", "enforce-version: latest", `Namespace idle-operator enforces "restricted" in version "latest"`},
		"pods elsewhere":              {"manifests/operator.yaml", "kind: Namespace\nmetadata:\n  name: idle-operator", "kind: Namespace\nmetadata:\n  name: other", "has pods in a namespace that the style does not bring along"},
		"a component of no pods":      {"style.yaml", "selector: app", "selector: apps", "style.yaml:13: component operator: no workload of the manifests has pods"},
		"a rollout of nothing":        {"style.yaml", "name: idle-operator}", "name: idle}", "style.yaml:11: stage operator: the manifests have no Deployment idle-operator/idle"},
		"manifests that are no YAML":  {"manifests/operator.yaml", "apiVersion: v1\n", "apiVersion: [\n", "style.yaml:9: operator idle, stage operator, manifests manifests: manifests/operator.yaml: yaml: line"},
		"a phase that cannot be read": {"style.yaml", "timeout: 10s", "timeout: 10s\nphases: [{name: a, resource: pods}]", `style.yaml:32: phases.resource: found "pods"`},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "idle")
			require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join(root, "operators", "idle"))))
			file := filepath.Join(folder, test.file)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			if test.old == "*" {
				require.NoError(t, os.Remove(file))
			} else {
				require.Contains(t, string(text), test.old)
				require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), test.old, test.new)), 0o600))
			}
			operator, err := styles.Load(folder)
			if err == nil {
				err = newContract(t).check(operator)
			}
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}
