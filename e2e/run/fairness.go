package run

import (
	"bytes"
	"context"
	"encoding/csv"
	"slices"
	"strconv"

	"k8s.io/client-go/rest"

	"operatorbench/e2e/record"
)

// readFairness asks an API server what its API Priority and Fairness does; nil: it does not say.
func readFairness(ctx context.Context, client rest.Interface) *record.Fairness {
	raw, err := client.Get().AbsPath("/debug/api_priority_and_fairness/dump_priority_levels").DoRaw(ctx)
	if err != nil {
		return nil
	}
	return parseFairness(raw)
}

// parseFairness reads its table of priority levels; nil: it is none.
func parseFairness(raw []byte) *record.Fairness {
	table := csv.NewReader(bytes.NewReader(raw))
	table.TrimLeadingSpace, table.FieldsPerRecord = true, -1
	rows, err := table.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	f := &record.Fairness{}
	for column, sum := range map[string]*int64{"WaitingRequests": &f.Waiting, "RejectedRequests": &f.Rejected} {
		i := slices.Index(rows[0], column)
		if i < 0 {
			return nil
		}
		for _, row := range rows[1:] {
			if i < len(row) && row[0] != "exempt" {
				n, _ := strconv.ParseInt(row[i], 10, 64) // a level without queues says <none>
				*sum += n
			}
		}
	}
	return f
}
