package com.example.cache;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.SSABasedGenericKubernetesResourceMatcher;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the framework's matcher makes of Deployments that an API server 1.37 has rewritten: applied-….yaml is what was
 * applied, served-….json what came back. Where they do not match, the dependent is applied anew in each pass, for ever.
 */
final class MatcherTest {
  private static final KubernetesSerialization kubernetes = new KubernetesSerialization();

  public static void main(String[] args) throws IOException {
    var matches = new TreeMap<String, Boolean>();
    for (String form : new String[] {"plain", "quantities", "env", "volumes"}) {
      var folder = Path.of("src/test/resources");
      var applied = kubernetes.unmarshal(Files.readString(folder.resolve("applied-" + form + ".yaml")), Deployment.class);
      var served = kubernetes.unmarshal(Files.readString(folder.resolve("served-" + form + ".json")), Deployment.class);
      matches.put(form, matches(served, applied));
      applied.getSpec().setReplicas(3);
      if (matches(served, applied)) {
        throw new AssertionError(form + ": another number of replicas is not seen");
      }
    }
    // The sizeLimit of an emptyDir alone is compared as text: 1024Mi, which is served as 1Gi.
    var want = new TreeMap<>(Map.of("plain", true, "quantities", true, "env", true, "volumes", false));
    if (!want.equals(matches)) {
      throw new AssertionError("want " + want + ", have " + matches + ": the README says otherwise");
    }
  }

  private static boolean matches(Deployment served, Deployment applied) {
    return SSABasedGenericKubernetesResourceMatcher.<Deployment>getInstance().matches(served, applied, standIn(Context.class));
  }

  /** An object that knows the field manager and the serialization, at the end of any way to them. */
  private static <T> T standIn(Class<T> type) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) ->
        switch (method.getName()) {
          case "fieldManager" -> Plan.MANAGER;
          case "getKubernetesSerialization" -> kubernetes;
          default -> method.getReturnType().isInterface() ? standIn(method.getReturnType()) : null;
        }));
  }
}
