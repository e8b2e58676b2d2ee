package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/published"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

const recordingsUsage = `Usage: opbench recordings [list]
       opbench recordings get [--out=DIR] RUN ...
       opbench recordings judge [--check] [RUN ...]
       opbench recordings add --out=DIR RESULTS_DIR ...
       opbench recordings lock

The recordings of published runs. The tree has what reports are computed from
(%[1]s/…/RUN); the recording itself is a file of an earlier commit, which
%[2]s names.

  list    list the published runs
  get     bring recordings into DIR/RUN (default results), checked by SHA-256
  judge   judge recordings again and write what is published of them anew; of no
          run, all; with --check, write nothing and fail where it would differ
  add     publish runs: judge them and put what reports need, and the recording,
          into DIR/RUN; commit that, then lock
  lock    note in which commit added recordings are, and remove them from the tree
`

// runRecordings is `opbench recordings`.
func runRecordings(ctx context.Context, args []string, stdout, _ io.Writer) error {
	usage := fmt.Sprintf(recordingsUsage, "docs/results", published.LockFile)
	verb := "list"
	if len(args) > 0 && (args[0] == "" || args[0][0] != '-') {
		verb, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("opbench recordings "+verb, flag.ContinueOnError)
	var out string
	var check bool
	switch verb {
	case "get", "add":
		flags.StringVar(&out, "out", "", "")
	case "judge":
		flags.BoolVar(&check, "check", false, "")
	case "list", "lock":
	default:
		return usageError{fmt.Sprintf("unknown verb %q: there are list, get, judge, add and lock\n%s", verb, usage)}
	}
	if err := parseWith(flags, args, usage); err != nil {
		return err
	}
	switch {
	case (verb == "list" || verb == "lock") && flags.NArg() > 0:
		return usageError{fmt.Sprintf("opbench recordings %s takes no runs, got %q\n%s", verb, flags.Args(), usage)}
	case verb == "get" && flags.NArg() == 0:
		return usageError{"opbench recordings get needs a run\n" + usage}
	case verb == "add" && (flags.NArg() == 0 || out == ""):
		return usageError{"opbench recordings add needs a results folder and --out\n" + usage}
	}
	root, outside := images.FindRoot(".")
	if outside != nil && verb != "add" {
		return fmt.Errorf("recordings are in the history of operatorbench's repository: %w", outside)
	}
	r := recordings{root, published.Repository{Root: root}, stdout}
	switch verb {
	case "list":
		return r.list()
	case "get":
		return r.get(ctx, out, flags.Args())
	case "judge":
		return r.judge(ctx, check, flags.Args())
	case "add":
		return r.add(ctx, out, flags.Args())
	default:
		return r.lock(ctx)
	}
}

type recordings struct {
	root   string
	git    published.Repository
	stdout io.Writer
}

func (r recordings) list() error {
	lock, err := published.Read(r.root)
	if err != nil {
		return err
	}
	for _, one := range lock.Recordings {
		if _, err := fmt.Fprintf(r.stdout, "%s  %s  %.1f MB, commit %.12s\n", one.Run, one.Folder, float64(one.Bytes)/1e6, one.Commit); err != nil {
			return err
		}
	}
	return nil
}

func (r recordings) get(ctx context.Context, out string, runs []string) error {
	lock, err := published.Read(r.root)
	if err != nil {
		return err
	}
	found, err := lock.Find(runs...)
	for i := 0; i < len(found) && err == nil; i++ {
		folder := filepath.Join(out, found[i].Run)
		if out == "" {
			folder = filepath.Join(r.root, "results", found[i].Run)
		}
		if err = r.git.Get(ctx, found[i], folder); err == nil {
			_, err = fmt.Fprintln(r.stdout, folder)
		}
	}
	return err
}

// judge judges recordings again, each in a folder that is gone afterwards.
func (r recordings) judge(ctx context.Context, check bool, runs []string) error {
	lock, err := published.Read(r.root)
	if err != nil {
		return err
	}
	found, err := lock.Find(runs...)
	if err != nil {
		return err
	}
	var differ []error
	for _, one := range found {
		same, err := r.again(ctx, one, check)
		if err != nil {
			return err
		}
		said := "as published"
		if !same {
			said = "differs from what is published"
			differ = append(differ, fmt.Errorf("run %s %s", one.Run, said))
		}
		if _, err := fmt.Fprintf(r.stdout, "%s  %s: %s\n", one.Run, one.Folder, said); err != nil {
			return err
		}
	}
	if check {
		return errors.Join(differ...)
	}
	return nil
}

// again reports whether what is published of a run is what its recording gives; without check it then is.
func (r recordings) again(ctx context.Context, one published.Recording, check bool) (same bool, err error) {
	temp, err := os.MkdirTemp("", "operatorbench-recording-*")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := r.git.Get(ctx, one, temp); err != nil {
		return false, err
	}
	judged, err := result.Load(temp)
	if err != nil {
		return false, err
	}
	if err := judged.Save(temp); err != nil {
		return false, err
	}
	folder := filepath.Join(r.root, filepath.FromSlash(one.Folder))
	fresh, err := text(temp)
	if err != nil {
		return false, err
	}
	if was, err := text(folder); err == nil && was == fresh {
		return true, nil
	}
	if check {
		return false, nil
	}
	return false, judged.Save(folder)
}

// text is what a published run's folder says of it, without its compression.
func text(folder string) (string, error) {
	in, err := record.Open(filepath.Join(folder, result.SavedName))
	if err != nil {
		return "", err
	}
	defer in.Close()
	all, err := io.ReadAll(in)
	return string(all), err
}

func (r recordings) add(ctx context.Context, out string, folders []string) error {
	if err := outFolder(out); err != nil {
		return err
	}
	for _, folder := range plain.Flat(folders, result.Shards) {
		recording, err := record.Find(folder)
		if err != nil {
			return err
		}
		one, err := result.Load(folder)
		if err != nil {
			return err
		}
		if err := spec.CheckRun(one.Judgement.Header.Run); err != nil {
			return fmt.Errorf("publish %s: %w", folder, err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := filepath.Join(out, one.Judgement.Header.Run)
		if err := one.Save(to); err != nil {
			return err
		}
		if err := record.CompressTo(recording, filepath.Join(to, record.CompressedName)); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(r.stdout, to); err != nil {
			return err
		}
	}
	return nil
}

func (r recordings) lock(ctx context.Context) error {
	lock, err := published.Read(r.root)
	if errors.Is(err, os.ErrNotExist) {
		lock, err = &published.Lock{}, nil
	}
	if err != nil {
		return err
	}
	added, err := lock.Add(ctx, r.git)
	if err != nil {
		return err
	}
	if err := lock.Write(r.root); err != nil {
		return err
	}
	for _, file := range added {
		if err := os.Remove(file); err != nil {
			return fmt.Errorf("the recording is locked, and stays in the tree: %w", err)
		}
		if _, err := fmt.Fprintln(r.stdout, filepath.Dir(file)); err != nil {
			return err
		}
	}
	return nil
}
