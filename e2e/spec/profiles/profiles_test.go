package profiles_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/profiles"
)

func TestProfiles(t *testing.T) {
	all, err := profiles.All()
	require.NoError(t, err)
	var before time.Duration
	for _, p := range all {
		assert.Greater(t, p.Budget, before, "%s: the quickest first", p.Name)
		assert.Greater(t, p.Effect, 0.05, "%s: more than the gate's tolerance", p.Name)
		assert.NotEmpty(t, p.Use, p.Name)
		found, err := profiles.Find(p.Name)
		require.NoError(t, err)
		assert.Equal(t, p, found)
		before = p.Budget
	}
	standard, err := profiles.Find("")
	require.NoError(t, err)
	assert.Equal(t, profiles.Standard, standard.Name)
	_, err = profiles.Find("quik")
	assert.EqualError(t, err, `there is no profile "quik": there are quick, standard, deep; did you mean "quick"?`)
}
