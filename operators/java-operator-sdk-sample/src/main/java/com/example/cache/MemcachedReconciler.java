package com.example.cache;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.javaoperatorsdk.operator.api.config.informer.InformerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceUtils;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependentResourceConfigBuilder;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Workflow;
import io.javaoperatorsdk.operator.processing.dependent.workflow.WorkflowBuilder;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/** A workflow of one dependent resource, whose name is in the status. */
@ControllerConfiguration
final class MemcachedReconciler implements Reconciler<Memcached> {
  private final Workflow<Memcached> workflow;

  MemcachedReconciler() {
    var deployment = new DeploymentDependent();
    deployment.configureWith(new KubernetesDependentResourceConfigBuilder<Deployment>()
        .withKubernetesDependentInformerConfig(InformerConfiguration.builder(Deployment.class)
            .withLabelSelector(DeploymentDependent.SELECTOR + "=true")
            .build())
        .build());
    workflow = new WorkflowBuilder<Memcached>().addDependentResource(deployment).build();
  }

  @Override
  public List<EventSource<?, Memcached>> prepareEventSources(EventSourceContext<Memcached> context) {
    return EventSourceUtils.eventSourcesFromWorkflow(context, workflow);
  }

  @Override
  public UpdateControl<Memcached> reconcile(Memcached memcached, Context<Memcached> context) {
    if (memcached.getSpec().size == null || memcached.getSpec().size < 0) {
      if (memcached.getStatus() == null) {
        memcached.setStatus(new Memcached.Status());
      }
      memcached.getStatus().errorMessage = "Invalid size.";
      return UpdateControl.patchStatus(memcached);
    }
    workflow.reconcile(memcached, context);
    var status = new Memcached.Status();
    status.deployment = context.getSecondaryResource(Deployment.class).orElseThrow().getMetadata().getName();
    status.areWeGood = true;
    memcached.setStatus(status);
    return UpdateControl.patchStatus(memcached);
  }

  @Override
  public ErrorStatusUpdateControl<Memcached> updateErrorStatus(Memcached memcached, Context<Memcached> context, Exception failed) {
    memcached.getStatus().errorMessage = "Error: " + failed.getMessage();
    return ErrorStatusUpdateControl.patchStatus(memcached);
  }
}
