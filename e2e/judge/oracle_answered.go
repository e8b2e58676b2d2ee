package judge

import (
	"fmt"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/timeline"
)

var answeredOracle = Named{Name: "answered", Needs: append(onWritten, timeline.RoleEvents), Judge: answered, Told: true}

// answered judges what became of each wrong value of the custom resource, until it is set right: the API server refuses
// it, or the operator brings it about, or it says so: what its status says is not what it said before, or a Warning is
// about it. Its evidence is the table of them. A value that changes nothing that is owed counts as brought about.
func answered(t *timeline.Timeline) Verdict {
	var table, silent []string
	var refused, told, reached int
	for _, w := range t.WrongValues() {
		action := w.Event.Action
		row := fmt.Sprintf("%s %s: ", t.Since(w.Event.Time), action.Wrong)
		a, taken := t.AcceptedIn(w.Event)
		if !taken {
			refused++
			table = append(table, row+"refused by the API server: "+plain.Clip(action.Error, timeline.MostOfAMessage))
			continue
		}
		switch is := t.AnswerTo(a, w.Until); {
		case is.Lacks == "":
			reached++
			row += "brought about, or without effect"
		case is.Told != nil:
			told++
			row += plain.Clip(is.Told.String(), timeline.MostOfAMessage)
		default:
			silent = append(silent, action.Wrong)
			row += fmt.Sprintf("no answer by %s: %s", t.Since(w.Until), is.Lacks)
		}
		table = append(table, row)
	}
	switch of := plain.Plural(len(table), "wrong value"); {
	case len(table) == 0:
		return notApplicable("no wrong value was set")
	case len(silent) > 0:
		return fail(table, "expected an answer to each of %s: refused by the API server, brought about, or a status or an Event that says otherwise; none came to %s",
			of, strings.Join(silent, "; "))
	default:
		v := pass("of %s %d were refused by the API server, of %d the operator says what is wrong, %d were brought about or change nothing", of, refused, told, reached)
		v.Evidence = table
		return v
	}
}
