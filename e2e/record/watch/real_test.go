//go:build cluster

package watch_test

import (
	"os"
	"testing"

	"operatorbench/e2e/bed/cluster"
	"operatorbench/e2e/bed/testnode/testcluster"
)

// bed is the cluster of the benchmark; TestMain makes it known.
var bed *testcluster.Cluster

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	bed = testcluster.New()
	os.Exit(bed.Main(m))
}
