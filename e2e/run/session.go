package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/report"
	"operatorbench/fixtures/cluster"
	"operatorbench/fixtures/engine"
	"operatorbench/fixtures/images"
	"operatorbench/fixtures/kube"
	"operatorbench/fixtures/scenarios"
	"operatorbench/operators"
)

// Reserve is the time before go test's -timeout that is kept for teardown.
const Reserve = 45 * time.Second

// Session is one run: a cluster, the styles that are driven on it one after the
// other, one recording.
type Session struct {
	options   Options
	root      string // of the repository
	folder    string // of the results
	id        string
	out       io.Writer
	deadline  time.Time // zero: none
	styles    []operators.Operator
	scenarios []scenarios.Scenario

	engine      *engine.Engine
	store       *images.Store
	provider    cluster.Provider
	kube        *kube.Client
	recording   *os.File
	recorder    *record.Recorder
	judge       *live
	driver      *drive.Driver
	progress    *report.Progress
	environment report.Environment
	plan        Plan
	collector   chan error // one result: the garbage collector knows the custom resource
	floored     *error     // how measuring the floor went; nil before
	driven      []string   // styles whose rounds have begun, the null operator's first
}

// Load reads what a run needs before any cluster exists, and refuses whatever
// is wrong with it. ctx bounds nothing yet.
func Load(options Options, root string, deadline time.Time, out io.Writer) (*Session, error) {
	if err := options.Check(); err != nil {
		return nil, err
	}
	s := &Session{options: options, root: root, id: cluster.NewRunID(), out: out, deadline: deadline}
	s.folder = options.folder(root, time.Now())
	var err error
	if s.styles, err = operators.Find(filepath.Join(root, "operators"), s.operatorNames()...); err != nil {
		return nil, fmt.Errorf("--operator=%s: %w", options.Operator, err)
	}
	// The order is random, so that no style always has the fresher cluster.
	random := rand.New(rand.NewPCG(options.Seed, 0)) //nolint:gosec // an order of trials, not a secret
	random.Shuffle(len(s.styles), func(i, j int) { s.styles[i], s.styles[j] = s.styles[j], s.styles[i] })
	if s.scenarios, err = pick(options.Scenario); err != nil {
		return nil, err
	}
	return s, nil
}

// operatorNames are the styles that are asked for; folders are named from the
// repository's root, since go test runs a test elsewhere.
func (s *Session) operatorNames() []string {
	names := strings.Split(s.options.Operator, ",")
	for i, name := range names {
		if strings.HasPrefix(name, ".") {
			names[i] = filepath.Join(s.root, name)
		}
	}
	return names
}

// Styles are the names of the styles, in the order in which they are driven.
func (s *Session) Styles() []string {
	var names []string
	for _, operator := range s.styles {
		names = append(names, operator.Style().Name)
	}
	return names
}

// Scenarios are the names of the scenarios, in their order.
func (s *Session) Scenarios() []string {
	var names []string
	for _, scenario := range s.scenarios {
		names = append(names, scenario.Name)
	}
	return names
}

// Keep leaves only the scenarios for which keep is true.
func (s *Session) Keep(keep func(name string) bool) {
	s.scenarios = slices.DeleteFunc(s.scenarios, func(scenario scenarios.Scenario) bool { return !keep(scenario.Name) })
}

// Drive installs a style, puts it through the planned rounds, and takes it away
// again. What the style did wrong is no error, it is in the recording; an error
// means that the style could not be installed or removed, or that the bed broke.
func (s *Session) Drive(ctx context.Context, name string) error {
	if err := s.floor(ctx); err != nil {
		return err
	}
	operator := s.styles[slices.Index(s.Styles(), name)]
	target := operators.Cluster{Kube: s.kube, Run: s.id, Progress: s.note}
	err := s.stage("install "+name, func() error { return operator.Install(ctx, target) })
	if err == nil {
		err = s.rounds(ctx, driven(operator.Style()), s.plan.Rounds[name])
	}
	if err != nil || s.wrong(name) {
		s.collect(name, operator)
	}
	switch last := s.styles[len(s.styles)-1] == operator; {
	case s.options.Keep && last:
		s.say("%s is left installed in the cluster that is kept", name)
		return err
	case ctx.Err() != nil && s.options.Cluster == "kind":
		return err // the cluster goes as a whole, and time is short
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), teardownWithin)
	defer cancel()
	return errors.Join(err, s.stage("uninstall "+name, func() error { return operator.Uninstall(cleanup, target) }))
}

// DriveAll drives every style. An error is also that some sample was not
// handled correctly.
func (s *Session) DriveAll(ctx context.Context) error {
	var problems []error
	for _, style := range s.Styles() {
		if err := s.Drive(ctx, style); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", style, err))
		}
		if s.wrong(style) {
			problems = append(problems, fmt.Errorf("%s: not every sample was handled correctly; the summary says which", style))
		}
	}
	return errors.Join(problems...)
}

// floor measures the null operator, once, before any style is installed: a
// style would act on the null operator's custom resources. Without a floor no
// style is driven.
func (s *Session) floor(ctx context.Context) error {
	if s.floored == nil {
		err := s.measureFloor(ctx)
		s.floored = &err
	}
	return *s.floored
}

func (s *Session) measureFloor(ctx context.Context) error {
	if err := s.makePlan(); err != nil {
		return err
	}
	if err := s.rounds(ctx, drive.Style{Name: report.Floor, Timeout: floorTimeout, Null: true}, s.plan.Rounds[report.Floor]); err != nil {
		return err
	}
	if s.wrong(report.Floor) {
		return errors.New("the floor could not be measured: the cluster does not bring about what the harness itself writes; summary.md says what was seen")
	}
	return s.stage("garbage collector", func() error { return <-s.collector })
}

// floorTimeout is generous: the floor waits for the kubelet alone.
const floorTimeout = time.Minute

func (s *Session) rounds(ctx context.Context, style drive.Style, rounds int) error {
	s.driven = append(s.driven, style.Name)
	return s.stage("scenarios "+style.Name, func() error {
		s.progress.Start(style.Name, rounds, s.Scenarios())
		defer s.progress.Stop()
		for round := 1; round <= rounds; round++ {
			if err := s.driver.Round(ctx, style, round, s.scenarios); err != nil {
				return err
			}
		}
		return nil
	})
}

// makePlan fits the rounds into what remains of go test's -timeout.
func (s *Session) makePlan() error {
	each := func(reconcile time.Duration) time.Duration {
		return time.Duration(len(s.scenarios)) * (reconcile + typicalPods + s.options.Window)
	}
	costs := []Cost{{Style: report.Floor, Round: each(0)}}
	for _, operator := range s.styles {
		typical := operator.Style().Typical
		costs = append(costs, Cost{Style: operator.Style().Name, Once: typical.Install + typicalUninstall, Round: each(typical.Reconcile)})
	}
	var budget time.Duration
	if !s.deadline.IsZero() {
		budget = max(time.Until(s.deadline)-Reserve, time.Second)
	}
	var err error
	if s.plan, err = NewPlan(s.options.Rounds, budget, costs); err != nil {
		return err
	}
	if short := s.plan.Shortened(slices.Concat([]string{report.Floor}, s.Styles())); short != "" {
		s.say("%s", short)
		s.environment.Notes = append(s.environment.Notes, short)
	}
	return nil
}

// What planning expects where no style says it.
const (
	typicalPods      = 2 * time.Second // until pods are ready or gone
	typicalUninstall = 30 * time.Second
)

// driven says of a style what driving must know.
func driven(style operators.Style) drive.Style {
	d := drive.Style{Name: style.Name, Timeout: style.Timeout}
	for _, phase := range style.Phases {
		resource, ok := watch.ParseResource(phase.Resource)
		if !ok || phase.Namespace == "" {
			continue // in the custom resource's namespace everything is watched anyway
		}
		target := watch.Target{Resource: resource, Namespace: phase.Namespace}
		if !slices.Contains(d.Watches, target) {
			d.Watches = append(d.Watches, target)
		}
	}
	return d
}

// pick returns the scenarios of a --scenario value, in their own order.
func pick(value string) ([]scenarios.Scenario, error) {
	all, err := scenarios.All(judge.OracleNames())
	if err != nil {
		return nil, fmt.Errorf("load the scenarios: %w", err)
	}
	if value == operators.All {
		return all, nil
	}
	var names []string
	for _, scenario := range all {
		names = append(names, scenario.Name)
	}
	wanted := strings.Split(value, ",")
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("--scenario=%s: there is no scenario %q%s; there are: %s, or all",
				value, name, operators.Suggestion(name, names), strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(all, func(s scenarios.Scenario) bool { return !slices.Contains(wanted, s.Name) }), nil
}

// say prints a line for the person who runs this.
func (s *Session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// note is for what is only of interest while it lasts.
func (s *Session) note(format string, args ...any) { s.progress.Note(fmt.Sprintf(format, args...)) }

// stage runs one part of the run, and keeps and prints how long it took.
func (s *Session) stage(name string, do func() error) error {
	s.note("%s", name)
	began := time.Now()
	err := do()
	took := time.Since(began)
	s.environment.Stages = append(s.environment.Stages, report.Stage{Name: name, Seconds: took.Seconds()})
	outcome := ""
	if err != nil {
		outcome = "  FAILED"
	}
	s.progress.Clear()
	s.say("%-24s %6.1f s%s", name, took.Seconds(), outcome)
	return err
}

// results is a path in the results folder.
func (s *Session) results(name ...string) string {
	return filepath.Join(append([]string{s.folder}, name...)...)
}
