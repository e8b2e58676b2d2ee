package run_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/run"
)

// repository is the root of the repository, seen from this package.
const repository = "../.."

// The floor is driven in every run, and is one of its styles if it is asked for.
func TestControlsAreStylesToo(t *testing.T) {
	for name, test := range map[string]struct{ ask, want []string }{
		"the floor alone": {[]string{"--operator=floor"}, []string{"floor"}},
		"idle":            {[]string{"--operator=idle"}, []string{"idle"}},
		"both":            {[]string{"--operator=idle,floor"}, []string{"floor", "idle"}},
		"neither":         {[]string{"--operator=native"}, []string{"native"}},
	} {
		t.Run(name, func(t *testing.T) {
			session, err := run.Load(t.Context(), run.Parse(t, append(test.ask, "--scenario=all")...), repository, time.Time{}, io.Discard)
			require.NoError(t, err)
			assert.Equal(t, test.want, session.Styles())
			for _, style := range test.want {
				for _, scenario := range session.Scenarios() {
					assert.True(t, session.Drives(style, scenario), "%s %s", style, scenario)
				}
			}
			session.Keep(func(style, scenario string) bool { return style == test.want[0] && scenario == "create" })
			assert.Equal(t, test.want[:1], session.Styles())
			assert.Equal(t, []string{"create"}, session.Scenarios())
		})
	}
}

func TestLoadTakesTheDefaults(t *testing.T) {
	session, err := run.Load(t.Context(), run.Parse(t), repository, time.Time{}, io.Discard)
	require.NoError(t, err)
	assert.Subset(t, session.Styles(), []string{"argo", "native"})
	assert.Equal(t, []string{"create", "scale-up", "scale-down", "delete"}, session.Scenarios(), "the group latency")
}

func TestScenariosAreNamedOneByOneOrByGroup(t *testing.T) {
	scenarios := func(value string) []string {
		session, err := run.Load(t.Context(), run.Parse(t, "--operator=native", "--scenario="+value), repository, time.Time{}, io.Discard)
		require.NoError(t, err)
		return session.Scenarios()
	}
	assert.Equal(t, []string{"create", "delete"}, scenarios("delete,create"))
	matrix, all := scenarios("matrix"), scenarios("all")
	assert.NotContains(t, matrix, "create")
	assert.Len(t, all, len(matrix)+len(scenarios("latency"))+len(scenarios("load")))
	assert.NotContains(t, matrix, "burst-create")
	assert.Subset(t, matrix, scenarios("fault,upgrade"))
}

func TestLoadRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"unknown style":      {[]string{"--operator=nativ"}, `unknown operator "nativ"; did you mean "native"?`},
		"folder of no style": {[]string{"--operator=./fixtures"}, "style.yaml"},
		"empty style":        {[]string{"--operator="}, `unknown operator ""`},
		"unknown scenario":   {[]string{"--scenario=scale-upp"}, `there is no scenario or group "scale-upp"; did you mean "scale-up"?`},
		"no such scenario":   {[]string{"--scenario=explode"}, `there is no scenario or group "explode"; there are the groups latency, load, basic, level, input, fault, upgrade, matrix (all but latency and load) and all, and: create, scale-up, scale-down, delete`},
		"no rounds":          {[]string{"--rounds=-1"}, "--rounds=-1: expected a number from 1 to 10000"},
		"unknown cluster":    {[]string{"--cluster=minikube"}, `--cluster="minikube": expected kind or existing`},
		"unknown source":     {[]string{"--images=download"}, `--images: "download" is no source of images: expected auto, pull or build`},
		"no kubeconfig":      {[]string{"--cluster=existing"}, "--cluster=existing needs --kubeconfig=FILE"},
		"keep what is not ours": {
			[]string{"--cluster=existing", "--keep-cluster"}, "--keep-cluster is for --cluster=kind",
		},
		"no patience":        {[]string{"--patience=1h"}, "--patience=1h0m0s: expected a duration above 30s, up to 10m"},
		"less than a pod's":  {[]string{"--patience=30s"}, "killed after 30s"},
		"no budget":          {[]string{"--base=HEAD", "--budget=-1m"}, "--budget=-1m0s: expected a duration from 1m to 24h, such as 20m"},
		"a budget of none":   {[]string{"--budget=-1m"}, "--budget=-1m0s: expected a duration from 1m to 24h, such as 20m"},
		"a budget alone":     {[]string{"--budget=20m"}, "--budget=20m0s without --base or --precision: nothing would end when it is spent; add --precision=10% (rounds until the medians are known) or --base=REVISION, or say --rounds instead"},
		"no profile":         {[]string{"--base=HEAD", "--profile=fast"}, `--profile=fast: there is no profile "fast": there are quick, standard, deep`},
		"a profile of none":  {[]string{"--profile=quick"}, "--profile=quick without --base: a profile says how much of a comparison is driven"},
		"precise and a base": {[]string{"--base=HEAD", "--precision=10%"}, "--precision with --base: the gate itself decides"},
		"precise in a hurry": {[]string{"--precision=10%", "--budget=10s"}, "--budget=10s: expected a duration from 1m to 24h, such as 20m"},
		"precise by few":     {[]string{"--precision=10%", "--rounds=9"}, "--precision with --rounds=9: the first look is after 10 rounds"},
		"precise and kept":   {[]string{"--precision=10%", "--keep-cluster"}, "--keep-cluster with --precision"},
		"precise of nothing": {[]string{"--precision=10%", "--scenario=load"}, "--precision=10% with --scenario=load: there are rounds until the medians of the group latency are known"},
		"no pass":            {[]string{"--passes=-1"}, "--passes=-1: expected a number from 1 to 1000"},
		"too much usage":     {[]string{"--usage=1ms"}, "--usage=1ms: expected a duration from 100ms to 1m, or 0"},
		"endless quiescence": {[]string{"--quiescence=2h"}, "--quiescence=2h0m0s: expected a duration up to 1m"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run.Load(t.Context(), run.Parse(t, test.args...), repository, time.Time{}, io.Discard)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestEveryProblemIsNamedAtOnce(t *testing.T) {
	options := run.Parse(t, "--rounds=-1", "--cluster=cloud", "--images=none")
	err := options.Check()
	for _, want := range []string{"--rounds=-1", `--cluster="cloud"`, `--images: "none"`} {
		require.ErrorContains(t, err, want)
	}
}

func TestSelected(t *testing.T) {
	both, native := []string{"argo", "native"}, []string{"native"}
	for pattern, test := range map[string]struct{ styles, want []string }{
		"":                             {both, []string{"create", "scale-up", "scale-down", "delete"}},
		"TestOperators":                {both, []string{"create", "scale-up", "scale-down", "delete"}},
		"TestOperators/native":         {native, []string{"create", "scale-up", "scale-down", "delete"}},
		"TestOperators/native/^scale":  {native, []string{"scale-up", "scale-down"}},
		"TestOperators//create|delete": {both, []string{"create", "delete"}},
	} {
		t.Run(pattern, func(t *testing.T) {
			session, err := run.Load(t.Context(), run.Parse(t, "--operator=argo,native"), repository, time.Time{}, io.Discard)
			require.NoError(t, err)
			session.Keep(run.Selected(pattern))
			assert.Equal(t, test.styles, session.Styles())
			assert.Equal(t, test.want, session.Scenarios())
		})
	}
}

func TestUsageExplainsEveryFlag(t *testing.T) {
	var out strings.Builder
	run.Usage(&out)
	for _, name := range []string{"operator", "scenario", "rounds", "cluster", "results", "images", "keep-cluster", "seed", "kubeconfig"} {
		assert.Regexp(t, `(?m)^  -`+name+`( |$)`, out.String())
	}
}
