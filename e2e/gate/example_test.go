package gate_test

import (
	"fmt"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// A change that makes an operator half as fast again is found in twelve rounds.
func ExampleCompare() {
	judgement := &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: "example"}}
	took := map[string]float64{gate.VariantBase: 0.010, gate.VariantHead: 0.015}
	for _, variant := range []string{gate.VariantBase, gate.VariantHead} {
		judgement.Header.Styles = append(judgement.Header.Styles, record.Style{Style: spec.Style{Name: "native"}, Variant: variant})
		for round := range 12 {
			judgement.Results = append(judgement.Results, judge.Result{
				Style: "native", Variant: variant, Scenario: "create", Round: round + 1, End: record.Settled,
				Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}},
				Samples: []judge.Sample{{
					Operator: "native", Variant: variant, Scenario: "create", Phase: spec.PhaseChildWritten, Block: round + 1,
					Value: took[variant] + 0.0001*float64(round), Unit: "s", Outcome: judge.OK,
				}},
			})
		}
	}
	side := func(variant string) gate.Side {
		return gate.Side{Name: variant, Variant: variant, Recording: result.Recording{Judgement: judgement}}
	}
	compared, err := gate.Compare(gate.DefaultOptions(), side(gate.VariantBase), side(gate.VariantHead), gate.Side{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(compared.Verdict, compared.Verdict.Status())
	// Output: regression 1
}
