// Package selftest tests the harness itself: operators with one deliberate fault
// each, and for each the oracle that must find it. What drives them on a cluster
// is in the tests of this package; see README.md.
package selftest

import (
	"operatorbench/e2e/judge"
	"operatorbench/e2e/spec"
)

// Operators without a fault. The second has a finalizer, behind which it cleans up; the third elects a leader.
const (
	Correct    = "none"
	Finalizing = "finalizes"
	Electing   = "elects" // of several pods one acts
)

// Late stands for no oracle: a sample that was given up, though none failed.
const Late = string(spec.Late)

// Case is a mutant, and what must find it.
type Case struct {
	Mutant   string // in package mutant
	Fault    string // a sentence; empty: it is correct, and nothing may be found
	Scenario string // that shows it
	Oracle   string // that must fail there; others may. Late: none may
	// ByName: the mutant's Deployments are found by their names, because their
	// owner references are what is wrong.
	ByName bool
	Quick  bool // of the quick subset
	Times  int  // that the scenario is driven on one installation, any of them may show it; 0: once
}

// Cases lists all mutants.
func Cases() []Case { //nolint:funlen // a list
	return []Case{
		{Mutant: Finalizing, Scenario: "create"},
		{Mutant: Finalizing, Scenario: "finalizer"},
		{Mutant: Finalizing, Scenario: "recreate"},
		{Mutant: Finalizing, Scenario: "deleted-at-zero"},
		{Mutant: Finalizing, Scenario: "deleted-while-down"},
		{Mutant: Finalizing, Scenario: "recreated-while-down"},
		{Mutant: Finalizing, Scenario: "name-taken-controlled"},
		{Mutant: Electing, Scenario: "two-at-once"},
		{Mutant: Electing, Scenario: "handed-over"},

		{Mutant: "ignores-listed", Scenario: "created-while-down", Oracle: "recovers", Fault: "It acts on edges alone: what was there before it started is never looked at."},
		{Mutant: "added-only", Scenario: "scale-up", Oracle: "converged", Fault: "It hears of what is added, and not of changes."},
		{Mutant: "ignores-applies", Scenario: "server-side-apply", Oracle: "converged", Fault: "It takes what a server-side apply has written for no change."},
		{Mutant: "forgets-namespace", Scenario: "two-namespaces", Oracle: "isolation", Fault: "It remembers by name alone, and mixes namespaces up."},
		{Mutant: "gives-up", Scenario: "deployments-forbidden", Oracle: "recovers", Fault: "It does not try again after an error."},
		{Mutant: "forgets-forbidden", Scenario: "children-unreadable", Oracle: "recovers", Fault: "It does not list again what it was once forbidden to read."},
		{Mutant: "lagging-cache", Scenario: "delete", Oracle: "write-history", Fault: "It acts on stale reads, and makes the Deployment of a deleted custom resource again."},

		{Mutant: "no-owner", Scenario: "delete", Oracle: "garbage", ByName: true, Quick: true, Fault: "It sets no owner reference, and so nothing removes its Deployment."},
		{Mutant: "wrong-port", Scenario: "scale-from-zero", Oracle: "reference", Quick: true, Fault: "Its pods declare another port."},
		{Mutant: "wrong-image", Scenario: "scale-from-zero", Oracle: "reference", Fault: "Its pods run another program, and are every bit as ready."},
		{Mutant: "wrong-second-size", Scenario: "rollback", Oracle: "converged", Fault: "From the second update on it is one pod off."},
		{Mutant: "drops-second-size", Scenario: "straight-and-detour", Oracle: "ledger", Fault: "It drops every second update."},
		{Mutant: "swaps-order", Scenario: "burst", Oracle: "converged", Fault: "Of updates in quick succession it writes the last but one last."},
		{Mutant: "clamps-size", Scenario: "tutorial-size-negative-later", Oracle: "pods-kept", Fault: "It takes a size that is not usable for 1, without a word."},
		{Mutant: "crashes-on-zero", Scenario: "scale-to-zero", Oracle: "health", Fault: "It divides by the size."},
		{Mutant: "crashes-on-bad-size", Scenario: "tutorial-size-absent", Oracle: "health", Fault: "It panics where there is no usable size."},
		{Mutant: "rolls-on-restart", Scenario: "restarted-at-rest", Oracle: "pods-kept", Fault: "Its pods carry the time of its start, and are replaced when it restarts."},
		{Mutant: "rolls-on-scale", Scenario: "straight-and-detour", Oracle: "pods-kept", Fault: "Its pods carry the size, and are replaced when it changes."},
		{Mutant: "copies-annotations", Scenario: "no-op-updates", Oracle: "no-needless-work", Quick: true, Fault: "It writes the Deployment for every annotation of the custom resource."},
		{Mutant: "event-each-time", Scenario: "no-op-updates", Oracle: "no-needless-work", Fault: "It makes an Event at every reconcile."},
		{Mutant: "one-for-all", Scenario: "two-resources", Oracle: "isolation", Fault: "It has one Deployment for all custom resources of a namespace."},
		{Mutant: "random-names", Scenario: "restarted-at-rest", Oracle: "write-history", Fault: "It draws the Deployment's name, forgets it when it restarts, and makes a second."},

		{Mutant: "double-create", Scenario: "create", Oracle: "write-history", Quick: true, Fault: "It makes two Deployments of each custom resource."},
		{Mutant: "ignores-replicas", Scenario: "drift-replicas", Oracle: "converged", Quick: true, Fault: "It does not see that somebody has scaled its Deployment."},
		{Mutant: "ignores-image", Scenario: "drift-image", Oracle: "reference", Fault: "It compares the replicas alone, and does not see another image."},
		{Mutant: "ignores-command", Scenario: "drift-fields", Oracle: "repaired", Fault: "It compares image and replicas, and does not see another command."},
		{Mutant: "ignores-owner", Scenario: "drift-fields", Oracle: "repaired", Fault: "It sets the owner reference when it makes the Deployment, and never again."},
		{Mutant: "ignores-labels", Scenario: "drift-fields", Oracle: "repaired", Fault: "It sets the labels when it makes the Deployment, and never again."},
		{Mutant: "replaces-child", Scenario: "others-marks", Oracle: "others-kept", Fault: "It writes its Deployment as a whole, without what others have put there."},
		{Mutant: "owns-alone", Scenario: "others-marks", Oracle: "others-kept", Fault: "It writes its owner reference in the place of all that its Deployment has."},
		{Mutant: "insists", Scenario: "others-marks", Oracle: "calm", Fault: "It takes a Deployment to which a policy has added a container for one that was not written, and writes it again and again."},
		{Mutant: "takes-orphans", Scenario: "name-taken", Oracle: "not-taken", Fault: "It scales a Deployment of that name that nobody controls."},
		{Mutant: "takes-controlled", Scenario: "name-taken-controlled", Oracle: "not-taken", Fault: "It scales a Deployment of that name that another controller has made."},
		{Mutant: "deletes-by-name", Scenario: "name-taken-controlled", Oracle: "not-taken", Fault: "It deletes the Deployment that has the custom resource's name, whoever made it."},
		{Mutant: "sees-by-label", Scenario: "labels-removed", Oracle: "converged", Fault: "Its cache selects by labels: without them the Deployment is not there, and is created again and again."},
		{Mutant: "ignores-deleted", Scenario: "drift-deleted", Oracle: "converged", Fault: "It does not make a Deployment again that somebody has deleted."},
		{Mutant: "once-per-name", Scenario: "recreate", Oracle: "converged", Fault: "It takes a new custom resource for the old one of that name."},
		{Mutant: "recreates-on-scale", Scenario: "scale-down", Oracle: "write-history", Fault: "It deletes the Deployment and makes it again to scale it."},
		{Mutant: "restless", Scenario: "create", Oracle: "stays-converged", Fault: "It writes the time into the Deployment, for ever."},
		{Mutant: "neighbour", Scenario: "two-resources", Oracle: "isolation", Fault: "It scales its neighbours' Deployments too."},
		{Mutant: "leaks-pod", Scenario: "delete", Oracle: "garbage", Fault: "It starts a pod beside the Deployment, which nothing removes."},

		{Mutant: "keeps-finalizer", Scenario: "delete", Oracle: "gone", Fault: "It sets a finalizer, and never removes it."},
		{Mutant: "tries-once", Scenario: "deletion-refused", Oracle: "gone", Fault: "It tries once to take its finalizer away."},
		{Mutant: "orphans", Scenario: "delete", Oracle: "garbage", Fault: "It deletes its Deployment, and leaves the ReplicaSet and the pods."},
		{Mutant: "deletion-as-update", Scenario: "delete", Oracle: "write-history", Fault: "It cleans up behind a finalizer of its own, and then goes on as after an update: it makes the Deployment again."},

		{Mutant: "status-lies", Scenario: "create", Oracle: "status", Quick: true, Fault: "Its status names pods that are not there."},
		{Mutant: "status-stale", Scenario: "scale-up", Oracle: "status", Fault: "Its status goes on telling of the first generation."},
		{Mutant: "observes-changes", Scenario: "changed-back-while-down", Oracle: "status", Fault: "It writes observedGeneration only where something else in the status is new."},
		{Mutant: "drops-status-errors", Scenario: "status-refused-briefly", Oracle: "recovers", Fault: "It takes a status that was refused for one that was written."},
		{Mutant: "status-keeps-dead", Scenario: "scale-down", Oracle: "status", Fault: "Its status goes on naming pods that have gone."},
		{Mutant: "status-restless", Scenario: "create", Oracle: "stays-converged", Fault: "It writes a new time into the status at every look."},
		{Mutant: "condition-moves", Scenario: "image-missing", Oracle: "conditions", Fault: "Its condition has the time of the last write, though its status did not turn."},
		{Mutant: "condition-stands", Scenario: "scale-up", Oracle: "conditions", Fault: "Its condition turns, and keeps the time of its first turn."},
		{Mutant: "reason-of-words", Scenario: "create", Oracle: "conditions", Fault: "The reason of its condition is a sentence."},
		{Mutant: "silent-on-bad-size", Scenario: "tutorial-size-negative", Oracle: "diagnosable", Fault: "It tells nobody that a size is not usable."},
		{Mutant: "silent-on-errors", Scenario: "write-refused", Oracle: "diagnosable", Fault: "It tells nobody what the API refuses."},
		{Mutant: "blames-in-advance", Scenario: "write-refused", Oracle: "diagnosable", Fault: "It names a refusal at each creation, and tells nobody of one."},

		{Mutant: "keeps-at-zero", Scenario: "deleted-at-zero", Oracle: "gone", Fault: "It never takes its finalizer from a custom resource of size 0."},
		{Mutant: "keeps-changed", Scenario: "scale-up", Oracle: judge.Released, Fault: "It never takes its finalizer from a custom resource that was changed."},
		{Mutant: "notes-on-pods", Scenario: "create", Oracle: Late, Fault: "It writes the time on its pods, for ever: each oracle is content, and the sample never comes to rest."},
		{Mutant: "status-early-nodes", Scenario: "image-missing", Oracle: "status", Fault: "Its status names pods before they run."},
		{Mutant: "ready-at-once", Scenario: "image-missing", Oracle: "status", Fault: "Its status is Ready as soon as the Deployment is written, even over an image that cannot be pulled."},
		{Mutant: "wrong-replicas", Scenario: "scaled-by-subresource", Oracle: "status", Fault: "Its status counts one pod, however many there are, which autoscalers read."},
		{Mutant: "wrong-selector", Scenario: "two-resources", Oracle: "status", Fault: "The selector in its status selects the pods of every custom resource."},
		{Mutant: "truncates-names", Scenario: "names-alike", Oracle: "isolation", Fault: "It cuts the names of Deployments behind 50 letters, and mixes up what differs later."},
		{Mutant: "stops-after-twenty", Scenario: "series-of-sixty", Oracle: "series", Fault: "It handles twenty custom resources, and no more."},
		{Mutant: "late-every-fifth", Scenario: "series-of-sixty", Oracle: "series", Fault: "It handles every fifth custom resource 40 s late."},
		{Mutant: "flaps-after-8s", Scenario: "calm-for-a-minute", Oracle: "stays-converged", Fault: "It writes to its Deployment again 8 s after all was done, and so on."},
		{Mutant: "labels-after-8s", Scenario: "calm-for-a-minute", Oracle: "calm", Fault: "It writes a label of its Deployment again 8 s after all was done, and so on, which changes no generation."},
		{Mutant: "configmap-left", Scenario: "delete", Oracle: "garbage", Fault: "It makes a ConfigMap beside the Deployment, which nothing removes."},
		{Mutant: "configmap-elsewhere", Scenario: "delete", Oracle: "garbage", Fault: "It makes a ConfigMap in another namespace, which nothing removes."},
		{Mutant: "owner-not-controller", Scenario: "scale-from-zero", Oracle: "owned", ByName: true, Fault: "Its owner reference is not that of a controller."},
		{Mutant: "owner-not-blocking", Scenario: "scale-from-zero", Oracle: "owned", Fault: "Its owner reference does not block the owner's deletion."},
		{Mutant: "edits-spec", Scenario: "scale-up", Oracle: "untouched", Fault: "It writes another size into the custom resource's spec."},
		{Mutant: "rewrites-status", Scenario: "create", Oracle: "calm", Fault: "It writes the status five times a second, though nothing changed."},
		{Mutant: "late-at-times", Scenario: "create", Oracle: "prompt", Times: 10, Fault: "It handles every fifth custom resource 15 s late."},
		{Mutant: "logs-secrets", Scenario: "create", Oracle: "no-secrets-logged", Fault: "It tells its log what is in the Secrets of a custom resource's namespace."},

		// Read in published operators.
		{Mutant: "dies-after-write", Scenario: "namespace-longest", Oracle: "health", Fault: "It panics when its Deployment has been created."},
		{Mutant: "never-scales", Scenario: "scale-up", Oracle: "converged", Fault: "It leaves a Deployment at the size that it was made with, and says that all is well."},
		{Mutant: "stops-after-one", Scenario: "two-resources", Oracle: "isolation", Fault: "It handles one custom resource of each namespace."},
		{Mutant: "one-selector", Scenario: "scale-from-zero", Oracle: "reference", Fault: "Its Deployments all select the same pods."},
		{Mutant: "retries-deleted", Scenario: "deleted-at-zero", Oracle: "in-vain", Fault: "It takes a deleted custom resource for an error, and asks for it for ever."},
		{Mutant: "finalizes-late", Scenario: "finalizer", Oracle: "in-vain", Fault: "It adds its finalizer to what is being deleted, which the API server refuses."},
		{Mutant: "drops-errors", Scenario: "deployments-forbidden", Oracle: "recovers", Fault: "It takes a Deployment that was refused for one that was made."},
		{Mutant: "status-later", Scenario: "create", Oracle: "status", Fault: "It writes the status a minute after what it tells of."},
		{Mutant: "crashes-on-second", Scenario: "two-resources", Oracle: "health", Fault: "It panics at a second custom resource."},
		{Mutant: "waits-ever-longer", Scenario: "write-refused", Oracle: "recovers", Fault: "It doubles its wait after each error, from a second on, without a limit."},
		{Mutant: "looks-after-deleted", Scenario: "deleted-at-zero", Oracle: "in-vain", Fault: "Every ten seconds it lists the pods of each custom resource that has gone, for ever."},

		// What shows where two run, and what grows.
		{Mutant: "leads-aside", Scenario: "two-at-once", Oracle: "one-leader", Fault: "It elects a leader, and acts whoever leads."},
		{Mutant: "never-takes-over", Scenario: "handed-over", Oracle: "recovers", Fault: "It asks once whether it leads."},
		{Mutant: "draws-names", Scenario: "two-at-once", Oracle: "isolation", Fault: "It draws a Deployment's name where it finds none: two pods draw two."},
		{Mutant: "keeps-some", Scenario: "series-that-goes", Oracle: "growth", Fault: "It keeps 48 KiB of each reconcile for ever."},
		{Mutant: "keeps-mebibyte", Scenario: "series-that-goes", Oracle: "health", Fault: "It keeps 1 MiB of each reconcile for ever, until its memory is used up."},
		{Mutant: "keeps-goroutine", Scenario: "series-that-goes", Oracle: "growth", Fault: "It starts a goroutine at each reconcile that never ends."},
		{Mutant: "keeps-socket", Scenario: "series-that-goes", Oracle: "growth", Fault: "It opens a socket at each reconcile that it never closes."},
		{Mutant: "watches-namespaces", Scenario: "series-of-namespaces", Oracle: "growth", Fault: "It begins a watch in each namespace that never ends."},

		// Held out: written without knowledge of the oracles that find those above.
		{Mutant: "leaves-service", Scenario: "delete", Oracle: "garbage", Fault: "It makes a Service for each custom resource, which nothing removes."},
		{Mutant: "leaves-note", Scenario: "delete", Oracle: "garbage", Fault: "It makes a ConfigMap for each custom resource in its own namespace, which nothing removes."},
		{Mutant: "owner-old-version", Scenario: "scale-from-zero", Oracle: "owned", ByName: true, Fault: "Its owner reference names a version of the API that is not served."},
		{Mutant: "letters-first", Scenario: "name-digits-first", Oracle: "converged", Fault: "It takes a name that begins with a digit for none."},
		{Mutant: "cuts-names", Scenario: "names-alike", Oracle: "isolation", Fault: "It has room for 52 letters of a name."},
		{Mutant: "replicas-of-all", Scenario: "two-resources", Oracle: "status", Fault: "Its status counts all pods of the namespace."},
		{Mutant: "selects-none", Scenario: "create", Oracle: "status", Fault: "The selector in its status cannot be read as one."},
		{Mutant: "observes-first", Scenario: "scale-from-zero", Oracle: "status", Fault: "It says that it has acted on a generation five seconds before it does."},
		{Mutant: "ready-of-first", Scenario: "scale-from-zero", Oracle: "status", Fault: "Its condition goes on telling of the first generation."},
		{Mutant: "ready-on-one", Scenario: "scale-up", Oracle: "status", Fault: "It is Ready with its first pod."},
		{Mutant: "never-ready", Scenario: "create", Oracle: "status", Fault: "Its condition never becomes True."},
		{Mutant: "touches-custom", Scenario: "create", Oracle: "calm", Fault: "It writes the custom resource as it is, twice a second."},
		{Mutant: "touches-child", Scenario: "create", Oracle: "calm", Fault: "It writes the Deployment as it is, twice a second."},
		{Mutant: "late-every-seventh", Scenario: "series-of-sixty", Oracle: "series", Fault: "It handles every seventh custom resource half a minute late."},
		{Mutant: "stops-after-forty", Scenario: "series-of-sixty", Oracle: "series", Fault: "It handles forty custom resources."},
		{Mutant: "flaps-once", Scenario: "calm-for-a-minute", Oracle: "stays-converged", Fault: "It scales what has been at rest for 25 s to nothing, and back."},
		{Mutant: "takes-finalizers", Scenario: "finalizer", Oracle: "untouched", Fault: "It removes the finalizers of others, too."},
		{Mutant: "forgets-at-restart", Scenario: "deleted-while-down", Oracle: "gone", Fault: "It removes its finalizer from what it has handled since it started."},
		{Mutant: "begins-anew", Scenario: "restarted-at-rest", Oracle: "status", Fault: "It says of each custom resource that it is being set up when it starts, and a moment later that it is ready."},
		{Mutant: "ready-stays", Scenario: "pods-fail-later", Oracle: "status", Fault: "Once its condition is True it stays so until the custom resource changes."},
		{Mutant: "keeps-childless", Scenario: "deleted-without-child", Oracle: "gone", Fault: "It keeps its finalizer where the Deployment has gone already."},
		{Mutant: "keeps-unready", Scenario: "deleted-while-failing", Oracle: "gone", Fault: "It keeps its finalizer until the pods are ready."},
		{Mutant: "older-is-stale", Scenario: "recreate", Oracle: "converged", Fault: "It takes a generation that is lower than what it knows of that name for a stale read."},
		{Mutant: "logs-token", Scenario: "create", Oracle: "no-secrets-logged", Fault: "It tells its log the token of its service account."},
		{Mutant: "flips-ready", Scenario: "calm-for-a-minute", Oracle: "stays-converged", Fault: "It turns its condition every four seconds."},
		{Mutant: "tries-the-same", Scenario: "changed-while-refused", Oracle: "pods-kept", Fault: "It writes what was refused once more, whatever is wanted by then."},
		{Mutant: "keeps-error", Scenario: "undone-while-refused", Oracle: "status", Fault: "It reports what a write has failed by until the next one goes well."},
		{Mutant: "makes-anew", Scenario: "changed-while-refused", Oracle: "pods-kept", Fault: "It deletes a Deployment whose change is refused, and creates it again."},
		{Mutant: "sweeps-up", Scenario: "orphaned-and-recreated", Oracle: "pods-kept", Fault: "It deletes a Deployment of its own that nobody owns, once its custom resource is going or gone."},
		{Mutant: "forgets-late", Scenario: "recreated-at-once", Oracle: "converged", Fault: "Five seconds after a deletion it forgets all of that name, even what was created since."},
		{Mutant: "gives-up-soon", Scenario: "slow-admission", Oracle: "converged", Fault: "It waits two seconds for the answer to a write."},
	}
}
