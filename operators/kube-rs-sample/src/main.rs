//! A Memcached operator as kube-rs' controller-rs is one, with a Deployment that it owns.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Api, ListParams, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder};
use kube::runtime::finalizer::{self, Event as Finalizer, finalizer};
use kube::runtime::watcher;
use kube::{Client, CustomResource, Resource, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tracing::{error, info, warn};

const FINALIZER: &str = "memcacheds.cache.example.com/cleanup";
const MANAGER: &str = "memcached-operator";
const AGAIN: Duration = Duration::from_secs(5 * 60);

/// What is asked for.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "cache.example.com", version = "v1alpha1", kind = "Memcached", namespaced)]
#[kube(status = "MemcachedStatus", schema = "disabled")]
struct MemcachedSpec {
    size: i32,
}

/// What there is.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct MemcachedStatus {
    replicas: i32,
}

struct Context {
    client: Client,
    recorder: Recorder,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("Kube Error: {0}")]
    Kube(#[from] kube::Error),
    // Boxed, as an error of a pass is one of these.
    #[error("Finalizer Error: {0}")]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
}

async fn reconcile(memcached: Arc<Memcached>, context: Arc<Context>) -> Result<Action, Error> {
    let namespace = memcached.namespace().unwrap(); // it is namespaced
    let memcacheds: Api<Memcached> = Api::namespaced(context.client.clone(), &namespace);
    info!("Reconciling Memcached \"{}\" in {namespace}", memcached.name_any());
    finalizer(&memcacheds, FINALIZER, memcached, |event| async {
        match event {
            Finalizer::Apply(memcached) => apply(&memcached, &context).await,
            Finalizer::Cleanup(memcached) => cleanup(&memcached, &context).await,
        }
    })
    .await
    .map_err(|failed| Error::Finalizer(Box::new(failed)))
}

fn error_policy(_: Arc<Memcached>, failed: &Error, _: Arc<Context>) -> Action {
    warn!("reconcile failed: {failed:?}");
    Action::requeue(AGAIN)
}

/// Writes the Deployment and the status, whatever is there.
async fn apply(memcached: &Memcached, context: &Context) -> Result<Action, Error> {
    let (name, namespace) = (memcached.name_any(), memcached.namespace().unwrap());
    let deployments: Api<Deployment> = Api::namespaced(context.client.clone(), &namespace);
    let memcacheds: Api<Memcached> = Api::namespaced(context.client.clone(), &namespace);
    let ours = PatchParams::apply(MANAGER).force();
    let deployment = deployments.patch(&name, &ours, &Patch::Apply(deployment(memcached))).await?;
    let status = MemcachedStatus { replicas: deployment.status.and_then(|s| s.replicas).unwrap_or_default() };
    let status = json!({"apiVersion": Memcached::api_version(&()), "kind": Memcached::kind(&()), "status": status});
    memcacheds.patch_status(&name, &ours, &Patch::Apply(status)).await?;
    Ok(Action::requeue(AGAIN))
}

/// The Deployment goes by its owner reference: that the Memcached goes is only said.
async fn cleanup(memcached: &Memcached, context: &Context) -> Result<Action, Error> {
    let event = Event {
        type_: EventType::Normal,
        reason: "DeleteRequested".into(),
        note: Some(format!("Delete `{}`", memcached.name_any())),
        action: "Deleting".into(),
        secondary: None,
    };
    context.recorder.publish(&event, &memcached.object_ref(&())).await?;
    Ok(Action::await_change())
}

fn deployment(memcached: &Memcached) -> serde_json::Value {
    let labels = json!({"app": "memcached", "app.kubernetes.io/instance": memcached.name_any()});
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": memcached.name_any(), "labels": labels, "ownerReferences": [memcached.controller_owner_ref(&()).unwrap()]},
        "spec": {
            "replicas": memcached.spec.size,
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
                        "ports": [{"containerPort": 11211}],
                        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
                    }],
                },
            },
        },
    })
}

/// Says that the process lives, at any path.
async fn serve_health() -> std::io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:8080").await?;
    loop {
        let (mut connection, _) = listener.accept().await?;
        let _ = connection.read(&mut [0; 4096]).await;
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\n\"healthy\"").await;
    }
}

#[tokio::main]
async fn main() {
    tracing_subscriber::fmt().with_ansi(false).init();
    let client = Client::try_default().await.expect("failed to create kube Client");
    let memcacheds = Api::<Memcached>::all(client.clone());
    if let Err(failed) = memcacheds.list(&ListParams::default().limit(1)).await {
        error!("CRD is not queryable; {failed:?}. Is the CRD installed?");
        std::process::exit(1);
    }
    tokio::spawn(serve_health());
    let context = Arc::new(Context { client: client.clone(), recorder: Recorder::new(client.clone(), MANAGER.into()) });
    Controller::new(memcacheds, watcher::Config::default().any_semantic())
        .owns(Api::<Deployment>::all(client), watcher::Config::default())
        .shutdown_on_signal()
        .run(reconcile, error_policy, context)
        .for_each(|_| futures::future::ready(()))
        .await;
}
