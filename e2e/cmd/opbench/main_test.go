package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/gate"
	job "operatorbench/e2e/run"
)

// Only what the styles need is looked at, and got.
func TestImagesOfStyles(t *testing.T) {
	t.Setenv("OPERATORBENCH_CACHE", filepath.Join(t.TempDir(), "cache"))
	t.Setenv("PATH", t.TempDir()) // no engine
	code, _, stderr := opbench(t, "images", "missing", "--operator=native,idle", "nats")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "opbench: missing images: node (there is no container engine to keep it), memcached (not in cache), native (not in cache), pause (not in cache), nats (not in cache)\n")
	code, _, stderr = opbench(t, "images", "ensure", "--images=build", "--operator=native")
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "the program that builds them is compiled by Go", "three are missing, and nothing is there to build them with")
}

// What a run was asked for and cannot have is a mistake in the command line, in whatever it is wrapped.
func TestAWrongOptionIsWrongUsage(t *testing.T) {
	var stderr bytes.Buffer
	assert.Equal(t, exitUsage, exitStatus(fmt.Errorf("--operator=native,other: %w", &job.OptionError{Err: errors.New("two workloads")}), &stderr))
	assert.Equal(t, "opbench: --operator=native,other: two workloads\n", stderr.String())
}

// A crash is no answer: its status is that of an invalid comparison, and it says so.
func TestACrashIsNoAnswer(t *testing.T) {
	dir := folder(t, comparison(t, "run1", map[string][]int{"base": about(100, 8), "head": about(100, 8)}), "AMD")
	var stderr bytes.Buffer
	assert.Equal(t, gate.StatusInvalid, run(t.Context(), []string{"gate", dir}, panicking{}, &stderr))
	assert.Contains(t, stderr.String(), "opbench: this is a bug, and no answer: cannot write\nPlease report it with what follows.\n")
	assert.Contains(t, stderr.String(), "main_test.go", "the stack")
}

// panicking is an output that panics.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("cannot write") }
