package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/table"
)

// SecurityTable is what each style's service accounts may do, and did.
func (r *Report) SecurityTable() table.Table {
	t := table.Table{
		Title:  "What a style's service accounts may do, and what of it they did (RBAC against the audit log)",
		Header: []string{"style", "rights of all accounts", "cluster-wide", "never used", "wildcards", "refused", "may read secrets", "did", "pods held to"}, Left: 1, Tail: true,
	}
	for _, s := range r.Security() {
		t.Row(
			s.Label, s.Held(), strconv.Itoa(s.Wide), s.known(s.Unused), strconv.Itoa(s.Wildcards), s.known(s.Denied),
			strconv.Itoa(s.Readers), s.known(s.Read), s.Pods,
		)
		for _, finding := range s.Uses.Findings {
			t.Notes = append(t.Notes, s.Label+" should not: "+finding)
		}
		if !s.Audited {
			t.Notes = append(t.Notes, s.Label+": the recording has no audit log, so that nothing is known of use")
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, securityNote)
	}
	return t
}

const securityNote = `a right is one verb on one resource, counted for each service account that has it; refused: calls answered with 403, including those while a fault withheld rights; may read secrets, and did: numbers of service accounts; report.json lists them all`

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
		if facts, _ := r.Facts(s.Label); facts != nil && len(facts.PodSecurity) > 0 {
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
			may = plain.Once(may, secrets.ServiceAccount)
			if secrets.Reads > 0 {
				did = plain.Once(did, secrets.ServiceAccount)
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
		levels = plain.Once(levels, by[namespace])
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

// Rights says how many rights the operator's accounts hold; of wildcards, that it
// is any number.
func Rights(o *record.Owned) string {
	return grants.Held(o.Rules, len(o.Wildcards), slices.Contains(o.Wildcards, "* *.*"))
}
