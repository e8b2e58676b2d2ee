package judge_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

// replica writes a long recording out of a real one: its header once, then all
// the rest again and again, as later rounds in namespaces of their own, on
// objects of their own.
type replica struct {
	header []byte
	body   []byte
	fields []field
}

// field is a number or an identity in the body, at a place of fixed width, so
// that a copy is made by overwriting it.
type field struct {
	at, width int
	add       int64 // for each copy; 0: the copy's number itself is written
	value     int64
}

// Widths of the numbers that are overwritten, in digits.
const (
	timeWidth  = 18
	roundWidth = 7
	nameWidth  = 8 // a run's id in its namespaces' names
	uidWidth   = 6 // the end of a uid
)

var (
	changing = regexp.MustCompile(`("t":|"from":|"round":)(\d+)|services-([a-z0-9]{8})|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{6}([0-9a-f]{6})`)
	anyTime  = regexp.MustCompile(`(?m)^{"t":(\d+)`)
)

// newReplica reads the recording that is copied.
func newReplica(tb testing.TB, name string) *replica {
	tb.Helper()
	text := decompress(tb, name)
	end := bytes.IndexByte(text, '\n') + 1
	r := &replica{header: text[:end]}
	text = text[end:]
	var last, rounds int64
	for _, m := range anyTime.FindAllSubmatch(text, -1) {
		last = max(last, number(tb, m[1]))
	}
	for _, m := range regexp.MustCompile(`"round":(\d+)`).FindAllSubmatch(text, -1) {
		rounds = max(rounds, number(tb, m[1]))
	}
	from := 0
	put := func(until int, width int, add, value int64) {
		r.body = append(r.body, text[from:until]...)
		r.fields = append(r.fields, field{len(r.body), width, add, value})
		r.body = append(r.body, bytes.Repeat([]byte("0"), width)...)
	}
	for _, m := range changing.FindAllSubmatchIndex(text, -1) {
		switch {
		case m[2] >= 0 && string(text[m[2]:m[3]]) == `"round":`:
			put(m[4], roundWidth, rounds, 1e6+number(tb, text[m[4]:m[5]]))
			from = m[5]
		case m[2] >= 0:
			put(m[4], timeWidth, last, 1e17+number(tb, text[m[4]:m[5]]))
			from = m[5]
		case m[6] >= 0:
			put(m[6], nameWidth, 0, 0)
			from = m[7]
		default:
			put(m[8], uidWidth, 0, 0)
			from = m[9]
		}
	}
	r.body = append(r.body, text[from:]...)
	return r
}

func number(tb testing.TB, digits []byte) int64 {
	tb.Helper()
	n, err := strconv.ParseInt(string(digits), 10, 64)
	require.NoError(tb, err)
	return n
}

func decompress(tb testing.TB, name string) []byte {
	tb.Helper()
	in, err := record.Open(name)
	require.NoError(tb, err)
	defer in.Close()
	text, err := io.ReadAll(in)
	require.NoError(tb, err)
	return text
}

// write writes a recording of so many copies.
func (r *replica) write(out io.Writer, copies int) error {
	buffered := bufio.NewWriterSize(out, 1<<20)
	if _, err := buffered.Write(r.header); err != nil {
		return err
	}
	for n := range int64(copies) {
		for _, f := range r.fields {
			value := f.value + n*f.add
			if f.add == 0 {
				value = n
			}
			copy(r.body[f.at:], fmt.Appendf(nil, "%0*d", f.width, value))
		}
		if _, err := buffered.Write(r.body); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// Every copy is judged as its original is: the long recording is a real one.
func TestReplicaIsJudgedAsItsOriginal(t *testing.T) {
	const copies = 3
	var out bytes.Buffer
	require.NoError(t, newReplica(t, example).write(&out, copies))
	one, err := judge.Judge(record.ReadFile(example))
	require.NoError(t, err)
	many, err := judge.Judge(record.Read(&out))
	require.NoError(t, err)
	require.Len(t, many.Results, copies*len(one.Results))
	spaces := map[string]int{}
	for i, r := range many.Results {
		original := one.Results[i%len(one.Results)]
		require.Equal(t, phases(original), phases(r))
		require.Equal(t, original.Outcome(), r.Outcome())
		spaces[r.Namespace]++
	}
	require.Len(t, spaces, copies*9, "each style's rounds have namespaces of their own")
}
