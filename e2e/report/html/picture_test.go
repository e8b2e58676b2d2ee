package html_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	made "operatorbench/e2e/report/internal/madetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// drawn is the comparison for light pages, and for dark ones.
func drawn(tb testing.TB, r *report.Report) []string {
	tb.Helper()
	var all []string
	for _, file := range html.Pictures() {
		var out bytes.Buffer
		require.NoError(tb, file.Print(r, &out), file.Name)
		all = append(all, out.String())
	}
	return all
}

// An image has no parser that forgives.
func TestPictureIsWellFormedAndAlone(t *testing.T) {
	for name, r := range reports(t) {
		if len(r.Scenarios) == 0 {
			continue
		}
		for _, text := range drawn(t, r) {
			decoder := xml.NewDecoder(strings.NewReader(text))
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err, name)
				if start, is := token.(xml.StartElement); is {
					assert.Contains(t, []string{"svg", "title", "desc", "style", "text", "rect", "path", "line"}, start.Name.Local, name)
					for _, a := range start.Attr {
						assert.NotContains(t, []string{"href", "src", "onload", "style"}, a.Name.Local, name)
					}
				}
			}
			assert.NotRegexp(t, `url\(|@import|var\(|NaN|Inf`, regexp.MustCompile(`(?s)<(desc|text|title).*?</`).ReplaceAllString(text, ""), name)
		}
	}
}

// The hand-made recording has a timeout, a wrong answer and too few samples.
func TestPictureGolden(t *testing.T) {
	text, path := drawn(t, handMade(t))[0], filepath.Join("testdata", html.PictureFile)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), text, "go test ./e2e/report/html -update writes %s anew", path)
}

// A sample that was wrong or timed out is there to be seen, and not counted for
// what it is not.
func TestPictureMarksWhatIsNotCounted(t *testing.T) {
	style := made.Style{Name: "late", Written: 2, Slow: true}
	one := made.Many([]made.Style{style}, 8)
	one.Judgement.Results = slices.DeleteFunc(one.Judgement.Results, func(r judge.Result) bool { return r.Group != "load" })
	for i := range one.Judgement.Results {
		one.Judgement.Results[i].Scenario = "create"
		for j := range one.Judgement.Results[i].Samples {
			one.Judgement.Results[i].Samples[j].Scenario = "create"
		}
	}
	text := drawn(t, report.Of(one))[0]
	assert.Contains(t, text, "n = 280 in 4 rounds, 280 timed out, 280 wrong<")
	assert.Equal(t, 280, strings.Count(text, `class="arrow"`))
	assert.Equal(t, 280, strings.Count(text, `class="cross"`))
	assert.NotContains(t, text, `class="dot"`)
	assert.Contains(t, text, "Cross: handled wrongly")
	assert.Contains(t, text, "Arrow: timed out")
	assert.Contains(t, text, ">&gt;180 s<")
}

// The schemes differ in colours alone.
func TestPictureFollowsTheScheme(t *testing.T) {
	both := drawn(t, handMade(t))
	assert.NotEqual(t, both[0], both[1])
	colour := regexp.MustCompile(`#[0-9a-f]{6}`)
	assert.Equal(t, colour.ReplaceAllString(both[0], ""), colour.ReplaceAllString(both[1], ""))
}

func TestPictureNeedsAMeasurement(t *testing.T) {
	err := html.Pictures()[0].Print(report.New(nil, &judge.Judgement{}), io.Discard)
	assert.ErrorContains(t, err, "the recording holds no sample of a scenario that is measured")
}

// The picture says of each style what the report says.
func TestPictureShowsTheReportsFigures(t *testing.T) {
	r := example(t)
	text := drawn(t, r)[0]
	for _, c := range r.Of("create") {
		written, _ := c.Outcome()
		assert.Contains(t, text, c.Style.Label+": median "+written.P50.String()+" (n = ")
		assert.Contains(t, text, `text-anchor="end">`+written.P50.String()+"</text>")
	}
	assert.Contains(t, text, ">1 ms<")
	assert.Contains(t, text, ">100 s<")
}
