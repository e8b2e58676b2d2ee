package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	grantmeter "operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/schema"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/terminal"
)

// Session is one run: a cluster, on which the participants take turns, and one recording.
type Session struct {
	options      Options
	root         string // of the repository
	folder       string // of the results
	id           string
	out          io.Writer
	deadline     time.Time      // zero: none
	participants []*participant // the floor first
	scenarios    []scenarios.Scenario
	warmup       []scenarios.Scenario
	base         *base // nil: nothing is compared with a base
	comparisons  []*comparison
	// Since when a block is installed, and its scenarios are measured.
	installing, measuring time.Time

	engine      *engine.Engine
	store       *images.Store
	provider    cluster.Provider
	kube        *kube.Client
	recording   *os.File
	recorder    *record.Recorder
	synced      *record.Syncing
	judge       *live
	driver      *drive.Driver
	progress    *terminal.Progress
	environment record.Environment
	plan        Plan
	first       firstResults  // of the block that is being driven
	headed      bool          // the table of first results has its heading
	history     history       // what earlier runs on this machine took
	dropped     []string      // scenarios for which there is no time
	complete    bool          // all was driven
	left        []string      // what else was not driven for lack of time, and why
	collecting  time.Duration // that collecting logs has taken
	collector   func() error  // awaits that the garbage collector knows the custom resource
	observers   observers
	remaining   []*participant // that could not be removed
	judged      func() (*judge.Judgement, error)
	rights      []grantmeter.Use                   // once it is judged
	terminal    func() (io.ReadWriteCloser, error) // where a person is asked
	leavings    atomic.Pointer[string]             // see Left
	listed      time.Duration                      // how long a node may take to list an image that it has
}

// Load reads what a run needs before any cluster exists, and refuses whatever
// is wrong with it. Where nothing differs from the base that is asked for, the
// error is ErrUnchanged.
func Load(ctx context.Context, options Options, root string, deadline time.Time, out io.Writer) (*Session, error) {
	if err := options.Check(); err != nil {
		return nil, err
	}
	s := &Session{options: options, root: root, id: cluster.NewRunID(), out: out, deadline: deadline, terminal: openTerminal, listed: listedWithin}
	s.folder = options.folder(root, time.Now())
	var err error
	if s.scenarios, err = pick(options.scenario()); err != nil {
		return nil, err
	}
	if s.warmup, err = pick(warmup); err != nil {
		return nil, err
	}
	s.participants = []*participant{{}} // the floor
	if options.Base != "" {
		s.quicken()
		err := s.compare(ctx)
		s.place()
		return s, err
	}
	found, err := styles.Find(filepath.Join(root, "operators"), operatorNames(s.root, s.options.Operator)...)
	if err == nil {
		err = s.check(found)
	}
	if err != nil {
		return nil, fmt.Errorf("--operator=%s: %w", options.Operator, err)
	}
	for _, style := range found {
		expected, err := expectedOf(style)
		if err != nil {
			return nil, err
		}
		expected = s.within(expected)
		if style.Style().Control == spec.Harness {
			s.participants[0].asked, s.participants[0].expected = style, expected // it is driven as the floor anyway
			continue
		}
		s.participants = append(s.participants, &participant{operator: style, asked: style, expected: expected})
	}
	s.place()
	return s, nil
}

// check refuses styles that could not be installed, or should not be.
func (s *Session) check(all []styles.Operator) error {
	catalogue, err := images.Load(s.root)
	if err != nil {
		return err
	}
	return styles.Check(catalogue, all...)
}

// warmup is the scenario that a style goes through when it has just been
// installed, before anything is measured.
const warmup = "create"

// warmupOf is what a participant warms up with: a style that has just been installed
// needs it, unless it says why not.
func (s *Session) warmupOf(p *participant) []scenarios.Scenario {
	if p.operator == nil || p.operator.Style().Warmup.Skip != "" {
		return nil
	}
	return s.warmup
}

// operatorNames are the styles that are asked for; folders are named from the
// repository's root, since go test runs a test elsewhere.
func operatorNames(root, list string) []string {
	names := strings.Split(list, ",")
	for i, name := range names {
		if strings.HasPrefix(name, ".") {
			names[i] = filepath.Join(root, name)
		}
	}
	return names
}

// Styles are the labels of the participants that were asked for: the floor is
// one of them only if it was named.
func (s *Session) Styles() []string {
	var names []string
	for _, p := range s.asked() {
		names = append(names, p.label())
	}
	return names
}

// asked are the participants that were asked for.
func (s *Session) asked() []*participant {
	return slices.DeleteFunc(slices.Clone(s.participants), func(p *participant) bool { return p.asked == nil })
}

// Folder is where the results go.
func (s *Session) Folder() string { return s.folder }

// Scenarios are the names of the scenarios, in their order.
func (s *Session) Scenarios() []string {
	var names []string
	for _, scenario := range s.scenarios {
		names = append(names, scenario.Name)
	}
	return names
}

// Drives tells whether a scenario is this run's to drive against a style: other
// shards have theirs.
func (s *Session) Drives(style, scenario string) bool {
	if slices.Contains(namesOf(slices.Concat(s.measured(), s.loads())), scenario) {
		return true
	}
	return slices.ContainsFunc(s.waves(), func(w wave) bool {
		return w.participant.label() == style && slices.Contains(namesOf(w.scenarios), scenario)
	})
}

// Keep leaves only the styles and scenarios for which keep is true.
func (s *Session) Keep(keep func(style, scenario string) bool) {
	some := func(p *participant) bool {
		return slices.ContainsFunc(s.scenarios, func(scenario scenarios.Scenario) bool { return keep(p.label(), scenario.Name) })
	}
	if !some(s.participants[0]) {
		s.participants[0].asked = nil
	}
	s.participants = slices.Concat(s.participants[:1], slices.DeleteFunc(s.participants[1:], func(p *participant) bool { return !some(p) }))
	s.scenarios = slices.DeleteFunc(s.scenarios, func(scenario scenarios.Scenario) bool {
		return !slices.ContainsFunc(s.asked(), func(p *participant) bool { return keep(p.label(), scenario.Name) })
	})
}

// makePlan fits the rounds into what remains of go test's -timeout, and says
// what there is no time for.
func (s *Session) makePlan() error {
	var err error
	if s.plan, err = s.newPlan(); err != nil {
		return err
	}
	if short := s.plan.Shortened(append([]string{spec.Floor}, s.Styles()...)); short != "" {
		s.say("%s", short)
		s.remark(short)
	}
	for _, c := range s.plan.Left {
		s.left = append(s.left, fmt.Sprintf("%s: one round takes about %v", c.Style, c.Round.Round(time.Second)))
	}
	if len(s.dropped) > 0 {
		short := "left out, because not even the quickest style has time for more: the scenarios " + strings.Join(s.dropped, ", ")
		s.say("%s", short)
		s.remark(short)
	}
	return nil
}

// Unfinished says what was asked for by its name and was not driven for lack of
// time. Of all styles, and of all latency scenarios, those that fit are driven.
func (s *Session) Unfinished() error {
	var left []string
	if s.options.Operator != styles.All {
		left = append(left, s.left...)
	}
	if s.options.scenario() != spec.GroupLatency && len(s.dropped) > 0 {
		left = append(left, "scenarios "+strings.Join(s.dropped, ", "))
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("not all that was asked for was driven before go test's -timeout (%s): give a longer one, or ask for less", strings.Join(left, "; "))
}

// Fits tells whether the time was enough for a style to be driven at all.
func (s *Session) Fits(label string) bool {
	return !slices.ContainsFunc(s.plan.Left, func(c Cost) bool { return c.Style == label }) || s.plan.Rounds[label] > 0
}

// change is how long one change of a custom resource is expected to take.
func (s *Session) change(typical spec.Typical) time.Duration {
	return typical.Reconcile + typicalPods + s.options.Window
}

// roundsToShow are enough for orders of magnitude, not for small differences.
const roundsToShow = 5

// rounds is how many blocks of a participant are wanted. Of a comparison with a base the
// first one tells how many there is time for.
func (s *Session) rounds() int {
	switch {
	case s.base != nil:
		return 1
	case s.options.Rounds > 0:
		return s.options.Rounds
	}
	return roundsToShow
}

// passes is how often a block of a participant goes through the scenarios.
func (s *Session) passes(p *participant) int {
	switch {
	case s.base != nil && p.operator == nil:
		return 1 // the gate does not compare the floor
	case s.options.Passes > 0:
		return s.options.Passes
	}
	if c := s.comparisonOf(p); c != nil && c.passes > 0 {
		return c.passes
	}
	return 1
}

// pick returns the scenarios of a --scenario value, in their own order.
func pick(value string) ([]scenarios.Scenario, error) {
	all, err := scenarios.All(judge.OracleNames())
	if err != nil {
		return nil, fmt.Errorf("load the scenarios: %w", err)
	}
	known := slices.Concat(spec.Groups(), namesOf(all), []string{matrixName, styles.All})
	wanted := strings.Split(value, ",")
	for _, name := range wanted {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("--scenario=%s: there is no scenario or group %q%s; there are the groups %s, %s (all but %s and %s) and %s, and: %s",
				value, name, schema.Suggestion(name, known), strings.Join(spec.Groups(), ", "), matrixName, spec.GroupLatency, spec.GroupLoad, styles.All, strings.Join(namesOf(all), ", "))
		}
	}
	return slices.DeleteFunc(all, func(s scenarios.Scenario) bool {
		return !slices.ContainsFunc(wanted, func(name string) bool {
			return name == styles.All || name == s.Name || name == s.Group || (name == matrixName && spec.InMatrix(s.Group))
		})
	}), nil
}

// matrixName names all groups of the correctness matrix.
const matrixName = "matrix"

// measured are the scenarios whose latencies are compared.
func (s *Session) measured() []scenarios.Scenario {
	return slices.DeleteFunc(slices.Clone(s.scenarios), func(s scenarios.Scenario) bool { return s.Group != spec.GroupLatency })
}

// matrix are the scenarios of the correctness matrix.
func (s *Session) matrix() []scenarios.Scenario {
	return slices.DeleteFunc(slices.Clone(s.scenarios), func(s scenarios.Scenario) bool { return !spec.InMatrix(s.Group) })
}

// say prints a line for the person who runs this.
func (s *Session) say(format string, args ...any) {
	fmt.Fprintln(s.out, plain.Text(fmt.Sprintf(format, args...)))
}

// note is for what is only of interest while it lasts.
func (s *Session) note(format string, args ...any) { s.progress.Note(fmt.Sprintf(format, args...)) }

// stage runs one part of the run, and keeps and prints how long it took.
func (s *Session) stage(name string, do func() error) error {
	s.note("%s", name)
	began := time.Now()
	err := do()
	took := time.Since(began)
	s.took(name, took)
	outcome := ""
	if err != nil {
		outcome = "  FAILED"
	}
	s.progress.Clear()
	s.say("%-24s %6.1f s%s", name, took.Seconds(), outcome)
	return err
}

// took adds to how long a part of the run has taken.
func (s *Session) took(name string, time time.Duration) {
	i := slices.IndexFunc(s.environment.Stages, func(stage record.Stage) bool { return stage.Name == name })
	if i < 0 {
		i = len(s.environment.Stages)
		s.environment.Stages = append(s.environment.Stages, record.Stage{Name: name})
	}
	s.environment.Stages[i].Seconds += time.Seconds()
	s.environment.Stages[i].Times++
}

// results is a path in the results folder.
func (s *Session) results(name ...string) string {
	return filepath.Join(append([]string{s.folder}, name...)...)
}
