package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

// agree tells which existing cluster is meant and what is to be made in it, and returns when a person has
// agreed that it is used. Nothing has been made by then.
func (e *environment) agree(ctx context.Context) error {
	if e.existing() == nil {
		return nil
	}
	target, err := e.existing().Target()
	if err != nil {
		return err
	}
	e.say("this run uses the existing cluster %s", target)
	if err := e.announce(); err != nil {
		return err
	}
	e.say("should the run be killed, this removes what it left there:\n  %s", e.cleanCommand())
	if e.options.Yes {
		return nil
	}
	terminal, err := e.terminal()
	if err != nil {
		return fmt.Errorf("use the existing cluster %s? There is no terminal to ask at (%w): agree with --yes", target, err)
	}
	defer terminal.Close()
	answer, err := ask(ctx, terminal, fmt.Sprintf("Install operators, and make and delete custom resources, in %s? [y/N] ", target))
	if err != nil {
		return fmt.Errorf("use the existing cluster %s? %w", target, err)
	}
	if answer := strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return fmt.Errorf("the existing cluster %s is not used: the answer was no; nothing was made", target)
	}
	return nil
}

// nodes notes which nodes an existing cluster has.
func (e *environment) nodes(ctx context.Context) error {
	list, err := e.kube.Typed.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the nodes of the existing cluster: %w", err)
	}
	e.facts.Nodes = plain.Map(list.Items, func(n corev1.Node) record.Node {
		has, is := n.Status.Capacity, n.Status.NodeInfo
		return record.Node{
			Name: n.Name, Off: !takesPods(&n), CPUs: has.Cpu().Value(), Memory: has.Memory().Value(),
			Kubelet: is.KubeletVersion, Runtime: is.ContainerRuntimeVersion, Kernel: is.KernelVersion, Boot: is.BootID,
		}
	})
	return nil
}

// openTerminal opens the terminal that the program was started from, if any: under go test, standard input is none.
func openTerminal() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// ask puts a question, and returns the line that is the answer.
func ask(ctx context.Context, terminal io.ReadWriter, question string) (string, error) {
	if _, err := io.WriteString(terminal, question); err != nil {
		return "", fmt.Errorf("ask at the terminal: %w", err)
	}
	type reply struct {
		line string
		err  error
	}
	replies := make(chan reply, 1)
	go func() {
		line, err := bufio.NewReader(terminal).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil // no answer is one, too
		}
		replies <- reply{line, err}
	}()
	select {
	case r := <-replies:
		return r.line, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("no answer came: %w", context.Cause(ctx))
	}
}
