package scenarios

import (
	"fmt"
	"strings"
	"time"

	"operatorbench/e2e/plain"
)

// Growth has custom resources become more and more. At each number of them the operator is left alone for a while, and
// then creating some more is measured.
type Growth struct {
	To      []int         `yaml:"to"`      // how many there are, one number after the other
	Changes int           `yaml:"changes"` // custom resources more, at each of them, one every Pace
	Pace    time.Duration `yaml:"pace"`
	Rest    time.Duration `yaml:"rest"` // how long the operator is left alone
	// Down is how many are created while the operator is stopped, once there are all, and Newcomers how many are when it
	// has written the first of them; 0: it is not stopped.
	Down      int `yaml:"down"`
	Newcomers int `yaml:"newcomers"`
	// Bystanders are put there at last.
	Bystanders Bystanders `yaml:"bystanders"`
}

// Bystanders are objects that are not the operator's: so many of each kind, one kind after the other.
type Bystanders struct {
	Each  int      `yaml:"each"`
	Kinds []string `yaml:"kinds"`
}

// Lasts is how long a growth takes at least, where one custom resource is created every so often.
func (g Growth) Lasts(every time.Duration) time.Duration {
	creations := time.Duration(g.To[len(g.To)-1]+g.Down) * every
	return creations + time.Duration(len(g.To))*(g.Rest+time.Duration(g.Changes)*g.Pace) + time.Duration(g.rests())*g.Rest
}

// rests are those after the restart, and after each kind of bystander.
func (g Growth) rests() int {
	if g.Down == 0 {
		return len(g.Bystanders.Kinds)
	}
	return 1 + len(g.Bystanders.Kinds)
}

func (g Growth) text(every time.Duration) string {
	text := fmt.Sprintf("%s custom resources, one every %v; at each %v of rest, then %d more, one every %v",
		strings.Trim(strings.Join(strings.Fields(fmt.Sprint(g.To)), ", "), "[]"), every, g.Rest, g.Changes, g.Pace)
	if g.Down > 0 {
		text += fmt.Sprintf("; then %d while the operator is stopped, and %s once it writes again", g.Down, plain.Plural(g.Newcomers, "newcomer"))
	}
	if len(g.Bystanders.Kinds) > 0 {
		text += fmt.Sprintf("; then %d %s that are not the operator's", g.Bystanders.Each, strings.Join(g.Bystanders.Kinds, ", "))
	}
	return text
}

// Bounds of a growth.
const (
	leastRest = 5 * time.Second
	mostRest  = 5 * time.Minute
)

// growth checks that each number is more than what is there by then, and that all of it is at a pace.
func (c *checker) growth(g Growth) {
	fail := func(field, message string, args ...any) {
		c.FailAt([]any{"load", "growth", field}, "load.growth."+field+message, args...)
	}
	there := 0
	for _, to := range g.To {
		if to < there {
			fail("to", ": %d custom resources are asked for where there are %d by then, with the %d more of each number", to, there, g.Changes)
		}
		there = max(there, to) + g.Changes
	}
	if g.Rest < leastRest || g.Rest > mostRest {
		fail("rest", " is %v, expected %v to %v", g.Rest, leastRest, mostRest)
	}
	if g.Pace <= 0 || g.Pace > mostBetween {
		fail("pace", " is %v, expected more than 0s, to %v", g.Pace, mostBetween)
	}
}
