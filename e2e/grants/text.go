package grants

import (
	"fmt"
	"io"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Text writes for people what was found: a few lines for each style.
func Text(w io.Writer, uses []Use) error {
	var text strings.Builder
	for _, u := range uses {
		u.text(&text)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (u Use) text(w *strings.Builder) {
	fmt.Fprintf(w, "%s: ", record.Label(u.Style, u.Variant))
	wide := len(plain.Where(u.Rights, func(r Right) bool { return r.ClusterWide() }))
	held := plain.Plural(len(u.Rights), "right")
	if text := u.Held(); text != fmt.Sprint(len(u.Rights)) {
		held = "rights: " + text
	}
	fmt.Fprintf(w, "%s, %d of the whole cluster", held, wide)
	if !u.Audited {
		fmt.Fprint(w, "; the recording has no audit log, so that nothing is known of their use\n")
	} else {
		fmt.Fprintf(w, "; %d never used over %s\n", len(u.Unused()), strings.Join(u.Over, ", "))
	}
	if u.Lost > 0 {
		fmt.Fprintf(w, "  the audit log was interrupted: %s\n", plain.Plural(u.Lost, "time"))
	}
	section(w, "it should not hold", u.Findings)
	section(w, "wildcards", u.wildcards())
	section(w, "never used", lines(u.Unused(), func(Right) string { return "" }))
	narrow := plain.Where(u.Rights, func(r Right) bool { return len(r.Within) > 0 }) // used in the style's own namespaces alone
	section(w, "a Role would have been enough", lines(narrow, func(r Right) string { return ", used only in " + strings.Join(r.Within, ", ") }))
	section(w, "refused with 403", tell(u.Denied))
	section(w, "allowed by no right that is known", tell(u.Beyond))
	section(w, "can read secrets", u.secrets())
}

func section(w *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s:\n", title)
	for _, line := range lines {
		fmt.Fprintf(w, "    %s\n", line)
	}
}

// lines tells rights, those that differ in their verb alone in one line. What
// tail says of two rights must be equal for that, too.
func lines(rights []Right, tail func(Right) string) []string {
	type line struct{ before, after string }
	var verbs plain.Groups[line, string]
	for _, r := range rights {
		verbs.Add(line{r.ServiceAccount + ": ", " " + r.Object() + " (" + r.Role + r.scope() + ")" + tail(r)}, r.Verb)
	}
	return plain.Map(verbs.Keys, func(l line) string { return l.before + strings.Join(verbs.Of[l], ", ") + l.after })
}

func (r Right) scope() string { return scope(r.Namespace) }

func scope(namespace string) string {
	if namespace == "" {
		return ", cluster-wide"
	}
	return ", in " + namespace
}

func (u Use) wildcards() []string {
	var all []string
	for _, r := range u.Rights {
		if !r.wild() {
			continue
		}
		line := fmt.Sprintf("%s: %s %s (%s%s): ", r.ServiceAccount, r.Verb, r.Object(), r.Role, r.scope())
		if len(r.As) == 0 {
			all = append(all, line+"never used")
			continue
		}
		all = append(all, line+"used for "+strings.Join(tell(r.As), "; "))
	}
	return all
}

func tell(calls []Call) []string {
	var all []string
	for _, c := range calls {
		line := fmt.Sprintf("%s: %s %s", c.ServiceAccount, c.Verb, spec.Qualified(c.Group, c.Resource))
		if c.Namespace != "" {
			line += " in " + c.Namespace
		}
		line += ", " + plain.Plural(c.Count, "time")
		if c.Granted {
			line += ", though a right allows it"
		}
		all = append(all, line)
	}
	return all
}

func (u Use) secrets() []string {
	var all []string
	for _, s := range u.Secrets {
		name := ""
		if s.Name != "" {
			name = " " + s.Name
		}
		line := fmt.Sprintf("%s: %s secrets%s (%s%s)", s.ServiceAccount, strings.Join(s.Verbs, ", "), name, s.Role, scope(s.Namespace))
		switch {
		case !u.Audited:
		case s.Reads == 0:
			line += ": never did"
		default:
			line += ": did, " + plain.Plural(s.Reads, "time")
		}
		all = append(all, line)
	}
	return all
}
