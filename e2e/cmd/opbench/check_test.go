package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// changed is a folder with a style of the repository, in which texts are changed.
func changed(t *testing.T, style string, changes map[string][2]string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), style)
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join("../../../operators", style))))
	for name, change := range changes {
		file := filepath.Join(folder, name)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), change[0])
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o600))
	}
	return folder
}

func TestCheck(t *testing.T) {
	folder := changed(t, "idle", map[string][2]string{"style.yaml": {"[pause]", "[pause, {name: mine, reference: example.org/mine:v1}]"}})
	require.NoError(t, os.Remove(filepath.Join(folder, "verdicts.yaml")))
	code, stdout, stderr := opbench(t, "check", folder)
	require.Equal(t, exitOK, code, stderr)
	assert.Regexp(t, `^idle \(`+folder+`\)
  installs   3 objects in 1 stage\(s\); namespaces: idle-operator
             in no namespace: none
  requests   1m of cpu and 4Mi of memory by its pods; the node must have that beside what Kubernetes itself requests
  images     mine: example\.org/mine:v1, as the container engine has it, or its registry; no manifest names it
             pause: registry\.k8s\.io/pause:3\.10\.2, of the catalogue
  scenarios  \d+ of \d+ apply
(             (no (knob|child) of a Memcached|the workload memcached) [^\n]*
)+             idle works in its own memory: [^\n]*
(             (idle has no|no component of idle|idle has none|no knob of a Memcached|the workload memcached) [^\n]*
)+  verdicts   none is expected, because there is no verdicts\.yaml: no verdict fails a run
$`, stdout)
}

// All that is wrong is said at once.
func TestCheckSaysWhatIsWrong(t *testing.T) {
	code, stdout, stderr := opbench(t, "check", changed(t, "idle", map[string][2]string{
		"style.yaml": {"[pause]", "[pause, paus]"}, "verdicts.yaml": {"# latency\n", "updates-race: pass\ncreated-while-bus-down: pass\n"},
	}))
	assert.Equal(t, exitError, code)
	assert.Empty(t, stdout)
	for _, want := range []string{
		`the catalogue has no image "paus"`, "updates-race: expected pass, and it is not applicable",
		"created-while-bus-down: expected pass, and it is not applicable: idle has no component eventbus",
	} {
		assert.Contains(t, stderr, want)
	}
}

// A workload that cannot be read is told of once.
func TestCheckSaysItOnce(t *testing.T) {
	folder := changed(t, "etcd-operator", map[string][2]string{"style.yaml": {"workload: etcd\n", "workload: ./none\n"}})
	code, _, stderr := opbench(t, "check", folder)
	assert.Equal(t, exitError, code)
	assert.Equal(t, 1, strings.Count(stderr, "workload: "), stderr)
}
