package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// aside is the variant of what stands apart; further places are numbered.
const aside = "apart"

// origin is what recordings must share for their latencies to be pooled. What is
// empty is not known, and fits all.
type origin struct{ machine, place, schema, floor string }

func originOf(one Recording) origin {
	return origin{one.Environment.Machine(), one.Environment.Place(), schema(one.Judgement.Header.Schema), one.floor}
}

// fits tells whether nothing that is known of both differs.
func (o origin) fits(other origin) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return same(o.machine, other.machine) && same(o.place, other.place) && same(o.schema, other.schema) && same(o.floor, other.floor)
}

// unlike says in which ways recordings differ.
func (o origin) unlike(other origin) string {
	var parts []string
	for _, one := range []struct{ what, is, than string }{
		{"another machine", o.machine, other.machine},
		{"another cluster", o.place, other.place},
		{"another schema", o.schema, other.schema},
		{"another floor", o.floor, other.floor},
	} {
		if one.is != "" && one.than != "" && one.is != one.than {
			parts = append(parts, fmt.Sprintf("%s (%s, not %s)", one.what, one.is, one.than))
		}
	}
	return strings.Join(parts, ", ")
}

// places are where latencies were measured, the one with the most first; those of
// single changes count before those of loads, of which one round has many. Only what
// was measured in one scenario is compared, so that each scenario has a home of its
// own: the place with the most of its samples. What the correctness matrix alone says
// is compared with nothing, and may come from anywhere.
type places struct {
	all  []origin
	home map[string]int // by scenario, an index of all
}

// of is the place of a recording; -1: it is none of them.
func (p *places) of(one Recording) int { return slices.IndexFunc(p.all, originOf(one).fits) }

// several tells whether a recording fits more than one place.
func (p *places) several(one Recording) bool {
	return slices.IndexFunc(p.all[p.of(one)+1:], originOf(one).fits) >= 0
}

func originsOf(recordings []Recording) *places {
	vague := func(one Recording) int { // it fits more, and makes a place only where it fits none
		switch {
		case one.Environment == nil:
			return 2
		case one.floor == "":
			return 1
		}
		return 0
	}
	p := &places{home: map[string]int{}}
	all, of := map[origin][2]int{}, map[origin]map[string]int{} // samples: all of single changes and of loads; of: by scenario
	for level := range 3 {
		for _, one := range measured(recordings) {
			if vague(one) != level {
				continue
			}
			i := p.of(one)
			switch {
			case i < 0:
				i, p.all = len(p.all), append(p.all, originOf(one))
				of[p.all[i]] = map[string]int{}
			case one.Environment == nil:
				continue
			}
			n := all[p.all[i]]
			for k := range one.Judgement.Results {
				result := &one.Judgement.Results[k]
				if result.Group == spec.GroupLoad {
					n[1] += len(result.Samples)
				} else {
					n[0] += len(result.Samples)
				}
				if figures(result) {
					of[p.all[i]][result.Scenario] += len(result.Samples)
				}
			}
			if !p.several(one) { // what fits several must not change their order
				all[p.all[i]] = n
			}
		}
		slices.SortStableFunc(p.all, func(a, b origin) int {
			return cmp.Or(cmp.Compare(all[b][0], all[a][0]), cmp.Compare(all[b][1], all[a][1]))
		})
	}
	for i, at := range p.all {
		for scenario, n := range of[at] {
			if best, there := p.home[scenario]; !there || n > of[p.all[best]][scenario] {
				p.home[scenario] = i
			}
		}
	}
	return p
}

// figures tells whether a result's latencies are in a figure: what only warms up is
// judged, and compared with nothing.
func figures(result *judge.Result) bool { return !result.Matrix && !result.Warmup }

// measured are the scenarios that a recording has latencies of: those whose home is
// its place, and the others.
func (p *places) measured(one Recording) (home, away []string) {
	at := p.of(one)
	for i := range one.Judgement.Results {
		switch result := &one.Judgement.Results[i]; {
		case !figures(result):
		case p.home[result.Scenario] == at:
			home = plain.Once(home, result.Scenario)
		default:
			away = plain.Once(away, result.Scenario)
		}
	}
	return home, away
}

// variants name, by place, what stands apart; "": nothing of it does.
func (p *places) variants(recordings []Recording) []string {
	names := make([]string, len(p.all))
	for _, one := range recordings {
		if i := p.of(one); i >= 0 {
			if _, away := p.measured(one); len(away) > 0 {
				names[i] = aside
			}
		}
	}
	n := 0
	for i := range names {
		if names[i] == "" {
			continue
		}
		if n++; n > 1 {
			names[i] = fmt.Sprintf("%s-%d", aside, n)
		}
	}
	return names
}

// separated are recordings of which each either stands apart or does not.
type separated struct {
	all      []Recording
	main     []Recording // what does not, and was not measured elsewhere than most latencies
	apart    []string    // labels of what does
	warnings []string
}

// separate gives what was measured elsewhere than most samples of its scenario labels
// of its own, so that it is neither pooled nor ranked with these.
func separate(recordings []Recording) (s separated) {
	recordings = withFloors(recordings)
	p := originsOf(recordings)
	variants := p.variants(recordings)
	for _, one := range recordings {
		i := p.of(one)
		if i < 0 {
			s.all, s.main = append(s.all, one), append(s.main, one)
			continue
		}
		home, away := p.measured(one)
		s.warnings = append(s.warnings, p.warn(one, home, away, variants[i])...)
		if len(home) > 0 || len(away) == 0 {
			stays := one.only(func(result *judge.Result) bool { return !figures(result) || !slices.Contains(away, result.Scenario) })
			if stays.beside = i > 0 && len(home) > 0; !stays.beside {
				s.main = append(s.main, stays)
			}
			s.all = append(s.all, stays)
		}
		if len(away) == 0 {
			continue
		}
		if len(home) > 0 {
			one = one.only(func(result *judge.Result) bool { return figures(result) && slices.Contains(away, result.Scenario) })
			one.Grants, one.Costs, one.rest = nil, nil, true // they are of the whole run, which stays
		}
		one = one.under(variants[i])
		s.all = append(s.all, one)
		for k := range one.Judgement.Results {
			s.apart = plain.Once(s.apart, record.Label(one.Judgement.Results[k].Style, one.Judgement.Results[k].Variant))
		}
	}
	return s
}

// warn says what a recording cannot be compared with.
func (p *places) warn(one Recording, home, away []string, variant string) (warnings []string) {
	run, at, i := one.Judgement.Header.Run, originOf(one), p.of(one)
	switch {
	case i == 0:
	case len(home) > 0:
		warnings = append(warnings, fmt.Sprintf("run %s was made with %s: of its figures, those of %s compare with each other, and with those of no other scenario",
			run, at.unlike(p.all[0]), strings.Join(home, ", ")))
	case len(away) == 0: // nothing has latencies, or it would be no place
		warnings = append(warnings, fmt.Sprintf("run %s was made with %s", run, at.unlike(p.all[0])))
	}
	if len(away) > 0 {
		figures := "its figures"
		if len(home) > 0 || i == 0 {
			figures += " of " + strings.Join(away, ", ")
		}
		warnings = append(warnings, fmt.Sprintf("run %s was made with %s: %s are shown separately, as …@%s, and are neither pooled nor ranked with the others",
			run, at.unlike(p.all[p.home[away[0]]]), figures, variant))
	}
	return warnings
}

// only is the recording with some of its results.
func (r Recording) only(keep func(*judge.Result) bool) Recording {
	j := *r.Judgement
	j.Results = slices.DeleteFunc(slices.Clone(j.Results), func(result judge.Result) bool { return !keep(&result) })
	r.Judgement = &j
	return r
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
