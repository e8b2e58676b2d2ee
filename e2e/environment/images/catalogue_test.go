package images

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repository is this checkout.
func repository(tb testing.TB) string {
	tb.Helper()
	root, err := FindRoot(".")
	require.NoError(tb, err)
	return root
}

func TestTheCatalogue(t *testing.T) {
	root := repository(t)
	catalogue, err := Load(root)
	require.NoError(t, err)

	assert.Subset(t, catalogue.Names(), []string{NodeImage, "memcached", "pause", "mutant"}, "what a run needs whatever its styles are")

	t.Run("the node is kind's default, by the digest in kind's module", func(t *testing.T) {
		kind, err := KindNode()
		require.NoError(t, err)
		node, err := catalogue.Image(NodeImage)
		require.NoError(t, err)
		lock, err := LoadLock(root)
		require.NoError(t, err)
		assert.Equal(t, kind.Reference, node.Reference)
		assert.Equal(t, kind.Digest, lock.Digest(node.Reference))
	})
	t.Run("every image that can be pulled has a digest, but these", func(t *testing.T) {
		// No registry could be asked when they were added; what locks them all is `opbench images lock`, and CI,
		// which has the registries, fails until that is done. No new image may join them.
		unlocked := []string{"argo-events", "workflow-controller", "argoexec", "nats", "pause", "python", "memcached"}
		lock, err := LoadLock(root)
		require.NoError(t, err)
		for _, image := range catalogue.pulled() {
			if lock.Digest(image.Reference) == "" {
				assert.Contains(t, unlocked, image.Name, "it has no digest: run `opbench images lock`")
			}
		}
	})
	t.Run("a tag without a digest names one release", func(t *testing.T) {
		for _, image := range catalogue.pulled() {
			assert.Regexp(t, `:v?\d+\.\d+\.\d+(-[a-z0-9-]+)?$`, image.Reference)
		}
	})
}

const goodCatalogue = `version: 1
debian: {suite: bookworm}
recipes:
  tool: {cold: 10s, disk: 100MB}
images:
  - name: one
    reference: docker.io/library/one:1
    purpose: an example
    size: 3MB
    binaries: [{recipe: tool, name: tool, to: /tool}]
`

func TestParse(t *testing.T) {
	catalogue, err := Parse("c.yaml", []byte(goodCatalogue))
	require.NoError(t, err)
	one, err := catalogue.Image("one")
	require.NoError(t, err)
	assert.Equal(t, []Binary{{Recipe: "tool"}}, one.Binaries)

	_, err = catalogue.Image("two")
	assert.EqualError(t, err, `the catalogue has no image "two"; it has one`)
}

func TestParseExplainsMistakes(t *testing.T) {
	replaced := func(before, after string) string {
		require.Contains(t, goodCatalogue, before)
		return strings.Replace(goodCatalogue, before, after, 1)
	}
	added := func(lines string) string { return goodCatalogue + lines }
	tests := []struct {
		name, text, says string
	}{
		{"empty", "", "c.yaml:1: the file is empty, expected a catalogue"},
		{"no YAML", "images: [", "c.yaml: yaml: line 1"},
		{"version", replaced("version: 1", "version: 7"), "c.yaml:1: version: found the number 7, expected 1"},
		{"no images", "version: 1\n", `c.yaml:1: catalogue: field "images" is missing`},
		{"unknown field", replaced("purpose", "porpoise"), `c.yaml:8: images: unknown field "porpoise", expected one of base, binaries, config`},
		{"bad size", replaced("3MB", "3MiB"), "3MiB"},
		{"bad name", replaced("name: one", "name: One"), `c.yaml:6: images.name: found "One", expected lower-case letters, digits and dashes`},
		{"twice", added("  - {name: one, reference: docker.io/library/one:2, binaries: [{recipe: tool, name: tool, to: /tool}]}\n"), `c.yaml:11: images: the name "one" stands twice`},
		{"no tag", replaced("one:1", "one"), `c.yaml:7: images.reference: found "docker.io/library/one", expected host/repository:tag`},
		{"no registry", replaced("docker.io/library/one:1", "library/one:1"), `c.yaml:7: images.reference: found "library/one:1", expected host/repository:tag`},
		{"part of something else", added("    partOf: two\n"), `c.yaml:11: images.partOf: found "two", expected node`},
		{"nothing to build from", replaced("    binaries: [{recipe: tool, name: tool, to: /tool}]\n", ""), "c.yaml:6: images: found 0 of the fields packages, wheels, jars, crate, node, binaries, expected at least one"},
		{"unknown recipe", replaced("{recipe: tool,", "{recipe: fool,"), `c.yaml:10: unknown recipe "fool", expected one of tool; did you mean "tool"?`},
		{"binary without a place", replaced("to: /tool", "to: tool"), `c.yaml:10: images.binaries.to: found "tool", expected an absolute path`},
		{"binary of neither", replaced("recipe: tool, name: tool,", ""), "c.yaml:10: images.binaries: expected either package, or recipe and name"},
		{"binary of both", replaced("name: tool, ", "name: tool, package: ./x, "), "expected either package, or recipe and name"},
		{"package outside", replaced("recipe: tool, name: tool,", "package: ../x,"), `c.yaml:10: images.binaries.package: found "../x", expected a folder of this repository`},
		{"file with two contents", added("    files: [{to: /a, text: x, link: y}]\n"), "c.yaml:11: images.files: found 2 of the fields text, from, link, expected exactly one"},
		{"file with none", added("    files: [{to: /a}]\n"), "c.yaml:11: images.files: found 0 of the fields text, from, link, expected exactly one"},
		{"folder with content", added("    files: [{to: /a/, text: x}]\n"), `c.yaml:11: images.files.text: found "x", expected nothing: a folder has neither`},
		{"relative file", added("    files: [{to: a, text: x}]\n"), `c.yaml:11: images.files.to: found "a", expected an absolute path`},
		{"file from outside", added("    files: [{to: /a, from: /etc/passwd}]\n"), `c.yaml:11: images.files.from: found "/etc/passwd", expected a path beside`},
		{"bad mode", added("    files: [{to: /a, text: x, mode: rw}]\n"), `c.yaml:11: images.files.mode: found "rw", expected an octal number`},
		{"bad variant", added("    packages: {variant: huge, include: [x]}\n"), `c.yaml:11: images.packages.variant: found "huge", expected one of minbase, extract`},
		{"bad snapshot", strings.Replace(added("    packages: {variant: extract, include: [x]}\n"), "{suite: bookworm}", "{suite: bookworm, snapshot: today}", 1), `c.yaml:2: debian.snapshot: found "today", expected a time`},
		{"unknown base", added("    base: tow\n"), `c.yaml:11: unknown base "tow", expected one of `},
		{"base of itself", added("    base: one\n"), `c.yaml:11: unknown base "one"`},
		{"wheels from outside", added("    wheels: {requirements: ../r.txt, python: '3.11', to: /o}\n"), `c.yaml:11: images.wheels.requirements: found "../r.txt", expected a path beside`},
		{"wheels of a number", added("    wheels: {requirements: r.txt, python: 3.11, to: /o}\n"), `c.yaml:11: images.wheels.python: found the number 3.11, expected`},
		{"jars from outside", added("    jars: {recipe: ../r, sources: s, release: 17, to: /o}\n"), `c.yaml:11: images.jars.recipe: found "../r", expected a path beside`},
		{"jars of a text", added("    jars: {recipe: r, sources: s, release: '17', to: /o}\n"), `c.yaml:11: images.jars.release: found "17", expected a version`},
		{"crate from outside", added("    crate: {package: ../r, to: /o}\n"), `c.yaml:11: images.crate.package: found "../r", expected a path inside`},
		{"node from outside", added("    node: {package: ../r, to: /o}\n"), `c.yaml:11: images.node.package: found "../r", expected a path inside`},
		{"no packages", added("    packages: {variant: extract, include: []}\n"), "c.yaml:11: images.packages.include: found an empty list, expected a list of at least one"},
		{"bad glob", added("    packages: {variant: extract, include: [x], keep: ['[']}\n"), `c.yaml:11: images.packages.keep: found "[", expected a pattern`},
		{"bad concat", added("    packages: {variant: extract, include: [x], concat: {from: a, to: b}}\n"), `c.yaml:11: images.packages.concat.to: found "b", expected an absolute path`},
		{"restore without module", replaced("disk: 100MB", "disk: 100MB, restore: {files: []}"), `c.yaml:4: recipes.tool.restore: field "module" is missing`},
		{"restore outside", replaced("disk: 100MB", "disk: 100MB, restore: {module: m, files: [{path: ../x, text: y}]}"), `c.yaml:4: recipes.tool.restore.files.path: found "../x", expected a path inside the module`},
		{"restore of nothing", replaced("disk: 100MB", "disk: 100MB, restore: {module: m, files: [{path: x}]}"), "c.yaml:4: recipes.tool.restore.files: found 0 of the fields copyOf, text, expected exactly one"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("c.yaml", []byte(test.text))
			require.Error(t, err)
			assert.Contains(t, err.Error(), test.says)
			assert.Contains(t, err.Error(), "c.yaml")
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(goodCatalogue))
	raw, err := os.ReadFile("../../../fixtures/catalogue.yaml")
	require.NoError(f, err)
	f.Add(raw)
	f.Add([]byte("images: [{packages: &p {keep: [']']}}, {packages: *p}]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		catalogue, err := Parse("c.yaml", raw)
		if err != nil {
			assert.Contains(t, err.Error(), "c.yaml")
			return
		}
		assert.NotEmpty(t, catalogue.Images)
	})
}

func TestFindRoot(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	_, err := FindRoot(deep)
	require.ErrorContains(t, err, "run this inside of a clone")

	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.org/you/operatorbench\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "a", "go.mod"), []byte("module example.org/you/operatorbench/a\n"), 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "fixtures", "images"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "fixtures", "catalogue.yaml"), nil, 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "theirs", ".git"), 0o755))
	_, err = FindRoot(filepath.Join(root, "theirs"))
	require.ErrorIs(t, err, ErrNoClone, "another repository, in a clone")
	found, err := FindRoot(deep)
	require.NoError(t, err)
	assert.Equal(t, root, found, "nested modules are passed by")
}

func TestCacheFolder(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"home", map[string]string{"HOME": "/h"}, "/h/.cache/operatorbench"},
		{"the user's cache folder", map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/operatorbench"},
		{"a relative one does not count", map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "x"}, "/h/.cache/operatorbench"},
		{"our own", map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "/x", "OPERATORBENCH_CACHE": "/o"}, "/o"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := CacheFolder(func(key string) string { return test.env[key] })
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
	_, err := CacheFolder(func(string) string { return "" })
	require.ErrorContains(t, err, "set OPERATORBENCH_CACHE or HOME")
	_, err = CacheFolder(func(string) string { return "cache" })
	require.ErrorContains(t, err, `OPERATORBENCH_CACHE is "cache", which leads to another folder from each`)
}
