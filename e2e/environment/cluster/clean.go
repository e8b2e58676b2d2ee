package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/environment/engine"
	"operatorbench/e2e/spec"
)

// A Leftover is what is on this machine of one run.
type Leftover struct {
	Run      string
	Dir      string   // its folder, or empty
	Foreign  string   // a folder that a label calls the run's, and that is not its own: never touched
	Nodes    []string // ids of its node containers
	Networks []string
	Alive    bool   // a process of the run is still there: never removed
	Unknown  string // why it cannot be said whether one is; empty where it can
	Kept     bool   // the cluster was to be kept
}

// String tells what there is in one line.
func (l Leftover) String() string {
	var parts []string
	if len(l.Nodes) > 0 {
		parts = append(parts, fmt.Sprintf("cluster %s (%d node containers)", Name(l.Run), len(l.Nodes)))
	}
	if len(l.Networks) > 0 {
		parts = append(parts, "network "+strings.Join(l.Networks, ", "))
	}
	if l.Dir != "" {
		parts = append(parts, "folder "+l.Dir)
	}
	if l.Foreign != "" {
		parts = append(parts, "but not "+l.Foreign+", which is not its own folder")
	}
	return "run " + l.Run + ": " + strings.Join(parts, ", ")
}

func leftovers(ctx context.Context, e enginehost) ([]Leftover, error) {
	traces, err := findTraces(ctx, e)
	if err != nil {
		return nil, err
	}
	var all []Leftover
	for run, t := range traces {
		found, err := t.look(ctx, e, run)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	slices.SortFunc(all, func(a, b Leftover) int { return strings.Compare(a.Run, b.Run) })
	return all, nil
}

// A trace is what the temporary folder and the engine say of a run.
type trace struct {
	dir  runDir // may be empty, gone, or anything that a label says
	at   place
	keep bool
}

// findTraces finds all runs that left a trace, by run id: in the temporary folder, as a network with the run's label,
// or at least as a kind cluster with the run's name.
func findTraces(ctx context.Context, e enginehost) (map[string]trace, error) {
	all := map[string]trace{}
	owners, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*", ownerFile))
	if err != nil {
		return nil, err
	}
	for _, file := range owners {
		dir := runDir(filepath.Dir(file))
		run := strings.TrimPrefix(filepath.Base(string(dir)), prefix)
		if who, err := dir.owner(run); err == nil && spec.CheckRun(run) == nil && who.Engine == e.Name() {
			all[run] = trace{dir: dir}
		}
	}
	names, err := e.lines(ctx, "network", "ls", "--filter", "label="+runLabel, "--format", "{{.Name}}")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := e.Run(ctx, "network", "inspect", "--format", "{{json .Labels}}", name)
		var labels map[string]string
		if err != nil || json.Unmarshal([]byte(text), &labels) != nil {
			continue // gone meanwhile
		}
		run := labels[runLabel]
		if spec.CheckRun(run) != nil {
			continue
		}
		t := all[run]
		t.at = place{Machine: labels[machineLabel], Boot: labels[bootLabel]}
		t.keep = labels[keepLabel] == "true"
		if named := runDir(labels[dirLabel]); named != "" {
			t.dir = named // whatever folder of the same name is in the temporary folder
		}
		all[run] = t
	}
	clusters, err := e.clusters(ctx)
	if err != nil {
		return nil, err
	}
	for _, cluster := range clusters {
		run, ours := strings.CutPrefix(cluster, prefix)
		if _, known := all[run]; ours && !known && spec.CheckRun(run) == nil {
			all[run] = trace{} // its network and folder are gone
		}
	}
	return all, nil
}

// look finds what there is of a run, and whether it lives: by its folder's lock where the folder can be seen and was
// made since this machine was started, else only if its place can have no process any more.
func (t trace) look(ctx context.Context, e enginehost, run string) (Leftover, error) {
	found := Leftover{Run: run, Kept: t.keep}
	who, err := t.dir.owner(run)
	switch {
	case errors.Is(err, os.ErrPermission):
		found.Alive = true // it is somebody else's
	case errors.Is(err, errOthers):
		found.Foreign = string(t.dir)
		found.Alive, _ = t.dir.alive() // what cannot be looked at is not known
	case err != nil:
		if _, err := os.Lstat(string(t.dir)); err == nil {
			found.Foreign = string(t.dir)
		}
	default:
		found.Dir, found.Kept = string(t.dir), t.keep || t.dir.kept()
		t.at = who.place
	}
	if err == nil && (t.at.Boot == "" || t.at.Boot == here().Boot) {
		if found.Alive, err = t.dir.alive(); err != nil {
			return found, err
		}
	} else if !found.Alive && !t.at.ended() {
		found.Unknown = t.at.String()
	}
	if found.Nodes, err = e.nodes(ctx, Name(run)); err != nil {
		return found, err
	}
	found.Networks, err = e.networks(ctx, run)
	return found, err
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
	if notFound := (*engine.NotFoundError)(nil); errors.As(err, &notFound) && len(notFound.Problems) == 0 {
		_, err := fmt.Fprintln(out, "no container engine is installed, so no cluster can be left in one")
		return err
	}
	if err != nil {
		return err
	}
	for _, err := range problems {
		fmt.Fprintf(out, "not looked at: %v\n", err)
	}
	var names []string
	var errs []error
	seen := false
	for _, found := range engines {
		e := enginehost{found}
		names = append(names, e.Name())
		if opts.Builds != nil && opts.Run == "" {
			builds, err := opts.Builds(ctx, found, out)
			if err != nil {
				errs = append(errs, fmt.Errorf("looking for what killed builds of images left in %s: %w", e.Name(), err))
			}
			seen = seen || builds
		}
		all, err := leftovers(ctx, e)
		if err != nil {
			errs = append(errs, fmt.Errorf("looking for what killed runs left in %s: %w", e.Name(), err))
			continue
		}
		if opts.Run != "" {
			all = slices.DeleteFunc(all, func(l Leftover) bool { return l.Run != opts.Run })
		}
		seen = seen || len(all) > 0
		for _, l := range all {
			errs = append(errs, l.clean(ctx, e, opts, out))
		}
	}
	if err := errors.Join(errs...); err != nil || seen {
		return err
	}
	if opts.Run != "" {
		return fmt.Errorf("nothing of run %s is on this machine (looked in %s)", opts.Run, strings.Join(names, ", "))
	}
	_, err = fmt.Fprintln(out, "nothing of this project is left on this machine")
	return err
}

// clean removes one run's things, or says why not.
func (l Leftover) clean(ctx context.Context, e enginehost, opts CleanOptions, out io.Writer) error {
	switch {
	case l.Alive:
		fmt.Fprintf(out, "kept, still running: %s\n", l)
	case l.Kept && opts.Run == "":
		fmt.Fprintf(out, "kept on purpose (delete it: opbench clean --run %s): %s\n", l.Run, l)
	case l.Unknown != "" && opts.Run == "":
		fmt.Fprintf(out, "kept, may still be running: it was made %s (if it has ended, delete it: opbench clean --run %s): %s\n", l.Unknown, l.Run, l)
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

func (l Leftover) remove(ctx context.Context, e enginehost) error {
	if err := e.removeRun(ctx, l.Run); err != nil {
		return fmt.Errorf("removing %s: %w", l, err)
	}
	if l.Dir == "" {
		return nil
	}
	return os.RemoveAll(l.Dir)
}
