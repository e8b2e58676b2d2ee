package fault

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/internal/workloadtest"
)

// configured is a node on which somebody has said already how the image's registry is reached.
type configured struct {
	Node

	ran []string
}

func (c *configured) Exec(_ context.Context, command ...string) (string, error) {
	c.ran = append(c.ran, strings.Join(command, " "))
	if command[0] == "mkdir" && command[1] != "-p" {
		return "", errors.New("mkdir: cannot create directory: File exists")
	}
	return "id", nil
}

// What somebody else has said of a registry stays.
func TestARegistryThatIsConfiguredIsLeftAsItIs(t *testing.T) {
	node := &configured{}
	i := &Injector{Node: node, Workload: workloadtest.Default(t)}
	broken, err := i.removeImage(t.Context(), "", Target{})
	require.ErrorContains(t, err, "File exists")
	assert.Nil(t, broken.Undo, "nothing was done")
}
