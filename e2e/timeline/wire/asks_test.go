package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsAskedOfANode(t *testing.T) {
	var spec any
	require.NoError(t, json.Unmarshal([]byte(`{
		"replicas": 3, "affinity": {}, "nodeSelector": {"disk": "ssd"},
		"template": {"containers": [
			{"name": "a", "ports": [{"hostPort": 80}, {"hostPort": 0}], "resources": {"limits": {"cpu": 2, "memory": "1Gi"}, "requests": {"cpu": "0.5"}}},
			{"name": "b", "resources": {"requests": {"cpu": "500m", "memory": "0"}}}
		], "volumes": [{"emptyDir": {}}]}
	}`), &spec))
	assert.Equal(t, []string{"1Gi of memory", "500m of cpu", "hostPort 80", `nodeSelector {"disk":"ssd"}`}, Asks(spec))
	assert.Empty(t, Asks(nil))
}
