//! Shared memory, semaphores, queues and keys of the host are out of reach; one's own work.

use std::fs;
use std::path::Path;

use crate::promise::{Class, Promise, forbidden, works};
use crate::scene::Scene;
use crate::subject::Subject;
use crate::verdict::{At, Trouble};

pub(super) const CLASS: Class = Class {
    name: "ipc",
    about: "shared memory, semaphores, queues and keys of the host are out of reach",
    rules: &[],
    promises: PROMISES,
};

const IPC: &[&str] = &["ipc"];

const PROMISES: &[Promise] = &[
    forbidden("shared_memory_of_the_host_is_not_read", |scene| {
        let host = Keyed::with(scene, "make-shared-memory")?;
        scene.probe("read-shared-memory").arg(&host.key).run()?.hides(scene.canary())
    })
    .by(IPC),
    forbidden("shared_memory_of_the_host_is_not_written", |scene| {
        let host = Keyed::with(scene, "make-shared-memory")?;
        scene.probe("write-shared-memory").arg(&host.key).run()?.refused()
    })
    .by(IPC),
    forbidden("a_message_to_somebody_else_is_not_read", |scene| {
        let host = Keyed::with(scene, "send-message")?;
        scene.probe("read-message").arg(&host.key).run()?.hides(scene.canary())
    })
    .by(IPC),
    forbidden("no_message_is_sent_to_a_queue_of_the_host", |scene| {
        let host = Keyed::with(scene, "send-message")?;
        let report = scene.probe("send-message").arg(&host.key).arg("sent by the probe").run()?;
        // The first is the host's own; a second one came from the run.
        let own = host.helper(scene, "read-message", &[])?;
        let other = host.helper(scene, "read-message", &[])?;
        report.without(own && other, "a message came")
    })
    .by(IPC),
    forbidden("a_semaphore_of_the_host_is_not_set", |scene| {
        let host = Keyed::with(scene, "make-semaphore")?;
        scene.probe("set-semaphore").arg(&host.key).run()?.refused()
    })
    .by(IPC),
    forbidden("a_posix_queue_of_the_host_is_not_read", |scene| {
        let name = format!("/{}", scene.canary());
        let queue = Queue::new(scene, name)?;
        // The name holds the words that must not come out, so another secret is in it.
        scene.probe("read-queue").arg(&queue.name).run()?.hides("text-of-the-queue")
    })
    .by(IPC),
    forbidden("a_file_in_the_shared_memory_of_the_host_is_not_read", |scene| {
        let file = SharedFile::new(scene)?;
        scene.probe("read").arg(&file.path).run()?.hides("text-of-the-file")
    })
    .by(IPC),
    forbidden("no_file_is_made_in_the_shared_memory_of_the_host", |scene| {
        let path = Path::new("/dev/shm").join(scene.canary());
        let report = scene.probe("write").arg(&path).run()?;
        let was_made = fs::remove_file(&path).is_ok();
        report.without(was_made, "the file is in /dev/shm")
    })
    .by(IPC),
    forbidden("a_key_of_the_session_is_not_read", |scene| {
        scene.probe("read-session-key").run()?.hides("text-of-the-key")
    }),
    forbidden("no_key_is_added_to_the_session", |scene| {
        scene.probe("add-session-key").run()?.refused()
    }),
    forbidden("no_key_is_added_for_the_user", |scene| scene.probe("add-user-key").run()?.refused()),
    forbidden("the_list_of_keys_is_not_read", |scene| {
        scene.probe("open").arg("/proc/keys").run()?.refused()
    })
    .by(&["processes"]),
    works("processes_can_wait_for_each_other_by_a_named_semaphore", |scene| {
        scene.probe("use-named-semaphore").run()?.did()
    }),
    works("processes_can_share_named_memory", |scene| {
        scene.probe("use-shared-memory").run()?.did()
    }),
    works("processes_can_use_keyed_memory_semaphores_and_queues", |scene| {
        scene.probe("use-keyed-objects").arg(key(scene)).run()?.did()
    }),
    works("processes_can_use_posix_queues", |scene| scene.probe("use-queue").run()?.did()),
];

/// A key that no program has, as the words of this scene make it.
fn key(scene: &Scene<'_>) -> String {
    let digits = scene.canary().trim_start_matches("canary");
    let number = u64::from_str_radix(digits, 16).unwrap_or(1);
    ((number & 0x3fff_ffff) | 0x4000_0000).to_string()
}

/// Something of the host with a key, with the secret in it. Removed when dropped.
struct Keyed {
    key: String,
}

impl Keyed {
    fn with(scene: &Scene<'_>, word: &str) -> Result<Keyed, Trouble> {
        let keyed = Keyed { key: key(scene) };
        match keyed.helper(scene, word, &[scene.canary()])? {
            true => Ok(keyed),
            false => Err(Trouble::unavailable("this kernel has no such objects")),
        }
    }

    /// Has a program of the host do something with it.
    fn helper(&self, scene: &Scene<'_>, word: &str, args: &[&str]) -> Result<bool, Trouble> {
        helper(scene, word, &[&[self.key.as_str()], args].concat())
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        if let Ok(key) = self.key.parse() {
            crate::probe::remove_keyed(key);
        }
    }
}

/// A program of the host: no sandbox, whoever is the subject.
fn helper(scene: &Scene<'_>, word: &str, args: &[&str]) -> Result<bool, Trouble> {
    let nobody = Subject::nobody();
    let host = Scene::new(scene.stage, &nobody)?;
    let task = args.iter().fold(host.probe(word), |task, arg| task.arg(arg));
    Ok(task.run()?.got().is_some())
}

struct Queue {
    name: String,
}

impl Queue {
    fn new(scene: &Scene<'_>, name: String) -> Result<Queue, Trouble> {
        match helper(scene, "make-queue", &[&name, "text-of-the-queue"])? {
            true => Ok(Queue { name }),
            false => Err(Trouble::unavailable("this kernel has no POSIX queues")),
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // One that is gone is what is wanted.
        let _ = nix::mqueue::mq_unlink(self.name.as_str());
    }
}

struct SharedFile {
    path: std::path::PathBuf,
}

impl SharedFile {
    fn new(scene: &Scene<'_>) -> Result<SharedFile, Trouble> {
        let path = Path::new("/dev/shm").join(scene.canary());
        fs::write(&path, "text-of-the-file").at("write in /dev/shm")?;
        Ok(SharedFile { path })
    }
}

impl Drop for SharedFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
