// Package kubers has the tests of an operator in Rust.
package kubers

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRust compiles the operator with its tests and runs them. It needs Cargo, and
// the crates where Cargo keeps them: building the image brings them there.
func TestRust(t *testing.T) {
	if out, err := exec.CommandContext(t.Context(), "cargo", "metadata", "--offline", "--locked", "--format-version=1").CombinedOutput(); err != nil {
		t.Skipf("no Cargo with these crates on this machine (make images brings them): %v: %.300s", err, out)
	}
	test := exec.CommandContext(t.Context(), "cargo", "test", "--offline", "--locked", "--quiet")
	test.Env = append(test.Environ(), "CARGO_PROFILE_DEV_DEBUG=0") // half of the time
	out, err := test.CombinedOutput()
	require.NoError(t, err, string(out))
}
