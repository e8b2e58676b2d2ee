package stat_test

import (
	"fmt"

	"operatorbench/e2e/stat"
)

// A sample that timed out is censored: the median of five does not depend on
// how much longer the slowest would have taken, the largest does.
func ExampleOrder() {
	latencies := stat.Order([]stat.Observation{{Value: 3}, {Value: 1}, {Value: 60, Censored: true}, {Value: 2}, {Value: 4}})
	median, most := latencies.Quantile(0.5), latencies.Quantile(1)
	fmt.Println(median.Value, median.Censored)
	fmt.Println(most.Value, most.Censored)
	// Output:
	// 3 false
	// 60 true
}

// Of three comparisons one is told apart, also when all three are taken into account.
func ExampleHolm() {
	fmt.Println(stat.Holm([]float64{0.04, 0.01, 0.5}))
	// Output: [0.08 0.03 0.5]
}
