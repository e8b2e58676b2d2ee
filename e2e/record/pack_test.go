package record_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
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

// A recording of which a part is missing or damaged is refused, by that part's name.
func TestPackedPartsThatAreMissingOrDamaged(t *testing.T) {
	name, _ := noisy(t)
	names, err := record.Pack(name, t.TempDir(), 20_000)
	require.NoError(t, err)
	last := len(names) - 1
	refused := func(what string) {
		t.Helper()
		n, err := countEntries(names[0])
		require.ErrorContains(t, err, what)
		require.NotErrorIs(t, err, record.ErrTruncated, "it is not judged as far as it goes")
		assert.Zero(t, n)
	}
	for part, want := range map[int]string{last: " is missing: " + names[0] + " says that the recording has", 1: " is missing, and " + names[2] + " is there", 0: ": no such file"} {
		text, err := os.ReadFile(names[part])
		require.NoError(t, err)
		require.NoError(t, os.Remove(names[part]))
		refused(names[part] + want)
		require.NoError(t, os.WriteFile(names[part], text, 0o644))
	}
	for _, part := range []int{0, 1, last} {
		text, err := os.ReadFile(names[part])
		require.NoError(t, err)
		bad := bytes.Clone(text)
		bad[len(bad)-1] ^= 1
		require.NoError(t, os.WriteFile(names[part], bad, 0o644))
		refused(names[part] + " is damaged")
		require.NoError(t, os.WriteFile(names[part], text[:len(text)/2], 0o644))
		refused(names[part]) // of the first, the list may be cut off
		require.NoError(t, os.WriteFile(names[part], text, 0o644))
	}
	stray := names[0] + fmt.Sprintf(".%d", len(names)+1)
	require.NoError(t, os.WriteFile(stray, []byte("x"), 0o644))
	refused(stray + " is of another recording")
	require.NoError(t, os.Remove(stray))
	n, err := countEntries(names[0])
	require.NoError(t, err)
	assert.Equal(t, lineCount+1, n)
}

// What was packed before there was a list of parts is read as it was.
func TestPackedWithoutAListOfParts(t *testing.T) {
	name, text := noisy(t)
	names, err := record.Pack(name, t.TempDir(), 1<<20)
	require.NoError(t, err)
	packed, err := os.ReadFile(names[0])
	require.NoError(t, err)
	length := int(binary.LittleEndian.Uint32(packed[4:]))
	packed = packed[8+length:]
	half := len(packed) / 2
	require.NoError(t, os.WriteFile(names[0], packed[:half], 0o644))
	_, err = countEntries(names[0])
	require.ErrorIs(t, err, record.ErrTruncated, "nobody can know that its end is missing")
	require.NoError(t, os.WriteFile(names[0]+".2", packed[half:], 0o644))
	assert.True(t, bytes.Equal(text, whole(t, names[0])))
}

// However many parts there are, few of them are open.
func TestManyPartsAreOpenedOneByOne(t *testing.T) {
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	name, text := noisy(t)
	names, err := record.Pack(name, t.TempDir(), 1<<20)
	require.NoError(t, err)
	packed, err := os.ReadFile(names[0])
	require.NoError(t, err)
	packed = packed[8+int(binary.LittleEndian.Uint32(packed[4:])):] // as it was packed without a list, in 1,100 parts
	const count = 1100
	for i := range count {
		part := names[0]
		if i > 0 {
			part = fmt.Sprintf("%s.%d", names[0], i+1)
		}
		require.NoError(t, os.WriteFile(part, packed[i*len(packed)/count:(i+1)*len(packed)/count], 0o644))
	}
	few := syscall.Rlimit{Cur: 64, Max: old.Max}
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	defer func() { assert.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old)) }()
	assert.True(t, bytes.Equal(text, whole(t, names[0])))
}

func TestPackRefuses(t *testing.T) {
	folder := t.TempDir()
	_, err := record.Pack(filepath.Join(folder, "none"), folder, 1000)
	require.ErrorContains(t, err, "none: no such file")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)

	name, _ := noisy(t)
	_, err = record.Pack(name, folder, 100)
	require.ErrorContains(t, err, "files of 100 bytes are too small for a list of 2 parts: allow larger ones")
	left, err = os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)

	odd := filepath.Join(folder, "recording.jsonl.zst")
	require.NoError(t, os.WriteFile(odd, []byte(header+"\n"), 0o644))
	_, err = countEntries(odd)
	require.ErrorContains(t, err, "line 1")
}

// Damage is an error that names the part, never another text, and never a panic.
func TestPackedDamage(t *testing.T) {
	name, text := noisy(t)
	names, err := record.Pack(name, t.TempDir(), 1<<20)
	require.NoError(t, err)
	good, err := os.ReadFile(names[0])
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	for at := range 100 {
		bad := bytes.Clone(good)
		if at > 20 { // else in the list of parts
			at = random.IntN(len(bad))
		}
		bad[at] ^= byte(1 + random.IntN(255))
		require.NoError(t, os.WriteFile(names[0], bad, 0o644))
		in, err := record.Open(names[0])
		if err != nil {
			require.ErrorContains(t, err, names[0])
			continue
		}
		got, err := io.ReadAll(in)
		require.NoError(t, in.Close())
		if err == nil {
			assert.True(t, bytes.Equal(text, got), "what is read without an error is what was packed")
		}
	}
}
