package com.example.cache;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import java.util.HashMap;
import java.util.Map;

/** The Deployment of a Memcached: a template, filled in. */
final class DeploymentDependent extends CRUDKubernetesDependentResource<Deployment, Memcached> {
  static final String SELECTOR = "managed";

  private static final String TEMPLATE = """
      apiVersion: apps/v1
      kind: Deployment
      metadata:
        name: ""
        labels: {app: memcached}
      spec:
        selector:
          matchLabels: {app: memcached}
        template:
          metadata:
            labels: {app: memcached}
          spec:
            automountServiceAccountToken: false
            enableServiceLinks: false
            securityContext: {runAsNonRoot: true, runAsUser: 11211, seccompProfile: {type: RuntimeDefault}}
            containers:
              - name: memcached
                image: docker.io/library/memcached:1.6.18
                imagePullPolicy: IfNotPresent
                command: [memcached, --memory-limit=64, -o, modern, -v]
                ports: [{containerPort: 11211}]
                securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
      """;

  @Override
  protected Deployment desired(Memcached memcached, Context<Memcached> context) {
    var name = memcached.getMetadata().getName();
    var instance = Map.of("app.kubernetes.io/instance", name);
    var labels = new HashMap<>(instance);
    labels.put("app", "memcached");
    labels.put(SELECTOR, "true");
    var deployment = Serialization.unmarshal(TEMPLATE, Deployment.class);
    deployment.getMetadata().setName(name);
    deployment.getMetadata().setNamespace(memcached.getMetadata().getNamespace());
    deployment.getMetadata().setLabels(labels);
    deployment.getSpec().setReplicas(memcached.getSpec().size);
    deployment.getSpec().getSelector().getMatchLabels().putAll(instance);
    deployment.getSpec().getTemplate().getMetadata().getLabels().putAll(instance);
    return deployment;
  }
}
