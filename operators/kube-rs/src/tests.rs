use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{reflector, watcher};
use serde_json::{Value, json};

use crate::growing;
use crate::lists::Lists;
use crate::memcached::Memcached;
use crate::plan::{check_owner, deployment, has, instance, status};

const NOW: &str = "2026-01-02T03:04:05Z";

fn memcached(size: Value) -> Memcached {
    serde_json::from_value(json!({
        "apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached",
        "metadata": {"name": "m", "namespace": "n", "uid": "u1", "generation": 3},
        "spec": {"size": size},
    }))
    .unwrap()
}

fn applied(memcached: &Memcached, with: Value) -> Deployment {
    let mut wanted = deployment(memcached).unwrap();
    wanted["metadata"]["generation"] = json!(2);
    wanted["status"] = with;
    serde_json::from_value(wanted).unwrap()
}

fn pod(name: &str, status: Value) -> Arc<Pod> {
    Arc::new(serde_json::from_value(json!({"metadata": {"name": name}, "status": status})).unwrap())
}

fn ready() -> Value {
    json!({"conditions": [{"type": "Ready", "status": "True"}]})
}

#[test]
fn a_name_is_a_label() {
    assert_eq!(instance("short"), "short");
    let (one, other) = (instance(&"a".repeat(64)), instance(&"a".repeat(65)));
    assert_eq!(one.len(), 63);
    assert_ne!(one, other);
}

#[test]
fn what_is_applied_is_found_again() {
    let memcached = memcached(json!(2));
    let wanted = deployment(&memcached).unwrap();
    let mut there = serde_json::to_value(applied(&memcached, json!({}))).unwrap();
    there["spec"]["template"]["spec"]["dnsPolicy"] = json!("ClusterFirst"); // a default of the API server
    there["spec"]["template"]["spec"]["containers"].as_array_mut().unwrap().push(json!({"name": "injected"}));
    assert!(has(&there, &wanted));
    for (path, value) in [
        ("/spec/replicas", json!(3)),
        ("/spec/template/spec/containers/0/image", json!("other")),
        ("/metadata/ownerReferences/0/controller", json!(false)),
        ("/spec/template/spec/containers", json!([])),
    ] {
        let mut drifted = there.clone();
        *drifted.pointer_mut(path).unwrap() = value;
        assert!(!has(&drifted, &wanted), "{path}");
    }
}

#[test]
fn sizes_that_are_none() {
    for size in [json!(null), json!(-1), json!(2_147_483_648_i64), json!("2"), json!(1.5)] {
        let problem = deployment(&memcached(size.clone())).unwrap_err();
        assert_eq!(problem.reason, "InvalidSize", "{size}");
        assert!(!problem.retried);
    }
}

#[test]
fn whose_a_deployment_is() {
    let memcached = memcached(json!(1));
    let reason = |metadata: Value| {
        let there: Deployment = serde_json::from_value(json!({"metadata": metadata})).unwrap();
        check_owner(&there, &memcached).err().map(|problem| problem.reason)
    };
    let owner = |kind: &str, name: &str, uid: &str| json!({"name": "m", "ownerReferences": [{"apiVersion": "v1", "kind": kind, "name": name, "uid": uid, "controller": true}]});
    assert_eq!(reason(owner("Memcached", "m", "u1")), None);
    assert_eq!(reason(owner("Memcached", "m", "u0")), Some("PredecessorDeleting"));
    assert_eq!(reason(owner("Redis", "m", "u0")), Some("DeploymentNotOwned"));
    assert_eq!(reason(json!({"name": "m"})), Some("DeploymentNotOwned"));
    assert_eq!(reason(json!({"name": "m", "labels": {"app.kubernetes.io/managed-by": "memcached-operator"}})), None);
}

#[test]
fn a_status_is_ready_when_all_is() {
    let memcached = memcached(json!(2));
    let all = applied(&memcached, json!({"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2}));
    let pods = [pod("b", ready()), pod("a", ready())];
    let full = status(&memcached, Some(&all), &pods, None, NOW);
    assert_eq!(full.nodes, ["a", "b"]);
    assert_eq!((full.observed_generation, full.replicas), (3, 2));
    assert_eq!((&*full.conditions[0].status, &*full.conditions[0].reason), ("True", "AllReplicasReady"));

    let mut later = memcached.clone();
    later.status = Some(full);
    let again = status(&later, Some(&all), &pods, None, "2027-01-01T00:00:00Z");
    assert_eq!(again.conditions[0].last_transition_time, NOW, "its truth did not change");
    let one = status(&later, Some(&all), &pods[..1], None, "2027-01-01T00:00:00Z");
    assert_eq!((&*one.conditions[0].status, &*one.conditions[0].message), ("False", "1 of 2 pods are ready"));
    assert_eq!(one.conditions[0].last_transition_time, "2027-01-01T00:00:00Z");
}

#[test]
fn a_status_says_what_is_wrong() {
    let memcached = memcached(json!(1));
    let waiting = |reason: &str| {
        json!({"containerStatuses": [{"name": "c", "image": "i", "imageID": "", "ready": false,
        "restartCount": 0, "state": {"waiting": {"reason": reason}}}]})
    };
    let there = applied(&memcached, json!({}));
    let said = |pod: Arc<Pod>| status(&memcached, Some(&there), &[pod], None, NOW).conditions[0].clone();
    let (pull, back_off) = (said(pod("p", waiting("ErrImagePull"))), said(pod("p", waiting("ImagePullBackOff"))));
    assert_eq!(pull, back_off, "they take turns, and would have the status written each time");
    assert_eq!(pull.reason, "PodsCannotStart");
    assert!(pull.message.contains("image i cannot be pulled"), "{}", pull.message);
    assert_eq!(status(&memcached, None, &[], None, NOW).conditions[0].reason, "ReplicasNotReady");
    let problem = deployment(&self::memcached(json!(-1))).unwrap_err();
    assert_eq!(status(&memcached, None, &[], Some(&problem), NOW).conditions[0].reason, "InvalidSize");
}

#[test]
fn a_status_of_somebody_else_can_be_read() {
    let read: Memcached = serde_json::from_value(json!({
        "apiVersion": "cache.example.com/v1alpha1", "kind": "Memcached", "metadata": {"name": "m"}, "spec": {},
        "status": {"conditions": [{"type": "Ready", "status": "True"}], "more": BTreeMap::from([("a", 1)])},
    }))
    .unwrap();
    assert_eq!(read.spec.size, Value::Null);
}

#[test]
fn delays_grow_to_ten_seconds() {
    assert_eq!(growing(0), Duration::from_millis(5));
    assert_eq!(growing(3), Duration::from_millis(40));
    assert_eq!(growing(12), Duration::from_secs(10));
    assert_eq!(growing(u32::MAX), Duration::from_secs(10));
}

// Why there is a lists.rs. Should a later version wake both, it is not needed any more.
#[tokio::test]
async fn a_store_wakes_one_of_those_who_wait_for_it() {
    let (store, mut writer) = reflector::store::<Memcached>();
    let wait = |store: reflector::Store<Memcached>| tokio::spawn(async move { store.wait_until_ready().await });
    let (first, second) = (wait(store.clone()), wait(store));
    tokio::time::sleep(Duration::from_millis(50)).await; // until both wait
    writer.apply_watcher_event(&watcher::Event::Init);
    writer.apply_watcher_event(&watcher::Event::InitDone);
    let within = Duration::from_secs(1);
    let woken = (tokio::time::timeout(within, first).await.is_ok(), tokio::time::timeout(within, second).await.is_ok());
    assert_eq!(woken, (false, true));
}

#[tokio::test]
async fn all_lists_are_waited_for_by_everybody() {
    let lists = Lists::new();
    let (mut one, mut other) = (lists.one::<Memcached>(), lists.one::<Pod>());
    let wait = |lists: Lists| tokio::spawn(async move { lists.complete().await });
    let (first, second) = (wait(lists.clone()), wait(lists.clone()));
    one(&Ok(watcher::Event::InitDone));
    one(&Ok(watcher::Event::InitDone)); // it was listed again
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!first.is_finished() && !second.is_finished());
    other(&Ok(watcher::Event::InitDone));
    first.await.unwrap();
    second.await.unwrap();
}
