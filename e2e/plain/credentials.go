package plain

import "regexp"

// Withheld stands in the place of a value that may be secret.
const Withheld = "(withheld)"

var credentials = regexp.MustCompile(`://[^/\s'"@]+@`)

// WithoutCredentials returns a text without those that its URLs have.
func WithoutCredentials(text string) string {
	return credentials.ReplaceAllString(text, "://"+Withheld+"@")
}
