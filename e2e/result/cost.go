package result

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Cost is what a style used in one run.
type Cost struct {
	Run string `json:"run"`
	cost.Cost
}

// Made is how many custom objects the style makes for each change, of all kinds.
func (c Cost) Made() cost.Figure {
	sum := cost.Figure{Unit: "1"}
	var names []string
	for _, counter := range c.Counters {
		if strings.HasPrefix(counter.Name, cost.MadePrefix) {
			names = plain.Once(names, counter.Name)
		}
	}
	if len(names) == 0 { // a style that makes none: as many rounds of nothing as its pods were counted in
		sum = c.PerChange(cost.Pods)
		sum.Values = slices.Clone(sum.Values)
		for i := range sum.Values {
			sum.Values[i].Value = 0
		}
		return sum
	}
	for _, name := range names {
		f := c.PerChange(name)
		if !f.Known() {
			sum.Missing = f.Missing
			continue
		}
		for _, v := range f.Values {
			i := slices.IndexFunc(sum.Values, func(have cost.Value) bool { return have.Round == v.Round })
			if i < 0 {
				sum.Values = append(sum.Values, v)
				continue
			}
			sum.Values[i].Value += v.Value
		}
	}
	if sum.Known() {
		sum.Missing = ""
	}
	return sum
}

// costs takes over what styles used in a run, in the order of the styles.
func (r *Set) costs(one Recording) {
	driven := plain.Map(one.Costs, func(c cost.Cost) string { return c.Label() }) // some for verdicts alone
	for _, label := range plain.Once(slices.Clone(r.Styles), driven...) {
		for _, c := range one.Costs {
			if c.Label() != label {
				continue
			}
			cost := Cost{Run: one.Judgement.Header.Run, Cost: c}
			if slices.Contains(r.Styles, label) {
				r.Costs = append(r.Costs, cost)
			}
			r.Beside = append(r.Beside, cost)
		}
	}
}

// Sent says how many requests a style sent in a load at most, and how many its client allows itself; empty: it is not
// known.
func (r *Set) Sent(label, scenario string) string {
	for i := range r.Beside {
		for _, one := range r.Beside[i].Busiest {
			if r.Beside[i].Label() != label || one.Load != scenario {
				continue
			}
			text := fmt.Sprintf("%s sent at most %s requests a second over ten seconds, Events left out", label, Amount("1", one.Requests.Median()))
			if limit := r.clientLimit(label); limit != "" {
				text += "; the limit of its client: " + limit
			}
			return text
		}
	}
	return ""
}

// strain is how busy machine and API server were in a style's load, or in a step of its ramp; run and round are empty
// where any counts.
func (r *Set) strain(label, scenario string, rate int, run string, round int) *cost.Strain {
	for i := range r.Beside {
		c := &r.Beside[i]
		for k := range c.Strain {
			s := &c.Strain[k]
			if c.Label() == label && s.Load == scenario && s.Rate == rate && (run == "" || c.Run == run) && (round == 0 || s.Round == round) {
				return s
			}
		}
	}
	return nil
}

// strainText says that in a clause, with what the style's client held back; limit is what that may send by its settings.
// Empty: it is not known.
func strainText(s *cost.Strain, limit string) string {
	var clauses []string
	var waited *cost.Waited
	if s != nil {
		waited = s.Waited
		clauses = append(clauses, fmt.Sprintf("the machine's CPUs were %.0f%% busy, %.0f%% stolen, and %s ran or waited for one", 100*s.Busy, 100*s.Stolen, plain.Plural(s.Running, "process", "processes")))
		if s.Waiting > 0 || s.Rejected > 0 {
			clauses = append(clauses, fmt.Sprintf("up to %s waited in the API server's queues, and it rejected %d", plain.Plural(int(s.Waiting), "request"), s.Rejected))
		}
	}
	switch {
	case waited == nil && limit != "" && limit != spec.NoClientLimit:
		clauses = append(clauses, "whether its client held requests back by its own limit is not known")
	case waited == nil:
	case waited.Seconds == 0:
		clauses = append(clauses, "its client held no request back")
	default:
		clauses = append(clauses, fmt.Sprintf("its client held requests back by its own limit, for %s in all, %s of them at a time", plain.Duration(waited.Seconds), plain.Digits(waited.AtOnce())))
	}
	return strings.Join(clauses, "; ")
}

// clientLimit is how many requests a style's client allows itself; empty: the recording does not say.
func (r *Set) clientLimit(label string) string {
	return r.Header(label).Settings[spec.ClientLimit].Is
}

// Strain says how busy machine and API server were in a load, and what the style's client held back; empty: it is not
// known.
func (r *Set) Strain(label, scenario string) string {
	return strainText(r.strain(label, scenario, 0, "", 0), r.clientLimit(label))
}
