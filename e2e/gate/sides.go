package gate

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
)

// Variants of one recording that are compared, as an interleaved run names
// them.
const (
	VariantBase  = "base"
	VariantHead  = "head"
	VariantAgain = "again" // base once more: the noise floor
)

// Sides returns the sides that an interleaved run's recording holds. It is an
// error if it holds none.
func Sides(name string, recording report.Recording) (base, head, again Side, err error) {
	variants := variantsOf(recording)
	side := func(variant string) Side {
		if !slices.Contains(variants, variant) {
			return Side{}
		}
		return Side{Name: variant, Recording: recording, Variant: variant}
	}
	base, head, again = side(VariantBase), side(VariantHead), side(VariantAgain)
	if !base.there() || !head.there() {
		holds := "it holds no variants"
		if len(variants) > 0 {
			holds = "it holds the variants " + strings.Join(variants, ", ")
		}
		err = &InvalidError{[]string{fmt.Sprintf("%s is not of a run that compares base and head (%s): make one with opbench run --base=REVISION, or give two results folders with --base and --head", name, holds)}}
	}
	return base, head, again, err
}

// Whole is a side that is a recording by itself. It is an error if it holds
// several variants of a style.
func Whole(name string, recording report.Recording) (Side, error) {
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
func variantsOf(recording report.Recording) []string {
	var list []string
	for _, s := range recording.Judgement.Header.Styles {
		if s.Variant != "" && !slices.Contains(list, s.Variant) {
			list = append(list, s.Variant)
		}
	}
	return list
}

// driven lists "style scenario" of a side, but for the floor's.
func (s Side) driven() []string {
	var list []string
	for _, result := range s.Recording.Judgement.Results {
		name := result.Style + " " + result.Scenario
		if result.Style != report.Floor && result.Variant == s.Variant && !result.Matrix && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// lost is the share of a side's samples that could not be judged.
func (s Side) lost() (lost, all int) {
	for _, result := range s.Recording.Judgement.Results {
		if result.Variant != s.Variant || result.Matrix { // the matrix has verdicts.yaml
			continue
		}
		all++
		if result.End == record.Interrupted || result.Outcome() == judge.Invalid {
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
			if b.Variant != base.Variant {
				continue
			}
			for _, h := range is.Styles {
				if h.Name == b.Name && h.Variant == head.Variant {
					list = append(list, manifests(b, h))
				}
			}
		}
		list = append(list, differs("revision", was.Revision, is.Revision)...)
	}
	a, b := base.Recording.Judgement.Header, head.Recording.Judgement.Header
	list = append(list, differs("seed of the order", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed))...)
	return append(list, differs("program", a.Program, b.Program)...)
}

func manifests(base, head report.StyleFacts) string {
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

func differs(what, base, head string) []string {
	if base == head {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s at base, %s at head", what, known(base), known(head))}
}

// known is a text, or that there is none.
func known(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}
