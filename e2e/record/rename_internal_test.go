package record

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
)

// What recordings once called null is the floor, wherever a style is named; what
// is only a part of another name stays.
func TestTheFormerNameOfTheFloorIsRead(t *testing.T) {
	for kind, of := range map[string]func(Entry) string{
		`"header","header":{"schema":5,"styles":[{"name":%s}]}`:                            func(e Entry) string { return e.Header.Styles[0].Name },
		`"begin","begin":{"style":%s,"namespace":"services-null-1"}`:                       func(e Entry) string { return e.Begin.Style },
		`"end","end":{"style":%s,"outcome":"settled"}`:                                     func(e Entry) string { return e.End.Style },
		`"block","block":{"style":%s,"round":1,"stage":"driven"}`:                          func(e Entry) string { return e.Block.Style },
		`"held","held":{"style":%s,"namespace":"n","name":"m","finalizers":[],"waited":1}`: func(e Entry) string { return e.Held.Style },
		`"logs","logs":{"style":%s,"round":1,"wave":1}`:                                    func(e Entry) string { return e.Logs.Style },
	} {
		for written, read := range map[string]string{`"null"`: spec.Floor, `"floor"`: spec.Floor, `"nullable"`: "nullable"} {
			e, err := parse(fmt.Appendf(nil, `{"t":1,"kind":`+kind+`}`, written), kind[1] == 'h' && kind[3] == 'a')
			require.NoError(t, err)
			assert.Equal(t, read, of(e), kind)
		}
	}
}
