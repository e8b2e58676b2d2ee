package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"operatorbench/e2e/environment/kube"
	grantmeter "operatorbench/e2e/grants"
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

// Result is one sample, judged.
type Result struct{ judge.Result }

// Problems are the reasons for which a sample does not count as handled
// correctly; none if it does.
func (r Result) Problems() []string {
	var problems []string
	for _, v := range r.Verdicts {
		if v.Outcome == spec.Fail || v.Outcome == spec.Invalid {
			lines := append([]string{fmt.Sprintf("%s %s: %s", v.Oracle, v.Outcome, v.Message)}, v.Evidence...)
			problems = append(problems, strings.Join(lines, "\n  "))
		}
	}
	switch r.Outcome() {
	case spec.Late:
		problems = append(problems, "not done in time, though no oracle failed: "+r.Reason)
	case spec.NotApplicable:
		problems = append(problems, "no oracle could judge it")
	default:
	}
	return problems
}

// Judgement reads the recording back: what is asserted is what anyone can judge
// from the file. It is to be called when all has been driven.
func (s *Session) Judgement() (*judge.Judgement, error) {
	if s.judged == nil {
		s.judged = sync.OnceValues(func() (*judge.Judgement, error) {
			name, err := record.Find(s.folder) // a large one is compressed at the end
			if err != nil {
				return nil, err
			}
			rights := grantmeter.NewMeter()
			judged, err := judge.File(name, rights.Add)
			s.rights = rights.Uses()
			return judged, err
		})
	}
	return s.judged()
}

// Differences are the verdicts of a style (by its label) and scenario that are
// not as expected; of an empty name, all of them. A style's verdicts.yaml says
// what is expected; without one nothing is but that there is a verdict.
func (s *Session) Differences(style, scenario string) ([]result.Difference, error) {
	all, err := s.Judgement()
	if err != nil {
		return nil, err
	}
	if !s.complete {
		all = all.Finished()
	}
	found := result.MatrixOf(all)
	var differences []result.Difference
	for _, p := range s.asked() {
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
		for _, d := range result.OfRights(found, s.rights) {
			if style == "" || d.Label == style {
				differences = append(differences, d)
			}
		}
	}
	return differences, nil
}

// Judged returns every sample of a style (by its label) and scenario.
func (s *Session) Judged(style, scenario string) ([]Result, error) {
	all, err := s.Judgement()
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, r := range all.Results {
		if record.Label(r.Style, r.Variant) == style && (scenario == "" || r.Scenario == scenario) {
			results = append(results, Result{r})
		}
	}
	return results, nil
}

// Has tells whether any round of a scenario was driven against a style (by its
// label). A recording that cannot be judged has: its subtest says why.
func (s *Session) Has(style, scenario string) bool {
	results, err := s.Judged(style, scenario)
	return err != nil || len(results) > 0
}

// Began shows a sample's beginning.
func (s *Session) Began(sample record.Sample) {
	if !sample.Warmup && !sample.Matrix && !sample.Load && s.measuring.IsZero() {
		s.measuring = time.Now()
	}
	s.progress.Began(sample)
}

// Ended shows how a sample ended.
func (s *Session) Ended(sample record.Sample, _ record.End) {
	timeline := s.judge.take(sample.Namespace)
	if timeline == nil || sample.Prepare {
		return
	}
	result := judge.One(timeline)
	s.blame(result)
	if !sample.Warmup && !sample.Matrix && !sample.Load {
		s.first.see(result)
	}
	s.progress.Ended(result)
}

// Held tells at once that a style did not release a custom resource.
func (s *Session) Held(held record.Held) {
	label := record.Label(held.Style, held.Variant)
	s.progress.Clear()
	s.say("%s", judge.HeldMessage(&held))
	for _, p := range s.participants {
		if p.label() == label {
			p.blame(held.Namespace)
		}
	}
}

// blame notes where a sample was not handled as is expected of its participant, or not
// correctly where nothing is.
func (s *Session) blame(one judge.Result) {
	label := record.Label(one.Style, one.Variant)
	if one.Group == spec.GroupLoad {
		return // of a load nothing is expected
	}
	for _, p := range s.participants {
		if p.label() != label {
			continue
		}
		var cells result.Cells
		cells.Add("", one)
		cell := cells.Sum()[0]
		if _, same := p.expected.Match(cell.Seen()); same && (p.expected.Known() || cell.Verdict == spec.Pass || cell.Verdict == spec.NotApplicable) {
			continue
		}
		p.blame(one.Namespace)
	}
}

// writeReports judges the recording as it is in its file, writes the results
// folder's other files, and prints the table.
func (s *Session) writeReports() error {
	s.environment.Notes = append(s.environment.Notes, fmt.Sprintf("peak memory of the harness %d MiB", peakMemory()>>20))
	s.environment.Undriven = s.undriven()
	if err := s.environment.Write(s.folder); err != nil {
		return err
	}
	one, err := result.Load(s.folder)
	if err != nil {
		return err
	}
	one.Expected = map[string]verdicts.Expected{}
	for _, p := range s.asked() {
		one.Expected[p.name()] = p.expected
	}
	r := report.Of(one)
	if s.environment.Undriven != "" && len(one.Judgement.Results) == 0 {
		s.say("%s", s.environment.Undriven)
	}
	var printed error // nobody may read it any more, but the files are there
	if len(one.Judgement.Results) > 0 {
		s.say("")
		printed = r.Terminal(s.out, terminal.Is(s.out) && os.Getenv("NO_COLOR") == "")
	}
	if s.environment.Undriven != "" {
		s.say("so far, verdicts that are not as expected: %d", len(r.Differences()))
	}
	s.say("results are in %s; open %s", s.folder, s.results(html.File))
	return errors.Join(printed, r.WriteFiles(s.folder, Page()), AppendSummary(os.Getenv("GITHUB_STEP_SUMMARY"), r.Markdown))
}

// Page is the report as a page, for report.WriteFiles.
func Page() report.File {
	return report.File{Name: html.File, Print: func(r *report.Report, out io.Writer) error { return html.Write(out, r) }}
}

// AppendSummary adds what write writes to the summary of a GitHub Actions job;
// name is its file's, "" outside of one.
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

// Latest makes results/latest of the repository at root lead to a folder of
// results.
func Latest(root, folder string) error {
	link := filepath.Join(root, "results", "latest")
	err := os.MkdirAll(filepath.Dir(link), 0o755)
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

// collect saves what explains a failure while it is still there. That a person
// stopped the run is none; that its time was over may be. However many styles and
// samples fail, it takes no longer than logsWithin in a run.
func (s *Session) collect(ctx context.Context, p *participant) {
	within := logsWithin - s.collecting
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return
	case ctx.Err() != nil:
		ctx, within = context.WithoutCancel(ctx), logsWhenOver
	case within <= 0:
		s.say("logs of %s are not collected: those of others have taken %v in this run; drive it alone to have them", p.label(), logsWithin)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	dir, began := s.results("logs", p.label()), time.Now()
	err := s.stage("collect logs", func() error {
		footprint, err := p.operator.Style().Plan()
		if err != nil {
			return err
		}
		own, err := s.kube.OwnNamespaces(ctx, kube.Owner{Run: s.id}, append(footprint.Namespaces, p.telling()...)...)
		return errors.Join(err, os.MkdirAll(dir, 0o755), s.provider.CollectLogs(ctx, dir, own...))
	})
	s.collecting += time.Since(began)
	if err != nil {
		s.say("some logs could not be collected: %v", err)
	}
	s.say("logs of the cluster and of %s are in %s", p.label(), dir)
}

// unique are names, each once.
func unique(names []string) []string {
	var kept []string
	for _, name := range names {
		kept = plain.Once(kept, name)
	}
	return kept
}
