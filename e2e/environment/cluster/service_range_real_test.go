//go:build cluster

package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What no Service has is refused at once, in the node and in its pods, also after a
// restart: else it would leave the node, and whatever is outside would answer. What a
// Service has is reached.
func TestAnAddressWithoutAServiceIsRefused(t *testing.T) {
	k, _ := newCluster(t, nil)
	const pod = `nsenter -t "$(pgrep -o coredns)" -n `
	check := func() {
		t.Helper()
		require.Eventually(t, func() bool {
			_, err := k.Exec(bounded(t), "sh", "-c", pod+"curl -skS --max-time 2 https://10.96.0.1/version")
			return err == nil
		}, time.Minute, time.Second, "a pod reaches the API server by its Service")
		for _, from := range []string{"", pod} {
			out, err := k.Exec(bounded(t), "sh", "-c", from+`curl -sS --max-time 5 -w 'answered %{http_code}' http://10.96.255.254/ 2>&1 || echo "exit $?"`)
			require.NoError(t, err)
			assert.Regexp(t, `(?s)(refused|Couldn't connect|Failed to connect).*exit 7`, out)
		}
	}
	check()
	require.NoError(t, k.Restart(bounded(t)))
	check()
}
