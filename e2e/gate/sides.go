package gate

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// Variants of one recording that are compared, as an interleaved run names them.
const (
	VariantBase  = "base"
	VariantHead  = "head"
	VariantAgain = "again" // base once more: the noise floor
)

// Sides returns the sides that an interleaved run's recording holds. It is an error if it holds none.
func Sides(name string, recording result.Recording) (base, head, again Side, err error) {
	variants := variantsOf(recording)
	side := func(variant string) Side {
		if !slices.Contains(variants, variant) {
			return Side{}
		}
		return Side{Name: variant, Recording: recording, Variant: variant}
	}
	base, head, again = side(VariantBase), side(VariantHead), side(VariantAgain)
	if e := recording.Environment; e != nil && e.Comparison != nil && len(e.Comparison.Gone) > 0 { // perhaps nothing is left to drive
		base, head = Side{VariantBase, recording, VariantBase}, Side{VariantHead, recording, VariantHead}
	}
	if !base.there() || !head.there() {
		holds := "it holds no variants"
		if len(variants) > 0 {
			holds = "it holds the variants " + strings.Join(variants, ", ")
		}
		err = &InvalidError{[]string{fmt.Sprintf("%s is not of a run that compares base and head (%s): make one with opbench run --base=REVISION, or give two results folders with --base and --head", name, holds)}}
	}
	return base, head, again, err
}

// Join makes one recording of those of a folder: of the one that compares base and head, if there is one, else of the
// shards of a run, where each drove scenarios of its own. It is an error if several compare, or if two drove a style
// through the same scenario.
func Join(recordings ...result.Recording) (result.Recording, error) {
	if len(recordings) == 1 {
		return recordings[0], nil
	}
	comparisons := plain.Where(recordings, func(one result.Recording) bool {
		variants := variantsOf(one)
		return slices.Contains(variants, VariantBase) && slices.Contains(variants, VariantHead)
	})
	switch len(comparisons) {
	case 0:
	case 1:
		return comparisons[0], nil
	default:
		runs := plain.Map(comparisons, func(one result.Recording) string { return one.Judgement.Header.Run })
		return result.Recording{}, &InvalidError{[]string{fmt.Sprintf("runs %s each compare base and head: give the folder of one of them", strings.Join(runs, " and "))}}
	}
	joined := result.Recording{Judgement: &judge.Judgement{Header: recordings[0].Judgement.Header}}
	j := joined.Judgement
	joined.Environment, j.Warnings = environmentOf(recordings)
	j.Header.Run, j.Header.Styles, j.Header.Scenarios = "", nil, nil
	drove := map[driven]string{} // which run did
	for _, one := range recordings {
		run := one.Judgement.Header.Run
		j.Header.Run = strings.TrimPrefix(j.Header.Run+"+"+run, "+")
		j.Warnings = append(j.Warnings, one.Judgement.Warnings...)
		for _, style := range one.Judgement.Header.Styles {
			if !slices.ContainsFunc(j.Header.Styles, func(s record.Style) bool { return s.Name == style.Name && s.Variant == style.Variant }) {
				j.Header.Styles = append(j.Header.Styles, style)
			}
		}
		j.Header.Scenarios = append(j.Header.Scenarios, one.Judgement.Header.Scenarios...)
		for _, result := range one.Judgement.Results {
			what := driven{record.Label(result.Style, result.Variant), result.Scenario}
			if drove[what] = cmp.Or(drove[what], run); drove[what] != run {
				return joined, &InvalidError{[]string{fmt.Sprintf("runs %s and %s both drove %s: rounds of two runs do not compare, give the folder of one of them", drove[what], run, what)}}
			}
		}
		j.Results = append(j.Results, one.Judgement.Results...)
		joined.Costs, joined.Restarts = append(joined.Costs, one.Costs...), append(joined.Restarts, one.Restarts...)
		joined.Grants = grants.Join(append(joined.Grants, one.Grants...)...)
	}
	return joined, nil
}

// environmentOf is that of the first recording, with what is known of all styles, and why it is not that of all.
func environmentOf(recordings []result.Recording) (all *record.Environment, warnings []string) {
	if first := recordings[0].Environment; first != nil {
		clone := *first
		clone.Styles = slices.Clip(first.Styles)
		all = &clone
	}
	for _, one := range recordings[1:] {
		is := one.Environment
		if is == nil || all == nil {
			warnings = append(warnings, fmt.Sprintf("run %s or %s has no environment.json: whether they are of one machine is not known", recordings[0].Judgement.Header.Run, one.Judgement.Header.Run))
			continue
		}
		if parts := elsewhere(all, is); len(parts) > 0 {
			warnings = append(warnings, fmt.Sprintf("runs %s and %s are of different machines or clusters (%s): compare their folders one by one",
				recordings[0].Judgement.Header.Run, one.Judgement.Header.Run, strings.Join(parts, "; ")))
		}
		for _, facts := range is.Styles {
			if all.Facts(record.Label(facts.Name, facts.Variant)) == nil {
				all.Styles = append(all.Styles, facts)
			}
		}
	}
	return all, warnings
}

// Whole is a side that is a recording by itself. It is an error if it holds several variants of a style.
func Whole(name string, recording result.Recording) (Side, error) {
	variants := variantsOf(recording)
	if len(variants) > 1 {
		return Side{}, &InvalidError{[]string{fmt.Sprintf("%s holds the variants %s: give it alone, as opbench gate %s", name, strings.Join(variants, ", "), name)}}
	}
	s := Side{Name: name, Recording: recording}
	if len(variants) == 1 {
		s.Variant = variants[0]
	}
	return s, nil
}

// variantsOf lists the variants of a recording's styles, in their order.
func variantsOf(recording result.Recording) []string {
	variants := plain.Map(recording.Judgement.Header.Styles, func(s record.Style) string { return s.Variant })
	return slices.DeleteFunc(plain.Once(nil, variants...), func(variant string) bool { return variant == "" })
}

// results are a side's; none where there is no such side.
func (s Side) results() iter.Seq[*judge.Result] {
	return func(yield func(*judge.Result) bool) {
		if !s.there() {
			return
		}
		for i := range s.Recording.Judgement.Results {
			if one := &s.Recording.Judgement.Results[i]; one.Variant == s.Variant && !yield(one) {
				return
			}
		}
	}
}

// compared are the results whose correctness is compared.
func (s Side) compared() iter.Seq[*judge.Result] {
	return func(yield func(*judge.Result) bool) {
		for one := range s.results() {
			if one.Style != spec.Floor && !yield(one) {
				return
			}
		}
	}
}

// driven is a scenario that a style was driven through.
type driven struct{ style, scenario string }

func (d driven) String() string { return d.style + " " + d.scenario }

// driven lists those of a side, but for the floor's.
func (s Side) driven() []driven {
	return slices.SortedFunc(maps.Keys(s.turns()), func(a, b driven) int { return strings.Compare(a.String(), b.String()) })
}

// turns are the rounds in which a side was driven.
func (s Side) turns() map[driven][]int {
	turns := map[driven][]int{}
	for result := range s.compared() {
		if one := (driven{result.Style, result.Scenario}); !result.Warmup {
			turns[one] = plain.Once(turns[one], result.Round)
		}
	}
	return turns
}

// roundsOf are the rounds in which a style was measured.
func (s Side) roundsOf(style string) []int {
	var rounds []int
	for result := range s.results() {
		if result.Style == style && !result.Matrix && !result.Warmup {
			rounds = plain.Once(rounds, result.Round)
		}
	}
	return rounds
}

// lost is the share of a side's samples that could not be judged.
func (s Side) lost() (lost, all int) {
	for result := range s.compared() {
		all++
		if result.End == record.Interrupted || result.Outcome() == spec.Invalid {
			lost++
		}
	}
	return lost, all
}

// facts say how the sides differ, and that they do not.
func facts(base, head Side) []string {
	var list []string
	was, is := base.Recording.Environment, head.Recording.Environment
	if was != nil && is != nil {
		for _, b := range was.Styles {
			if h := is.Facts(record.Label(b.Name, head.Variant)); h != nil && b.Variant == base.Variant {
				list = append(list, manifests(b, *h))
			}
		}
		list = append(list, revisions(was, is)...)
	}
	a, b := base.Recording.Judgement.Header, head.Recording.Judgement.Header
	list = append(list, differs("seed of the order", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed))...)
	return append(list, differs("program", a.Program, b.Program)...)
}

// revisions names the commits of the sides.
func revisions(was, is *record.Environment) []string {
	head := is.Revision
	if is.Dirty {
		head += ", with changes that are not committed"
	}
	if c := is.Comparison; c != nil {
		base := c.Base
		if c.Asked != "" && c.Asked != c.Base {
			base += " (" + c.Asked + ")"
		}
		return []string{"base is revision " + cmp.Or(base, "unknown") + ", head is " + cmp.Or(head, "unknown")}
	}
	return differs("revision", was.Revision, head)
}

func manifests(base, head record.StyleFacts) string {
	if base.Manifests == head.Manifests {
		return fmt.Sprintf("%s: the manifests are the same (%s)", base.Name, short(base.Manifests))
	}
	return fmt.Sprintf("%s: manifests %s at base, %s at head", base.Name, short(base.Manifests), short(head.Manifests))
}

// short is the beginning of a hash, such as sha256:0123456789ab.
func short(hash string) string { return hash[:min(len(hash), len("sha256:")+12)] }

func differs(what, base, head string) []string {
	if base == head {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s at base, %s at head", what, cmp.Or(base, "unknown"), cmp.Or(head, "unknown"))}
}
