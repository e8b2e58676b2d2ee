package spec

import (
	"fmt"
	"regexp"
)

var runPattern = regexp.MustCompile(`^[a-z0-9]{6,32}$`)

// CheckRun is an error where a run's id, which others may have written, cannot be part of the names of its cluster and folder.
func CheckRun(run string) error {
	if !runPattern.MatchString(run) {
		return fmt.Errorf("run id %q: expected 6 to 32 lower-case letters and digits", run)
	}
	return nil
}
