//! The custom resource.

use kube::CustomResource;
use serde::{Deserialize, Serialize};

/// What is asked for.
#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "cache.example.com", version = "v1alpha1", kind = "Memcached", namespaced)]
#[kube(status = "MemcachedStatus", schema = "disabled")]
pub struct MemcachedSpec {
    /// Whatever the definition lets through: one object that cannot be read would end the watch of all others.
    #[serde(default)]
    pub size: serde_json::Value,
}

/// What there is.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MemcachedStatus {
    pub nodes: Vec<String>,
    pub observed_generation: i64,
    pub replicas: i32,
    pub selector: String,
    pub conditions: Vec<Condition>,
}

/// A condition as the API conventions have it. All of it is optional when it is read: somebody else may have written it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    #[serde(rename = "type")]
    pub type_: String,
    pub status: String,
    pub observed_generation: i64,
    pub last_transition_time: String,
    pub reason: String,
    pub message: String,
}
