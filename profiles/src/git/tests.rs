use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A repository `main` with a linked worktree `tree`, as git lays them out.
fn worktree_folder() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let own = top.join("main/.git/worktrees/tree");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir(top.join("tree")).unwrap();
    fs::write(top.join("tree/.git"), format!("gitdir: {}\n", own.display())).unwrap();
    fs::write(own.join("gitdir"), format!("{}/tree/.git\n", top.display())).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    (folder, top, own)
}

/// A superproject `super` with the submodule `lib`.
fn submodule_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let git = top.join("super/.git/modules/lib");
    fs::create_dir_all(&git).unwrap();
    fs::create_dir(top.join("super/lib")).unwrap();
    fs::write(top.join("super/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(top.join("super/lib/.git"), "gitdir: ../.git/modules/lib\n").unwrap();
    fs::write(git.join("config"), "[core]\n\tbare = false\n\tworktree = ../../../lib\n").unwrap();
    (folder, top)
}

#[test]
fn an_ordinary_repository_has_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    assert!(find(&top).is_err());
    fs::create_dir(top.join(".git")).unwrap();
    assert_eq!(find(&top).unwrap(), GitDir { common: top.join(".git"), worktree: None });
}

#[test]
fn a_linked_worktree_leads_to_the_common_directory() {
    let (_keep, top, own) = worktree_folder();
    let found = find(&top.join("tree")).unwrap();
    assert_eq!(found, GitDir { common: top.join("main/.git"), worktree: Some(own) });
}

#[test]
fn relative_records_of_a_worktree_are_followed() {
    let (_keep, top, own) = worktree_folder();
    fs::write(top.join("tree/.git"), "gitdir: ../main/.git/worktrees/tree\n").unwrap();
    fs::write(own.join("gitdir"), "../../../../tree/.git\n").unwrap();
    assert_eq!(find(&top.join("tree")).unwrap().common, top.join("main/.git"));
}

#[test]
fn a_worktree_that_another_one_claims_is_refused() {
    let (_keep, top, _) = worktree_folder();
    fs::create_dir(top.join("thief")).unwrap();
    fs::copy(top.join("tree/.git"), top.join("thief/.git")).unwrap();
    assert!(find(&top.join("thief")).unwrap_err().contains("another worktree"));
}

#[test]
fn a_forged_common_directory_is_refused() {
    let (_keep, top, _) = worktree_folder();
    let own = top.join("tree/forged/worktrees/x");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir(top.join("victim")).unwrap();
    fs::write(top.join("tree/.git"), format!("gitdir: {}\n", own.display())).unwrap();
    fs::write(own.join("gitdir"), format!("{}/tree/.git\n", top.display())).unwrap();
    fs::write(own.join("commondir"), format!("{}\n", top.join("victim").display())).unwrap();
    assert!(find(&top.join("tree")).unwrap_err().contains("is no worktree of"));
    // Nor does a link that looks like the right folder help.
    symlink(top.join("tree/forged/worktrees"), top.join("victim/worktrees")).unwrap();
    assert!(find(&top.join("tree")).is_err());
}

#[test]
fn a_submodule_leads_to_its_folder_in_the_superproject() {
    let (_keep, top) = submodule_folder();
    let found = find(&top.join("super/lib")).unwrap();
    assert_eq!(found.common, top.join("super/.git/modules/lib"));
}

#[test]
fn a_submodule_that_points_elsewhere_is_refused() {
    let (_keep, top) = submodule_folder();
    fs::create_dir(top.join("thief")).unwrap();
    fs::write(top.join("thief/.git"), "gitdir: ../super/.git/modules/lib\n").unwrap();
    assert!(find(&top.join("thief")).unwrap_err().contains("does not point back"));
}

#[test]
fn a_folder_that_is_no_git_directory_is_refused() {
    let (_keep, top) = submodule_folder();
    fs::write(top.join("super/lib/.git"), format!("gitdir: {}\n", top.display())).unwrap();
    assert!(find(&top.join("super/lib")).is_err());
    fs::write(top.join("super/lib/.git"), "nonsense").unwrap();
    assert!(find(&top.join("super/lib")).is_err());
    fs::write(top.join("super/lib/.git"), "gitdir: /nonexistent/x\n").unwrap();
    assert!(find(&top.join("super/lib")).is_err());
}

#[test]
fn a_link_must_stay_inside_the_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    fs::create_dir_all(top.join("ws/store")).unwrap();
    fs::create_dir(top.join("out")).unwrap();
    symlink("store", top.join("ws/.git")).unwrap();
    assert_eq!(find(&top.join("ws")).unwrap().common, top.join("ws/store"));
    fs::remove_file(top.join("ws/.git")).unwrap();
    symlink("../out", top.join("ws/.git")).unwrap();
    assert!(find(&top.join("ws")).unwrap_err().contains("leads out"));
}

#[test]
fn the_configuration_of_git_is_read_as_git_writes_it() {
    let config = "[remote \"core\"]\n\tworktree = no\n[Core]\n\tWorkTree = \"../a \\\"b\"\n[x]\n";
    assert_eq!(core_worktree(config).unwrap(), "../a \"b");
    assert_eq!(core_worktree("[core]\n\tbare = true\n"), None);
}
