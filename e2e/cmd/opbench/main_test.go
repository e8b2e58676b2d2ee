package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHelp(t *testing.T) {
	code, stdout, _ := opbench(t, "--help")
	assert.Equal(t, exitOK, code)
	for _, sub := range subcommands() {
		assert.Contains(t, stdout, sub.name)
		assert.Contains(t, stdout, sub.summary)
	}
	code, stdout, stderr := opbench(t)
	assert.Equal(t, exitUsage, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "Usage: opbench SUBCOMMAND")
}

func TestUnknownSubcommand(t *testing.T) {
	code, _, stderr := opbench(t, "imagse")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, `opbench: unknown subcommand "imagse": there are `)
}

func TestImagesUsage(t *testing.T) {
	tests := []struct {
		name string
		args []string
		code int
		says string
	}{
		{"help", []string{"--help"}, exitOK, "Usage: opbench images [list]"},
		{"unknown verb", []string{"ensrue"}, exitUsage, `unknown verb "ensrue": expected list, ensure, missing, archive, programs or lock`},
		{"unknown flag", []string{"ensure", "--from=x"}, exitUsage, "flag provided but not defined: -from"},
		{"unknown source", []string{"ensure", "--images=docker"}, exitUsage, `--images: "docker" is no source of images: expected auto, pull or build`},
		{"names where none belong", []string{"list", "node"}, exitUsage, `opbench images list takes no names; got ["node"]`},
		{"programs of nothing", []string{"programs"}, exitError, "programs of which images?"},
		{"styles where none belong", []string{"archive", "--operator=native"}, exitUsage, "opbench images archive takes no --operator: only ensure and missing do"},
		{"unknown style", []string{"ensure", "--operator=nativ"}, exitError, `--operator=nativ: `},
		{"unknown image", []string{"ensure", "nods"}, exitError, `no image "nods" in the catalogue: it has node, argo-events,`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := opbench(t, append([]string{"images"}, test.args...)...)
			assert.Equal(t, test.code, code)
			assert.Contains(t, stdout+stderr, test.says)
		})
	}
}

func TestImagesListWithAnEmptyCache(t *testing.T) {
	t.Setenv("OPERATORBENCH_CACHE", filepath.Join(t.TempDir(), "cache"))
	t.Setenv("PATH", t.TempDir()) // no engine
	code, stdout, stderr := opbench(t, "images")
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stderr, "no container engine: ")
	assert.Regexp(t, `(?m)^NAME +REFERENCE +SIZE +SOURCE +STATE$`, stdout)
	assert.Regexp(t, `(?m)^node +docker\.io/kindest/node:\S+ +- +- +there is no container engine to keep it$`, stdout)
	assert.Regexp(t, `(?m)^nats +docker\.io/library/nats:\S+ +- +- +not in cache$`, stdout)
	assert.NoDirExists(t, os.Getenv("OPERATORBENCH_CACHE"), "a list writes nothing")

	code, _, stderr = opbench(t, "images", "archive", "nats")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "the image nats (docker.io/library/nats:2.10.29) is missing: not in cache; run `opbench images ensure`")
}

// Only what the styles need is looked at, and got.
func TestImagesOfStyles(t *testing.T) {
	t.Setenv("OPERATORBENCH_CACHE", filepath.Join(t.TempDir(), "cache"))
	t.Setenv("PATH", t.TempDir()) // no engine
	code, _, stderr := opbench(t, "images", "missing", "--operator=native,idle", "nats")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "opbench: missing images: node (there is no container engine to keep it), memcached (not in cache), native (not in cache), pause (not in cache), nats (not in cache)\n")
	code, _, stderr = opbench(t, "images", "ensure", "--images=build", "--operator=native")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "building images needs the program go", "three are missing, and nothing is there to build them with")
}

func TestImagesOutsideARepository(t *testing.T) {
	t.Chdir(t.TempDir())
	code, _, stderr := opbench(t, "images")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "run this inside a checkout of the repository")
}

// What is wrong with a run is said before anything is made.
func TestRunRefuses(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no engine
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"help":             {[]string{"--help"}, exitOK, "-operator"},
		"unknown flag":     {[]string{"--opertor=argo"}, exitUsage, "flag provided but not defined: -opertor"},
		"an argument":      {[]string{"argo"}, exitUsage, `run takes flags alone, not "argo"`},
		"unknown style":    {[]string{"--operator=agro"}, exitError, `unknown operator "agro"`},
		"unknown scenario": {[]string{"--scenario=explode"}, exitError, `there is no scenario or group "explode"`},
		"wrong value":      {[]string{"--rounds=many"}, exitUsage, `invalid value "many" for flag -rounds`},
		"no engine":        {[]string{"--operator=native"}, exitError, "no container engine is installed"},
		"no such kubeconfig": {
			[]string{"--operator=native", "--cluster=existing", "--kubeconfig=/nowhere", "--results=" + t.TempDir()},
			exitError, "kubeconfig /nowhere",
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := opbench(t, append([]string{"run"}, test.args...)...)
			assert.Equal(t, test.code, code)
			assert.Contains(t, stdout+stderr, test.says)
		})
	}
}
