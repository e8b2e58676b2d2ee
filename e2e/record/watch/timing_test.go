//go:build cluster

package watch_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/audit"
	"operatorbench/e2e/record/watch"
)

// What one measurement does.
const (
	lanes  = 4  // that write and poll side by side, one object at a time each
	writes = 50 // of each lane
	seed   = 1
	within = 30 * time.Second // every write is noticed by every way
)

// The ways of noticing a change that are compared.
const (
	byWatch    = "watch"
	byChainsaw = "poll-50ms" // the default of Chainsaw
	byKUTTL    = "poll-1s"   // what KUTTL does
)

// way is a way of noticing; a watch has no interval.
type way struct {
	name     string
	interval time.Duration
}

func ways() []way {
	return []way{{byWatch, 0}, {byChainsaw, 50 * time.Millisecond}, {byKUTTL, time.Second}}
}

// BenchmarkTimingError measures how late each way of observing notices a change
// that somebody else made: the wall-clock time of noticing minus the time at
// which, by its audit log, the API server had answered the write. All ways
// observe the same writes in the same run. A write is the creation of a
// ConfigMap, as no controller adds writes of its own to one; when it comes,
// relative to the polls, is random.
//
// This is the one place where a time of the API server is compared with one of
// the harness. It is right here because the node of a kind cluster is a
// container: both read the clock of one kernel, and it is checked that nobody
// set that clock meanwhile.
//
// A negative error is real: a watch can deliver an event before the answer to
// its write is complete.
func BenchmarkTimingError(b *testing.B) {
	var measured []map[string][]float64 // by repetition, see -count
	for _, w := range ways() {
		repetition := 0
		b.Run("way="+w.name, func(b *testing.B) {
			if repetition == len(measured) {
				measured = append(measured, measure(b))
			}
			late := measured[repetition][w.name]
			repetition++
			for b.Loop() { // all ways were measured at once: there is nothing to repeat for one of them
			}
			b.ReportMetric(0, "ns/op")
			for name, p := range map[string]float64{"p50-ms": 0.5, "p99-ms": 0.99, "max-ms": 1} {
				b.ReportMetric(stat.Quantile(p, stat.Empirical, late, nil), name)
			}
			b.ReportMetric(float64(len(late)), "writes")
		})
	}
}

// measure returns the errors of each way in milliseconds, sorted.
func measure(b *testing.B) map[string][]float64 {
	client, err := benchCluster.Client()
	require.NoError(b, err)
	namespace, err := client.Typed.CoreV1().Namespaces().Create(b.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "timing-"}}, metav1.CreateOptions{})
	require.NoError(b, err)
	defer func() {
		assert.NoError(b, client.Typed.CoreV1().Namespaces().Delete(context.Background(), namespace.Name, metav1.DeleteOptions{}))
	}()

	var out bytes.Buffer
	recorder, err := record.NewRecorder(&out, record.Header{Seed: seed})
	require.NoError(b, err)
	log, err := benchCluster.AuditLog(b.Context())
	require.NoError(b, err)
	follower := audit.Follow(b.Context(), log, recorder)
	configMaps := watch.Target{Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), Namespace: namespace.Name}
	watches, err := watch.Open(b.Context(), client.Dynamic, recorder, nil, configMaps)
	require.NoError(b, err)

	seen := &sightings{at: map[sighting]time.Time{}}
	var running errgroup.Group
	for number := range lanes {
		l := &lane{
			number: number, namespace: namespace.Name, seen: seen,
			operator: separate(b, client.Config), poller: separate(b, client.Config),
			random: rand.New(rand.NewPCG(seed, uint64(number))),
		}
		running.Go(func() error { return l.run(b.Context()) })
	}
	require.NoError(b, running.Wait())
	require.NoError(b, follower.CatchUp(b.Context(), client.Typed.CoreV1().RESTClient()))
	require.NoError(b, follower.Stop())
	watches.Stop()
	answered, began := read(b, out.Bytes(), seen)
	checkClock(b, recorder, began)
	return seen.after(b, answered)
}

// separate gives a client a connection of its own, as another program has.
func separate(b *testing.B, config *rest.Config) *kube.Client {
	config = rest.CopyConfig(config)
	config.Dial = (&net.Dialer{Timeout: within}).DialContext
	client, err := kube.New(config)
	require.NoError(b, err)
	return client
}

// A sighting is one way's noticing of one object.
type sighting struct{ way, object string }

type sightings struct {
	mu sync.Mutex
	at map[sighting]time.Time // wall clock
}

func (s *sightings) add(way, object string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at[sighting{way, object}] = at.Round(0) // drops the monotonic clock: what it is compared with has none
}

// after returns how much later than the answers the sightings are, in sorted
// milliseconds by way.
func (s *sightings) after(b *testing.B, answered map[string]time.Time) map[string][]float64 {
	require.Len(b, answered, lanes*writes)
	late := map[string][]float64{}
	for object, answer := range answered {
		for _, w := range ways() {
			at, found := s.at[sighting{w.name, object}]
			require.True(b, found, "%s was not noticed by %s", object, w.name)
			late[w.name] = append(late[w.name], float64(at.Sub(answer))/float64(time.Millisecond))
		}
	}
	for _, errors := range late {
		slices.Sort(errors)
	}
	return late
}

// A lane makes one object after the other and polls for each of them.
type lane struct {
	number           int
	namespace        string
	operator, poller *kube.Client
	random           *rand.Rand
	seen             *sightings
}

func (l *lane) run(ctx context.Context) error {
	for i := range writes {
		name := fmt.Sprintf("object-%d-%d", l.number, i)
		delay := time.Duration(l.random.Int64N(int64(time.Second))) // the longest interval: any phase of any poll
		var observing errgroup.Group
		for _, w := range ways() {
			if w.interval > 0 {
				observing.Go(func() error { return l.poll(ctx, w, name) })
			}
		}
		observing.Go(func() error { return l.write(ctx, delay, name) })
		if err := observing.Wait(); err != nil {
			return fmt.Errorf("object %s: %w", name, err)
		}
	}
	return nil
}

func (l *lane) write(ctx context.Context, delay time.Duration, name string) error {
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := l.operator.Typed.CoreV1().ConfigMaps(l.namespace).Create(ctx, object, metav1.CreateOptions{})
	return err
}

func (l *lane) poll(ctx context.Context, w way, name string) error {
	return wait.PollUntilContextTimeout(ctx, w.interval, within, true, func(ctx context.Context) (bool, error) {
		_, err := l.poller.Typed.CoreV1().ConfigMaps(l.namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		l.seen.add(w.name, name, time.Now())
		return err == nil, err
	})
}

// read takes from the recording what the watch noticed and when the API server
// answered each write, and returns the latter, and when the recording began.
func read(b *testing.B, recording []byte, seen *sightings) (answered map[string]time.Time, began time.Time) {
	answered = map[string]time.Time{}
	for e, err := range record.Read(bytes.NewReader(recording)) {
		require.NoError(b, err)
		switch {
		case e.Header != nil:
			began = e.Header.Began
		case e.Watch != nil && e.Watch.Event == "ADDED":
			seen.add(byWatch, e.Watch.Name, began.Add(e.Time))
		case e.Audit != nil && e.Audit.Verb == "create" && e.Audit.Resource == "configmaps.v1" && e.Audit.Code == 201:
			if _, polled := seen.at[sighting{byKUTTL, e.Audit.Name}]; polled {
				answered[e.Audit.Name] = e.Audit.Answered
			}
		}
	}
	return answered, began
}

// checkClock makes sure that the wall clock was not set since the recording
// began: then it still is as far from its beginning as the monotonic clock.
func checkClock(b *testing.B, recorder *record.Recorder, began time.Time) {
	drift := time.Hour
	for range 10 { // the least of several, as this may be interrupted between the two readings
		drift = min(drift, (time.Now().Round(0).Sub(began) - recorder.Now()).Abs())
	}
	require.Less(b, drift, time.Millisecond, "the wall clock was set while this measured")
}
