//go:build cluster

package watch_test

import (
	"os"
	"testing"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/testnode/testcluster"
)

// benchCluster is the cluster of the benchmark; TestMain makes it known.
var benchCluster *testcluster.Cluster

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	benchCluster = testcluster.New()
	os.Exit(benchCluster.Main(m))
}
