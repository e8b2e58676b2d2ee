package record_test

import (
	"fmt"
	"strings"

	"operatorbench/e2e/record"
)

// A recording is read entry by entry. What it once called null is the floor.
func ExampleRead() {
	recording := strings.NewReader(`{"t":0,"kind":"header","header":{"schema":6,"run":"r","styles":[{"name":"floor"}]}}
{"t":1000000,"kind":"begin","begin":{"style":"floor","scenario":"create","round":1,"namespace":"n","name":"memcached"}}
{"t":3000000,"kind":"action","action":{"from":2000000,"verb":"create","resource":"memcacheds.v1alpha1.cache.example.com","namespace":"n","name":"memcached"}}
`)
	for entry, err := range record.Read(recording) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch entry.Kind {
		case record.KindBegin:
			fmt.Println(entry.Begin.Style, "is driven through", entry.Begin.Scenario)
		case record.KindAction:
			fmt.Println(entry.Action.Verb, "was answered after", entry.Time-entry.Action.From)
		}
	}
	// Output:
	// floor is driven through create
	// create was answered after 1ms
}
