package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/terminal"
)

const gateUsage = `Usage: opbench gate [flags] RESULTS_DIR
       opbench gate [flags] --base=RESULTS_DIR --head=RESULTS_DIR [--again=RESULTS_DIR]

Says of a change whether it made an operator slower or broke it, from files: no
cluster is needed. The first form is for a run in which base and head took turns
(opbench run --base=REVISION), the second for two runs on one machine. Each
RESULTS_DIR may also be a recording, or a folder of shards.

The gate compares the median and the tail of every phase of every scenario,
loads, installation, memory, CPU time, counters, correctness and restarts, and
checks that nothing is missing and no right is new. A metric is worse if the
difference is significant and above the tolerance. A metric that a user waits for
is fine if a slowdown by the effect is ruled out. Otherwise the gate cannot tell,
and says how long it would take.
It prints the table and writes %s and %s.

Exit status: 0 fine or better; 1 worse, broken, missing or more rights;
10 cannot tell; 3 the comparison is not valid.

Flags:
  --base=DIR        what head is compared with
  --head=DIR        what is judged
  --again=DIR       base once more: shows the noise
  --tolerance=%s    a ratio of up to 1 + tolerance is no change
  --effect=%s      a slowdown that must not pass (default that of the run's profile)
  --alpha=%v      half of it is the share of comparisons of unchanged code in
                    which anything may be called worse
  --force           compare what should not be compared, and mark it
  --out=DIR         where to write (default: the head's results folder)
`

// The names of the files that the gate writes.
const (
	gateJSON     = "gate.json"
	gateMarkdown = "gate.md"
)

// gateError ends the program with a status of the gate's own: where a mistake in the command line has that of an
// invalid run, a script cannot take it for a verdict.
type gateError struct {
	err    error
	status int
}

func (e *gateError) Error() string { return "gate: " + e.err.Error() }
func (e *gateError) Unwrap() error { return e.err }

type gateFlags struct {
	base, head, again, out string
	options                gate.Options
	recorded               bool // the effect is that of the recording
	args                   []string
}

// runGate is `opbench gate`.
func runGate(ctx context.Context, args []string, stdout, _ io.Writer) error {
	defaults := gate.DefaultOptions()
	usage := fmt.Sprintf(gateUsage, gateJSON, gateMarkdown, share(defaults.Tolerance), share(defaults.Effect), defaults.Alpha)
	f, err := parseGate(args)
	if errors.Is(err, flag.ErrHelp) {
		return helpError(usage)
	}
	if err != nil {
		return &gateError{fmt.Errorf("%w\n%s", err, usage), gate.StatusInvalid}
	}
	result, err := f.compare(ctx)
	if err == nil {
		err = f.write(result)
	}
	if err == nil {
		err = result.Terminal(stdout, terminal.Is(stdout) && os.Getenv("NO_COLOR") == "")
	}
	if err != nil {
		return &gateError{err, gate.StatusInvalid}
	}
	if status := result.Verdict.Status(); status != exitOK {
		return &gateError{errors.New(result.InWords()), status}
	}
	return nil
}

func parseGate(args []string) (*gateFlags, error) {
	f := &gateFlags{options: gate.DefaultOptions()}
	flags := flag.NewFlagSet("opbench gate", flag.ContinueOnError)
	flags.StringVar(&f.base, "base", "", "")
	flags.StringVar(&f.head, "head", "", "")
	flags.StringVar(&f.again, "again", "", "")
	flags.StringVar(&f.out, "out", "", "")
	flags.Func("tolerance", "", shareInto(&f.options.Tolerance))
	flags.Func("effect", "", shareInto(&f.options.Effect))
	flags.Func("alpha", "", shareInto(&f.options.Alpha))
	flags.BoolVar(&f.options.Force, "force", false, "")
	if err := parse(flags, args); err != nil {
		return nil, err
	}
	if err := outFolder(f.out); err != nil {
		return nil, err
	}
	f.args, f.recorded = flags.Args(), true
	flags.Visit(func(given *flag.Flag) { f.recorded = f.recorded && given.Name != "effect" })
	two := f.base != "" || f.head != "" || f.again != ""
	switch {
	case two && len(f.args) > 0:
		return nil, fmt.Errorf("give either one results folder or --base and --head, not both: got %q too", f.args)
	case two && (f.base == "" || f.head == ""):
		return nil, errors.New("--base and --head belong together")
	case !two && len(f.args) != 1:
		return nil, fmt.Errorf("give one results folder of a run with base and head, or --base and --head: got %d", len(f.args))
	}
	return f, f.options.Check()
}

// shareInto parses a share, as a percentage or a number.
func shareInto(to *float64) func(string) error {
	return func(text string) error {
		digits, percent := strings.CutSuffix(text, "%")
		value, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return errors.New("expected a share such as 5% or 0.05")
		}
		if percent {
			value /= 100
		} else if value >= 1 {
			return fmt.Errorf("%s is %s: expected a share such as 5%% or 0.05", text, share(value))
		}
		*to = value
		return nil
	}
}

func share(x float64) string { return strconv.FormatFloat(100*x, 'f', -1, 64) + "%" }

func (f *gateFlags) compare(ctx context.Context) (*gate.Result, error) {
	if len(f.args) == 1 {
		recording, err := loadGate(f.args[0])
		if err != nil {
			return nil, err
		}
		if e := recording.Environment; f.recorded && e != nil && e.Comparison != nil {
			f.options.Effect = cmp.Or(e.Comparison.Effect, f.options.Effect)
		}
		base, head, again, err := gate.Sides(f.args[0], recording)
		if err != nil {
			return nil, err
		}
		return gate.Compare(f.options, base, head, again)
	}
	if same(f.base, f.head) {
		return nil, fmt.Errorf("--base and --head are the same: %s", f.base)
	}
	var sides [3]gate.Side
	for i, path := range []string{f.base, f.head, f.again} {
		if path == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		recording, err := loadGate(path)
		if err != nil {
			return nil, err
		}
		if sides[i], err = gate.Whole(path, recording); err != nil {
			return nil, err
		}
	}
	return gate.Compare(f.options, sides[0], sides[1], sides[2])
}

// loadGate reads the recording of a results folder, or those of all of its shards.
func loadGate(path string) (result.Recording, error) {
	var all []result.Recording
	for _, shard := range result.Shards(path) {
		one, err := result.Load(shard)
		if err != nil {
			return result.Recording{}, err
		}
		all = append(all, one)
	}
	return gate.Join(all...)
}

// same reports whether two paths are one file or folder.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false // that it is not there is said when it is read
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// write puts the files where they are wanted. Beside a bare recording nothing is written.
func (f *gateFlags) write(result *gate.Result) error {
	folder := f.out
	if folder == "" {
		folder = f.head
		if len(f.args) == 1 {
			folder = f.args[0]
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return err
		}
	} else if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return errors.Join(
		record.Replace(filepath.Join(folder, gateJSON), result.JSON),
		record.Replace(filepath.Join(folder, gateMarkdown), result.Markdown),
	)
}
