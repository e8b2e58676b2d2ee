//go:build cluster

package watch_test

import (
	"os"
	"testing"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/internal/clustertest"
)

// benchCluster is the cluster of the benchmark; TestMain makes it known.
var benchCluster *clustertest.Cluster

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	benchCluster = clustertest.New()
	os.Exit(benchCluster.Main(m))
}
