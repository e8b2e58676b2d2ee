package result

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Column is a figure by which styles are compared, which are named by their labels. Set.Columns lists all of them: a
// format chooses by ID.
type Column struct {
	ID, Head string
	Text     string // what it is, in a clause
	Group    string // one of ColumnGroups
	Better   Better
	Of       func(label string) Value
}

// ColumnOf is a figure in a table whose rows are no styles: see RateColumns, StepColumns and LevelColumns.
type ColumnOf[Row any] struct {
	Head, Text string // Text is empty where the head says it
	Words      bool   // it is no figure at all
	Of         func(Row) Value
}

// Better says which way a figure is better.
type Better int

// The ways.
const (
	Less Better = iota
	More
	Words // not a figure at all
)

// Value is what is known of a style in a column.
type Value struct {
	Text      string       // empty: nothing is known
	Number    float64      // seconds, bytes, cores, a share, a count or its rate
	Known     bool         // Number compares with those of other styles
	Bound     bool         // Number only orders: the figure itself is Text, a bound or a count
	Low, High string       // its 95% interval; empty: there is none
	N, Rounds int          // that it rests on; 0: it is counted, not measured
	Note      string       // what is left out or bounded, or why nothing is known
	Run       string       // it is from; empty: it hangs on no run
	Outcome   spec.Outcome // empty: it tells of none
}

// Interval is the interval in brackets; empty: there is none.
func (v Value) Interval() string {
	if v.Low == "" {
		return ""
	}
	return "[" + v.Low + ", " + v.High + "]"
}

// From says what a value rests on: its interval, n and rounds, and its note.
func (v Value) From() string {
	var parts []string
	if v.Low != "" {
		parts = append(parts, v.Interval())
	}
	if v.N > 0 {
		parts = append(parts, fmt.Sprintf("n %d in %s", v.N, plain.Plural(v.Rounds, "round")))
	}
	if v.Note != "" {
		parts = append(parts, v.Note)
	}
	return strings.Join(parts, ", ")
}

// The groups of columns.
const (
	GroupChange   = "one change"
	GroupMany     = "many at once"
	GroupCorrect  = "correctness"
	GroupCost     = "cost"
	GroupStart    = "starting and keeping"
	GroupCode     = "code"
	GroupSecurity = "rights"
)

// ColumnGroups are the groups in their order.
func ColumnGroups() []string {
	return []string{GroupChange, GroupMany, GroupCorrect, GroupCost, GroupStart, GroupCode, GroupSecurity}
}

// Columns are all columns, in their order. Those of a Set of several runs take each figure from the first run
// that has it.
func (r *Set) Columns() []Column {
	return slices.Concat(r.latencyColumns(), r.correctColumns(), r.costColumns(), r.codeColumns(), r.rightsColumns())
}

// Choose are the columns of the ids, in the order of these; an id that there is not is left out.
func (r *Set) Choose(ids ...string) []Column {
	all := r.Columns()
	return plain.Pick(ids, func(id string) (Column, bool) {
		return plain.Find(all, func(c Column) bool { return c.ID == id })
	})
}

// Value is that of a style in the column of an id; the zero Value where there is no such column.
func (r *Set) Value(label, id string) Value {
	for _, c := range r.Choose(id) {
		return c.Of(label)
	}
	return Value{}
}

// Written is the id of the column that says when a scenario's change was written.
func Written(scenario string) string { return scenario + ".written" }

// Ready is that of when pods were ready.
func Ready(scenario string) string { return scenario + ".ready" }

// Tail is that of the p90 of written.
func Tail(scenario string) string { return scenario + ".tail" }

// Times is that of the ratio to Reference.
func Times(scenario string) string { return scenario + ".times" }

// Last is that of when the last custom resource of a load was written.
func Last(load string) string { return load + ".last" }

// Status is that of how many custom resources of a load had their status in time.
func Status(load string) string { return load + ".status" }

// Holds is that of the highest rate of a ramp that was held.
func Holds(ramp string) string { return ramp + ".holds" }

func (r *Set) latencyColumns() []Column {
	columns := []Column{
		{"rank", "rank", strings.TrimPrefix(RankNote(), "rank: "), GroupChange, Less, func(label string) Value {
			if len(r.tables) > 0 {
				return Value{}
			}
			return r.RankOf(label, r.Headline()).value()
		}},
		{"n", "n (rounds)", "how many changes were measured, in how many rounds", GroupChange, Words, func(label string) Value {
			c := r.Cell(label, r.Headline())
			if c == nil {
				return Value{}
			}
			written, _ := c.Outcome()
			if written.N == 0 {
				return Value{}
			}
			return Value{Text: fmt.Sprintf("%d (%d)", written.N, written.Rounds)}
		}},
	}
	for _, s := range r.Scenarios {
		if r.IsLoad(s) {
			columns = append(columns, r.countedColumn(s))
		}
		if r.isRamp(s) {
			columns = append(columns, Column{
				Holds(s), s + ", rate held", "the most changes a second that are written in time without a queue that grows; median over rounds", GroupMany, More,
				func(label string) Value { return heldValue(r.Ramps(), s, label) },
			})
			continue
		}
		if r.isGrowth(s) {
			columns = append(columns, r.growthColumns(s)...)
			continue
		}
		if r.IsLoad(s) {
			columns = append(columns,
				r.cellColumn(s, GroupMany, Last(s), s+", last", "the time until the last custom resource of the load is written; median over rounds", lastValue),
				r.cellColumn(s, GroupMany, Status(s), s+", status in time", "how many custom resources of the load had their status in time", statusValue),
				r.ratioColumn(s, GroupMany))
			continue
		}
		asked, pods := r.Until(s)
		columns = append(columns,
			r.cellColumn(s, GroupChange, Written(s), s+" written", "median time until "+asked, func(c *Cell) Value {
				written, _ := c.Outcome()
				return measured("s", written, written.P50, written.CI50)
			}),
			r.cellColumn(s, GroupChange, Ready(s), s+" ready", "median time until "+pods, func(c *Cell) Value {
				_, ready := c.Outcome()
				return measured("s", ready, ready.P50, ready.CI50)
			}),
			r.cellColumn(s, GroupChange, Tail(s), s+" p90", "p90 of written; the maximum where n is too small for a p90", tailValue),
			r.ratioColumn(s, GroupChange))
	}
	return columns
}

// Until says what the operator has done, and then the cluster, when a change of a scenario is over.
func (r *Set) Until(scenario string) (written, ready string) {
	for _, c := range r.Of(scenario) {
		if done, _ := c.Outcome(); done.Phase == spec.PhaseChildGone {
			return "the " + r.Child() + " is gone", "its pods are gone"
		}
	}
	return "the " + r.Child() + " is as the " + scenario + " asks", "its pods are ready"
}

// cellColumn is a column of a style's cell in a scenario.
func (r *Set) cellColumn(scenario, group, id, head, text string, of func(c *Cell) Value) Column {
	return Column{id, head, text, group, Less, func(label string) Value {
		c := r.Cell(label, scenario)
		if c == nil {
			return Value{}
		}
		v := of(c)
		v.Run = c.Run
		if group == GroupChange && c.Failing() {
			v.Outcome = c.Verdict
		}
		return v
	}}
}

// ratioColumn is how many times as long as Reference styles take in a scenario.
func (r *Set) ratioColumn(scenario, group string) Column {
	return Column{Times(scenario), scenario + " × " + Reference, strings.TrimPrefix(RatioNote(), "× "+Reference+": "), group, Less, func(label string) Value {
		ratio, known := r.ToReference(label, scenario)
		if !known {
			return Value{}
		}
		v := Value{Text: plain.Digits(ratio.Value), Number: ratio.Value, Known: true, Note: "in " + plain.Plural(ratio.Rounds, "round")}
		switch {
		case ratio.Censored:
			v.Text, v.Note, v.Bound = "≥ "+v.Text, v.Note+", timed out", true
		case ratio.High > 0:
			v.Low, v.High = plain.Digits(ratio.Low), plain.Digits(ratio.High)
		}
		return v
	}}
}

// measured is one of a summary's quantiles, in a unit.
func measured(unit string, s stat.Summary, o stat.Observation, ci *stat.Interval) Value {
	if s.N == 0 {
		return Value{Note: Uncounted(s)}
	}
	v := observed(unit, o, s.N, s.Rounds)
	if v.Note = Uncounted(s); ci != nil && ci.Low != ci.High {
		v.Low, v.High = shown(unit, ci.Low), shown(unit, ci.High)
	}
	return v
}

// observed is an observation in a unit, and what it rests on.
func observed(unit string, o stat.Observation, n, rounds int) Value {
	return Value{Text: shown(unit, o), Number: o.Value, Known: true, Bound: o.Censored, N: n, Rounds: rounds}
}

// shown prints an observation in a unit, with a sign where it is at least so much.
func shown(unit string, o stat.Observation) string {
	switch text := Amount(unit, o.Value); {
	case !o.Censored:
		return text
	case unit == "s":
		return ">" + text
	default:
		return "≥ " + text
	}
}

// tailValue is the p90, or the maximum where n is too small for one.
func tailValue(c *Cell) Value {
	written, _ := c.Outcome()
	if written.Shows(0.9) {
		return measured("s", written, written.P90, written.CI90)
	}
	v := measured("s", written, written.Max, nil)
	v.Note = strings.TrimSuffix("max, "+v.Note, ", ")
	return v
}

// lastValue is when the last one of a load was written. Where some were not in time, it counts those that were.
func lastValue(c *Cell) Value {
	written, _ := c.Outcome()
	last := Lasts(written)
	v := measured("s", last, last.P50, last.CI50)
	v.N, v.Rounds, v.Note = written.N, written.Rounds, Uncounted(written)
	switch inTime, of := c.Written(); {
	case inTime == of && c.Verdict == spec.Late:
		v.Note = "status late"
	case inTime < of && written.N > 0 && (written.Max.Censored || inTime == 0):
		v.Outcome, v.Bound, v.Text = spec.Late, true, fmt.Sprintf("%d of %d within %s", inTime, of, plain.Duration(written.Max.Value))
		v.Note = strings.Join(counts(count{written.Wrong, "wrong"}), "")
	case inTime < of:
		v.Outcome = spec.Late
	}
	return v
}

func statusValue(c *Cell) Value {
	status, there := c.Phase(spec.PhaseStatusWritten)
	if !there || status.N == 0 {
		return Value{}
	}
	inTime, of := status.N-status.Censored, status.N+status.Wrong
	return Value{Text: fmt.Sprintf("%d of %d", inTime, of), Number: 1 - float64(inTime)/float64(of), Known: true, Bound: true}
}

func (r *Set) correctColumns() []Column {
	count := func(failing func(string) Failing) func(label string) Value {
		return func(label string) Value {
			name, _ := r.Named(label)
			f := failing(label)
			switch {
			case name == spec.Floor:
				return Value{}
			case !f.Known:
				return Value{Text: NotRecorded}
			}
			return Value{Text: fmt.Sprintf("%d of %d", f.Failed, f.Of) + f.Rest(), Number: float64(f.Most()), Known: f.Whole()}
		}
	}
	columns := []Column{
		{"fails", "tests that fail", "of the measured changes and the scenarios of the correctness matrix, as far as they apply to the style", GroupCorrect, Less, count(r.Fails)},
		{"causes", "causes", "what these tests fail from, by the style's verdicts.yaml", GroupCorrect, Less, func(label string) Value {
			name, _ := r.Named(label)
			if f := r.Fails(label); !f.Known || !r.expected[name].Known() {
				return Value{}
			}
			n := len(r.Causes(label))
			return Value{Text: strconv.Itoa(n), Number: float64(n), Known: true}
		}},
		r.weightColumn(),
		{"loses", "lost changes", "tests in which a change is not carried out without help", GroupCorrect, Less, count(r.loses)},
	}
	for i, a := range conformance() {
		columns = append(columns, Column{a.name, a.name, "what every operator is held to: " + a.text, GroupCorrect, Words, func(label string) Value {
			all := r.Conformance(label)
			if len(all) == 0 || all[i].Unasked {
				return Value{}
			}
			switch one := all[i]; one.Outcome {
			case spec.Pass:
				return Value{Text: "held", Outcome: spec.Pass}
			case spec.Fail:
				return Value{Text: "fails", Outcome: spec.Fail, Note: "fails in " + one.Why}
			default:
				return Value{Text: "not offered", Outcome: one.Outcome, Note: strings.TrimSuffix(one.Why, ".")}
			}
		}})
	}
	return columns
}

// Priced is a cost column's figure in one cost.
type Priced struct {
	ID, Head, Text string
	Of             func(Cost) Figure
	beside         bool // loads and the correctness matrix tell of it, too
}

// Prices are the figures of a cost, in their order.
func Prices() []Priced {
	per := func(name string) func(Cost) Figure { return func(c Cost) Figure { return c.PerChange(name) } }
	return []Priced{
		{"cpu", "CPU net", "CPU time of all its pods for each change, beyond what they use idle", func(c Cost) Figure { return c.BusyCPU }, false},
		{"idle-cpu", "idle CPU", "of all its pods while nothing changes, in % of one CPU", func(c Cost) Figure { return c.IdleCPU }, false},
		{"pods", "pods", "that it makes for each change, beside those that the custom resource asks for", per(cost.Pods), false},
		{"objects", "objects", "custom objects that it makes for each change", Cost.Made, false},
		{"calls", "calls", "requests to the API server for each change", per(cost.Calls), false},
		{"writes", "writes", "requests that write, for each change", per(cost.Writes), false},
		{"memory", "peak memory", "the most memory of all its pods together during single changes", func(c Cost) Figure { return c.PeakMemory }, false},
		{"idle-memory", "idle memory", "memory of all its pods while nothing changes", func(c Cost) Figure { return c.IdleMemory }, false},
		{"install", "install", "from the first manifest until it sees every event", func(c Cost) Figure { return c.Install }, false},
		{"calls-before", "calls before the write", "requests to the API server at a create, until the one that writes the main child: each that is waited for delays it", func(c Cost) Figure { return c.CallsBefore }, false},
		{"cold-start", "cold start", "from the start of its first container until it has written for the first custom resource", func(c Cost) Figure { return c.ColdStart }, true},
		{"memory-at-100", "memory at 100", "memory of all its pods, once 100 custom resources are handled", func(c Cost) Figure { return c.ManyMemory }, true},
		{"unchanged-calls", "calls without a change", "requests to the API server for each write to a custom resource that changes nothing", func(c Cost) Figure { return c.UnchangedCalls }, true},
		{"log-lines", "log lines", "that its pods write for each request of the tests in which nothing of it is broken", func(c Cost) Figure { return c.LogLines }, true},
	}
}

func (r *Set) costColumns() []Column {
	var columns []Column
	for _, p := range Prices() {
		group, costs := GroupCost, r.Costs
		if p.beside {
			group, costs = GroupStart, r.Beside
		}
		columns = append(columns, Column{p.ID, p.Head, p.Text, group, Less, func(label string) Value {
			return used(costs, label, p.Of)
		}})
	}
	return columns
}

// Amount prints a quantity in its unit: s, cores, bytes, share, or a count ("1") or its rate ("1/s").
func Amount(unit string, value float64) string {
	switch unit {
	case "s":
		return plain.Duration(value)
	case "cores":
		return plain.Digits(100*value) + " %"
	case "bytes":
		return plain.Bytes(int64(value))
	case "share":
		return fmt.Sprintf("%.0f %%", 100*value)
	default:
		if math.Abs(value) >= 100 {
			return fmt.Sprintf("%.0f", value)
		}
		return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") // a mean of counts is whole where it is whole
	}
}

func (r *Set) codeColumns() []Column {
	var columns []Column
	add := func(id, head, text string, better Better, of func(*record.StyleFacts, *record.Environment) Value) {
		columns = append(columns, Column{id, head, text, GroupCode, better, func(label string) Value {
			facts, environment := r.Facts(label)
			if facts == nil || facts.Owned == nil {
				return Value{}
			}
			return of(facts, environment)
		}})
	}
	lines := func(id, head, text string, of func(*record.Owned) int) {
		add(id, head, text, Less, func(f *record.StyleFacts, _ *record.Environment) Value { return whole(of(f.Owned)) })
	}
	columns = append(columns, Column{"language", "language", "the programming language that at least a third of the lines to maintain are in, build files left out; else YAML", GroupCode, Words, func(label string) Value {
		return Value{Text: r.Language(label)}
	}})
	lines("lines", "lines", "lines to maintain: code, manifests and build files, without blank lines, comments and what a generator wrote and nobody has changed", func(o *record.Owned) int { return o.Lines - o.Scaffold })
	lines("logic", "logic", "of these, lines of a programming language, with what a generator wrote", func(o *record.Owned) int { return kinds(o).logic })
	lines("manifests", "manifests", "lines of YAML and JSON", func(o *record.Owned) int { return kinds(o).manifests })
	lines("build", "build", "lines of build files", func(o *record.Owned) int { return kinds(o).build })
	add("images", "images", "size of all images of the style", Less, func(f *record.StyleFacts, e *record.Environment) Value {
		images := e.ImagesOf(f)
		switch size := plain.Sum(images, func(i record.ImageFacts) int64 { return i.Bytes }); {
		case len(images) == 0:
			return Value{}
		case slices.ContainsFunc(images, func(i record.ImageFacts) bool { return i.Bytes == 0 }):
			return Value{Note: "size not recorded"}
		default:
			custom := len(plain.Where(images, record.ImageFacts.Custom))
			return Value{Text: plain.Bytes(size), Number: float64(size), Known: true, Note: fmt.Sprintf("%s, %d custom", plain.Plural(len(images), "image"), custom)}
		}
	})
	add("dependencies", "dependencies", "packages that the custom images are built from, direct / all", Words, func(f *record.StyleFacts, e *record.Environment) Value {
		return Value{Text: DependenciesText(e.ImagesOf(f))}
	})
	columns = append(columns, Column{"framework", "built on", "the framework, with its version and date", GroupCode, Words, func(label string) Value {
		f := r.Framework(label)
		on := f.Name + " " + f.Version
		if f.Date != "" {
			on += " (" + f.Date + ")"
		}
		return Value{Text: strings.TrimSpace(on)}
	}})
	return columns
}

// kinds are the lines of a style by what they are for: programs are logic, YAML and JSON are manifests, and what else
// there is (Makefile, Dockerfile, go.mod) builds. Most logic is in language; empty: there is none.
func kinds(o *record.Owned) (lines struct {
	logic, manifests, build int
	language                string
},
) {
	for _, language := range slices.Sorted(maps.Keys(o.Languages)) {
		switch n := o.Languages[language]; language {
		case "YAML", "JSON":
			lines.manifests += n
		case "other":
			lines.build += n
		default:
			if lines.logic += n; n > o.Languages[lines.language] {
				lines.language = language
			}
		}
	}
	return lines
}

func whole(n int) Value { return Value{Text: strconv.Itoa(n), Number: float64(n), Known: true} }

// DependenciesText are the dependencies, direct and all, of the custom images of a style; there are none where all
// images are others'. Empty: that is not known.
func DependenciesText(images []record.ImageFacts) string {
	var sum record.Dependencies
	for _, image := range images {
		if !image.Custom() {
			continue
		}
		if image.Dependencies == nil {
			return NotRecorded
		}
		sum.Direct += image.Dependencies.Direct
		sum.All += image.Dependencies.All
	}
	if len(images) == 0 {
		return ""
	}
	return fmt.Sprintf("%d / %d", sum.Direct, sum.All)
}

func (r *Set) rightsColumns() []Column {
	var columns []Column
	add := func(id, head, text string, audited bool, of func(grants.Use) Value) {
		columns = append(columns, Column{id, head, text, GroupSecurity, Less, func(label string) Value {
			for _, u := range r.Grants {
				switch {
				case record.Label(u.Style, u.Variant) != label:
				case audited && !u.Audited:
					return Value{Note: "the recording has no audit log, so that nothing is known of use"}
				default:
					return of(u)
				}
			}
			return Value{}
		}})
	}
	number := func(counts func(grants.Right) bool) func(grants.Use) Value {
		return func(u grants.Use) Value { return whole(len(plain.Where(u.Rights, counts))) }
	}
	secrets := func(counts func(grants.SecretRights) bool) func(grants.Use) Value {
		return func(u grants.Use) Value {
			accounts := plain.Map(plain.Where(u.Secrets, counts), func(s grants.SecretRights) string { return s.ServiceAccount })
			return whole(len(plain.Once(nil, accounts...)))
		}
	}
	columns = append(columns, Column{"rights", "rights", "a right is one verb on one resource, counted for each service account that has it", GroupSecurity, Less, r.rightsOf})
	add("cluster-wide", "cluster-wide", "rights in the whole cluster", false, number(grants.Right.ClusterWide))
	add("unused", "never used", "rights that were never used while it was recorded", true, func(u grants.Use) Value { return whole(len(u.Unused())) })
	add("wildcards", "wildcards", "rights with a wildcard", false, number(grants.Right.Wild))
	add("refused", "refused", "calls that were answered with 403, those while a fault withheld rights among them", true, func(u grants.Use) Value {
		return whole(plain.Sum(u.Denied, func(c grants.Call) int { return c.Count }))
	})
	add("secrets", "may read secrets", "service accounts that may read secrets", false, secrets(func(grants.SecretRights) bool { return true }))
	add("secrets-read", "did", "service accounts that read secrets", true, secrets(func(s grants.SecretRights) bool { return s.Reads > 0 }))
	return append(columns, Column{"pod-security", "pods held to", "the Pod Security Standard that is enforced on its namespaces", GroupSecurity, Words, r.podSecurity})
}

// podSecurity names the standard that is enforced on a style's namespaces; those of another one by their names.
func (r *Set) podSecurity(label string) Value {
	facts, _ := r.Facts(label)
	if facts == nil {
		return Value{}
	}
	var levels, parts []string
	for _, namespace := range slices.Sorted(maps.Keys(facts.PodSecurity)) {
		levels = plain.Once(levels, facts.PodSecurity[namespace])
		parts = append(parts, facts.PodSecurity[namespace]+" ("+namespace+")")
	}
	if len(levels) == 1 {
		parts = levels
	}
	return Value{Text: strings.Join(parts, ", ")}
}

// rightsOf are how many rights a style's service accounts hold, by its grants, or else by its manifests.
func (r *Set) rightsOf(label string) Value {
	for _, u := range r.Grants {
		if record.Label(u.Style, u.Variant) == label {
			return Value{Text: u.Held(), Number: float64(len(u.Rights)), Known: true}
		}
	}
	o := r.owned(label)
	if o == nil {
		return Value{}
	}
	return Value{Text: RightsText(o), Number: float64(o.Rules), Known: true}
}

// RightsText says how many rights the operator's accounts hold; of wildcards, that it is any number.
func RightsText(o *record.Owned) string {
	return grants.Held(o.Rules, len(o.Wildcards), slices.Contains(o.Wildcards, "* *.*"))
}

// Uncounted names the samples of a summary that are not counted, or only bounded; empty: there are none.
func Uncounted(s stat.Summary) string {
	return strings.Join(counts(count{s.Censored, "timed out"}, count{s.Wrong, "wrong"}, count{s.Interrupted, "interrupted"}), ", ")
}

// Failing reports whether the verdict is a failure of the style.
func (c *Cell) Failing() bool {
	return c.Verdict == spec.Fail || c.Verdict == spec.Flaky || c.Verdict == spec.Late
}

// ByLatency are the styles' labels: the floor first, then as Ranking orders them. Those that have no latency come
// last, in the order of Styles.
func (r *Set) ByLatency(scenario string) []string {
	return plain.Once(plain.Map(r.Ranking(scenario), func(k Rank) string { return k.Label }), r.Styles...)
}

// Order are all styles, the quickest first: as ByLatency orders those of each run.
func (r *Set) Order() []string {
	var labels []string
	for _, one := range r.Tables() {
		labels = plain.Once(labels, one.ByLatency(one.Headline())...)
	}
	return plain.Once(labels, r.Styles...)
}

// Sorted are labels in the order of a column, what is not known last; those that are alike stay in their order.
func Sorted(labels []string, by Column) []string {
	labels = slices.Clone(labels)
	slices.SortStableFunc(labels, func(a, b string) int {
		one, other := by.Of(a), by.Of(b)
		if one.Known != other.Known {
			return map[bool]int{true: -1, false: 1}[one.Known]
		}
		if by.Better == More {
			one, other = other, one
		}
		return cmp.Compare(one.Number, other.Number)
	})
	return labels
}
