package com.example.cache;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** What a Memcached comes to: its Deployment, and its status. It decides, and touches nothing. */
final class Plan {
  static final String MANAGER = "memcached-operator";
  static final String MANAGED_BY = "app.kubernetes.io/managed-by";
  static final String INSTANCE = "app.kubernetes.io/instance";

  private Plan() {}

  /** The name as the value of a label, which has 63 letters at most. */
  static String instance(String name) {
    if (name.length() <= 63) {
      return name;
    }
    try {
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return name.substring(0, 52) + "-" + HexFormat.of().formatHex(sum, 0, 5);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  static Map<String, String> labels(Memcached memcached) {
    return new TreeMap<>(
        Map.of("app", "memcached", INSTANCE, instance(memcached.getMetadata().getName()), MANAGED_BY, MANAGER));
  }

  static int size(Memcached memcached) {
    JsonNode size = memcached.getSpec() == null ? null : memcached.getSpec().size;
    if (size == null || !size.isIntegralNumber() || !size.canConvertToInt() || size.intValue() < 0) {
      throw new Problem(
          "InvalidSize", "spec.size is " + size + "; it must be a whole number from 0 to 2147483647", false);
    }
    return size.intValue();
  }

  static OwnerReference owner(Memcached memcached) {
    return new OwnerReferenceBuilder()
        .withApiVersion(memcached.getApiVersion())
        .withKind(memcached.getKind())
        .withName(memcached.getMetadata().getName())
        .withUid(memcached.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }

  static Deployment deployment(Memcached memcached) {
    var labels = labels(memcached);
    return new DeploymentBuilder()
        .withNewMetadata()
          .withName(memcached.getMetadata().getName())
          .withNamespace(memcached.getMetadata().getNamespace())
          .withLabels(labels)
        .endMetadata()
        .withNewSpec()
          .withReplicas(size(memcached))
          .withNewSelector().withMatchLabels(labels).endSelector()
          .withNewTemplate()
            .withNewMetadata().withLabels(labels).endMetadata()
            .withNewSpec()
              .withAutomountServiceAccountToken(false)
              .withEnableServiceLinks(false)
              .withNewSecurityContext()
                .withRunAsNonRoot(true)
                .withRunAsUser(11211L)
                .withNewSeccompProfile().withType("RuntimeDefault").endSeccompProfile()
              .endSecurityContext()
              .addNewContainer()
                .withName("memcached")
                .withImage("docker.io/library/memcached:1.6.18")
                .withImagePullPolicy("IfNotPresent")
                .withCommand("memcached", "--memory-limit=64", "-o", "modern", "-v")
                .addNewPort().withContainerPort(11211).withProtocol("TCP").endPort()
                .withNewSecurityContext()
                  .withAllowPrivilegeEscalation(false)
                  .withNewCapabilities().withDrop("ALL").endCapabilities()
                .endSecurityContext()
              .endContainer()
            .endSpec()
          .endTemplate()
        .endSpec()
        .build();
  }

  /** Refuses a Deployment that is somebody else's. */
  static void checkOwner(Deployment deployment, Memcached memcached) {
    String name = deployment.getMetadata().getName();
    Optional<OwnerReference> owner =
        deployment.getMetadata().getOwnerReferences().stream()
            .filter(o -> Boolean.TRUE.equals(o.getController()))
            .findFirst();
    if (owner.isEmpty()) {
      var labels = deployment.getMetadata().getLabels();
      if (labels == null || !MANAGER.equals(labels.get(MANAGED_BY))) {
        throw new Problem("DeploymentNotOwned", "Deployment " + name
            + " was not made for this Memcached: delete it or give one of the two another name", true);
      }
      return;
    }
    OwnerReference o = owner.get();
    if (o.getUid().equals(memcached.getMetadata().getUid())) {
      return;
    }
    if (o.getKind().equals(memcached.getKind()) && o.getName().equals(name)) {
      throw new Problem("PredecessorDeleting", "Deployment " + name
          + " belongs to a deleted Memcached of the same name; a new one is made when it is gone", true);
    }
    throw new Problem("DeploymentNotOwned", "Deployment " + name + " is controlled by " + o.getKind() + " "
        + o.getName() + ": delete it or give one of the two another name", true);
  }

  /** The whole status; the time of the condition is that of the last change of its truth. */
  static Memcached.Status status(
      Memcached memcached, Deployment deployment, List<Pod> pods, Problem problem, Instant now) {
    var status = new Memcached.Status();
    status.nodes = pods.stream().filter(Plan::ready).map(p -> p.getMetadata().getName()).sorted().toList();
    status.observedGeneration = memcached.getMetadata().getGeneration();
    status.replicas = deployment == null ? 0 : number(state(deployment).getReplicas());
    status.selector = INSTANCE + "=" + instance(memcached.getMetadata().getName()) + "," + MANAGED_BY + "=" + MANAGER;
    Condition ready = condition(memcached, deployment, pods, status.nodes.size(), problem);
    ready.setType("Ready");
    ready.setStatus(ready.getReason().equals("AllReplicasReady") ? "True" : "False");
    ready.setObservedGeneration(status.observedGeneration);
    ready.setLastTransitionTime(
        before(memcached)
            .filter(b -> ready.getStatus().equals(b.getStatus()))
            .map(Condition::getLastTransitionTime)
            .orElse(now.truncatedTo(ChronoUnit.SECONDS).toString()));
    status.conditions = List.of(ready);
    return status;
  }

  private static Optional<Condition> before(Memcached memcached) {
    var status = memcached.getStatus();
    return status == null || status.conditions == null
        ? Optional.empty()
        : status.conditions.stream().filter(c -> "Ready".equals(c.getType())).findFirst();
  }

  private static Condition condition(
      Memcached memcached, Deployment deployment, List<Pod> pods, int ready, Problem problem) {
    if (problem != null) {
      return because(problem.reason, problem.getMessage());
    }
    if (deployment == null) {
      return because("ReplicasNotReady", "the Deployment does not exist yet");
    }
    int size = size(memcached);
    String message = ready + " of " + size + " pods are ready";
    var state = state(deployment);
    boolean seen = Objects.equals(state.getObservedGeneration(), deployment.getMetadata().getGeneration());
    if (seen && ready == size && number(state.getReplicas()) == size
        && number(state.getUpdatedReplicas()) == size && number(state.getReadyReplicas()) == size) {
      return because("AllReplicasReady", message);
    }
    Optional<String> trouble =
        pods.stream()
            .filter(p -> p.getMetadata().getDeletionTimestamp() == null)
            .flatMap(p -> trouble(p).map(t -> ": pod " + p.getMetadata().getName() + ": " + t).stream())
            .sorted()
            .findFirst();
    message += trouble.orElse("");
    for (var c : state.getConditions()) {
      if (c.getType().equals("ReplicaFailure") && c.getStatus().equals("True")
          || c.getType().equals("Progressing") && c.getStatus().equals("False")) {
        return because(c.getType(), message + ": " + c.getMessage());
      }
    }
    return because(trouble.isPresent() ? "PodsCannotStart" : "ReplicasNotReady", message);
  }

  private static Condition because(String reason, String message) {
    return new ConditionBuilder().withReason(reason).withMessage(message).build();
  }

  private static boolean ready(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus().getConditions().stream()
            .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }

  /** What keeps a pod from starting, in words that stay the same while the kubelet tries again. */
  private static Optional<String> trouble(Pod pod) {
    for (var c : pod.getStatus().getContainerStatuses()) {
      var waiting = c.getState() == null ? null : c.getState().getWaiting();
      String reason = waiting == null || waiting.getReason() == null ? "" : waiting.getReason();
      switch (reason) {
        case "", "ContainerCreating", "PodInitializing" -> { }
        case "ErrImagePull", "ImagePullBackOff" -> { // which take turns
          return Optional.of("image " + c.getImage() + " cannot be pulled (ImagePullBackOff)");
        }
        default -> {
          return Optional.of("container " + c.getName() + ": " + reason);
        }
      }
    }
    return pod.getStatus().getConditions().stream()
        .filter(c -> c.getType().equals("PodScheduled") && c.getStatus().equals("False"))
        .map(c -> "it cannot be scheduled: " + c.getMessage())
        .findFirst();
  }

  private static DeploymentStatus state(Deployment deployment) {
    return deployment.getStatus() == null ? new DeploymentStatus() : deployment.getStatus();
  }

  private static int number(Integer n) {
    return n == null ? 0 : n;
  }
}
