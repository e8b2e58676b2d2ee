package result

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// measured are the recordings that have latencies; all, where none has. What the
// correctness matrix says is compared with nothing: it may be of another machine.
func measured(recordings []Recording) []Recording {
	var some []Recording
	for _, one := range recordings {
		if slices.ContainsFunc(one.Judgement.Results, func(r judge.Result) bool { return !r.Matrix }) {
			some = append(some, one)
		}
	}
	if len(some) == 0 {
		return recordings
	}
	return some
}

// common is the environment that all recordings with latencies share; nil if there
// is none. Of several runs in one place, such as the shards of one, it has what
// they share.
func common(recordings []Recording) *record.Environment {
	var all []*record.Environment
	recordings = measured(recordings)
	for _, one := range recordings {
		if one.Environment == nil || !one.Environment.Alike(recordings[0].Environment) {
			return nil
		}
		if !slices.Contains(all, one.Environment) {
			all = append(all, one.Environment)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return shared(all)
}

// shared is what environments of one place have in common, with the styles and
// images of all. How long stages took is each run's own.
func shared(all []*record.Environment) *record.Environment {
	one := *all[0]
	one.Run, one.Stages, one.Notes, one.Undriven = "", nil, nil, ""
	one.Styles, one.Images, one.Flags = slices.Clone(one.Styles), slices.Clone(one.Images), maps.Clone(one.Flags)
	for _, e := range all[1:] {
		if e.Began.Before(one.Began) {
			one.Began = e.Began
		}
		if e.Seed != one.Seed {
			one.Seed = 0
		}
		if !strings.Contains(one.Revision, e.Revision) {
			one.Revision += ", " + e.Revision
		}
		if e.Program != one.Program {
			one.Program = ""
		}
		one.Dirty = one.Dirty || e.Dirty
		for _, s := range e.Styles {
			if one.Facts(record.Label(s.Name, s.Variant)) == nil {
				one.Styles = append(one.Styles, s)
			}
		}
		for _, image := range e.Images {
			if !slices.ContainsFunc(one.Images, func(have record.ImageFacts) bool { return have.Name == image.Name }) {
				one.Images = append(one.Images, image)
			}
		}
		maps.DeleteFunc(one.Flags, func(name, value string) bool { return e.Flags[name] != value })
	}
	for _, e := range all {
		for _, note := range e.Notes {
			one.Notes = plain.Once(one.Notes, note)
		}
	}
	return &one
}

// mixed says in which ways recordings should not stand in one table.
func mixed(every []Recording) []string {
	var warnings []string
	recordings := measured(every)
	if n := unknownPlaces(recordings); n > 0 && len(recordings) > 1 {
		warnings = append(warnings, fmt.Sprintf("of %d of %d recordings the environment is not known: whether they were made on one machine cannot be told", n, len(recordings)))
	}
	return append(warnings, twice(every)...)
}

// unknownPlaces counts the recordings whose environment is not known.
func unknownPlaces(recordings []Recording) int {
	n := 0
	for _, one := range recordings {
		if one.Environment == nil {
			n++
		}
	}
	return n
}

// twice warns of a run that was given more than once: each of its samples
// would count as often.
func twice(recordings []Recording) []string {
	var seen, warnings []string
	for _, one := range recordings {
		run := one.Judgement.Header.Run
		if run != "" && slices.Contains(seen, run) {
			warnings = plain.Once(warnings, "run "+run+" was given more than once: its samples count more than once")
		}
		seen = append(seen, run)
	}
	return warnings
}

// schema names a version of a recording's schema.
func schema(version int) string {
	if version == 0 { // judged without a header
		return ""
	}
	return "schema " + strconv.Itoa(version)
}
