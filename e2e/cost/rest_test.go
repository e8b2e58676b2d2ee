package cost_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// part begins a part of a growth.
func (s *story) part(ms int, p record.Part) {
	p.CPU, p.Memory = at(ms/10), int64(ms)
	s.add(record.Entry{Time: at(ms), Kind: record.KindBlock, Block: &record.Block{Style: argo.Name, Round: 1, Stage: record.Parted, Load: "growth", Part: &p}})
}

// Pods that come and go while the style is left alone have used what they used, and what a pod used before counts no
// more when another has its place.
func TestARestInWhichPodsComeAndGo(t *testing.T) {
	s := aside("growth")
	s.part(1400, record.Part{Stage: record.StageFill})
	s.look(1500, used("c", 1000, 70), used("old", 5000, 10))
	s.part(2000, record.Part{Stage: record.StageRest})
	s.look(2500, used("c", 1000, 50), used("old", 5000, 10))
	s.look(3500, used("c", 1010, 50), used("job-1", 200, 10))
	s.look(4500, used("c", 1020, 50))
	s.look(6500, used("c", 1040, 50), used("job-2", 160, 10))
	s.driven(8000)
	c := s.only(t)
	require.Len(t, c.Rests, 1)
	once(t, 0.1, c.Rests[0].CPU) // 40 + 200 + 160 ms in 4 s
}

// What a style uses at rest is what it uses in that part alone; what is before and after it does not count, nor what it
// does when the custom resources go at the end.
func TestRestsOfAGrowth(t *testing.T) {
	s := aside("growth")
	s.look(1500, used("c", 1000, 70))
	s.part(2000, record.Part{Stage: record.StageRest})
	s.look(2500, used("c", 2000, 50))
	s.look(3500, used("c", 2010, 51))
	s.look(4500, used("c", 2020, 52))
	s.asked(4000, account, "c", "list", "pods.v1", "services")
	s.asked(4100, account, "c", "list", "pods.v1", "services")
	s.asked(4200, account, "c", "update", "leases.v1.coordination.k8s.io", "argo")
	s.asked(4300, "kubernetes-admin", "", "list", "pods.v1", "services")
	s.part(8000, record.Part{Stage: record.StageFill})
	s.look(8500, used("c", 9000, 90))
	s.asked(8600, account, "c", "list", "pods.v1", "services")
	s.part(10_000, record.Part{Stage: record.StageRest, Customs: 100})
	s.look(10_500, used("c", 9000, 61))
	s.look(11_500, used("c", 9100, 61))
	ends := map[string]any{"deletionGracePeriodSeconds": 10}
	s.pod(11_600, spec.Modified, "c", ends)
	s.pod(11_900, spec.Modified, "c", ends)
	s.pod(11_950, spec.Deleted, "c", ends)
	s.part(12_000, record.Part{Stage: record.StageDown, Customs: 100})
	s.part(13_000, record.Part{Stage: record.StageRest, Customs: 100})
	s.look(13_500, used("c", 100, 60))
	s.look(14_500, used("c", 110, 60))
	s.part(15_000, record.Part{Stage: record.StageBeside, Customs: 100, Beside: "secrets", Each: 1000})
	s.part(16_000, record.Part{Stage: record.StageRest, Customs: 100, Beside: "secrets", Each: 1000})
	s.look(16_500, used("c", 200, 65))
	s.look(17_500, used("c", 210, 65))
	s.object(17_600, spec.Modified, "memcacheds.v1alpha1.cache.example.com", "memcached", map[string]any{"deletionTimestamp": "2026-11-28T18:00:00Z"})
	s.look(17_800, used("c", 900, 20))
	s.look(17_900, used("c", 990, 20))
	s.asked(17_950, account, "c", "update", "memcacheds.v1alpha1.cache.example.com", "services")
	s.driven(18_000)
	c := s.only(t)
	require.Len(t, c.Rests, 4)
	first := c.Rests[0]
	assert.Equal(t, "growth", first.Load)
	once(t, 51*mib, first.Memory)
	once(t, 0.01, first.CPU)
	once(t, 20, first.Requests)
	assert.Equal(t, []cost.Call{{"list", "pods.v1", 20}, {"update", "leases.v1.coordination.k8s.io", 10}}, first.Calls)
	once(t, 61*mib, c.Rests[1].Memory)
	once(t, 0, c.Rests[1].Requests)
	assert.Equal(t, 100, c.Rests[1].Customs)
	assert.False(t, c.Rests[1].Restarted)
	once(t, 60*mib, c.Rests[2].Memory)
	assert.True(t, c.Rests[2].Restarted)
	once(t, 0.35, c.Rests[2].Stop)
	assert.EqualValues(t, 10, c.Rests[2].Grace)
	assert.Zero(t, c.Rests[3].Stop, "said once")
	once(t, 65*mib, c.Rests[3].Memory)
	once(t, 0.01, c.Rests[3].CPU)
	once(t, 0, c.Rests[3].Requests)
	assert.Equal(t, "secrets", c.Rests[3].Beside)
	assert.Equal(t, 1000, c.Rests[3].Each)
	require.Len(t, c.Kept, 3)
	assert.Equal(t, cost.Kept{Load: "growth", Stage: record.StageFill, Round: 1, Entries: 2, Seconds: 2, CPU: 0.2, Memory: 10_000}, c.Kept[0])
}

// Quotients that are added in the order of a map differ in their last digit from one judging to the next.
func TestRequestsOfARestAreTheSameEachTime(t *testing.T) {
	seen := map[float64]bool{}
	for range 50 {
		s := aside("growth")
		s.part(2000, record.Part{Stage: record.StageRest})
		for kind := range 12 {
			for n := range 13*kind + 1 {
				s.asked(2001+n, account, "c", "list", fmt.Sprintf("kind%d.v1", kind), "services")
			}
		}
		s.part(9017, record.Part{Stage: record.StageFill})
		s.driven(18_000)
		seen[s.only(t).Rests[0].Requests.Values[0].Value] = true
	}
	assert.Len(t, seen, 1)
}
