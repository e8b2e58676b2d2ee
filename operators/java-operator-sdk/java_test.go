// Package javaoperatorsdk has the tests of an operator in Java.
package javaoperatorsdk

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJava compiles the operator with its tests, programs that fail, and runs them. It needs Maven,
// and the jars where Maven keeps them: building the image brings them there.
func TestJava(t *testing.T) {
	lib, classes := filepath.Join(t.TempDir(), "lib"), t.TempDir()
	copied, err := exec.CommandContext(t.Context(), "mvn", "--offline", "--batch-mode", "--quiet",
		"--file", "../../fixtures/images/recipes/java-operator-sdk/pom.xml",
		"org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies", "-DoutputDirectory="+lib).CombinedOutput()
	if err != nil {
		t.Skipf("no Maven with these jars on this machine (make images brings them): %v: %.300s", err, copied)
	}
	sources, err := filepath.Glob("src/*/java/com/example/cache/*.java")
	require.NoError(t, err)
	jars, err := filepath.Glob(filepath.Join(lib, "*.jar"))
	require.NoError(t, err)
	classpath := strings.Join(append(jars, classes), ":")
	compilers, err := filepath.Glob(filepath.Join(lib, "ecj-*.jar"))
	require.NoError(t, err)
	require.Len(t, compilers, 1)
	for _, args := range [][]string{
		append([]string{"-jar", compilers[0], "--release", "17", "-proc:none", "-nowarn", "-classpath", classpath, "-d", classes}, sources...),
		{"-classpath", classpath, "com.example.cache.PlanTest"},
		{"-classpath", classpath, "com.example.cache.MatcherTest"},
	} {
		out, err := exec.CommandContext(t.Context(), "java", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
}
