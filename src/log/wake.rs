//! When to look again: an event on the folder, or a while.
//!
//! Watches the parent folder, since a watch on the file itself falls silent once the file is replaced. Its events
//! are only wake-ups. Where no watch can be had (a network mount, no watches left, `--poll`) the while is short.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use notify::{Event, EventKind, RecursiveMode, Watcher};

use super::name::is_standard_input;

/// How long to wait where events wake us up.
const WATCHED: Duration = Duration::from_secs(1);
/// How long to wait where only a look can tell.
const POLLED: Duration = Duration::from_millis(250);

/// Waits for reasons to look at a file again.
pub struct Wake {
    events: Receiver<Reason>,
    sender: Sender<Reason>,
    /// Kept alive: dropping it ends the watch.
    _watcher: Option<notify::RecommendedWatcher>,
    pause: Duration,
}

#[derive(Debug)]
enum Reason {
    Changed,
    Stop,
}

/// Ends the waiting of a [`Wake`] from another thread.
#[derive(Clone, Debug)]
pub struct Waker(Sender<Reason>);

impl Waker {
    /// Makes the wait return at once, to look.
    pub fn wake(&self) {
        let _ = self.0.send(Reason::Changed);
    }

    /// Makes the wait return at once, with the word to stop.
    pub fn stop(&self) {
        // The other side is gone only when it has stopped already.
        let _ = self.0.send(Reason::Stop);
    }
}

impl Wake {
    /// Watches the folder of `path`, or polls if `poll` is set or no watch can be had. Of standard input a
    /// [`Waker`] tells.
    pub fn new(path: &Path, poll: bool) -> Self {
        let (sender, events) = channel();
        let told = is_standard_input(path);
        let watcher = if poll || told { None } else { watch(path, sender.clone()) };
        let pause = if told || watcher.is_some() { WATCHED } else { POLLED };
        Self { events, sender, _watcher: watcher, pause }
    }

    /// Whether events arrive; otherwise the file is polled.
    pub fn is_watching(&self) -> bool {
        self.pause == WATCHED
    }

    /// A handle to stop the wait.
    pub fn waker(&self) -> Waker {
        Waker(self.sender.clone())
    }

    /// Waits for a reason to look. False: stop.
    pub fn wait(&self) -> bool {
        self.changes_within(self.pause).is_some()
    }

    /// Waits no longer than `pause` for a reason to look. The answer is whether there was one; nothing: stop.
    pub fn changes_within(&self, pause: Duration) -> Option<bool> {
        let changed = match self.events.recv_timeout(pause) {
            Ok(Reason::Stop) => return None,
            Ok(Reason::Changed) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(pause);
                false
            }
        };
        // One look answers every event that is already here.
        while let Ok(reason) = self.events.try_recv() {
            if matches!(reason, Reason::Stop) {
                return None;
            }
        }
        Some(changed)
    }
}

fn watch(path: &Path, sender: Sender<Reason>) -> Option<notify::RecommendedWatcher> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let name = real.file_name()?.to_os_string();
    let given = path.file_name()?.to_os_string();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let wanted = match &event {
            // Reading makes access events of our own.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => false,
            Ok(event) => {
                event.paths.is_empty()
                    || event
                        .paths
                        .iter()
                        .any(|p| p.file_name() == Some(&name) || p.file_name() == Some(&given))
            }
            Err(_) => true,
        };
        if wanted {
            let _ = sender.send(Reason::Changed);
        }
    })
    .ok()?;
    let folder = parent(&real);
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    let named = parent(path);
    if named.canonicalize().ok().as_deref() != Some(folder) {
        // Through a symbolic link: the link itself may be turned to another file.
        watcher.watch(named, RecursiveMode::NonRecursive).ok()?;
    }
    Some(watcher)
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
