// Package run is the main job: it brings up the test environment, installs each operator style, drives the scenarios,
// and has the recording judged and reported. The test suite and opbench are thin shells over it.
package run

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/profiles"
	"operatorbench/e2e/stat"
)

// Options is what a person can ask of a run.
type Options struct {
	Operator   string        // names or folders, separated by commas; "all"
	Scenario   string        // names, separated by commas; "all"
	Rounds     int           // replicates; 0: as many as the question needs
	Cluster    string        // kind, existing
	Kubeconfig string        // for an existing cluster
	Context    string        // of the kubeconfig; "" is its current one
	Here       string        // from where paths are, and below which results go; "": the repository's root
	Results    string        // folder; "" is results/<time>
	Images     string        // auto, pull, build
	Given      Given         // references that images are taken from, by name
	Yes        bool          // a person has agreed that the existing cluster is used
	Keep       bool          // leave the cluster
	Seed       uint64        // of every random choice; 0 draws one
	Window     time.Duration // of quiescence
	Passes     int           // how often a block goes through the scenarios; 0: as often as the question needs
	Usage      time.Duration // between two samples of the pods' CPU time and memory; 0: none are taken
	Patience   time.Duration // a sample of the matrix in which nothing has moved for so long is given up
	Shard      Shard         // which part of the matrix this run drives
	Sources    SourceList    // further repositories that images of styles are built from
	Unchanged  bool          // compare what is the same, too
	Base       string        // a revision that the styles are compared with; "": none
	Profile    string        // of a comparison with a base; "": the standard one
	Budget     time.Duration // of a comparison with a base, or of Precision: how long what is compared may take turns; 0: the profile's
	Precision  Precision     // of the median of each style in each scenario; 0: as many rounds as Rounds says
	Link       string        // to the job that runs this, for whoever reads its result; "": there is none

	// ImagesAsked is true when the person named a source of images, and so
	// agrees that the run itself pulls or builds what is missing.
	ImagesAsked bool
}

// Precision is how narrow the interval of a median is to be: the largest half of its
// width, as a share of the median. Zero: any will do.
type Precision float64

var _ flag.Value = (*Precision)(nil)

// String is a percentage, "" for none; with Set it makes Precision a flag.Value.
func (p *Precision) String() string {
	if *p == 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(*p), 'g', -1, 64) + "%"
}

// Set reads a percentage.
func (p *Precision) Set(value string) error {
	number, cut := strings.CutSuffix(value, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if !cut || err != nil || !(percent >= 1 && percent <= 100) { // NaN is neither
		return errors.New("expected a percentage from 1% to 100%, such as 10%")
	}
	*p = Precision(percent / 100)
	return nil
}

// Register adds the flags of every run to a flag set.
func (o *Options) Register(flags *flag.FlagSet) {
	flags.StringVar(&o.Operator, "operator", "all", "operator styles to run, separated by commas: names of folders under operators/, paths such as ./my-operator, or all (of the default workload, which takes hours)")
	flags.StringVar(&o.Scenario, "scenario", "", "scenarios to run, separated by commas: names, groups (latency, load, basic, level, input, fault, upgrade), matrix (all groups but latency and load), or all (default latency; with --base those of --profile)")
	flags.IntVar(&o.Rounds, "rounds", 0, "replicates: how often each style is installed, driven and removed (default 5 of what is measured, 1 of the matrix and of loads; with --base at most 36, and fewer once all is settled or --budget is spent)")
	flags.StringVar(&o.Cluster, "cluster", cluster.KindName, "kind makes a cluster and deletes it; existing uses that of --kubeconfig and --context when you have agreed (see --yes), and leaves there only what was there before")
	flags.StringVar(&o.Kubeconfig, "kubeconfig", "", "kubeconfig of the existing cluster")
	flags.StringVar(&o.Context, "context", "", "context of the kubeconfig (default its current one)")
	flags.BoolVar(&o.Yes, "yes", false, "use the existing cluster without asking")
	flags.StringVar(&o.Results, "results", "", "folder for the recording and the reports (default results/<time>)")
	flags.StringVar(&o.Images, "images", "auto", "where images come from: auto (cache, engine, pull, build), pull or build; when given, missing ones are fetched by the run itself")
	flags.Var(&o.Given, "image", "take an image that is needed from somewhere else, such as operator=example.org/operator:v2 or node=kindest/node:v1.37.0: from the engine, else from its registry; the cluster knows it as before (may be repeated)")
	flags.BoolVar(&o.Keep, "keep-cluster", false, "leave the kind cluster with the last style in it, and print how to reach and delete it")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the order of styles in each round (default: drawn, and printed)")
	flags.IntVar(&o.Passes, "passes", 0, "how often a style goes through the scenarios each time that it is installed (default 1; with --base as often as that many rounds within --budget allow, at most 10)")
	flags.StringVar(&o.Base, "base", "", "compare styles with what they were at a git revision, such as origin/main: base, base again and head take turns; with --operator=all those that changed")
	flags.Var(&o.Sources, "source", "a further repository that images of styles may be built from, such as ../operator, with --base and what it was then: ../operator=v1.2 (may be repeated)")
	flags.BoolVar(&o.Unchanged, "unchanged", false, "with --base: measure a named style even if it is the same at both sides, which shows the noise of this machine")
	flags.StringVar(&o.Profile, "profile", "", "with --base: how much is driven, quick, standard or deep, which sets --scenario, --budget, and the slowdown that must not pass (default standard)")
	flags.DurationVar(&o.Budget, "budget", 0, "with --base or --precision: how long what is compared may take turns; it ends earlier, once all is settled (default that of --profile; with --precision 20m)")
	flags.Var(&o.Precision, "precision", "add rounds until half the width of the 95% interval of the median of written (of delete: gone) is at most this share of the median, such as 10%, for every style in every scenario, or until --budget is spent; --rounds then sets the maximum")
	flags.DurationVar(&o.Patience, "patience", 45*time.Second, "give up a sample of the correctness matrix after this long without a change; must be longer than the 30s that a pod may take to end")
	flags.DurationVar(&o.Usage, "usage", time.Second, "how often CPU time and memory of the styles' pods are asked for; 0 turns it off")
	flags.DurationVar(&o.Window, "quiescence", 500*time.Millisecond, "how long nothing may change before a sample counts as settled")
}

// NoEmpty is an error where a flag was given the empty value, as a script does with a variable that is not set. What
// that drives, or cleans, is not what was meant.
func NoEmpty(flags *flag.FlagSet) (err error) {
	flags.Visit(func(f *flag.Flag) {
		// Flags with a type of their own refuse what they cannot read; those of go test have a dot.
		if _, kept := f.Value.(flag.Getter); kept && f.Value.String() == "" && !strings.Contains(f.Name, ".") {
			err = fmt.Errorf("--%s= is empty: expected a value; leave the flag out for what is done without it", f.Name)
		}
	})
	return err
}

// defaultBudget is what waiting for medians of a precision may take.
const defaultBudget = 20 * time.Minute

// graceOfPods is a pod's terminationGracePeriodSeconds, where its manifest has none.
const graceOfPods = 30 * time.Second

// scenario is the choice of scenarios; without one, what is measured, and of a comparison what its profile says.
func (o *Options) scenario() string {
	switch {
	case o.Scenario != "":
		return o.Scenario
	case o.Base != "":
		return o.profile().Scenarios
	}
	return spec.GroupLatency
}

// profile is that of a comparison with a base; one that does not exist is refused by Check.
func (o *Options) profile() profiles.Profile {
	found, _ := profiles.Find(o.Profile)
	return found
}

// OptionError is a mistake in what was asked for, and not in a file.
type OptionError struct{ Err error }

func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap gives the mistake.
func (e *OptionError) Unwrap() error { return e.Err }

// asked makes an error one that the person's request caused; nil stays nil.
func asked(err error) error {
	if err == nil {
		return nil
	}
	return &OptionError{err}
}

// Check refuses values that no run can have, and draws the seed where none is given. It returns every problem at once.
func (o *Options) Check() error {
	var problems []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	profile, err := profiles.Find(o.Profile)
	refuse(err != nil, "--profile=%s: %w", o.Profile, err)
	refuse(o.Profile != "" && o.Base == "", "--profile=%s without --base: a profile says how much of a comparison is driven; say --scenario and --rounds instead", o.Profile)
	problems = append(problems, o.checkBudget(profile.Budget))
	refuse(o.Rounds < 0 || o.Rounds > 10000, "--rounds=%d: expected a number from 1 to 10000, or 0 for the default", o.Rounds)
	refuse(o.Window <= 0 || o.Window > time.Minute, "--quiescence=%v: expected a duration up to 1m, such as 1s", o.Window)
	refuse(o.Passes < 0 || o.Passes > 1000, "--passes=%d: expected a number from 1 to 1000, or 0 for the default", o.Passes)
	refuse(o.Usage != 0 && (o.Usage < 100*time.Millisecond || o.Usage > time.Minute), "--usage=%v: expected a duration from 100ms to 1m, or 0", o.Usage)
	refuse(o.Patience <= graceOfPods || o.Patience > 10*time.Minute, "--patience=%v: expected a duration above %v, up to 10m, such as 45s: a pod that does not end when it is told to is killed after %v, unless its manifest says otherwise, and nothing moves until then",
		o.Patience, graceOfPods, graceOfPods)
	refuse(!slices.Contains(cluster.Names(), o.Cluster), "--cluster=%q: expected %s", o.Cluster, strings.Join(cluster.Names(), " or "))
	_, err = images.ParseSource(o.Images)
	refuse(err != nil, "--images: %w", err)
	refuse(o.Cluster == cluster.ExistingName && o.Kubeconfig == "", "--cluster=existing needs --kubeconfig=FILE: the cluster that is used is always named, never guessed from the environment")
	refuse(o.Cluster == cluster.ExistingName && o.Keep, "--keep-cluster is for --cluster=kind: an existing cluster always stays, and nothing of a run stays in it")
	refuse(o.Base != "" && o.Precision > 0, "--precision with --base: the gate itself decides how many rounds there are")
	refuse(o.Precision > 0 && o.Rounds > 0 && o.Rounds < stat.FirstLook, "--precision with --rounds=%d: the first look is after %d rounds, an interval of fewer is too often narrow by chance", o.Rounds, stat.FirstLook)
	refuse(o.Precision > 0 && o.Keep, "--keep-cluster with --precision: which style comes last shows only at the end; keep the cluster of a run without it")
	refuse(o.Base != "" && o.Keep, "--keep-cluster with --base: which style comes last shows only at the end of a comparison; keep the cluster of a run without --base")
	problems = append(problems, o.Sources.check(o.Base))
	refuse(o.Cluster == cluster.KindName && o.Kubeconfig != "", "--kubeconfig is for --cluster=existing; a kind cluster gets a kubeconfig of its own")
	if o.Seed == 0 {
		o.Seed = rand.Uint64() //nolint:gosec // an order of trials, not a secret
	}
	return asked(errors.Join(problems...))
}

// checkBudget refuses a budget that no run can have, and one that nothing is held to. Without one it is the profile's,
// or else the default.
func (o *Options) checkBudget(ofProfile time.Duration) error {
	given := o.Budget
	if o.Base == "" {
		ofProfile = 0
	}
	switch o.Budget = cmp.Or(given, ofProfile, defaultBudget); {
	case o.Budget < time.Minute || o.Budget > 24*time.Hour:
		return fmt.Errorf("--budget=%v: expected a duration from 1m to 24h, such as 20m", o.Budget)
	case given != 0 && o.Base == "" && o.Precision == 0:
		return fmt.Errorf("--budget=%v without --base or --precision: nothing would end when it is spent; add --precision=10%% (rounds until the medians are known) or --base=REVISION, or say --rounds instead", given)
	}
	return nil
}

// ResultsFolder is where the results of a run that begins at now go.
func (o *Options) ResultsFolder(root string, now time.Time) string {
	return under(o.here(root), cmp.Or(o.Results, filepath.Join(resultsName, now.Format("20060102-150405"))))
}

// under is a path from a folder on; an absolute one is what it is.
func under(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// Linked reports whether the newest results are found by a link beside them: in a clone, and elsewhere if nobody named
// a folder.
func (o *Options) Linked() bool { return o.Here == "" || o.Results == "" }

// resultsName is the folder that runs share unless another one is asked for.
const resultsName = "results"

// program is how this program is called.
func (o *Options) program() string {
	if o.Here != "" {
		return "opbench"
	}
	return "go run ./e2e/cmd/opbench"
}

// here is the folder from which paths are; root is the repository's.
func (o *Options) here(root string) string { return cmp.Or(o.Here, root) }
