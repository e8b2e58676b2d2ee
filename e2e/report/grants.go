package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// joinGrants adds up over all recordings what styles did with their rights: what
// one shard never used, another may have.
func joinGrants(recordings []Recording) []grants.Use {
	var all []grants.Use
	for _, one := range recordings {
		for _, use := range one.Grants {
			if len(use.Rights) == 0 { // recordings did not always have them
				continue
			}
			i := slices.IndexFunc(all, func(u grants.Use) bool { return u.Style == use.Style && u.Variant == use.Variant })
			if i < 0 {
				all = append(all, use)
				continue
			}
			all[i] = joinUse(all[i], use)
		}
	}
	return all
}

// joinUse adds up what two recordings say of one style. It is audited where both are:
// what one log does not tell of may have been used.
func joinUse(a, b grants.Use) grants.Use {
	a.Audited = a.Audited && b.Audited
	a.Lost += b.Lost
	a.Over = slices.Clone(a.Over)
	for _, name := range b.Over {
		a.Over = addNew(a.Over, name)
	}
	a.Rights = merge(a.Rights, b.Rights, sameRight, func(into *grants.Right, from grants.Right) {
		if into.Used > 0 && from.Used > 0 && (len(into.Within) == 0) != (len(from.Within) == 0) {
			into.Within = nil // somewhere it was used in other namespaces too
		} else {
			into.Within = union(into.Within, from.Within)
		}
		into.Used += from.Used
		into.As = joinCalls(into.As, from.As)
	})
	a.Denied, a.Beyond = joinCalls(a.Denied, b.Denied), joinCalls(a.Beyond, b.Beyond)
	a.Secrets = merge(a.Secrets, b.Secrets, sameSecrets, func(into *grants.SecretRights, from grants.SecretRights) { into.Reads += from.Reads })
	a.Reasoned = a.Reasoned && b.Reasoned
	a.Reasons = merge(a.Reasons, b.Reasons, func(x, y spec.SecretReader) bool { return x == y }, func(*spec.SecretReader, spec.SecretReader) {})
	return a.Sum()
}

// merge adds b to a: what is the same is added up by add, the rest follows.
func merge[T any](a, b []T, same func(a, b T) bool, add func(into *T, from T)) []T {
	all := slices.Clone(a)
	for _, one := range b {
		if i := slices.IndexFunc(all, func(have T) bool { return same(have, one) }); i >= 0 {
			add(&all[i], one)
			continue
		}
		all = append(all, one)
	}
	return all
}

func joinCalls(a, b []grants.Call) []grants.Call {
	same := func(x, y grants.Call) bool {
		x.Count, y.Count = 0, 0
		return x == y
	}
	return merge(a, b, same, func(into *grants.Call, from grants.Call) { into.Count += from.Count })
}

func sameRight(a, b grants.Right) bool {
	return a.ServiceAccount == b.ServiceAccount && a.Role == b.Role && a.Namespace == b.Namespace && a.Group == b.Group &&
		a.Resource == b.Resource && a.Name == b.Name && a.Verb == b.Verb && a.URL == b.URL
}

func sameSecrets(a, b grants.SecretRights) bool {
	return a.ServiceAccount == b.ServiceAccount && a.Role == b.Role && a.Namespace == b.Namespace && a.Name == b.Name && slices.Equal(a.Verbs, b.Verbs)
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, name := range b {
		all = addNew(all, name)
	}
	return all
}

// securityTable is what each style's service accounts may do, and did.
func (r *Report) securityTable() table {
	t := table{
		title:  "What a style's service accounts may do, and what of it they did (RBAC against the audit log)",
		header: []string{"style", "rights", "cluster-wide", "never used", "wildcards", "refused", "may read secrets", "did", "pods held to"}, left: 1, tail: true,
	}
	for _, s := range r.Security() {
		t.rows = append(t.rows, []string{
			s.Label, s.Held(), strconv.Itoa(s.Wide), s.known(s.Unused), strconv.Itoa(s.Wildcards), s.known(s.Denied),
			strconv.Itoa(s.Readers), s.known(s.Read), s.Pods,
		})
		for _, finding := range s.Uses.Findings {
			t.notes = append(t.notes, s.Label+" should not: "+finding)
		}
		if !s.Audited {
			t.notes = append(t.notes, s.Label+": the recording has no audit log, so that nothing is known of use")
		}
	}
	if len(t.rows) > 0 {
		t.notes = append(t.notes, securityNote)
	}
	return t
}

const securityNote = `a right is one verb on one resource; refused are calls, with 403, those while a fault had taken rights away too; who may read secrets, and did, are service accounts; report.json has all`

// Security is what a style is trusted with, in numbers.
type Security struct {
	Label   string
	Audited bool
	// Rights that are held; of these: in the whole cluster, never used, and with
	// a wildcard.
	Rights, Wide, Unused, Wildcards int
	Denied                          int    // calls that were refused
	Readers, Read                   int    // service accounts that may read secrets, and that did
	Pods                            string // the Pod Security Standard that is enforced on its namespaces
	Uses                            grants.Use
}

// Held says how many rights there are; of wildcards, that it is any number.
func (s Security) Held() string { return s.Uses.Held() }

// Security sums up what is known of the rights of styles.
func (r *Report) Security() []Security {
	var all []Security
	for _, u := range r.Grants {
		s := Security{Label: record.Label(u.Style, u.Variant), Audited: u.Audited, Rights: len(u.Rights), Unused: len(u.Unused()), Pods: unknown, Uses: u}
		if facts, _ := r.facts(s.Label); facts != nil && len(facts.PodSecurity) > 0 {
			s.Pods = podSecurity(facts.PodSecurity)
		}
		for _, right := range u.Rights {
			if right.ClusterWide() {
				s.Wide++
			}
			if right.Wild() {
				s.Wildcards++
			}
		}
		for _, c := range u.Denied {
			s.Denied += c.Count
		}
		var may, did []string
		for _, secrets := range u.Secrets {
			may = addNew(may, secrets.ServiceAccount)
			if secrets.Reads > 0 {
				did = addNew(did, secrets.ServiceAccount)
			}
		}
		s.Readers, s.Read = len(may), len(did)
		all = append(all, s)
	}
	return all
}

// podSecurity names the standard that is enforced on namespaces; those of another
// one by their names.
func podSecurity(by map[string]string) string {
	var levels, parts []string
	for _, namespace := range slices.Sorted(maps.Keys(by)) {
		levels = addNew(levels, by[namespace])
		parts = append(parts, by[namespace]+" ("+namespace+")")
	}
	if len(levels) == 1 {
		return levels[0]
	}
	return strings.Join(parts, ", ")
}

// known is a count that the audit log tells of.
func (s Security) known(n int) string {
	if !s.Audited {
		return unknown
	}
	return strconv.Itoa(n)
}

// Object names what a right is on, as kubectl takes it, and where.
func Object(r grants.Right) string {
	what := r.URL
	if what == "" {
		what = strings.TrimSuffix(r.Resource+"."+r.Group, ".")
	}
	if r.Name != "" {
		what += " " + r.Name
	}
	if r.ClusterWide() {
		return what + ", cluster-wide"
	}
	return fmt.Sprintf("%s, in %s", what, r.Namespace)
}
