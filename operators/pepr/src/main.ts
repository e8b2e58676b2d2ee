/** Lets Pepr watch Memcacheds, and the Deployments and pods with the operator's label, and reconciles what has changed. */
import { createServer } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { Capability, K8s, PeprModule, RegisterKind, a } from "pepr";
import {
  GROUP, INSTANCE, KIND, MANAGED_BY, MANAGER, Problem, VERSION, checkOwner, deploymentOf, holds, instance, statusOf, type Spec, type Status,
} from "./plan.js";
import { Queue } from "./queue.js";

const WORKERS = 8;
const SAFETY_NET = 5 * 60_000;

class Memcached extends a.GenericKind {
  declare spec?: Spec;
  declare status?: Status;
}
RegisterKind(Memcached, { group: GROUP, version: VERSION, kind: KIND, plural: "memcacheds" });

/** What the API server refused, as K8s throws it. */
interface Refusal {
  status: number;
  statusText: string;
  data?: { message?: string };
}
const isRefusal = (error: unknown): error is Refusal => typeof (error as Refusal)?.status === "number";
const refused = (error: unknown, status: number) => isRefusal(error) && error.status === status;
const messageOf = (error: unknown) => (isRefusal(error) ? error.data?.message ?? `${error.status} ${error.statusText}` : String(error));

/** Returns what a request gives; nothing if there is no such object. */
async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (refused(error, 404)) return undefined;
    throw error;
  }
}

/** The names of Memcacheds, by key: that of the label of their pods, which may be cut. */
const names = new Map<string, string>();
const keyOf = (namespace: string | undefined, name: string) => `${namespace}/${instance(name)}`;

const queue = new Queue((key) => reconcile(key).catch((error) => Promise.reject(new Error(messageOf(error)))), WORKERS);

/** What Pepr has of the watches it keeps to itself: each pass asks the API server. */
async function reconcile(key: string): Promise<void> {
  const [namespace, label] = key.split("/") as [string, string];
  const name = names.get(key) ?? label;
  const memcached = await unlessGone(K8s(Memcached).InNamespace(namespace).Get(name));
  if (!memcached) names.delete(key);
  if (!memcached || memcached.metadata!.deletionTimestamp) return; // the garbage collector deletes what it owns
  let deployment = await unlessGone(K8s(a.Deployment).InNamespace(namespace).Get(name));
  let problem: Problem | undefined;
  let failed: unknown; // it is told in the status first, and then tried again
  try {
    deployment = await settle(memcached, deployment);
  } catch (error) {
    if (refused(error, 404)) return; // the namespace is going, and the Memcached with it
    if (!(error instanceof Problem)) failed = error;
    problem = error instanceof Problem ? error : new Problem("WriteFailed", messageOf(error));
  }
  const pods = await K8s(a.Pod).InNamespace(namespace).WithLabel(INSTANCE, instance(name)).WithLabel(MANAGED_BY, MANAGER).Get();
  const status = statusOf(memcached, deployment, pods.items, problem);
  if (!isDeepStrictEqual(memcached.status, status)) {
    await unlessGone(K8s(Memcached).PatchStatus({ metadata: { name, namespace }, status }));
  }
  if (failed) throw failed;
  if (problem?.again) queue.later(key, problem.again);
}

/** Brings the Deployment to what is asked for, and returns it. */
async function settle(memcached: Memcached, deployment: a.Deployment | undefined): Promise<a.Deployment> {
  const wanted = deploymentOf(memcached);
  if (!deployment) return K8s(a.Deployment).Create(wanted);
  checkOwner(deployment, memcached);
  if (deployment.metadata?.deletionTimestamp || holds(deployment, wanted)) return deployment;
  return K8s(a.Deployment).Apply(wanted, { force: true });
}

const capability = new Capability({ name: "memcached", description: "A Deployment for each Memcached.", namespaces: [] });

capability.When(Memcached).IsCreatedOrUpdated().Watch(({ metadata }) => {
  const key = keyOf(metadata!.namespace, metadata!.name!);
  names.set(key, metadata!.name!);
  queue.add(key);
});
for (const model of [a.Deployment, a.Pod]) {
  const changed = ({ metadata }: a.Deployment | a.Pod) => queue.add(keyOf(metadata!.namespace, metadata!.labels?.[INSTANCE] ?? metadata!.name!));
  capability.When(model).IsCreatedOrUpdated().WithLabel(MANAGED_BY, MANAGER).Watch(changed);
  capability.When(model).IsDeleted().WithLabel(MANAGED_BY, MANAGER).Watch(changed);
}

// Its HTTPS server is for admission, which this operator has none of: it is not started.
new PeprModule({ description: "", pepr: { uuid: "memcached", onError: "reject", alwaysIgnore: { namespaces: [] } } } as never, [capability], { deferStart: true });

// Pepr watches once it has its own store; what is there already it then lists.
let ready = false;
capability.Store.onReady(() => { ready = true; });
createServer((_, response) => response.writeHead(ready ? 200 : 503).end()).listen(8080);
setInterval(() => names.forEach((_, key) => queue.add(key)), SAFETY_NET);
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));
