package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"operatorbench/e2e/judge"
)

// The parts of JUnit's XML that continuous-integration systems read. Times are
// seconds.
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
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit prints the report as JUnit XML: a suite for each style, a case for
// each scenario. A sample that could not be judged is an error, not a failure.
func (r *Report) JUnit(out io.Writer) error {
	suites := junitSuites{Name: "operatorbench"}
	for _, style := range r.Styles {
		suite := junitSuite{Name: style}
		var took float64
		for _, c := range r.Cells {
			if c.Label == style {
				took += c.seconds()
				suite.add(c)
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

// add takes one cell as a test case.
func (s *junitSuite) add(c *Cell) {
	test := junitCase{Class: "operatorbench." + c.Label, Name: c.Scenario, Time: seconds(c.seconds())}
	s.Tests++
	switch verdict, _, _ := c.Verdict(); verdict {
	case judge.Fail, Flaky:
		s.Failures++
		test.Failure = c.junitProblem()
	case judge.Invalid:
		s.Errors++
		test.Error = c.junitProblem()
	case judge.NotApplicable:
		s.Skipped++
		test.Skipped = &junitProblem{Message: "no oracle applies"}
	}
	s.Cases = append(s.Cases, test)
}

// junitProblem tells of all of a cell's problems in one element, because a
// case may have only one.
func (c *Cell) junitProblem() *junitProblem {
	var text strings.Builder
	for _, p := range c.Problems() {
		fmt.Fprintf(&text, "%s (namespace %s)\n  %s\n", p.Title(), p.Namespace, p.Message)
		for _, e := range p.Evidence {
			fmt.Fprintf(&text, "    %s\n", e)
		}
	}
	first := c.VerdictText()
	if all := c.Problems(); len(all) > 0 {
		first += ": " + all[0].Message
	}
	return &junitProblem{Message: first, Text: text.String()}
}

// seconds is how long the cell's samples took.
func (c *Cell) seconds() float64 {
	var took float64
	for i := range c.Results {
		took += (c.Results[i].Ended - c.Results[i].Began).Seconds()
	}
	return took
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
