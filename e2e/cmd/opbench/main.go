// Command opbench does from a shell what the suite does from go test.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/interrupt"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	job "operatorbench/e2e/run"
	"operatorbench/e2e/spec/schema"
	"operatorbench/e2e/spec/styles"
)

func main() {
	cluster.ReapIfAsked()          // this may be the process that removes a cluster after its maker ended
	klog.SetLogger(logr.Discard()) // what client-go says of watches that break is in the recording: gaps
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// Exit statuses. Those of a verdict are gate.Verdict.Status. With 2 Go itself ends
// what it cannot recover from: a panic beside main, a signal to quit.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
	exitCrash = gate.StatusInvalid
)

// subcommand is one verb: run gets the arguments after its name.
type subcommand struct {
	name    string
	summary string
	signals signals
	run     func(ctx context.Context, args []string, stdout, stderr io.Writer) error
	// examples are command lines behind opbench and the name, for --help.
	examples []string
}

// signals is how a subcommand ends by SIGINT, SIGTERM or SIGHUP.
type signals func(ctx context.Context, stderr io.Writer) (_ context.Context, stop func())

// memoryGoal is how much memory what drives is to keep to, in bytes, unless GOMEMLIMIT says another: the operators are
// measured on the same machine. What is needed takes more all the same.
const memoryGoal = 320 << 20

// gently is for what has something to remove: it does so, unless a second signal comes.
func gently(ctx context.Context, stderr io.Writer) (context.Context, func()) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryGoal)
	}
	return interrupt.Gently(ctx, stderr, exit)
}

// atOnce is for what only reads files. Of much that is read little is kept: memory
// is collected half as often as usual, unless GOGC says how often.
func atOnce(ctx context.Context, _ io.Writer) (context.Context, func()) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	return ctx, interrupt.AtOnce(exit)
}

// exit ends the program in the middle of what it does.
func exit(status int) { record.Abandon(func() { os.Exit(status) }) }

// subcommands lists them in the order of the help text.
func subcommands() []subcommand {
	return []subcommand{
		{"run", "run the main job: cluster, styles, scenarios, reports", gently, runRun, []string{
			"--operator=native", "--operator=./my-operator,native --precision=10% --budget=30m", "--base=origin/main --operator=./my-operator",
			"--operator=./my-operator --image=operator=example.org/operator:v2 --scenario=create,scale-up",
		}},
		{"matrix", "drive the correctness matrix on several clusters side by side", gently, runMatrix, []string{"--operator=native", "--operator=./my-operator --update-verdicts"}},
		{"judge", "judge a recording or a results folder again, and print the table", atOnce, runJudge, []string{"results/latest"}},
		{"report", "print a report of recordings in any format", atOnce, runReport, []string{"results/latest", "--format=html --out=report.html results/latest"}},
		{"recordings", "get, judge again or publish the recordings of published runs", gently, runRecordings, []string{"list", "get --out=results xk3pzbcw"}},
		{"gate", "say from files whether a change made an operator slower or broke it", atOnce, runGate, []string{"results/latest", "--base=results/before --head=results/after"}},
		{"init", "write the first style.yaml and workload.yaml from an operator's manifests and definition", atOnce, runInit, []string{"--operator=config/default", "--operator=config/default --crd=crd.yaml my-operator", "--operator=config/default --learn=results/latest/recording.jsonl learnt"}},
		{"check", "say without a cluster what is wrong with an operator style, and what a run would do with it", atOnce, runCheck, []string{"./my-operator", "all"}},
		{"permissions", "print the manifest of an account that may do what a run needs on an existing cluster", atOnce, runPermissions, []string{"--operator=./my-operator", "--operator=native --scenario=latency,level"}},
		{"styles", "list the operator styles, or those that a change touches", gently, runStyles, []string{"", "--since=origin/main --json"}},
		{"images", "list the container images, get what is missing, or lock their digests", gently, runImages, []string{"", "ensure --operator=./my-operator", "ensure node python"}},
		{"clean", "remove what killed runs left on this machine, or in an existing cluster", gently, runClean, []string{"--dry-run", "--kubeconfig=kubeconfig.yaml"}},
		{"version", "print which version of opbench this is", atOnce, runVersion, nil},
	}
}

// usageError is a mistake in the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// run is the program without its process: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		if cause := recover(); cause != nil {
			_, _ = fmt.Fprintf(stderr, "opbench: this is a bug, and no answer: %s\nPlease report it with what follows.\n%s",
				plain.Text(fmt.Sprint(cause)), plain.Text(string(debug.Stack())))
			status = exitCrash
		}
	}()
	if len(args) == 0 {
		help(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		help(stdout)
		return exitOK
	case "-version", "--version":
		args[0] = "version"
	}
	for _, sub := range subcommands() {
		if sub.name == args[0] {
			ctx, stop := sub.signals(ctx, stderr)
			defer stop()
			err := sub.run(ctx, args[1:], stdout, stderr)
			if text := helpError(""); errors.As(err, &text) {
				_, err = io.WriteString(stdout, string(text)+sub.shown())
			}
			status := exitStatus(err, stderr)
			if caught := interrupt.Caught(ctx); caught != nil {
				return caught.Status()
			}
			return status
		}
	}
	if strings.HasPrefix(args[0], "-") {
		return exitStatus(usageError{fmt.Sprintf("%s before the subcommand: expected opbench SUBCOMMAND %[1]s …, with one of %s", args[0], strings.Join(names(), ", "))}, stderr)
	}
	return exitStatus(usageError{fmt.Sprintf("unknown subcommand %q: there are %s%s", args[0], strings.Join(names(), ", "), schema.Suggestion(args[0], names()))}, stderr)
}

// exitStatus prints an error once and gives the status that belongs to it.
func exitStatus(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	_, _ = fmt.Fprintf(stderr, "opbench: %s\n", plain.Text(err.Error())) // there is nowhere else to say it
	var gated *gateError
	if errors.As(err, &gated) {
		return gated.status
	}
	var usage usageError
	var option *job.OptionError
	var style *styles.UnknownError
	if errors.As(err, &usage) || errors.As(err, &option) || errors.As(err, &style) {
		return exitUsage
	}
	return exitError
}

// shown are the examples as help has them.
func (s subcommand) shown() string {
	var text strings.Builder
	for i, example := range s.examples {
		if i == 0 {
			text.WriteString("\nExamples:\n")
		}
		fmt.Fprintln(&text, strings.TrimRight("  opbench "+s.name+" "+example, " "))
	}
	return text.String()
}

func names() []string {
	return plain.Map(subcommands(), func(sub subcommand) string { return sub.name })
}

// help writes what there is; a help text that cannot be written has no reader.
func help(out io.Writer) {
	_, _ = fmt.Fprint(out, "Usage: opbench SUBCOMMAND [flags] [arguments]\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, sub := range subcommands() {
		_, _ = fmt.Fprintf(table, "  %s\t%s\n", sub.name, sub.summary)
	}
	_ = table.Flush()
	_, _ = fmt.Fprint(out, "\nopbench SUBCOMMAND --help tells more.\n")
}
