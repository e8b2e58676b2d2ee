package fault

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const listed = `tcp      6 86399 ESTABLISHED src=10.244.0.5 dst=10.96.0.1 sport=51234 dport=443 src=172.18.0.2 dst=10.244.0.5 sport=6443 dport=51234 [ASSURED] mark=0 use=1
tcp      6 86391 ESTABLISHED src=10.244.0.5 dst=172.18.0.2 sport=40000 dport=6443 src=172.18.0.2 dst=10.244.0.5 sport=6443 dport=40000 [ASSURED] mark=0 use=1
tcp      6 86391 ESTABLISHED src=10.244.0.5 dst=10.244.0.7 sport=40001 dport=4222 src=10.244.0.7 dst=10.244.0.5 sport=4222 dport=40001 [ASSURED] mark=0 use=1
conntrack v1.4.8 (conntrack-tools): 3 flow entries have been shown.
`

func TestConnectionsToTheAPIServerAreToldApart(t *testing.T) {
	assert.Equal(t, []string{"51234", "40000"}, openTo(listed, "6443"))
	assert.Empty(t, openTo("", "6443"))
}

func FuzzConnections(f *testing.F) {
	f.Add(listed, "6443")
	f.Fuzz(func(t *testing.T, listed, port string) {
		for _, own := range openTo(listed, port) {
			assert.Empty(t, strings.Trim(own, "0123456789"), "it becomes an argument of iptables")
		}
	})
}

// machine keeps the rules of a firewall.
type machine struct {
	Node

	rules map[string]int
	fails error
}

func (m *machine) Exec(_ context.Context, command ...string) (string, error) {
	rule := command[0] + " " + strings.Join(command[3:], " ")
	switch {
	case m.fails != nil:
		return "", m.fails
	case command[2] == "-I":
		m.rules[rule]++
	case m.rules[rule] == 0:
		return "", errors.New("iptables: Bad rule (does a matching rule exist in that chain?)")
	default:
		m.rules[rule]--
	}
	return "", nil
}

func TestARuleIsAddedAndRemoved(t *testing.T) {
	node := &machine{rules: map[string]int{}}
	i := &Injector{Node: node}
	r := filter{peer{pod: "10.244.0.5"}, []string{"INPUT", "-s", "10.244.0.5", "-j", "DROP"}}
	require.NoError(t, i.firewall(t.Context(), "-I", r))
	assert.Equal(t, map[string]int{"iptables INPUT -s 10.244.0.5 -j DROP": 1}, node.rules)
	require.NoError(t, i.firewall(t.Context(), "-D", r))
	require.NoError(t, i.firewall(t.Context(), "-D", r), "a restart of the node has taken it away")
	assert.Equal(t, map[string]int{"iptables INPUT -s 10.244.0.5 -j DROP": 0}, node.rules)
	require.NoError(t, i.firewall(t.Context(), "-I", filter{peer{pod: "fd00::5"}, []string{"INPUT"}}))
	assert.Contains(t, node.rules, "ip6tables INPUT")
	node.fails = errors.New("exit status 4")
	require.ErrorContains(t, i.firewall(t.Context(), "-D", r), "change the node's firewall: `iptables --wait -D INPUT -s 10.244.0.5 -j DROP`: exit status 4")
}
