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
	"regexp"
	"slices"
	"strconv"

	"operatorbench/e2e/record"
)

const packUsage = `Usage: opbench pack --out=DIR RESULTS_DIR ...

Keeps what was recorded for good: puts the recording of a results folder, packed
in files below a size, into DIR with its environment.json, in the place of what
was packed there before. Several runs become DIR/shard-1, DIR/shard-2 and so on,
which every command takes as one when it is given DIR. Nothing of a recording is
lost: it is read back, what was packed before is set aside and removed last, and
what pack has not made is not touched.

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
	out, most := flags.String("out", "", ""), flags.Int64("most", mostBytes, "")
	switch err := parse(flags, args); {
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
	if err := outFolder(*out); err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	inputs := withShards(flags.Args())
	old, err := packedIn(*out, inputs)
	if err != nil {
		return fmt.Errorf("--out=%s: %w; nothing was changed", *out, err)
	}
	fresh, err := os.MkdirTemp(*out, ".packing-*")
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	err = packAll(ctx, inputs, fresh, *most)
	if err == nil {
		err = replacePacked(*out, old, fresh, os.Rename)
	}
	if err = errors.Join(err, os.RemoveAll(fresh)); err != nil {
		return err
	}
	return listPacked(*out, stdout)
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
	environment, err := record.ReadEnvironment(results)
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

// What pack makes has these names: nothing else is touched.
var (
	packedName = regexp.MustCompile(`^recording\.jsonl\.zst(\.[1-9][0-9]*)?$`)
	shardName  = regexp.MustCompile(`^shard-[1-9][0-9]*$`)
)

// packedIn lists what was packed into a folder before, to be replaced: files, and
// folders of shards. It is an error if that cannot be told from what somebody
// else put there, or if recordings would be lost.
func packedIn(out string, inputs []string) (old []string, err error) {
	entries, err := os.ReadDir(out)
	if err != nil {
		return nil, err
	}
	recorded, err := packedFiles(out, entries)
	if err != nil {
		return nil, err
	}
	var holders []string // of recordings
	if len(recorded) > 0 {
		old, holders = append(old, recorded...), append(holders, out)
	}
	for _, entry := range entries {
		if !shardName.MatchString(entry.Name()) {
			continue
		}
		shard := filepath.Join(out, entry.Name())
		within, err := os.ReadDir(shard)
		if err != nil {
			return nil, err
		}
		files, err := packedFiles(shard, within)
		if err != nil {
			return nil, err
		}
		if len(files) != len(within) {
			return nil, fmt.Errorf("%s holds more than pack puts there: move it away, or choose another --out", shard)
		}
		old, holders = append(old, entry.Name()), append(holders, shard)
	}
	given := func(holder string) bool {
		return slices.ContainsFunc(inputs, func(in string) bool { return same(in, holder) || same(filepath.Dir(in), holder) })
	}
	if !slices.ContainsFunc(holders, given) {
		return old, nil // all of it is to be replaced
	}
	for _, holder := range holders {
		if !given(holder) {
			return nil, fmt.Errorf("%s would be lost: it is not among what is to be packed, but what is comes from the same folder; name that folder itself, or choose another --out", holder)
		}
	}
	return old, nil
}

// packedFiles lists what pack made in a folder.
func packedFiles(folder string, entries []fs.DirEntry) (names []string, err error) {
	environment := false
	for _, entry := range entries {
		switch name := entry.Name(); {
		case packedName.MatchString(name):
			names = append(names, name)
		case name == record.FileName || name == record.FileName+".gz":
			return nil, fmt.Errorf("%s holds %s, which pack has not made and would not replace: choose another --out", folder, name)
		case name == record.EnvironmentFile:
			environment = true
		}
	}
	switch {
	case environment && len(names) == 0:
		return nil, fmt.Errorf("%s holds %s without a packed recording, which pack has not made: choose another --out", folder, record.EnvironmentFile)
	case environment:
		names = append(names, record.EnvironmentFile)
	}
	return names, nil
}

// replacePacked sets aside what was packed before, puts what was packed now into
// its place, and only then removes the former. If that does not come to its end,
// all is as it was.
func replacePacked(out string, old []string, fresh string, rename func(from, to string) error) error {
	aside, err := os.MkdirTemp(out, ".replaced-*")
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	entries, err := os.ReadDir(fresh)
	if err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	type move struct{ from, to string }
	var moves []move
	for _, name := range old {
		moves = append(moves, move{filepath.Join(out, name), filepath.Join(aside, name)})
	}
	for _, entry := range entries {
		moves = append(moves, move{filepath.Join(fresh, entry.Name()), filepath.Join(out, entry.Name())})
	}
	for i, m := range moves {
		err := rename(m.from, m.to)
		if err == nil {
			continue
		}
		err = fmt.Errorf("put what was packed into %s: %w; what was there before is there again", out, err)
		for _, done := range slices.Backward(moves[:i]) {
			if undone := rename(done.to, done.from); undone != nil {
				return errors.Join(err, fmt.Errorf("but for what is kept in %s: %w", aside, undone))
			}
		}
		return errors.Join(err, os.Remove(aside))
	}
	return os.RemoveAll(aside)
}

// listPacked prints what there is now.
func listPacked(out string, stdout io.Writer) error {
	old, err := packedIn(out, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, name := range old {
		err := filepath.WalkDir(filepath.Join(out, name), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if _, err := fmt.Fprintln(stdout, name); err != nil {
			return err
		}
	}
	return nil
}
