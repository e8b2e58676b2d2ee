package e2e_test

import (
	"context"
	"testing"

	"operatorbench/e2e/result"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/e2e-framework/pkg/types"
)

// TestOperators drives all styles first, because they take turns in every round;
// then the recording is judged, in one subtest for each style and scenario that
// was driven. That a run could not be driven to its end is no failure of each of
// them: TestMain says it once, where the output ends.
func TestOperators(t *testing.T) {
	dry := driving == nil
	if !dry {
		if driven = session.Drive(driving); driven == nil {
			driven = session.Unfinished()
		}
	}
	if driven != nil {
		t.Fail()
	}
	for _, style := range session.Styles() {
		failed := session.Failed(style)
		var scenarios []types.Feature
		for _, scenario := range session.Scenarios() {
			switch {
			case dry || session.Has(style, scenario):
				scenarios = append(scenarios, feature(style, scenario))
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
			testenv.Test(t, scenarios...)
			if !dry {
				wrong, err := session.Differences(style, result.Rights)
				require.NoError(t, err)
				assert.Empty(t, wrong)
			}
		})
	}
}

func feature(style, scenario string) types.Feature {
	return features.New(scenario).
		WithLabel("operator", style).
		Assess("is handled as expected in every round", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			differences, err := session.Differences(style, scenario)
			require.NoError(t, err)
			for _, difference := range differences {
				t.Error(difference)
			}
			return ctx
		}).
		Feature()
}
