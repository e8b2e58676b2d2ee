package gate

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

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
		return Side{variant, recording}
	}
	base, head, again = side(VariantBase), side(VariantHead), side(VariantAgain)
	if e := recording.Environment; e != nil && e.Comparison != nil && len(e.Comparison.Gone) > 0 { // perhaps nothing is left to drive
		base, head = Side{VariantBase, recording}, Side{VariantHead, recording}
	}
	if !base.there() || !head.there() {
		holds := "it holds no variants"
		if len(variants) > 0 {
			holds = "it holds the variants " + strings.Join(variants, ", ")
		}
		err = &InvalidError{fmt.Sprintf("%s is not of a run that compares base and head (%s): make one with opbench run --base=REVISION", name, holds)}
	}
	return base, head, again, err
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
			if one := &s.Recording.Judgement.Results[i]; one.Variant == s.Name && !yield(one) {
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
		if one := (driven{result.Style, result.Scenario}); !result.Warmup && !slices.Contains(turns[one], result.Round) {
			turns[one] = append(turns[one], result.Round)
		}
	}
	return turns
}

// roundsOf are the rounds in which a style was measured.
func (s Side) roundsOf(style string) []int {
	var rounds []int
	for result := range s.results() {
		if result.Style == style && !result.Matrix && !result.Warmup && !slices.Contains(rounds, result.Round) {
			rounds = append(rounds, result.Round)
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
	environment := head.Recording.Environment
	if environment == nil {
		return nil
	}
	var list []string
	for _, b := range environment.Styles {
		for _, h := range environment.Styles {
			if h.Name == b.Name && b.Variant == base.Name && h.Variant == head.Name {
				list = append(list, manifests(b, h))
			}
		}
	}
	return append(list, revisions(environment)...)
}

// revisions names the commits of the sides.
func revisions(of *record.Environment) []string {
	c := of.Comparison
	if c == nil {
		return nil
	}
	head := of.Revision
	if of.Dirty {
		head += ", with changes that are not committed"
	}
	base := c.Base
	if c.Asked != "" && c.Asked != c.Base {
		base += " (" + c.Asked + ")"
	}
	return []string{"base is revision " + cmp.Or(base, "unknown") + ", head is " + cmp.Or(head, "unknown")}
}

func manifests(base, head record.StyleFacts) string {
	if base.Manifests == head.Manifests {
		return fmt.Sprintf("%s: the manifests are the same (%s)", base.Name, short(base.Manifests))
	}
	return fmt.Sprintf("%s: manifests %s at base, %s at head", base.Name, short(base.Manifests), short(head.Manifests))
}

// short is the beginning of a hash.
func short(hash string) string {
	algorithm, digits, found := strings.Cut(hash, ":")
	if !found {
		algorithm, digits = "", hash
	}
	if len(digits) > 12 {
		digits = digits[:12]
	}
	return strings.TrimPrefix(algorithm+":"+digits, ":")
}
