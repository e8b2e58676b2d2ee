package usage

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

// realMetrics is what a kind cluster's kubelet told (Kubernetes 1.37) of an
// operator with a CPU limit of 20m, and of a pod without one.
const realMetrics = "testdata/cadvisor.txt"

func TestThrottlingOfARealAnswer(t *testing.T) {
	raw, err := os.ReadFile(realMetrics)
	require.NoError(t, err)
	known, err := parseContainers(raw)
	require.NoError(t, err)
	assert.Equal(t, map[string]*record.Throttled{
		"memcached-operator/memcached-operator-747b5849d5-ddbp6": {Time: time.Second, Periods: 56, ThrottledPeriods: 30},
		"kube-system/coredns-559f6c778d-hlqhq":                   {},
	}, known.throttled)
}

// cAdvisor tells of the pod as a whole and of its containers, and is silent where there is no limit.
func TestThrottlingAsCAdvisorTellsIt(t *testing.T) {
	known, err := parseContainers([]byte(`# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="",namespace="a",pod="limited"} 2
container_cpu_usage_seconds_total{container="one",namespace="a",pod="limited"} 1
container_cpu_usage_seconds_total{container="two",namespace="a",pod="limited"} 1
container_cpu_usage_seconds_total{container="POD",namespace="a",pod="limited"} 0.1
container_cpu_usage_seconds_total{container="one",namespace="a",pod="free"} 1
container_cpu_usage_seconds_total{container="",namespace="",pod=""} 9
# TYPE container_cpu_cfs_throttled_seconds_total counter
container_cpu_cfs_throttled_seconds_total{container="",namespace="a",pod="limited"} 1.75
container_cpu_cfs_throttled_seconds_total{container="one",namespace="a",pod="limited"} 0.5
container_cpu_cfs_throttled_seconds_total{container="two",namespace="a",pod="limited"} 0.25
`))
	require.NoError(t, err)
	assert.Equal(t, map[string]*record.Throttled{"a/limited": {Time: 1750 * time.Millisecond}, "a/free": {}}, known.throttled, "the larger of the two")
}

// What processes hold is told of each container, and here and there of the pod as a whole, too.
func TestWhatContainersHaveOpen(t *testing.T) {
	known, err := parseContainers([]byte(`# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="one",namespace="a",pod="p"} 1
# TYPE container_file_descriptors gauge
container_file_descriptors{container="one",namespace="a",pod="p"} 12
container_file_descriptors{container="two",namespace="a",pod="p"} 7
container_file_descriptors{container="",namespace="a",pod="p"} 19
container_file_descriptors{container="POD",namespace="a",pod="p"} 3
container_file_descriptors{container="one",namespace="a",pod="wrong"} -1
# TYPE container_sockets gauge
container_sockets{container="one",namespace="a",pod="p"} 9
`))
	require.NoError(t, err)
	assert.Equal(t, map[string]map[string]float64{"a/p": {"container_file_descriptors": 19, "container_sockets": 9}}, known.open)
}

func TestThrottlingThatIsNotTold(t *testing.T) {
	for name, raw := range map[string]string{
		"no metrics":   `{"kind":"Status"}`,
		"other ones":   "# TYPE up gauge\nup 1\n",
		"nothing":      "",
		"an open line": "container_cpu_usage_seconds_total{",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseContainers([]byte(raw))
			assert.Error(t, err)
		})
	}
}

func FuzzParseContainers(f *testing.F) {
	raw, err := os.ReadFile(realMetrics)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte("container_cpu_usage_seconds_total{pod=\"p\"} 1\ncontainer_cpu_cfs_throttled_seconds_total{pod=\"p\"} NaN\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		known, err := parseContainers(raw)
		if err != nil {
			return
		}
		for _, k := range known.throttled {
			assert.GreaterOrEqual(t, k.Time, time.Duration(0))
		}
	})
}
