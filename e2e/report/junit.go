package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// The parts of JUnit's XML that continuous-integration systems read. Times are seconds.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Name    string       `xml:"name,attr"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Skipped *junitProblem `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit prints the report as JUnit XML: a suite for each style, a case for
// each scenario. A sample that could not be judged is an error, not a failure.
//
// A case says whether the verdict is the one that is expected, as far as that is known: a failure that the style's
// verdicts.yaml expects is a passed case, whose system-out has the verdict and why; a scenario that passes although it
// is expected to fail is a failed one.
func (r *Report) JUnit(out io.Writer) error {
	suites := junitSuites{Name: "operatorbench"}
	for _, style := range r.Styles {
		suite := junitSuite{Name: style}
		var took float64
		class := "operatorbench." + style
		for _, c := range r.By(style) {
			of := class
			if len(r.Tables()) > 1 {
				of += "." + c.Run
			}
			took += suite.add(c, of, r.Expectation(c), "no oracle applies")
		}
		for _, c := range r.Matrix.Cells(style) {
			if c.Group != spec.GroupLatency {
				took += suite.add(c, class+"."+c.Group, r.Expectation(c), c.Reason)
			}
		}
		for _, d := range r.Differences() {
			if d.Label == style && d.Scenario == result.Rights {
				suite.Tests, suite.Failures = suite.Tests+1, suite.Failures+1
				suite.Cases = append(suite.Cases, junitCase{Class: class, Name: result.Rights, Time: seconds(0), Failure: &junitProblem{Message: plain.Line(d.String())}})
			}
		}
		suite.Time = seconds(took)
		suites.Suites = append(suites.Suites, suite)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suites); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(out, "\n")
	return err
}

// add takes a cell as a test case, with what its verdict makes of it, and returns how long its samples took.
func (s *junitSuite) add(c *result.Cell, class string, e result.Expectation, reason string) (took float64) {
	took = c.Seconds()
	test := junitCase{Class: class, Name: c.Scenario, Time: seconds(took)}
	s.Tests++
	switch {
	case c.Verdict == spec.NotApplicable && !e.Surprise():
		s.Skipped++
		test.Skipped = &junitProblem{Message: reason}
	case c.Verdict == spec.Invalid:
		s.Errors++
		test.Error = problemOf(c)
	case e.Surprise():
		s.Failures++
		test.Failure = problemOf(c)
		test.Failure.Message = "expected " + e.Want + ", seen " + test.Failure.Message
	case e.Known && c.Verdict != spec.Pass:
		p := problemOf(c)
		test.Out = strings.TrimSpace(p.Message + "\nas expected: " + strings.TrimSpace(e.Why+" "+e.Upstream) + "\n\n" + p.Text)
	case c.Verdict != spec.Pass:
		s.Failures++
		test.Failure = problemOf(c)
	}
	s.Cases = append(s.Cases, test)
	return took
}

// problemOf tells of all oracles of a cell that failed, or could not judge.
func problemOf(c *result.Cell) *junitProblem {
	var text strings.Builder
	first := c.String()
	for i, o := range c.Reasons() {
		if i == 0 {
			first += ": " + o.Message
		}
		fmt.Fprintf(&text, "%s: %s (run %s, round %d, namespace %s)\n", o.Name, o.Message, o.Run, o.Round, o.Namespace)
		for _, e := range o.Evidence {
			fmt.Fprintf(&text, "    %s\n", e)
		}
	}
	return &junitProblem{Message: plain.Line(first), Text: plain.Text(text.String())}
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
