package com.example.cache;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** The custom resource. */
@Group("cache.example.com")
@Version("v1alpha1")
public class Memcached extends CustomResource<Memcached.Spec, Memcached.Status> implements Namespaced {

  /** What is asked for. */
  public static class Spec {
    public Integer size;
  }

  /** What the sample says of a web page, said of a Deployment. */
  public static class Status {
    public String deployment;
    public Boolean areWeGood;
    public String errorMessage;
  }
}
