package verdicts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/schema"
	"operatorbench/e2e/spec/verdicts"
)

func oracles() []string { return []string{"converged", "gone", "garbage", "status"} }

func names() []verdicts.Scenario {
	return []verdicts.Scenario{{Name: "create", Group: "latency"}, {Name: "drift", Group: "level"}, {Name: "input-negative", Group: "level"}, {Name: "kill-bus", Group: "fault"}, {Name: "upgrade", Group: "upgrade"}}
}

const good = `# What is expected.
# Two lines of it.

create: pass
drift:
  verdict: fail
  oracles: [converged]
  recovery: never
  # a person's own remark
  why: only the custom resource is watched, not its Deployment
  upstream: https://example.org/issues/1
input-negative: not applicable
kill-bus: {verdict: pass, recovery: nudge}
`

func parse(t *testing.T, text string) verdicts.Expected {
	t.Helper()
	e, err := verdicts.Parse("operators/argo/verdicts.yaml", []byte(text), names(), oracles())
	require.NoError(t, err)
	return e
}

func TestParse(t *testing.T) {
	e := parse(t, good)
	require.Len(t, e.Entries, 4)
	assert.True(t, e.Known())
	drift, there := e.Of("drift")
	require.True(t, there)
	assert.Equal(t, spec.Fail, drift.Verdict)
	assert.Equal(t, []string{"converged"}, drift.Oracles)
	assert.Equal(t, verdicts.Never, drift.Recovery)
	assert.Equal(t, "only the custom resource is watched, not its Deployment", drift.Why)
	assert.Equal(t, "https://example.org/issues/1", drift.Upstream)
	assert.Equal(t, 5, drift.Line)
	assert.Equal(t, "fail (converged), recovery: never", drift.String())
	input, _ := e.Of("input-negative")
	assert.Equal(t, spec.NotApplicable, input.Verdict)
	upgrade, there := e.Of("upgrade")
	assert.True(t, there)
	assert.Equal(t, verdicts.Entry{Scenario: "upgrade", Verdict: spec.Pass}, upgrade, "what is not named passes")
	_, there = e.Of("sail")
	assert.False(t, there, "there is no such scenario")
	_, there = verdicts.Expected{}.Of("create")
	assert.False(t, there, "of a style without a file nothing is expected")
}

// Where all is to pass, the file says so; one that is empty has lost something.
func TestParseAllPass(t *testing.T) {
	e := parse(t, "# all of it\n\n{}\n")
	assert.True(t, e.Known())
	assert.Empty(t, e.Entries)
	want, same := e.Match(verdicts.Seen{Scenario: "drift", Verdict: spec.Pass})
	assert.Equal(t, "pass", want)
	assert.True(t, same)
	_, same = e.Match(verdicts.Seen{Scenario: "drift", Verdict: spec.Fail})
	assert.False(t, same)
}

// What does not apply to a style need not be named; what is named must be as it says.
func TestWhatDoesNotApplyIsNotNamed(t *testing.T) {
	e := parse(t, good)
	for _, one := range []struct {
		scenario, want string
		verdict        spec.Outcome
		same           bool
	}{
		{"upgrade", "not applicable", spec.NotApplicable, true},
		{"create", "pass", spec.NotApplicable, false},
		{"drift", "fail (converged), recovery: never", spec.NotApplicable, false},
		{"input-negative", "not applicable", spec.NotApplicable, true},
		{"input-negative", "not applicable", spec.Pass, false},
	} {
		want, same := e.Match(verdicts.Seen{Scenario: one.scenario, Verdict: one.verdict})
		assert.Equal(t, one.want, want, one.scenario)
		assert.Equal(t, one.same, same, one.scenario)
	}
	written := string(verdicts.Update(parse(t, "drift: {verdict: fail, why: of old}\n"), []verdicts.Seen{seen("drift", spec.NotApplicable), seen("upgrade", spec.NotApplicable)}))
	assert.True(t, strings.HasSuffix(written, "\n\n{}\n"), written)
}

// What is late failed, by no oracle: it is what is expected where none is named.
func TestWhatIsLateFailed(t *testing.T) {
	for text, same := range map[string]bool{
		"{}": false,
		"drift: {verdict: fail, why: it is idle}":                     true,
		"drift: {verdict: flaky, why: it is so}":                      false,
		"drift: {verdict: fail, oracles: [converged], why: it is so}": false,
	} {
		_, as := parse(t, text+"\n").Match(seen("drift", spec.Late))
		assert.Equal(t, same, as, text)
	}
}

// What is left to chance fails by some of its oracles, and by no other; what always fails, by all.
func TestOraclesThatFail(t *testing.T) {
	for verdict, same := range map[string][4]bool{"fail": {true, false, false, false}, "flaky": {true, true, false, false}} {
		e := parse(t, "drift: {verdict: "+verdict+", oracles: [converged, garbage], why: it is so}\n")
		for i, failed := range [][]string{{"garbage", "converged"}, {"converged"}, {"converged", "gone"}, nil} {
			_, as := e.Match(seen("drift", spec.Fail, failed...))
			assert.Equal(t, same[i], as, "%s by %v", verdict, failed)
		}
	}
}

func TestTheSchemaHasTheWords(t *testing.T) {
	rules, err := schema.Load("verdicts", nil)
	require.NoError(t, err)
	assert.Equal(t, verdicts.Recoveries(), rules.Words("recovery"))
	assert.Equal(t, []string{string(spec.Pass), string(spec.Fail), string(spec.Flaky), string(spec.NotApplicable)}, rules.Words("verdict"))
	assert.Equal(t, []string{"cause", "oracles", "recovery", "upstream", "verdict", "why"}, rules.Fields("entry"))
}

// Every mistake is told of with file and line, and all of one file at once.
func TestParseRefuses(t *testing.T) {
	for name, one := range map[string]struct {
		text string
		want []string
	}{
		"empty":             {"", []string{"v.yaml:1: the file is empty, expected a mapping from scenarios to verdicts"}},
		"only comments":     {"# nothing\n", []string{"v.yaml:1: "}},
		"no mapping":        {"- create\n", []string{"v.yaml:1: verdicts: found a list, expected a mapping"}},
		"no YAML":           {"create: [", []string{"v.yaml: "}},
		"unknown scenario":  {"create: pass\nsail: pass\n", []string{`v.yaml:2: unknown scenario "sail", expected one of create, drift`}},
		"twice":             {"create: pass\ndrift: pass\ncreate: pass\n", []string{`v.yaml:3: verdicts: field "create" stands twice`}},
		"unknown verdict":   {"create: maybe\n", []string{`v.yaml:1: create: found "maybe", expected pass, not applicable, or {verdict: fail, why: a sentence}`}},
		"no verdict":        {"create: {why: so}\n", []string{`v.yaml:1: create: field "verdict" is missing`}},
		"nothing":           {"create:\n", []string{"v.yaml:1: create: found nothing, expected pass"}},
		"bare fail":         {"create: fail\n", []string{`v.yaml:1: create: found "fail", expected pass, not applicable, or {verdict: fail, why: a sentence}`}},
		"fail without why":  {"create: pass\ndrift: {verdict: fail, oracles: [converged]}\n", []string{`v.yaml:2: drift: field "why" is missing: it is expected to fail`}},
		"fail, blank why":   {"drift: {verdict: fail, why: ' '}\n", []string{`v.yaml:1: drift.why: found " ", expected a text`}},
		"unknown oracle":    {"drift: {verdict: fail, why: so, oracles: [delphi]}\n", []string{`v.yaml:1: unknown oracle "delphi", expected one of converged`}},
		"oracle twice":      {"drift: {verdict: fail, why: so, oracles: [gone, gone]}\n", []string{`v.yaml:1: drift.oracles: "gone" stands twice`}},
		"oracles of a pass": {"drift: {verdict: pass, oracles: [gone]}\n", []string{"v.yaml:1: drift.oracles: found a list, expected no such field: they are those that fail, and the verdict is another"}},
		"no list":           {"drift: {verdict: fail, why: so, oracles: gone}\n", []string{`v.yaml:1: drift.oracles: found "gone", expected a list of those that fail`}},
		"unknown recovery":  {"drift: {verdict: fail, why: so, recovery: soon}\n", []string{`v.yaml:1: drift.recovery: found "soon", expected one of itself, nudge, never`}},
		"no URL":            {"drift: {verdict: fail, why: so, upstream: issue 4}\n", []string{`v.yaml:1: drift.upstream: found "issue 4", expected the https URL`}},
		"unknown field":     {"drift: {verdict: fail, why: so, reasons: so}\n", []string{`v.yaml:1: drift: unknown field "reasons", expected one of cause, oracles, recovery, upstream, verdict, why`}},
		"field twice":       {"drift: {verdict: fail, why: so, why: so}\n", []string{`v.yaml:1: drift: field "why" stands twice`}},
		"alias":             {"create: &a pass\ndrift: *a\n", []string{"v.yaml:2: drift: found an alias"}},
		"two documents":     {"create: pass\n---\ndrift: pass\n", []string{"v.yaml:2: a second document begins here"}},
		"several mistakes":  {"create: good\nsail: pass\n", []string{"v.yaml:1: ", "v.yaml:2: "}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := verdicts.Parse("v.yaml", []byte(one.text), names(), oracles())
			require.Error(t, err)
			for _, want := range one.want {
				assert.Contains(t, err.Error(), want)
			}
			for line := range strings.Lines(err.Error()) {
				assert.True(t, strings.HasPrefix(line, "v.yaml:"), "%q names the file", line)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	folder := t.TempDir()
	e, err := verdicts.Load(folder, names(), oracles())
	require.NoError(t, err)
	assert.False(t, e.Known(), "a style without a file is no mistake")

	path := filepath.Join(folder, verdicts.File)
	require.NoError(t, os.WriteFile(path, []byte(good), 0o600))
	e, err = verdicts.Load(folder, names(), oracles())
	require.NoError(t, err)
	assert.Equal(t, path, e.Path)
	assert.Len(t, e.Entries, 4)

	require.NoError(t, os.WriteFile(path, []byte("sail: pass\n"), 0o600))
	_, err = verdicts.Load(folder, names(), oracles())
	require.ErrorContains(t, err, path+":1: ")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	_, err = verdicts.Load(folder, names(), oracles())
	require.ErrorContains(t, err, path, "what cannot be read is no absent file")
}

// Whatever is in a file, it is read or refused with its name; and what is read
// is written so that it is read as the same.
func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("create: {verdict: fail, why: |-\n  a\n  b\n}")
	f.Add("# a\n\n# b\ncreate: pass # c\n# d\n\n# e\ndrift: not applicable\n# f\n")
	f.Add("a: &a [*a]\ncreate: *a\n<<: {create: pass}")
	f.Add("? [create]\n: pass\n")
	f.Add("create: !!binary pass\n--- \n...")
	f.Add("\"create\": 'pass'\ndrift: {verdict: fail, oracles: [gone, status], why: \"a\\tb\\0\"}")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := verdicts.Parse("v.yaml", []byte(text), names(), oracles())
		if err != nil {
			assert.Contains(t, err.Error(), "v.yaml")
			return
		}
		written := verdicts.Update(e, nil)
		again, err := verdicts.Parse("v.yaml", written, names(), oracles())
		require.NoError(t, err, "%s", written)
		for _, name := range names() {
			before, _ := e.Of(name.Name)
			after, _ := again.Of(name.Name)
			require.Equal(t, plain(before), plain(after), "%s", written)
		}
	})
}

// plain is an entry without its place in the file.
func plain(e verdicts.Entry) verdicts.Entry {
	return verdicts.Entry{Scenario: e.Scenario, Verdict: e.Verdict, Oracles: e.Oracles, Recovery: e.Recovery, Why: e.Why, Upstream: e.Upstream}
}

func TestLoadAll(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"argo": good, "native": "", "broken": "sail: pass\n"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o700))
		if text != "" {
			require.NoError(t, os.WriteFile(filepath.Join(root, name, verdicts.File), []byte(text), 0o600))
		}
	}
	all, err := verdicts.LoadAll(filepath.Join(root, "argo", ".."), []string{"argo", "native", "my-own", "../argo", "."}, names(), oracles())
	require.NoError(t, err)
	assert.Len(t, all, 2, "of what has no folder nothing is known")
	assert.True(t, all["argo"].Known())
	assert.False(t, all["native"].Known())
	all, err = verdicts.LoadAll(root, []string{"broken", "argo"}, names(), oracles())
	require.ErrorContains(t, err, filepath.Join("broken", verdicts.File)+":1: ")
	assert.Len(t, all, 1)
}

func seen(scenario string, verdict spec.Outcome, failed ...string) verdicts.Seen {
	return verdicts.Seen{Scenario: scenario, Driven: true, Verdict: verdict, Failed: failed, Text: string(verdict), Reason: "it says no\nand more"}
}

func TestUpdateOfAStyleWithoutAFile(t *testing.T) {
	old, err := verdicts.Load(t.TempDir(), names(), oracles())
	require.NoError(t, err)
	written := string(verdicts.Update(old, []verdicts.Seen{
		seen("create", spec.Pass), seen("drift", spec.Fail, "converged"), seen("kill-bus", spec.Invalid), {Scenario: "upgrade"},
	}))
	assert.Equal(t, `# The verdicts that are expected of this style: what is not named passes, or does not apply. A run that sees another one fails, and names both.
# Each failure has a sentence on why; upstream is an issue about it.

# level
# seen: it says no
drift:
  verdict: fail
  oracles: [converged]
  why: ""

# fault
# kill-bus was seen as invalid: it says no
`, written)
	_, err = verdicts.Parse("v.yaml", []byte(written), names(), oracles())
	require.ErrorContains(t, err, "drift.why: found", "a person must say why")
	assert.Contains(t, string(verdicts.Update(old, []verdicts.Seen{seen("create", spec.Pass)})), "\n\n{}\n")
}

// What people wrote stays: reasons, comments, what was not driven, and a pass of
// which there is more to say. Passes that a file of old names are dropped.
func TestUpdateKeepsWhatPeopleWrote(t *testing.T) {
	old := parse(t, good+"# why it is so\nupgrade: {verdict: fail, oracles: [gone, converged], why: of old}\n")
	written := string(verdicts.Update(old, []verdicts.Seen{
		seen("create", spec.Pass), seen("drift", spec.Flaky, "garbage"), seen("input-negative", spec.Fail, "converged"), seen("upgrade", spec.Fail, "converged", "gone"),
	}))
	assert.Equal(t, `# What is expected.
# Two lines of it.

# level
# drift was seen as flaky: it says no
drift:
  verdict: fail
  oracles: [converged]
  recovery: never
  # a person's own remark
  why: only the custom resource is watched, not its Deployment
  upstream: https://example.org/issues/1
# seen: it says no
input-negative:
  verdict: fail
  oracles: [converged]
  why: ""

# fault
kill-bus: {verdict: pass, recovery: nudge}

# upgrade
# why it is so
upgrade: {verdict: fail, oracles: [gone, converged], why: of old}
`, written)
}

// The heading of a group stays as long as anything of the group does.
func TestUpdateDropsPasses(t *testing.T) {
	old := parse(t, "# all\n\n# latency\ncreate: pass\n\n# level\ndrift: pass # since it is slow\ninput-negative: pass\n\n# fault\nkill-bus: pass\n\n# upgrade\nupgrade: not applicable\n")
	assert.Equal(t, "# all\n\n# level\ndrift: pass # since it is slow\n\n# upgrade\nupgrade: not applicable\n", string(verdicts.Update(old, nil)))
}

// What failed and does so in another way keeps its reason; what passes now loses it.
func TestUpdateChangesVerdicts(t *testing.T) {
	old := parse(t, "drift: {verdict: fail, oracles: [converged], why: the reason, cause: a bug, upstream: 'https://example.org/1'}\nupgrade: {verdict: fail, why: of old}\n")
	e := parse(t, string(verdicts.Update(old, []verdicts.Seen{seen("drift", spec.Fail, "garbage"), seen("upgrade", spec.Pass)})))
	drift, _ := e.Of("drift")
	assert.Equal(t, []string{"garbage"}, drift.Oracles)
	assert.Equal(t, "the reason", drift.Why)
	assert.Equal(t, "a bug", drift.Cause)
	assert.Equal(t, "https://example.org/1", drift.Upstream)
	upgrade, _ := e.Of("upgrade")
	assert.Equal(t, spec.Pass, upgrade.Verdict)
	require.Len(t, e.Entries, 1)
}
