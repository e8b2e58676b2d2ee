package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/profiles"
)

// The documents say of each profile what its definition says.
func TestProfilesAreAsTheyAreDefined(t *testing.T) {
	all, err := profiles.All()
	require.NoError(t, err)
	guide, err := os.ReadFile("gate.md")
	require.NoError(t, err)
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for _, p := range all {
		drives := "`" + strings.ReplaceAll(p.Scenarios, ",", "`, `") + "`"
		assert.Contains(t, string(guide), fmt.Sprintf("| `%s` | %s | %.0f min | %.0f min | %.0f%% | ", p.Name, drives, p.Budget.Minutes(), p.Matrix.Minutes(), 100*p.Effect))
		assert.Contains(t, string(guide), " | "+p.Use+" |\n")
		assert.Contains(t, string(readme), "| `"+p.Name+"` | ")
	}
}
