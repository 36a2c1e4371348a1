//! The template: a mount namespace of the host's making in which the part of the view stands that all
//! runs have in common. A run takes a copy of it, which costs a tenth of building that part, and puts
//! its own on top.
//!
//! What the template shows is the very file or folder that stood at a path when the template was made.
//! Before a run takes it, it looks whether the same ones stand there still; if not, it builds its view
//! anew and tells so.

use crate::network::CLONE_NEWNET;
use crate::outer::{CLONE_NEWPID, CLONE_NEWUSER, Run};
use crate::plan::Plan;
use crate::protocol::{self, Identity, Step, tell, what};
use crate::report::{self, Failure, Stage, at};
use crate::system::{self, Descriptor, ENOENT, ENOTDIR, Found, HERE};
use crate::view::{Folders, View, split};

pub(crate) const CLONE_NEWNS: u32 = 0x2_0000;

/// A template whose user namespace the process is in.
pub(crate) struct Template {
    mounts: Descriptor,
}

/// Enters the template's user namespace. `None` where the plan has no template, or it is another
/// user's.
///
/// In it the process may copy the template's mounts, and make the other namespaces of the run. The
/// command gets a user namespace of its own below, so no two runs share one.
pub(crate) fn enter_user_namespace(plan: Plan) -> Option<Template> {
    let mounts = match plan.header().template {
        0 => return None,
        number => Descriptor::of(number),
    };
    let user = system::owner(&mounts).ok()?;
    system::enter(&user, CLONE_NEWUSER).ok()?;
    Some(Template { mounts })
}

/// Makes the namespaces that need the view's place in time, and the view in them: on top of the
/// template where that is what the host has.
pub(crate) fn build(run: &Run, host: &Descriptor) -> Result<(), Failure> {
    let rest = run.namespaces() & !(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET);
    let taken = match &run.template {
        // Its terminal is to have a name inside, and a template has no place for that.
        Some(_) if system::is_terminal(0) => false,
        Some(template) if shows_the_same(run.plan, host) => {
            let entered = system::enter(&template.mounts, CLONE_NEWNS);
            entered.stage(at(protocol::stage::TEMPLATE))?;
            true
        }
        Some(_) => {
            report::tell(run.status, tell::ANEW, 0);
            false
        }
        None => false,
    };
    system::unshare(rest).stage(at(protocol::stage::UNSHARE))?;
    match taken {
        true => View::build_on_template(run.plan),
        false => View::build(run.plan),
    }
}

impl Template {
    /// Closes the descriptor in the calling process. The first two processes have one each.
    pub(crate) fn close(&self) {
        system::close(self.mounts.number());
    }
}

/// Whether the host has at every path what the template shows there.
fn shows_the_same(plan: Plan, host: &Descriptor) -> bool {
    let mut folders = Folders::default();
    let mut expected = plan.sources().iter();
    let mut steps = plan.steps().iter().filter(|step| shows_host(step));
    let all = steps.all(|step| match (expected.next(), find(plan, step, host, &mut folders)) {
        (Some(expected), Ok(found)) => found.identity == *expected,
        (Some(expected), Err(ENOENT | ENOTDIR)) => *expected == Identity::default(),
        _ => false,
    });
    all && expected.next().is_none()
}

/// What stands at the source of a step. As when it is mounted, no link is followed.
fn find(plan: Plan, step: &Step, host: &Descriptor, folders: &mut Folders) -> Result<Found, u32> {
    let (folder, name) = split(plan.text(step.from))?;
    system::look_at_name(folders.open(host, folder)?, name)
}

fn shows_host(step: &Step) -> bool {
    matches!(step.what, what::BIND | what::READ)
}

/// Tells that the template stands, and what it shows, and stays until the host has a descriptor of it.
pub(crate) fn offer(run: &Run, host: &Descriptor) {
    let identity = |found: Result<Found, u32>| found.map(|found| found.identity).unwrap_or_default();
    report::tell(run.status, tell::READY, 0);
    // A `/proc` may be that of other processes, so the host has to know what it looks for.
    let own = system::look(host.number(), c"proc/self/ns/mnt");
    report::tell_identity(run.status, identity(own));
    for step in run.plan.steps().iter().filter(|step| shows_host(step)) {
        let found = system::look(HERE, run.plan.text(step.at));
        report::tell_identity(run.status, identity(found));
    }
    system::wait_for_hangup(run.status);
}
