package com.example.cache;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.javaoperatorsdk.operator.Operator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

/** Starts the operator and its two probes. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws IOException {
    // The engine that operator-framework brings; this image has another one, too.
    var client = new KubernetesClientBuilder().withHttpClientFactory(new JdkHttpClientFactory()).build();
    var operator = new Operator(overrider -> overrider.withKubernetesClient(client).withStopOnInformerErrorDuringStartup(false));
    operator.register(new MemcachedReconciler());
    operator.start();

    var server = HttpServer.create(new InetSocketAddress(8080), 0);
    probe(server, "/startup", () -> operator.getRuntimeInfo().isStarted());
    probe(server, "/healthz", () -> operator.getRuntimeInfo().allEventSourcesAreHealthy());
    server.start();
  }

  private static void probe(HttpServer server, String path, BooleanSupplier isGood) {
    server.createContext(path, exchange -> {
      exchange.sendResponseHeaders(isGood.getAsBoolean() ? 200 : 400, -1);
      exchange.close();
    });
  }
}
