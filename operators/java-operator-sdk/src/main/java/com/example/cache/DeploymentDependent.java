package com.example.cache;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import java.util.List;
import java.util.Set;

/** The Deployment of a Memcached: the framework makes it, matches it, and mends it by server-side apply. */
@KubernetesDependent(informer = @Informer(labelSelector = Plan.MANAGED_BY + "=" + Plan.MANAGER))
public class DeploymentDependent extends CRUDKubernetesDependentResource<Deployment, Memcached>
    implements SecondaryToPrimaryMapper<Deployment> {

  public DeploymentDependent() {
    super(Deployment.class);
  }

  @Override
  protected Deployment desired(Memcached memcached, Context<Memcached> context) {
    return Plan.deployment(memcached);
  }

  /** By the framework's own way the reference is without controller and blockOwnerDeletion. */
  @Override
  protected void addReferenceHandlingMetadata(Deployment desired, Memcached memcached) {
    desired.getMetadata().setOwnerReferences(List.of(Plan.owner(memcached)));
  }

  /** By its name: by its owner, the default, one whose owner reference was taken away would be nobody's. */
  @Override
  public Set<ResourceID> toPrimaryResourceIDs(Deployment deployment) {
    return Set.of(ResourceID.fromResource(deployment));
  }
}
