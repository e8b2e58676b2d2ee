// Package leak searches the logs of an operator's pods for secrets: for values
// that the harness itself has put into Secrets, and for tokens of service accounts.
package leak

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Mark is a value that must be in no log. No recording has it.
type Mark struct {
	Namespace string // of the Secret that has it
	value     string
}

// Name is that of the Secrets that the harness makes.
const Name = "operatorbench-secret"

// Searcher marks namespaces, and searches logs.
type Searcher struct {
	Kube       kubernetes.Interface
	Owner      kube.Owner
	Components []spec.Component // whose logs are searched
}

// Mark puts a Secret with a value of its own into a namespace.
func (s *Searcher) Mark(ctx context.Context, namespace string) (Mark, error) {
	mark := Mark{Namespace: namespace, value: rand.Text()}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: Name, Labels: s.Owner.Labels()},
		Data:       map[string][]byte{"password": []byte(mark.value)},
	}
	if _, err := s.Kube.CoreV1().Secrets(namespace).Create(ctx, secret, metav1.CreateOptions{FieldManager: kube.FieldManager}); err != nil {
		return mark, fmt.Errorf("make the Secret %s/%s, which the operator must not log: %w", namespace, Name, err)
	}
	return mark, nil
}

// mostOfALog bounds what is read of one container's log.
const mostOfALog = 16 << 20

// Search reads the logs of the components' pods that are there, from the
// beginning, and those of containers that they had before.
func (s *Searcher) Search(ctx context.Context, marks []Mark) record.Logs {
	found := record.Logs{Lines: new(int)}
	for _, c := range s.Components {
		pods, err := s.Kube.CoreV1().Pods(c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: c.Selector})
		if err != nil {
			found.Unread = append(found.Unread, fmt.Sprintf("component %s: list pods %s/%s: %v", c.Name, c.Namespace, c.Selector, err))
			continue
		}
		for i := range pods.Items {
			pod := &pods.Items[i]
			for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
				s.container(ctx, pod, status, marks, &found)
			}
		}
	}
	if len(found.Unread) > 0 {
		found.Lines = nil
	}
	return found
}

func (s *Searcher) container(ctx context.Context, pod *corev1.Pod, status corev1.ContainerStatus, marks []Mark, found *record.Logs) {
	name := pod.Namespace + "/" + pod.Name + "/" + status.Name
	if slices.Contains(found.Read, name) {
		return // two components have it
	}
	for _, previous := range []bool{false, true} {
		if previous && status.RestartCount == 0 {
			break
		}
		most := int64(mostOfALog)
		options := &corev1.PodLogOptions{Container: status.Name, Previous: previous, LimitBytes: &most}
		log, err := s.Kube.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
		if err != nil {
			found.Unread = append(found.Unread, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		lines, leaks, end, err := scan(log, name, marks)
		if err = errors.Join(err, log.Close()); err != nil {
			found.Unread = append(found.Unread, fmt.Sprintf("%s: %v", name, err))
		}
		*found.Lines += lines
		if found.Leaks = append(found.Leaks, leaks...); !previous {
			found.Read = append(found.Read, name)
		}
		if (previous || ended(status)) && end != "" {
			found.Ends = append(found.Ends, record.LogEnd{Container: name, Line: end})
		}
	}
}

// ended reports whether a container has ended in error, and was not started again yet.
func ended(status corev1.ContainerStatus) bool {
	return status.State.Terminated != nil && status.State.Terminated.ExitCode != 0
}

// telling is a line that speaks of why a program ends.
var telling = regexp.MustCompile(`(?i)panic|fatal|error|exception`)

// longestEnd bounds what is recorded of a line.
const longestEnd = 300

// token is the shape of a service account's: a JSON Web Token, whose first two parts are JSON objects in base64.
var token = regexp.MustCompile(`eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{20,}`)

// Token is what a leak of one is called.
const Token = "the token of a service account"

// scan searches a log, and counts its lines. A very long line is searched in parts. It also returns the line that tells
// of the end.
func scan(log io.Reader, container string, marks []Mark) (lines int, leaks []record.Leak, end string, err error) {
	told := false
	note := func(what, namespace string) {
		plain.FindOrAdd(&leaks, func(l record.Leak) bool { return l.What == what }, record.Leak{Container: container, What: what, Namespace: namespace}).Lines++
	}
	const longest = 1 << 20
	for reader := bufio.NewReaderSize(log, longest); ; {
		line, err := reader.ReadSlice('\n')
		if len(line) > 0 && !errors.Is(err, bufio.ErrBufferFull) {
			lines++
		}
		secret := token.Match(line)
		if secret {
			note(Token, "")
		}
		for _, m := range marks {
			if m.in(line) {
				secret = true
				note("the value of Secret "+m.Namespace+"/"+Name, m.Namespace)
			}
		}
		if text := strings.TrimSpace(string(line[:min(len(line), longestEnd)])); text != "" && !secret {
			if tells := telling.MatchString(text); tells || !told {
				end, told = plain.WithoutCredentials(text), tells // the operator may have made the credentials of a URL: no mark has them
			}
		}
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return lines, leaks, end, nil
		default:
			return lines, leaks, end, fmt.Errorf("read the log: %w", err)
		}
	}
}

// in reports whether the value is in a line, as it is or as a Secret's data have it.
func (m Mark) in(line []byte) bool {
	return bytes.Contains(line, []byte(m.value)) || bytes.Contains(line, []byte(base64.StdEncoding.EncodeToString([]byte(m.value))))
}
