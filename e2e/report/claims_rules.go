package report

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
)

// What the tutorial's words are taken to mean, in figures.
const (
	handful    = 7   // files: as many as the tutorial itself has
	fewSeconds = 5.0 // seconds
	quiteAFew  = 4   // containers for each change
	hundreds   = 200 // changes an hour
)

// tutorialClaims are what Rein van 't Veer's "On why you don't need special
// operator SDKs to develop K8s Operators" says of operators of its kind, in
// its order.
func tutorialClaims() []claimed {
	return []claimed{
		{
			"just a handful of files (manifests)",
			fmt.Sprintf("holds: at most %d files, as many as the tutorial has; partly: more, but fewer than style %s", handful, peerStyle),
			"environment.json: what a maintainer owns", testFiles,
		},
		{
			"no need to publish custom-built images",
			"holds: no image is built from the operator's own code; else it does not hold",
			"environment.json: images of the style", testImages,
		},
		{
			"much, much improved inspection into your operators' handling of resources",
			fmt.Sprintf("three parts: a change leaves more steps to see than style %[1]s does; the custom resource says itself what became of it (status); and after bad input and faults a message names the resource and the cause in more scenarios than with style %[1]s", peerStyle),
			"samples.jsonl: inner phases, status written; cost: custom objects for each change; the matrix: oracle diagnosable", testInspection,
		},
		{
			"develop and test the operator logic in the workflow template independently from the operator",
			"holds: a scenario submits the template without the operator, and passes",
			"samples.jsonl: scenarios", testIndependence,
		},
		{
			"use any programming language you like",
			"holds: operators made this way handled every sample in two languages or more; partly: in one",
			"environment.json: lines by language, images; verdicts", testLanguages,
		},
		{
			"quite a few containers, mostly for debugging; can be compressed into a single container",
			fmt.Sprintf("three parts: at least %d containers for each change; more than half of the steps only log (log-…); a style argo-… does with one, and passes; styles without any are no part of it", quiteAFew),
			"cost: pods for each change; samples.jsonl: steps; verdicts", testContainers,
		},
		{
			"an Argo Workflow takes a few seconds to instantiate, for each create, update or delete",
			fmt.Sprintf("each scenario has two parts: p50 until the Workflow is created, and until the Deployment is written (delete: gone), at most %.0f s; styles argo-… only stand beside it", fewSeconds),
			"samples.jsonl: workflow created, child written, child gone", testSeconds,
		},
		{
			"hundreds of applications an hour can still work, but might not be the most efficient",
			fmt.Sprintf("a part for each load that was driven: every round of it was done in its time, at a rate of at least %d custom resources an hour; what no load has shown is not claimed; CPU and other styles only stand beside it", hundreds),
			"samples.jsonl: loads; cost: CPU for each change beyond what is used idle", testHundreds,
		},
	}
}

func testFiles(c *claimants) (string, []string) {
	if c.argo.facts == nil || c.argo.facts.Owned == nil {
		return untested("how many files a maintainer of style " + c.argo.label + " owns")
	}
	own := func(one *claimant) string {
		return fmt.Sprintf("%s: %s, %s", one.label, plain.Plural(one.facts.Owned.Files, "file"), plain.Plural(one.facts.Owned.Lines, "line"))
	}
	files, evidence := c.argo.facts.Owned.Files, []string{own(c.argo)}
	fewer := false
	if c.peer != nil && c.peer.facts != nil && c.peer.facts.Owned != nil {
		evidence = append(evidence, own(c.peer))
		fewer = files < c.peer.facts.Owned.Files
	}
	switch {
	case files <= handful:
		return Holds, evidence
	case fewer:
		return Partly, evidence
	}
	return Fails, evidence
}

func testImages(c *claimants) (string, []string) {
	if len(c.argo.images) == 0 {
		return untested("which images style " + c.argo.label + " runs")
	}
	custom := func(one *claimant) (n int, text string) {
		for _, image := range one.images {
			if image.Custom() {
				n++
			}
		}
		return n, fmt.Sprintf("%s: %d of %s custom-built", one.label, n, plain.Plural(len(one.images), "image"))
	}
	n, text := custom(c.argo)
	evidence := []string{text}
	if c.peer != nil && len(c.peer.images) > 0 {
		_, text := custom(c.peer)
		evidence = append(evidence, text)
	}
	if n == 0 {
		return Holds, evidence
	}
	return Fails, evidence
}

// testInspection has three parts, of which each is left out where nothing is
// known of it.
func testInspection(c *claimants) (string, []string) {
	if c.peer == nil {
		return untested("style " + peerStyle + ", to compare with")
	}
	var parts []bool
	var evidence []string
	if len(c.argo.cells) > 0 && len(c.peer.cells) > 0 {
		phases, status, text := c.argo.visible()
		others, _, other := c.peer.visible()
		parts, evidence = append(parts, phases > others, status), append(evidence, text, other)
	}
	told, others, of := c.argo.diagnosed(c.peer)
	if of > 0 {
		parts = append(parts, told > others)
	}
	for _, one := range append(slices.Clone(c.kin), c.peer) {
		if text := one.diagnoses(); text != "" {
			evidence = append(evidence, text)
		}
	}
	if len(parts) == 0 {
		return untested("samples that styles " + c.argo.label + " and " + c.peer.label + " have in common")
	}
	if of == 0 {
		evidence = append(evidence, "what a person is told after bad input and faults is not tested: the correctness matrix was not driven")
	}
	return ofTwo(parts...), append(evidence, "the user interface itself is not tested")
}

// visible is what the style lets be seen of a change.
func (c *claimant) visible() (phases int, status bool, text string) {
	phases = len(c.inner())
	status = slices.ContainsFunc(c.cells, func(cell *result.Cell) bool {
		s, there := cell.Phase(judge.PhaseStatusWritten)
		return there && s.N > s.Censored
	})
	text = fmt.Sprintf("%s: %s of its own seen in the cluster, status written: %s", c.label, plain.Plural(phases, "phase"), yes(status))
	if c.cost != nil {
		if made := c.cost.Made(); made.Known() {
			text += fmt.Sprintf(", custom objects made for each change: %s", count(made.Median()))
		}
	}
	return phases, status, text
}

// diagnosable is the oracle that looks for a message that names the resource
// and the cause.
const diagnosable = "diagnosable"

// told is the scenarios in which a person can find out what went wrong, and all
// in which that was judged without doubt.
func (c *claimant) told() (yes, all []string) {
	for _, cell := range c.matrix {
		o, asked := cell.Oracle(diagnosable)
		if !asked || o.Passed+o.Failed == 0 {
			continue
		}
		all = append(all, cell.Scenario)
		if o.Failed == 0 {
			yes = append(yes, cell.Scenario)
		}
	}
	return yes, all
}

// diagnosed counts the scenarios in which a person is told, by this style and
// by a peer, of those that both went through.
func (c *claimant) diagnosed(peer *claimant) (own, others, of int) {
	mine, all := c.told()
	theirs, judged := peer.told()
	for _, scenario := range all {
		if !slices.Contains(judged, scenario) {
			continue
		}
		of++
		if slices.Contains(mine, scenario) {
			own++
		}
		if slices.Contains(theirs, scenario) {
			others++
		}
	}
	return own, others, of
}

// diagnoses says in words in how many scenarios a person is told; empty: not tested.
func (c *claimant) diagnoses() string {
	yes, all := c.told()
	if len(all) == 0 {
		return ""
	}
	text := fmt.Sprintf("%s: after bad input and faults, a message names the resource and the cause in %d of %s", c.label, len(yes), plain.Plural(len(all), "scenario"))
	if len(yes) < len(all) {
		missed := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(yes, name) })
		text += " (not in " + strings.Join(missed, ", ") + ")"
	}
	return text
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// testIndependence looks for a scenario that submits the WorkflowTemplate.
func testIndependence(c *claimants) (string, []string) {
	for _, cell := range c.argo.cells {
		if strings.Contains(cell.Scenario, "template") {
			return ofTwo(cell.Verdict == judge.Pass), []string{cell.Scenario + ": " + cell.VerdictText()}
		}
	}
	return untested("a scenario that submits the WorkflowTemplate without EventSource and Sensor")
}

func testLanguages(c *claimants) (string, []string) {
	var ran, evidence []string
	known := false
	for _, one := range c.kin {
		logic := one.logic()
		if len(logic) == 0 {
			continue
		}
		passed, all := one.counts()
		if all == 0 {
			continue
		}
		known = true
		evidence = append(evidence, fmt.Sprintf("%s: logic in %s, %d of %d samples correct", one.label, strings.Join(logic, ", "), passed, all))
		for _, language := range logic {
			if one.flawless() {
				ran = plain.Once(ran, language)
			}
		}
	}
	switch {
	case !known:
		return untested("in which languages the operator's logic is written")
	case len(ran) > 1:
		return Holds, evidence
	case len(ran) == 1:
		return Partly, evidence
	}
	return Fails, evidence
}

func testContainers(c *claimants) (string, []string) {
	steps := c.argo.steps()
	if len(steps) == 0 {
		return untested("the steps of a change")
	}
	logs := 0
	for _, step := range steps {
		if strings.HasPrefix(step, "log-") {
			logs++
		}
	}
	containers := float64(len(steps))
	evidence := []string{fmt.Sprintf("%s: %s for each change, %d of them only log", c.argo.label, plain.Plural(len(steps), "step"), logs)}
	if pods, known := c.argo.pods(); known {
		containers = pods
		evidence = append(evidence, podsText(pods))
	}
	single, tried := false, false
	for _, one := range c.kin[1:] {
		pods, known := one.pods()
		if !known || pods == 0 { // without a container there is nothing to compress into
			continue
		}
		tried = true
		passed, all := one.counts()
		evidence = append(evidence, fmt.Sprintf("%s: %s, %d of %d samples correct", one.label, podsText(pods), passed, all))
		single = single || pods <= 1 && one.flawless()
	}
	if !tried {
		evidence = append(evidence, "whether one container would do is not tested: no style argo-… with its pods counted")
	}
	return ofTwo(containers >= quiteAFew, 2*logs > len(steps), single), evidence
}

func podsText(pods float64) string {
	return strings.Replace(count(pods)+" pods for each change", "1 pods", "1 pod", 1)
}

// pods is how many pods the style makes for each change.
func (c *claimant) pods() (float64, bool) {
	if c.cost == nil {
		return 0, false
	}
	f := c.cost.PerChange(cost.Pods)
	return f.Median(), f.Known()
}

func testSeconds(c *claimants) (string, []string) {
	var parts []bool
	var evidence []string
	for _, cell := range c.argo.cells {
		created, _ := cell.Phase("workflow created")
		written, _ := cell.Outcome()
		parts = append(parts, quick(created), quick(written))
		evidence = append(evidence, fmt.Sprintf("%s: Workflow created %s, done %s", cell.Scenario, figureOf(created), figureOf(written)))
	}
	if len(parts) == 0 {
		return untested("latencies of style " + c.argo.label)
	}
	for _, one := range c.kin[1:] {
		evidence = append(evidence, one.soon()...)
	}
	return ofTwo(parts...), evidence
}

// soon says in how many scenarios a style that is made the same way is done
// within a few seconds: whether it is the idea that is slow, or the tutorial.
func (c *claimant) soon() []string {
	n, quickly, slowest := 0, 0, stat.Summary{}
	for _, cell := range c.cells {
		written, _ := cell.Outcome()
		if written.N == 0 {
			continue
		}
		n++
		if quick(written) {
			quickly++
		}
		if slowest.N == 0 || written.P50.Value > slowest.P50.Value {
			slowest = written
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: done within %.0f s in %d of %s, at the latest (%s) %s", c.label, fewSeconds, quickly, plain.Plural(n, "scenario"), slowest.Scenario, figureOf(slowest))}
}

// quick tells whether a p50 is a few seconds at most.
func quick(s stat.Summary) bool {
	return s.N > 0 && !s.P50.Censored && s.P50.Value <= fewSeconds
}

// testHundreds asks the loads: what was not driven is not known to be borne.
func testHundreds(c *claimants) (string, []string) {
	if len(c.argo.loads) == 0 {
		return untested("a load of style " + c.argo.label + ", such as burst-create")
	}
	var parts []bool
	var evidence []string
	for _, cell := range c.argo.loads {
		hourly, text := throughput(cell)
		parts, evidence = append(parts, hourly >= hundreds), append(evidence, text)
	}
	others := slices.Clone(c.kin[1:])
	if c.peer != nil {
		others = append(others, c.peer)
	}
	for _, one := range others {
		for _, cell := range one.loads {
			_, text := throughput(cell)
			evidence = append(evidence, text)
		}
	}
	for _, one := range append([]*claimant{c.argo}, others...) {
		if one.cost != nil && one.cost.BusyCPU.Known() {
			evidence = append(evidence, fmt.Sprintf("%s: %s s of CPU for each change beyond what it takes when idle", one.label, plain.Rough(one.cost.BusyCPU.Median())))
		}
	}
	return ofTwo(parts...), evidence
}

// throughput is at how many custom resources an hour a style was done with a
// load, in its slowest round; 0: in some round it was not done in its time.
func throughput(cell *result.Cell) (hourly float64, text string) {
	written, _ := cell.Outcome()
	t := cell.Tally
	if t.Passed < t.All() || written.N == 0 || written.Censored > 0 {
		text = fmt.Sprintf("%s %s: %s", cell.Style.Label, cell.Scenario, cell.VerdictText())
		if written.Censored > 0 {
			text += fmt.Sprintf(" (%s s)", plain.Rough(written.Max.Value))
		}
		return 0, text
	}
	for _, round := range written.Replicates {
		if last := stat.Order(round).Max().Value; last > 0 {
			if rate := 3600 * float64(len(round)) / last; hourly == 0 || rate < hourly {
				hourly = rate
			}
		}
	}
	return hourly, fmt.Sprintf("%s %s: all %d in %s, the last after %s s: %s an hour", cell.Style.Label, cell.Scenario, written.N,
		plain.Plural(written.Rounds, "round"), plain.Rough(written.Max.Value), plain.Rough(hourly))
}
