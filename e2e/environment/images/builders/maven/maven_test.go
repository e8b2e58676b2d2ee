package maven

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/singleflight"

	"operatorbench/e2e/environment/images/builders"
)

// pom asks for one jar, and for a compiler.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><dependencies>
<dependency><artifactId>greet</artifactId></dependency><dependency><artifactId>ecj</artifactId><scope>provided</scope></dependency>
</dependencies></project>`

// newPart is a part of a repository with one source and a lock of that text.
func newPart(t *testing.T, lock string) (Part, *strings.Builder) {
	t.Helper()
	said := &strings.Builder{}
	root := t.TempDir()
	part := Part{
		Tools: builders.Tools{
			Root: root, Cache: filepath.Join(root, "cache"), Work: filepath.Join(root, "work"),
			Progress: builders.NewProgress(said), Once: &singleflight.Group{},
		},
		Jars: Jars{Recipe: "recipes/greet", Sources: "operators/greet/src", Release: 17, To: "/opt/operator"},
	}
	require.NoError(t, os.MkdirAll(part.Work, 0o755))
	for file, text := range map[string]string{
		part.file("pom.xml"): pom, part.file("jars.sha256"): lock,
		"operators/greet/src/a/Greet.java": "package a; class Greet {}", "operators/greet/src/notes.txt": "",
	} {
		write(t, filepath.Join(root, file), text, 0o644)
	}
	return part, said
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), mode))
}

// standIns puts programs in PATH that act as Maven, which brings jars of that
// content, and as Java, which compiles by writing a class.
func standIns(t *testing.T, jars map[string]string) {
	t.Helper()
	home, bin := t.TempDir(), t.TempDir()
	mvn := "#!/bin/sh\ncase \"$*\" in *--version*) printf 'Apache Maven 3.8.7\\nJava version: 17.0.1, vendor: X, runtime: " + home + "\\nDefault locale: en\\n'; exit;; esac\n" +
		"for a; do case \"$a\" in -DoutputDirectory=*) to=${a#*=};; esac; done\nmkdir -p \"$to\"\n"
	for name, text := range jars {
		mvn += fmt.Sprintf("printf %%s '%s' > \"$to/%s\"\n", text, name)
	}
	write(t, filepath.Join(bin, "mvn"), mvn, 0o755)
	write(t, filepath.Join(home, "bin", "java"), "#!/bin/sh\nto=; while [ $# -gt 0 ]; do [ \"$1\" = -d ] && to=$2; last=$1; shift; done\n"+
		"[ \"$last\" = operators/greet/src/a/Greet.java ] || exit 3\nmkdir -p \"$to/a\"; printf class > \"$to/a/Greet.class\"\n", 0o755)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

const ecj = "org.eclipse.jdt.ecj-3.46.100.jar"

func TestAProgramByTheHashesOfItsJars(t *testing.T) {
	standIns(t, map[string]string{"g.greet-1.0.jar": "greet", ecj: "compiler"})
	part, said := newPart(t, "# a comment\n\n"+sum("greet")+"  g.greet-1.0.jar\n"+sum("compiler")+"  "+ecj+"\n")
	require.NoError(t, part.Needs(t.Context()))
	made, err := part.Build(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, "g.greet-1.0", made.Labels[builders.LabelJars], "the compiler is not in the image")
	assert.Equal(t, builders.Dependencies{Direct: 1, All: 1}, made.Depends)
	assert.Regexp(t, `2 jars of recipes/greet: downloaded in \S+, operators/greet/src compiled in \S+ \(0.0 MB\)`, said.String())
	digest, err := made.Layers[0].Digest()
	require.NoError(t, err)

	t.Run("a second time from the cache, without Maven", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		require.NoError(t, part.Needs(t.Context()))
		costs, err := part.Costs()
		require.NoError(t, err)
		assert.Empty(t, costs)
		require.NoError(t, part.Fetch(t.Context()))
	})
	t.Run("the same bytes elsewhere", func(t *testing.T) {
		other, _ := newPart(t, sum("greet")+"  g.greet-1.0.jar\n"+sum("compiler")+"  "+ecj+"\n")
		again, err := other.Build(t.Context(), "")
		require.NoError(t, err)
		same, err := again.Layers[0].Digest()
		require.NoError(t, err)
		assert.Equal(t, digest, same)
	})
	for name, change := range map[string]func(*Part){
		"another source":    func(p *Part) { write(t, filepath.Join(p.Root, p.Jars.Sources, "a/Greet.java"), "package a;", 0o644) },
		"another pom":       func(p *Part) { write(t, filepath.Join(p.Root, p.file("pom.xml")), "<project></project>", 0o644) },
		"another folder":    func(p *Part) { p.Jars.To = "/elsewhere" },
		"another lock file": func(p *Part) { write(t, filepath.Join(p.Root, p.file("jars.sha256")), "", 0o644) },
	} {
		t.Run(name+" is another layer", func(t *testing.T) {
			before, err := part.base()
			require.NoError(t, err)
			change(&part)
			after, err := part.base()
			require.NoError(t, err)
			assert.NotEqual(t, before, after)
		})
	}
}

func TestJarsThatAreRefused(t *testing.T) {
	const asks, lock = "fixtures/images/recipes/greet/pom.xml", "fixtures/images/recipes/greet/jars.sha256"
	locked := sum("greet") + "  g.greet-1.0.jar\n" + sum("compiler") + "  " + ecj + "\n"
	for name, test := range map[string]struct {
		jars map[string]string
		lock string
		says string
	}{
		"another checksum": {
			map[string]string{"g.greet-1.0.jar": "bad", ecj: "compiler"},
			locked,
			"g.greet-1.0.jar has the SHA-256 " + sum("bad") + ", and " + lock + " has " + sum("greet") + ": delete it in Maven's local repository",
		},
		"one is missing": {map[string]string{ecj: "compiler"}, locked, "g.greet-1.0.jar is in " + lock + ", and Maven did not bring it: " + asks + " asks for something else"},
		"one more": {
			map[string]string{"g.greet-1.0.jar": "greet", "g.more-1.jar": "more", ecj: "compiler"},
			locked,
			"g.more-1.jar is not in " + lock + ": add it, with the SHA-256 " + sum("more"),
		},
		"no compiler": {map[string]string{"g.greet-1.0.jar": "greet"}, sum("greet") + "  g.greet-1.0.jar\n", "has no jar org.eclipse.jdt.ecj-…, which compiles"},
		"no jar":      {nil, "# none\n", lock + ":1: it names no jar"},
		"no hash":     {nil, "g.greet-1.0.jar\n", lock + ":1: found \"g.greet-1.0.jar\", expected a SHA-256"},
		"twice":       {nil, locked + locked, lock + ":3: g.greet-1.0.jar is there twice"},
		"a way out":   {nil, sum("x") + "  ../x.jar\n", lock + ":1: found"},
	} {
		t.Run(name, func(t *testing.T) {
			standIns(t, test.jars)
			part, _ := newPart(t, test.lock)
			_, err := part.Build(t.Context(), "")
			require.ErrorContains(t, err, test.says)
			kept, err := part.kept()
			require.NoError(t, err)
			assert.False(t, kept)
		})
	}
}

// A jar that no repository has: what Maven says of it is in the error.
func TestMavenFails(t *testing.T) {
	standIns(t, nil)
	bin := t.TempDir()
	write(t, filepath.Join(bin, "mvn"), "#!/bin/sh\ncase \"$*\" in *--version*) echo 'Java version: 21, vendor: X, runtime: /j';; *) echo 'Could not find artifact g:greet:jar:9'; exit 1;; esac\n", 0o755)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	part, _ := newPart(t, sum("greet")+"  g.greet-1.0.jar\n")
	_, err := part.Build(t.Context(), "")
	require.ErrorContains(t, err, "download the jars of fixtures/images/recipes/greet/pom.xml")
	require.ErrorContains(t, err, "Could not find artifact g:greet:jar:9")
}

func TestNoMavenOrJava(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	part, _ := newPart(t, "")
	const hint = "install both (Debian and Ubuntu: apt-get install maven), or leave out the styles that are written in Java"
	for name, test := range map[string]struct{ mvn, says string }{
		"none":       {"", `mvn --version: exec: "mvn": executable file not found in $PATH: install both`},
		"no Java":    {"echo 'The JAVA_HOME environment variable is not defined correctly' >&2; exit 1", "JAVA_HOME environment variable is not defined"},
		"too old":    {"echo 'Java version: 1.8.0_402, vendor: X, runtime: /old/jre'", "compiled with Java 17 or newer, and Maven's here (/old/jre) is 8"},
		"says other": {"echo 'hello'", "says nothing of its Java"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			t.Setenv("PATH", bin)
			if test.mvn != "" {
				write(t, filepath.Join(bin, "mvn"), "#!/bin/sh\n"+test.mvn+"\n", 0o755)
			}
			err := part.Needs(t.Context())
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, hint)
			_, err = part.Build(t.Context(), "")
			require.ErrorContains(t, err, test.says)
		})
	}
	t.Run("and no sources", func(t *testing.T) {
		part.Jars.Sources = "operators/absent"
		require.ErrorContains(t, part.Needs(t.Context()), "absent")
		part.Jars.Sources = "fixtures"
		require.ErrorContains(t, part.Needs(t.Context()), "no .java file is below fixtures")
	})
}

func FuzzParseLock(f *testing.F) {
	f.Add("# a comment\n" + sum("x") + "  g.x-1.jar\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		jars, err := parseLock(text)
		if err != nil {
			assert.Regexp(t, `^\d+: `, err.Error())
			return
		}
		for name, hash := range jars {
			assert.True(t, filepath.IsLocal(name), name)
			assert.Len(t, hash, 64)
		}
	})
}
