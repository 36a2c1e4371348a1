//! Builds what the command sees of the host's files.

mod folders;
mod overlay;
mod own;
mod paths;
mod shown;

use core::ffi::CStr;

use crate::plan::Plan;
use crate::protocol::{Step, header, stage, what};
use crate::report::{Failure, Stage, at};
use crate::system::{self, Descriptor, HERE};
pub(crate) use folders::{Folders, split};
use overlay::BLANK_LAYER;
use own::{mount_memory, mount_queues, mount_terminals};
use paths::{make, relative};
use shown::{BLANK_FILE, BLANK_FOLDER, pin};

const MS_NOSUID: usize = 2;
const MS_NODEV: usize = 4;
const MS_REC: usize = 16384;
const MS_PRIVATE: usize = 1 << 18;

const ATTR_RDONLY: u64 = 1;
const ATTR_NOSUID: u64 = 2;
const ATTR_NODEV: u64 = 4;

/// Where the new root is put before it becomes the root. It is there, since the launcher starts this
/// program through it, and what it covers is uncovered again.
const BASE: &CStr = c"/proc";
/// The view while it is being built.
pub(crate) struct View {
    plan: Plan,
    /// The root of the host's files.
    host: Descriptor,
    /// Where blank files and folders can be made. On a template: once something of the run's own is in
    /// its place.
    blanks: Option<Descriptor>,
    has_blank_file: bool,
    has_blank_folder: bool,
    has_blank_layer: bool,
    folders: Folders,
}

impl View {
    /// Makes the root and everything in it, and leaves the host's files.
    pub(crate) fn build(plan: Plan) -> Result<(), Failure> {
        let mut view = View::root(plan).stage(at(stage::ROOT))?;
        view.take_all(plan.steps())?;
        view.leave().stage(at(stage::LEAVE))
    }

    /// Puts what is the run's own onto a template, whose root is the root already.
    pub(crate) fn build_on_template(plan: Plan) -> Result<(), Failure> {
        let root = system::open_path(HERE, c"/").stage(at(stage::ROOT))?;
        let mut view = View::new(plan, root, None);
        view.take_all(plan.own_steps())?;
        view.remove_blanks().stage(at(stage::LEAVE))
    }

    fn new(plan: Plan, host: Descriptor, blanks: Option<Descriptor>) -> View {
        View {
            plan,
            host,
            blanks,
            has_blank_file: false,
            has_blank_folder: false,
            has_blank_layer: false,
            folders: Folders::default(),
        }
    }

    /// Makes the new root the root. The old one stays mounted over it, where paths do not lead, until
    /// the view is complete.
    fn root(plan: Plan) -> Result<View, u32> {
        system::mount(c"", c"/", None, MS_REC | MS_PRIVATE, None)?;
        let host = system::open_path(HERE, c"/")?;
        let whole = plan.has(header::WHOLE);
        if whole {
            let tree = system::clone_tree(&host)?;
            let attributes = ATTR_NOSUID | ATTR_NODEV | closing(plan);
            system::restrict_mount(tree.number(), c"", attributes, true)?;
            system::put_mount(&tree, HERE, BASE)?;
        } else {
            mount_memory(BASE, c"mode=0755")?;
        }
        system::change_folder(BASE)?;
        system::pivot_root(c".", c".")?;
        let blanks = if whole {
            // There is no place for them in a root that is the host's.
            system::change_folder_to(&host)?;
            mount_memory(relative(BASE), c"mode=0755")?;
            system::open_path(HERE, relative(BASE))?
        } else {
            system::open_path(HERE, c"/")?
        };
        Ok(View::new(plan, host, Some(blanks)))
    }

    fn take_all(&mut self, steps: &'static [Step]) -> Result<(), Failure> {
        for step in steps {
            self.take(step).stage(at(stage::STEP).path(self.plan.text(step.at)))?;
        }
        Ok(())
    }

    fn take(&mut self, step: &Step) -> Result<(), u32> {
        let from = self.plan.text(step.from);
        let to = self.plan.text(step.at);
        match step.what {
            what::BIND => self.bind(from, to, step.flags),
            what::READ => self.read(from, to, step.flags),
            what::PIN => pin(to, step.flags),
            what::OVERLAY => self.overlay(from, to, step.flags),
            what::HIDE => self.hide(to, step.flags),
            what::LINK => make(to, |to| system::make_link(from, to)),
            what::MEMORY => self.memory(to, step.flags),
            what::DEVICES => self.devices(to, step.flags),
            what::PROCESSES => self.processes(to),
            what::TERMINALS => mount_terminals(to),
            what::QUEUES => mount_queues(to),
            what::FRESH => self.fresh(to, step.flags),
            what::SEAL => system::restrict_mount(HERE, to, ATTR_RDONLY, false),
            _ => Err(system::EINVAL),
        }
    }

    /// Takes away all that was needed to build, and the host's files with it.
    fn leave(&self) -> Result<(), u32> {
        self.remove_blanks()?;
        if self.has_blank_layer {
            system::unmount(BLANK_LAYER)?;
            system::remove_folder(HERE, BLANK_LAYER)?;
        }
        system::restrict_mount(HERE, c"/", closing(self.plan), false)?;
        system::change_folder_to(&self.host)?;
        system::unmount(c".")?;
        system::change_folder(c"/")
    }

    fn remove_blanks(&self) -> Result<(), u32> {
        let Some(blanks) = self.blanks.as_ref().map(Descriptor::number) else { return Ok(()) };
        if self.has_blank_file {
            system::remove_file(blanks, BLANK_FILE)?;
        }
        if self.has_blank_folder {
            system::remove_folder(blanks, BLANK_FOLDER)?;
        }
        Ok(())
    }
}

/// What makes the root read-only, unless the plan says otherwise.
fn closing(plan: Plan) -> u64 {
    if plan.has(header::WRITABLE) { 0 } else { ATTR_RDONLY }
}
