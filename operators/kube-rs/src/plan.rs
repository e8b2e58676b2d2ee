//! What a Memcached comes to: its Deployment, and its status. It decides, and touches nothing.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentStatus};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

use crate::memcached::{Condition, Memcached, MemcachedStatus};

pub const MANAGER: &str = "memcached-operator";
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
pub const INSTANCE: &str = "app.kubernetes.io/instance";

/// The fields by which the API server tells apart the entries of the lists that this operator writes.
const KEYS: [&str; 3] = ["uid", "name", "containerPort"];

/// The value of a label has no more characters.
pub const LONGEST_LABEL: usize = 63;

/// Why a Deployment is not as it should be, for the status.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub reason: &'static str,
    pub message: String,
    /// Whether the same pass may do better later, with no event before it.
    pub retried: bool,
}

impl Problem {
    pub fn retried(reason: &'static str, message: String) -> Self {
        Self { reason, message, retried: true }
    }
}

/// The name as the value of a label.
pub fn instance(name: &str) -> String {
    if name.len() <= LONGEST_LABEL {
        return name.to_string();
    }
    // FNV-1a: a hash that is the same in every build.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{}-{:010x}", &name[..52], hash & 0xff_ffff_ffff)
}

/// The label selector of all that the operator makes.
pub fn selector() -> String {
    format!("{MANAGED_BY}={MANAGER}")
}

fn size(memcached: &Memcached) -> Result<i32, Problem> {
    let size = &memcached.spec.size;
    match size.as_i64().map(i32::try_from) {
        Some(Ok(n)) if n >= 0 => Ok(n),
        _ => Err(Problem { reason: "InvalidSize", message: format!("spec.size is {size}; it must be a whole number from 0 to 2147483647"), retried: false }),
    }
}

/// The Deployment, as it is applied: the fields that are this operator's.
pub fn deployment(memcached: &Memcached) -> Result<Value, Problem> {
    let labels = json!({"app": "memcached", INSTANCE: instance(&memcached.name_any()), MANAGED_BY: MANAGER});
    let mut owner = memcached.controller_owner_ref(&()).unwrap_or_default();
    owner.block_owner_deletion = Some(true);
    Ok(json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": memcached.name_any(), "namespace": memcached.namespace(), "labels": labels, "ownerReferences": [owner]},
        "spec": {
            "replicas": size(memcached)?,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "automountServiceAccountToken": false,
                    "enableServiceLinks": false,
                    "securityContext": {"runAsNonRoot": true, "runAsUser": 11211, "seccompProfile": {"type": "RuntimeDefault"}},
                    "containers": [{
                        "name": "memcached",
                        "image": "docker.io/library/memcached:1.6.18",
                        "imagePullPolicy": "IfNotPresent",
                        "command": ["memcached", "--memory-limit=64", "-o", "modern", "-v"],
                        "ports": [{"containerPort": 11211, "protocol": "TCP"}],
                        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
                    }],
                },
            },
        },
    }))
}

/// Whether all that is wanted is there, of a list each by its key. What else is there is somebody else's.
pub fn has(there: &Value, wanted: &Value) -> bool {
    match (there, wanted) {
        (Value::Object(there), Value::Object(wanted)) => wanted.iter().all(|(key, value)| there.get(key).is_some_and(|found| has(found, value))),
        (Value::Array(there), Value::Array(wanted)) => wanted.iter().all(|value| match KEYS.iter().find_map(|key| Some((key, value.get(key)?))) {
            Some((key, of)) => there.iter().any(|found| found.get(key) == Some(of) && has(found, value)),
            None => there == wanted, // no list of objects
        }),
        _ => there == wanted,
    }
}

/// Refuses a Deployment that is somebody else's.
pub fn check_owner(there: &impl Resource, memcached: &Memcached) -> Result<(), Problem> {
    let name = there.name_any();
    let is_controller = |o: &&OwnerReference| o.controller == Some(true);
    let Some(owner) = there.owner_references().iter().find(is_controller) else {
        if there.labels().get(MANAGED_BY).is_some_and(|by| by == MANAGER) {
            return Ok(());
        }
        return Err(Problem::retried(
            "DeploymentNotOwned",
            format!("Deployment {name} was not made for this Memcached: delete it or give one of the two another name"),
        ));
    };
    if Some(&owner.uid) == memcached.meta().uid.as_ref() {
        return Ok(());
    }
    if owner.kind == Memcached::kind(&()) && owner.name == name {
        return Err(Problem::retried(
            "PredecessorDeleting",
            format!("Deployment {name} belongs to a deleted Memcached of the same name; a new one is made when it is gone"),
        ));
    }
    Err(Problem::retried(
        "DeploymentNotOwned",
        format!("Deployment {name} is controlled by {} {}: delete it or give one of the two another name", owner.kind, owner.name),
    ))
}

/// The whole status; the time of the condition is that of the last change of its truth.
pub fn status(memcached: &Memcached, deployment: Option<&Deployment>, pods: &[Arc<Pod>], problem: Option<&Problem>, now: &str) -> MemcachedStatus {
    let mut nodes: Vec<String> = pods.iter().filter(|pod| is_ready(pod)).map(|pod| pod.name_any()).collect();
    nodes.sort();
    let state = deployment.and_then(|d| d.status.clone()).unwrap_or_default();
    let (reason, message) = condition(memcached, deployment, &state, pods, nodes.len(), problem);
    let truth = if reason == "AllReplicasReady" { "True" } else { "False" };
    let generation = memcached.meta().generation.unwrap_or_default();
    let before = memcached.status.iter().flat_map(|s| &s.conditions).find(|c| c.type_ == "Ready" && c.status == truth);
    MemcachedStatus {
        nodes,
        observed_generation: generation,
        replicas: state.replicas.unwrap_or_default(),
        selector: format!("{INSTANCE}={},{}", instance(&memcached.name_any()), selector()),
        conditions: vec![Condition {
            type_: "Ready".to_string(),
            status: truth.to_string(),
            observed_generation: generation,
            last_transition_time: before.map_or(now, |c| &c.last_transition_time).to_string(),
            reason,
            message,
        }],
    }
}

fn condition(
    memcached: &Memcached,
    deployment: Option<&Deployment>,
    state: &DeploymentStatus,
    pods: &[Arc<Pod>],
    ready: usize,
    problem: Option<&Problem>,
) -> (String, String) {
    let because = |reason: &str, message: String| (reason.to_string(), message);
    let wanted = match (problem.cloned(), size(memcached)) {
        (Some(problem), _) | (None, Err(problem)) => return because(problem.reason, problem.message),
        (None, Ok(size)) => size,
    };
    let Some(deployment) = deployment else {
        return because("ReplicasNotReady", "the Deployment does not exist yet".to_string());
    };
    let mut message = format!("{ready} of {wanted} pods are ready");
    let seen = state.observed_generation == deployment.meta().generation;
    let counts = [state.replicas, state.updated_replicas, state.ready_replicas];
    if seen && usize::try_from(wanted) == Ok(ready) && counts.iter().all(|n| n.unwrap_or_default() == wanted) {
        return because("AllReplicasReady", message);
    }
    let living = pods.iter().filter(|pod| pod.meta().deletion_timestamp.is_none());
    let trouble = living.filter_map(|pod| Some(format!(": pod {}: {}", pod.name_any(), trouble(pod)?))).min();
    message.push_str(trouble.as_deref().unwrap_or_default());
    for c in state.conditions.iter().flatten() {
        if let (Some(kind @ "ReplicaFailure"), Some("True")) | (Some(kind @ "Progressing"), Some("False")) = (c.type_.as_deref(), c.status.as_deref()) {
            return because(kind, format!("{message}: {}", c.message.as_deref().unwrap_or_default()));
        }
    }
    because(if trouble.is_some() { "PodsCannotStart" } else { "ReplicasNotReady" }, message)
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.iter().flat_map(|s| s.conditions.iter().flatten());
    pod.meta().deletion_timestamp.is_none() && conditions.into_iter().any(|c| c.type_ == "Ready" && c.status == "True")
}

/// What keeps a pod from starting, in words that stay the same while the kubelet tries again.
fn trouble(pod: &Pod) -> Option<String> {
    let status = pod.status.as_ref()?;
    for c in status.container_statuses.iter().flatten() {
        let reason = c.state.as_ref().and_then(|s| s.waiting.as_ref()).and_then(|w| w.reason.as_deref());
        match reason.unwrap_or_default() {
            "" | "ContainerCreating" | "PodInitializing" => {}
            // These two take turns.
            "ErrImagePull" | "ImagePullBackOff" => return Some(format!("image {} cannot be pulled (ImagePullBackOff)", c.image)),
            reason => return Some(format!("container {}: {reason}", c.name)),
        }
    }
    let unscheduled = status.conditions.iter().flatten().find(|c| c.type_ == "PodScheduled" && c.status == "False")?;
    Some(format!("it cannot be scheduled: {}", unscheduled.message.as_deref().unwrap_or_default()))
}
