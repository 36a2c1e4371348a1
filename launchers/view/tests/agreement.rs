//! What a policy says when it is asked is what a run finds in its view.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use cofferdam_profiles::{
    Answer, Context, Grants, Inside, Kind, Question, Source, resolve, shipped,
};
use cofferdam_view::{Show, View};

#[test]
fn a_policy_answers_as_its_view_shows() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let workspace = folder.path().canonicalize().unwrap();
    fs::create_dir_all(workspace.join(".git/hooks")).unwrap();
    fs::write(workspace.join(".git/config"), "").unwrap();
    let mut asked = 0;
    for profile in shipped() {
        let context = Context::from_environment(&workspace);
        let grants = Grants { deny: vec![workspace.join(".git/hooks")], ..Grants::default() };
        let policy = resolve(&Source::parse(profile.name), &grants, &context).unwrap();
        let view = View::compile(&policy.filesystem, &policy.network.unix_sockets);
        let mut paths: BTreeSet<PathBuf> = ["/", "/proc/1", "/dev/null", "/tmp/x", "/etc/shadow"]
            .iter()
            .map(PathBuf::from)
            .collect();
        for rule in &policy.filesystem.rules {
            paths.extend([rule.path.clone(), rule.written.clone()]);
            // A file has nothing below it.
            paths.extend((rule.kind != Kind::File).then(|| rule.path.join("below")));
            paths.extend(rule.path.parent().map(|parent| parent.join("beside")));
        }
        for path in paths {
            let ask = |question| policy.ask(&question, &Inside::new(true));
            let read = ask(Question::Read(path.clone()));
            let write = ask(Question::Write(path.clone()));
            let show = view.show(read.path.as_deref().unwrap());
            let told = (read.answer, write.answer);
            let (allowed, refused) = (Answer::Allowed, Answer::Refused);
            let expected = match show {
                Some(Show::Own(_)) => (Answer::Own, Answer::Own),
                Some(Show::Write | Show::Device) => (allowed, allowed),
                Some(Show::Read) => (allowed, refused),
                Some(Show::Hide { .. }) | None => (refused, refused),
            };
            assert_eq!(told, expected, "{}: {path:?} is {show:?}", profile.name);
            asked += 1;
        }
    }
    assert!(asked > 500, "{asked}");
}
