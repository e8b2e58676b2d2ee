package com.example.cache;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.okhttp.OkHttpClientFactory;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Starts the operator; with --defaults as the framework is where nobody says otherwise. */
public final class Main {
  private static final int WORKERS = 8;
  private static final Duration SAFETY_NET = Duration.ofMinutes(5);
  private static final int RECONNECT = 100; // ms from the end of a watch to the next; by default 1000

  private Main() {}

  public static void main(String[] args) throws IOException {
    boolean defaults = List.of(args).contains("--defaults");
    var config = new ConfigBuilder(Config.autoConfigure(null));
    if (!defaults) {
      config.withWatchReconnectInterval(RECONNECT);
    }
    // Only OkHttp pings a watch, every 30 s, and ends it if there is no answer; the JDK's is that of operator-framework itself.
    var client = new KubernetesClientBuilder()
        .withConfig(config.build())
        .withHttpClientFactory(defaults ? new JdkHttpClientFactory() : new OkHttpClientFactory())
        .build();
    var operator = new Operator(overrider -> {
      overrider.withKubernetesClient(client);
      if (!defaults) {
        overrider.withConcurrentReconciliationThreads(WORKERS).withConcurrentWorkflowExecutorThreads(WORKERS);
      }
    });
    operator.register(new MemcachedReconciler(), overrider -> {
      if (!defaults) {
        overrider.withReconciliationMaxInterval(SAFETY_NET).withRetry(new GenericRetry()
            .setInitialInterval(100).setIntervalMultiplier(2).setMaxInterval(10_000).withoutMaxAttempts());
      }
    });
    operator.installShutdownHook(Duration.ofSeconds(2));
    serveHealth(operator);
    try {
      operator.start();
    } catch (RuntimeException failed) { // else the health endpoint would keep the process
      LoggerFactory.getLogger(Main.class).error("cannot start; the kubelet tries again", failed);
      System.exit(1);
    }
  }

  /** Ready when all informers have their lists: from then on no change is missed. */
  private static void serveHealth(Operator operator) throws IOException {
    var server = HttpServer.create(new InetSocketAddress(8080), 0);
    server.createContext("/readyz", exchange -> {
      exchange.sendResponseHeaders(operator.getRuntimeInfo().isStarted() ? 200 : 503, -1);
      exchange.close();
    });
    server.createContext("/healthz", exchange -> {
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    server.start();
  }
}
