package styles_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/styles"
)

var update = flag.Bool("update", false, "write the facts of the styles to testdata/facts")

// What the styles of the house cost. Run with -update after a change, and read
// the difference: a reviewer sees in it what a change adds to maintain and to trust.
func TestFactsOfTheHouse(t *testing.T) {
	all, err := styles.Find("../../../operators", styles.All)
	require.NoError(t, err)
	catalogue, err := images.Load("../../..")
	require.NoError(t, err)
	for _, style := range all {
		t.Run(style.Name, func(t *testing.T) {
			facts, err := style.Facts(catalogue)
			require.NoError(t, err)
			got, err := json.MarshalIndent(facts, "", "  ")
			require.NoError(t, err)
			golden := filepath.Join("testdata", "facts", style.Name+".golden")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, append(got, '\n'), 0o644))
			}
			assert.Equal(t, read(t, golden), string(got)+"\n")
		})
	}
}

// write makes files in a new folder, and returns the folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return dir
}

// factsOf returns the facts of a style whose manifests are one file.
func factsOf(t *testing.T, style styles.Style) styles.Facts {
	t.Helper()
	style.Stages = []spec.Stage{{Name: "one", Manifests: []string{"manifests"}}}
	catalogue := &images.Catalogue{Images: []images.Image{
		{Name: "pulled", Reference: "registry.example/pulled:1"},
		{Name: "own", Reference: "registry.example/own:1", NeverPulled: true},
		{Name: "theirs", Reference: "registry.example/theirs:1", NeverPulled: true, Published: "upstream.example/theirs"},
	}}
	facts, err := style.Facts(catalogue)
	require.NoError(t, err)
	return facts
}

const account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: ns}\n"

func TestFactsCountLines(t *testing.T) {
	texts := map[string]string{
		"style.yaml":            "name: s\n",
		"verdicts.yaml":         "create: pass\n",
		"secrets.yaml":          "- reason: why\n",
		"README.md":             "# Read me\n",
		"main.go":               "// Package main\npackage main\n\n/*\nsaid\n*/\nfunc main() { /* no line */ }\n\nvar text = `a\n\n// b`\n",
		"main_test.go":          "package main\n",
		"testdata/case.json":    "{}\n",
		"manifests/a.yaml":      "# why\n" + account + "  # more\n\n",
		"manifests/logic.py":    "# why\nprint(1)\n",
		"internal/Dockerfile":   "FROM scratch\n# why\n",
		"internal/picture.png":  "\x89PNG\x00\n1\n2\n",
		"internal/sub/sub.go":   "package sub", // without a final newline
		"redis/root/libperl.so": strings.Repeat("x\n", files.Most/2+1),
		"internal/sub/bad.json": "{",
	}
	dir := write(t, texts)
	facts := factsOf(t, styles.Style{Style: spec.Style{Name: "s", Images: []spec.Image{{Name: "pulled"}, {Name: "own"}, {Name: "theirs"}}}, Folder: dir})
	assert.Equal(t, []styles.Lines{
		{Language: "Go", Files: 2, Lines: 6},
		{Language: "JSON", Files: 1, Lines: 1},
		{Language: "Python", Files: 1, Lines: 1},
		{Language: "YAML", Files: 1, Lines: 3},
		{Language: "other", Files: 2, Lines: 1},
	}, facts.Owned)
	assert.Equal(t, 1, facts.Objects)
	assert.Equal(t, 5, facts.ObjectLines, "as kubectl would print it")
	assert.Equal(t, []styles.ImageFact{
		{Name: "own", Reference: "registry.example/own:1", Custom: true},
		{Name: "pulled", Reference: "registry.example/pulled:1"},
		{Name: "theirs", Reference: "registry.example/theirs:1"},
	}, facts.Images)

	facts = factsOf(t, styles.Style{Style: spec.Style{Name: "s", Owned: []string{"manifests/a.yaml", "manifests"}}, Folder: dir})
	assert.Equal(t, []styles.Lines{
		{Language: "Python", Files: 1, Lines: 1},
		{Language: "YAML", Files: 1, Lines: 3},
	}, facts.Owned, "what is listed, each file once")
	assert.Empty(t, facts.Scaffold)

	facts = factsOf(t, styles.Style{Style: spec.Style{Name: "s", Scaffold: []string{"main.go", "manifests/logic.py"}}, Folder: dir})
	assert.Equal(t, []styles.Lines{
		{Language: "Go", Files: 1, Lines: 5},
		{Language: "Python", Files: 1, Lines: 1},
	}, facts.Scaffold)
}

func TestFactsRefuse(t *testing.T) {
	dir := write(t, map[string]string{"manifests/a.yaml": account, "main.go": "package main\n"})
	stages := []spec.Stage{{Name: "one", Manifests: []string{"manifests"}}}
	for name, test := range map[string]struct {
		style styles.Style
		want  string
	}{
		"nothing owned there": {styles.Style{Style: spec.Style{Name: "s", Stages: stages, Owned: []string{"cmd"}}, Folder: dir}, "facts of operator s: look for the files that are owned"},
		"scaffold of nobody":  {styles.Style{Style: spec.Style{Name: "s", Stages: stages, Owned: []string{"manifests"}, Scaffold: []string{"main.go"}}, Folder: dir}, "main.go is listed as scaffold, and is not owned"},
		"no scaffold there":   {styles.Style{Style: spec.Style{Name: "s", Stages: stages, Scaffold: []string{"cmd"}}, Folder: dir}, "facts of operator s: look for the files of the scaffold"},
		"no such image":       {styles.Style{Style: spec.Style{Name: "s", Stages: stages, Images: []spec.Image{{Name: "absent"}}}, Folder: dir}, `absent`},
		"no manifests":        {styles.Style{Style: spec.Style{Name: "s", Stages: []spec.Stage{{Manifests: []string{"none"}}}}, Folder: dir}, "reading manifests"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.style.Facts(&images.Catalogue{})
			require.ErrorContains(t, err, test.want)
		})
	}
}

const reader = `
kind: ClusterRole
apiVersion: rbac.authorization.k8s.io/v1
metadata: {name: reader, labels: {to: sum}}
rules:
  - {apiGroups: ["", apps], resources: [pods, secrets], verbs: [list, watch]}
  - {nonResourceURLs: [/metrics], verbs: [get]}
---
`

const subject = "subjects: [{kind: ServiceAccount, name: a, namespace: ns}]\n"

func bound(scope, kind, name string) string {
	return "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: " + scope + "\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: " + kind + ", name: " + name + "}\n" + subject
}

func TestFactsReadPermissions(t *testing.T) {
	everywhere := bound("ClusterRoleBinding", "ClusterRole", "reader") + "metadata: {name: b}\n"
	within := bound("RoleBinding", "ClusterRole", "reader") + "metadata: {name: b, namespace: m}\n"
	for name, test := range map[string]struct {
		manifests string
		want      styles.Permissions
	}{
		"none":         {account, styles.Permissions{}},
		"not bound":    {reader, styles.Permissions{}},
		"cluster-wide": {reader + everywhere, styles.Permissions{Accounts: []string{"ns/a"}, Rules: 2, ClusterWide: 9, Secrets: []string{"cluster-wide"}}},
		"namespaced":   {reader + within, styles.Permissions{Accounts: []string{"ns/a"}, Rules: 2, Namespaced: 8, Secrets: []string{"m"}}},
		"both":         {reader + everywhere + within, styles.Permissions{Accounts: []string{"ns/a"}, Rules: 4, ClusterWide: 9, Namespaced: 8, Secrets: []string{"cluster-wide", "m"}}},
		"aggregated": {
			reader + "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: sum, labels: {to: sum}}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {to: sum}}]}\n" +
				bound("ClusterRoleBinding", "ClusterRole", "sum") + "metadata: {name: b}\n",
			styles.Permissions{Accounts: []string{"ns/a"}, Rules: 2, ClusterWide: 9, Secrets: []string{"cluster-wide"}},
		},
		"a role's wildcards": {
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: all, namespace: m}\nrules: [{apiGroups: ['*'], resources: ['*'], verbs: [get]}, {apiGroups: [apps], resources: [deployments], verbs: ['*']}]\n" +
				bound("RoleBinding", "Role", "all") + "metadata: {name: b, namespace: m}\n",
			styles.Permissions{Accounts: []string{"ns/a"}, Rules: 2, Namespaced: 2, Wildcards: []string{"* deployments.apps", "get *.*"}, Secrets: []string{"m"}},
		},
		"a role from elsewhere": {
			bound("ClusterRoleBinding", "ClusterRole", "view") + "metadata: {name: b}\n",
			styles.Permissions{Accounts: []string{"ns/a"}, Unknown: []string{"ClusterRole view"}},
		},
		"everything": {
			bound("ClusterRoleBinding", "ClusterRole", "cluster-admin") + "metadata: {name: b}\n",
			styles.Permissions{Accounts: []string{"ns/a"}, Rules: 2, ClusterWide: 2, Wildcards: []string{"* *", "* *.*"}, Secrets: []string{"cluster-wide"}},
		},
		"people": {
			reader + "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}\nsubjects: [{kind: User, name: jane}]\n",
			styles.Permissions{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			facts := factsOf(t, styles.Style{Style: spec.Style{Name: "s"}, Folder: write(t, map[string]string{"manifests/a.yaml": test.manifests})})
			assert.Equal(t, test.want, facts.RBAC)
		})
	}
}
