//! The policy compiled for private namespaces, and the launches made of it.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam_filter::{Filter, Terms};
use cofferdam_launcher::{Launch, LaunchError, Plan, Scratch, WrapperEnd};
use cofferdam_profiles::{NetworkMode, Policy};
use cofferdam_view::View;

use super::doors::{Doors, Measure};
use super::layout::Particulars;
use super::protocol::{Identity, header};
use super::reach::Reach;
use super::scene::{Closing, Scene};
use super::status::{Failure, Status};
use super::template::{Situation, Template, Templates};
use super::{blame, init, trial};
use crate::abi::Abi;
use crate::limits::{self, Limit};
use crate::refusals::{self, Filters};
use crate::rights::Vocabulary;

/// A filter, and its program as the init reads it.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) filters: Filters,
    pub(super) bytes: Vec<u8>,
}

impl Compiled {
    fn of(terms: &Terms) -> Result<Compiled, LaunchError> {
        let filters = Filters::compile(terms)?;
        Ok(Compiled { bytes: filters.plain().bytes(), filters })
    }
}

/// A policy compiled for private namespaces.
#[derive(Debug)]
pub(crate) struct Private {
    pub(super) reach: Reach,
    pub(super) policy: Arc<Policy>,
    pub(super) words: Vocabulary,
    pub(super) view: View,
    pub(super) scene: Scene,
    pub(super) closings: Vec<Closing>,
    pub(super) limits: Vec<Limit>,
    doors: Doors,
    filter: Compiled,
    /// The filter of runs whose doors only a filter can close.
    strict_filter: Compiled,
    templates: Templates,
    /// What came of building it once.
    tried: Result<(), Failure>,
}

impl Private {
    /// Compiles a policy for the furthest namespaces that work here. `None`: none do.
    ///
    /// # Errors
    /// As `Landlock::new`.
    pub(crate) fn find(policy: &Arc<Policy>, abi: Abi) -> Result<Option<Private>, LaunchError> {
        for reach in [Reach::All, Reach::AllButProcesses] {
            let mut private = Private::new(reach, policy, abi)?;
            private.tried = private.try_out();
            if private.tried.is_err() && private.doors.give_up_overlay() {
                private.tried = private.try_out();
            }
            match &private.tried {
                Err(failure) if failure.is_lack_of_namespaces() => {}
                _ => return Ok(Some(private)),
            }
        }
        Ok(None)
    }

    /// Compiles a policy for all namespaces without a trial: a run that cannot have them fails.
    ///
    /// # Errors
    /// As `Landlock::new`.
    pub(crate) fn untried(policy: &Arc<Policy>, abi: Abi) -> Result<Private, LaunchError> {
        Private::new(Reach::All, policy, abi)
    }

    fn new(reach: Reach, policy: &Arc<Policy>, abi: Abi) -> Result<Private, LaunchError> {
        let sockets = &policy.network.unix_sockets;
        let view = View::compile(&policy.filesystem, sockets);
        let filter = |private_view| {
            Compiled::of(&Terms {
                private_network: policy.network.mode == NetworkMode::Off,
                private_view,
                private_processes: reach == Reach::All,
                ..Terms::of(policy)
            })
        };
        Ok(Private {
            reach,
            words: Vocabulary::new(abi, sockets),
            scene: Scene::of(&view, reach),
            closings: Closing::of(&view),
            doors: Doors::of(&policy.filesystem, sockets, &view, abi),
            view,
            limits: limits::of(&policy.limits),
            filter: filter(true)?,
            strict_filter: filter(false)?,
            policy: policy.clone(),
            templates: Templates::new(),
            tried: Ok(()),
        })
    }

    /// What the trial found.
    pub(crate) fn check(&self) -> Result<(), LaunchError> {
        self.tried.as_ref().map_err(Failure::at_start).copied()
    }

    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// The filter of a run that starts now.
    pub(crate) fn filter(&self) -> &Filter {
        self.filter_for(self.doors.measure()).filters.plain()
    }

    /// Whether the filter refuses Unix sockets that the policy opens.
    pub(crate) fn refuses_sockets(&self) -> bool {
        matches!(self.doors.usual_measure(), Measure::Refuse(_))
    }

    pub(super) fn filter_for(&self, measure: Measure<'_>) -> &Compiled {
        match measure {
            Measure::Nothing | Measure::Overlay(_) => &self.filter,
            Measure::Refuse(_) => &self.strict_filter,
        }
    }

    /// Builds everything once, without a command.
    ///
    /// # Errors
    /// What failed, by the init's own word, or why the init could not be started.
    fn try_out(&self) -> Result<(), Failure> {
        let situation = self.situation(None).map_err(|error| Failure::of_preparation(&error))?;
        let measure = self.doors.measure();
        let scene = self.view_in(&situation, measure);
        trial::run(&self.layout(header::TRIAL, &scene, measure).draft(), None)?;
        Ok(())
    }

    /// Wraps one command.
    pub(crate) fn launch(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        self.admit(plan)?;
        let system = |stage| move |source| LaunchError::System { stage, source };
        let (program, path) = init::program().map_err(system("make the init"))?;
        let (status, status_end) = io::pipe().map_err(system("make the status pipe"))?;
        let situation = self.situation(plan.scratch())?;
        let measure = self.doors.measure();
        let template = self.template(&situation, measure);
        let namespace = template.as_ref().map(|template| template.namespace.try_clone());
        let namespace = namespace.transpose().map_err(system("hand the template on"))?;
        let telling = match plan.takes_refusals() {
            true => Some(refusals::pair(self.filter_for(measure).filters.telling()?)?),
            false => None,
        };
        let particulars = Particulars {
            refusals: telling.as_ref().map_or(0, |(_, socket)| socket.as_raw_fd() as u32),
            status: status_end.as_raw_fd() as u32,
            template: namespace.as_ref().map_or(0, |fd| fd.as_raw_fd() as u32),
            program: identity(plan.program()),
            dir: plan.dir().as_os_str(),
        };
        let bytes = match &template {
            Some(template) => template.draft.bytes(&particulars),
            None => self.plan_anew(plan, &situation, measure, particulars),
        };
        let memory = init::memory(&bytes).map_err(system("make the plan of the run"))?;
        let launch = Launch::wrapper(path)
            .arg(memory.as_raw_fd().to_string())
            .arg(plan.program())
            .arg(plan.command())
            .args(plan.args())
            .keep(program)
            .keep(memory.into())
            .keep(status_end.into())
            .status(status.into());
        let launch = namespace.into_iter().fold(launch, Launch::keep);
        Ok(match telling {
            Some((refusals, socket)) => launch.keep(socket).refusals(refusals),
            None => launch,
        })
    }

    /// What it means that the init ended as it did: see [`blame::judge`].
    pub(crate) fn judge(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        let status = Status::parse(end.status);
        if status.anew {
            self.templates.outdated();
        }
        blame::judge(end.ended, &status)
    }

    /// The namespaces, the mounts one a line, and the stages.
    pub(crate) fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        self.admit(plan)?;
        let mut text = format!("namespaces {}\n", self.reach.describe(self.policy.network.mode));
        if self.view.is_whole() {
            text.push_str("mount      /  the host's own files\n");
        }
        let measure = self.doors.measure();
        text.push_str(&self.view_in(&self.situation(plan.scratch())?, measure).explain());
        if let Measure::Refuse(folders) = measure {
            text.push_str(&refusal(folders));
        }
        for limit in &self.limits {
            text.push_str(&format!("limit      {limit}\n"));
        }
        text.push_str("drop       all capabilities\nset        no_new_privs\n");
        text.push_str(&format!("restrict   with Landlock, version {}\n", self.words.abi()));
        text.push_str(&format!(
            "filter     {}\n",
            self.filter_for(measure).filters.plain().summary()
        ));
        Ok(text)
    }

    /// Sees to it that the working directory is the host's own inside.
    fn admit(&self, plan: &Plan) -> Result<(), LaunchError> {
        let dir = plan.dir();
        match self.shows(dir, plan.scratch()) {
            true => Ok(()),
            false => Err(LaunchError::Other(format!(
                "the working directory `{0}` is not visible inside the sandbox: add a `read` or \
                 `write` rule for `{0}`",
                dir.display()
            ))),
        }
    }

    /// Whether the host's own file is at this physical path inside.
    fn shows(&self, path: &Path, scratch: Option<&Scratch>) -> bool {
        let in_scratch = scratch.is_some_and(|scratch| {
            path.starts_with(&scratch.tmp) || path.starts_with(&scratch.home)
        });
        in_scratch || self.view.shows(path)
    }

    /// What the view of a run like this is put on, if there is that. An overlay is made anew for every
    /// run: what lies in it has other numbers than on the host, so that nobody could tell whether it
    /// is the same still.
    fn template(&self, situation: &Situation, measure: Measure<'_>) -> Option<Arc<Template>> {
        match measure {
            Measure::Overlay(_) => None,
            Measure::Nothing | Measure::Refuse(_) => {
                self.templates.take(situation, || self.make_template(situation, measure))
            }
        }
    }
}

/// Why the filter refuses sockets, for people.
fn refusal(folders: &[PathBuf]) -> String {
    let folder = folders.first().map(|folder| folder.display().to_string()).unwrap_or_default();
    format!(
        "sockets    no Unix sockets but pairs: `{folder}` can be read, the host may have sockets in it, \
         and it cannot be shown through an overlay\n"
    )
}

/// What the program is. Something of the same name may lie at its path inside: `/tmp` is the run's
/// own.
fn identity(program: &Path) -> Identity {
    match program.metadata() {
        Ok(found) => Identity {
            major: libc::major(found.dev()),
            minor: libc::minor(found.dev()),
            inode: found.ino(),
        },
        Err(_) => Identity::default(),
    }
}
