package html

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
)

// pictureStyle is picture.css with the colours of one of the page's schemes put
// in: what draws an image by itself need not know variables.
func pictureStyle(dark bool) (template.CSS, error) {
	page, err := assets.ReadFile("style.css")
	if err != nil {
		return "", err
	}
	css, err := assets.ReadFile("picture.css")
	if err != nil {
		return "", err
	}
	colours := palette(string(page), dark)
	var missing []string
	text := regexp.MustCompile(`var\(--([a-z0-9]+)\)`).ReplaceAllStringFunc(string(css), func(variable string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(variable, "var(--"), ")")
		if colours[name] == "" {
			missing = append(missing, name)
		}
		return colours[name]
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("picture.css: style.css has no colour %s", strings.Join(missing, ", "))
	}
	return template.CSS(text), nil //nolint:gosec // the picture's own style sheet, embedded
}

// palette are the colours of style.css, which has a light scheme and then a dark one.
func palette(css string, dark bool) map[string]string {
	schemes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(css, 2)
	at := 0
	if dark {
		at = len(schemes) - 1
	}
	colours := map[string]string{}
	for _, one := range regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(schemes[at][1], -1) {
		colours[one[1]] = one[2]
	}
	return colours
}
