package images

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images/builders"
	"operatorbench/e2e/environment/images/builders/cargo"
	"operatorbench/e2e/environment/images/builders/debian"
	"operatorbench/e2e/environment/images/builders/golang"
	"operatorbench/e2e/environment/images/builders/maven"
	"operatorbench/e2e/environment/images/builders/pypi"
	"operatorbench/e2e/spec/schema"
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

	t.Run("every recipe is a folder with go.mod and go.sum, and is used", func(t *testing.T) {
		used := map[string]bool{}
		for _, image := range catalogue.Images {
			for _, binary := range image.Binaries {
				used[binary.Recipe] = true
			}
		}
		for name := range catalogue.Recipes {
			assert.FileExists(t, filepath.Join(root, builders.CatalogueFolder, "recipes", name, "go.mod"))
			assert.FileExists(t, filepath.Join(root, builders.CatalogueFolder, "recipes", name, "go.sum"))
			assert.True(t, used[name], "recipe %s is not used", name)
		}
	})
	t.Run("every file that is copied exists", func(t *testing.T) {
		for _, image := range catalogue.Images {
			for _, file := range image.Files {
				if file.From != "" {
					assert.FileExists(t, filepath.Join(root, builders.CatalogueFolder, file.From))
				}
			}
		}
	})
	t.Run("every wheel has a hash", func(t *testing.T) {
		for _, image := range catalogue.Images {
			if image.Wheels == nil {
				continue
			}
			raw, err := os.ReadFile(filepath.Join(root, builders.CatalogueFolder, image.Wheels.Requirements))
			require.NoError(t, err)
			for requirement := range strings.SplitSeq(regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(string(raw), ""), "\n") {
				assert.Regexp(t, `^([a-z0-9-]+==[0-9][0-9a-z.]* \\|    --hash=sha256:[0-9a-f]{64}( \\)?|)$`, requirement, image.Name)
			}
		}
	})
	t.Run("every program that is taken is a tool of its recipe", func(t *testing.T) {
		for _, image := range catalogue.Images {
			for _, binary := range image.Binaries {
				if binary.Recipe == "" {
					continue
				}
				raw, err := os.ReadFile(filepath.Join(root, builders.CatalogueFolder, "recipes", binary.Recipe, "go.mod"))
				require.NoError(t, err)
				assert.Regexp(t, `(?m)^(tool |\t)(\S*/)?`+binary.Name+`(/v\d+)?$`, string(raw))
			}
		}
	})
	t.Run("what shares the node's libraries has them in the same versions", func(t *testing.T) {
		node := requirements(t, filepath.Join(root, builders.CatalogueFolder, "recipes", "node", "go.mod"))
		shared := 0
		for module, version := range requirements(t, filepath.Join(root, builders.CatalogueFolder, "recipes", "local-path-provisioner", "go.mod")) {
			if node[module] != "" {
				shared++
				assert.Equal(t, node[module], version, "%s: else it is compiled a second time, and all that imports it", module)
			}
		}
		assert.Greater(t, shared, 40)
	})
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
	t.Run("the node holds the control plane, storage and pause", func(t *testing.T) {
		var parts []string
		for _, part := range catalogue.Parts(NodeImage) {
			parts = append(parts, part.Name)
		}
		assert.ElementsMatch(t, []string{
			"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd", "coredns",
			"local-path-provisioner", "local-path-helper", "pause",
		}, parts)
	})
}

// requirements are the versions of the modules that a go.mod requires or puts in
// the place of others.
func requirements(t *testing.T, file string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^\t(\S+) (?:=> \S+ )?(v\S+)`).FindAllStringSubmatch(string(raw), -1) {
		versions[line[1]] = line[2] // what replaces a module comes later in the file
	}
	return versions
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
	assert.Equal(t, builders.Size(3e6), one.Size)
	assert.Equal(t, 10*time.Second, catalogue.Recipes["tool"].Cold)

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
		{"nothing to build from", replaced("    binaries: [{recipe: tool, name: tool, to: /tool}]\n", ""), "c.yaml:6: images: found 0 of the fields packages, wheels, jars, crate, binaries, expected at least one"},
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

// A field that is added to a type is added to docs/schema/catalogue.schema.json,
// and the other way round.
func TestTheSchemaHasTheFieldsOfTheTypes(t *testing.T) {
	rules, err := schema.Load("catalogue", nil)
	require.NoError(t, err)
	for definition, of := range map[string]any{
		"": Catalogue{}, "debian": debian.Release{}, "recipe": golang.Recipe{}, "restore": golang.Restore{}, "restored": golang.RestoredFile{}, "image": Image{},
		"packages": debian.Packages{}, "wheels": pypi.Wheels{}, "jars": maven.Jars{}, "crate": cargo.Crate{}, "concat": debian.Concat{}, "binary": golang.Binary{}, "file": File{}, "config": Config{},
	} {
		assert.Equal(t, schema.FieldsOf(of, "yaml"), rules.Fields(definition), definition)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(goodCatalogue))
	raw, err := os.ReadFile("../../../fixtures/images/catalogue.yaml")
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

func TestSize(t *testing.T) {
	assert.Equal(t, "1.5 GB", builders.Size(15e8).String())
	assert.Equal(t, "0.3 MB", builders.Size(3e5).String())
	var s builders.Size
	for _, bad := range []string{"", "3", "MB", "-3MB", "3.5GB", "99999999999GB"} {
		require.Error(t, s.UnmarshalText([]byte(bad)), bad)
	}
}

func TestFindRoot(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	_, err := FindRoot(deep)
	require.ErrorContains(t, err, "run this inside a clone")

	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.org/you/operatorbench\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "a", "go.mod"), []byte("module example.org/you/operatorbench/a\n"), 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "fixtures", "images"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "fixtures", "images", "catalogue.yaml"), nil, 0o644))
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
}
