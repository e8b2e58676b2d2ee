package run

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"operatorbench/e2e/record"
)

// history are the environments of earlier runs on a machine like this one, the
// newest first. It serves planning and what is said beforehand, nothing else.
type history []record.Environment

// readHistory reads what earlier runs of this repository left in the results
// folder. What cannot be read is left out: then there is one estimate less.
func readHistory(root string, host record.Host) history {
	names, _ := filepath.Glob(filepath.Join(root, "results", "*", record.EnvironmentFile)) // the pattern is valid
	var found history
	for _, name := range names {
		text, err := os.ReadFile(name)
		var e record.Environment
		if err != nil || json.Unmarshal(text, &e) != nil || e.Host.CPU != host.CPU || e.Host.CPUs != host.CPUs {
			continue
		}
		found = append(found, e)
	}
	slices.SortStableFunc(found, func(a, b record.Environment) int { return cmp.Compare(b.Began.UnixNano(), a.Began.UnixNano()) })
	return found
}

// block is how long a block of a style took in the newest run that drove the
// same scenarios as often; 0: there is none.
func (h history) block(style string, j *job) time.Duration {
	for _, e := range h {
		flags := j.options.values()
		if e.Flags["scenario"] != flags["scenario"] || e.Flags["passes"] != flags["passes"] || e.Flags["quiescence"] != flags["quiescence"] || e.Flags["base"] != flags["base"] || e.Flags["precision"] != flags["precision"] {
			continue
		}
		if scenarios := mean(e, "scenarios "+style); scenarios > 0 {
			return scenarios + mean(e, "install "+style) + mean(e, "uninstall "+style)
		}
	}
	return 0
}

// round is how long a round of a comparison took in the newest one; 0: there is
// none.
func (h history) round(c *comparison) time.Duration {
	for _, e := range h {
		if e.Comparison == nil {
			continue
		}
		var all time.Duration
		for _, p := range c.participants {
			all += mean(e, "install "+p.label()) + mean(e, "scenarios "+p.label()) + mean(e, "uninstall "+p.label())
		}
		if all > 0 {
			return all
		}
	}
	return 0
}

// environment is how long it took to make the cluster and to load the images; 0: there
// was no such run.
func (h history) environment() time.Duration {
	for _, e := range h {
		if cluster := mean(e, "cluster"); cluster > 0 {
			return cluster + mean(e, "custom resource") + mean(e, "load images")
		}
	}
	return 0
}

// mean is how long a stage took each time; 0: there was none.
func mean(e record.Environment, name string) time.Duration {
	for _, stage := range e.Stages {
		if stage.Name == name {
			return time.Duration(stage.Seconds / float64(max(stage.Times, 1)) * float64(time.Second))
		}
	}
	return 0
}
