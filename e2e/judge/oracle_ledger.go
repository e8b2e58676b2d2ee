package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

var ledgerOracle = Named{Name: "ledger", Needs: onWritten, Shows: onWritten, Judge: ledger, Losing: true}

// ledger is oracle 5, the delivery ledger: each change of the custom resource's wishes, in the sample, is accounted
// for.
//
//   - handled: the main child was written as it asks, after it; of the last
//     change, also if the main child is so at the end without a write;
//   - coalesced: it was passed over, and a later one was handled;
//   - lost: neither it nor a later one was handled;
//   - duplicated: a second main child was made for it, or it was written once more as it was;
//   - reordered: it was written after a newer one had been.
//
// A write belongs to the newest change before it that asks for its value; one that nothing asks for is a stray. What is
// written in several steps, the size once and a checksum in the template later, is no duplicate.
func ledger(t *timeline.Timeline) Verdict {
	if t.Child.Many {
		return notApplicable("each of its pods is made by itself: no write is of one change")
	}
	book := account(t)
	if len(book.changes) == 0 {
		return notApplicable("nothing new was asked for")
	}
	var all, wrong []string
	for _, c := range book.changes {
		all = append(all, c.String())
		if c.lost || c.reordered || c.duplicates > 0 {
			wrong = append(wrong, c.String())
		}
	}
	wrong = append(wrong, book.strays...)
	if works, writes := worksSinceWritten(t), len(book.changes)+len(noops(t)); len(works) > writes {
		wrong = append(wrong, fmt.Sprintf("worked on more than once: %s for %s to the custom resource",
			plain.Plural(len(works), "work object"), plain.Plural(writes, "write")))
	}
	if len(wrong) > 0 {
		return fail(nil, "expected each change to be handled once and in order, or coalesced; %s (all: %s)",
			strings.Join(wrong, ", "), strings.Join(all, ", "))
	}
	return pass("%s", strings.Join(all, ", "))
}

// worksSinceWritten lists the objects that the style made to work by after the harness had begun to write to the custom
// resource. An operator that looks at everything anew once it has been restarted or upgraded does so before, and not on
// account of a write.
func worksSinceWritten(t *timeline.Timeline) []*timeline.WorkObject {
	works := worksMade(t)
	for a := range t.AcceptedOn(t.Subjects[0]) {
		return slices.DeleteFunc(works, func(w *timeline.WorkObject) bool { return w.Made < a.From })
	}
	return works
}

// change is something new that the custom resource asked for.
type change struct {
	at         time.Duration // the harness's intent, where it was the harness
	uid        string
	generation int64 // 0: the deletion
	size       int

	handled    bool
	took       time.Duration // until the first write as it asks; 0: it needed none
	coalesced  bool
	lost       bool
	impossible bool // nobody could handle it
	duplicates int
	reordered  bool
}

func (c *change) asksFor(d *wire.Object) bool {
	if d == nil {
		return c.generation == 0
	}
	return c.generation > 0 && d.Replicas == c.size
}

func (c *change) String() string {
	what := "the deletion"
	if c.generation > 0 {
		what = fmt.Sprintf("generation %d (size %d)", c.generation, c.size)
	}
	var became []string
	switch {
	case c.handled && c.took == 0:
		became = append(became, "handled, without a write")
	case c.handled:
		became = append(became, fmt.Sprintf("handled after %s", timeline.Round(c.took)))
	case c.coalesced:
		became = append(became, "coalesced")
	case c.impossible:
		became = append(became, "impossible")
	case c.lost:
		became = append(became, "lost")
	}
	if c.duplicates > 0 {
		became = append(became, "duplicated "+times(c.duplicates))
	}
	if c.reordered {
		became = append(became, "reordered")
	}
	return what + " " + strings.Join(became, ", ")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// book is the delivery ledger of a sample.
type book struct {
	given   *change // what was asked for before the sample; nil: nothing
	changes []*change
	strays  []string
}

// account makes the ledger of the sample.
func account(t *timeline.Timeline) *book {
	t.Settle()
	b := &book{given: given(t)}
	b.changes = changes(t, b.given)
	newest := -1
	for _, w := range childWrites(t) {
		i, found := b.find(w)
		switch {
		case !found && !t.Sample.Unmeetable && b.onTheWay(w):
			continue
		case !found:
			b.strays = append(b.strays, fmt.Sprintf("%s that nothing asked for", w))
			continue
		case i < newest:
			b.mark(i, func(c *change) { c.reordered = true })
		case w.again():
			b.mark(i, func(c *change) { c.duplicates++ })
		}
		b.mark(i, func(c *change) {
			if !c.handled {
				c.handled, c.took = true, w.At-c.at
			}
		})
		newest = max(newest, i)
	}
	b.settle(t)
	return b
}

// find returns the newest change before a write that asks for what was written;
// -1: what was asked for before the sample.
func (b *book) find(w childWrite) (int, bool) {
	for i := len(b.changes) - 1; i >= 0; i-- {
		if c := b.changes[i]; c.at <= w.At && c.asksFor(w.after) {
			return i, true
		}
	}
	return -1, b.given != nil && b.given.asksFor(w.after)
}

// onTheWay reports whether a write is a step towards the newest change before it: what votes grows and shrinks by one
// member at a time, from its creation on, and may have the members listed in its template.
func (b *book) onTheWay(w childWrite) bool {
	for _, c := range slices.Backward(b.changes) {
		if c.at > w.At {
			continue
		}
		switch {
		case c.generation == 0 || w.after == nil:
			return false
		case w.before == nil:
			return !w.beside && w.after.Replicas < c.size
		case w.before.Replicas == w.after.Replicas:
			return !w.again()
		}
		return w.before.Replicas < w.after.Replicas && w.after.Replicas < c.size || w.before.Replicas > w.after.Replicas && w.after.Replicas > c.size
	}
	return false
}

func (b *book) mark(i int, as func(*change)) {
	if i >= 0 {
		as(b.changes[i])
	}
}

// settle says what became of the changes that nothing was written for.
func (b *book) settle(t *timeline.Timeline) {
	later := false
	for i, c := range slices.Backward(b.changes) {
		last := i == len(b.changes)-1
		switch {
		case c.handled:
		case last && t.Sample.Unmeetable && c.generation > 0:
			c.impossible = true
		case last && c.asksFor(t.MainChild()):
			c.handled = true
		case later:
			c.coalesced = true
		default:
			c.lost = true
		}
		later = later || c.handled || c.impossible
	}
}

// given is what the custom resource asked for when the sample began.
func given(t *timeline.Timeline) *change {
	for e := range timeline.Each(t.Before) {
		if o := e.Object; t.SubjectOf(e) == t.Subjects[0] && !o.Deleting {
			return &change{uid: o.UID, generation: o.Generation, size: o.Size}
		}
	}
	return nil
}

// changes lists, in order, what the custom resource newly asked for: by the
// replies to the harness's actions, and by the watch where another wrote to it.
func changes(t *timeline.Timeline, given *change) []*change {
	known := map[string]bool{}
	if given != nil {
		known[lifeKey(given.uid, given.generation)] = true
	}
	var list []*change
	ask := func(at time.Duration, o *wire.Object) {
		if k := lifeKey(o.UID, o.Generation); o.UID != "" && !o.Deleting && !known[k] {
			known[k] = true
			list = append(list, &change{at: at, uid: o.UID, generation: o.Generation, size: o.Size})
		}
	}
	for a := range t.AcceptedOn(t.Subjects[0]) {
		if a.Deletes() {
			list = append(list, &change{at: a.From})
			continue
		}
		ask(a.From, a.Reply)
	}
	for e := range t.All() {
		if t.SubjectOf(e) == t.Subjects[0] && e.Watch.Event != spec.Deleted {
			ask(e.Time, e.Object)
		}
	}
	slices.SortStableFunc(list, func(a, b *change) int { return cmp.Compare(a.at, b.at) })
	return list
}
