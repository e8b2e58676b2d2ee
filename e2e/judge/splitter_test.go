package judge_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// live feeds a story to a Splitter, as a driver does, and returns what was
// missing after each entry of the open sample.
func live(t *testing.T, s *story) []string {
	t.Helper()
	return ask(t, s, (*timeline.Timeline).Missing)
}

func TestMissingOnCreate(t *testing.T) {
	s := newStory(t)
	s.created()
	assert.Equal(t, []string{
		"the API server has not acknowledged the sample's action",
		"there is no Deployment whose controller is the custom resource cache",
		"Deployment cache-deployment has 0 of 3 ready replicas",
		"Deployment cache-deployment has 2 of 3 ready replicas",
		"status.observedGeneration of cache is 0, wanted 1",
		"",
	}, live(t, s))
}

func TestMissingOnScale(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "scale down", 1)
	s.see(5, "LISTED", custom(1, 2, 1, "p1", "p2"))
	s.see(5, "LISTED", deployment(1, 2, 2, 2))
	s.done(10, "patch", custom(2, 1, 1, "p1", "p2").at(100))
	unseen := deployment(2, 1, 2, 2)
	unseen.object["status"].(fields)["observedGeneration"] = 1
	s.see(20, "MODIFIED", unseen)
	s.see(30, "MODIFIED", deployment(2, 1, 2, 1))
	s.see(40, "MODIFIED", deployment(2, 1, 1, 1))
	s.see(50, "MODIFIED", custom(2, 1, 2, "p1", "p2"))
	s.see(60, "MODIFIED", custom(2, 1, 2, "p1"))
	s.end(1100, record.Settled)
	assert.Equal(t, []string{
		"the API server has not acknowledged the sample's action",
		"Deployment cache-deployment asks for 2 replicas, wanted 1",
		"the Deployment controller has seen generation 1 of Deployment cache-deployment, not yet 2",
		"Deployment cache-deployment has 2 of 1 replicas of the current template",
		"status.observedGeneration of cache is 1, wanted 2",
		"status.nodes of cache names 2 of 1 pods",
		"",
	}, live(t, s))
}

func TestMissingOnDelete(t *testing.T) {
	missing := live(t, deleteStory(t))
	assert.Equal(t, []string{
		"the API server has not acknowledged the sample's action",
		"the custom resource cache is still there",
		"Deployment cache-deployment is still there",
		"ReplicaSet cache-deployment-5d is still there",
		"3 pods are still there: p1, p2, p3",
		"2 pods are still there: p2, p3",
		"pod p3 is still there",
		"",
	}, missing[len(missing)-8:])
}

func TestMissingWaitsForTheStyleToBeIdle(t *testing.T) {
	s := newStory(t)
	s.begin(0, "argo", "create", 1)
	s.done(10, "create", custom(1, 1, 0).at(7))
	s.see(20, "ADDED", workflow("w1", "Running"))
	s.see(60, "ADDED", deployment(1, 1, 1, 1))
	s.see(90, "MODIFIED", workflow("w1", "Succeeded"))
	assert.Equal(t, []string{
		"the API server has not acknowledged the sample's action",
		"there is no Deployment cache-deployment",
		`inner phase "workflow finished" has not happened; status.phase of workflows/w1 is Running`,
		"",
	}, live(t, s))
	s.end(1100, record.Settled)

	// A patch that changes nothing causes no reconcile: there is no Workflow to wait for.
	s.begin(2000, "argo", "no change", 1)
	s.act(2010, 2015, "patch", custom(1, 1, 0).at(7))
	missing := live(t, s)
	assert.Empty(t, missing[len(missing)-1])
}

func TestMissingTellsOfARefusal(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create", 1)
	s.add(record.Entry{Time: at(15), Kind: record.KindAction, Action: &record.Action{
		From: at(10), Verb: "create", Resource: customs, Namespace: "services", Name: "cache", Measured: true, Error: "spec.size: Invalid value",
	}})
	missing := live(t, s)
	assert.Equal(t, "create of memcacheds.v1alpha1.cache.example.com cache was refused: spec.size: Invalid value", missing[len(missing)-1])
}

func TestOverlappingSamplesAreKeptApart(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create", 1, func(b *record.Sample) { b.Namespace = "a" })
	first := s.sample
	s.begin(1, "argo", "create", 1, func(b *record.Sample) { b.Namespace = "b" })
	second := s.sample
	one := deployment(1, 1, 1, 1)
	one.namespace = "b"
	s.see(20, "ADDED", one)
	s.see(30, "ADDED", workflow("w1", "Running"))
	s.sample = first
	s.end(100, record.Settled)
	s.sample = second
	s.end(200, record.Settled)
	all, err := timelines(s.seq())
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, "native", all[0].Sample.Style)
	assert.Empty(t, all[0].Events)
	assert.Len(t, all[1].Events, 2)
}

func TestBeforeIsWhatWasThere(t *testing.T) {
	s := newStory(t)
	s.see(1, "LISTED", deployment(1, 2, 2, 2))
	s.see(1, "LISTED", custom(1, 2, 0))
	s.see(2, "MODIFIED", deployment(2, 3, 3, 3))
	s.see(3, "LISTED", pod(1, "Running"))
	s.see(4, "DELETED", pod(1, "Running"))
	s.begin(10, "native", "scale up", 4)
	all, err := timelines(s.seq())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Nil(t, all[0].End)
	require.Len(t, all[0].Before, 2)
	assert.EqualValues(t, 2, all[0].Before[0].Object.Generation)
	assert.Equal(t, "cache", all[0].Before[1].Object.Name)
}

func TestSplitterRefuses(t *testing.T) {
	header := func(styles ...record.Style) record.Entry {
		return record.Entry{Kind: record.KindHeader, Header: &record.Header{Styles: styles}}
	}
	begin := record.Entry{Kind: record.KindBegin, Begin: &record.Sample{Style: "native", Scenario: "create", Namespace: "services"}}
	end := record.Entry{Kind: record.KindEnd, End: &record.End{Style: "native", Scenario: "create", Namespace: "services"}}
	broken := record.Entry{Kind: record.KindWatch, Watch: &record.Watch{Event: "ADDED", Resource: spec.Pods, Name: "p1", Object: json.RawMessage(`{"status":{"replicas":"x"}}`)}}
	for want, entries := range map[string][]record.Entry{
		"before the header":                      {begin},
		"a second header":                        {header(), header()},
		`style "native" is there twice`:          {header(native, native)},
		`style "native" is not in the header`:    {header(argo), begin},
		"began before its last run ended":        {header(native), begin, begin},
		"ended without having begun":             {header(native), end},
		`childName "{{.Nme}}"`:                   {header(record.Style{Style: spec.Style{Name: "native", Child: spec.Child{Name: "{{.Nme}}"}}}), begin},
		`childName "{{"`:                         {header(record.Style{Style: spec.Style{Name: "native", Child: spec.Child{Name: "{{"}}})},
		`idle names phase "done"`:                {header(record.Style{Style: spec.Style{Name: "native", Idle: []string{"done"}}})},
		"ADDED event of pods.v1 /p1: read the r": {header(), broken},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := judge.Judge(sequence(entries))
			require.ErrorContains(t, err, want)
			_, err = timelines(sequence(entries))
			require.ErrorContains(t, err, want)
		})
	}
}

// A run can be killed after any entry: what had ended by then is judged as it
// is in the whole recording, and what had not is interrupted.
func TestEveryPrefixIsJudgedTheSame(t *testing.T) {
	s := deleteStory(t)
	s.end(3410, record.Settled)
	whole := s.judge()
	for n := 1; n <= len(s.entries); n++ {
		j, err := judge.Judge(sequence(s.entries[:n]))
		require.NoError(t, err, "the first %d entries", n)
		for i, r := range j.Results {
			if r.End == record.Interrupted {
				assert.Equal(t, spec.Invalid, r.Outcome())
				continue
			}
			assert.Equal(t, whole.Results[i].Samples, r.Samples, "the first %d entries", n)
			assert.Equal(t, whole.Results[i].Verdicts, r.Verdicts, "the first %d entries", n)
		}
	}
}

// The driver's view and the judge's are the same: nothing is missing exactly
// where the end is judged to be right.
func TestMissingAgreesWithTheVerdicts(t *testing.T) {
	for name, tell := range map[string]func(*story){
		"converged": func(*story) {}, "lost pod": func(s *story) { s.see(900, "MODIFIED", deployment(1, 3, 3, 2)) },
		"stale status": func(s *story) { s.see(900, "MODIFIED", custom(2, 3, 1, "p1", "p2", "p3")) },
		"deleted":      func(s *story) { s.see(900, "DELETED", deployment(1, 3, 3, 3)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.created(func(b *record.Sample) { b.Expect = []string{"converged", "status"} })
			tell(s)
			missing := live(t, s)
			s.end(1710, record.Settled)
			assert.Equal(t, missing[len(missing)-1] == "", s.result().Outcome() == spec.Pass)
		})
	}
}

// Whatever bytes come, Judge returns an error or a judgement whose samples
// make sense; it never panics.
func FuzzJudge(f *testing.F) {
	// One sample each: of a long text most changes hit what nobody reads.
	for _, tell := range []func(s *story){
		func(s *story) {
			s.entries[0].Header.Styles = []record.Style{native}
			s.begin(0, "native", "create", 1)
			s.act(10, 15, "create", custom(1, 1, 0))
			s.see(20, "ADDED", deployment(1, 1, 1, 1))
			s.gap(25, 30, spec.Pods)
			s.see(40, "MODIFIED", custom(1, 1, 1, "p1"))
			s.end(1100, record.Settled)
		},
		func(s *story) {
			s.entries[0].Header.Styles = []record.Style{argo}
			s.begin(0, "argo", "scale up", 2)
			s.act(10, 15, "patch", custom(2, 2, 0))
			s.see(20, "ADDED", workflow("w2", "Running"))
			s.see(30, "MODIFIED", workflow("w2", "Succeeded"))
			s.end(1000, record.TimedOut)
		},
	} {
		s := newStory(f)
		tell(s)
		var whole bytes.Buffer
		for _, e := range s.entries {
			require.NoError(f, json.NewEncoder(&whole).Encode(e))
		}
		f.Add(whole.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := judge.Judge(record.Read(bytes.NewReader(data)))
		if err != nil {
			if errors.Is(err, record.ErrTruncated) {
				t.Fatal("a truncated recording must be judged")
			}
			return
		}
		for one := range j.Samples() {
			if one.Outcome == "" || one.Unit != "s" || one.Value < 0 {
				t.Fatalf("a sample without outcome or unit, or below zero: %+v", one)
			}
		}
	})
}

// Whatever order the entries of a run come in, and whichever are missing or
// there twice, nothing is called ok that an oracle did not let pass.
func FuzzJudgeEntries(f *testing.F) {
	s := newStory(f)
	s.created()
	s.gap(705, 710, spec.Pods)
	s.end(1710, record.Settled)
	s.begin(2000, "argo", "delete", -1)
	s.done(2010, "delete", custom(1, 3, 1))
	s.see(2020, "ADDED", workflow("w2", "Running"))
	s.see(2025, "DELETED", deployment(1, 3, 3, 3))
	s.see(2030, "MODIFIED", workflow("w2", "Succeeded"))
	s.end(12000, record.TimedOut)
	s.entries[0].Header.Styles = append(s.entries[0].Header.Styles, busy)
	s.begin(13000, "busy", "kill", 1, ofMatrix("services", "converged", "recovers", "health", "ledger"), func(b *record.Sample) {
		b.Others = []record.Other{{Namespace: "services-2", Name: "cache"}}
	})
	s.see(13001, "LISTED", deployment(1, 1, 1, 1))
	s.act(13010, 13015, "patch", custom(2, 1, 0))
	s.see(13020, "ADDED", workFor("w3", "services/cache", "Running"))
	s.gap(13030, 13050, spec.Deployments)
	s.breaks(13025, 13060, record.Begun, "restart", "api-server")
	s.breaks(13060, 13060, record.Over, "restart", "api-server")
	s.see(13070, "ADDED", custom(1, 1, 0).in("services-2"))
	s.nudges(13080, 13085, custom(2, 1, 0))
	s.see(13090, "MODIFIED", workFor("w3", "services/cache", "Succeeded"))
	s.end(14000, record.Settled)
	var inOrder []byte
	for i := range s.entries {
		inOrder = append(inOrder, byte(i))
	}
	f.Add(inOrder)
	f.Add([]byte("zX\x80")) // an action whose request is of later than its answer
	f.Fuzz(func(t *testing.T, order []byte) {
		entries := s.entries[:1:1]
		for i, n := range order {
			e := s.entries[int(n)%len(s.entries)]
			e.Time = at(float64(i)) // the recorder's clock never runs back
			entries = append(entries, e)
		}
		j, err := judge.Judge(sequence(entries))
		if err != nil {
			return
		}
		for _, r := range j.Results {
			if r.Recovery != nil && (r.Recovery.After < 0 || r.Recovery.After > r.Ended) {
				t.Fatalf("it recovered after %s", r.Recovery.After)
			}
			for _, one := range r.Samples {
				passed := r.Outcome() == spec.Pass || r.Outcome() == spec.NotApplicable
				if one.Outcome == judge.OK && !passed {
					t.Fatalf("%+v is ok, but %+v", one, r.Verdicts)
				}
				if one.Value < 0 {
					t.Fatalf("%+v took less than no time", one)
				}
			}
			if r.Ended < r.Began {
				t.Fatalf("it ended at %s, before it began at %s", r.Ended, r.Began)
			}
		}
	})
}

// timelines returns every sample of a recording, in the order of their ends; a
// sample that never ended comes last, with a nil End. With an error (see
// record.ErrTruncated) come the Timelines of all that could be read before it.
func timelines(entries iter.Seq2[record.Entry, error]) ([]*timeline.Timeline, error) {
	s := timeline.NewSplitter()
	var all []*timeline.Timeline
	for e, err := range entries {
		if err != nil {
			return append(all, s.Rest()...), err
		}
		t, err := s.Add(e)
		if err != nil {
			return append(all, s.Rest()...), err
		}
		if e.Kind == record.KindGap {
			for _, t := range all {
				if t.EndedAt > e.Gap.From && t.Misses(e.Gap) {
					t.Gaps = append(t.Gaps, timeline.Event{Entry: e})
				}
			}
		}
		if t != nil {
			all = append(all, t)
		}
	}
	return append(all, s.Rest()...), nil
}
