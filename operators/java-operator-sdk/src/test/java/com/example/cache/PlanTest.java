package com.example.cache;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.math.BigInteger;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/** Ends with an error where the plan is not as it should be; plan_test.go runs it. */
final class PlanTest {
  private static final JsonNodeFactory json = JsonNodeFactory.instance;
  private static final Instant first = Instant.parse("2026-11-23T01:00:00.5Z");
  private static final Instant later = Instant.parse("2026-11-23T02:00:00Z");

  public static void main(String[] args) {
    sizes();
    instances();
    owners();
    statuses();
    objectsOfAnyForm();
  }

  private static void sizes() {
    for (JsonNode bad : List.of(json.numberNode(-1), json.numberNode(1L << 31), json.textNode("3"), json.numberNode(1.5),
        json.nullNode(), json.numberNode(BigInteger.TWO.pow(70)))) {
      same("InvalidSize", reason(() -> Plan.deployment(memcached("a", bad))), "size " + bad);
    }
    var none = memcached("a", null);
    none.setSpec(null);
    same("InvalidSize", reason(() -> Plan.deployment(none)), "no spec");
    same(0, Plan.deployment(memcached("a", json.numberNode(0))).getSpec().getReplicas(), "size 0");
  }

  private static void instances() {
    var seen = new HashSet<String>();
    for (String name : List.of("a", "a.b", "a".repeat(63), "a".repeat(64), "a".repeat(250), "a".repeat(250) + "b")) {
      String instance = Plan.instance(name);
      same(true, instance.length() <= 63 && seen.add(instance), "instance of " + name);
    }
  }

  private static void owners() {
    var memcached = memcached("a", json.numberNode(1));
    same("", reason(() -> Plan.checkOwner(deployment("Memcached", "a", "uid"), memcached)), "its own");
    same("PredecessorDeleting", reason(() -> Plan.checkOwner(deployment("Memcached", "a", "old"), memcached)), "its predecessor's");
    same("DeploymentNotOwned", reason(() -> Plan.checkOwner(deployment("Other", "b", "x"), memcached)), "another's");
    var nobodys = Plan.deployment(memcached);
    same("", reason(() -> Plan.checkOwner(nobodys, memcached)), "its own, the owner reference taken away");
    nobodys.getMetadata().getLabels().remove(Plan.MANAGED_BY);
    same("DeploymentNotOwned", reason(() -> Plan.checkOwner(nobodys, memcached)), "nobody's");
  }

  private static void statuses() {
    var memcached = memcached("a", json.numberNode(2));
    var deployment = new DeploymentBuilder(Plan.deployment(memcached)).editMetadata().withGeneration(4L).endMetadata()
        .withNewStatus().withObservedGeneration(4L).withReplicas(2).withUpdatedReplicas(2).withReadyReplicas(2).endStatus().build();
    var pods = List.of(pod("z", true), pod("y", true), pod("x", false));
    memcached.setStatus(Plan.status(memcached, deployment, pods, null, first));
    same(List.of("y", "z"), memcached.getStatus().nodes, "nodes");
    same("True AllReplicasReady 2026-11-23T01:00:00Z", told(memcached), "ready");
    memcached.setStatus(Plan.status(memcached, deployment, pods, null, later));
    same("True AllReplicasReady 2026-11-23T01:00:00Z", told(memcached), "ready, as before");
    memcached.setStatus(Plan.status(memcached, deployment, pods.subList(0, 1), null, later));
    same("False ReplicasNotReady 2026-11-23T02:00:00Z", told(memcached), "a pod less");
    deployment.getStatus().setObservedGeneration(3L);
    memcached.setStatus(Plan.status(memcached, deployment, pods, null, later));
    same("False ReplicasNotReady 2026-11-23T02:00:00Z", told(memcached), "its newest spec is not seen");
    var stuck = pod("x", false);
    stuck.getStatus().setContainerStatuses(List.of(new ContainerStatusBuilder().withImage("m:1")
        .withNewState().withNewWaiting().withReason("ErrImagePull").endWaiting().endState().build()));
    memcached.setStatus(Plan.status(memcached, deployment, List.of(stuck), null, later));
    same("0 of 2 pods are ready: pod x: image m:1 cannot be pulled (ImagePullBackOff)",
        memcached.getStatus().conditions.get(0).getMessage(), "no image");
    memcached.setStatus(Plan.status(memcached, null, List.of(), new Problem("ApplyFailed", "forbidden", true), later));
    same("False ApplyFailed 2026-11-23T02:00:00Z", told(memcached), "a problem");
    same(0, memcached.getStatus().replicas, "replicas without a Deployment");
  }

  /** What does not fit must not end the watch; and a status is the same after it was written and read. */
  private static void objectsOfAnyForm() {
    var kubernetes = new KubernetesSerialization();
    var odd = kubernetes.unmarshal("{\"apiVersion\":\"cache.example.com/v1alpha1\",\"kind\":\"Memcached\",\"metadata\":{\"name\":\"a\"},"
        + "\"spec\":{\"size\":2147483648,\"sise\":1},\"status\":{\"phase\":\"x\"}}", Memcached.class);
    same("InvalidSize", reason(() -> Plan.size(odd)), "an odd object");
    var memcached = memcached("a", json.numberNode(0));
    var status = Plan.status(memcached, null, List.of(), null, first);
    String written = kubernetes.asJson(status);
    same(written, kubernetes.asJson(kubernetes.unmarshal(written, Memcached.Status.class)), "a status that was read again");
    same(true, written.contains("\"nodes\":[]") && written.contains("\"replicas\":0"), "nothing, said: " + written);
  }

  private static Memcached memcached(String name, JsonNode size) {
    var memcached = new Memcached();
    memcached.setMetadata(new ObjectMetaBuilder().withName(name).withNamespace("n").withUid("uid").withGeneration(7L).build());
    memcached.setSpec(new Memcached.Spec());
    memcached.getSpec().size = size;
    return memcached;
  }

  private static Deployment deployment(String kind, String name, String uid) {
    return new DeploymentBuilder().withNewMetadata().withName("a").withOwnerReferences(
        new OwnerReferenceBuilder().withKind(kind).withName(name).withUid(uid).withController(true).build()).endMetadata().build();
  }

  private static Pod pod(String name, boolean ready) {
    return new PodBuilder().withNewMetadata().withName(name).endMetadata().withNewStatus()
        .addNewCondition().withType("Ready").withStatus(ready ? "True" : "False").endCondition().endStatus().build();
  }

  private static String told(Memcached memcached) {
    var ready = memcached.getStatus().conditions.get(0);
    return ready.getStatus() + " " + ready.getReason() + " " + ready.getLastTransitionTime();
  }

  private static String reason(Runnable does) {
    try {
      does.run();
      return "";
    } catch (Problem problem) {
      return problem.reason;
    }
  }

  private static void same(Object want, Object have, String what) {
    if (!Objects.equals(want, have)) {
      throw new AssertionError(what + ": want " + want + ", have " + have);
    }
  }
}
