//! One pass over a Memcached, and what follows a pass that failed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::Action;
use kube::runtime::events::{Event, EventType, Recorder};
use kube::runtime::reflector::{ObjectRef, Store};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::{Value, json};
use thiserror::Error;
use tracing::{info, warn};

use crate::lists::Lists;
use crate::memcached::Memcached;
use crate::plan::{self, INSTANCE, MANAGER, Problem};

/// Longer than any request that is answered at all.
const PASS: Duration = Duration::from_secs(15);

/// When a Memcached is looked at again without an event.
pub struct Settings {
    /// After a good pass.
    pub safety_net: Duration,
    /// After failed passes, by how many there were in a row, from 0.
    pub delay: fn(u32) -> Duration,
}

/// What every pass needs.
pub struct Context {
    pub client: Client,
    pub lists: Lists,
    pub memcacheds: Store<Memcached>,
    pub deployments: Store<Deployment>,
    pub pods: Store<Pod>,
    pub recorder: Recorder,
    pub settings: Settings,
    /// Failed passes in a row, by UID: the library counts none.
    pub failures: Mutex<HashMap<String, u32>>,
}

/// Why a pass is to be tried again.
#[derive(Debug, Error)]
pub enum Error {
    #[error("{}: {}", .0.reason, .0.message)]
    Problem(Problem),
    #[error("write the status: {}", said(.0))]
    Status(#[source] kube::Error),
    #[error("the pass took longer than {PASS:?}")]
    Timeout,
}

/// What the API server said, without the whole object that it said it with.
fn said(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(answer) => answer.message.clone(),
        error => error.to_string(),
    }
}

/// Makes what there is what is asked for, as far as one pass can.
pub async fn reconcile(memcached: Arc<Memcached>, context: Arc<Context>) -> Result<Action, Error> {
    if memcached.meta().deletion_timestamp.is_some() {
        return Ok(Action::await_change()); // the garbage collector has the Deployment
    }
    context.lists.complete().await; // before that a Deployment or a pod may be there and not be known
    tokio::time::timeout(PASS, pass(&memcached, &context)).await.map_err(|_| Error::Timeout)??;
    context.failures.lock().unwrap().remove(&uid(&memcached));
    Ok(Action::requeue(context.settings.safety_net))
}

/// Says when a pass that failed is tried again: later each time.
pub fn error_policy(memcached: Arc<Memcached>, error: &Error, context: Arc<Context>) -> Action {
    let mut failures = context.failures.lock().unwrap();
    if failures.len() > 2 * context.memcacheds.len() {
        let living: HashSet<String> = context.memcacheds.state().iter().map(|m| uid(m)).collect();
        failures.retain(|uid, _| living.contains(uid));
    }
    let count = failures.entry(uid(&memcached)).or_default();
    let delay = (context.settings.delay)(*count);
    *count += 1;
    warn!(object = %ObjectRef::from_obj(&*memcached), %error, failures = *count, ?delay, "pass failed");
    Action::requeue(delay)
}

fn uid(memcached: &Memcached) -> String {
    memcached.uid().unwrap_or_default()
}

async fn pass(memcached: &Memcached, context: &Context) -> Result<(), Error> {
    let applied = apply(memcached, context).await;
    write_status(memcached, context, &applied).await?;
    match applied {
        Err(problem) if problem.retried => Err(Error::Problem(problem)),
        _ => Ok(()),
    }
}

/// Returns the Deployment: as it was seen last, or as it was applied, where that differed.
async fn apply(memcached: &Memcached, context: &Context) -> Result<Arc<Deployment>, Problem> {
    let wanted = plan::deployment(memcached)?;
    let (name, namespace) = (memcached.name_any(), memcached.namespace().unwrap_or_default());
    let api: Api<Deployment> = Api::namespaced(context.client.clone(), &namespace);
    let refused = |what: &str, e: kube::Error| Problem::retried("DeploymentRefused", format!("{what} Deployment {name}: {}", said(&e)));
    match context.deployments.get(&ObjectRef::new(&name).within(&namespace)) {
        Some(there) => {
            plan::check_owner(&*there, memcached)?;
            if plan::has(&serde_json::to_value(&*there).unwrap_or_default(), &wanted) {
                return Ok(there);
            }
        }
        // None that carries our label: but an apply, which takes over what it finds, must not take over another's.
        None => {
            if let Some(there) = api.get_metadata_opt(&name).await.map_err(|e| refused("look for", e))? {
                plan::check_owner(&there, memcached)?;
            }
        }
    }
    let applied = api.patch(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(&wanted)).await.map_err(|e| refused("apply", e))?;
    info!(%namespace, %name, replicas = %wanted["spec"]["replicas"], "Deployment applied");
    Ok(Arc::new(applied))
}

/// Writes the status where it differs from the one seen last.
async fn write_status(memcached: &Memcached, context: &Context, applied: &Result<Arc<Deployment>, Problem>) -> Result<(), Error> {
    let (name, namespace) = (memcached.name_any(), memcached.namespace().unwrap_or_default());
    let owned = |d: &Arc<Deployment>| d.owner_references().iter().any(|o| Some(&o.uid) == memcached.meta().uid.as_ref());
    let known = || context.deployments.get(&ObjectRef::new(&name).within(&namespace)).filter(owned);
    let deployment = applied.as_ref().ok().cloned().or_else(known);
    let problem = applied.as_ref().err();
    let instance = plan::instance(&name);
    let pods =
        context.pods.state_filter(|pod| pod.meta().namespace.as_deref() == Some(&namespace) && pod.labels().get(INSTANCE).is_some_and(|of| *of == instance));
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default().to_string();
    let status = plan::status(memcached, deployment.as_deref(), &pods, problem, &now);
    if memcached.status.as_ref() == Some(&status) {
        return Ok(());
    }
    let api: Api<Memcached> = Api::namespaced(context.client.clone(), &namespace);
    // The uid refuses what was made for a Memcached that another one has replaced.
    let body: Value = json!({
        "apiVersion": Memcached::api_version(&()),
        "kind": Memcached::kind(&()),
        "metadata": {"name": name, "uid": memcached.meta().uid},
        "status": status,
    });
    match api.patch_status(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(&body)).await {
        Ok(_) => {}
        // Gone, or its definition has no status.
        Err(kube::Error::Api(answer)) if answer.code == 404 => return Ok(()),
        Err(refused) => return Err(Error::Status(refused)),
    }
    if let Some(problem) = problem {
        tell(memcached, context, problem).await;
    }
    Ok(())
}

/// Publishes an Event of a problem that the status did not tell of yet.
async fn tell(memcached: &Memcached, context: &Context, problem: &Problem) {
    let told = memcached.status.iter().flat_map(|s| &s.conditions).any(|c| c.message == problem.message);
    if told {
        return;
    }
    let event = Event {
        type_: EventType::Warning,
        reason: problem.reason.to_string(),
        note: Some(problem.message.chars().take(1000).collect()), // the API takes 1 kB
        action: "Reconciling".to_string(),
        secondary: None,
    };
    if let Err(error) = context.recorder.publish(&event, &memcached.object_ref(&())).await {
        warn!(%error, "Event not published");
    }
}
