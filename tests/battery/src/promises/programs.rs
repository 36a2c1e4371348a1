//! What people run all day works, and leaves nothing behind.

use std::fs;

use crate::promise::{Class, Promise, rule, works};
use crate::scene::Scene;
use crate::verdict::{At, Judged};

pub(super) const CLASS: Class = Class {
    name: "work",
    about: "shells, git, compilers and files of the workspace work",
    rules: &[],
    promises: PROMISES,
};

const WORKSPACE: &[&str] = &[rule::WORKSPACE];

const PROMISES: &[Promise] = &[
    works("files_and_folders_of_the_workspace_can_be_made_and_removed", |scene| {
        did(scene, "work-in-folder")
    })
    .by(WORKSPACE),
    works("files_and_folders_can_be_moved_across_folders", |scene| did(scene, "rename-across"))
        .by(WORKSPACE),
    works("files_can_be_linked_across_folders", |scene| did(scene, "link-across")).by(WORKSPACE),
    works("files_can_be_locked", |scene| did(scene, "lock-file")).by(WORKSPACE),
    works("folders_can_be_watched", |scene| did(scene, "watch-folder")).by(WORKSPACE),
    works("a_file_without_a_name_can_be_made_and_named", |scene| {
        scene.probe("make-unnamed-file").arg(".").arg("named").run()?.did()
    })
    .by(WORKSPACE),
    works("two_files_can_be_exchanged", |scene| {
        fs::write(scene.inside("one"), "1").at("write a file")?;
        fs::write(scene.inside("two"), "2").at("write a file")?;
        scene.probe("exchange").arg("one").arg("two").run()?.did()
    })
    .by(WORKSPACE),
    works("a_pipe_with_a_name_can_be_made", |scene| {
        scene.probe("make-pipe").arg("pipe").run()?.did()
    })
    .by(WORKSPACE),
    works("the_mode_of_a_file_can_be_changed", |scene| {
        fs::write(scene.inside("file"), "").at("write a file")?;
        scene.probe("change-mode").arg("file").run()?.did()
    })
    .by(WORKSPACE),
    works("the_times_of_a_file_can_be_changed", |scene| {
        fs::write(scene.inside("file"), "").at("write a file")?;
        scene.probe("change-times").arg("file").run()?.did()
    })
    .by(WORKSPACE),
    works("a_script_of_the_workspace_runs", |scene| {
        let script = scene.inside("script");
        fs::write(&script, "#!/bin/sh\necho ran\n").at("write a script")?;
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&script, mode).at("write a script")?;
        tool(scene, &["./script"])
    }),
    works("a_shell_with_a_pipeline_runs", |scene| {
        tool(scene, &["sh", "-c", "printf 'b\\na\\n' | sort | head -n 1"])
    }),
    works("a_shell_with_a_here_document_runs", |scene| {
        tool(scene, &["sh", "-c", "cat <<END\ntext\nEND"])
    }),
    works("a_shell_waits_for_its_background_job", |scene| {
        tool(scene, &["sh", "-c", "sleep 0.01 & wait $!"])
    }),
    works("git_makes_a_repository_and_commits", |scene| {
        let script = "mkdir r && cd r && git init -q && echo x > f && git add f && \
                      git -c user.name=n -c user.email=e@e commit -q -m m && git log --oneline";
        tool(scene, &["sh", "-c", script])
    })
    .by(WORKSPACE),
    works("git_commits_beside_protected_hooks", |scene| commits(scene, ".")).by(WORKSPACE),
    works("git_commits_beside_the_protected_hooks_of_a_repository_farther_down", |scene| {
        commits(scene, "some/folder/deep/repository")
    })
    .by(WORKSPACE),
    works("git_has_a_name_for_whoever_commits", |scene| {
        let script = "git var GIT_COMMITTER_IDENT";
        if scene.is_control() {
            return tool(scene, &["git", "--version"]);
        }
        tool(scene, &["sh", "-c", script])
    })
    .by(&[rule::PROFILE]),
    works("a_compiler_runs_and_so_does_what_it_makes", |scene| {
        fs::write(scene.inside("main.c"), "int main(void) { return 0; }\n").at("write a file")?;
        tool(scene, &["sh", "-c", "cc -o made main.c && ./made"])
    })
    .by(WORKSPACE),
    works("python_starts_processes_that_wait_for_each_other", |scene| {
        let script = "import multiprocessing as m\n\
                      def f(x): return x * x\n\
                      if __name__ == '__main__':\n\
                      \x20   with m.Pool(2) as p: print(p.map(f, [1, 2, 3]))\n";
        fs::write(scene.inside("pool.py"), script).at("write a file")?;
        tool(scene, &["/usr/bin/python3", "pool.py"])
    }),
    works("an_archive_is_made_and_read", |scene| {
        fs::write(scene.inside("file"), "text").at("write a file")?;
        tool(scene, &["sh", "-c", "tar cf a.tar file && tar xOf a.tar"])
    })
    .by(WORKSPACE),
    works("nothing_is_left_behind_in_the_workspace", |scene| {
        fs::create_dir(scene.inside(".git")).at("make a folder")?;
        let before = scene.world.listing("workspace")?;
        let verdict = scene.probe("look-at-itself").run()?.did()?;
        let after = scene.world.listing("workspace")?;
        let left: Vec<_> = after.iter().filter(|line| !before.contains(line)).cloned().collect();
        Ok(verdict.unless(!left.is_empty(), &left.join(", ")))
    }),
    works("nothing_is_left_behind_in_the_home_folder", |scene| {
        let before = scene.world.listing("home")?;
        let verdict = scene.probe("look-at-itself").run()?.did()?;
        let left = scene.world.listing("home")? != before;
        Ok(verdict.unless(left, "the home folder is another than before"))
    }),
];

fn did(scene: &Scene<'_>, word: &str) -> Judged {
    scene.probe(word).run()?.did()
}

fn tool(scene: &Scene<'_>, line: &[&str]) -> Judged {
    line.iter().fold(scene.probe("run-tool"), |task, arg| task.arg(arg)).run()?.did()
}

/// Commits in a repository that git has made before, in this folder of the workspace.
fn commits(scene: &Scene<'_>, folder: &str) -> Judged {
    let made = std::process::Command::new("git")
        .args(["init", "-q", folder])
        .current_dir(scene.world.workspace())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return Err(crate::verdict::Trouble::unavailable("git is not installed"));
    }
    let script = "cd \"$1\" && echo x > f && git add f && \
                  git -c user.name=n -c user.email=e@e commit -q -m m && git status --short";
    tool(scene, &["sh", "-c", script, "sh", folder])
}
