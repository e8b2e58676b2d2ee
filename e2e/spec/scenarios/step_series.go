package scenarios

import (
	"fmt"
	"time"
)

// StepSeries is the step's name in a file.
const StepSeries = "series"

// seriesStep creates many custom resources beside the own one, at a pace.
func seriesStep() stepKind {
	return stepKind{
		name: StepSeries, own: true,
		text: func(s Step) string {
			text := fmt.Sprintf("create %d more of size %d, one every %v", s.Series.Count, s.Series.Size, s.Series.Every)
			if s.Series.Apart {
				text += ", each in a namespace of its own"
			}
			if s.Series.Keep > 0 {
				text += fmt.Sprintf(", and delete all but the last %d", s.Series.Keep)
			}
			return text
		},
		check: func(c *checker, s step) {
			switch {
			case c.seen.series:
				c.FailAt(s.at("series"), "series: there is one already, of the same names")
			case s.Series.Every <= 0 || s.Series.Every > mostBetween:
				c.FailAt(s.at("series", "every"), "series.every is %v, expected more than 0s, to %v", s.Series.Every, mostBetween)
			case s.Series.Keep >= s.Series.Count:
				c.FailAt(s.at("series", "keep"), "series.keep is %d, expected fewer than the %d that are created", s.Series.Keep, s.Series.Count)
			}
			c.seen.series = true
		},
	}
}

// Series is custom resources that are created one after the other, whether or not those before them have been handled.
type Series struct {
	Count int           `yaml:"count"`
	Size  int           `yaml:"size"`
	Every time.Duration `yaml:"every"` // between two of them, at the least; see Pace
	// Keep is how many of them there are at a time: each is deleted when so many more have been created. 0: all stay.
	Keep int `yaml:"keep"`
	// Apart: each has a namespace of its own, which is deleted as long after the custom resource as that was there.
	Apart bool `yaml:"apart"`
}

// Names are those of the custom resources of a series, as in Step.On.
func (s Series) Names() []string {
	var names []string
	for i := range s.Count {
		name := fmt.Sprintf("series-%02d", i+1)
		if s.Apart {
			name = fmt.Sprintf("s%02d/%s", i+1, name)
		}
		names = append(names, name)
	}
	return names
}

// Goes names the custom resource that is deleted once the one with this index has been created; "": none.
func (s Series) Goes(i int) string { return s.before(i, s.Keep) }

// Leaves names the one whose namespace is deleted then; "": none.
func (s Series) Leaves(i int) string {
	if !s.Apart {
		return ""
	}
	return s.before(i, 2*s.Keep)
}

func (s Series) before(i, many int) string {
	if many == 0 || i < many {
		return ""
	}
	return s.Names()[i-many]
}

// atOnce is how many reconciles of a series may be under way.
const atOnce = 10

// Pace is the time between two custom resources of a series: so much that no more
// than a few are under way, where a reconcile takes as long as typical.
func (s Series) Pace(typical time.Duration) time.Duration { return max(s.Every, typical/atOnce) }
