package images

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBuildsSideBySide(t *testing.T) {
	for _, test := range []struct {
		cores     int
		gigabytes int64
		want      int
	}{{2, 8, 1}, {4, 64, 1}, {8, 64, 2}, {16, 9, 2}, {32, 3, 1}, {64, 0, 1}, {64, 64, 16}} {
		assert.Equal(t, test.want, sideBySide(test.cores, test.gigabytes<<30), "%d cores, %d GiB", test.cores, test.gigabytes)
	}
	assert.GreaterOrEqual(t, freeMemory(), int64(0))
}
