package report

import (
	"fmt"
	"slices"
	"strings"
)

// common is the environment that all recordings share; nil if there is none.
func common(recordings []Recording) *Environment {
	for _, one := range recordings {
		if one.Environment == nil || one.Environment != recordings[0].Environment {
			return nil
		}
	}
	if len(recordings) == 0 {
		return nil
	}
	return recordings[0].Environment
}

// mixed says in which ways recordings should not stand in one table.
func mixed(recordings []Recording) []string {
	var warnings []string
	for _, what := range []struct {
		name string
		of   func(Recording) string
	}{
		{"machines", func(one Recording) string { return one.Environment.machine() }},
		{"clusters", func(one Recording) string { return one.Environment.cluster() }},
		{"schemas", func(one Recording) string { return schema(one.Judgement.Header.Schema) }},
	} {
		var values []string
		for _, one := range recordings {
			if value := what.of(one); value != "" {
				values = addNew(values, value)
			}
		}
		if len(values) > 1 {
			warnings = append(warnings, "recordings of different "+what.name+" stand in one table ("+strings.Join(values, "; ")+
				"): their figures do not compare")
		}
	}
	if n := unknownPlaces(recordings); n > 0 && len(recordings) > 1 {
		warnings = append(warnings, fmt.Sprintf("of %d of %d recordings the environment is not known: whether they were made on one machine cannot be told", n, len(recordings)))
	}
	return append(warnings, twice(recordings)...)
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
			warnings = addNew(warnings, "run "+run+" was given more than once: its samples count more than once")
		}
		seen = append(seen, run)
	}
	return warnings
}
