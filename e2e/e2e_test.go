package e2e_test

import (
	"testing"

	"operatorbench/e2e/result"

	"github.com/stretchr/testify/require"
)

// TestOperators drives all styles first, because they take turns in every round;
// then the recording is judged, in one subtest for each style and scenario that
// was driven. That a run could not be driven to its end is no failure of each of
// them: TestMain says it once, where the output ends.
func TestOperators(t *testing.T) {
	if driven = session.Drive(driving); driven == nil {
		driven = session.Unfinished()
	}
	if driven != nil {
		t.Fail()
	}
	for _, style := range session.Styles() {
		failed := session.Failed(style)
		var scenarios []string
		for _, scenario := range session.Scenarios() {
			switch {
			case session.Has(style, scenario):
				scenarios = append(scenarios, scenario)
			case driven == nil && failed == nil && session.Drives(style, scenario) && session.Fits(style):
				t.Errorf("no round of %s was driven against %s", scenario, style)
			}
		}
		if len(scenarios) == 0 && failed == nil {
			continue
		}
		t.Run(style, func(t *testing.T) {
			if driven == nil { // else the style may be what ended the run, which is said once
				require.NoError(t, failed)
			}
			for _, scenario := range scenarios {
				t.Run(scenario, func(t *testing.T) { handled(t, style, scenario) })
			}
			handled(t, style, result.Rights)
		})
	}
}

// handled looks at whether a style handled a scenario as expected in every round.
func handled(t *testing.T, style, scenario string) {
	t.Helper()
	differences, err := session.Differences(style, scenario)
	require.NoError(t, err)
	for _, difference := range differences {
		t.Error(difference)
	}
}
