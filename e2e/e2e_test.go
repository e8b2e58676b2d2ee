package e2e_test

import (
	"context"
	"fmt"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/features"
	"sigs.k8s.io/e2e-framework/pkg/types"
)

// TestOperators has one subtest for each style and scenario. All styles are
// driven first, because they take turns in every round; then the recording is
// judged, style by style and scenario by scenario.
func TestOperators(t *testing.T) {
	for _, style := range session.Styles() {
		t.Run(style, func(t *testing.T) {
			var scenarios []types.Feature
			for _, scenario := range session.Scenarios() {
				if session.Drives(style, scenario) {
					scenarios = append(scenarios, feature(style, scenario))
				}
			}
			testenv.Test(t, scenarios...)
		})
	}
}

// driveAll comes before the features of the first style. Unless the run was
// stopped, the features judge what was recorded, whatever went wrong.
func driveAll(ctx context.Context, _ *envconf.Config, t *testing.T) (context.Context, error) {
	drive.Do(func() { driven = session.Drive(ctx) })
	if ctx.Err() != nil {
		return ctx, fmt.Errorf("the run was stopped (%w): %w", context.Cause(ctx), driven)
	}
	assert.NoError(t, driven)
	assert.NoError(t, session.Failed(path.Base(t.Name())))
	return ctx, nil
}

func feature(style, scenario string) types.Feature {
	return features.New(scenario).
		WithLabel("operator", style).
		Assess("is handled as expected in every round", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			results, err := session.Judged(style, scenario)
			require.NoError(t, err)
			require.NotEmpty(t, results, "no round of %s was driven against %s", scenario, style)
			differences, err := session.Differences(style, scenario)
			require.NoError(t, err)
			for _, difference := range differences {
				t.Error(difference)
			}
			for _, result := range results {
				if len(differences) > 0 {
					assert.Empty(t, result.Problems(), "round %d, namespace %s", result.Round, result.Namespace)
				}
			}
			return ctx
		}).
		Feature()
}
