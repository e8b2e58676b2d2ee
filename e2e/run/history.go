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
	names, _ := filepath.Glob(filepath.Join(root, resultsName, "*", record.EnvironmentFile)) // the pattern is valid
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

// alike tells whether an earlier run drove the same as a job, in the same way and on the
// same kind of cluster.
func alike(e record.Environment, j *job) bool {
	flags := j.options.values()
	differs := func(name string) bool { return e.Flags[name] != flags[name] }
	return e.Cluster == j.options.Cluster && !slices.ContainsFunc([]string{"scenario", "passes", "quiescence", "base", "profile", "precision"}, differs)
}

// block is how long a block of a style took in the newest run that was alike; 0:
// there is none.
func (h history) block(style string, j *job) time.Duration {
	for _, e := range h {
		if !alike(e, j) {
			continue
		}
		if scenarios := mean(e, "scenarios "+style); scenarios > 0 {
			return scenarios + mean(e, "install "+style) + mean(e, "uninstall "+style)
		}
	}
	return 0
}

// round is how long a round of a comparison took in the newest one that was alike; 0:
// there is none.
func (h history) round(c *comparison, j *job) time.Duration {
	for _, e := range h {
		if e.Comparison == nil || !alike(e, j) {
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

// environment is how long it took to make a cluster of the job's kind, to load the images,
// and until the garbage collector was ready; 0: there was no such run.
func (h history) environment(j *job) time.Duration {
	for _, e := range h {
		cluster, collector := mean(e, "cluster"), mean(e, "garbage collector")
		if e.Cluster == j.options.Cluster && cluster > 0 && collector > 0 {
			return cluster + mean(e, "custom resource") + mean(e, "load images") + collector
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
