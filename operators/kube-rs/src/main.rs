//! A Memcached operator with kube-rs; with --defaults as kube-rs is where nobody says otherwise.

mod memcached;
mod pass;
mod plan;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{StreamExt, TryFutureExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::controller::{self, Config, Controller};
use kube::runtime::events::{Recorder, Reporter};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::{WatchStreamExt, predicates, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::net::TcpListener;
use tracing::warn;

use memcached::Memcached;
use pass::{Context, Settings, error_policy, reconcile};
use plan::{INSTANCE, MANAGER, instance, selector};

const WORKERS: u16 = 8; // kube-rs: no limit
const SAFETY_NET: Duration = Duration::from_secs(5 * 60);
const LONGEST_DELAY: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().with_ansi(false).init();
    let defaults = std::env::args().any(|arg| arg == "--defaults");
    let client = Client::try_default().await?;
    let everything = if defaults { watcher::Config::default() } else { watcher::Config::default().streaming_lists() };
    let ours = everything.clone().labels(&selector());

    let (memcacheds, writer) = reflector::store();
    let main = watcher(Api::<Memcached>::all(client.clone()), everything).default_backoff().reflect(writer);
    let (deployments, writer) = reflector::store();
    let children = watcher(Api::<Deployment>::all(client.clone()), ours.clone()).default_backoff().reflect(writer);
    let (pods, writer) = reflector::store();
    let grandchildren = watcher(Api::<Pod>::all(client.clone()), ours).default_backoff().reflect(writer);

    let context = Arc::new(Context {
        client: client.clone(),
        deployments: deployments.clone(),
        pods: pods.clone(),
        recorder: Recorder::new(client, Reporter { controller: MANAGER.into(), instance: std::env::var("HOSTNAME").ok() }),
        settings: if defaults {
            // kube-rs has no default for either: what its getting-started page and its examples have.
            Settings { safety_net: None, delay: |_| Duration::from_secs(5) }
        } else {
            Settings { safety_net: Some(SAFETY_NET), delay: growing }
        },
        failures: Mutex::new(HashMap::new()),
    });
    let synced = {
        let (memcacheds, deployments, pods) = (memcacheds.clone(), deployments, pods);
        async move { tokio::try_join!(memcacheds.wait_until_ready(), deployments.wait_until_ready(), pods.wait_until_ready()).map(|_| ()) }
    };
    tokio::spawn(synced.map_err(|dropped| warn!(%dropped, "never ready")).and_then(|()| be_ready()));

    let (controller, config) = if defaults {
        (Controller::for_stream(main.applied_objects(), memcacheds.clone()), Config::default())
    } else {
        // Its own writes of the status are no reason for a pass.
        let changed = main.applied_objects().predicate_filter(predicates::generation, Default::default());
        (Controller::for_stream(changed, memcacheds.clone()), Config::default().concurrency(WORKERS))
    };
    controller
        .with_config(config)
        .owns_stream(children.touched_objects())
        .watches_stream(grandchildren.touched_objects(), move |pod: Pod| {
            let namespace = pod.namespace().unwrap_or_default();
            let of = pod.labels().get(INSTANCE).cloned().unwrap_or_default();
            let named = ObjectRef::<Memcached>::new(&of).within(&namespace);
            if memcacheds.get(&named).is_some() {
                return Some(named);
            }
            // A name that is too long for a label is hashed in it.
            let is_its = |m: &Memcached| m.namespace().as_deref() == Some(&namespace) && instance(&m.name_any()) == of;
            memcacheds.find(is_its).map(|m| ObjectRef::from_obj(&*m))
        })
        .shutdown_on_signal()
        .run(reconcile, error_policy, context)
        .for_each(|result| async move {
            match result {
                // The error policy tells of passes, and what is gone needs none.
                Ok(_) | Err(controller::Error::ReconcilerFailed(..) | controller::Error::ObjectNotFound(_)) => {}
                Err(error) => warn!(%error, "a watch failed"),
            }
        })
        .await;
    Ok(())
}

/// 5 ms, doubled by each failure, up to LONGEST_DELAY.
fn growing(failures: u32) -> Duration {
    LONGEST_DELAY.min(Duration::from_millis(5 << failures.min(16)))
}

/// Accepts connections from now on, which is what the readiness probe asks for: every later change will be seen.
async fn be_ready() -> Result<(), ()> {
    let listener = TcpListener::bind("0.0.0.0:8080").await.map_err(|error| warn!(%error, "no readiness"))?;
    loop {
        let _ = listener.accept().await;
    }
}

#[cfg(test)]
mod tests;
