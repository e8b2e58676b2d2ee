package docs_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// documented reads a page's tables: for each heading the fields in the first
// column of the table below it, in their order.
func documented(page string) map[string][]string {
	fields := map[string][]string{}
	row, heading := regexp.MustCompile("^\\| `(\\w+)` \\|"), ""
	for line := range strings.Lines(page) {
		if title, is := strings.CutPrefix(line, "## "); is {
			heading = strings.TrimSpace(title)
		}
		if match := row.FindStringSubmatch(line); match != nil {
			fields[heading] = append(fields[heading], match[1])
		}
	}
	return fields
}

// field is a field of a Go struct as JSON has it.
type field struct {
	name   string
	goType reflect.Type
}

// fieldsOf lists a struct's fields in their order, those of embedded structs in their place.
func fieldsOf(structType reflect.Type) []field {
	var fields []field
	for i := range structType.NumField() {
		f := structType.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fields = append(fields, fieldsOf(elem(f.Type))...)
		case f.IsExported() && name != "-":
			fields = append(fields, field{name, f.Type})
		}
	}
	return fields
}

// elem is a type without its pointers.
func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// structs finds a struct and all those that its fields lead to, by name.
func structs(t reflect.Type, found map[string]reflect.Type) {
	if found[t.Name()] != nil {
		return
	}
	found[t.Name()] = t
	for _, f := range fieldsOf(t) {
		of := elem(f.goType)
		if of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
			of = elem(of.Elem())
		}
		if of.Kind() == reflect.Struct && of != reflect.TypeFor[time.Time]() {
			structs(of, found)
		}
	}
}

// What docs/reference/recording.md lists is what a recording has, field by field.
func TestRecordingPageHasTheTypesFields(t *testing.T) {
	want := map[string][]string{}
	found := map[string]reflect.Type{}
	structs(reflect.TypeFor[record.Entry](), found)
	for name, of := range found {
		for _, f := range fieldsOf(of) {
			want[name] = append(want[name], f.name)
		}
	}
	assert.Equal(t, want, documented(string(read(t, "reference/recording.md"))))
}

// The page names each kind of entry, stage of a block and outcome of a sample.
func TestRecordingPageNamesTheValues(t *testing.T) {
	page := string(read(t, "reference/recording.md"))
	for _, value := range []string{
		record.Settled, record.TimedOut, record.Interrupted, record.Installing, record.Installed, record.Rested, record.Driven, record.Removed,
		record.Begun, record.Over,
	} {
		assert.Contains(t, page, "`"+value+"`")
	}
}

// The numbers of samples that docs/measurement.md names are those from which
// on package stat has an interval.
func TestMeasurementPageSaysWhenThereAreQuantilesAndIntervals(t *testing.T) {
	page := strings.Join(strings.Fields(string(read(t, "measurement.md"))), " ")
	assert.Contains(t, page, fmt.Sprintf("so that p90 takes %d and p99 %d", stat.Needed(0.9), stat.Needed(0.99)))
	assert.Contains(t, page, fmt.Sprintf("With fewer than %d rounds there is none.", stat.MinRounds))
	assert.Contains(t, page, fmt.Sprintf("With fewer than %d rounds a style is not ranked.", stat.RankedRounds))
	assert.Contains(t, page, fmt.Sprintf("%d draws", stat.Draws))
}

// Every phase that all styles have is explained.
func TestMeasurementPageHasEveryPhase(t *testing.T) {
	page := string(read(t, "measurement.md"))
	for _, phase := range spec.Phases() {
		assert.Contains(t, page, phase)
	}
	for _, outcome := range []string{judge.OK, judge.Timeout, judge.Wrong, judge.Interrupted} {
		assert.Contains(t, page, "| "+outcome+" |")
	}
}
