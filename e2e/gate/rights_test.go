package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// unchanged is a comparison of native with itself.
func unchanged(run string) *story {
	s := newStory(run, 0.03, 3)
	s.turns(12, func(variant string, round int) { s.native(variant, round, 1, "") })
	return s
}

func TestMoreRights(t *testing.T) {
	const account, role = "system/native", "ClusterRole native"
	deployments := spec.Right{ServiceAccount: account, Role: role, Group: "apps", Resource: "deployments", Verb: "patch"}
	with := func(right spec.Right, change func(*spec.Right)) spec.Right {
		change(&right)
		return right
	}
	admin := spec.Right{ServiceAccount: account, Role: "ClusterRole cluster-admin", Group: "*", Resource: "*", Verb: "*"}
	url := spec.Right{ServiceAccount: account, Role: "ClusterRole cluster-admin", Verb: "*", URL: "*"}
	within := func(r *spec.Right) { r.Namespace = "system" }
	for name, test := range map[string]struct {
		was, is []spec.Right
		want    []string
	}{
		"the same":             {[]spec.Right{deployments}, []spec.Right{deployments}, nil},
		"fewer":                {[]spec.Right{admin, url}, []spec.Right{deployments}, nil},
		"by another role":      {[]spec.Right{deployments}, []spec.Right{with(deployments, func(r *spec.Right) { r.Role = "ClusterRole other" })}, nil},
		"renamed account":      {[]spec.Right{deployments}, []spec.Right{with(deployments, func(r *spec.Right) { r.ServiceAccount = "system/other" })}, nil},
		"in one namespace":     {[]spec.Right{deployments}, []spec.Right{with(deployments, within)}, nil},
		"of one object":        {[]spec.Right{deployments}, []spec.Right{with(deployments, func(r *spec.Right) { r.Name = "cache" })}, nil},
		"a part of all":        {[]spec.Right{admin}, []spec.Right{deployments, with(deployments, func(r *spec.Right) { r.Resource = "deployments/status" })}, nil},
		"cluster-admin":        {[]spec.Right{deployments}, []spec.Right{deployments, admin, url}, []string{"native account system/native: head may, and base may not: * *.* (ClusterRole cluster-admin, cluster-wide); * * (ClusterRole cluster-admin, cluster-wide)"}},
		"another verb":         {[]spec.Right{deployments}, []spec.Right{deployments, with(deployments, func(r *spec.Right) { r.Verb = "delete" }), with(deployments, func(r *spec.Right) { r.Verb = "create" })}, []string{"native account system/native: head may, and base may not: delete, create deployments.apps (ClusterRole native, cluster-wide)"}},
		"everywhere":           {[]spec.Right{with(deployments, within)}, []spec.Right{deployments}, []string{"native account system/native: head may, and base may not: patch deployments.apps (ClusterRole native, cluster-wide)"}},
		"any object":           {[]spec.Right{with(deployments, func(r *spec.Right) { r.Name = "cache" })}, []spec.Right{with(deployments, within)}, []string{"native account system/native: head may, and base may not: patch deployments.apps (ClusterRole native, in namespace system)"}},
		"a subresource":        {[]spec.Right{deployments}, []spec.Right{with(deployments, func(r *spec.Right) { r.Resource = "deployments/scale" })}, []string{"native account system/native: head may, and base may not: patch deployments/scale.apps (ClusterRole native, cluster-wide)"}},
		"its fellow's":         {[]spec.Right{deployments, with(admin, func(r *spec.Right) { r.ServiceAccount = "system/fellow" })}, []spec.Right{deployments, admin}, []string{"native account system/native: head may, and base may not: * *.* (ClusterRole cluster-admin, cluster-wide)"}},
		"where there was none": {nil, []spec.Right{deployments}, []string{"native account system/native: head may, and base may not: patch deployments.apps (ClusterRole native, cluster-wide)"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := unchanged("a")
			for _, right := range test.was {
				s.may("native", gate.VariantBase, right)
				s.may("native", gate.VariantAgain, right)
			}
			for _, right := range test.is {
				s.may("native", gate.VariantHead, right)
			}
			r := interleaved(t, s)
			assert.Equal(t, test.want, saying(r.Rights))
			if test.want == nil {
				assert.Equal(t, gate.Pass, r.Verdict)
				return
			}
			assert.Equal(t, gate.Regression, r.Verdict)
			assert.Equal(t, "more rights", r.InWords())
			assert.Equal(t, "MORE RIGHTS: native account system/native.", r.Conclusion())
			for _, print := range outputs(t, r) {
				assert.Contains(t, print, "native account system/native")
				assert.Contains(t, print, "(ClusterRole ")
			}
		})
	}
}

func saying(list []gate.Lack) []string {
	var all []string
	for _, one := range list {
		all = append(all, one.Message())
	}
	return all
}

// A namespace without a Pod Security Standard allows what privileged allows.
func TestPodsThatMayMore(t *testing.T) {
	for name, test := range map[string]struct {
		was, is    map[string]string
		privileges []string
		want       []string
	}{
		"the same":        {map[string]string{"a": "restricted"}, map[string]string{"a": "restricted"}, nil, nil},
		"stricter":        {map[string]string{"a": ""}, map[string]string{"a": "baseline"}, nil, nil},
		"not known":       {nil, map[string]string{"a": ""}, nil, nil},
		"renamed":         {map[string]string{"a": "baseline"}, map[string]string{"b": "restricted"}, nil, nil},
		"looser":          {map[string]string{"a": "restricted"}, map[string]string{"a": "baseline"}, nil, []string{"native pods: head may, and base may not: be baseline in namespace a (Pod Security Standard; restricted at base)"}},
		"taken away":      {map[string]string{"a": "baseline"}, map[string]string{"a": ""}, nil, []string{"native pods: head may, and base may not: be privileged in namespace a (Pod Security Standard; baseline at base)"}},
		"a new namespace": {map[string]string{"a": "baseline"}, map[string]string{"a": "baseline", "b": "privileged"}, nil, []string{"native pods: head may, and base may not: be privileged in namespace b (Pod Security Standard; baseline at base)"}},
		"privileged": {
			map[string]string{"a": ""},
			map[string]string{"a": ""},
			[]string{"hostPath /run of DaemonSet a/agent", "privileged of DaemonSet a/agent"},
			[]string{"native pods: head may, and base may not: use hostPath /run of DaemonSet a/agent; use privileged of DaemonSet a/agent"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := unchanged("a")
			for i := range s.recording.Environment.Styles {
				facts := &s.recording.Environment.Styles[i]
				facts.PodSecurity = test.was
				if facts.Variant == gate.VariantHead {
					facts.PodSecurity, facts.Privileges = test.is, test.privileges
				}
			}
			r := interleaved(t, s)
			assert.Equal(t, test.want, saying(r.Rights))
			assert.Equal(t, test.want != nil, r.Verdict == gate.Regression)
		})
	}
}

// Rights of the shards of a run count together.
func TestRightsOfShards(t *testing.T) {
	side := func(name string, rights ...spec.Right) gate.Side {
		one, two := plain(name+"1", 8), plain(name+"2", 8)
		for _, right := range rights {
			one.may("native", "", right)
		}
		_, err := gate.Join(one.recording, two.recording)
		require.ErrorContains(t, err, "both drove native")
		two.recording.Judgement.Results = nil
		joined, err := gate.Join(one.recording, two.recording)
		require.NoError(t, err)
		side, err := gate.Whole(name, joined)
		require.NoError(t, err)
		return side
	}
	right := spec.Right{ServiceAccount: "system/native", Role: "ClusterRole native", Resource: "pods", Verb: "get"}
	r, err := gate.Compare(gate.DefaultOptions(), side("base", right), side("head", right), gate.Side{})
	require.NoError(t, err)
	assert.Empty(t, r.Rights)
	r, err = gate.Compare(gate.DefaultOptions(), side("base"), side("head", right), gate.Side{})
	require.NoError(t, err)
	assert.Len(t, r.Rights, 1)
}

// So do what the pods of all shards ask for; and that shards are of several machines is said.
func TestFactsOfShards(t *testing.T) {
	side := func(run string, privileges ...string) gate.Side {
		one, two := plain(run+"1", 8), plain(run+"2", 8)
		rename(two, "mine")
		two.recording.Environment.Host.CPU = "Intel"
		two.recording.Environment.Styles = []record.StyleFacts{{Name: "mine", Privileges: privileges}}
		joined, err := gate.Join(one.recording, two.recording)
		require.NoError(t, err)
		assert.Len(t, one.recording.Environment.Styles, 1, "it stays as it was")
		return whole(t, run, &story{recording: joined})
	}
	r, err := gate.Compare(gate.DefaultOptions(), side("b"), side("h", "hostNetwork of Deployment system/mine"), gate.Side{})
	require.NoError(t, err)
	assert.Equal(t, []string{"mine pods: head may, and base may not: use hostNetwork of Deployment system/mine"}, saying(r.Rights))
	assert.Contains(t, r.Warnings, "h: runs h1 and h2 are of different machines or clusters (machine AMD EPYC, 2 CPUs, 24 GiB, Linux 6.18.44 against Intel, 2 CPUs, 24 GiB, Linux 6.18.44): compare their folders one by one")
}

func TestRefusesSeveralComparisons(t *testing.T) {
	_, err := gate.Join(unchanged("a").recording, plain("b", 1).recording, unchanged("c").recording)
	require.EqualError(t, err, "the comparison is not valid: runs a and c each compare base and head: give the folder of one of them")
}
