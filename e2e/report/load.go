package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

// Load judges a recording: that of a results folder, whose environment it reads
// too, or a file by itself. After a run that was killed there is no
// environment: it is then nil.
func Load(path string) (Recording, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Recording{}, fmt.Errorf("judge: %w", err)
	}
	var one Recording
	if info.IsDir() {
		one.Environment, err = ReadEnvironment(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Recording{}, err
		}
		path = inFolder(path)
	}
	if one.Judgement, err = judge.Judge(record.ReadFile(path)); err != nil {
		return Recording{}, fmt.Errorf("judge: %w", err)
	}
	return one, nil
}

// inFolder is a results folder's recording, which may be compressed.
func inFolder(dir string) string {
	plain := filepath.Join(dir, RecordingFile)
	if _, err := os.Stat(plain); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(plain + ".gz"); err == nil {
			return plain + ".gz"
		}
	}
	return plain
}
