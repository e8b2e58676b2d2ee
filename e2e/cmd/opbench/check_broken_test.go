package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// whole is a folder in which nothing is wrong.
func whole() map[string]string {
	return map[string]string{
		"style.yaml": `name: mine
description: A loop in Python.
source: here
images: [python, memcached]
install:
  - name: operator
    manifests: [manifests]
    ready:
      - rollout: {kind: Deployment, namespace: mine, name: mine}
components:
  - {name: operator, namespace: mine, selector: app=mine}
child: {ownerReference: true}
differs:
  - {path: spec.template.spec.automountServiceAccountToken, reason: Left out.}
  - {path: spec.template.spec.containers.0.securityContext, reason: Left out.}
  - {path: spec.template.metadata.labels.app.kubernetes.io/name, reason: More.}
  - {path: spec.strategy.rollingUpdate.maxSurge, reason: More.}
declares: {status: true, ownerReferences: true, driftRepair: true}
typical: {install: 10s, reconcile: 1s}
timeout: 60s
`,
		"manifests/kustomization.yaml": `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [operator.yaml]
`,
		"manifests/operator.yaml": `apiVersion: v1
kind: Namespace
metadata: {name: mine, labels: {pod-security.kubernetes.io/enforce: restricted}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: mine, namespace: mine}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: mine}
rules:
  - {apiGroups: [cache.example.com], resources: [memcacheds], verbs: [list, watch]}
  - {apiGroups: [apps], resources: [deployments], verbs: [create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: mine}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: mine}
subjects: [{kind: ServiceAccount, name: mine, namespace: mine}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: mine, namespace: mine}
spec:
  selector: {matchLabels: {app: mine}}
  template:
    metadata: {labels: {app: mine}}
    spec:
      serviceAccountName: mine
      securityContext: {runAsNonRoot: true, runAsUser: 65534, seccompProfile: {type: RuntimeDefault}}
      containers:
        - name: operator
          image: docker.io/library/python:3.11.14-slim-bookworm
          securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`,
	}
}

// Each folder is broken in one way: what cannot work is an error, and what is doubtful a warning.
func TestCheckFindsWhatIsBroken(t *testing.T) {
	const operator, style = "manifests/operator.yaml", "style.yaml"
	for name, test := range map[string]struct {
		file, from, to string
		status         int
		says           string
	}{
		"nothing":           {style, "", "", exitOK, "verdicts   none is expected"},
		"no style.yaml":     {style, "*", "", exitError, "there is no "},
		"another name":      {style, "name: mine\n", "name: yours\n", exitError, `name: found "yours", expected "mine" as the folder's name`},
		"no YAML":           {style, "images: [", "images: [[", exitError, "style.yaml:"},
		"a field misspelt":  {style, "timeout:", "timeuot:", exitError, `unknown field "timeuot"`},
		"an image unlisted": {style, "[python, memcached]", "[memcached]", exitError, "which images (line 4) does not list: add python"},
		"no pods":           {style, "selector: app=mine", "selector: app=yours", exitError, "no workload of the manifests has pods app=yours"},
		"a component":       {style, "rollout: {kind: Deployment, namespace: mine, name: mine}", "log: {component: operater, contains: x}", exitError, `operater`},
		"a file missing":    {"manifests/kustomization.yaml", "operator.yaml", "gone.yaml", exitError, "gone.yaml"},
		"the definition":    {operator, "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: mine, namespace: mine}", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: memcacheds.cache.example.com}", exitError, "which the harness itself makes"},
		"no unit":           {style, "timeout: 60s", "timeout: 60", exitError, "timeout"},
		"a Helm template":   {operator, "name: mine, namespace: mine}\nspec", "name: {{ .Release.Name }}, namespace: mine}\nspec", exitError, "style.yaml:"},
		"a type":            {style, "images: [python, memcached]", "images: python", exitError, "images"},
		"a rollout":         {style, "namespace: mine, name: mine}", "namespace: mine, name: yours}", exitError, "the manifests have no Deployment mine/yours"},

		"another group":       {operator, "apiGroups: [cache.example.com], resources: [memcacheds]", "apiGroups: [apps.example.org], resources: [widgets]", exitError, "style.yaml:6: no service account may list or watch memcacheds.cache.example.com, so that the operator would see no custom resource; there are rights on apps.example.org"},
		"a kind":              {operator, "kind: Deployment\n", "kind: Deploymnt\n", exitError, `Deploymnt mine/mine is of a kind that no cluster has: apps/v1 has no Deploymnt, and no CustomResourceDefinition of the manifests defines it; did you mean "Deployment"?`},
		"a kind since stable": {operator, "kind: ServiceAccount\nmetadata: {name: mine, namespace: mine}", "kind: ServiceAccount\nmetadata: {name: mine, namespace: mine}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: mine}", exitOK, "MutatingAdmissionPolicy mine"},
		"a version of none":   {operator, "apiVersion: apps/v1\nkind: Deployment\n", "apiVersion: apps/v3\nkind: Deployment\n", exitError, "apps/v3 has no Deployment"},
		"no namespace":        {operator, "kind: Namespace\nmetadata: {name: mine,", "kind: Namespace\nmetadata: {name: yours,", exitError, "ServiceAccount mine/mine is in the namespace mine, which no manifest makes: add the Namespace"},
		"a namespace unsaid":  {operator, "kind: ServiceAccount\nmetadata: {name: mine, namespace: mine}", "kind: ServiceAccount\nmetadata: {name: mine}", exitError, "ServiceAccount mine has no namespace: write metadata.namespace, or namespace in the kustomization"},
		"a role in one":       {operator, "kind: ClusterRole\nmetadata: {name: mine}", "kind: ClusterRole\nmetadata: {name: mine, namespace: elsewhere}", exitOK, "in no namespace: ClusterRole mine, ClusterRoleBinding mine\n"},
		"no account":          {operator, "kind: ServiceAccount\nmetadata: {name: mine,", "kind: ServiceAccount\nmetadata: {name: yours,", exitError, "Deployment mine/mine runs as the ServiceAccount mine/mine, which no manifest makes"},
		"no right to write":   {operator, "verbs: [create, patch]", "verbs: [list, watch]", exitError, "no service account may create, update or patch deployments.apps"},
		"no right to watch":   {operator, "resources: [memcacheds], verbs: [list, watch]", "resources: [memcacheds], verbs: [list]", exitOK, "warning    the operator may list memcacheds.cache.example.com, and no role lets it watch them: an informer needs both"},
		"an old definition":   {operator, "kind: ServiceAccount\nmetadata: {name: mine, namespace: mine}", "kind: ServiceAccount\nmetadata: {name: mine, namespace: mine}\n---\napiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.org}\nspec: {group: example.org, names: {kind: A}}", exitError, "is of apiextensions.k8s.io/v1beta1, which no cluster serves since Kubernetes 1.22: write it as apiextensions.k8s.io/v1"},
		"a kind of nobody":    {operator, "kind: ServiceAccount\nmetadata: {name: mine, namespace: mine}", "kind: ServiceAccount\nmetadata: {name: mine, namespace: mine}\n---\napiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: mine, namespace: mine}", exitError, "no CustomResourceDefinition of the manifests defines it: add what defines it and what handles it, or leave it out"},
		"one namespace":       {operator, "kind: ClusterRoleBinding\nmetadata: {name: mine}", "kind: RoleBinding\nmetadata: {name: mine, namespace: mine}", exitOK, "warning    the operator may watch memcacheds in its own namespace alone, and a run makes each in a namespace of its own"},
		"wildcards":           {operator, "verbs: [create, patch]", "verbs: ['*']", exitOK, "beware     mine/mine may * deployments.apps in the whole cluster, by ClusterRole mine"},
		"the pods' level":     {operator, "seccompProfile: {type: RuntimeDefault}", "fsGroup: 1", exitError, "Deployment mine/mine has pods that the level restricted of its namespace forbids: "},
		"a level unknown":     {operator, "enforce: restricted", "enforce: strict", exitError, `cannot be held against the level "strict" of its namespace`},
		"an image of nobody":  {operator, "python:3.11.14-slim-bookworm", "python:3.99", exitOK, "warning    Deployment mine/mine runs docker.io/library/python:3.99, which images does not list: the node must pull it, and a run does not"},
		"memcached":           {style, "[python, memcached]", "[python]", exitOK, "warning    images does not list memcached, which what the operator makes runs: a run brings it all the same"},
		"pulled each time":    {operator, "slim-bookworm\n", "slim-bookworm\n          imagePullPolicy: Always\n", exitOK, "warning    Deployment mine/mine pulls docker.io/library/python:3.11.14-slim-bookworm each time (imagePullPolicy: Always)"},
		"pulled from nobody":  {operator, "docker.io/library/python:3.11.14-slim-bookworm\n", "operatorbench.local/memcached-operator-native:v0.1.0\n          imagePullPolicy: Always\n", exitError, "pulls operatorbench.local/memcached-operator-native:v0.1.0 each time (imagePullPolicy: Always), and no registry has it"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "mine")
			for file, text := range whole() {
				if file == test.file {
					require.Contains(t, text+"*", test.from)
					text = strings.Replace(text, test.from, test.to, 1)
				}
				if file == test.file && test.from == "*" {
					continue
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o750))
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
			}
			status, stdout, stderr := opbench(t, "check", folder)
			assert.Equal(t, test.status, status, stderr)
			assert.Contains(t, stdout+stderr, test.says)
			if test.from == "" {
				assert.NotContains(t, stdout, "warning")
			}
		})
	}
}
