/** Watches Memcacheds, and the Deployments and pods with the operator's label, and reconciles what has changed. */
import { createServer } from "node:http";
import { isDeepStrictEqual } from "node:util";
import {
  ApiException, AppsV1Api, CoreV1Api, CustomObjectsApi, KubeConfig, PatchStrategy, makeInformer, setHeaderOptions,
  type Informer, type KubernetesListObject, type KubernetesObject, type ObjectCache, type V1Deployment, type V1Pod,
} from "@kubernetes/client-node";
import { GROUP, INSTANCE, MANAGED_BY, MANAGER, Problem, VERSION, checkOwner, deploymentOf, holds, instance, newest, statusOf, type Memcached } from "./plan.js";
import { Queue } from "./queue.js";

const WORKERS = 8;
const SAFETY_NET = 5 * 60_000;
const RESTART = 1_000; // after an informer has ended with an error

const config = new KubeConfig();
config.loadFromDefault();
const apps = config.makeApiClient(AppsV1Api);
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);

const own = `${MANAGED_BY}=${MANAGER}`;
const kind = { group: GROUP, version: VERSION, plural: "memcacheds" };
const memcacheds = makeInformer<Memcached>(config, `/apis/${GROUP}/${VERSION}/memcacheds`,
  () => custom.listClusterCustomObject(kind) as Promise<KubernetesListObject<Memcached>>);
const deployments = makeInformer<V1Deployment>(config, "/apis/apps/v1/deployments", () => apps.listDeploymentForAllNamespaces({ labelSelector: own }), own);
const pods = makeInformer<V1Pod>(config, "/api/v1/pods", () => core.listPodForAllNamespaces({ labelSelector: own }), own);

/** What was written last, until the watches have delivered it. */
const written = new Map<string, { uid?: string; deployment?: V1Deployment; memcached?: Memcached }>();
const queue = new Queue(reconcile, WORKERS);

/** Pods have the name of their Memcached in a label, which may be cut: keys are of that. */
const keyOf = (namespace: string | undefined, name: string) => `${namespace}/${instance(name)}`;

async function reconcile(key: string): Promise<void> {
  const namespace = key.slice(0, key.indexOf("/"));
  const cached = memcacheds.list(namespace)?.find((m) => keyOf(namespace, m.metadata!.name!) === key);
  if (!cached) {
    written.delete(key);
    return;
  }
  if (cached.metadata!.deletionTimestamp) return; // the garbage collector deletes what it owns
  const name = cached.metadata!.name!;
  const { uid } = cached.metadata!;
  const last = written.get(key)?.uid === uid ? written.get(key)! : { uid };
  written.set(key, last);
  const memcached = newest(cached, last.memcached)!;
  const seen = deployments.get(name, namespace);
  let deployment = seen && newest(seen, last.deployment);
  let problem: Problem | undefined;
  let failed: unknown; // it is told in the status first, and then tried again
  try {
    deployment = last.deployment = await settle(memcached, deployment);
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return; // the namespace is going, and the Memcached with it
    if (!(error instanceof Problem)) failed = error;
    problem = error instanceof Problem ? error : new Problem("WriteFailed", messageOf(error));
  }
  const its = (pods.list(namespace) ?? []).filter((pod) => pod.metadata?.labels?.[INSTANCE] === instance(name));
  const status = statusOf(memcached, deployment, its, problem);
  if (!isDeepStrictEqual(memcached.status, status)) last.memcached = await writeStatus(memcached, status);
  if (failed) throw failed;
  if (problem?.again) queue.later(key, problem.again);
}

/** Brings the Deployment to what is asked for, and returns it. */
async function settle(memcached: Memcached, deployment: V1Deployment | undefined): Promise<V1Deployment> {
  const wanted = deploymentOf(memcached);
  const name = wanted.metadata!.name!;
  const namespace = wanted.metadata!.namespace!;
  if (!deployment) {
    try {
      return await apps.createNamespacedDeployment({ namespace, body: wanted, fieldManager: MANAGER });
    } catch (error) {
      if (!(error instanceof ApiException && error.code === 409)) throw error;
      deployment = await apps.readNamespacedDeployment({ name, namespace }); // the watch is late, or it lacks our label
    }
  }
  checkOwner(deployment, memcached);
  if (deployment.metadata?.deletionTimestamp || holds(deployment, wanted)) return deployment;
  return apps.patchNamespacedDeployment({ name, namespace, body: wanted, fieldManager: MANAGER, force: true },
    setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply));
}

/** Returns the Memcached with its new status; nothing if it is gone, or its definition has no status. */
async function writeStatus(memcached: Memcached, status: object): Promise<Memcached | undefined> {
  const { name, namespace, uid } = memcached.metadata!;
  try {
    return await custom.patchNamespacedCustomObjectStatus({ ...kind, namespace: namespace!, name: name!, body: { metadata: { uid }, status } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch)) as Memcached;
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) return undefined;
    throw error;
  }
}

/** What the API server said, or what kept it from saying something. */
function messageOf(error: unknown): string {
  if (!(error instanceof ApiException)) return String(error);
  try {
    return JSON.parse(error.body).message;
  } catch {
    return `${error.code} ${error.body}`;
  }
}

/** Starts an informer, and again whenever it ends with an error: it does not do so itself. */
async function keep<T extends KubernetesObject>(informer: Informer<T> & ObjectCache<T>, keyed: (object: T) => string): Promise<void> {
  for (const verb of ["add", "update", "delete"] as const) {
    informer.on(verb, (object) => queue.add(keyed(object)));
  }
  const start = () => informer.start().catch((error: unknown) => {
    console.error(`a watch could not begin: ${messageOf(error)}`);
    setTimeout(start, RESTART);
  });
  informer.on("error", (error: unknown) => {
    console.error(`a watch ended: ${messageOf(error)}`);
    setTimeout(start, RESTART);
  });
  await informer.start();
}

let ready = false;
createServer((_, response) => response.writeHead(ready ? 200 : 503).end()).listen(8080);
const ofLabel = (object: KubernetesObject) => keyOf(object.metadata?.namespace, object.metadata?.labels?.[INSTANCE] ?? object.metadata!.name!);
await Promise.all([
  keep(memcacheds, (m) => keyOf(m.metadata?.namespace, m.metadata!.name!)),
  keep(deployments, (d) => keyOf(d.metadata?.namespace, d.metadata!.name!)),
  keep(pods, ofLabel),
]);
ready = true;
setInterval(() => memcacheds.list().forEach((m) => queue.add(keyOf(m.metadata?.namespace, m.metadata!.name!))), SAFETY_NET);
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));
