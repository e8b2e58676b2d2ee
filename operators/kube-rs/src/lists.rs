//! Whether all watches have their first lists. A store can be waited for by one task alone, and the controller waits for that of Memcacheds.

use kube::runtime::watcher::{self, Event};
use tokio::sync::watch;

/// The lists that are not complete yet.
#[derive(Clone)]
pub struct Lists(watch::Sender<usize>);

impl Lists {
    pub fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// One more list: what this returns is to see its events.
    pub fn one<K>(&self) -> impl FnMut(&watcher::Result<Event<K>>) + Send + 'static {
        self.0.send_modify(|missing| *missing += 1);
        let (missing, mut first) = (self.0.clone(), true);
        move |event| {
            if matches!(event, Ok(Event::InitDone)) && std::mem::take(&mut first) {
                missing.send_modify(|missing| *missing -= 1);
            }
        }
    }

    /// Returns when none is missing.
    pub async fn complete(&self) {
        let _ = self.0.subscribe().wait_for(|missing| *missing == 0).await; // an error would mean that self is gone
    }
}
