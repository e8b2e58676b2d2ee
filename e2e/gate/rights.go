package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// compareRights fills Rights: what head's service accounts may do and base's may not,
// and what its pods may do to a node.
func (r *Result) compareRights() {
	more := func(what string, added []string) {
		if len(added) > 0 {
			r.Rights = append(r.Rights, Lack{what, Regression, "head may, and base may not: " + strings.Join(added, "; ")})
		}
	}
	for _, style := range r.Head.styles() {
		if !slices.ContainsFunc(r.Base.styles(), func(was record.Style) bool { return was.Name == style.Name }) {
			continue
		}
		was := r.Base.rights(style.Name)
		accounts, added := addedRights(was, r.Head.rights(style.Name))
		for _, account := range accounts {
			more(style.Name+" account "+account, added[account])
		}
		before, after := r.Base.facts(style.Name), r.Head.facts(style.Name)
		if before != nil && after != nil {
			more(style.Name+" pods", append(looser(before.PodSecurity, after.PodSecurity), privileges(before.Privileges, after.Privileges)...))
		}
	}
}

// rights are what a side's accounts were given, as they were found in the cluster.
func (s Side) rights(style string) []spec.Right {
	var list []spec.Right
	for _, use := range s.Recording.Grants {
		if use.Style == style && use.Variant == s.Variant {
			list = append(list, plain.Map(use.Rights, func(one grants.Right) spec.Right { return one.Right })...)
		}
	}
	return list
}

// facts are what is known of a side's style; nil: nothing.
func (s Side) facts(style string) *record.StyleFacts {
	return s.Recording.Environment.Facts(record.Label(style, s.Variant))
}

// addedRights lists, by account in their order, the rights that no right of the same
// account at base includes; of an account that base does not have, no right of any.
func addedRights(was, is []spec.Right) (accounts []string, added map[string][]string) {
	added = map[string][]string{}
	type object struct{ account, name, role string }
	var verbs plain.Groups[object, string]
	for _, right := range is {
		known := slices.ContainsFunc(was, func(w spec.Right) bool { return w.ServiceAccount == right.ServiceAccount })
		if slices.ContainsFunc(was, func(w spec.Right) bool {
			return (w.ServiceAccount == right.ServiceAccount || !known) && w.Includes(right)
		}) {
			continue
		}
		scope := "cluster-wide"
		if !right.ClusterWide() {
			scope = "in namespace " + right.Namespace
		}
		verbs.Add(object{right.ServiceAccount, right.Object(), right.Role + ", " + scope}, right.Verb)
	}
	for _, of := range verbs.Keys {
		accounts = plain.Once(accounts, of.account)
		added[of.account] = append(added[of.account], fmt.Sprintf("%s %s (%s)", strings.Join(plain.Once(nil, verbs.Of[of]...), ", "), of.name, of.role))
	}
	return accounts, added
}

// standards are the Pod Security Standards, the strictest first. A namespace without
// one is privileged (https://kubernetes.io/docs/concepts/security/pod-security-standards/).
func standards() []string { return []string{"restricted", "baseline", "privileged"} }

func strictness(standard string) int {
	if i := slices.Index(standards(), standard); i >= 0 {
		return i
	}
	return len(standards()) - 1
}

// looser lists the namespaces whose pods may do more than base's in the namespace of
// that name; of a new one, more than in any of base's.
func looser(was, is map[string]string) []string {
	if len(was) == 0 {
		return nil // not known
	}
	loosest := 0
	for _, standard := range was {
		loosest = max(loosest, strictness(standard))
	}
	var list []string
	for _, namespace := range slices.Sorted(maps.Keys(is)) {
		before := loosest
		if standard, there := was[namespace]; there {
			before = strictness(standard)
		}
		if after := strictness(is[namespace]); after > before {
			list = append(list, fmt.Sprintf("be %s in namespace %s (Pod Security Standard; %s at base)", standards()[after], namespace, standards()[before]))
		}
	}
	return list
}

// privileges are those that only head's pods ask for.
func privileges(was, is []string) []string {
	return plain.Pick(is, func(one string) (string, bool) { return "use " + one, !slices.Contains(was, one) })
}
