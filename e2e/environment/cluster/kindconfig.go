package cluster

import (
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"operatorbench/e2e/environment/engine"
)

// kindConfig returns the configuration of a cluster of one node.
func kindConfig(opts KindOptions) *v1alpha4.Cluster {
	config := &v1alpha4.Cluster{
		TypeMeta:   v1alpha4.TypeMeta{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4"},
		Name:       Name(opts.Run),
		Nodes:      []v1alpha4.Node{{Role: v1alpha4.ControlPlaneRole, Image: opts.NodeImage}},
		Networking: v1alpha4.Networking{APIServerAddress: "127.0.0.1"},
		// The kubelet asks the container runtime what pods use, whenever it is
		// asked: its own figures are up to 15 s old, and miss short-lived pods.
		FeatureGates: map[string]bool{"PodAndContainerStatsFromCRI": true},
	}
	config.ContainerdConfigPatches = []string{registryPatch}
	audit(config, dirOf(opts.Run))
	closeServiceRange(config, dirOf(opts.Run))
	adapt(config, opts.Host)
	if opts.Many {
		config.KubeadmConfigPatches = append(config.KubeadmConfigPatches, manyPatch)
	}
	return config
}

// registryPatch lets it be said how registries are reached while the node runs: a
// fault that takes an image away must also keep it from being pulled again.
const registryPatch = `[plugins."io.containerd.grpc.v1.cri".registry]
  config_path = "/etc/containerd/certs.d"
`

// manyPatch lifts the limit of 20 writes a second of kube-controller-manager. A Deployment takes it four: a thousand
// kept it, and with it all who watch Deployments, busy for three minutes. Its arguments are a map, as in auditPatch.
const manyPatch = `kind: ClusterConfiguration
controllerManager:
  extraArgs:
    kube-api-qps: "200"
    kube-api-burst: "300"
`

// adapt tells the node's services what the host cannot give.
func adapt(config *v1alpha4.Cluster, host engine.Host) {
	if host.CgroupV1 {
		config.KubeadmConfigPatches = append(config.KubeadmConfigPatches,
			"kind: KubeletConfiguration\nfailCgroupV1: false\n")
	}
	if host.LacksSysResource {
		// The kubelet's feature gate makes it go on where a sysctl or an OOM score may not be set.
		config.FeatureGates["KubeletInUserNamespace"] = true
		config.KubeadmConfigPatches = append(config.KubeadmConfigPatches,
			"kind: KubeProxyConfiguration\nconntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}\n")
		config.ContainerdConfigPatches = append(config.ContainerdConfigPatches,
			"[plugins.\"io.containerd.grpc.v1.cri\"]\n  restrict_oom_score_adj = true\n")
	}
}

// encode returns the configuration in the form that kind reads; YAML includes JSON.
func encode(config *v1alpha4.Cluster) ([]byte, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("writing kind's configuration: %w", err)
	}
	return text, nil
}

// serviceRange are the addresses of Services: kind's own choice, said here because the node's firewall is told, too.
const serviceRange = "10.96.0.0/16"

// rangeFile is a drop-in of the kubelet's unit: its name in the run's folder, and below rangeDir in the node.
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
