package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
)

// timeline is a chart of one sample: where its time went, a bar for each phase
// on a linear axis of its own. Across, its places are percent of its width, so
// that it fits any screen without its letters growing small.
type timeline struct {
	ID, Text string
	Cell     *cell
	Round    string
	Why      string // why this sample
	Goal     *series
	Height   int
	X        *axis
	AxisY    int
	Groups   []*barGroup
	Sum      []string // sentences: what takes the most time
}

// barGroup are bars under one heading.
type barGroup struct {
	Title string
	Y     int // of the heading's base line
	Bars  []*placedBar
}

// placedBar is a bar in its place.
type placedBar struct {
	bar
	TextX     float64 // percent
	TextRight bool    // the text ends at TextX
	TextY, Y  int     // of the text's base line, of the bar's top
	X, Run    float64 // percent: where it begins, where it began to run
	Until     float64 // percent: where it ends
}

// Wait and Width are how wide the bar's pending and running parts are, percent.
func (p *placedBar) Wait() float64 { return p.Run - p.X }

// Width is how wide the running part is, percent.
func (p *placedBar) Width() float64 { return p.Until - p.Run }

// The chart's measures down, in pixels.
const (
	barHeight  = 9
	barRow     = 31
	headingRow = 25
)

// timelineOf draws the typical sample of a cell; nil: it has none.
func (s *study) timelineOf(c *cell) *timeline {
	result, median := c.typical()
	if result == nil {
		return nil
	}
	_, goal := c.outcome()
	t := &timeline{ID: s.ids.of("waterfall", c.Style.Label, c.Scenario), Cell: c, Round: fmt.Sprint(result.Round), Goal: c.series[goal]}
	t.Why = "no latency counts here; this is its first sample"
	if median {
		t.Round = t.Goal.roundOf(&result.Samples[slices.IndexFunc(result.Samples, func(one judge.Sample) bool { return one.Phase == goal })])
		t.Why = fmt.Sprintf("the median of %s by when the %s", counted(t.Goal.N, "sample"), told(goal))
	}
	outer, inner := outside(result.Samples), inside(result.Samples)
	t.Sum = sums(outer, inner, goal)
	t.draw(outer, inner)
	return t
}

// draw puts the bars in their places.
func (t *timeline) draw(outer, inner []bar) {
	var end float64
	for _, b := range slices.Concat(outer, inner) {
		end = max(end, b.End)
	}
	t.X = linearAxis(end * 1.015)
	var words []string
	y := 0
	for _, g := range []struct {
		title string
		bars  []bar
	}{{"Seen from outside", outer}, {"Inside " + t.Cell.Style.Label, inner}} {
		if len(g.bars) == 0 {
			continue
		}
		drawn := &barGroup{Title: clip(g.title, longest+7), Y: y + 15}
		y += headingRow
		for _, b := range g.bars {
			drawn.Bars = append(drawn.Bars, t.put(b, y))
			words = append(words, b.Words())
			y += barRow
		}
		y += 6
		t.Groups = append(t.Groups, drawn)
	}
	t.AxisY = y
	t.Height = y + 22
	t.Text = strings.Join(words, ". ") + "."
}

// narrowest is the width, in pixels, down to which texts stay within the chart.
const narrowest = 320

// widestLabel is how many letters of a bar's label fit into that.
const widestLabel = 44

// put places a bar. Its text stands over its beginning where that leaves it
// room on the narrowest screen, else it ends over the bar's end, else it stands
// as far right as it can.
func (t *timeline) put(b bar, y int) *placedBar {
	p := &placedBar{bar: b, TextY: y + 12, Y: y + 17, X: t.X.at(b.Begin), Run: t.X.at(b.Running), Until: t.X.at(b.End)}
	wide := 100 * glyph * float64(1+utf8.RuneCountInString(b.Label()+b.Later())) / narrowest
	rightmost := max(100-wide, 0)
	switch {
	case p.X <= rightmost:
		p.TextX = p.X
	case p.Until >= wide:
		p.TextX, p.TextRight = p.Until, true
	default:
		p.TextX = rightmost
	}
	return p
}

// sums say in words what takes the most time until the goal.
func sums(outer, inner []bar, goal string) []string {
	at := slices.IndexFunc(outer, func(b bar) bool { return b.Name == goal })
	if at < 0 {
		return nil
	}
	if outer[at].Open {
		return []string{fmt.Sprintf("It was not %s within %s.", goal, plain.Duration(outer[at].End))}
	}
	total := outer[at].End
	longest := slices.MaxFunc(outer[:at+1], func(a, b bar) int { return cmp.Compare(a.End-a.Begin, b.End-b.Begin) })
	took := longest.End - longest.Begin
	var sentences []string
	if total > 0 {
		sentences = append(sentences, fmt.Sprintf("Of %s until %s, %s (%s) pass before the %s.",
			plain.Duration(total), goal, plain.Duration(took), percent(took/total), told(longest.Name)))
	}
	if busy, steps := covered(inner, total); len(steps) > 0 && total > 0 {
		sentences = append(sentences, fmt.Sprintf("%s%s %s %s (%s) of the time until %s.", counted(len(steps), "inner step"),
			each(steps), fills(len(steps)), plain.Duration(busy), percent(busy/total), goal))
	}
	return sentences
}

func fills(n int) string {
	if n == 1 {
		return "fills"
	}
	return "fill"
}

// each says how long steps are, where they are about the same: within a tenth.
func each(steps []float64) string {
	least, most := slices.Min(steps), slices.Max(steps)
	if len(steps) < 2 || least < 0.9*most {
		return ""
	}
	return fmt.Sprintf(" of about %s each", plain.Duration((least+most)/2))
}

// covered is how much of the time until an end is filled by steps, and how long
// each of them took; where they overlap, the time counts once.
func covered(bars []bar, until float64) (seconds float64, steps []float64) {
	var last float64
	for _, b := range bars { // in the order in which they began
		if b.Moment || b.Begin >= until {
			continue
		}
		steps = append(steps, b.End-b.Begin)
		from, to := max(b.Begin, last), min(b.End, until)
		if to > from {
			seconds += to - from
			last = to
		}
	}
	return seconds, steps
}

// Foot is the bar's lower edge.
func (p *placedBar) Foot() int { return p.Y + barHeight }
