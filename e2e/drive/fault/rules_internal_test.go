package fault

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/spec"
)

// world is what the cluster of these tests serves.
var world = served{
	"":     {"pods", "pods/log", "events"},
	"apps": {"deployments", "deployments/status", "deployments/scale", "statefulsets"},
	"x.io": {"things", "deployments"},
}

func rule(groups, resources, verbs []string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: groups, Resources: resources, Verbs: verbs}
}

type list = []string

func TestRulesWithoutWrites(t *testing.T) {
	named := rule(list{"apps"}, list{"deployments"}, list{"get", "patch"})
	named.ResourceNames = list{"one"}
	namedKept := rule(list{"apps"}, list{"deployments"}, list{"get"})
	namedKept.ResourceNames = list{"one"}
	urls := rbacv1.PolicyRule{NonResourceURLs: list{"*"}, Verbs: list{"*"}}
	for name, test := range map[string]struct{ given, kept []rbacv1.PolicyRule }{
		"reads and writes": {
			[]rbacv1.PolicyRule{rule(list{"apps"}, list{"deployments"}, list{"get", "list", "create", "patch", "delete"})},
			[]rbacv1.PolicyRule{rule(list{"apps"}, list{"deployments"}, list{"get", "list"})},
		},
		"writes alone": {
			[]rbacv1.PolicyRule{rule(list{"apps"}, list{"deployments"}, list{"create", "update", "deletecollection"})}, nil,
		},
		"reads alone": {
			[]rbacv1.PolicyRule{rule(list{"apps"}, list{"deployments"}, list{"get"})},
			[]rbacv1.PolicyRule{rule(list{"apps"}, list{"deployments"}, list{"get"})},
		},
		"a rule of several resources is split": {
			[]rbacv1.PolicyRule{rule(list{"apps"}, list{"statefulsets", "deployments", "deployments/scale"}, list{"get", "update"})},
			[]rbacv1.PolicyRule{
				rule(list{"apps"}, list{"statefulsets", "deployments/scale"}, list{"get", "update"}),
				rule(list{"apps"}, list{"deployments"}, list{"get"}),
			},
		},
		"a rule of several groups is split": {
			[]rbacv1.PolicyRule{rule(list{"x.io", "apps"}, list{"deployments"}, list{"create"})},
			[]rbacv1.PolicyRule{rule(list{"x.io"}, list{"deployments"}, list{"create"})},
		},
		"wildcards are spelled out": {
			[]rbacv1.PolicyRule{rule(list{"*"}, list{"*"}, list{"*"})},
			[]rbacv1.PolicyRule{
				rule(list{"", "x.io"}, list{"*"}, list{"*"}),
				rule(list{"apps"}, list{"deployments/status", "deployments/scale", "statefulsets"}, list{"*"}),
				rule(list{"apps"}, list{"deployments"}, list{"get", "list", "watch"}),
			},
		},
		"names stay": {[]rbacv1.PolicyRule{named}, []rbacv1.PolicyRule{namedKept}},
		"others are not touched": {
			[]rbacv1.PolicyRule{
				rule(list{"apps"}, list{"deployments/status", "*/scale"}, list{"*"}),
				rule(list{"x.io"}, list{"deployments"}, list{"create"}), urls,
			},
			[]rbacv1.PolicyRule{
				rule(list{"apps"}, list{"deployments/status", "*/scale"}, list{"*"}),
				rule(list{"x.io"}, list{"deployments"}, list{"create"}), urls,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			kept := withhold(test.given, taken{schema.GroupResource{Group: "apps", Resource: "deployments"}, spec.WriteVerbs()}, world)
			assert.Equal(t, test.kept, kept)
		})
	}
}

// verbsOfWorld are all verbs that can be asked for.
func verbsOfWorld() []string { return slices.Concat(spec.ReadVerbs(), spec.WriteVerbs()) }

// allows tells whether rules allow something, as the API server decides.
func allows(rules []rbacv1.PolicyRule, group, resource, verb string) bool {
	return slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool {
		return covers(r.APIGroups, group) && covers(r.Resources, resource) && covers(r.Verbs, verb)
	})
}

// Whatever the rules are, exactly the writes of the one resource are taken from them.
func TestExactlyTheWritesOfOneResourceAreTaken(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) []string {
		var picked []string
		for _, one := range from {
			if random.IntN(3) == 0 {
				picked = append(picked, one)
			}
		}
		return picked
	}
	forbidden := schema.GroupResource{Group: "apps", Resource: "deployments"}
	withheld := taken{forbidden, spec.WriteVerbs()}
	taken := 0
	for range 5000 {
		var rules []rbacv1.PolicyRule
		for range 1 + random.IntN(3) {
			rules = append(rules, rule(
				pick("", "apps", "x.io", "*"),
				pick("pods", "deployments", "deployments/scale", "statefulsets", "things", "*"),
				pick(append(verbsOfWorld(), "*")...)))
		}
		kept := withhold(rules, withheld, world)
		for group, resources := range world {
			for _, resource := range resources {
				for _, verb := range verbsOfWorld() {
					want := allows(rules, group, resource, verb)
					if want && group == forbidden.Group && resource == forbidden.Resource && slices.Contains(spec.WriteVerbs(), verb) {
						want, taken = false, taken+1
					}
					assert.Equal(t, want, allows(kept, group, resource, verb), "%s %s.%s of %v", verb, resource, group, rules)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	assert.Positive(t, taken)
}
