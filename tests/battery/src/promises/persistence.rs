//! What would be run later, outside of the sandbox, stays as it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::promise::{Class, Promise, forbidden, rule};
use crate::scene::Scene;
use crate::verdict::{At, Judged, Trouble, Verdict};
use crate::witness::Snapshot;

pub(super) const CLASS: Class = Class {
    name: "persistence",
    about: "files that start programs later are not changed (`protect`)",
    rules: &[],
    promises: PROMISES,
};

const PROTECT: &[&str] = &["protect", rule::PROTECTED, rule::WORKSPACE, rule::PROFILE];
/// A repository below the workspace, which is none itself.
const DEEP: &str = "some/folder/deep/repository";
/// It is the runner that tells, whatever the launcher can protect.
const TOLD: &[&str] = &[rule::PROTECTED, rule::WORKSPACE, rule::PROFILE];

const PROMISES: &[Promise] = &[
    forbidden("a_git_hook_is_not_changed", |scene| file(scene, ".git/hooks/pre-commit", "write"))
        .by(PROTECT),
    forbidden("a_git_hook_is_not_replaced", |scene| {
        file(scene, ".git/hooks/pre-commit", "replace")
    })
    .by(PROTECT),
    forbidden("a_git_hook_is_not_removed", |scene| file(scene, ".git/hooks/pre-commit", "remove"))
        .by(PROTECT),
    forbidden("no_git_hook_is_added", |scene| {
        repository(scene, "")?;
        unchanged(scene, ".git/hooks", "write", &[".git/hooks/post-checkout"])
    })
    .by(PROTECT),
    forbidden("the_settings_of_a_repository_are_not_changed", |scene| {
        file(scene, ".git/config", "append")
    })
    .by(PROTECT),
    forbidden("the_settings_of_a_repository_are_not_replaced", |scene| {
        file(scene, ".git/config", "replace")
    })
    .by(PROTECT),
    forbidden("a_repository_is_not_moved_away_and_built_anew", |scene| {
        repository(scene, "")?;
        unchanged(scene, "", "rename", &[".git", ".git-old"])
    })
    .by(PROTECT),
    forbidden("the_hooks_are_not_moved_away", |scene| {
        repository(scene, "")?;
        unchanged(scene, ".git", "rename", &[".git/hooks", ".git/hooks-old"])
    })
    .by(PROTECT),
    forbidden("the_hooks_are_not_exchanged_for_others", |scene| {
        repository(scene, "")?;
        fs::create_dir(scene.inside("hooks")).at("make a folder")?;
        unchanged(scene, ".git", "exchange", &[".git/hooks", "hooks"])
    })
    .by(PROTECT),
    forbidden("a_hook_of_a_repository_farther_down_is_not_changed", |scene| {
        farther_down(scene, ".git/hooks/pre-commit", "append")
    })
    .by(PROTECT),
    forbidden("a_hook_of_a_repository_farther_down_is_not_replaced", |scene| {
        farther_down(scene, ".git/hooks/pre-commit", "replace")
    })
    .by(PROTECT),
    forbidden("no_hook_is_added_to_a_repository_farther_down", |scene| {
        repository(scene, DEEP)?;
        let hook = format!("{DEEP}/.git/hooks/post-checkout");
        unchanged(scene, &format!("{DEEP}/.git/hooks"), "write", &[&hook])
    })
    .by(PROTECT),
    forbidden("the_settings_of_a_repository_farther_down_are_not_changed", |scene| {
        farther_down(scene, ".git/config", "append")
    })
    .by(PROTECT),
    forbidden("a_repository_farther_down_is_not_moved_away_and_built_anew", |scene| {
        repository(scene, DEEP)?;
        let (git, old) = (format!("{DEEP}/.git"), format!("{DEEP}/.git-old"));
        unchanged(scene, &git, "rename", &[&git, &old])
    })
    .by(PROTECT),
    forbidden("mcp_servers_are_not_changed", |scene| plain(scene, ".mcp.json")).by(PROTECT),
    forbidden("mcp_servers_are_not_replaced", |scene| replaced(scene, ".mcp.json")).by(PROTECT),
    forbidden("the_settings_of_an_assistant_are_not_changed", |scene| {
        plain(scene, ".claude/settings.json")
    })
    .by(PROTECT),
    forbidden("the_folder_of_an_assistants_settings_is_not_moved_away", |scene| {
        settings(scene, ".claude/settings.json")?;
        unchanged(scene, "", "rename", &[".claude", ".claude-old"])
    })
    .by(PROTECT),
    forbidden("the_rules_of_an_editor_are_not_changed", |scene| plain(scene, ".cursor/mcp.json"))
        .by(PROTECT),
    forbidden("nothing_is_added_to_the_rules_of_an_editor", |scene| {
        settings(scene, ".cursor/rules")?;
        unchanged(scene, ".cursor", "write", &[".cursor/hooks.json"])
    })
    .by(PROTECT),
    forbidden("the_tasks_of_an_editor_are_not_changed", |scene| plain(scene, ".vscode/tasks.json"))
        .by(PROTECT),
    forbidden("the_settings_of_an_editor_are_not_changed", |scene| {
        plain(scene, ".vscode/settings.json")
    })
    .by(PROTECT),
    forbidden("the_variables_of_a_folder_are_not_changed", |scene| plain(scene, ".envrc"))
        .by(PROTECT),
    forbidden("the_container_of_a_workspace_is_not_changed", |scene| {
        plain(scene, ".devcontainer/devcontainer.json")
    })
    .by(PROTECT),
    forbidden("a_protected_file_is_not_moved_away_by_a_link_to_its_folder", |scene| {
        settings(scene, ".vscode/tasks.json")?;
        std::os::unix::fs::symlink(".vscode", scene.inside("link")).at("make a link")?;
        unchanged(scene, ".vscode/tasks.json", "write", &["link/tasks.json"])
    })
    .by(PROTECT),
    forbidden("a_hook_that_did_not_exist_is_told", |scene| {
        told(scene, ".git/hooks/pre-push", ".git/hooks")
    })
    .by(TOLD),
    forbidden("mcp_servers_that_did_not_exist_are_told", |scene| {
        told(scene, ".mcp.json", ".mcp.json")
    })
    .by(TOLD),
    forbidden("variables_that_did_not_exist_are_told", |scene| told(scene, ".envrc", ".envrc"))
        .by(TOLD),
    forbidden("an_assistants_settings_that_did_not_exist_are_told", |scene| {
        told(scene, ".claude/settings.json", ".claude/settings.json")
    })
    .by(TOLD),
    forbidden("a_folder_that_a_profile_protects_stays_as_it_is", |scene| {
        settings(scene, "fixed/file")?;
        let before = Snapshot::of(scene.inside("fixed/file"));
        let task = scene.probe("write").arg("fixed/file").rule("--profile", fixed(scene)?);
        task.rule("--profile", "workspace").run()?.without(before.changed(), "the file was changed")
    })
    .by(PROTECT),
];

fn settings(scene: &Scene<'_>, path: &str) -> Result<PathBuf, Trouble> {
    let path = scene.inside(path);
    fs::create_dir_all(path.parent().unwrap_or(&path)).at("make a folder")?;
    fs::write(&path, "{}\n").at("write a file")?;
    Ok(path)
}

/// A repository as git makes it, without git.
fn repository(scene: &Scene<'_>, folder: &str) -> Result<(), Trouble> {
    let git = Path::new(folder).join(".git");
    for (name, text) in [
        ("hooks/pre-commit", "#!/bin/sh\n"),
        ("config", "[core]\n\tbare = false\n"),
        ("HEAD", "ref: refs/heads/main\n"),
    ] {
        let path = scene.inside(git.join(name));
        fs::create_dir_all(path.parent().unwrap_or(&path)).at("make a folder")?;
        fs::write(path, text).at("write a file")?;
    }
    for name in ["objects", "refs"] {
        fs::create_dir_all(scene.inside(git.join(name))).at("make a folder")?;
    }
    Ok(())
}

fn file(scene: &Scene<'_>, path: &str, word: &str) -> Judged {
    repository(scene, "")?;
    unchanged(scene, path, word, &[path])
}

fn farther_down(scene: &Scene<'_>, path: &str, word: &str) -> Judged {
    repository(scene, DEEP)?;
    let path = format!("{DEEP}/{path}");
    unchanged(scene, &path, word, &[&path])
}

fn plain(scene: &Scene<'_>, path: &str) -> Judged {
    settings(scene, path)?;
    unchanged(scene, path, "write", &[path])
}

fn replaced(scene: &Scene<'_>, path: &str) -> Judged {
    settings(scene, path)?;
    unchanged(scene, path, "replace", &[path])
}

/// Tries a word on paths of the workspace; one of them is watched.
fn unchanged(scene: &Scene<'_>, watched: &str, word: &str, args: &[&str]) -> Judged {
    // The workspace as a whole changes in any case: of it, the names that matter are watched.
    let names = [".git", ".claude", ".mcp.json"];
    let paths = match watched {
        "" => names.map(|name| scene.inside(name)).to_vec(),
        path => vec![scene.inside(path)],
    };
    let before: Vec<_> = paths.iter().map(Snapshot::of).collect();
    let task = args.iter().fold(scene.probe(word), |task, arg| task.arg(arg));
    let report = task.run()?;
    report.without(before.iter().any(Snapshot::changed), "what is protected was changed")
}

/// What is not there can be made; the runner says so, by the path that the profile protects.
fn told(scene: &Scene<'_>, path: &str, protected: &str) -> Judged {
    let report = scene.probe("make-tree").arg(path).run()?;
    if !scene.inside(path).exists() {
        return Err(Trouble::NeverRan(format!("nothing was made: {:?}", report.said)));
    }
    let stderr = String::from_utf8_lossy(&report.output.stderr);
    let protected = format!("`{}`", scene.inside(protected).display());
    let says = |line: &str| line.contains("has created") && line.contains(&protected);
    Ok(match stderr.lines().any(says) {
        true => Verdict::Held("it was made, and told".to_owned()),
        false => Verdict::Broken("it was made, and nobody said so".to_owned()),
    })
}

/// A profile in which a folder of the workspace may only be read.
fn fixed(scene: &Scene<'_>) -> Result<PathBuf, Trouble> {
    let path = scene.outside("fixed.toml");
    let text = "[filesystem]\nprotect = [\"${workspace}/fixed\"]\n";
    fs::write(&path, text).at("write a profile")?;
    Ok(path)
}
