package html

import "operatorbench/e2e/report"

// claim is a claim of the tutorial with its verdict as a badge.
type claim struct {
	Claim report.Claim
	Badge badge
}

func claimsOf(r *report.Report) []claim {
	var all []claim
	for _, one := range r.Claims() {
		b := badge{Word: one.Verdict}
		switch one.Verdict {
		case report.Holds:
			b.Class, b.Sign = "pass", "✓"
		case report.Partly:
			b.Class, b.Sign = "warn", "≈"
		case report.Fails:
			b.Class, b.Sign = "fail", "✗"
		default:
			b.Class, b.Sign = "none", "?"
		}
		all = append(all, claim{one, b})
	}
	return all
}
