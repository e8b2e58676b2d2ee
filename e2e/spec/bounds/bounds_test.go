package bounds_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"operatorbench/e2e/spec/bounds"
)

func TestTemplatesOfNames(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "memcached-deployment": "memcached-deployment",
		"{{.Name}}": "m", "{{ .Namespace }}-{{.Name }}": "n-m", `^\["{{.Namespace}}","{{.Name}}"\]$`: `^\["n","m"\]$`,
	} {
		template, err := bounds.NewTemplate(text)
		require.NoError(t, err, text)
		got, err := template.Fill("n", "m")
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// What a hostile file holds is refused before anything of it is executed.
func TestTemplatesThatHoldMoreAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{{range $i, $_ := .Name}}x{{end}}`:                     "found {{range $i",
		`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`: "found {{define",
		`{{printf "%1000000000d" 1}}`:                           "found {{printf",
		`{{.Name | len}}`:                                       "found {{.Name | len}}",
		`{{$x := .Name}}{{$x}}`:                                 "found {{$x",
		`{{with .Name}}{{.}}{{end}}`:                            "found {{with",
		`{{.Name.Other}}`:                                       "found {{.Name.Other}}",
		`{{.}}`:                                                 "found {{.}}",
		`{{"text"}}`:                                            "found {{\"text\"}}",
		`{{.Size}}`:                                             "there is more in it than texts, .Name and .Namespace: found {{.Size}}",
		`{{- .Name}}`:                                           "found {{- .Name}}",
		`{{.Name`:                                               "found {{.Name",
		`{{{.Name}}{.Name}}`:                                    "found {{.Name}}",
		strings.Repeat("{{if .Name}}", 1e6):                     "12000000 bytes long",
	} {
		_, err := bounds.NewTemplate(text)
		require.ErrorContains(t, err, want, "%.40s", text)
	}
}

func TestWhatIsFilledInIsBounded(t *testing.T) {
	template, err := bounds.NewTemplate(strings.Repeat("{{.Name}}", 400))
	require.NoError(t, err)
	_, err = template.Fill("n", strings.Repeat("x", 16<<20))
	require.ErrorContains(t, err, "longer than")
}

func TestExpressionsAreBounded(t *testing.T) {
	for _, text := range []string{"", `^\["\w+","n","m",`, `(?i)not found|x{1,100}`, strings.Repeat("a", 300)} {
		_, err := bounds.Expression(text)
		require.NoError(t, err, text)
	}
	for text, want := range map[string]string{
		`(abc){999}`:                "repeats too much",
		`(\pL{10}){10}`:             "repeats too much",
		strings.Repeat("x", 16<<20): "bytes long",
		`(`:                         "missing closing",
	} {
		_, err := bounds.Expression(text)
		require.ErrorContains(t, err, want, "%.40s", text)
	}
}

func TestPathsThatDouble(t *testing.T) {
	for _, path := range []string{
		"", "status.phase", "spec.arguments.parameters.#.value", `metadata.annotations.workflows\.argoproj\.io/node-name`,
		`status.nodes.@values.#(displayName=="log-result").phase`, "status.nodes.@values.#.message", `{"x":status.phase}.x`, `#(a!="b")#.mail@example`,
		`spec.arguments.parameters.#(name=="memcached-manifest").value.@fromstr.metadata.[namespace,name]`,
	} {
		require.NoError(t, bounds.Path(path), path)
	}
	for path, want := range map[string]string{
		"a" + strings.Repeat(".@tostr", 30):           "found @tostr",
		strings.Repeat("[@this,@this]|", 30) + "a":    "more than one list",
		`a.@pretty:{"indent":"xxxxxxxx"}`:             "found @pretty",
		"@values:x":                                   "found @values:x",
		"a" + strings.Repeat(".@values", 5):           "5 modifiers",
		"[" + strings.Repeat("@this,", 20) + "@this]": "more than 16 values",
		"#( @tostr)":                "found @tostr",
		strings.Repeat("a.", 1<<20): "bytes long",
	} {
		require.ErrorContains(t, bounds.Path(path), want, "%.40s", path)
	}
}

// FuzzBounds: whatever is taken costs little.
func FuzzBounds(f *testing.F) {
	for _, text := range []string{"{{.Name}}", `^{{.Namespace}}/x{1000}$`, "a.@values.#(b==1).[c,d]", "@this.@this.@this.@this", `{{printf "%9d" 1}}`, "[@this,@this,@this]", "#(#(#(a))#)#"} {
		f.Add(text)
	}
	object := `{"a":{"b":"c\"","d":["e",{"a":1}]},"b":"{\"a\":\"\\\"\"}"}`
	f.Fuzz(func(t *testing.T, text string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if template, err := bounds.NewTemplate(text); err == nil {
			filled, err := template.Fill("namespace", "name")
			if err == nil {
				assert.Less(t, len(filled), 16<<10)
			}
		}
		_, _ = bounds.Expression(text)
		if bounds.Path(text) == nil {
			assert.Less(t, len(gjson.Get(object, text).String()), 100*(len(object)+len(text)))
		}
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
	})
}
