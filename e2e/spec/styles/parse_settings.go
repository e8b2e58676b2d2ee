package styles

import (
	"strings"

	"operatorbench/e2e/spec"
)

// settings checks that what departs from the rule says why, and nothing else does.
func (p *parser) settings() {
	for _, rule := range spec.Rules() {
		setting, said := p.style.Settings[rule.Setting]
		switch {
		case !said:
		case !rule.Holds(setting.Is) && setting.Reason == "":
			p.FailAt([]any{"settings", rule.Setting}, "settings.%s: found %q, expected %s as in all styles, or {is, reason} with why it is otherwise (docs/settings.md)",
				rule.Setting, setting.Is, strings.Join(rule.Values, " or "))
		case rule.Holds(setting.Is) && setting.Reason != "":
			p.FailAt([]any{"settings", rule.Setting}, "settings.%s: %q is as in all styles: leave the reason out", rule.Setting, setting.Is)
		}
	}
}
