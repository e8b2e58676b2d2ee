package cluster

import (
	"path"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"operatorbench/e2e/environment/engine"
)

// nodeFile is a file of the run's folder, which lives as long as the cluster, that is mounted into the node.
type nodeFile struct {
	name string // in either folder
	in   string // the node's folder
	text string // no secret: the node's root need not be the one who writes it
}

func nodeFiles() []nodeFile {
	return []nodeFile{{policyFile, policyDir, auditPolicy}, {rangeFile, "/etc/systemd/system/kubelet.service.d", rangeUnit}}
}

// kindConfig returns the configuration of a cluster of one node on a host.
func kindConfig(opts KindOptions, host engine.Host) *v1alpha4.Cluster {
	node := v1alpha4.Node{Role: v1alpha4.ControlPlaneRole, Image: opts.NodeImage}
	for _, f := range nodeFiles() {
		node.ExtraMounts = append(node.ExtraMounts, v1alpha4.Mount{HostPath: dirOf(opts.Run).file(f.name), ContainerPath: path.Join(f.in, f.name), Readonly: true})
	}
	config := &v1alpha4.Cluster{
		TypeMeta:   v1alpha4.TypeMeta{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4"},
		Name:       Name(opts.Run),
		Nodes:      []v1alpha4.Node{node},
		Networking: v1alpha4.Networking{APIServerAddress: "127.0.0.1", ServiceSubnet: serviceRange},
		// The kubelet asks the container runtime what pods use, whenever it is
		// asked: its own figures are up to 15 s old, and miss short-lived pods.
		FeatureGates:            map[string]bool{"PodAndContainerStatsFromCRI": true},
		ContainerdConfigPatches: []string{registryPatch},
		KubeadmConfigPatches:    []string{auditPatch},
	}
	adapt(config, host)
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

// serviceRange are the addresses of Services: kind's own choice, said here because the node's firewall is told, too.
const serviceRange = "10.96.0.0/16"

// rangeFile is a drop-in of the kubelet's unit.
const rangeFile = "20-service-range.conf"

// rangeUnit refuses what is sent to an address of that range for which kube-proxy has
// no rule, before any pod is started, and anew when the node restarts. It would else
// leave the node, where whatever is outside may answer in the Service's place.
const rangeUnit = `[Service]
ExecStartPre=/bin/sh -c 'for chain in FORWARD OUTPUT; do \
  set -- "$$chain" -d ` + serviceRange + ` -j REJECT --reject-with icmp-port-unreachable; \
  iptables -w -C "$$@" 2>/dev/null || iptables -w -A "$$@" || exit 1; done'
`
