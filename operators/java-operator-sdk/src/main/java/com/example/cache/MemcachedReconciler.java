package com.example.cache;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.AggregatedOperatorException;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.PrimaryUpdateAndCacheUtils;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the Deployment of a Memcached by its dependent resource, and its status by what the informers know. */
@ControllerConfiguration(name = Plan.MANAGER)
@Workflow(dependents = @Dependent(type = DeploymentDependent.class), explicitInvocation = true)
public class MemcachedReconciler implements Reconciler<Memcached> {
  private static final Logger log = LoggerFactory.getLogger(MemcachedReconciler.class);
  private static final String BY_INSTANCE = "instance";

  private InformerEventSource<Pod, Memcached> pods;

  @Override
  public List<EventSource<?, Memcached>> prepareEventSources(EventSourceContext<Memcached> context) {
    IndexerResourceCache<Memcached> memcacheds = context.getPrimaryCache();
    memcacheds.addIndexers(Map.of(BY_INSTANCE, m -> List.of(
        key(m.getMetadata().getNamespace(), Plan.instance(m.getMetadata().getName())))));
    pods = new InformerEventSource<>(
        InformerEventSourceConfiguration.from(Pod.class, Memcached.class)
            .withLabelSelector(Plan.MANAGED_BY + "=" + Plan.MANAGER)
            .withSecondaryToPrimaryMapper(pod -> memcacheds.byIndex(BY_INSTANCE, instanceOf(pod)).stream()
                .map(ResourceID::fromResource)
                .collect(Collectors.toSet()))
            .build(),
        context);
    pods.addIndexers(Map.of(BY_INSTANCE, pod -> List.of(instanceOf(pod))));
    return List.of(pods);
  }

  private static String instanceOf(Pod pod) {
    return key(pod.getMetadata().getNamespace(), pod.getMetadata().getLabels().get(Plan.INSTANCE));
  }

  private static String key(String namespace, String instance) {
    return namespace + "/" + instance;
  }

  @Override
  public UpdateControl<Memcached> reconcile(Memcached memcached, Context<Memcached> context) {
    Problem problem = null;
    try {
      Plan.size(memcached);
      settle(memcached, context);
    } catch (Problem found) {
      if (found.retried) {
        throw found; // to updateErrorStatus, and again
      }
      problem = found;
    }
    writeStatus(memcached, problem, context);
    return UpdateControl.noUpdate(); // written, where it differs
  }

  /** Brings the Deployment to what is asked for, unless it is somebody else's, or on its way out. */
  private void settle(Memcached memcached, Context<Memcached> context) {
    var known = context.getSecondaryResource(Deployment.class);
    known.ifPresent(deployment -> Plan.checkOwner(deployment, memcached));
    if (known.map(d -> d.getMetadata().getDeletionTimestamp() != null).orElse(false)) {
      return; // its end is an event of its own
    }
    try {
      context.managedWorkflowAndDependentResourceContext().reconcileManagedWorkflow()
          .throwAggregateExceptionIfErrorsPresent();
    } catch (AggregatedOperatorException failed) {
      throw explain(failed, memcached, context);
    }
  }

  /** A name that is taken is a conflict: the informer knows those of our label alone. */
  private static Problem explain(AggregatedOperatorException failed, Memcached memcached, Context<Memcached> context) {
    for (Exception cause : failed.getAggregatedExceptions().values()) {
      if (cause instanceof KubernetesClientException refused && refused.getCode() == 409) {
        var taken = context.getClient().resource(Plan.deployment(memcached)).get();
        if (taken != null) {
          try {
            Plan.checkOwner(taken, memcached);
          } catch (Problem notOurs) {
            return notOurs;
          }
        }
      }
    }
    String causes = failed.getAggregatedExceptions().values().stream()
        .map(Throwable::getMessage).collect(Collectors.joining("; "));
    return new Problem("ApplyFailed", "the Deployment could not be written: " + causes, true);
  }

  /** What cannot be put right now is told in the status, before the framework tries again. */
  @Override
  public ErrorStatusUpdateControl<Memcached> updateErrorStatus(
      Memcached memcached, Context<Memcached> context, Exception error) {
    if (error instanceof Problem problem) {
      log.warn("{}/{}: {}", memcached.getMetadata().getNamespace(), memcached.getMetadata().getName(), problem.getMessage());
      writeStatus(memcached, problem, context);
    }
    return ErrorStatusUpdateControl.noStatusUpdate();
  }

  private void writeStatus(Memcached memcached, Problem problem, Context<Memcached> context) {
    var json = context.getClient().getKubernetesSerialization();
    var deployment = context.getSecondaryResource(Deployment.class)
        .filter(d -> d.getMetadata().getOwnerReferences().stream()
            .anyMatch(o -> o.getUid().equals(memcached.getMetadata().getUid())))
        .orElse(null);
    var found = pods.byIndex(BY_INSTANCE,
        key(memcached.getMetadata().getNamespace(), Plan.instance(memcached.getMetadata().getName())));
    var status = Plan.status(memcached, deployment, found, problem, Instant.now());
    if (json.asJson(status).equals(json.asJson(memcached.getStatus()))) {
      return;
    }
    var fresh = new Memcached();
    fresh.setMetadata(new ObjectMetaBuilder()
        .withName(memcached.getMetadata().getName())
        .withNamespace(memcached.getMetadata().getNamespace())
        .build());
    fresh.setSpec(null); // what is applied is the status alone
    fresh.setStatus(status);
    try {
      PrimaryUpdateAndCacheUtils.ssaPatchStatusAndCacheResource(memcached, fresh, context);
    } catch (KubernetesClientException refused) {
      if (refused.getCode() != 404) { // gone, or its definition has no status
        throw refused;
      }
    }
    if (problem != null && isNew(memcached, problem)) {
      warn(memcached, problem, context);
    }
  }

  /** Says whether the status did not tell of this problem yet. */
  private static boolean isNew(Memcached memcached, Problem problem) {
    var status = memcached.getStatus();
    return status == null || status.conditions == null
        || status.conditions.stream().noneMatch(c -> problem.getMessage().equals(c.getMessage()));
  }

  /** An Event, for whom the status does not reach. The framework has none of its own. */
  private static void warn(Memcached memcached, Problem problem, Context<Memcached> context) {
    String now = Instant.now().toString();
    var meta = memcached.getMetadata();
    context.getClient().v1().events().inNamespace(meta.getNamespace()).resource(new EventBuilder()
        .withNewMetadata().withGenerateName(meta.getName() + ".").withNamespace(meta.getNamespace()).endMetadata()
        .withInvolvedObject(new ObjectReferenceBuilder()
            .withApiVersion(memcached.getApiVersion()).withKind(memcached.getKind())
            .withName(meta.getName()).withNamespace(meta.getNamespace()).withUid(meta.getUid()).build())
        .withType("Warning").withReason(problem.reason).withMessage(problem.getMessage())
        .withFirstTimestamp(now).withLastTimestamp(now).withCount(1)
        .withNewSource().withComponent(Plan.MANAGER).endSource()
        .build()).create();
  }
}
