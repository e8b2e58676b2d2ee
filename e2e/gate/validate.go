package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// tooMuchLost is the share of samples without a judgement from which on a run is not worth comparing.
const tooMuchLost = 0.25

// validate refuses a recording that cannot be compared, or should not be.
func (r *Result) validate() error {
	if err := r.Check(); err != nil {
		return err
	}
	if why := r.incomparable(); why != "" {
		return &InvalidError{why}
	}
	r.warn()
	return nil
}

// mostPlanned is how many rounds a run can have.
const mostPlanned = 10000

// incomparable says why base and head do not compare; "": they do.
func (r *Result) incomparable() string {
	for _, style := range slices.Sorted(maps.Keys(r.Planned)) {
		if n := r.Planned[style]; n < 1 || n > mostPlanned {
			return fmt.Sprintf("%s says that %d rounds of %s were planned: expected a number from 1 to %d", record.EnvironmentFile, n, style, mostPlanned)
		}
	}
	was, is := r.Base.driven(), r.Head.driven()
	c := r.comparison()
	gone := c != nil && len(c.Gone) > 0
	if !gone && !slices.ContainsFunc(was, func(one driven) bool { return slices.Contains(is, one) }) {
		return fmt.Sprintf("base and head have no style and scenario in common: base has %s; head has %s", named(was), named(is))
	}
	for _, side := range []Side{r.Base, r.Head, r.Again} {
		if lost, all := side.lost(); float64(lost) > tooMuchLost*float64(all) {
			return fmt.Sprintf("%d of %d samples of %s were interrupted or could not be judged", lost, all, side.Name)
		}
	}
	for _, was := range r.Base.styles() {
		for _, is := range r.Head.styles() {
			if was.Name == is.Name && was.Timeout != is.Timeout && was.Timeout > 0 && is.Timeout > 0 { // else it was not recorded
				return fmt.Sprintf("%s has %s for a change at base and %s at head: what is late on one side is in time on the other; drive both with base's timeout",
					was.Name, plain.Duration(was.Timeout.Seconds()), plain.Duration(is.Timeout.Seconds()))
			}
		}
	}
	return ""
}

func named(all []driven) string {
	if len(all) == 0 {
		return "none"
	}
	names := plain.Map(all, func(one driven) string { return one.String() })
	return strings.Join(names, ", ")
}

// warn notes what weakens a comparison without making it invalid.
func (r *Result) warn() {
	for _, warning := range r.Base.Recording.Judgement.Warnings {
		r.addWarning(warning)
	}
	was, is := r.Base.driven(), r.Head.driven()
	if only := slices.DeleteFunc(is, func(one driven) bool { return slices.Contains(was, one) }); len(only) > 0 {
		r.addWarning(fmt.Sprintf("only head has %s: not compared", named(only)))
	}
}

func (r *Result) addWarning(text string) {
	if !slices.Contains(r.Warnings, text) {
		r.Warnings = append(r.Warnings, text)
	}
}
