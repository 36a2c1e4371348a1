//! The child step must not touch the heap: it runs while the host's memory is shared.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "tests say what cannot run here")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use cofferdam_landlock::{Landlock, Namespaces, Options, ScopeStep};
use cofferdam_launcher::{ChildStep, Launcher, Plan};
use cofferdam_profiles::{Context, Grants, Source, resolve};
use serde_json::json;

thread_local! {
    /// Calls of this thread. Constant and without a destructor, so that reading it allocates
    /// nothing.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    CALLS.with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's promise about `pointer` and `layout` is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Confines the calling thread only; the test's thread ends with it.
fn heap_calls(step: &dyn ChildStep) -> usize {
    let before = CALLS.get();
    let applied = step.apply();
    let calls = CALLS.get() - before;
    applied.unwrap();
    calls
}

#[test]
fn the_allocator_counts() {
    let before = CALLS.get();
    drop(std::hint::black_box(vec![1_u8]));
    assert_eq!(CALLS.get() - before, 2);
}

fn launcher() -> Landlock {
    let profile = json!({
        "best-effort": ["ipc", "loopback", "metadata", "processes", "pty"],
        "filesystem": {"read": ["/usr"]},
        "limits": {"open-files": 4096},
    });
    let context = Context::from_environment(Path::new("/nonexistent"));
    let policy = resolve(&Source::Inline(profile), &Grants::default(), &context).unwrap();
    Landlock::new(Options::default().namespaces(Namespaces::Off), Arc::new(policy)).unwrap()
}

#[test]
fn confining_a_child_makes_no_heap_call() {
    let launch = launcher().wrap(&Plan::new("true", "/bin/true", "/")).unwrap();
    assert_eq!(heap_calls(launch.child_step().unwrap()), 0);
}

#[test]
fn sending_the_listener_of_a_filter_makes_no_heap_call() {
    let plan = Plan::new("true", "/bin/true", "/").taking_refusals();
    let mut launch = launcher().wrap(&plan).unwrap();
    let (socket, _) = launch.take_refusals().unwrap().into_parts();
    assert_eq!(heap_calls(launch.child_step().unwrap()), 0);
    let mut socket = UnixStream::from(socket);
    socket.set_nonblocking(true).unwrap();
    assert_eq!(socket.read(&mut [1]).unwrap(), 1, "nothing was sent");
}

#[test]
fn scoping_a_child_makes_no_heap_call() {
    match ScopeStep::new().unwrap() {
        Some(step) => assert_eq!(heap_calls(&step), 0),
        None => println!("ignored, because this kernel has no Landlock scopes"),
    }
}
