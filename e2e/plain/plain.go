// Package plain makes texts that others wrote (a recording, an API server, a
// file's name) harmless where a person reads them, and has what lists need beside the standard library.
package plain

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text keeps letters, tabs and ends of lines. Control characters, which could move a terminal's cursor or write
// escapes, become blanks; invisible marks that reverse the direction of the text beside them, or hide in it, become
// U+FFFD. What a CI runner would take for a command gets a blank: see inert.
func Text(text string) string {
	return inert(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return Rune(r)
	}, strings.ToValidUTF8(text, string(utf8.RuneError))))
}

// Line is Text in one line.
func Line(text string) string {
	return inert(strings.Map(Rune, strings.ToValidUTF8(text, string(utf8.RuneError))))
}

// commands are what the runner of GitHub Actions obeys wherever a step prints it: a line that begins with ::, and ##[
// anywhere (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
var commands = regexp.MustCompile(`(?m)(^[\s\p{Z}]*:|##)([:[])`)

// inert parts the letters by which a CI runner knows a command.
func inert(text string) string { return commands.ReplaceAllString(text, "$1 $2") }

// Rune is what is shown for one letter.
func Rune(r rune) rune {
	switch {
	case unicode.IsControl(r):
		return ' '
	case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point):
		return utf8.RuneError
	}
	return r
}

// List joins words as a sentence does.
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// Some names the first of many, and how many more there are. One more is named, too: it
// takes no more room than its number.
func Some(names []string, most int) string {
	if len(names) <= most+1 {
		return List(names)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Shell is a word as a shell takes it for one, whatever it holds.
func Shell(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("_.,/@%+:=-", r) && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// Withheld stands in the place of a value that may be secret.
const Withheld = "(withheld)"

var credentials = regexp.MustCompile(`://[^/\s'"@]+@`)

// WithoutCredentials returns a text without those that its URLs have.
func WithoutCredentials(text string) string {
	return credentials.ReplaceAllString(text, "://"+Withheld+"@")
}
