package judge_test

import (
	"time"

	"operatorbench/e2e/record"
)

// moved copies an entry to another time, namespace and round.
func moved(e record.Entry, later int64, namespace string, round int) record.Entry {
	by := time.Duration(later)
	e.Time += by
	switch e.Kind {
	case record.KindBegin:
		b := *e.Begin
		b.Namespace, b.Round = namespace, round
		e.Begin = &b
	case record.KindAction:
		a := *e.Action
		a.Namespace, a.From = namespace, a.From+by
		e.Action = &a
	case record.KindWatch:
		w := *e.Watch
		w.Namespace = namespace
		e.Watch = &w
	case record.KindEnd:
		o := *e.End
		o.Namespace, o.Round = namespace, round
		e.End = &o
	}
	return e
}
