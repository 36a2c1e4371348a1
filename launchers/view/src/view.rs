//! What a run sees: the policy's file rules as places, worked out once when the launcher is built.
//!
//! This looks at no file. What is really there when a run starts is found out by the launcher.

use std::path::{Path, PathBuf};

use cofferdam_profiles::{Access, Filesystem, Link, Rule, UnixSockets};

use crate::place::{Own, Place, Show, depth};

/// The places of a policy, each after those around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    places: Vec<Place>,
    links: Vec<Link>,
}

impl View {
    /// Works out the places.
    pub fn compile(files: &Filesystem, sockets: &UnixSockets) -> View {
        let mut view = View { places: Vec::new(), links: Vec::new() };
        for own in own_places(files) {
            view.push(own);
        }
        let mut rules: Vec<_> = files.rules.iter().collect();
        rules.sort_by_key(|rule| (depth(&rule.path), &rule.path));
        for same_path in rules.chunk_by(|one, other| one.path == other.path) {
            view.decide(same_path);
        }
        for socket in socket_rules(sockets) {
            // Connecting to a socket is not writing to its folder, so reading is enough.
            if !view.shows(&socket.path) {
                view.open_way(&socket.path);
                view.push(Place::new(&socket.path, Show::Read));
            }
        }
        for device in &files.devices {
            view.push(Place::new(&device.path, Show::Device));
        }
        let granted = files.rules.iter().filter(|rule| rule.access != Access::Deny);
        for rule in granted.chain(socket_rules(sockets)).chain(&files.devices) {
            view.add_links(&rule.links);
        }
        view
    }

    /// The places, each after those around it.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The links that lead to places and lie in none.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Whether the whole of the host's files is the ground that the view stands on.
    pub fn is_whole(&self) -> bool {
        self.places.iter().any(|place| place.path == Path::new("/"))
    }

    /// Whether the host's own file is at this physical path inside.
    pub fn shows(&self, path: &Path) -> bool {
        self.around(path).is_some_and(|place| place.show.is_host())
    }

    /// What is found at this path.
    pub fn show(&self, path: &Path) -> Option<Show> {
        self.around(path).map(|place| place.show)
    }

    /// Whether something else than the host's own file is at this path inside.
    pub fn covers_up(&self, path: &Path) -> bool {
        self.around(path).is_some_and(|place| !place.show.is_host())
    }

    /// Whether the view has anything below this path, the path itself not counted.
    pub fn has_below(&self, path: &Path) -> bool {
        let below = |other: &Path| other != path && other.starts_with(path);
        self.places.iter().any(|place| below(&place.path))
            || self.links.iter().any(|link| below(&link.path))
    }

    /// Whether a place lies in no other one, so that the ground around it is made for the run.
    pub fn is_apart(&self, place: &Place) -> bool {
        let shallower = &self.places[..self.shallower(&place.path)];
        !shallower.iter().any(|other| other.covers(&place.path))
    }

    /// What is found around a place, at its path, before it is put there; `None` on empty ground.
    pub fn ground(&self, place: &Place) -> Option<Show> {
        let shallower = &self.places[..self.shallower(&place.path)];
        shallower.iter().rev().find(|other| other.covers(&place.path)).map(|other| other.show)
    }

    /// The deepest place that is `path` or around it.
    fn around(&self, path: &Path) -> Option<&Place> {
        let (shallower, others) = self.places.split_at(self.shallower(path));
        let itself = others.iter().rev().find(|place| place.path == path);
        itself.or_else(|| shallower.iter().rev().find(|place| place.covers(path)))
    }

    /// How many places are less deep than a path. Only they can be around it, and they are few: most
    /// lie side by side in `/etc`.
    fn shallower(&self, path: &Path) -> usize {
        let deep = depth(path);
        self.places.partition_point(|place| depth(&place.path) < deep)
    }

    /// Adds the place that rules for one path make, if they make one.
    fn decide(&mut self, rules: &[&Rule]) {
        let path = &rules[0].path;
        let around = self.around(path).map(|place| (place.show, place.path.clone()));
        let ground = around.as_ref().map(|(show, _)| *show);
        let has = |access| rules.iter().any(|rule| rule.access == access);
        let granted = has(Access::Read) || has(Access::Write);
        let own_kernel_files = matches!(ground, Some(Show::Own(Own::Proc | Own::Dev)));
        let show = match ground {
            _ if has(Access::Deny) => match ground {
                Some(ground) if ground.is_host() || own_kernel_files => {
                    Show::Hide { search: false }
                }
                _ => return,
            },
            // Every run has these of its own, and the host's are never given.
            _ if own_kernel_files => return,
            Some(Show::Write) if has(Access::Protect) => Show::Read,
            _ if has(Access::Protect) && granted => Show::Read,
            Some(Show::Write) if has(Access::Write) => return,
            _ if has(Access::Write) => Show::Write,
            Some(Show::Read) => return,
            _ if granted => Show::Read,
            _ => return,
        };
        let mut place = Place::new(path, show);
        if let Some((Show::Write, root)) = &around {
            place.pins = between(root, path);
        }
        if show.is_host() {
            self.open_way(path);
        }
        self.push(place);
    }

    /// Lets a hidden folder be passed through to a place below it.
    fn open_way(&mut self, path: &Path) {
        let hidden = self.places.iter_mut().rev().find(|place| place.covers(path));
        if let Some(Place { show: Show::Hide { search }, .. }) = hidden {
            *search = true;
        }
    }

    fn push(&mut self, place: Place) {
        let at = self.places.partition_point(|other| depth(&other.path) <= depth(&place.path));
        self.places.insert(at, place);
    }

    fn add_links(&mut self, links: &[Link]) {
        for link in links {
            let open_ground = match self.around(&link.path).map(|place| place.show) {
                None | Some(Show::Own(Own::Tmp | Own::Run)) => true,
                // There the link is among the host's files, or hidden, or the run's own.
                Some(_) => false,
            };
            if open_ground && !self.links.contains(link) {
                self.links.push(link.clone());
            }
        }
    }
}

/// What a run has of its own, but for what the policy names itself.
fn own_places(files: &Filesystem) -> Vec<Place> {
    let named = |path: &str| {
        let path = Path::new(path);
        files.rules.iter().any(|rule| rule.path == path && rule.access.grants())
    };
    let whole = named("/");
    let mut own =
        vec![Place::new("/proc", Show::Own(Own::Proc)), Place::new("/dev", Show::Own(Own::Dev))];
    if (whole || files.scratch) && !named("/tmp") {
        own.push(Place::new("/tmp", Show::Own(Own::Tmp)));
    }
    if whole && !named("/run") {
        own.push(Place::new("/run", Show::Own(Own::Run)));
    }
    own
}

fn socket_rules(sockets: &UnixSockets) -> &[Rule] {
    match sockets {
        UnixSockets::Paths(rules) => rules,
        UnixSockets::None | UnixSockets::Inside | UnixSockets::All => &[],
    }
}

/// The folders between a folder and a path below it, outermost first, without the two.
fn between(root: &Path, path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> =
        path.ancestors().skip(1).take_while(|folder| *folder != root).map(Path::to_owned).collect();
    folders.reverse();
    folders
}

#[cfg(test)]
mod tests;
