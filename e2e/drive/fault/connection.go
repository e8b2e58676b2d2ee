package fault

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cut resets whatever the pods of a component send to the API server, as a firewall does that refuses. A connection
// that is open breaks at its next packet; one on which nothing is sent breaks when the API server ends it.
func (i *Injector) cut(ctx context.Context, name string, _ Target) (Broken, error) {
	broken, err := i.block(ctx, name, func(p peer) ([]filter, error) {
		return []filter{{p, []string{"INPUT", "-s", p.pod, "-p", "tcp", "--dport", p.port, "-j", "REJECT", "--reject-with", "tcp-reset"}}}, nil
	})
	if err != nil {
		return broken, fmt.Errorf("cut component %s off the API server: %w", name, err)
	}
	return broken, nil
}

// silence loses what is sent in either direction on the connections to the API server that the pods of a component have
// open, as a gateway does that has forgotten them. Nobody is told. New connections work.
func (i *Injector) silence(ctx context.Context, name string, _ Target) (Broken, error) {
	broken, err := i.block(ctx, name, func(p peer) ([]filter, error) {
		listed, err := i.Node.Exec(ctx, "conntrack", "-L", "-p", "tcp", "-s", p.pod, "--state", "ESTABLISHED")
		if err != nil {
			return nil, fmt.Errorf("list the connections of %s: %w", p.object, err)
		}
		var rules []filter
		for _, own := range openTo(listed, p.port) {
			rules = append(rules,
				filter{p, []string{"INPUT", "-s", p.pod, "-p", "tcp", "--sport", own, "--dport", p.port, "-j", "DROP"}},
				filter{p, []string{"OUTPUT", "-d", p.pod, "-p", "tcp", "--sport", p.port, "--dport", own, "-j", "DROP"}})
		}
		return rules, nil
	})
	if err != nil {
		return broken, fmt.Errorf("silence the connections of component %s to the API server: %w", name, err)
	}
	return broken, nil
}

// peer is a pod that talks to the API server.
type peer struct {
	object string
	pod    string // its address
	port   string // the API server's
}

// filter is a rule of the node's firewall: a chain, and what follows it.
type filter struct {
	peer

	is []string
}

// block adds rules for each pod of a component to the node's firewall, in front of all others.
func (i *Injector) block(ctx context.Context, name string, rules func(peer) ([]filter, error)) (Broken, error) {
	if _, err := i.onlyNode(ctx); err != nil {
		return Broken{}, err
	}
	peers, err := i.peers(ctx, name)
	if err != nil {
		return Broken{}, err
	}
	var taken steps
	broken := Broken{Undo: func(ctx context.Context) error { return taken.undo(ctx) }}
	for _, p := range peers {
		list, err := rules(p)
		if err != nil {
			return broken, err
		}
		for n, r := range list {
			if err := i.firewall(ctx, "-I", r); err != nil {
				return broken, err
			}
			taken = append(taken, func(ctx context.Context) error { return i.firewall(ctx, "-D", r) })
			if n == 0 {
				broken.Objects = append(broken.Objects, p.object)
			}
		}
	}
	if len(broken.Objects) == 0 {
		return broken, errors.New("none of its pods has a connection open")
	}
	return broken, nil
}

// noRule is in what iptables says of a rule that is not there any more.
const noRule = "matching rule exist"

// firewall adds a rule, or removes it. One that went with a restart of the node is removed.
func (i *Injector) firewall(ctx context.Context, act string, r filter) error {
	program := "iptables"
	if address, err := netip.ParseAddr(r.pod); err == nil && address.Is6() {
		program = "ip6tables"
	}
	command := append([]string{program, "--wait", act}, r.is...)
	_, err := i.Node.Exec(ctx, command...)
	if err == nil || act == "-D" && strings.Contains(err.Error(), noRule) {
		return nil
	}
	return fmt.Errorf("change the node's firewall: `%s`: %w", strings.Join(command, " "), err)
}

// peers are the pods of a component, with the port on which they reach the API server.
func (i *Injector) peers(ctx context.Context, name string) ([]peer, error) {
	components, err := i.components(name)
	if err != nil {
		return nil, err
	}
	port, err := i.apiServerPort(ctx)
	if err != nil {
		return nil, err
	}
	var peers []peer
	for _, c := range components {
		pods, err := i.pods(ctx, c)
		if err != nil {
			return nil, err
		}
		for n := range pods {
			p := &pods[n]
			object := "pods/" + p.Namespace + "/" + p.Name
			switch {
			case p.Spec.HostNetwork:
				return nil, fmt.Errorf("%s has the node's own network: what else is on the node would be cut off too", object)
			case p.Status.PodIP != "" && p.Status.Phase == corev1.PodRunning:
				peers = append(peers, peer{object, p.Status.PodIP, port})
			}
		}
	}
	return peers, nil
}

// apiServerPort is the port behind the Service kubernetes.
func (i *Injector) apiServerPort(ctx context.Context) (string, error) {
	slice, err := i.Kube.DiscoveryV1().EndpointSlices(metav1.NamespaceDefault).Get(ctx, "kubernetes", metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("look where the API server is: %w", err)
	}
	if len(slice.Ports) != 1 || slice.Ports[0].Port == nil {
		return "", fmt.Errorf("look where the API server is: the EndpointSlice kubernetes has %d ports, expected one", len(slice.Ports))
	}
	return strconv.Itoa(int(*slice.Ports[0].Port)), nil
}

// connection is a line of conntrack: the answer to what a pod sent to a Service's port comes from the port of the
// server behind that Service.
var connection = regexp.MustCompile(`(?m)^tcp\s.*?\bsport=(\d+) dport=\d+ src=\S+ dst=\S+ sport=(\d+) dport=\d+\b`)

// openTo are the own ports of the connections to a port, in what conntrack lists.
func openTo(listed, port string) []string {
	var own []string
	for _, match := range connection.FindAllStringSubmatch(listed, -1) {
		if match[2] == port {
			own = append(own, match[1])
		}
	}
	return own
}
