package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/terminal"
)

// soFar is what all samples that have ended were judged to, each when it did, with what else is known of the run.
// Nobody is to change it.
func (rec *recording) soFar() (one result.Recording, err error) {
	if rec.judge == nil {
		return one, errors.New("nothing was recorded that could be judged")
	}
	err = rec.judge.Look(func(soFar *judge.Judgement) {
		if rec.last.Judgement != soFar {
			rec.last = rec.meter.Recording(&rec.facts, soFar)
		}
		one = rec.last
	})
	return one, err
}

// Judgement is what all samples that have ended were judged to: after Close, all of the run's.
func (rec *recording) Judgement() (*judge.Judgement, error) {
	one, err := rec.soFar()
	return one.Judgement, err
}

// Differences are the verdicts of a style (by its label) and scenario that are not as expected; of an empty name, all
// of them. A style's verdicts.yaml says what is expected; without one nothing is but that there is a verdict.
func (rec *recording) Differences(style, scenario string) ([]result.Difference, error) {
	one, err := rec.soFar()
	if err != nil {
		return nil, err
	}
	all := one.Judgement
	if !rec.complete {
		all = all.Finished()
	}
	found := result.MatrixOf(all)
	var differences []result.Difference
	for _, p := range rec.asked() {
		if style != "" && p.label() != style {
			continue
		}
		for _, d := range result.Compare(found, p.name(), p.expected) {
			if d.Label == p.label() && (scenario == "" || d.Scenario == scenario) {
				differences = append(differences, d)
			}
		}
	}
	if scenario == "" || scenario == result.Rights {
		for _, d := range result.OfRights(found, one.Grants) {
			if style == "" || d.Label == style {
				differences = append(differences, d)
			}
		}
	}
	return differences, nil
}

// Judged returns every sample of a style (by its label) and scenario.
func (rec *recording) Judged(style, scenario string) ([]judge.Result, error) {
	all, err := rec.Judgement()
	if err != nil {
		return nil, err
	}
	return plain.Where(all.Results, func(r judge.Result) bool { return record.Label(r.Style, r.Variant) == style && r.Scenario == scenario }), nil
}

// Has reports whether any round of a scenario was driven against a style (by its
// label). A recording that cannot be judged has: its subtest says why.
func (rec *recording) Has(style, scenario string) bool {
	results, err := rec.Judged(style, scenario)
	return err != nil || len(results) > 0
}

// Began shows a sample's beginning.
func (rec *recording) Began(sample record.Sample) {
	if !sample.Warmup && !sample.Matrix && !sample.Load && rec.measuring.IsZero() {
		rec.measuring = time.Now()
	}
	rec.progress.Began(sample)
}

// Ended shows how a sample ended.
func (rec *recording) Ended(sample record.Sample, _ record.End) {
	result := rec.judge.Take(sample.Place())
	if result == nil {
		return
	}
	if result.Rate > 0 {
		rec.step = append(rec.step, result.Samples...)
	}
	rec.blame(*result)
	if !sample.Warmup && !sample.Matrix && !sample.Load {
		rec.block.Results = append(rec.block.Results, *result)
	}
	rec.progress.Ended(*result)
}

// holds reports whether a ramp's step that has just ended held its rate, by what the reports will say of it.
func (rec *recording) holds(ramp spec.Ramp, rate int) bool {
	step := result.StepOf(ramp, rate, rec.step)
	rec.step = nil
	rec.say("%s", step.Text())
	return step.Held()
}

// mostHeld is how many custom resources that a style did not release are named while it is driven: there can be thousands.
const mostHeld = 3

// Held tells at once that a style did not release a custom resource.
func (rec *recording) Held(held record.Held) {
	p := rec.labelled(record.Label(held.Style, held.Variant))
	if p == nil {
		return
	}
	p.mu.Lock()
	p.held++
	count := p.held
	p.mu.Unlock()
	switch {
	case count <= mostHeld:
		rec.say("%s", judge.HeldMessage(&held))
	case count == mostHeld+1:
		rec.say("more custom resources of %s are held, and are not named here: the recording has each", p.label())
	}
	p.blame(held.Namespace)
}

// blame notes where a sample was not handled as is expected of its participant, or not correctly where nothing is.
func (rec *recording) blame(one judge.Result) {
	p := rec.labelled(record.Label(one.Style, one.Variant))
	if p == nil || one.Group == spec.GroupLoad {
		return // of a load nothing is expected
	}
	var cells result.Cells
	cells.Add("", one)
	cell := cells.Sum()[0]
	if _, same := p.expected.Match(cell.Seen()); same && (p.expected.Known() || cell.Verdict == spec.Pass || cell.Verdict == spec.NotApplicable) {
		return
	}
	if reasons := cell.Reasons(); p.blame(one.Namespace) && len(reasons) > 0 {
		rec.say("the first that went wrong: %s %s, round %d: %s", p.label(), one.Scenario, one.Round, reasons[0].Message)
	}
}

// writeReports writes the results folder's other files, and prints the table.
func (rec *recording) writeReports() error {
	rec.keep("peak memory of the harness %d MiB", peakMemory()>>20)
	rec.facts.Undriven, rec.facts.Early = rec.undriven(), rec.early()
	if err := rec.writeFacts(); err != nil {
		return err
	}
	one, err := rec.soFar()
	if err != nil {
		return err
	}
	one.Expected = map[string]verdicts.Expected{}
	for _, p := range rec.asked() {
		one.Expected[p.name()] = p.expected
	}
	r := report.Of(one)
	if rec.facts.Undriven != "" && len(one.Judgement.Results) == 0 {
		rec.say("%s", rec.facts.Undriven)
	}
	var printed error // nobody may read it any more, but the files are there
	if len(one.Judgement.Results) > 0 {
		rec.say("")
		printed = r.Terminal(rec.out, terminal.Is(rec.out) && os.Getenv("NO_COLOR") == "")
	}
	if rec.facts.Early {
		rec.say("so far, verdicts that are not as expected: %d", len(r.Differences()))
	}
	rec.say("results are in %s; open %s", rec.folder, rec.results(html.File))
	return errors.Join(printed, r.WriteFiles(rec.folder, html.Pages(r, html.Options{})...), AppendSummary(os.Getenv("GITHUB_STEP_SUMMARY"), r.Markdown))
}

// AppendSummary adds what write writes to the summary of a GitHub Actions job; name is its file's, "" outside of one.
func AppendSummary(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644) //nolint:gosec // GitHub names the file
	if err != nil {
		return fmt.Errorf("append to the job's summary: %w", err)
	}
	return errors.Join(write(file), file.Close())
}

// Latest makes results/latest of the repository at root lead to a folder of results.
func Latest(root, folder string) error {
	link := filepath.Join(root, resultsName, "latest")
	err := os.MkdirAll(filepath.Dir(link), 0o755)
	if err == nil {
		err = marked(filepath.Join(root, resultsName), folder)
	}
	if err == nil {
		if relative, outside := filepath.Rel(filepath.Dir(link), folder); outside == nil && filepath.IsLocal(relative) {
			folder = relative
		}
		beside := fmt.Sprintf("%s.%d", link, os.Getpid())
		if err = os.Symlink(folder, beside); err == nil {
			if err = os.Rename(beside, link); err != nil {
				err = errors.Join(err, os.Remove(beside))
			}
		}
	}
	if err != nil {
		return fmt.Errorf("make %s lead to %s: %w", link, folder, err)
	}
	return nil
}

// marked keeps results out of a repository, and of images that are built from all that is in one: all of the folder of
// results, or, where that has something else, which may be the repository's, the run's alone.
func marked(results, folder string) error {
	there, err := os.ReadDir(results)
	if err != nil {
		return err
	}
	known := func(name string) bool {
		return name == "latest" || strings.HasPrefix(name, "latest.") || name == filepath.Base(folder)
	}
	if slices.ContainsFunc(there, func(d os.DirEntry) bool { return d.Name() == ".gitignore" }) {
		return nil
	}
	if slices.ContainsFunc(there, func(d os.DirEntry) bool { return !known(d.Name()) }) {
		if !strings.HasPrefix(folder, results+string(filepath.Separator)) {
			return nil // the run's folder is elsewhere
		}
		if results, err = folder, os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	return writeNew(filepath.Join(results, ".gitignore"), images.ResultsMark)
}

// writeNew writes a file unless it is there.
func writeNew(name, text string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// collect saves what explains a failure while it is still there. That a person stopped the run is none; that its time
// was over may be. However many styles and samples fail, it takes no longer than logsWithin in a run.
func (e *environment) collect(ctx context.Context, p *participant) {
	within := logsWithin - e.collecting
	switch {
	case errors.Is(ctx.Err(), context.Canceled) && !errors.As(context.Cause(ctx), new(*kube.SilentError)):
		return
	case ctx.Err() != nil:
		ctx, within = context.WithoutCancel(ctx), logsWhenOver
	case within <= 0:
		e.say("logs of %s are not collected: collecting other logs has already taken %v in this run, which is the limit; run this style alone to get them", p.label(), logsWithin)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	dir, began := e.results("logs", p.label()), time.Now()
	err := e.stage("collect logs", func() error {
		footprint, err := p.operator.Plan()
		if err != nil {
			return err
		}
		own, err := e.kube.OwnNamespaces(ctx, kube.Owner{Run: e.id}, append(footprint.Namespaces, p.telling()...)...)
		return errors.Join(err, os.MkdirAll(dir, 0o755), e.provider.CollectLogs(ctx, dir, own...))
	})
	e.collecting += time.Since(began)
	if err != nil {
		e.say("some logs could not be collected: %v", err)
	}
	e.say("logs of the cluster and of %s are in %s", p.label(), dir)
}

// Wrong joins what Failed says of every style, and says which verdicts are not as expected.
func (rec *recording) Wrong() error {
	var problems []error
	for _, p := range rec.asked() {
		if c := p.comparison; p.err != nil && (c == nil || !c.lost()) {
			problems = append(problems, fmt.Errorf("%s: %w", p.label(), p.err))
		}
	}
	if rec.base != nil { // the gate judges
		return errors.Join(problems...)
	}
	differences, err := rec.Differences("", "")
	problems = append(problems, plain.Map(differences, func(d result.Difference) error { return errors.New(d.String()) })...)
	return errors.Join(append(problems, err)...)
}

// unfinished is said of a run until its end.
const unfinished = "the run did not come to its end, as if it was killed: what was asked for may not have been driven"

// early reports whether the run ended before all was driven. Of a gate's the gate says so.
func (rec *recording) early() bool { return !rec.complete && rec.base == nil }

// undriven says which scenarios came to no end, for each style, where the run ended early; "": each did, in one round
// at least.
func (rec *recording) undriven() string {
	if !rec.early() {
		return ""
	}
	all, err := rec.Judgement()
	if err != nil {
		return "the run ended before all was driven"
	}
	var parts []string
	for _, style := range rec.Styles() {
		var left []string
		asked := 0
		for _, scenario := range rec.Scenarios() {
			if !rec.Drives(style, scenario) {
				continue
			}
			if asked++; !slices.ContainsFunc(all.Results, func(r judge.Result) bool {
				return record.Label(r.Style, r.Variant) == style && r.Scenario == scenario && !r.Warmup && r.End != record.Interrupted
			}) {
				left = append(left, scenario)
			}
		}
		switch {
		case len(left) == 0:
		case len(left) == asked:
			parts = append(parts, fmt.Sprintf("%s: nothing of what was asked for", style))
		default:
			parts = append(parts, fmt.Sprintf("%s: %d of %d scenarios, %s", style, len(left), asked, strings.Join(left, ", ")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "the run ended before all was driven. What was not: " + strings.Join(parts, "; ")
}

// SoFar joins, of a run that ended before all was driven, what was not as expected until then; nil: nothing was.
func (rec *recording) SoFar() error {
	if !rec.early() || rec.file == nil {
		return nil
	}
	if err := rec.Wrong(); err != nil {
		return fmt.Errorf("not as expected so far:\n%w", err)
	}
	return nil
}
