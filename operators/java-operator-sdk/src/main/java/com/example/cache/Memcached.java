package com.example.cache;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;

/** The custom resource. */
@Group("cache.example.com")
@Version("v1alpha1")
public class Memcached extends CustomResource<Memcached.Spec, Memcached.Status> implements Namespaced {

  /** What is asked for. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public static class Spec {
    /** Whatever the definition lets through: one that is no size must not end the watch of all others. */
    public JsonNode size;
  }

  /** What there is. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public static class Status {
    public List<String> nodes;
    public Long observedGeneration;
    public Integer replicas;
    public String selector;
    public List<Condition> conditions;
  }
}
