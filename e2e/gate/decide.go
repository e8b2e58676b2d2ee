package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	samples "operatorbench/e2e/stat"
)

// beta is the probability with which a metric may be called fine that is worse by just what must not pass.
const beta = 0.05

// mostLost is the share of head's samples from which on it cannot be told what those that were interrupted or wrong
// would have shown, even if so few are no proof that head loses more of them than base.
const mostLost = 0.1

// compareMetrics fills Metrics, style by style.
func (r *Result) compareMetrics(driving bool) {
	sides := r.sidesOf()
	r.head = sides[ofHead]
	styles := stylesOf(sides[ofBase].order)
	for _, key := range r.head.order {
		if key.Kind == Cost && sides[ofBase].get(key).samples == 0 && slices.Contains(styles, key.Style) {
			r.addWarning(fmt.Sprintf("base has no %s of %s: not compared", key.Phase, key.Style))
		}
	}
	for _, style := range styles {
		rounds := r.roundsOf(style)
		metrics := metricsOf(style, rounds, sides)
		r.look(style, metrics, len(rounds), driving, r.Alpha/2/float64(len(styles)))
		for _, m := range metrics {
			r.Metrics = append(r.Metrics, *m)
		}
	}
}

func stylesOf(keys []Key) []string {
	return plain.Once(nil, plain.Map(keys, func(key Key) string { return key.Style })...)
}

// roundsOf are the numbers of the rounds in which a style was driven, on any side. Of rounds in which all take turns,
// the last one does not count before all had theirs.
func (r *Result) roundsOf(style string) []int {
	base, head := r.Base.roundsOf(style), r.Head.roundsOf(style)
	all := slices.Concat(base, head, r.Again.roundsOf(style))
	slices.Sort(all)
	all = slices.Compact(all)
	if n := len(all); r.Paired && n > 1 {
		last := all[n-1]
		if !slices.Contains(base, last) || !slices.Contains(head, last) {
			return all[:n-1]
		}
	}
	return all
}

// look goes through the looks at a style's metrics, until all are settled or
// one is a regression: then driving ends, or could have.
func (r *Result) look(style string, metrics []*Metric, rounds int, driving bool, alpha float64) {
	planned := r.Planned[style]
	looks := samples.Looks(planned)
	if planned == 0 || !r.Paired {
		planned, looks = rounds, []int{rounds}
		if driving {
			looks = nil // each would be as if it were the only one
		}
	}
	looks = slices.DeleteFunc(looks, func(n int) bool { return n > rounds })
	if last := min(rounds, planned); last > 0 && !driving && !slices.Contains(looks, last) {
		looks = append(looks, last)
	}
	spent := 0.0
	for _, m := range metrics {
		m.P, m.Corrected, m.Verdict = 1, 1, Inconclusive
		m.Why = "no round that counts has been driven yet"
	}
	for _, n := range looks {
		share := float64(n) / float64(planned)
		l := look{
			Options: r.Options, paired: r.Paired, rounds: n, planned: planned, all: alpha, final: n == looks[len(looks)-1] && !(driving && n < planned),
			alpha: samples.Spent(alpha, share) - samples.Spent(alpha, spent), beta: samples.Spent(beta, share) - samples.Spent(beta, spent),
		}
		spent = share
		l.at(metrics)
		if settled(metrics) {
			return
		}
	}
}

func settled(metrics []*Metric) bool {
	open := false
	for _, m := range metrics {
		if m.Verdict == Regression {
			return true
		}
		open = open || m.Verdict == Inconclusive
	}
	return !open
}

// look is one look at the rounds so far.
type look struct {
	Options
	paired      bool
	rounds      int
	planned     int     // in all
	all         float64 // of alpha, over all looks at the style
	final       bool    // there is none after it
	alpha, beta float64 // error probabilities of this look
}

func (l *look) at(metrics []*Metric) {
	var family []*Metric
	for _, m := range metrics {
		m.see(l)
		if m.Rounds > 0 && !m.exact() && !constant(m.seen) {
			family = append(family, m)
		}
	}
	slower, faster := make([]float64, len(family)), make([]float64, len(family))
	for i, m := range family {
		slower[i], faster[i] = m.test()
	}
	up, down := correct(family, slower), correct(family, faster)
	for i, m := range family {
		m.fewest = m.reach(family, l.all)
		if !m.settled {
			p, least := slower[i], up[i]
			if down[i] < least {
				p, least = faster[i], down[i]
			}
			m.P, m.Corrected = p, min(1, least*l.Alpha/2/l.alpha)
			m.settle(l, up[i] <= l.alpha, down[i] <= l.alpha)
		}
	}
	for _, m := range metrics {
		if !m.settled && !slices.Contains(family, m) {
			m.settle(l, false, false)
		}
	}
}

// correct corrects the p-values of a family: by Holm's method, weighted, but for a style's own phases. Those of a
// scenario are a chain, tested in a fixed sequence, the last one first, each only if the one behind it is rejected, and
// then without a correction for how many they are: what is late delays what comes after it (W. Maurer, L. Hothorn and
// W. Lehmacher, "Multiple comparisons in drug clinical trials and preclinical assays: a-priori ordered hypotheses",
// 1995). A chain has its part of the error probability for itself, and hands it on only if all of it is rejected.
func correct(family []*Metric, p []float64) []float64 {
	var list []samples.Hypothesis
	var at [][]int // of each hypothesis: the metrics; of a chain in its sequence
	for i, m := range family {
		if !m.inner() {
			list, at = append(list, samples.Hypothesis{P: p[i], Group: m.group()}), append(at, []int{i})
		}
	}
	chains := chains(family)
	for _, chain := range chains {
		whole := samples.Hypothesis{Group: family[chain[0]].group()}
		for _, i := range chain {
			whole.P = max(whole.P, p[i])
		}
		list, at = append(list, whole), append(at, chain)
	}
	corrected := make([]float64, len(family))
	for k, c := range samples.WeightedHolm(list, weights()) {
		so := 0.0
		for _, i := range at[k] {
			corrected[i] = c
			if family[i].inner() {
				so = max(so, min(1, p[i]/part(family, family[i].group(), len(chains))))
				corrected[i] = min(c, so)
			}
		}
	}
	return corrected
}

// part is the share of the error probability that one of n hypotheses of a group
// has, of those groups that a family has.
func part(family []*Metric, group, n int) float64 {
	total := 0.0
	for i, w := range weights() {
		if slices.ContainsFunc(family, func(m *Metric) bool { return m.group() == i }) {
			total += w
		}
	}
	return weights()[group] / total / float64(n)
}

// chains are the style's own phases of each scenario, the last one first, by their
// medians over all sides, which do not depend on whose is which.
func chains(family []*Metric) [][]int {
	var of plain.Groups[string, int]
	for i, m := range family {
		if m.inner() {
			of.Add(m.Scenario, i)
		}
	}
	return plain.Map(of.Keys, func(scenario string) []int {
		return slices.SortedStableFunc(slices.Values(of.Of[scenario]), func(a, b int) int { return cmp.Compare(family[b].pooled(), family[a].pooled()) })
	})
}

// pooled is the median over all sides.
func (m *Metric) pooled() float64 {
	return samples.Order(slices.Concat(flat(m.seen, false), flat(m.seen, true))).Quantile(0.5).Value
}

// see takes up the rounds until a look.
func (m *Metric) see(l *look) {
	m.looked = l.rounds
	shown := m.measured.until(l.rounds)
	m.shown = samples.Strata(l.paired, shown[ofHead], shown[ofBase], shown[ofAgain])
	m.seen, m.differs = m.shown, false
	if m.Phase == spec.PhaseAcknowledged && l.paired {
		m.differs = min(samples.PermutationAbove(m.seen, 1, m.score), samples.PermutationBelow(m.seen, 1, m.score)) <= beta/2
	}
	if l.paired {
		steady := m.steadied(l.rounds)
		m.seen = samples.Strata(true, steady[ofHead], steady[ofBase], steady[ofAgain])
	}
	m.Rounds = len(m.seen)
	if m.Rounds > 0 && !l.paired {
		m.Rounds = min(len(m.seen[0].Head), len(m.seen[0].Base))
	}
}

// constant reports whether a metric has but one value: then nothing can be
// significant, and it needs no part of the error probability.
func constant(strata []samples.Stratum) bool {
	first, known := samples.Observation{}, false
	for _, s := range strata {
		for _, block := range slices.Concat(s.Head, s.Base) {
			for _, o := range block {
				if known && o != first {
					return false
				}
				first, known = o, true
			}
		}
	}
	return true
}

// above is the p-value that head takes more than ratio times as long as base, and below
// that of less. What the API server's replies took is taken out, unless they differ at
// head: then both must say so, with it and without, which makes neither more likely.
func (m *Metric) above(ratio float64) float64 { return m.both(samples.PermutationAbove, ratio) }

func (m *Metric) below(ratio float64) float64 { return m.both(samples.PermutationBelow, ratio) }

func (m *Metric) both(deal func([]samples.Stratum, float64, samples.Score) float64, ratio float64) float64 {
	p := deal(m.seen, ratio, m.score)
	if m.otherReplies() {
		p = max(p, deal(m.shown, ratio, m.score))
	}
	return p
}

// otherReplies reports whether the API server's replies, which are taken out, took another time at head.
func (m *Metric) otherReplies() bool { return m.reply != nil && m.reply.differs }

// test returns the p-values that head is slower, and that it is faster: only one of them can be small.
func (m *Metric) test() (slower, faster float64) {
	switch {
	case m.Verdict == Regression && m.settled:
		return 0, 1
	case m.settled:
		return 1, 1
	case samples.Surplus(m.seen, 1, m.score) > 0:
		return m.above(1), 1
	}
	return 1, m.below(1)
}

// settle gives the verdict of one look at a metric.
func (m *Metric) settle(l *look, slower, faster bool) {
	const tail = (1 - samples.Level) / 2
	m.Why, m.settled = "", true
	switch {
	case m.Rounds == 0:
		m.Why, m.settled, m.Verdict = m.absent(), false, Inconclusive
	case slower && m.above(1+l.Tolerance) <= tail, m.Kind == Counter && m.jumps():
		m.Verdict = Regression
	case faster && m.below(1/(1+l.Tolerance)) <= tail:
		m.Verdict = Improvement
	case m.lost():
		m.Why = fmt.Sprintf("%d of %d samples at head failed or were interrupted, and %d of %d at base: they have no valid time; fix what fails first",
			m.Head.Lost, m.Head.Lost+m.Head.Samples, m.Base.Lost, m.Base.Lost+m.Base.Samples)
		m.settled, m.Verdict = false, Inconclusive
	case m.whole() && m.suspicious(l):
		m.settled, m.Verdict = false, Inconclusive
		m.Why = "it looks longer, but that can be chance, among so much that is compared"
	case m.proven() && m.bounded(l):
		m.Verdict = Pass
	case !m.proven() && !m.worrying(l):
		m.Verdict, m.settled = Pass, false // it is looked at again if others need more rounds
	default:
		m.settled, m.Verdict = false, Inconclusive
		m.Why = m.hidden(l)
	}
}

// suspicious reports whether a tail looks longer than chance often makes it: a few samples that are far out are within
// every bound of their share. While there can be more rounds, less is enough for them to be driven.
func (m *Metric) suspicious(l *look) bool {
	level := 0.1
	if l.final {
		level = 0.005
	}
	return m.above(1+l.Tolerance) <= level
}

// lost reports whether too many of head's samples do not count.
func (m *Metric) lost() bool {
	return moreLost(m.Base.Lost, m.Base.Samples, m.Head.Lost, m.Head.Samples)
}

// moreLost reports whether head lost more of its samples than base did, by Fisher's exact
// test: those may be the slow ones. A single one is the last of a recording that was cut
// off. Where samples are too few for a test, mostLost must not be lost.
func moreLost(baseLost, base, headLost, head int) bool {
	share := func(lost, counted int) float64 { return float64(lost) / float64(max(lost+counted, 1)) }
	many := share(headLost, head) > max(mostLost, share(baseLost, base))
	return headLost > 1 && (many || samples.Fisher(baseLost, baseLost+base, headLost, headLost+head) <= beta)
}

// minCounts is how many samples show that a counter is constant.
const minCounts = 6

// jumps reports whether a counter that was constant is larger in all of head's
// samples: one without noise needs no more rounds.
func (m *Metric) jumps() bool {
	base, head := samples.Order(flat(m.seen, false)), samples.Order(flat(m.seen, true))
	return min(base.Len(), head.Len()) >= minCounts && base.At(1).Value == base.Max().Value && head.At(1).Value > base.Max().Value
}

// flat are all observations of one side.
func flat(strata []samples.Stratum, head bool) []samples.Observation {
	var list []samples.Observation
	for _, s := range strata {
		blocks := s.Base
		if head {
			blocks = s.Head
		}
		list = append(list, slices.Concat(blocks...)...)
	}
	return list
}

// proven reports whether a metric is fine only where it is shown that it cannot be worse by what must not pass: what a
// user waits for. Of the rest it is enough that nothing speaks for it, since some of it is too noisy for a proof in any
// time that one would wait: the last of a load varies by a tenth to a third from round to round.
func (m *Metric) proven() bool { return m.Kind == Latency || m.whole() }

// bounded reports whether head cannot be worse by as much as must not pass.
func (m *Metric) bounded(l *look) bool {
	switch {
	case m.whole():
		return m.shareBound(l) < mostShare
	case constant(m.seen):
		return m.Rounds >= samples.MinRounds && !m.seen[0].Head[0][0].Censored
	}
	return m.below(1+l.Effect) <= l.beta
}

// worrying reports whether something looks worse by much, although it is not significant among so many: while there can
// be more rounds, by less. Of so few rounds that nothing can speak against chance, it is enough that it looks so.
func (m *Metric) worrying(l *look) bool {
	if m.Kind == Tail {
		return false // the tail of all bounds it
	}
	few := m.Rounds < m.least(beta)
	ratio := 1 + l.Effect
	if l.final || few { // of a load there may be no more, however many rounds there are
		ratio = 1 + max(wide, l.Effect)
	}
	worse := func(strata []samples.Stratum) bool {
		return samples.Surplus(strata, ratio, m.score) > 0 && (few || samples.PermutationAbove(strata, 1, m.score) <= beta)
	}
	return worse(m.seen) || m.otherReplies() && worse(m.shown)
}

// mostShare is the share of head's samples that may be in the tail: above base's p90 by the effect, or more.
const mostShare = 0.2

// shareBound is the upper bound of the share of head's samples in the tail: by
// Student's t over rounds, which are the clusters. Infinite: it is not known.
func (m *Metric) shareBound(l *look) float64 {
	var above []float64
	for _, round := range m.beyond.until(l.rounds)[ofHead] {
		if len(round) > 0 {
			above = append(above, shareAbove(1+l.Effect, round))
		}
	}
	if len(above) < 3 {
		return math.Inf(1)
	}
	mean, deviation := stat.MeanStdDev(above, nil)
	n := float64(len(above))
	return mean + distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(1-l.beta)*deviation/math.Sqrt(n)
}

// shareAbove is the share of observations that are above a value, or not known to be below it.
func shareAbove(value float64, list []samples.Observation) float64 {
	above := plain.Where(list, func(o samples.Observation) bool { return o.Value > value || o.Censored })
	return float64(len(above)) / float64(len(list))
}

// reach is the smallest number of rounds like these in which a regression of a
// family could be told, if nothing else is one.
func (m *Metric) reach(family []*Metric, alpha float64) int {
	n := plain.Sum(family, func(other *Metric) int { return number(other.group() == m.group()) })
	if m.inner() {
		n = len(chains(family))
	}
	return m.least(alpha * part(family, m.group(), n))
}

// least is the smallest number of rounds like these whose p-value can be as small as that.
func (m *Metric) least(p float64) int {
	if len(m.seen) == 1 && len(m.seen[0].Head) > 1 { // two runs: all rounds are one stratum
		n := 1
		for samples.SmallestP(n)/2 > p {
			n++
		}
		return n
	}
	turns := len(m.seen[0].Head) + len(m.seen[0].Base)
	return int(math.Ceil(math.Log(p) / math.Log(1/float64(turns))))
}

// hidden says why a metric cannot be told.
func (m *Metric) hidden(l *look) string {
	switch {
	case m.Rounds < m.fewest:
		return fmt.Sprintf("%s: at least %d are needed", plain.Plural(m.Rounds, "round"), m.fewest)
	case l.early(m):
		return fmt.Sprintf("only %d of %d planned rounds were driven, and the fewer these are, the more certain it must be", l.rounds, l.planned)
	case m.Kind == Tail:
		return fmt.Sprintf("more than %s of head's samples may take %s times as long as base's p90, or longer", percent(mostShare), digits(1+l.Effect))
	case censored(m.seen):
		return "too much timed out for a ratio"
	case !m.proven():
		return fmt.Sprintf("it looks worse by more than %s, but that can be chance, among so much that is compared", percent(wide))
	case m.otherReplies():
		return fmt.Sprintf("the API server's replies take another time at head, see %s: it is not ruled out both with and without what they take that it is worse by %s",
			spec.PhaseAcknowledged, percent(l.Effect))
	}
	return fmt.Sprintf("the noise would hide that it is worse by %s", percent(l.Effect))
}

// early reports whether a metric would be fine if no more rounds had been planned.
func (l *look) early(m *Metric) bool {
	last := *l
	last.beta = beta
	return l.rounds < l.planned && m.proven() && m.bounded(&last)
}

func censored(strata []samples.Stratum) bool {
	return samples.Order(flat(strata, true)).Quantile(0.5).Censored || samples.Order(flat(strata, false)).Quantile(0.5).Censored
}

// absent says why there is nothing to compare.
func (m *Metric) absent() string {
	switch {
	case m.Base.Samples == 0 && m.Head.Samples == 0:
		return "no sample of either side counts"
	case m.Base.Samples == 0:
		return "no sample of base counts"
	case m.Head.Samples == 0 && m.Head.Lost == 0:
		return "head has nothing of it"
	case m.Head.Samples == 0:
		return "no sample of head counts"
	}
	return "no round has samples of both sides that can be compared"
}

// describe fills in the figures for people.
func (m *Metric) describe(r *Result) {
	if m.Rounds == 0 {
		return
	}
	head, base := samples.Order(flat(m.shown, true)), samples.Order(flat(m.shown, false))
	if m.Kind == Tail {
		of := m.beyond.until(m.looked)
		m.Head.Value = shareAbove(1, slices.Concat(of[ofHead]...))
		m.Base.Value = shareAbove(1, slices.Concat(slices.Concat(of[ofBase], of[ofAgain])...))
		return
	}
	m.Base.Observation, m.Base.P90 = base.Quantile(0.5), highOf(base)
	m.Head.Observation, m.Head.P90 = head.Quantile(0.5), highOf(head)
	if m.Rounds < samples.MinRounds || constant(m.seen) {
		return
	}
	ratio, interval := samples.Shift(m.seen, m.score)
	without := interval
	if m.otherReplies() { // what is said must hold with what they took, and without
		ratio, interval = samples.Shift(m.shown, m.score)
		interval = samples.Bounds{Low: min(interval.Low, without.Low), High: max(interval.High, without.High)}
	}
	if m.Interval = &interval; !math.IsNaN(ratio) {
		m.Ratio = &ratio
	}
	sides := m.measured
	if r.Paired {
		sides = m.steadied(len(sides[ofBase]))
	}
	if again := samples.Strata(r.Paired || r.Again.Recording.Judgement == r.Base.Recording.Judgement, sides[ofAgain], sides[ofBase]); len(again) > 0 && !constant(again) {
		_, interval := samples.Shift(again, m.score)
		m.Again = &interval
	}
	if m.Verdict == Inconclusive { // more rounds do not change what the replies do
		m.Needed = m.needs(r.Options, without)
	}
}

// highOf is the p90 of samples that are enough to bound it with an interval; nil: they are not.
func highOf(of samples.Ordered) *p90 {
	if of.Len() < samples.Needed(0.9) {
		return nil
	}
	high := p90(of.Quantile(0.9))
	return &high
}

// needs estimates how many rounds would do: the interval shrinks with the square
// root of their number, and must fit between no change and what must not pass.
func (m *Metric) needs(o Options, interval samples.Bounds) int {
	low, high := interval.Low, interval.High
	if low <= 0 || math.IsInf(high, 1) {
		return 0
	}
	z := distuv.UnitNormal.Quantile
	wide := math.Log(high/low) / (2 * z(1-(1-samples.Level)/2)) // standard error now
	aim := math.Log(1+o.Effect) / (z(1-beta) + z(0.95))
	return max(m.fewest, int(math.Ceil(float64(m.Rounds)*wide*wide/aim/aim)))
}
