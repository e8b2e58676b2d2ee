package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Need is what somebody asks of a style, with the styles that meet its criterion.
type Need struct {
	Name, Criterion, Order string
	Met                    []Match // all that meet it, in the order that Order says, then by name
	NotMet                 []Match // in the same order
	Unknown                []string
}

// Match is a style with the figure that orders it.
type Match struct{ Label, Figure string }

// First names the first of those that meet the need, and says how many more there are.
func (n Need) First() []string {
	const most = 3
	var names []string
	for _, m := range n.Met[:min(most, len(n.Met))] {
		names = append(names, m.Label)
	}
	if more := len(n.Met) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return names
}

// quantity is what styles are ordered by, the least first. False: it is not known.
type quantity struct {
	name string
	of   func(label string) (value float64, text string, known bool)
}

// need is a row of Needs: a style meets it or not by met alone. False: that is not known.
type need struct {
	name, criterion string
	met             func(label string) (is, known bool)
	by              quantity
}

// memoryRequest is the memory that Kubebuilder's manifests request for a manager: 64Mi.
const memoryRequest = 64 << 20

// Needs are the questions that the recordings answer.
func (r *Set) Needs() []Need {
	known := func(is func(label string) bool) func(string) (bool, bool) {
		return func(label string) (bool, bool) { return is(label), true }
	}
	fails, memory := quantity{"scenarios that fail", r.failsFew}, quantity{"peak memory", r.memory}
	var rows []need
	for _, one := range []string{"Go", "Python", "Java", "Rust"} {
		rows = append(rows, need{"Our team writes " + one, "most lines owned are " + one + ", build files left out", known(func(label string) bool { return r.Language(label) == one }), fails})
	}
	for _, one := range []struct{ name, family string }{{"We already run Argo", "argo"}, {"We have a Helm chart", "helm"}, {"We have Ansible roles", "ansible"}, {"We write shell scripts", "shell-operator"}} {
		rows = append(rows, need{one.name, "built on a framework of that name", known(func(label string) bool { return r.builtOn(label, one.family) }), fails})
	}
	rows = append(rows,
		need{"Only YAML", "all lines owned are YAML or JSON", known(r.onlyYAML), fails},
		need{"No image of our own", "no custom image", known(r.noImage), fails},
		need{"A change is written in under a second", "p90 of each measured change (the maximum where n is too small for a p90) below 1 s, none wrong", r.subSecond, fails})
	if load := r.Heaviest(); load != "" {
		rows = append(rows, need{
			"Many custom resources at once", "all of " + load + " written in time, none wrong",
			func(label string) (bool, bool) { return r.bears(label, load) },
			quantity{"the last of " + load + ", median", r.last(load)},
		})
	}
	rows = append(rows,
		need{"No change may be lost", "no scenario in which a change is not carried out without help (oracles " + strings.Join(losing(), ", ") + ")", r.none(r.loses), fails},
		need{"Nothing may fail", "no scenario fails", r.none(r.Fails), fails},
		need{
			"Little memory", "peak memory of all pods at most " + plain.Bytes(memoryRequest) + ", what Kubebuilder requests for a manager",
			func(label string) (bool, bool) {
				bytes, _, known := r.memory(label)
				return bytes <= memoryRequest, known
			}, memory,
		})
	var all []Need
	for _, row := range rows {
		if answer := row.ask(r.Contestants()); len(answer.Met)+len(answer.NotMet) > 0 {
			all = append(all, answer)
		}
	}
	return all
}

// ask asks every style.
func (n need) ask(labels []string) Need {
	answer := Need{Name: n.name, Criterion: n.criterion, Order: n.by.name}
	type scored struct {
		Match
		value float64
	}
	var all []scored
	for _, label := range slices.Sorted(slices.Values(labels)) {
		value, text, known := n.by.of(label)
		if !known {
			value = math.Inf(1)
		}
		all = append(all, scored{Match{label, text}, value})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.value, b.value) })
	for _, one := range all {
		switch met, known := n.met(one.Label); {
		case !known:
			answer.Unknown = append(answer.Unknown, one.Label)
		case met:
			answer.Met = append(answer.Met, one.Match)
		default:
			answer.NotMet = append(answer.NotMet, one.Match)
		}
	}
	return answer
}

// failsFew is how many scenarios a style fails, or could not be judged in.
func (r *Set) failsFew(label string) (value float64, text string, known bool) {
	f := r.Fails(label)
	if !f.Known {
		return 0, NotRecorded, false
	}
	return float64(f.Most()), fmt.Sprintf("%d of %d", f.Failed, f.Of) + f.Rest(), true
}

// none reports whether a style was driven through all scenarios that others were, and none counts.
func (r *Set) none(count func(label string) Failing) func(label string) (is, known bool) {
	return func(label string) (is, known bool) {
		f := count(label)
		return f.Most() == 0, f.Failed > 0 || f.Whole()
	}
}

func (r *Set) memory(label string) (value float64, text string, known bool) {
	for _, c := range r.Costs {
		if c.Label() == label && c.PeakMemory.Known() {
			bytes := c.PeakMemory.Median()
			return bytes, plain.Bytes(int64(bytes)), true
		}
	}
	return 0, "", false
}

// last is when the last custom resource of a load was written, the median over rounds.
func (r *Set) last(load string) func(label string) (value float64, text string, known bool) {
	return func(label string) (value float64, text string, known bool) {
		c := r.Cell(label, load)
		if c == nil {
			return 0, "", false
		}
		written, _ := c.Outcome()
		last := Lasts(written)
		return last.P50.Value, last.P50.String(), last.N > 0
	}
}

// Lasts are the maxima of a summary's rounds, summed up.
func Lasts(s stat.Summary) stat.Summary {
	var values []stat.Observation
	for _, round := range s.Replicates {
		if len(round) > 0 {
			values = append(values, stat.Order(round).Max())
		}
	}
	last := stat.Of(values...)
	last.Names = s.Names
	return last
}

// Spread says where a summary's figure comes from: its 95% interval where rounds
// are enough for one, else all that was seen, with n and rounds.
func Spread(s stat.Summary, show func(stat.Observation) string) string {
	if s.N == 0 {
		return "n 0"
	}
	n := fmt.Sprintf("n %d in %s", s.N, plain.Plural(s.Rounds, "round"))
	switch low, high := show(s.Ordered.At(1)), show(s.Max); {
	case s.CI50 != nil:
		return fmt.Sprintf("[%s, %s], %s", show(s.CI50.Low), show(s.CI50.High), n)
	case low == high:
		return n
	default:
		return fmt.Sprintf("%s to %s seen, %s", low, high, n)
	}
}

// Heaviest is the load with the most custom resources, by which styles are compared;
// empty: there is none.
func (r *Set) Heaviest() string {
	name, most := "", 0
	for _, c := range r.Cells {
		if _, _, n := c.Rounds(); c.Load() && n > most {
			name, most = c.Scenario, n
		}
	}
	return name
}

// Written counts the custom resources of a load that were written in time, of all that were asked for
// and whose latency is known or that were wrong.
func (c *Cell) Written() (inTime, of int) {
	written, _ := c.Outcome()
	return written.N - written.Censored, written.N + written.Wrong
}

// bears reports whether all of a load were written in time and none was wrong, in every run that drove it.
func (r *Set) bears(label, load string) (is, known bool) {
	for c := range r.By(label) {
		if c.Scenario != load || !c.Measured() {
			continue
		}
		inTime, of := c.Written()
		if known = true; inTime < of || of == 0 {
			return false, true
		}
	}
	return known, known
}

// subSecond reports whether all measured single changes of every run were written within a second.
func (r *Set) subSecond(label string) (is, known bool) {
	for c := range r.By(label) {
		if c.Load() || !c.Measured() {
			continue
		}
		written, _ := c.Outcome()
		tail := written.Max
		if written.Shows(0.9) {
			tail = written.P90
		}
		if known = true; written.N == 0 || written.Wrong > 0 || tail.Censored || tail.Value >= 1 {
			return false, true
		}
	}
	return known, known
}

// oldYears is from which age on a version of a framework is old.
const oldYears = 2

// Dated is the year of the version that a style's framework has, where it was old when
// the last recording began; empty: it was not, or it is not known.
func (r *Set) Dated(label string) string {
	header := r.Header(label)
	if header == nil || header.Framework == nil {
		return ""
	}
	released, err := time.Parse(time.DateOnly, header.Framework.Date)
	if err != nil {
		return ""
	}
	for _, part := range r.Parts {
		if released.AddDate(oldYears, 0, 0).Before(part.Header.Began) {
			return strconv.Itoa(released.Year())
		}
	}
	return ""
}

// Mishandled names a style with the measured single changes that it did not handle rightly
// each time, and how often it did; empty: there are none.
func (r *Set) Mishandled(label string) string {
	var wrong []string
	for c := range r.By(label) {
		if c.Load() || !c.Measured() {
			continue
		}
		switch c.Verdict {
		case spec.Fail, spec.Flaky, spec.Late: // what could not be judged, as when a run ended early, says nothing of the style
			wrong = append(wrong, fmt.Sprintf("%s: %d of %d right", c.Scenario, c.Passed, c.All()))
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return label + " (" + strings.Join(wrong, ", ") + ")"
}
