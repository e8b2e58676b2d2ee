package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// A leftover is what is on this machine of one run.
type leftover struct {
	run      string
	nodes    int // its node containers
	networks []string
	folder   string // its own, or empty
	alive    bool   // a process of the run is still there: never removed
	unknown  string // why it cannot be said whether one is; empty where it can
	kept     bool   // the cluster was to be kept

	dir runDir // may be empty, gone, or anything that a label says
	at  place
}

// String tells what there is in one line.
func (l *leftover) String() string {
	var parts []string
	if l.nodes > 0 {
		parts = append(parts, fmt.Sprintf("cluster %s (%d node containers)", Name(l.run), l.nodes))
	}
	if len(l.networks) > 0 {
		parts = append(parts, "network "+strings.Join(l.networks, ", "))
	}
	if l.folder != "" {
		parts = append(parts, "folder "+l.folder)
	}
	return "run " + l.run + ": " + strings.Join(parts, ", ")
}

// leftovers finds all runs that left a trace of an engine: in the temporary folder, as a network with the run's label,
// or at least as a kind cluster with the run's name. Of no engine (nil) they are folders alone.
func leftovers(ctx context.Context, e enginehost) ([]*leftover, error) {
	found := map[string]*leftover{}
	of := func(run string) *leftover {
		if found[run] == nil {
			found[run] = &leftover{run: run}
		}
		return found[run]
	}
	owners, err := fs.Glob(os.DirFS(os.TempDir()), prefix+"*/"+ownerFile)
	if err != nil {
		return nil, err
	}
	engine := ""
	if e.Engine != nil {
		engine = e.Name()
	}
	for _, file := range owners {
		dir := runDir(filepath.Join(os.TempDir(), filepath.Dir(file)))
		run := strings.TrimPrefix(filepath.Base(string(dir)), prefix)
		if who, err := dir.owner(run); err == nil && spec.CheckRun(run) == nil && who.Engine == engine {
			of(run).dir = dir
		}
	}
	if e.Engine != nil {
		if err := e.traces(ctx, of); err != nil {
			return nil, err
		}
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b *leftover) int { return strings.Compare(a.run, b.run) })
	return all, plain.Try(all, (*leftover).look)
}

// traces adds to what is left of runs what an engine has of them.
func (e enginehost) traces(ctx context.Context, of func(run string) *leftover) error {
	names, err := e.lines(ctx, "network", "ls", "--filter", "label="+runLabel, "--format", "{{.Name}}")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := e.Run(ctx, "network", "inspect", "--format", "{{json .Labels}}", name)
		var labels map[string]string
		if err != nil || json.Unmarshal([]byte(text), &labels) != nil || spec.CheckRun(labels[runLabel]) != nil {
			continue // gone meanwhile, or no run's
		}
		l := of(labels[runLabel])
		l.networks = append(l.networks, name)
		l.at, l.kept = place{Machine: labels[machineLabel], Boot: labels[bootLabel]}, labels[keepLabel] == "true"
		if named := runDir(labels[dirLabel]); named != "" {
			l.dir = named // whatever folder of the same name is in the temporary folder
		}
	}
	clusters, err := e.clusters(ctx)
	if err != nil {
		return err
	}
	for _, cluster := range clusters {
		if run, ours := strings.CutPrefix(cluster, prefix); ours && spec.CheckRun(run) == nil {
			of(run).nodes++
		}
	}
	return nil
}

// look finds out whether a run lives: by its folder's lock where the folder can be seen and was made since this machine
// was started, else only if its place can have no process any more.
func (l *leftover) look() (err error) {
	who, unseen := l.dir.owner(l.run)
	switch {
	case errors.Is(unseen, os.ErrPermission):
		l.alive = true // it is somebody else's
	case errors.Is(unseen, errOthers):
		l.alive, _ = l.dir.alive() // what cannot be looked at is not known
	case unseen == nil:
		l.folder, l.kept, l.at = string(l.dir), l.kept || l.dir.kept(), who.place
	}
	if unseen == nil && (l.at.Boot == "" || l.at.Boot == here().Boot) {
		l.alive, err = l.dir.alive()
	} else if !l.alive && !l.at.ended() {
		l.unknown = l.at.String()
	}
	return err
}

// CleanOptions say what Clean removes.
type CleanOptions struct {
	Engine string // docker, podman or nerdctl; empty means all that answer
	Run    string // only this run, even if its cluster was kept or it cannot be known whether it is alive; empty means all
	DryRun bool   // only say what would be removed

	// Builds removes what killed builds of images left in an engine, or says what it would remove, and reports whether
	// there was anything. It is not called for one run; nil: nobody looks.
	Builds func(ctx context.Context, e *engine.Engine, out io.Writer) (found bool, err error)
}

// Clean removes what killed runs left on this machine, in every engine that answers, and says what it does. Runs that
// are alive are left alone; so are, unless named, those that may be alive, and clusters that were kept.
func Clean(ctx context.Context, opts CleanOptions, out io.Writer) error {
	engines, problems, err := engine.All(ctx, opts.Engine)
	notFound := (*engine.NotFoundError)(nil)
	none := errors.As(err, &notFound) && len(notFound.Problems) == 0
	var errs []error
	if err != nil && !none {
		errs = append(errs, err)
	}
	for _, err := range problems {
		fmt.Fprintf(out, "not looked at: %v\n", err)
	}
	seen, err := enginehost{}.clean(ctx, opts, out)
	errs = append(errs, err)
	for _, found := range engines {
		there, err := enginehost{found}.clean(ctx, opts, out)
		errs, seen = append(errs, err), seen || there
	}
	names := strings.Join(plain.Map(engines, (*engine.Engine).Name), ", ")
	if err := errors.Join(errs...); err != nil {
		return err
	}
	where := "on this machine"
	if len(problems) > 0 {
		where = "in " + names
	}
	switch {
	case none:
		_, err = fmt.Fprintln(out, "no container engine is installed, so no cluster can be left in one")
	case seen:
	case opts.Run != "":
		err = fmt.Errorf("nothing of run %s is on this machine (looked in %s)", opts.Run, names)
	default:
		_, err = fmt.Fprintln(out, "nothing of this project is left "+where)
	}
	return err
}

// clean is Clean of one engine; of none (nil), of folders alone. It reports whether there was anything.
func (e enginehost) clean(ctx context.Context, opts CleanOptions, out io.Writer) (seen bool, err error) {
	where := "behind"
	if e.Engine != nil {
		where = "in " + e.Name()
	}
	var errs []error
	if e.Engine != nil && opts.Builds != nil && opts.Run == "" {
		if seen, err = opts.Builds(ctx, e.Engine, out); err != nil {
			errs = append(errs, fmt.Errorf("looking for what killed builds of images left %s: %w", where, err))
		}
	}
	all, err := leftovers(ctx, e)
	if err != nil { // nobody has seen whether they live
		return seen, errors.Join(append(errs, fmt.Errorf("looking for what killed runs left %s: %w", where, err))...)
	}
	for _, l := range all {
		if opts.Run == "" || opts.Run == l.run {
			seen = true
			errs = append(errs, l.clean(ctx, e, opts, out))
		}
	}
	return seen, errors.Join(errs...)
}

// clean removes one run's things, or says why not.
func (l *leftover) clean(ctx context.Context, e enginehost, opts CleanOptions, out io.Writer) error {
	switch {
	case l.alive:
		fmt.Fprintf(out, "kept, still running: %s\n", l)
	case l.kept && opts.Run == "":
		fmt.Fprintf(out, "kept on purpose (delete it: opbench clean --run %s): %s\n", l.run, l)
	case l.unknown != "" && opts.Run == "":
		fmt.Fprintf(out, "kept, may still be running: it was made %s (if it has ended, delete it: opbench clean --run %s): %s\n", l.unknown, l.run, l)
	case opts.DryRun:
		fmt.Fprintf(out, "would remove %s\n", l)
	default:
		if err := l.remove(ctx, e); err != nil {
			return err
		}
		fmt.Fprintf(out, "removed %s\n", l)
	}
	return nil
}

func (l *leftover) remove(ctx context.Context, e enginehost) error {
	if e.Engine != nil {
		if err := e.removeRun(ctx, l.run); err != nil {
			return fmt.Errorf("removing %s: %w", l, err)
		}
	}
	if l.folder == "" {
		return nil
	}
	return os.RemoveAll(l.folder)
}
