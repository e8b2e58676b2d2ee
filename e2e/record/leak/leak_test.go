package leak

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

func TestScan(t *testing.T) {
	mark := Mark{Namespace: "services", value: "SQUEAMISHOSSIFRAGE"}
	encode := base64.RawURLEncoding.EncodeToString
	jwt := encode([]byte(`{"alg":"RS256","kid":"x"}`)) + "." + encode([]byte(`{"iss":"kubernetes","sub":"x"}`)) + "." + encode([]byte(strings.Repeat("s", 64)))
	secret := record.Leak{Container: "a/b/c", What: "the value of Secret services/operatorbench-secret", Namespace: "services", Lines: 1}
	for name, test := range map[string]struct {
		log  string
		want []record.Leak
	}{
		"nothing":             {"reconciled memcached\nall is well", nil},
		"its name":            {"found Secret services/operatorbench-secret", nil},
		"the value":           {"one\npassword SQUEAMISHOSSIFRAGE\nthree\n", []record.Leak{secret}},
		"as a Secret's":       {`{"data":{"password":"` + base64.StdEncoding.EncodeToString([]byte("SQUEAMISHOSSIFRAGE")) + `"}}`, []record.Leak{secret}},
		"a token":             {"Authorization: Bearer " + jwt + "\nagain " + jwt, []record.Leak{{Container: "a/b/c", What: Token, Lines: 2}}},
		"a masked token":      {"Authorization: Bearer <masked>\neyJhbGciOiJSUzI1NiJ9.<masked>", nil},
		"in a very long line": {strings.Repeat("x", 3<<20) + " SQUEAMISHOSSIFRAGE", []record.Leak{secret}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, found, _, err := scan(strings.NewReader(test.log), "a/b/c", []Mark{mark})
			require.NoError(t, err)
			assert.Equal(t, test.want, found)
			assert.Equal(t, strings.Count(strings.TrimSuffix(test.log, "\n"), "\n")+1, lines)
			text, err := json.Marshal(found)
			require.NoError(t, err)
			assert.NotContains(t, string(text), mark.value)
		})
	}
	_, _, _, err := scan(iotest.ErrReader(errors.New("cut off")), "a/b/c", nil)
	require.ErrorContains(t, err, "cut off")
}

// The line that tells why a program ended is the last that speaks of an error, before a trace or a farewell; never one
// with a secret.
func TestTheEndOfALog(t *testing.T) {
	mark := Mark{Namespace: "services", value: "SQUEAMISHOSSIFRAGE"}
	for log, want := range map[string]string{
		"":                     "",
		"started\nall is well": "all is well",
		"started\npanic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n": "panic: assignment to entry in nil map",
		"Traceback (most recent call last):\n  File x\nTypeError: 'NoneType'\n":                   "TypeError: 'NoneType'",
		"panic: dial amqp://user:hunter2@queue: refused\n":                                        "panic: dial amqp://(withheld)@queue: refused",
		"fatal: no such kind\nerror: the password SQUEAMISHOSSIFRAGE is wrong\n":                  "fatal: no such kind",
	} {
		_, _, end, err := scan(strings.NewReader(log), "a/b/c", []Mark{mark})
		require.NoError(t, err)
		assert.Equal(t, want, end)
	}
}

func TestSearch(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "operators", Name: "native-1", Labels: map[string]string{"app": "native"}},
		Status:     corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "main", RestartCount: 1}}},
	}
	client := fake.NewClientset(pod, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "operators", Name: "other"}})
	s := &Searcher{Kube: client, Owner: kube.Owner{Run: "r"}, Components: []spec.Component{{Name: "operator", Namespace: "operators", Selector: "app=native"}}}
	mark, err := s.Mark(t.Context(), "services")
	require.NoError(t, err)
	made, err := client.CoreV1().Secrets("services").Get(t.Context(), Name, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, mark.value, string(made.Data["password"]))
	assert.Equal(t, "r", made.Labels[kube.LabelRun])

	found := s.Search(t.Context(), []Mark{mark})
	end := []record.LogEnd{{Container: "operators/native-1/main", Line: "fake logs"}} // of the container before
	lines := 2                                                                        // one of each container
	assert.Equal(t, record.Logs{Read: []string{"operators/native-1/main"}, Ends: end, Lines: &lines}, found)
	mark.value = "fake logs" // what the fake answers
	found = s.Search(t.Context(), []Mark{mark})
	require.Len(t, found.Leaks, 2, "of the container, and of the one before it")
	assert.Equal(t, "operators/native-1/main", found.Leaks[0].Container)
}
