package record_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

// lineCount is how many lines noisy has beside the header.
const lineCount = 6000

// noisy is a recording's text that compresses badly, so that it makes many parts.
func noisy(t *testing.T) (name string, text []byte) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	text = append(text, header+"\n"...)
	for i := range lineCount {
		text = fmt.Appendf(text, `{"t":%d,"kind":"gap","gap":{"from":%d,"resource":"r","reason":"%x"}}`+"\n", i+2, i+1, random.Uint64())
	}
	name = filepath.Join(t.TempDir(), record.FileName)
	require.NoError(t, os.WriteFile(name, text, 0o644))
	return name, text
}

// header is the least that a recording begins with.
const header = `{"t":0,"kind":"header","header":{"schema":1,"run":"r","styles":[]}}`

func whole(t *testing.T, name string) []byte {
	t.Helper()
	in, err := record.Open(name)
	require.NoError(t, err)
	text, err := io.ReadAll(in)
	require.NoError(t, err)
	require.NoError(t, in.Close())
	return text
}

// countEntries counts the entries of a recording, and returns the error that ends them.
func countEntries(name string) (n int, err error) {
	for _, err := range record.ReadFile(name) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func TestPackMakesOneRecordingOfManyParts(t *testing.T) {
	name, text := noisy(t)
	for most, want := range map[int64]int{1 << 20: 1, 20_000: 0} {
		folder := t.TempDir()
		names, err := record.Pack(name, folder, most)
		require.NoError(t, err)
		if want > 0 {
			assert.Len(t, names, want)
		} else {
			assert.Greater(t, len(names), 3)
		}
		for _, part := range names {
			info, err := os.Stat(part)
			require.NoError(t, err)
			assert.LessOrEqual(t, info.Size(), most)
		}
		found, err := record.Find(folder)
		require.NoError(t, err)
		assert.Equal(t, names[0], found)
		assert.True(t, bytes.Equal(text, whole(t, found)))
		n, err := countEntries(found)
		require.NoError(t, err)
		assert.Equal(t, lineCount+1, n)

		again, err := record.Pack(found, t.TempDir(), most)
		require.NoError(t, err, "what is packed can be packed")
		assert.Len(t, again, len(names))
	}
}

// Of a recording whose end is missing all before it counts; one with a hole is none.
func TestPackedPartsThatAreMissing(t *testing.T) {
	name, _ := noisy(t)
	names, err := record.Pack(name, t.TempDir(), 20_000)
	require.NoError(t, err)
	last := len(names) - 1
	require.NoError(t, os.Remove(names[last]))
	n, err := countEntries(names[0])
	require.ErrorIs(t, err, record.ErrTruncated)
	assert.Less(t, n, lineCount+1)

	require.NoError(t, os.Remove(names[1]))
	_, err = countEntries(names[0])
	require.ErrorContains(t, err, "is there, but not "+names[1]+" before it")
}

func TestPackRefuses(t *testing.T) {
	folder := t.TempDir()
	_, err := record.Pack(filepath.Join(folder, "none"), folder, 1000)
	require.ErrorContains(t, err, "none: no such file")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)

	odd := filepath.Join(folder, "recording.jsonl.zst")
	require.NoError(t, os.WriteFile(odd, []byte(header+"\n"), 0o644))
	_, err = countEntries(odd)
	require.ErrorContains(t, err, "line 1")
}

// Damage is an error or the text itself, never another text, and never a panic.
func TestPackedDamage(t *testing.T) {
	name, text := noisy(t)
	names, err := record.Pack(name, t.TempDir(), 1<<20)
	require.NoError(t, err)
	good, err := os.ReadFile(names[0])
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		bad := bytes.Clone(good)
		bad[random.IntN(len(bad))] ^= byte(1 + random.IntN(255))
		require.NoError(t, os.WriteFile(names[0], bad, 0o644))
		in, err := record.Open(names[0])
		require.NoError(t, err)
		got, err := io.ReadAll(in)
		require.NoError(t, in.Close())
		if err == nil {
			assert.True(t, bytes.Equal(text, got), "what is read without an error is what was packed")
		}
	}
}
