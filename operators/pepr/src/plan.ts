/** What a Memcached comes to: its Deployment and its status. Nothing here asks or writes. */
import { createHash } from "node:crypto";
import { a } from "pepr";

export const GROUP = "cache.example.com";
export const VERSION = "v1alpha1";
export const KIND = "Memcached";
export const MANAGER = "memcached-operator";
export const MANAGED_BY = "app.kubernetes.io/managed-by";
export const INSTANCE = "app.kubernetes.io/instance";

export interface Spec {
  size?: unknown;
}

export interface Memcached {
  metadata?: a.GenericKind["metadata"];
  spec?: Spec;
  status?: Status;
}

export interface Status {
  nodes: string[];
  observedGeneration?: number;
  replicas: number;
  selector: string;
  conditions: { type: string; status: string; reason: string; message: string; observedGeneration: number; lastTransitionTime: string }[];
}

/** Why a Deployment is not as it should be, for the status; after `again` milliseconds it is looked at once more. */
export class Problem extends Error {
  constructor(readonly reason: string, message: string, readonly again?: number) {
    super(message);
  }
}

/** A name as the value of a label, which has 63 letters at most. */
export function instance(name: string): string {
  return name.length <= 63 ? name : `${name.slice(0, 52)}-${createHash("sha256").update(name).digest("hex").slice(0, 10)}`;
}

function labelsOf(memcached: Memcached): Record<string, string> {
  return { app: "memcached", [INSTANCE]: instance(memcached.metadata!.name!), [MANAGED_BY]: MANAGER };
}

export function deploymentOf(memcached: Memcached): a.Deployment {
  const size = memcached.spec?.size;
  if (typeof size !== "number" || !Number.isInteger(size) || size < 0 || size > 2147483647) {
    throw new Problem("InvalidSize", `spec.size is ${JSON.stringify(size)}; it must be a whole number from 0 to 2147483647`);
  }
  const { name, namespace, uid } = memcached.metadata!;
  const labels = labelsOf(memcached);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: name!,
      namespace: namespace!,
      labels,
      ownerReferences: [{ apiVersion: `${GROUP}/${VERSION}`, kind: KIND, name: name!, uid: uid!, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      replicas: size,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, runAsUser: 11211, seccompProfile: { type: "RuntimeDefault" } },
          containers: [{
            name: "memcached",
            image: "docker.io/library/memcached:1.6.18",
            imagePullPolicy: "IfNotPresent",
            command: ["memcached", "--memory-limit=64", "-o", "modern", "-v"],
            ports: [{ containerPort: 11211 }],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          }],
        },
      },
    },
  };
}

/** Whether all that is wanted is there; others may add to it, as the API server does. */
export function holds(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live)) return false;
    if (wanted.some((item) => typeof item === "object")) return wanted.every((item) => live.some((have) => holds(have, item)));
    return JSON.stringify(live) === JSON.stringify(wanted);
  }
  if (typeof wanted === "object" && wanted !== null) {
    if (typeof live !== "object" || live === null) return false;
    return Object.entries(wanted).every(([key, value]) => holds((live as Record<string, unknown>)[key], value));
  }
  return live === wanted;
}

/** Refuses a Deployment that is somebody else's. */
export function checkOwner(deployment: a.Deployment, memcached: Memcached): void {
  const { name, uid } = memcached.metadata!;
  const controllers = (deployment.metadata?.ownerReferences ?? []).filter((owner) => owner.controller);
  if (controllers.some((owner) => owner.uid === uid)) return;
  const [other] = controllers;
  if (other?.kind === KIND && other.name === name) {
    throw new Problem("PredecessorDeleting", `Deployment ${name} belongs to a deleted Memcached of the same name; a new one is made when it is gone`, 10_000);
  }
  const advice = "delete it or give one of the two another name";
  if (other) throw new Problem("DeploymentNotOwned", `Deployment ${name} is controlled by ${other.kind} ${other.name}: ${advice}`, 10_000);
  if (!holds(deployment.spec?.selector.matchLabels, labelsOf(memcached))) {
    throw new Problem("DeploymentNotOwned", `Deployment ${name} was not made for this Memcached: ${advice}`, 10_000);
  }
}

function isReady(pod: a.Pod): boolean {
  return !pod.metadata?.deletionTimestamp && (pod.status?.conditions ?? []).some((c) => c.type === "Ready" && c.status === "True");
}

/** What keeps a pod from starting, in words that stay the same while the kubelet tries again; nothing: an empty text. */
function trouble(pod: a.Pod): string {
  if (pod.metadata?.deletionTimestamp) return "";
  for (const c of pod.status?.conditions ?? []) {
    if (c.type === "PodScheduled" && c.status === "False") return `it cannot be scheduled: ${c.message}`;
  }
  for (const container of pod.status?.containerStatuses ?? []) {
    const reason = container.state?.waiting?.reason;
    if (!reason || reason === "ContainerCreating" || reason === "PodInitializing") continue;
    if (reason === "ErrImagePull" || reason === "ImagePullBackOff") return `image ${container.image} cannot be pulled (ImagePullBackOff)`;
    return `container ${container.name}: ${reason}`;
  }
  return "";
}

/** Reason and message of the condition Ready, which is true for the reason AllReplicasReady alone. */
function readiness(size: unknown, deployment: a.Deployment | undefined, pods: a.Pod[], nodes: string[], problem?: Problem): [string, string] {
  if (problem) return [problem.reason, problem.message];
  const status = deployment?.status ?? {};
  const message = `${nodes.length} of ${size} pods are ready`;
  const counts = [status.replicas ?? 0, status.updatedReplicas ?? 0, status.readyReplicas ?? 0, nodes.length];
  if (deployment && status.observedGeneration === deployment.metadata?.generation && counts.every((count) => count === size)) {
    return ["AllReplicasReady", message];
  }
  const [stuck] = pods.filter((pod) => trouble(pod)).map((pod) => `: pod ${pod.metadata!.name}: ${trouble(pod)}`).sort();
  const failure = (status.conditions ?? []).find((c) => (c.type === "ReplicaFailure" && c.status === "True") || (c.type === "Progressing" && c.status === "False"));
  if (failure) return [failure.type, `${message}${stuck ?? ""}: ${failure.message}`];
  return stuck ? ["PodsCannotStart", message + stuck] : ["ReplicasNotReady", message];
}

/** The whole status; the time of the condition is that of the last change of its truth. */
export function statusOf(memcached: Memcached, deployment: a.Deployment | undefined, pods: a.Pod[], problem?: Problem): Status {
  const nodes = pods.filter(isReady).map((pod) => pod.metadata!.name!).sort();
  const [reason, message] = readiness(memcached.spec?.size, deployment, pods, nodes, problem);
  const status = reason === "AllReplicasReady" ? "True" : "False";
  const before = memcached.status?.conditions?.find((c) => c.type === "Ready");
  const observedGeneration = memcached.metadata!.generation!;
  return {
    nodes,
    observedGeneration,
    replicas: deployment?.status?.replicas ?? 0,
    selector: `${INSTANCE}=${instance(memcached.metadata!.name!)},${MANAGED_BY}=${MANAGER}`,
    conditions: [{
      type: "Ready", status, reason, message, observedGeneration,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    }],
  };
}
