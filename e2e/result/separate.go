package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// aside is the variant of what stands apart; further places are numbered.
const aside = "apart"

// origin is what recordings must share for their latencies to be pooled. What is
// empty is not known, and fits all.
type origin struct{ machine, place, schema string }

func originOf(one Recording) origin {
	return origin{one.Environment.Machine(), one.Environment.Place(), schema(one.Judgement.Header.Schema)}
}

// fits tells whether nothing that is known of both differs.
func (o origin) fits(other origin) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return same(o.machine, other.machine) && same(o.place, other.place) && same(o.schema, other.schema)
}

// unlike says in which ways recordings differ.
func (o origin) unlike(other origin) string {
	var parts []string
	for _, one := range []struct{ what, is, than string }{
		{"another machine", o.machine, other.machine}, {"another cluster", o.place, other.place}, {"another schema", o.schema, other.schema},
	} {
		if one.is != "" && one.than != "" && one.is != one.than {
			parts = append(parts, fmt.Sprintf("%s (%s, not %s)", one.what, one.is, one.than))
		}
	}
	return strings.Join(parts, ", ")
}

// separate gives what was measured elsewhere labels of its own, so that it is
// neither pooled nor ranked with the rest. The place with the most latencies is
// where the rest was measured. What the correctness matrix alone says is compared
// with nothing, and may come from anywhere.
func separate(recordings []Recording) (all []Recording, warnings []string) {
	places := []origin{} // the most latencies first
	count := map[origin]int{}
	given := slices.Clone(measured(recordings))
	vague := func(one Recording) int { // it fits more, and makes a place only where it fits none
		if one.Environment == nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(given, func(a, b Recording) int { return vague(a) - vague(b) })
	for _, one := range given {
		at := originOf(one)
		i := slices.IndexFunc(places, at.fits)
		if i < 0 {
			i, places = len(places), append(places, at)
		} else if one.Environment == nil {
			continue
		}
		count[places[i]] += samplesOf([]Recording{one})
	}
	slices.SortStableFunc(places, func(a, b origin) int { return cmp.Compare(count[b], count[a]) })
	for _, one := range recordings {
		at := originOf(one)
		i := slices.IndexFunc(places, at.fits)
		switch {
		case i <= 0:
		case !one.hasLatencies(): // nothing has, or it would be no place
			warnings = append(warnings, fmt.Sprintf("run %s was made with %s", one.Judgement.Header.Run, at.unlike(places[0])))
		default:
			variant := aside
			if i > 1 {
				variant = fmt.Sprintf("%s-%d", aside, i)
			}
			one = one.under(variant)
			warnings = append(warnings, fmt.Sprintf("run %s was made with %s: its figures are shown separately, as …@%s, and are neither pooled nor ranked with the others",
				one.Judgement.Header.Run, at.unlike(places[0]), variant))
		}
		all = append(all, one)
	}
	return all, warnings
}

// hasLatencies tells whether a recording has some.
func (r Recording) hasLatencies() bool {
	for i := range r.Judgement.Results {
		if !r.Judgement.Results[i].Matrix {
			return true
		}
	}
	return false
}

// under is the recording with all of its styles in a variant.
func (r Recording) under(variant string) Recording {
	named := func(have string) string { return strings.TrimPrefix(have+"-"+variant, "-") }
	j := *r.Judgement
	j.Header.Styles, j.Results = slices.Clone(j.Header.Styles), slices.Clone(j.Results)
	for i := range j.Header.Styles {
		j.Header.Styles[i].Variant = named(j.Header.Styles[i].Variant)
	}
	for i := range j.Results {
		one := &j.Results[i]
		one.Variant, one.Samples = named(one.Variant), slices.Clone(one.Samples)
		for k := range one.Samples {
			one.Samples[k].Variant = named(one.Samples[k].Variant)
		}
	}
	r.Judgement, r.Costs, r.Grants = &j, slices.Clone(r.Costs), slices.Clone(r.Grants)
	for i := range r.Costs {
		r.Costs[i].Variant = named(r.Costs[i].Variant)
	}
	for i := range r.Grants {
		r.Grants[i].Variant = named(r.Grants[i].Variant)
	}
	if r.Environment != nil {
		e := *r.Environment
		e.Styles = slices.Clone(e.Styles)
		for i := range e.Styles {
			e.Styles[i].Variant = named(e.Styles[i].Variant)
		}
		r.Environment = &e
	}
	return r
}

// Apart tells whether a style's figures were measured elsewhere than the others,
// so that they do not compare.
func (r *Set) Apart(label string) bool { return slices.Contains(r.apart, label) }

// home are the recordings that separate has left as they were.
func home(before, after []Recording) []Recording {
	var all []Recording
	for i := range after {
		if after[i].Judgement == before[i].Judgement {
			all = append(all, after[i])
		}
	}
	return all
}

// apartLabels are the labels of what separate has renamed.
func apartLabels(before, after []Recording) []string {
	var labels []string
	for i := range after {
		if after[i].Judgement == before[i].Judgement {
			continue
		}
		for k := range after[i].Judgement.Results {
			one := &after[i].Judgement.Results[k]
			labels = plain.Once(labels, record.Label(one.Style, one.Variant))
		}
	}
	return labels
}
