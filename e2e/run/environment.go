package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	kindversion "sigs.k8s.io/kind/pkg/cmd/kind/version"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/styles"
)

// surroundings gathers what is known before the cluster is.
func (s *Session) surroundings(ctx context.Context) (record.Environment, error) {
	host, err := readHost(os.DirFS("/"))
	if err != nil {
		return record.Environment{}, err
	}
	e := record.Environment{
		Run: s.id, Began: time.Now().UTC(), Program: "operatorbench",
		Cluster: s.options.Cluster, Host: host, Go: runtime.Version(), Seed: s.options.Seed, Flags: s.options.values(),
		Comparison: s.recordedComparison(),
	}
	e.Revision, e.Dirty = revision(ctx, s.root)
	if s.engine != nil { // without one nothing is driven
		e.Engine = s.engine.Name()
		e.Kind = kindversion.Version()
	}
	for _, p := range s.participants[1:] {
		hash, err := manifestsHash(p.operator.Style())
		if err != nil {
			return e, err
		}
		owned, err := s.owned(p)
		if err != nil {
			return e, err
		}
		standards, err := podSecurity(p.operator.Style())
		if err != nil {
			return e, err
		}
		e.Styles = append(e.Styles, record.StyleFacts{
			Name: p.name(), Variant: p.variant, Manifests: hash, Images: p.operator.Style().ImageNames(), Owned: owned, PodSecurity: standards,
		})
	}
	return e, nil
}

// podSecurity is the Pod Security Standard that is enforced on each namespace
// of a style; "" where there is none.
func podSecurity(style styles.Style) (map[string]string, error) {
	objects, err := style.Objects()
	if err != nil {
		return nil, err
	}
	standards := map[string]string{}
	for _, object := range objects {
		if object.GetKind() == "Namespace" {
			standards[object.GetName()] = object.GetLabels()["pod-security.kubernetes.io/enforce"]
		}
	}
	return standards, nil
}

// owned counts what the maintainer of a participant's operator writes and answers for.
func (s *Session) owned(p *participant) (*record.Owned, error) {
	root := s.root
	if s.base != nil && p.variant != gate.VariantHead {
		root = s.base.root
	}
	catalogue, err := images.Load(root)
	if err != nil {
		return nil, err
	}
	facts, err := p.operator.Style().Facts(catalogue)
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
	return map[string]string{
		"operator": o.Operator, "scenario": o.scenario(), "rounds": strconv.Itoa(o.Rounds),
		"cluster": o.Cluster, "images": o.Images, "quiescence": o.Window.String(), "passes": strconv.Itoa(o.Passes), "usage": o.Usage.String(), "base": o.Base, "budget": o.Budget.String(),
	}
}

// manifestsHash identifies what a style installs, as it is rendered.
func manifestsHash(style styles.Style) (string, error) {
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
// it; empty where git cannot say.
func revision(ctx context.Context, root string) (commit string, dirty bool) {
	commit, _ = git(ctx, root, nil, "rev-parse", "HEAD")
	changes, _ := git(ctx, root, nil, "status", "--porcelain")
	return commit, changes != ""
}

// imageFacts fills in what the styles run.
func (s *Session) imageFacts(ctx context.Context) error {
	described, err := s.store.Describe(ctx, unique(append([]string{"node", "memcached"}, imagesOf(s.of(s.store))...))...)
	if err != nil {
		return err
	}
	for _, d := range described {
		s.environment.Images = append(s.environment.Images, record.ImageFacts{
			Name: d.Name, Reference: d.Reference, Digest: d.Digest, Source: d.Source, Bytes: d.Size, Packages: d.Packages,
			Dependencies: (*record.Dependencies)(d.Depends),
		})
	}
	return nil
}

// peakMemory is the largest resident set of this process so far, in bytes.
func peakMemory() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Maxrss << 10 // Linux counts KiB
}
