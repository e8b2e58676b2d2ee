package cluster

import (
	"fmt"
	"os"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// serviceRange are the addresses of Services: kind's own choice, said here because the
// node's firewall is told, too.
const serviceRange = "10.96.0.0/16"

// rangeFile is a drop-in of the kubelet's unit: its name in the run's folder, and below
// rangeDir in the node.
const (
	rangeFile = "20-service-range.conf"
	rangeDir  = "/etc/systemd/system/kubelet.service.d/"
)

// rangeUnit refuses what is sent to an address of that range for which kube-proxy has
// no rule, before any pod is started, and anew when the node restarts. It would else
// leave the node, where whatever is outside may answer in the Service's place.
const rangeUnit = `[Service]
ExecStartPre=/bin/sh -c 'for chain in FORWARD OUTPUT; do \
  set -- "$$chain" -d ` + serviceRange + ` -j REJECT --reject-with icmp-port-unreachable; \
  iptables -w -C "$$@" 2>/dev/null || iptables -w -A "$$@" || exit 1; done'
`

// closeServiceRange mounts the drop-in from the run's folder.
func closeServiceRange(config *v1alpha4.Cluster, dir runDir) {
	config.Networking.ServiceSubnet = serviceRange
	for i := range config.Nodes {
		config.Nodes[i].ExtraMounts = append(config.Nodes[i].ExtraMounts, v1alpha4.Mount{
			HostPath: dir.file(rangeFile), ContainerPath: rangeDir + rangeFile, Readonly: true,
		})
	}
}

// writeServiceRange puts the drop-in where closeServiceRange mounts it from.
func (d runDir) writeServiceRange() error {
	if err := os.WriteFile(d.file(rangeFile), []byte(rangeUnit), 0o644); err != nil { //nolint:gosec // no secret, and its folder is private
		return fmt.Errorf("writing what the node's firewall refuses: %w", err)
	}
	return nil
}
