package result

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/restarts"
)

// Shards are the folders of the runs that share a results folder, by their number; the
// folder, or file, itself where it is that of one run.
func Shards(path string) []string {
	shards, err := filepath.Glob(filepath.Join(path, "shard-*"))
	if _, whole := record.Find(path); err != nil || whole == nil || len(shards) == 0 {
		return []string{path}
	}
	slices.SortFunc(shards, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }) // 2 before 10
	return shards
}

// Load judges a recording and computes its costs, the use of its rights and the restarts
// of its operators, in one pass: that of a results folder, compressed or not, whose environment it reads too, or a file
// by itself. After a run that was killed there is no environment: it is then nil.
func Load(path string) (Recording, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Recording{}, fmt.Errorf("judge: %w", err)
	}
	var one Recording
	if info.IsDir() {
		one.Environment, err = record.ReadEnvironment(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Recording{}, err
		}
		if path, err = record.Find(path); err != nil {
			return Recording{}, fmt.Errorf("judge: %w", err)
		}
	}
	meter, rights, ends := cost.NewMeter(), grants.NewMeter(), restarts.NewMeter()
	if one.Judgement, err = judge.File(path, meter.Add, rights.Add, ends.Add); err != nil {
		return Recording{}, fmt.Errorf("judge: %w", err)
	}
	one.Costs, one.Grants, one.Restarts = meter.Costs(), rights.Uses(), ends.Blocks()
	return one, nil
}
