package judge_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

// short is a recording of two samples, as text.
func short(tb testing.TB) []byte {
	tb.Helper()
	s := newStory(tb)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "argo", "scale up", 2)
	s.act(2010, 2015, "patch", custom(2, 2, 0))
	s.see(2020, "ADDED", workflow("w2", "Running"))
	s.see(2030, "MODIFIED", workflow("w2", "Succeeded"))
	s.end(12010, record.TimedOut)
	return text(tb, s.entries)
}

func text(tb testing.TB, entries []record.Entry) []byte {
	tb.Helper()
	var out bytes.Buffer
	recorder, err := record.NewRecorder(&out, *entries[0].Header)
	require.NoError(tb, err)
	for _, e := range entries[1:] {
		require.NoError(tb, recorder.Record(e))
	}
	return out.Bytes()
}

func compressed(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	require.NoError(tb, err)
	for line := range bytes.Lines(text) { // each in a block of its own
		_, err := w.Write(line)
		require.NoError(tb, err)
		require.NoError(tb, w.Flush())
	}
	require.NoError(tb, w.Close())
	return out.Bytes()
}

// judged judges what a file of these bytes holds.
func judged(t *testing.T, name string, content []byte) (*judge.Judgement, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return judge.File(file)
}

// prefixes knows what each prefix of a recording's lines is judged as.
type prefixes struct {
	text []byte
	told map[int]string // by length
}

// check checks what is judged of a part of the text: its whole entries, and a
// warning if something is missing. Of a part within the header there is an error.
func (p *prefixes) check(t *testing.T, part []byte, j *judge.Judgement, err error, cut bool) {
	t.Helper()
	whole := bytes.LastIndexByte(part, '\n') + 1
	if end := bytes.IndexByte(p.text[whole:], '\n'); whole+end == len(part) {
		whole = len(part) // only the end of the line is missing
	}
	if whole == 0 {
		require.Error(t, err, "%d bytes of the header", len(part))
		return
	}
	require.NoError(t, err, "%d bytes", len(part))
	if p.told[whole] == "" {
		want, err := judge.Judge(record.Read(bytes.NewReader(p.text[:whole])))
		require.NoError(t, err)
		p.told[whole] = "whole\n" + told(want)
	}
	if cut || whole < len(part) {
		require.Len(t, j.Warnings, 1)
		require.Contains(t, j.Warnings[0], "cut off; all before it is judged")
	}
	j.Warnings = nil
	require.Equal(t, p.told[whole], "whole\n"+told(j), "%d bytes", len(part))
}

// A kill can come at any byte.
func TestEveryCutIsJudged(t *testing.T) {
	p := &prefixes{short(t), map[int]string{}}
	file := filepath.Join(t.TempDir(), "recording.jsonl")
	for cut := range p.text {
		require.NoError(t, os.WriteFile(file, p.text[:cut], 0o600))
		j, err := judge.File(file)
		p.check(t, p.text[:cut], j, err, false)
	}
	assert.Greater(t, len(p.told), bytes.Count(p.text, []byte("\n")))
}

// The same for a compressed recording: all that can be decompressed is judged.
func TestEveryCutOfACompressedRecordingIsJudged(t *testing.T) {
	p := &prefixes{short(t), map[int]string{}}
	packed := compressed(t, p.text)
	file := filepath.Join(t.TempDir(), "recording.jsonl.zst")
	for cut := range packed {
		require.NoError(t, os.WriteFile(file, packed[:cut], 0o600))
		j, err := judge.File(file)
		var part []byte
		if in, problem := zstd.NewReader(bytes.NewReader(packed[:cut])); problem == nil {
			part, problem = io.ReadAll(in)
			require.True(t, problem == nil && cut == 0 || errors.Is(problem, io.ErrUnexpectedEOF), problem)
			in.Close()
		}
		p.check(t, part, j, err, true)
	}
	assert.Greater(t, len(p.told), 3)
}

// A bit that flips is an error or changes a value; it never panics or hangs.
func TestFlippedBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, whole := range map[string][]byte{"recording.jsonl": short(t), "recording.jsonl.zst": compressed(t, short(t))} {
		file := filepath.Join(t.TempDir(), name)
		var refused int
		const flips = 1500
		for range flips {
			content := bytes.Clone(whole)
			content[random.IntN(len(content))] ^= 1 << random.IntN(8)
			require.NoError(t, os.WriteFile(file, content, 0o600))
			if _, err := judge.File(file); err != nil {
				refused++
				require.NotErrorIs(t, err, record.ErrTruncated)
				require.ErrorContains(t, err, name[:9])
			}
		}
		if name == "recording.jsonl.zst" { // its checksum covers every bit of the text
			assert.Greater(t, refused, flips*9/10)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	whole := short(t)
	for name, test := range map[string]struct {
		file    string
		content []byte
		want    string
	}{
		"empty":                {"a.jsonl", nil, "the recording is empty"},
		"empty, compressed":    {"a.jsonl.zst", compressed(t, nil), "the recording is empty"},
		"empty .zst":           {"a.jsonl.zst", nil, "the recording is empty"},
		"not compressed .zst":  {"a.jsonl.zst", whole, "magic number mismatch"},
		"binary":               {"a.jsonl", []byte("\x7fELF\x02\x01\x01\x00\x00\xff\n\xfe"), "line 1: not an entry of a recording"},
		"zeros":                {"a.jsonl", make([]byte, 1<<20), "line 1: not an entry of a recording"},
		"other JSON":           {"a.jsonl", []byte(`{"operator":"argo"}` + "\n"), `line 1: not a recording: it begins with kind ""`},
		"an array":             {"a.jsonl", []byte("[]\n"), "line 1: not an entry of a recording"},
		"twice":                {"a.jsonl", append(bytes.Clone(whole), whole...), "a second header: were two recordings joined?"},
		"twice, compressed":    {"a.jsonl.zst", append(compressed(t, whole), compressed(t, whole)...), "a second header: were two recordings joined?"},
		"a long line":          {"a.jsonl", bytes.Repeat([]byte("x"), 17<<20), "line 1: longer than 16777216 bytes"},
		"a long line, packed":  {"a.jsonl.zst", compressed(t, bytes.Repeat([]byte("x"), 17<<20)), "line 1: longer than 16777216 bytes"},
		"text behind":          {"a.jsonl", append(bytes.Clone(whole), "and so on\n"...), "not an entry of a recording"},
		"garbage behind":       {"a.jsonl.zst", append(compressed(t, whole), "\x00\x01garbage behind it"...), "magic number mismatch"},
		"lines out of order":   {"a.jsonl", whole[bytes.IndexByte(whole, '\n')+1:], `it begins with kind "begin"`},
		"an empty line within": {"a.jsonl", bytes.Replace(whole, []byte("\n"), []byte("\n\n"), 1), "line 2: not an entry of a recording"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := judged(t, test.file, test.content)
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, test.file, "an error names the file")
		})
	}
	_, err := judge.File(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = judge.File(t.TempDir())
	require.Error(t, err)
}

// Compressed or not is seen in the content, not in the name.
func TestCompressedUnderAnotherName(t *testing.T) {
	j, err := judged(t, "recording.jsonl", compressed(t, short(t)))
	require.NoError(t, err)
	require.Len(t, j.Results, 2)
}

// An object that is damaged is noticed where judging needs it, though recordings
// are read without looking into objects.
func TestDamagedObjects(t *testing.T) {
	for name, object := range map[string]string{
		"not closed": `{"metadata":{"uid":"a"}`, "closed twice": `{"metadata":{}}}`, "not JSON": `{"status":{"phase":nothing at all}}`,
		"more behind it": `{}},"more":{"a":{}`, "too deep": `{"a":` + strings.Repeat("[", 5<<20) + strings.Repeat("]", 5<<20) + `}`,
	} {
		for _, resource := range []string{"pods.v1", workflows} {
			t.Run(name+" "+resource, func(t *testing.T) {
				header := text(t, newStory(t).entries)
				line := `{"t":5,"kind":"watch","watch":{"event":"ADDED","resource":"` + resource + `","name":"a","uid":"a","object":` + object + "}}\n"
				_, err := judged(t, "recording.jsonl", append(header, line...))
				require.Error(t, err)
			})
		}
	}
}

// A sequence that goes on after an error, or that waits, does not hang the judge.
func TestJudgeEndsWithTheError(t *testing.T) {
	broken := errors.New("disk on fire")
	s := newStory(t)
	s.created()
	_, err := judge.Judge(func(yield func(record.Entry, error) bool) {
		for _, e := range s.entries {
			if !yield(e, nil) {
				return
			}
		}
		yield(record.Entry{}, broken)
	})
	require.ErrorIs(t, err, broken)

	// The judge gives up long before the entries do.
	yielded := 0
	_, err = judge.Judge(func(yield func(record.Entry, error) bool) {
		for yield(s.entries[0], nil) {
			yielded++
		}
	})
	require.ErrorContains(t, err, "a second header")
	assert.Less(t, yielded, 10_000)
}
