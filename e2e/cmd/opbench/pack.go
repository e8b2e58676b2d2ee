package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
)

const packUsage = `Usage: opbench pack --out=DIR RESULTS_DIR ...

Keeps what was recorded for good: puts the recording of a results folder, packed
in files below a size, into DIR with its environment.json, in the place of what
was packed there before. Several runs become DIR/shard-1, DIR/shard-2 and so on,
which every command takes as one when it is given DIR. Nothing of a recording is
lost, and it is read back before anything else is removed.

Flags:
  --out=DIR      where to
  --most=BYTES   how large a file may become (default %d)
`

// mostBytes is how large a file of a packed recording becomes at most: below the
// 1 MiB of a tracked file.
const mostBytes = 1_000_000

// runPack is `opbench pack`.
func runPack(ctx context.Context, args []string, stdout, _ io.Writer) error {
	usage := fmt.Sprintf(packUsage, mostBytes)
	flags := flag.NewFlagSet("opbench pack", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	out, most := flags.String("out", "", ""), flags.Int64("most", mostBytes, "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(stdout, usage)
		return err
	case err != nil:
		return usageError{fmt.Sprintf("%v\n%s", err, usage)}
	case flags.NArg() == 0 || *out == "":
		return usageError{"opbench pack needs a results folder and --out\n" + usage}
	case *most < 1:
		return usageError{fmt.Sprintf("--most=%d: a file holds at least a byte", *most)}
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	fresh, err := os.MkdirTemp(*out, ".packing-*")
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if err := packAll(ctx, withShards(flags.Args()), fresh, *most); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	names, err := replacePacked(*out, fresh)
	if err != nil {
		return fmt.Errorf("put what was packed from %s into %s: %w", fresh, *out, err)
	}
	for _, name := range names {
		if _, err := fmt.Fprintln(stdout, name); err != nil {
			return err
		}
	}
	return nil
}

// packAll packs recordings into a folder, each in a shard of its own where there
// are several.
func packAll(ctx context.Context, results []string, folder string, most int64) error {
	for i, one := range results {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := folder
		if len(results) > 1 {
			to = filepath.Join(folder, "shard-"+strconv.Itoa(i+1))
		}
		if err := packOne(one, to, most); err != nil {
			return err
		}
	}
	return nil
}

func packOne(results, folder string, most int64) error {
	recording, err := record.Find(results)
	if err != nil {
		return err
	}
	environment, err := report.ReadEnvironment(results)
	if err != nil {
		return fmt.Errorf("pack %s: a report of figures says where they were measured: %w", results, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if _, err := record.Pack(recording, folder, most); err != nil {
		return err
	}
	return environment.Write(folder)
}

// replacePacked puts what was packed in the place of what was there, and
// returns its files.
func replacePacked(out, fresh string) ([]string, error) {
	var old []string
	for _, pattern := range []string{
		record.FileName + "*", report.EnvironmentFile, "shard-*/" + record.FileName + "*", "shard-*/" + report.EnvironmentFile, "shard-*",
	} {
		found, err := filepath.Glob(filepath.Join(out, pattern))
		if err != nil {
			return nil, err
		}
		old = append(old, found...)
	}
	for _, name := range old { // a shard last, and only when nothing else is in it
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(fresh)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if err := os.Rename(filepath.Join(fresh, entry.Name()), filepath.Join(out, entry.Name())); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, entry := range entries {
		err := filepath.WalkDir(filepath.Join(out, entry.Name()), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return names, os.Remove(fresh)
}
