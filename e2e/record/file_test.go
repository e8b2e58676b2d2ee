package record_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func recording(t testing.TB, entries ...record.Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	recorder, err := record.NewRecorder(&out, record.Header{Run: "abc123", Seed: 7})
	require.NoError(t, err)
	for _, e := range entries {
		require.NoError(t, recorder.Record(e))
	}
	return out.Bytes()
}

func watchEntry(name string) record.Entry {
	return record.Entry{Time: 5, Kind: record.KindWatch, Watch: &record.Watch{Event: "ADDED", Resource: "pods.v1", Name: name, Object: []byte(`{}`)}}
}

func readAll(in io.Reader) (entries []record.Entry, err error) {
	for e, problem := range record.Read(in) {
		if problem != nil {
			return entries, problem
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func TestRoundTrip(t *testing.T) {
	entries, err := readAll(bytes.NewReader(recording(t, watchEntry("a"), watchEntry("b"))))
	require.NoError(t, err)
	require.Len(t, entries, 3)
	assert.Equal(t, "abc123", entries[0].Header.Run)
	assert.Equal(t, record.Schema, entries[0].Header.Schema)
	assert.Equal(t, watchEntry("b"), entries[2])
}

func TestReadFileDecompresses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "recording.jsonl.zst")
	require.NoError(t, os.WriteFile(name, zipped(t, recording(t, watchEntry("a"))), 0o600))
	count := 0
	for _, err := range record.ReadFile(name) {
		require.NoError(t, err)
		count++
	}
	assert.Equal(t, 2, count)

	require.NoError(t, os.WriteFile(name, recording(t), 0o600))
	for _, err := range record.ReadFile(name) {
		require.ErrorContains(t, err, "magic number mismatch")
	}
}

// A kill can come at any byte: whatever was whole is read, and the reader says
// that the rest is missing.
func TestEveryTruncationIsReadable(t *testing.T) {
	whole := recording(t, watchEntry("a"), watchEntry("b"))
	header := bytes.IndexByte(whole, '\n') + 1
	for cut := header; cut <= len(whole); cut++ {
		entries, err := readAll(bytes.NewReader(whole[:cut]))
		lines := bytes.Count(whole[:cut], []byte("\n"))
		if len(entries) == lines+1 { // cut just before the newline: the entry is whole
			require.NoError(t, err, "cut at byte %d", cut)
			continue
		}
		require.Len(t, entries, lines, "cut at byte %d", cut)
		if whole[cut-1] != '\n' {
			require.ErrorIs(t, err, record.ErrTruncated, "cut at byte %d", cut)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	header := `{"t":0,"kind":"header","header":{"schema":6}}` + "\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty":           {"", "empty"},
		"foreign":         {"goos: linux\n", "line 1: not an entry"},
		"no header":       {`{"t":1,"kind":"gap","gap":{}}` + "\n", `begins with kind "gap"`},
		"later schema":    {`{"kind":"header","header":{"schema":99}}` + "\n", "schema 99, this program reads schema 6"},
		"unknown kind":    {header + `{"kind":"surprise"}` + "\n", `line 2: unknown kind of entry "surprise"`},
		"missing content": {header + `{"kind":"watch"}` + "\n", `line 2: a watch entry without`},
		"joined":          {header + header, "line 2: a second header"},
		"too long":        {header + strings.Repeat("x", 17<<20) + "\n", "line 2: longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(strings.NewReader(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(recording(f, watchEntry("a")))
	f.Add([]byte(`{"kind":"header","header":{"schema":6}}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := readAll(bytes.NewReader(data))
		if err == nil {
			assert.NotEmpty(t, entries)
		}
	})
}

// fullDisk accepts some bytes, then none.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		return d.left, syscall.ENOSPC
	}
	d.left -= len(p)
	return len(p), nil
}

func TestAFullDiskEndsTheRecordingForGood(t *testing.T) {
	disk := &fullDisk{left: 400}
	recorder, err := record.NewRecorder(disk, record.Header{})
	require.NoError(t, err)
	var failed error
	for range 10 {
		if failed = recorder.Record(watchEntry("a")); failed != nil {
			break
		}
	}
	require.ErrorIs(t, failed, syscall.ENOSPC)
	disk.left = 1 << 20
	require.ErrorIs(t, recorder.Record(watchEntry("b")), syscall.ENOSPC, "nothing may follow a hole")
	require.ErrorIs(t, recorder.Err(), syscall.ENOSPC)
	select {
	case <-recorder.Failed():
	default:
		t.Fatal("whoever waits for entries must learn that none will come")
	}
}

func TestListen(t *testing.T) {
	recorder, err := record.NewRecorder(io.Discard, record.Header{})
	require.NoError(t, err)
	var heard []string
	stop := recorder.Listen(func(e record.Entry) { heard = append(heard, e.Watch.Name) })
	require.NoError(t, recorder.Record(watchEntry("a")))
	stop()
	require.NoError(t, recorder.Record(watchEntry("b")))
	assert.Equal(t, []string{"a"}, heard)
}

// Who is slow keeps nobody from recording; who asks when all have caught up finds
// that they know what was recorded before.
func TestWhoCatchesUpKnowsWhatWasRecorded(t *testing.T) {
	recorder, err := record.NewRecorder(io.Discard, record.Header{})
	require.NoError(t, err)
	var held sync.Mutex
	held.Lock()
	heard := make([][]string, 8)
	for i := range heard {
		defer recorder.Listen(func(e record.Entry) {
			if i == 0 {
				held.Lock()
				defer held.Unlock()
			}
			heard[i] = append(heard[i], e.Watch.Name)
		})()
	}
	var names []string
	for n := range 1000 {
		names = append(names, strconv.Itoa(n))
		require.NoError(t, recorder.Record(watchEntry(names[n])), "the first hears nothing yet, and nobody waits for it")
	}
	held.Unlock()
	recorder.CatchUp()
	for _, one := range heard {
		assert.Equal(t, names, one, "all of it, in order")
	}
}

// What must follow a recording ends it when it cannot.
func TestAFollowersErrorEndsTheRecording(t *testing.T) {
	recorder, err := record.NewRecorder(io.Discard, record.Header{})
	require.NoError(t, err)
	lost := errors.New("two samples are open in one namespace")
	follower := recorder.Follow(func(e record.Entry) error {
		if e.Watch.Name == "b" {
			return lost
		}
		return nil
	})
	require.NoError(t, recorder.Record(watchEntry("a")))
	require.NoError(t, recorder.Record(watchEntry("b")))
	<-recorder.Failed()
	require.ErrorIs(t, recorder.Record(watchEntry("a")), lost, "nothing may follow")
	recorder.CatchUp()
	follower.Stop()
	require.ErrorIs(t, recorder.Err(), lost)
}
