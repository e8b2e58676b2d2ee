package main

import (
	"fmt"
	"strings"
)

// mutant is a fault: what it puts in the place of what is correct.
type mutant struct {
	name   string
	mutate func(*operator)
}

// none is the operator without a fault; nor has cleans any, which has a finalizer, or leads, which elects a leader.
const (
	none   = "none"
	cleans = "finalizes"
	leads  = "elects"
)

// mutants lists the faults. selftest.Cases says of each what it is, and which
// oracle must find it in which scenario.
func mutants() []mutant { //nolint:funlen // a list
	return []mutant{
		{none, func(*operator) {}},
		{cleans, cleansUp},
		{leads, elects},

		// What it hears of; mutants_events.go.
		{"ignores-listed", ignoresListed},
		{"added-only", addedOnly},
		{"ignores-applies", ignoresApplies},
		{"forgets-namespace", forgetsNamespace},
		{"gives-up", givesUp},
		{"forgets-forbidden", forgetsForbidden},
		{"lagging-cache", laggingCache},

		// What it asks for; mutants_wanted.go.
		{"no-owner", noOwner},
		{"wrong-port", wrongPort},
		{"wrong-image", wrongImage},
		{"wrong-second-size", wrongSecondSize},
		{"drops-second-size", dropsSecondSize},
		{"swaps-order", swapsOrder},
		{"clamps-size", clampsSize},
		{"crashes-on-zero", crashesOnZero},
		{"crashes-on-bad-size", crashesOnBadSize},
		{"rolls-on-restart", rollsOnRestart},
		{"rolls-on-scale", rollsOnScale},
		{"copies-annotations", copiesAnnotations},
		{"event-each-time", eventEachTime},
		{"one-for-all", oneForAll},
		{"random-names", randomNames},

		// How it brings that about; mutants_writes.go.
		{"double-create", doubleCreate},
		{"ignores-replicas", ignoresReplicas},
		{"ignores-image", ignoresImage},
		{"ignores-command", ignoresCommand},
		{"ignores-owner", ignoresOwner},
		{"ignores-labels", ignoresLabels},
		{"replaces-child", replacesChild},
		{"owns-alone", ownsAlone},
		{"insists", insists},
		{"takes-orphans", takesOrphans},
		{"takes-controlled", takesControlled},
		{"deletes-by-name", deletesByName},
		{"sees-by-label", seesByLabel},
		{"ignores-deleted", ignoresDeleted},
		{"once-per-name", oncePerName},
		{"recreates-on-scale", recreatesOnScale},
		{"restless", restless},
		{"neighbour", neighbour},
		{"leaks-pod", leaksPod},

		// How it ends; mutants_end.go.
		{"keeps-finalizer", keepsFinalizer},
		{"tries-once", triesOnce},
		{"orphans", orphans},
		{"deletion-as-update", deletionAsUpdate},

		// What it says; mutants_status.go.
		{"status-lies", statusLies},
		{"status-stale", statusStale},
		{"observes-changes", observesChanges},
		{"drops-status-errors", dropsStatusErrors},
		{"status-keeps-dead", statusKeepsDead},
		{"status-restless", statusRestless},
		{"condition-moves", conditionMoves},
		{"condition-stands", conditionStands},
		{"reason-of-words", reasonOfWords},
		{"silent-on-bad-size", silentOnBadSize},
		{"silent-on-errors", silentOnErrors},
		{"blames-in-advance", blamesInAdvance},

		// Whom it lets go; mutants_finalizer.go.
		{"keeps-at-zero", keepsAtZero},
		{"keeps-changed", keepsChanged},

		// What never ends; mutants_restless.go.
		{"notes-on-pods", notesOnPods},

		// What it says too early, or wrong for autoscalers; mutants_early.go.
		{"status-early-nodes", statusEarlyNodes},
		{"ready-at-once", readyAtOnce},
		{"wrong-replicas", wrongReplicas},
		{"wrong-selector", wrongSelector},

		// What shows in names, numbers and time alone; mutants_many.go.
		{"truncates-names", truncatesNames},
		{"stops-after-twenty", stopsAfterTwenty},
		{"late-every-fifth", lateEveryFifth},
		{"flaps-after-8s", flapsAfter8s},
		{"labels-after-8s", labelsAfter8s},

		// What it leaves, owns, touches and tells beside; mutants_left.go.
		{"configmap-left", configMapLeft},
		{"configmap-elsewhere", configMapElsewhere},
		{"owner-not-controller", ownerNotController},
		{"owner-not-blocking", ownerNotBlocking},
		{"edits-spec", editsSpec},
		{"rewrites-status", rewritesStatus},
		{"late-at-times", lateAtTimes},
		{"logs-secrets", logsSecrets},

		// What was read in published operators; mutants_published.go.
		{"dies-after-write", diesAfterWrite},
		{"never-scales", neverScales},
		{"stops-after-one", stopsAfterOne},
		{"one-selector", oneSelector},
		{"retries-deleted", retriesDeleted},
		{"finalizes-late", finalizesLate},
		{"drops-errors", dropsErrors},
		{"status-later", statusLater},
		{"crashes-on-second", crashesOnSecond},
		{"waits-ever-longer", waitsEverLonger},
		{"looks-after-deleted", looksAfterDeleted},

		// What shows where two run, and what grows; mutants_two.go.
		{"leads-aside", leadsAside},
		{"never-takes-over", neverTakesOver},
		{"draws-names", drawsNames},
		{"keeps-some", keepsSome},
		{"keeps-mebibyte", keepsMebibyte},
		{"keeps-goroutine", keepsGoroutine},
		{"keeps-socket", keepsSocket},
		{"watches-namespaces", watchesNamespaces},

		// Of all kinds, written without knowledge of what finds the others; mutants_heldout.go.
		{"leaves-service", leavesService},
		{"leaves-note", leavesNote},
		{"owner-old-version", ownerOldVersion},
		{"letters-first", lettersFirst},
		{"cuts-names", cutsNames},
		{"replicas-of-all", replicasOfAll},
		{"selects-none", selectsNone},
		{"observes-first", observesFirst},
		{"ready-of-first", readyOfFirst},
		{"ready-on-one", readyOnOne},
		{"never-ready", neverReady},
		{"touches-custom", touchesCustom},
		{"touches-child", touchesChild},
		{"late-every-seventh", lateEverySeventh},
		{"stops-after-forty", stopsAfterForty},
		{"flaps-once", flapsOnce},
		{"takes-finalizers", takesFinalizers},
		{"forgets-at-restart", forgetsAtRestart},
		{"begins-anew", beginsAnew},
		{"ready-stays", readyStays},
		{"keeps-childless", keepsChildless},
		{"keeps-unready", keepsUnready},
		{"older-is-stale", olderIsStale},
		{"logs-token", logsToken},
		{"flips-ready", flipsReady},
		{"tries-the-same", triesTheSame},
		{"keeps-error", keepsError},
		{"makes-anew", makesAnew},
		{"sweeps-up", sweepsUp},
		{"forgets-late", forgetsLate},
		{"gives-up-soon", givesUpSoon},
	}
}

// find returns what makes the operator a mutant.
func find(wanted string) (func(*operator), error) {
	var names []string
	for _, m := range mutants() {
		if m.name == wanted {
			return m.mutate, nil
		}
		names = append(names, m.name)
	}
	return nil, fmt.Errorf("-mutant=%s: there are %s", wanted, strings.Join(names, ", "))
}
