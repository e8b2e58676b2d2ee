//! A Memcached operator with kube-rs; with --defaults as kube-rs is where nobody says otherwise.

mod lists;
mod memcached;
mod pass;
mod plan;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{Stream, StreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::controller::{self, Config, Controller};
use kube::runtime::events::Recorder;
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use tokio::net::TcpListener;
use tracing::warn;

use lists::Lists;
use memcached::Memcached;
use pass::{Context, Settings, error_policy, reconcile};
use plan::{INSTANCE, LONGEST_LABEL, MANAGER, instance, selector};

const WORKERS: u16 = 8; // kube-rs: no limit
const SAFETY_NET: Duration = Duration::from_secs(5 * 60);
const LONGEST_DELAY: Duration = Duration::from_secs(10);
const WATCH: u32 = 60; // seconds until the API server ends a watch; kube-rs: 290, and 5 more until a silent one counts as ended
/// Longer than a healthy watch is silent. A connection that fell silent is given up, so that no later watch is sent on it.
const SILENCE: Duration = Duration::from_secs(WATCH as u64 + 5); // kube-rs: no limit

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().with_ansi(false).init();
    let defaults = std::env::args().any(|arg| arg == "--defaults");
    let mut config = kube::Config::infer().await?;
    config.default_retry = defaults; // else 15 tries below every request, up to 1000 s apart, beside the retries of a pass
    config.read_timeout = (!defaults).then_some(SILENCE);
    let client = Client::try_from(config)?;
    let everything = if defaults { watcher::Config::default() } else { watcher::Config::default().streaming_lists().timeout(WATCH) };
    let ours = everything.clone().labels(&selector());

    let lists = Lists::new();
    let (memcacheds, writer) = reflector::store();
    let main = slim(watcher(Api::<Memcached>::all(client.clone()), everything)).reflect(writer).inspect(lists.one());
    let (deployments, writer) = reflector::store();
    let children = slim(watcher(Api::<Deployment>::all(client.clone()), ours.clone())).reflect(writer).inspect(lists.one());
    let (pods, writer) = reflector::store();
    let grandchildren = slim(watcher(Api::<Pod>::all(client.clone()), ours)).reflect(writer).inspect(lists.one());

    let context = Arc::new(Context {
        client: client.clone(),
        lists: lists.clone(),
        memcacheds: memcacheds.clone(),
        deployments,
        pods,
        recorder: Recorder::new(client, MANAGER.into()),
        settings: if defaults {
            // The library has no default for either: what its page on applications has.
            Settings { safety_net: Duration::from_secs(3600), delay: |_| Duration::from_secs(5) }
        } else {
            Settings { safety_net: SAFETY_NET, delay: growing }
        },
        failures: Mutex::new(HashMap::new()),
    });
    tokio::spawn(be_ready(lists));

    let controller = Controller::for_stream(main.applied_objects(), memcacheds.clone());
    let controller = if defaults {
        controller
    } else {
        // Each watch has a backoff of its own already.
        controller.with_config(Config::default().concurrency(WORKERS)).trigger_backoff(AtOnce)
    };
    controller
        .owns_stream(children.touched_objects())
        .watches_stream(grandchildren.touched_objects(), move |pod: Pod| {
            let namespace = pod.namespace().unwrap_or_default();
            let of = pod.labels().get(INSTANCE).cloned().unwrap_or_default();
            if of.len() < LONGEST_LABEL {
                return Some(ObjectRef::<Memcached>::new(&of).within(&namespace));
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

/// A watch that is begun again after a while when it fails, of objects without what nobody here reads.
fn slim<K: Resource + Clone + 'static>(
    events: impl Stream<Item = watcher::Result<watcher::Event<K>>> + Send + 'static,
) -> impl Stream<Item = watcher::Result<watcher::Event<K>>> + Send + 'static {
    events.default_backoff().modify(|object: &mut K| object.meta_mut().managed_fields = None)
}

/// No pause: what one watch meets does not hold up the others.
struct AtOnce;

impl Iterator for AtOnce {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

impl Backoff for AtOnce {
    fn reset(&mut self) {}
}

/// 5 ms, doubled by each failure, up to LONGEST_DELAY.
fn growing(failures: u32) -> Duration {
    LONGEST_DELAY.min(Duration::from_millis(5 << failures.min(16)))
}

/// Accepts connections once all is listed, which is what the readiness probe asks for: every later change will be seen.
async fn be_ready(lists: Lists) {
    lists.complete().await;
    match TcpListener::bind("0.0.0.0:8080").await {
        Ok(listener) => while listener.accept().await.is_ok() {},
        Err(error) => warn!(%error, "never ready"),
    }
}

#[cfg(test)]
mod tests;
