package main

import (
	"flag"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"operatorbench.local/memcached-operator/internal/controller"
)

func TestParse(t *testing.T) {
	g := NewWithT(t)
	s, err := parse([]string{"--max-concurrent-reconciles=1", "--metrics-bind-address=:8080"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.pace).To(Equal(controller.Pace{Workers: 1, RetryMost: 10 * time.Second, PriorityQueue: true}))
	g.Expect(s.metricsAddress).To(Equal(":8080"))
	g.Expect(s.probeAddress).To(Equal(":8081"))

	_, err = parse([]string{"memcached"})
	g.Expect(err).To(MatchError(ContainSubstring(`unexpected argument "memcached"`)))
	_, err = parse([]string{"--leader-elect"})
	g.Expect(err).To(MatchError(ContainSubstring("-leader-elect")))
	_, err = parse([]string{"-help"})
	g.Expect(err).To(MatchError(flag.ErrHelp))
}

func TestRunSaysThatThereIsNoCluster(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	NewWithT(t).Expect(run(t.Context(), nil)).To(MatchError(ContainSubstring("find the cluster")))
}

// The process ends, and the kubelet starts it again.
func TestAManagerNeedsAClusterThatAnswers(t *testing.T) {
	_, err := newManager(&rest.Config{Host: "127.0.0.1:1"}, settings{metricsAddress: "0", probeAddress: "0"})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("make the manager: ")))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("127.0.0.1:1")))
}
