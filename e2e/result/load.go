package result

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/restarts"
)

// Shards returns the folders of the runs in a results folder, or in one of published
// runs, by their number or name; the folder, or file, itself where it is that of one run.
func Shards(path string) []string {
	if isRun(path) {
		return []string{path}
	}
	entries, _ := os.ReadDir(path) // of what is no folder, none
	runs := plain.Pick(entries, func(entry os.DirEntry) (string, bool) {
		folder := filepath.Join(path, entry.Name())
		return folder, entry.IsDir() && (strings.HasPrefix(entry.Name(), "shard-") || isRun(folder))
	})
	if len(runs) == 0 {
		return []string{path}
	}
	slices.SortFunc(runs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }) // 2 before 10
	return runs
}

// isRun reports whether a folder has a recording, or what one was judged to.
func isRun(folder string) bool {
	_, err := record.Find(folder)
	return err == nil || isThere(filepath.Join(folder, SavedName))
}

// Load judges a recording, and adds up what else is known of it, in one pass: that of a results folder, compressed or
// not, whose environment it reads too, or a file by itself. A published run has what it was judged to in place of its
// recording. After a run that was killed there is no environment: it is then nil.
func Load(path string) (Recording, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Recording{}, fmt.Errorf("judge: %w", err)
	}
	var environment *record.Environment
	if info.IsDir() {
		environment, err = record.ReadEnvironment(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Recording{}, err
		}
		if Published(path) {
			path = filepath.Join(path, SavedName)
		} else if path, err = record.Find(path); err != nil {
			return Recording{}, fmt.Errorf("judge: %w", err)
		}
	}
	if filepath.Base(path) == SavedName {
		one, err := loadSaved(path)
		one.Environment, one.Published = environment, true
		return one, err
	}
	meter := NewMeter()
	judged, err := judge.File(path, meter.Add)
	if err != nil {
		return Recording{}, fmt.Errorf("judge: %w", err)
	}
	return meter.Recording(environment, judged), nil
}

// Meter adds up what is known of a recording beside what its samples are judged to: costs, the use of rights, and
// restarts.
type Meter struct {
	costs    *cost.Meter
	rights   *grants.Meter
	restarts *restarts.Meter
}

// NewMeter returns a Meter that has read nothing.
func NewMeter() *Meter {
	return &Meter{costs: cost.NewMeter(), rights: grants.NewMeter(), restarts: restarts.NewMeter()}
}

// Add takes the next entry.
func (m *Meter) Add(e record.Entry) {
	m.costs.Add(e)
	m.rights.Add(e)
	m.restarts.Add(e)
}

// Recording is what is known of all entries so far, with what their samples were judged to.
func (m *Meter) Recording(environment *record.Environment, judged *judge.Judgement) Recording {
	return Recording{Environment: environment, Judgement: judged, Costs: m.costs.Costs(), Grants: m.rights.Uses(), Restarts: m.restarts.Blocks()}
}

// Published reports whether a folder has what a recording was judged to, and not the recording.
func Published(folder string) bool {
	_, err := record.Find(folder)
	return errors.Is(err, fs.ErrNotExist) && isThere(filepath.Join(folder, SavedName))
}

func isThere(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
