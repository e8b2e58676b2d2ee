package stat

// Median returns the median of each round: what stands for the round, where
// each is to count once. Rounds without an observation are left out.
func (r Replicates) Median() []Observation {
	var list []Observation
	for _, round := range r {
		if len(round) > 0 {
			list = append(list, Order(round).Quantile(0.5))
		}
	}
	return list
}

// Holm returns the p-values corrected for having been chosen among them all: a corrected value below α keeps the
// probability of any false alarm below α, however the metrics depend on each other. S. Holm, "A Simple Sequentially
// Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979.
func Holm(p []float64) []float64 {
	list := make([]Hypothesis, len(p))
	for i := range p {
		list[i].P = p[i]
	}
	return WeightedHolm(list, []float64{1})
}
