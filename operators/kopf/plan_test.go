// Package kopf has the tests of an operator in Python.
package kopf

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlan runs plan_test.py, which needs no package beside Python's own.
func TestPlan(t *testing.T) {
	if err := exec.CommandContext(t.Context(), "python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))").Run(); err != nil {
		t.Skip("no Python 3.11 or newer on this machine: ", err)
	}
	out, err := exec.CommandContext(t.Context(), "python3", "-B", "plan_test.py").CombinedOutput()
	require.NoError(t, err, string(out))
}
