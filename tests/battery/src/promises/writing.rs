//! Nothing outside of the writable folders is written, made, moved or removed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

use crate::promise::{Class, Promise, forbidden, rule};
use crate::scene::Scene;
use crate::verdict::{At, Judged, Trouble, Verdict};
use crate::witness::Snapshot;

pub(super) const CLASS: Class = Class {
    name: "writing",
    about: "nothing is written, made, moved or removed outside of the workspace",
    rules: &[],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    forbidden("a_file_outside_is_not_written", |scene| target(scene, "write")),
    forbidden("a_file_outside_is_not_appended_to", |scene| target(scene, "append")),
    forbidden("a_file_outside_is_not_emptied_when_it_is_opened", |scene| {
        target(scene, "empty-by-open")
    }),
    forbidden("a_file_outside_is_not_emptied_by_its_path", |scene| target(scene, "truncate"))
        .by(&["truncate"]),
    forbidden("a_file_outside_is_not_removed", |scene| target(scene, "remove")),
    forbidden("a_file_outside_is_not_replaced", |scene| target(scene, "replace")),
    forbidden("a_file_outside_is_not_written_through_a_link_that_was_there", |scene| {
        symlink(scene.secret(), scene.inside("link")).at("make a link")?;
        unchanged(scene, &scene.secret(), "write", &["link".into()])
    }),
    forbidden("a_file_outside_is_not_written_through_a_link_that_the_run_makes", |scene| {
        target(scene, "write-by-link")
    }),
    forbidden("a_file_outside_is_not_written_while_a_link_is_swapped", |scene| {
        target(scene, "write-by-swapped-link")
    }),
    forbidden("a_file_outside_is_not_written_through_proc_self_root", |scene| {
        let secret = scene.secret();
        let path = Path::new("/proc/self/root").join(secret.strip_prefix("/").unwrap_or(&secret));
        unchanged(scene, &secret, "write", &[path])
    }),
    forbidden("a_file_outside_is_not_written_through_proc_self_cwd", |scene| {
        let path = PathBuf::from("/proc/self/cwd/../outside/secret");
        unchanged(scene, &scene.secret(), "write", &[path])
    }),
    forbidden("a_file_that_may_only_be_read_is_not_opened_again_for_writing", |scene| {
        let secret = scene.secret();
        let before = Snapshot::of(&secret);
        let task = scene.probe("write-reopened").arg(&secret).rule("--read", &secret);
        task.run()?.without(before.changed(), "the file was changed")
    })
    .by(&[rule::PROFILE]),
    forbidden("a_file_that_may_only_be_read_is_not_written", |scene| {
        let secret = scene.secret();
        let before = Snapshot::of(&secret);
        let task = scene.probe("write").arg(&secret).rule("--read", scene.outside(""));
        task.run()?.without(before.changed(), "the file was changed")
    })
    .by(&[rule::PROFILE]),
    forbidden("a_sibling_whose_name_begins_like_the_workspace_is_not_written", |scene| {
        let path = scene.world.path("workspace-evil/secret");
        unchanged(scene, &path, "write", std::slice::from_ref(&path))
    }),
    forbidden("no_file_is_made_outside", |scene| made(scene, "write")),
    forbidden("no_folder_is_made_outside", |scene| made(scene, "make-folder")),
    forbidden("no_folder_is_removed_outside", |scene| {
        let folder = scene.outside("folder");
        fs::create_dir(&folder).at("make a folder")?;
        unchanged(scene, &folder, "remove-folder", std::slice::from_ref(&folder))
    }),
    forbidden("no_pipe_is_made_outside", |scene| made(scene, "make-pipe")),
    forbidden("no_node_is_made_outside", |scene| made(scene, "make-file-node")),
    forbidden("no_link_is_made_outside", |scene| made(scene, "make-link")),
    forbidden("no_socket_is_made_outside", |scene| made(scene, "make-socket")),
    forbidden("no_unnamed_file_gets_a_name_outside", |scene| {
        let (folder, new) = (scene.outside(""), scene.outside("new"));
        unchanged(scene, &folder, "make-unnamed-file", &[folder.clone(), new])
    }),
    forbidden("nothing_is_moved_out_of_the_workspace", |scene| {
        fs::write(scene.inside("file"), "").at("write a file")?;
        into_outside(scene, "rename")
    }),
    forbidden("nothing_is_linked_out_of_the_workspace", |scene| {
        fs::write(scene.inside("file"), "").at("write a file")?;
        into_outside(scene, "hard-link")
    }),
    forbidden("nothing_is_exchanged_with_a_file_outside", |scene| {
        fs::write(scene.inside("file"), "").at("write a file")?;
        let secret = scene.secret();
        unchanged(scene, &secret, "exchange", &[scene.inside("file"), secret.clone()])
    }),
    forbidden("nothing_is_moved_within_a_folder_outside", |scene| {
        let (from, to) = (scene.secret(), scene.outside("moved"));
        unchanged(scene, &scene.outside(""), "rename", &[from, to])
    }),
    forbidden("the_workspace_itself_is_not_moved", |scene| {
        let to = scene.world.path("moved");
        unchanged(scene, &scene.world.path(""), "rename", &[scene.world.workspace(), to])
    }),
    forbidden("the_folder_above_the_workspace_is_not_written", |scene| {
        let path = scene.world.path("new");
        unchanged(scene, &scene.world.path(""), "write", &[path])
    }),
    forbidden("a_pipe_outside_is_not_written_to", pipe),
    forbidden("shell_start_files_are_not_appended_to", |scene| {
        let file = scene.home(".bashrc");
        fs::write(&file, "").at("write a file")?;
        unchanged(scene, &file, "append", std::slice::from_ref(&file))
    })
    .by(&[rule::HOME]),
    forbidden("no_key_is_added_for_ssh_logins", |scene| at_home(scene, ".ssh/authorized_keys"))
        .by(&[rule::HOME]),
    forbidden("no_program_is_put_on_the_path_at_home", |scene| {
        fs::create_dir_all(scene.home(".local/bin")).at("make a folder")?;
        at_home(scene, ".local/bin/ls")
    })
    .by(&[rule::HOME]),
    forbidden("no_git_settings_are_written_at_home", |scene| at_home(scene, ".gitconfig"))
        .by(&[rule::HOME]),
    forbidden("no_program_starts_with_the_desktop", |scene| {
        at_home(scene, ".config/autostart/evil.desktop")
    })
    .by(&[rule::HOME]),
    forbidden("no_service_is_installed_for_the_user", |scene| {
        at_home(scene, ".config/systemd/user/evil.service")
    })
    .by(&[rule::HOME]),
    forbidden("no_profile_of_cofferdam_is_written", |scene| {
        at_home(scene, ".config/cofferdam/profiles/workspace.toml")
    })
    .by(&[rule::HOME]),
    forbidden("nothing_is_written_in_the_shared_temporary_folder", |scene| {
        shared(scene, Path::new("/tmp"))
    }),
    forbidden("nothing_is_written_in_the_persistent_temporary_folder", |scene| {
        shared(scene, Path::new("/var/tmp"))
    }),
    forbidden("the_settings_of_the_system_are_not_writable", |scene| {
        scene.probe("open-for-writing").arg("/etc/passwd").run()?.refused()
    }),
    forbidden("the_programs_of_the_system_are_not_writable", |scene| {
        let folder = format!("/usr/local/bin/{}", scene.canary());
        let path = PathBuf::from(folder);
        let report = scene.probe("make-folder").arg(&path).run()?;
        let was_made = fs::remove_dir(&path).is_ok();
        report.without(was_made, "a folder in /usr/local/bin")
    }),
    forbidden("devices_are_not_made", |scene| {
        // The numbers of /dev/null: harmless, and as forbidden as any other.
        let task = scene.probe("make-device").arg("device").arg("character").arg("1").arg("3");
        task.run()?.refused()
    })
    .by(&[rule::WORKSPACE]),
];

/// Tries a word on the file outside.
fn target(scene: &Scene<'_>, word: &str) -> Judged {
    let secret = scene.secret();
    unchanged(scene, &secret, word, std::slice::from_ref(&secret))
}

/// Tries a word on a name outside that nothing has yet.
fn made(scene: &Scene<'_>, word: &str) -> Judged {
    unchanged(scene, &scene.outside(""), word, &[scene.outside("new")])
}

fn into_outside(scene: &Scene<'_>, word: &str) -> Judged {
    unchanged(scene, &scene.outside(""), word, &[scene.inside("file"), scene.outside("new")])
}

fn at_home(scene: &Scene<'_>, path: &str) -> Judged {
    let path = scene.home(path);
    let report = scene.probe("make-tree").arg(&path).run()?;
    report.without(path.exists(), "the file is there")
}

/// Tries a word; what is watched must be as it was. Inside, the same name may lead elsewhere.
fn unchanged(scene: &Scene<'_>, watched: &Path, word: &str, args: &[PathBuf]) -> Judged {
    let before = Snapshot::of(watched);
    let task = args.iter().fold(scene.probe(word), |task, arg| task.arg(arg));
    task.run()?.without(before.changed(), "what is outside was changed")
}

/// A folder that every user writes, and that a run has one of its own for.
fn shared(scene: &Scene<'_>, folder: &Path) -> Judged {
    let path = folder.join(format!("battery-{}", scene.canary()));
    let report = scene.probe("write").arg(&path).run()?;
    let was_made = fs::remove_file(&path).is_ok();
    report.without(was_made, "the file is in the shared folder")
}

/// Somebody outside reads from it.
fn pipe(scene: &Scene<'_>) -> Judged {
    let path = scene.outside("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).at("make a pipe")?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let reader = rustix::fs::open(&path, flags, Mode::empty()).at("open a pipe")?;
    let report = scene.probe("write-to-pipe").arg(&path).run()?;
    let came = rustix::io::read(&reader, &mut [0; 64]).is_ok_and(|count| count > 0);
    let verdict: Result<Verdict, Trouble> = report.refused();
    Ok(verdict?.unless(came, "something came out of the pipe"))
}
