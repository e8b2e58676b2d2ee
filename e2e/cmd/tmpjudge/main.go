package main

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/fixtures/scenarios"
)

func main() {
	for _, name := range os.Args[1:] {
		file, err := record.Find(name)
		if err != nil {
			panic(err)
		}
		seq := func(yield func(record.Entry, error) bool) {
			for e, err := range record.ReadFile(file) {
				if e.Begin != nil && e.Begin.Matrix {
					b := *e.Begin
					b.Expect = scenarios.Standing()
					e.Begin = &b
				}
				if !yield(e, err) {
					return
				}
			}
		}
		j, err := judge.Judge(seq)
		if err != nil {
			panic(err)
		}
		count := map[string]int{}
		var prompts []string
		for _, r := range j.Results {
			for _, v := range r.Verdicts {
				count[r.Style+" "+v.Oracle+" "+string(v.Outcome)]++
				if v.Outcome == judge.Fail || v.Outcome == judge.Invalid {
					fmt.Println(r.Scenario, v.Oracle, v.Outcome, v.Message)
				}
				if v.Oracle == "prompt" && v.Outcome == judge.Pass {
					prompts = append(prompts, r.Scenario+": "+v.Message)
				}
			}
		}
		var keys []string
		for k, n := range count {
			keys = append(keys, fmt.Sprint(k, " ", n))
		}
		sort.Strings(keys)
		fmt.Println(strings.Join(keys, "\n"))
		for _, p := range prompts {
			if os.Getenv("P") != "" {
				fmt.Println(p)
			}
		}
	}
}
