package result

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// Need is what somebody asks of a style, with the styles that meet its criterion.
type Need struct {
	Name, Criterion, Order string
	Has                    bool    // it is what somebody has, not what is asked of a style
	Met                    []Match // all that meet it, in the order that Order says, then by name
	NotMet                 []Match // in the same order
	Unknown                []string
}

// Match is a style with the figure that orders it.
type Match struct{ Label, Figure string }

// First names the first of those that meet the need.
func (n Need) First() []string {
	const most = 3
	return plain.Map(n.Met[:min(most, len(n.Met))], func(m Match) string { return m.Label })
}

// More is how many others meet it.
func (n Need) More() int { return len(n.Met) - len(n.First()) }

// need is a row of Needs: a style meets it or not by met alone. False: that is not known. A column orders the styles.
type need struct {
	name, criterion string
	met             func(label string) (is, known bool)
	order           string // the column's id
	has             bool
}

// memoryRequest is the memory that Kubebuilder's manifests request for a manager: 64Mi.
const memoryRequest = 64 << 20

// Recommends reports whether the recordings answer which style to choose: several were compared, through the
// correctness matrix too. Where at least half of them are variants, of more than one style, the question is what
// settings do.
func (r *Set) Recommends() bool {
	var bases []string
	all, variants := len(r.Contestants()), 0
	for _, label := range r.Contestants() {
		if base := r.Header(label).Base; base != "" {
			bases = plain.Once(bases, base)
			variants++
		}
	}
	return all > 1 && r.HasMatrix() && (len(bases) < 2 || 2*variants < all)
}

// Needs are the questions that the recordings answer. A style on an old version of its framework is no answer.
func (r *Set) Needs() []Need {
	is := func(is func(label string) bool) func(string) (bool, bool) {
		return func(label string) (bool, bool) { return is(label), true }
	}
	var rows []need
	for _, one := range []struct{ language, library string }{
		{"Go", "controller-runtime"}, {"Python", "Kopf"}, {"Java", "Java Operator SDK"}, {"Rust", "kube-rs"}, {"TypeScript", "@kubernetes/client-node"},
	} {
		rows = append(rows, need{
			"Our team writes " + one.language, "its language is " + one.language + ", or it is built on " + one.library,
			is(func(label string) bool { return r.Language(label) == one.language || r.builtOn(label, one.library) }), "fails", true,
		})
	}
	for _, one := range []struct{ name, family string }{{"We already run Argo", "argo"}, {"We have a Helm chart", "helm"}, {"We have Ansible roles", "ansible"}, {"We write shell scripts", "shell-operator"}} {
		rows = append(rows, need{one.name, "built on a framework of that name", is(func(label string) bool { return r.builtOn(label, one.family) }), "fails", true})
	}
	rows = append(rows,
		need{"Only YAML", "all lines to maintain are YAML or JSON", is(r.onlyYAML), "fails", true},
		need{"No image of our own", "no custom image", is(r.noImage), "fails", false},
		need{"A change is written in under a second", "p90 of each measured change (the maximum where n is too small for a p90) below 1 s, none wrong", r.subSecond, "fails", false})
	if load := r.Heaviest(); load != "" {
		rows = append(rows, need{
			"Many custom resources at once", "all of " + load + " written in time, none wrong",
			func(label string) (bool, bool) { return r.bears(label, load) }, Last(load), false,
		})
	}
	rows = append(rows,
		need{"No change may be lost", "no test in which a change is not carried out without help (oracles " + strings.Join(losing(), ", ") + ")", r.none(r.loses), "fails", false},
		need{"Nothing may fail", "no test fails", r.none(r.Fails), "fails", false},
		need{
			"Little memory", "peak memory of all pods at most " + plain.Bytes(memoryRequest) + ", what Kubebuilder requests for a manager",
			func(label string) (bool, bool) {
				memory := r.Value(label, "memory")
				return memory.Number <= memoryRequest, memory.Known
			}, "memory", false,
		})
	return plain.Where(plain.Map(rows, r.ask), func(answer Need) bool { return len(answer.Met)+len(answer.NotMet) > 0 })
}

// ask asks every style.
func (r *Set) ask(n need) Need {
	by := r.Choose(n.order)[0]
	answer := Need{Name: n.name, Criterion: n.criterion, Order: by.Head, Has: n.has}
	current := plain.Where(r.Contestants(), func(label string) bool { return r.Dated(label) == "" })
	order := Sorted(slices.Sorted(slices.Values(current)), by)
	runs := plain.Grouped(order, func(label string) string { return by.Of(label).Run }) // figures of two do not compare
	slices.SortStableFunc(runs.Keys, func(a, b string) int { return len(runs.Of[b]) - len(runs.Of[a]) })
	for _, label := range plain.Flat(runs.Keys, func(run string) []string { return runs.Of[run] }) {
		value := by.Of(label)
		one := Match{label, value.Text}
		if value.Text == "" {
			one.Figure = value.Note
		}
		if value.Known && value.Run != runs.Keys[0] {
			one.Figure += ", run " + value.Run
		}
		switch met, known := n.met(label); {
		case !known:
			answer.Unknown = append(answer.Unknown, label)
		case met:
			answer.Met = append(answer.Met, one)
		default:
			answer.NotMet = append(answer.NotMet, one)
		}
	}
	return answer
}

// none reports whether a style was driven through all scenarios that others were, and none counts.
func (r *Set) none(count func(label string) Failing) func(label string) (is, known bool) {
	return func(label string) (is, known bool) {
		f := count(label)
		return f.Most() == 0, f.Failed > 0 || f.Whole()
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

// Quantile is one of a summary's quantiles (0.5, 0.9 or 0.99) and its interval, which is empty where none can be had; a
// dash where there are too few latencies for it.
func Quantile(s stat.Summary, p float64) (value, interval string) {
	if !s.Shows(p) {
		return plain.Unknown, ""
	}
	if of := map[float64]*stat.Interval{0.5: s.CI50, 0.9: s.CI90, 0.99: s.CI99}[p]; of != nil {
		interval = fmt.Sprintf("[%s, %s]", of.Low, of.High)
	}
	return s.Ordered.Quantile(p).String(), interval
}

// Spread says where a summary's figure comes from: its bounds, with n and rounds.
func Spread(s stat.Summary, show func(stat.Observation) string) string {
	if s.N == 0 {
		return "n 0"
	}
	return Bounds(s, show) + fmt.Sprintf("n %d in %s", s.N, plain.Plural(s.Rounds, "round"))
}

// Bounds are the 95% interval of a summary's figure where rounds are enough for one, else all that was seen, with a
// comma for what follows; empty: it is all the same.
func Bounds(s stat.Summary, show func(stat.Observation) string) string {
	if s.N == 0 {
		return ""
	}
	return bounds(s.CI50, s.Ordered.At(1), s.Max, show)
}

func bounds(interval *stat.Interval, least, most stat.Observation, show func(stat.Observation) string) string {
	switch low, high := show(least), show(most); {
	case interval != nil:
		return fmt.Sprintf("[%s, %s], ", show(interval.Low), show(interval.High))
	case low == high:
		return ""
	default:
		return fmt.Sprintf("%s to %s seen, ", low, high)
	}
}

// Heaviest is the load with the most custom resources, by which styles are compared; empty: there is none. A ramp and a
// growth have steps instead.
func (r *Set) Heaviest() string {
	name, most := "", 0
	for _, c := range r.Cells {
		if _, _, n := c.Rounds(); r.IsLoad(c.Scenario) && n > most && !r.isRamp(c.Scenario) && !r.isGrowth(c.Scenario) {
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
	return every(plain.Where(r.By(label), func(c *Cell) bool { return c.Scenario == load && c.Measured() }), func(c *Cell) bool {
		inTime, of := c.Written()
		return inTime == of && of > 0
	})
}

// every reports whether all cells are right; that is not known of none.
func every(cells []*Cell, right func(*Cell) bool) (is, known bool) {
	wrong := slices.ContainsFunc(cells, func(c *Cell) bool { return !right(c) })
	return len(cells) > 0 && !wrong, len(cells) > 0
}

// subSecond reports whether all measured single changes of every run were written within a second.
func (r *Set) subSecond(label string) (is, known bool) {
	return every(plain.Where(r.By(label), func(c *Cell) bool { return !c.Load() && c.Measured() }), func(c *Cell) bool {
		written, _ := c.Outcome()
		tail := written.Max
		if written.Shows(0.9) {
			tail = written.P90
		}
		return written.N > 0 && written.Wrong == 0 && !tail.Censored && tail.Value < 1
	})
}

// oldYears is from which age on a version of a framework is old.
const oldYears = 2

// Dated is the year of the version that a style's framework has, where it was old when
// the last recording began; empty: it was not, or it is not known.
func (r *Set) Dated(label string) string {
	released, err := time.Parse(time.DateOnly, r.Framework(label).Date)
	if err != nil { // it is not known
		return ""
	}
	for _, part := range r.Parts {
		if released.AddDate(oldYears, 0, 0).Before(part.Header.Began) {
			return strconv.Itoa(released.Year())
		}
	}
	return ""
}

// Mishandled names the measured single changes that a style did not handle rightly each time, and how often it did,
// over all runs; empty: there are none.
func (r *Set) Mishandled(label string) string {
	var wrong []string
	for _, scenario := range r.Scenarios {
		right, all, failing := 0, 0, false
		var runs []string
		for _, c := range r.By(label) {
			if c.Scenario == scenario && !c.Load() && c.Measured() { // what could not be judged says nothing of the style
				right, all, failing = right+c.Passed, all+c.Passed+c.Failed+c.Late, failing || c.Failing()
				runs = plain.Once(runs, c.Run)
			}
		}
		text := fmt.Sprintf("%s was right %d of %d times", scenario, right, all)
		if len(runs) > 1 {
			text += fmt.Sprintf(" in %d runs", len(runs))
		}
		if failing {
			wrong = append(wrong, text)
		}
	}
	return strings.Join(wrong, ", ")
}
