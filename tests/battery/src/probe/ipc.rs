//! Shared memory, semaphores, queues and keys.

use std::ffi::CString;
use std::fs;

use nix::mqueue::{MQ_OFlag, MqAttr, mq_open, mq_receive, mq_send, mq_unlink};
use nix::sys::stat::Mode;

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;
use super::raw;

pub(super) const WORDS: &[Word] = &[
    ("read-shared-memory", read_shared_memory),
    ("write-shared-memory", write_shared_memory),
    ("make-shared-memory", make_shared_memory),
    ("read-message", read_message),
    ("send-message", send_message),
    ("set-semaphore", set_semaphore),
    ("make-semaphore", make_semaphore),
    ("read-queue", read_queue),
    ("make-queue", make_queue),
    ("use-named-semaphore", use_named_semaphore),
    ("use-shared-memory", use_shared_memory),
    ("use-keyed-objects", use_keyed_objects),
    ("use-queue", use_queue),
    ("read-session-key", read_session_key),
    ("add-session-key", add_session_key),
    ("add-user-key", add_user_key),
    ("make-ring", make_ring),
];

/// What a shared thing says, without the zeros after it.
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

fn read_shared_memory(words: &mut Arguments<'_>) -> Answer {
    Ok(lossy(&raw::shared_memory(words.number()?, false, b"").step("shmget")?))
}

fn write_shared_memory(words: &mut Arguments<'_>) -> Answer {
    raw::shared_memory(words.number()?, false, b"written by the probe").step("shmget")?;
    Ok("wrote".to_owned())
}

fn make_shared_memory(words: &mut Arguments<'_>) -> Answer {
    let (key, text) = (words.number()?, words.text()?);
    raw::shared_memory(key, true, text.as_bytes()).step("shmget")?;
    Ok("made".to_owned())
}

fn read_message(words: &mut Arguments<'_>) -> Answer {
    Ok(lossy(&raw::receive_message(words.number()?).step("msgrcv")?))
}

fn send_message(words: &mut Arguments<'_>) -> Answer {
    let (key, text) = (words.number()?, words.text()?);
    raw::send_message(key, true, text.as_bytes()).step("msgsnd")?;
    Ok("sent".to_owned())
}

fn make_semaphore(words: &mut Arguments<'_>) -> Answer {
    raw::keyed_semaphore(words.number()?, true, None).step("semget")?;
    Ok("made".to_owned())
}

fn set_semaphore(words: &mut Arguments<'_>) -> Answer {
    raw::keyed_semaphore(words.number()?, false, Some(42)).step("semget")?;
    Ok("set".to_owned())
}

fn read_queue(words: &mut Arguments<'_>) -> Answer {
    let name = words.text()?;
    let flags = MQ_OFlag::O_RDONLY | MQ_OFlag::O_NONBLOCK;
    let queue = mq_open(name.as_str(), flags, Mode::empty(), None).step("mq_open")?;
    let (mut bytes, mut priority) = (vec![0; 8192], 0);
    let count = mq_receive(&queue, &mut bytes, &mut priority).step("mq_receive")?;
    Ok(lossy(&bytes[..count]))
}

/// A queue that fits in what every user may have. Without a size, libc's own call asks for none.
fn small() -> MqAttr {
    MqAttr::new(0, 4, 256, 0)
}

fn make_queue(words: &mut Arguments<'_>) -> Answer {
    let (name, text) = (words.text()?, words.text()?);
    let flags = MQ_OFlag::O_CREAT | MQ_OFlag::O_RDWR | MQ_OFlag::O_NONBLOCK;
    let queue = mq_open(name.as_str(), flags, Mode::from_bits_retain(0o666), Some(&small()));
    mq_send(&queue.step("mq_open")?, text.as_bytes(), 0).step("mq_send")?;
    Ok("made".to_owned())
}

/// What Python's `multiprocessing` stands on.
fn use_named_semaphore(_: &mut Arguments<'_>) -> Answer {
    let name = CString::new(format!("/probe-{}", std::process::id()));
    let name = name.map_err(|_| Refused::unable("a name with a NUL"))?;
    raw::named_semaphore(&name).step("sem_open")?;
    Ok("one process has woken another".to_owned())
}

fn use_shared_memory(_: &mut Arguments<'_>) -> Answer {
    use rustix::shm::{OFlags, open, unlink};
    let name = format!("/probe-memory-{}", std::process::id());
    let flags = OFlags::CREATE | OFlags::RDWR;
    let memory = open(&name, flags, rustix::shm::Mode::RUSR | rustix::shm::Mode::WUSR);
    let memory = memory.step("shm_open")?;
    rustix::fs::ftruncate(&memory, 4096).step("ftruncate")?;
    rustix::io::pwrite(&memory, b"shared", 0).step("write")?;
    unlink(&name).step("shm_unlink")?;
    Ok("made and removed".to_owned())
}

fn use_keyed_objects(words: &mut Arguments<'_>) -> Answer {
    let key = words.number()?;
    let done = raw::shared_memory(key, true, b"x")
        .step("shared memory")
        .and_then(|_| raw::keyed_semaphore(key, true, Some(3)).step("semaphore"))
        .and_then(|_| raw::send_message(key, true, b"x").step("message"));
    raw::remove_keyed(key);
    done?;
    Ok("made and removed".to_owned())
}

fn use_queue(_: &mut Arguments<'_>) -> Answer {
    let queue = format!("/probe-queue-{}", std::process::id());
    let flags = MQ_OFlag::O_CREAT | MQ_OFlag::O_RDWR;
    mq_open(queue.as_str(), flags, Mode::from_bits_retain(0o600), Some(&small()))
        .step("mq_open")?;
    mq_unlink(queue.as_str()).step("mq_unlink")?;
    Ok("made and removed".to_owned())
}

/// Reads a key back that it puts there itself: that it can is what must not be.
fn read_session_key(_: &mut Arguments<'_>) -> Answer {
    const NAME: &str = "cofferdam-probe-secret";
    let key = raw::add_key(-3, NAME, "text-of-the-key").step("add_key")?;
    let text = raw::read_key(NAME).step("request_key");
    let _ = raw::unlink_key(-3, key);
    Ok(lossy(&text?))
}

/// Adds a key and takes it off again.
fn add_key(ring: i32) -> Answer {
    let key = raw::add_key(ring, "cofferdam-probe", "text").step("add_key")?;
    let _ = raw::unlink_key(ring, key);
    Ok("added".to_owned())
}

fn add_session_key(_: &mut Arguments<'_>) -> Answer {
    add_key(-3)
}

fn add_user_key(_: &mut Arguments<'_>) -> Answer {
    add_key(-4)
}

fn make_ring(_: &mut Arguments<'_>) -> Answer {
    if fs::read_to_string("/proc/sys/kernel/io_uring_disabled").is_ok_and(|text| text.trim() == "2")
    {
        return Err(Refused::unable("io_uring is turned off on this machine"));
    }
    raw::make_ring().step("io_uring_setup")?;
    Ok("made a ring".to_owned())
}
