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

// TestOperators has one subtest for each style and scenario. A style is driven
// through all of its rounds first, because a round goes through the scenarios;
// then the recording is judged, scenario by scenario.
func TestOperators(t *testing.T) {
	for _, style := range session.Styles() {
		t.Run(style, func(t *testing.T) {
			var scenarios []types.Feature
			for _, scenario := range session.Scenarios() {
				scenarios = append(scenarios, feature(style, scenario))
			}
			testenv.Test(t, scenarios...)
		})
	}
}

// driveStyle comes before the features of a style. Unless the run was stopped,
// the features judge what was recorded, whatever went wrong.
func driveStyle(ctx context.Context, _ *envconf.Config, t *testing.T) (context.Context, error) {
	err := session.Drive(ctx, path.Base(t.Name()))
	if ctx.Err() != nil {
		return ctx, fmt.Errorf("the run was stopped (%w): %w", context.Cause(ctx), err)
	}
	assert.NoError(t, err)
	return ctx, nil
}

func feature(style, scenario string) types.Feature {
	return features.New(scenario).
		WithLabel("operator", style).
		Assess("is handled correctly in every round", func(ctx context.Context, t *testing.T, _ *envconf.Config) context.Context {
			results, err := session.Judged(style, scenario)
			require.NoError(t, err)
			require.NotEmpty(t, results, "no round of %s was driven against %s", scenario, style)
			for _, result := range results {
				assert.Empty(t, result.Problems(), "round %d, namespace %s", result.Round, result.Namespace)
			}
			return ctx
		}).
		Feature()
}
