//! The plans of a policy's runs, and of its template.

use std::path::Path;

use cofferdam_launcher::{LaunchError, Plan, Scratch};
use cofferdam_profiles::{Access, UnixSockets};

use super::doors::Measure;
use super::launch::Private;
use super::layout::{Layout, Particulars};
use super::protocol::{Header, Identity, header};
use super::rules::Rules;
use super::scene::{Closing, Scene};
use super::shared::Parts;
use super::template::{Situation, Template};
use super::trial;

impl Private {
    /// Builds what the views of runs have in common, and tries a run on it. `None`: this view has to be
    /// built anew for every run, or the host has changed meanwhile.
    pub(super) fn make_template(
        &self,
        situation: &Situation,
        measure: Measure<'_>,
    ) -> Option<Template> {
        if self.view.is_whole() {
            return None;
        }
        let scene = self.view_in(situation, measure);
        let parts = Parts::of(&scene, &self.scene)?;
        let mut common = Layout::new(Header {
            flags: header::TEMPLATE,
            namespaces: self.reach.of_template(),
            ..Header::default()
        });
        parts.common.steps(|what, flags, from, at| common.step(what, flags, from, at));
        let offered = trial::offer(&common.draft()).ok()?;
        let draft = |flags| {
            let mut layout = self.layout(flags, &scene, measure);
            parts.own.steps(|what, flags, from, at| layout.own_step(what, flags, from, at));
            layout.sources(&offered.sources);
            layout.telling(self.telling(measure));
            layout.draft()
        };
        let tried = trial::run(&draft(header::TRIAL), Some(&offered.namespace)).ok()?;
        (!tried.anew).then(|| Template { namespace: offered.namespace, draft: draft(0) })
    }

    /// What the view of a run depends on.
    pub(super) fn situation(&self, scratch: Option<&Scratch>) -> Result<Situation, LaunchError> {
        let present: Result<_, _> = self.closings.iter().map(Closing::is_there).collect();
        Ok(Situation { scratch: scratch.cloned(), present: present? })
    }

    /// The view of a run.
    pub(super) fn view_in(&self, situation: &Situation, measure: Measure<'_>) -> Scene {
        let there = self.closings.iter().zip(&situation.present).filter(|(_, there)| **there);
        let closings = there.map(|(closing, _)| closing);
        let mut scene = self.scene.of_run(&self.view, closings, situation.scratch.as_ref());
        if let Measure::Overlay(folders) = measure {
            scene.show_through_overlays(folders);
        }
        scene
    }

    /// The plan of a run that builds its whole view. In an overlay a file has another number than on
    /// the host, and nothing else can lie there, so what lies in one is not compared.
    pub(super) fn plan_anew(
        &self,
        plan: &Plan,
        situation: &Situation,
        measure: Measure<'_>,
        mut particulars: Particulars<'_>,
    ) -> Vec<u8> {
        let scene = self.view_in(situation, measure);
        let mut flags = 0;
        if let Measure::Overlay(_) = measure {
            if scene.has_in_overlay(&plan.program().canonicalize().unwrap_or_default()) {
                particulars.program = Identity::default();
            }
            if scene.has_in_overlay(plan.dir()) {
                flags = header::DIR_IN_OVERLAY;
            }
        }
        let mut layout = self.layout(flags, &scene, measure);
        if plan.takes_refusals() {
            layout.telling(self.telling(measure));
        }
        layout.draft().bytes(&particulars)
    }

    /// The filter that tells of its refusals, as the init reads it. Without it, the init installs the
    /// other one.
    fn telling(&self, measure: Measure<'_>) -> Vec<u8> {
        self.filter_for(measure).filters.telling().map(|filter| filter.bytes()).unwrap_or_default()
    }

    fn flags(&self) -> u32 {
        let when = |condition: bool, flag: u32| if condition { flag } else { 0 };
        when(self.view.is_whole(), header::WHOLE) | when(self.has_writable_root(), header::WRITABLE)
    }

    fn has_writable_root(&self) -> bool {
        let root = Path::new("/");
        self.policy.filesystem.decide(root).is_some_and(|rule| rule.access == Access::Write)
    }

    pub(super) fn layout(&self, flags: u32, scene: &Scene, measure: Measure<'_>) -> Layout {
        let mut layout = Layout::new(Header {
            governed: self.words.all().bits(),
            scopes: self.words.scopes(),
            namespaces: self.reach.flags(self.policy.network.mode),
            flags: self.flags() | flags,
            ..Header::default()
        });
        scene.steps(|what, flags, from, at| layout.step(what, flags, from, at));
        let sockets: &UnixSockets = &self.policy.network.unix_sockets;
        Rules::of(scene, self.words, sockets, self.has_writable_root())
            .write(self.words, &mut layout);
        for limit in &self.limits {
            layout.limit(limit);
        }
        layout.filter(&self.filter_for(measure).bytes);
        layout
    }
}
