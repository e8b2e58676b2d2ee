package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report/html"
	job "operatorbench/e2e/run"
)

// defaultShards is what two cores carry: most of a slow operator's time is waiting.
const defaultShards = 3

// mostShards is more than any machine has clusters at a time.
const mostShards = 64

// runMatrix drives the correctness matrix on several clusters side by side, and
// joins what they found. Its flags are those of run.
func runMatrix(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var options job.Options
	flags := flag.NewFlagSet("opbench matrix", flag.ContinueOnError)
	options.Register(flags)
	update := flags.Bool("update-verdicts", false, "write what was seen into the styles' verdicts.yaml, instead of holding it against them")
	shards := flags.Int("shards", defaultShards, "clusters that drive parts of the matrix side by side")
	scenario := flags.Lookup("scenario")
	scenario.DefValue = "matrix"
	scenario.Usage, _, _ = strings.Cut(scenario.Usage, " (default") // which is of a run
	if err := scenario.Value.Set(scenario.DefValue); err != nil {
		return err
	}
	rounds := flags.Lookup("rounds")
	rounds.Usage, _, _ = strings.Cut(rounds.Usage, " (default")
	rounds.Usage += " (default 1)"
	if err := parseRun(flags, args, "cluster", "kubeconfig", "context", "yes", "keep-cluster", "base", "unchanged", "budget", "precision", "profile"); err != nil {
		return err
	}
	if *shards < 1 || *shards > mostShards {
		return usageError{fmt.Sprintf("--shards=%d: expected a number from 1 to %d", *shards, mostShards)}
	}
	options.ImagesAsked = true
	root, here, err := findHome()
	if err != nil {
		return err
	}
	options.Here = here
	linked := options.Linked()
	options.Results = options.ResultsFolder(root, time.Now())
	sessions, err := driveShards(ctx, options, *shards, root, linked, stdout)
	if len(sessions) == 0 {
		return err // nothing was begun
	}
	if *update && err == nil && ctx.Err() == nil {
		if err := updateVerdicts(sessions); err != nil {
			return err
		}
	}
	if there, _ := fs.Glob(os.DirFS(options.Results), "shard-*"); err != nil && len(there) == 0 {
		return err // none came so far as to record anything
	}
	return errors.Join(err, joinShards(ctx, sessions, options.Results, stdout, stderr))
}

// driveShards runs the shards, each with a results folder of its own. There are no sessions where none was begun.
func driveShards(ctx context.Context, options job.Options, shards int, root string, linked bool, stdout io.Writer) ([]*job.Session, error) {
	var sessions []*job.Session
	var outs []*lines
	var mu sync.Mutex
	for i := 1; i <= shards; i++ {
		own := options
		own.Shard = job.Shard{Index: i, Of: shards}
		own.Results = filepath.Join(options.Results, fmt.Sprintf("shard-%d", i))
		out := &lines{mu: &mu, out: stdout, prefix: fmt.Sprintf("[%d] ", i)}
		session, err := job.Load(ctx, own, root, time.Time{}, out)
		if err != nil {
			return nil, err
		}
		sessions, outs = append(sessions, session), append(outs, out)
	}
	if measured := sessions[0].Measured(); len(measured) > 0 {
		return nil, usageError{fmt.Sprintf("--scenario=%s: %s would be measured while other clusters run on the same machine; use `opbench run --scenario=%[1]s` for what is measured, and give matrix scenarios of its own",
			options.Scenario, strings.Join(measured, ", "))}
	}
	if err := job.Unused(options.Results); err != nil {
		return nil, err
	}
	if linked {
		if err := job.Latest(cmp.Or(options.Here, root), filepath.Dir(sessions[0].Folder())); err != nil {
			return nil, err
		}
	}
	problems := make([]error, len(sessions))
	var group sync.WaitGroup
	for i, session := range sessions {
		group.Go(func() {
			err := perform(ctx, session)
			for _, style := range session.Styles() {
				err = errors.Join(err, session.Failed(style))
			}
			if err != nil {
				problems[i] = fmt.Errorf("shard %d: %w", i+1, err)
			}
			outs[i].flush()
		})
	}
	group.Wait()
	return sessions, errors.Join(problems...)
}

// updateVerdicts writes what all shards saw.
func updateVerdicts(sessions []*job.Session) error {
	var judgements []*judge.Judgement
	for _, session := range sessions {
		one, err := session.Judgement()
		if err != nil {
			return err
		}
		judgements = append(judgements, one)
	}
	return sessions[0].UpdateVerdicts(judgements...)
}

// joinShards reports what all shards found. An error says what was not as expected, or that nothing was recorded.
func joinShards(ctx context.Context, sessions []*job.Session, results string, stdout, stderr io.Writer) error {
	expected, err := sessions[0].Expected()
	if err != nil {
		return err
	}
	found, err := load(context.WithoutCancel(ctx), []string{results}, expected, stderr)
	if err != nil {
		return fmt.Errorf("report what the shards found: %w", err)
	}
	printed := printTerminal(found, stdout) // nobody may read it any more, but the files are there
	if printed == nil {
		_, printed = fmt.Fprintf(stdout, "results are in %s\n", results)
	}
	written := errors.Join(printed, found.WriteFiles(results, html.Pages(found, html.Options{})...), job.AppendSummary(os.Getenv("GITHUB_STEP_SUMMARY"), found.Markdown))
	if ctx.Err() != nil { // what was not driven proves nothing
		if len(found.Differences()) == 0 {
			return written
		}
		return errors.Join(written, fmt.Errorf("so far %w", verdict(found)))
	}
	return errors.Join(written, verdict(found))
}

// lines writes whole lines, each with a prefix, so that what several shards print stays readable.
type lines struct {
	mu     *sync.Mutex // of out
	out    io.Writer
	prefix string
	rest   []byte
}

func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, text...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			return len(text), nil
		}
		if _, err := fmt.Fprintf(l.out, "%s%s", l.prefix, l.rest[:end+1]); err != nil {
			return 0, err
		}
		l.rest = l.rest[end+1:]
	}
}

// flush writes what has no end of line.
func (l *lines) flush() {
	if len(l.rest) > 0 {
		_, _ = l.Write([]byte("\n"))
	}
}
