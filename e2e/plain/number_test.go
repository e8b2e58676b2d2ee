package plain_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/plain"
)

func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 s", 1e-9: "0.00 µs", 1.5e-6: "1.50 µs", 0.00085: "850 µs", 0.0009996: "1.00 ms", 0.0123: "12.3 ms", 0.64: "640 ms",
		0.9994: "999 ms", 0.9996: "1.00 s", 9.994: "9.99 s", 9.996: "10.0 s", 62.34: "62.3 s", 99.96: "100 s", 180: "180 s", 4000.4: "4000 s", -0.0001: "-100 µs",
	} {
		assert.Equal(t, want, plain.Duration(seconds), "%v", seconds)
	}
}
