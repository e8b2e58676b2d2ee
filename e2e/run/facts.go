package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/verdicts"
)

// surroundings adds to the run's facts what is known before the cluster is.
func (rec *recording) surroundings(ctx context.Context) error {
	e := &rec.facts
	e.Run, e.Began, e.Program = rec.id, time.Now().UTC(), "operatorbench"
	e.Cluster, e.Host, e.Go, e.Seed, e.Flags = rec.options.Cluster, readHost("/"), runtime.Version(), rec.options.Seed, rec.options.values()
	e.Comparison = rec.recordedComparison()
	e.Revision, e.Dirty = revision(ctx, rec.here(), rec.folder)
	for _, p := range rec.operated() {
		hash, err := manifestsHash(p.operator)
		if err != nil {
			return err
		}
		owned, err := rec.owned(p)
		if err != nil {
			return err
		}
		objects, err := p.operator.Objects()
		if err != nil {
			return err
		}
		e.Styles = append(e.Styles, record.StyleFacts{
			Name: p.name(), Variant: p.variant, Manifests: hash, Images: p.operator.ImageNames(), Owned: owned,
			PodSecurity: podSecurity(objects), Privileges: privileges(objects), Flaky: flaky(p),
		})
	}
	return nil
}

// podSecurity is the Pod Security Standard that is enforced on each namespace of a style; "" where there is none.
func podSecurity(objects []*unstructured.Unstructured) map[string]string {
	standards := map[string]string{}
	for _, object := range objects {
		if object.GetKind() == "Namespace" {
			standards[object.GetName()] = object.GetLabels()["pod-security.kubernetes.io/enforce"]
		}
	}
	return standards
}

// privileges are what objects ask for that reaches beyond a container, wherever a pod's
// specification is in them; sorted. A definition only describes such fields.
func privileges(objects []*unstructured.Unstructured) []string {
	asked := map[string]bool{}
	for _, object := range objects {
		if object.GetKind() == "CustomResourceDefinition" {
			continue
		}
		say := func(what string) { asked[what+" of "+kube.Describe(object)] = true }
		for inner := range kube.Maps(object.Object) {
			if path, there, _ := unstructured.NestedString(inner, "hostPath", "path"); there {
				say("hostPath " + path)
			}
			capabilities, _, _ := unstructured.NestedStringSlice(inner, "add")
			for _, capability := range capabilities {
				say("capability " + capability)
			}
			for _, field := range []string{"privileged", "allowPrivilegeEscalation", "hostNetwork", "hostPID", "hostIPC"} {
				if asks, _, _ := unstructured.NestedBool(inner, field); asks {
					say(field)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(asked))
}

// flaky are the scenarios that the verdicts.yaml of a participant of a comparison calls
// flaky. What else is wrong with the file, such as a scenario that is gone, is not asked.
func flaky(p *participant) []string {
	if p.comparison == nil {
		return nil
	}
	expected, _ := expectedOf(p.operator)
	return plain.Pick(expected.Entries, func(e verdicts.Entry) (string, bool) { return e.Scenario, e.Verdict == spec.Flaky })
}

// owned counts what the maintainer of a participant's operator writes and answers for.
func (rec *recording) owned(p *participant) (*record.Owned, error) {
	root := rec.root
	if rec.base != nil && p.variant != gate.VariantHead {
		root = rec.base.root
	}
	catalogue, err := images.Load(root)
	if err != nil {
		return nil, err
	}
	facts, err := p.operator.Facts(catalogue)
	if err != nil {
		return nil, err
	}
	owned := &record.Owned{Languages: map[string]int{}, Rules: facts.RBAC.ClusterWide + facts.RBAC.Namespaced, Wildcards: facts.RBAC.Wildcards}
	for _, lines := range facts.Owned {
		owned.Files += lines.Files
		owned.Lines += lines.Lines
		owned.Languages[lines.Language] = lines.Lines
	}
	for _, lines := range facts.Scaffold {
		owned.Scaffold += lines.Lines
	}
	return owned, nil
}

// values are the options that decide what is measured.
func (o *Options) values() map[string]string {
	values := map[string]string{
		"operator": o.Operator, "scenario": o.scenario(), "rounds": strconv.Itoa(o.Rounds),
		"cluster": o.Cluster, "images": o.Images, "quiescence": o.Window.String(), "passes": strconv.Itoa(o.Passes), "usage": o.Usage.String(), "base": o.Base, "profile": o.Profile, "budget": o.Budget.String(), "precision": o.Precision.String(),
	}
	if len(o.Given) > 0 {
		values["image"] = o.Given.String()
	}
	return values
}

// manifestsHash identifies what a style installs, as it is rendered.
func manifestsHash(style *styles.Style) (string, error) {
	objects, err := style.Objects()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	for _, object := range objects {
		if err := encoder.Encode(object.Object); err != nil {
			return "", fmt.Errorf("hash %s of style %s: %w", kube.Describe(object), style.Name, err)
		}
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}

// revision is the repository's commit, and whether the work tree differs from
// it, the folder of results aside; empty where git cannot say.
func revision(ctx context.Context, root, results string) (commit string, dirty bool) {
	commit, _ = git(ctx, root, "rev-parse", "HEAD")
	args := []string{"status", "--porcelain"}
	if inside, err := filepath.Rel(root, results); err == nil && filepath.IsLocal(inside) {
		args = append(args, "--", ".", ":(exclude)"+inside)
	}
	changes, _ := git(ctx, root, args...)
	return commit, changes != ""
}

// peakMemory is the largest resident set of this process so far, in bytes.
func peakMemory() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Maxrss << 10 // Linux counts KiB
}
