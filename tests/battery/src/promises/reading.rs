//! What lies outside of the profile's folders is not read.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::promise::{Class, Promise, forbidden, rule};
use crate::scene::Scene;
use crate::verdict::{At, Judged, Trouble};

pub(super) const CLASS: Class = Class {
    name: "reading",
    about: "files are read only where the profile says so",
    rules: &[],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    forbidden("a_secret_is_not_read_by_its_path", |scene| read(scene, scene.secret())),
    forbidden("a_secret_is_not_read_by_dot_dot", |scene| read(scene, "../outside/secret".into())),
    forbidden("a_secret_is_not_read_through_a_link_that_was_there", |scene| {
        symlink(scene.secret(), scene.inside("link")).at("make a link")?;
        read(scene, "link".into())
    }),
    forbidden("a_secret_is_not_read_through_a_link_to_its_folder", |scene| {
        symlink("../outside", scene.inside("link")).at("make a link")?;
        read(scene, "link/secret".into())
    }),
    forbidden("a_secret_is_not_read_through_a_link_that_the_run_makes", |scene| {
        by(scene, "read-by-link")
    })
    .by(&[rule::WORKSPACE]),
    forbidden("a_secret_is_not_read_while_a_link_is_swapped", |scene| {
        by(scene, "read-by-swapped-link")
    })
    .by(&[rule::WORKSPACE]),
    forbidden("a_secret_is_not_read_through_proc_self_root", |scene| {
        read(scene, below("/proc/self/root", &scene.secret()))
    }),
    forbidden("a_secret_is_not_read_through_proc_self_cwd", |scene| {
        read(scene, "/proc/self/cwd/../outside/secret".into())
    }),
    forbidden("a_secret_is_not_read_through_the_root_of_process_1", |scene| {
        read(scene, below("/proc/1/root", &scene.secret()))
    }),
    forbidden("a_secret_is_not_read_through_the_root_of_the_parent", |scene| {
        scene.probe("read-through-parent").arg(scene.secret()).run()?.hides(scene.canary())
    }),
    forbidden("a_secret_is_not_read_by_opening_an_o_path_descriptor_again", |scene| {
        by(scene, "read-reopened")
    }),
    forbidden("a_secret_is_not_read_by_openat2", |scene| by(scene, "read-openat2")),
    forbidden("a_secret_is_not_read_from_within_its_folder", |scene| {
        let task = scene.probe("read-in-folder").arg(scene.outside("")).arg("secret");
        task.run()?.hides(scene.canary())
    }),
    forbidden("a_secret_is_not_read_by_the_32_bit_entry", |scene| {
        by(scene, "read-by-32-bit-entry")
    }),
    forbidden("a_secret_is_not_read_by_hard_linking_it_in", |scene| by(scene, "read-by-hard-link"))
        .by(&[rule::WORKSPACE]),
    forbidden("a_secret_is_not_read_by_moving_it_in", |scene| by(scene, "read-by-rename"))
        .by(&[rule::WORKSPACE]),
    forbidden("a_secret_is_not_read_by_exchanging_it_for_a_file", |scene| {
        by(scene, "read-by-exchange")
    })
    .by(&[rule::WORKSPACE]),
    forbidden("a_sibling_whose_name_begins_like_the_workspace_is_not_read", |scene| {
        read(scene, scene.world.path("workspace-evil/secret"))
    }),
    forbidden("a_folder_outside_is_not_listed", |scene| {
        fs::write(scene.outside(scene.canary()), "").at("write a file")?;
        let task = scene.probe("list").arg(scene.outside(""));
        task.run()?.hides(scene.canary())
    }),
    forbidden("a_program_outside_is_not_run", |scene| {
        let task = scene.probe("run-program").arg(script(scene)?);
        task.run()?.hides(scene.canary())
    }),
    forbidden("a_program_outside_is_not_run_through_the_loader", |scene| {
        let program = scene.outside("program");
        fs::copy("/bin/true", &program).at("copy a program")?;
        scene.probe("run-by-loader").arg(program).run()?.refused()
    }),
    forbidden("what_is_denied_in_the_workspace_is_not_read", |scene| {
        let denied = scene.inside("denied");
        fs::write(&denied, scene.world.text()).at("write a file")?;
        let task = scene.probe("read").arg(&denied).rule("--deny", &denied);
        task.run()?.hides(scene.canary())
    })
    .by(&["deny", rule::PROFILE]),
    forbidden("what_is_denied_in_the_workspace_is_not_moved_into_sight", |scene| {
        let folder = scene.inside("denied");
        fs::create_dir(&folder).at("make a folder")?;
        fs::write(folder.join("secret"), scene.world.text()).at("write a file")?;
        let task = scene.probe("read-by-rename").arg(folder.join("secret"));
        task.rule("--deny", &folder).run()?.hides(scene.canary())
    })
    .by(&["deny", rule::PROFILE]),
    forbidden("what_is_denied_is_not_uncovered_by_moving_the_folder_above", |scene| {
        let folder = scene.inside("above/denied");
        fs::create_dir_all(&folder).at("make a folder")?;
        fs::write(folder.join("secret"), scene.world.text()).at("write a file")?;
        let task = scene.probe("read-after-rename").arg(scene.inside("above")).arg("denied/secret");
        task.rule("--deny", &folder).run()?.hides(scene.canary())
    })
    .by(&["deny", rule::PROFILE]),
    forbidden("an_ssh_key_is_not_read", |scene| credential(scene, ".ssh/id_ed25519"))
        .by(&[rule::HOME]),
    forbidden("cloud_credentials_are_not_read", |scene| credential(scene, ".aws/credentials"))
        .by(&[rule::HOME]),
    forbidden("cloud_tokens_in_the_configuration_folder_are_not_read", |scene| {
        credential(scene, ".config/gcloud/credentials.db")
    })
    .by(&[rule::HOME]),
    forbidden("cluster_credentials_are_not_read", |scene| credential(scene, ".kube/config"))
        .by(&[rule::HOME]),
    forbidden("container_registry_tokens_are_not_read", |scene| {
        credential(scene, ".docker/config.json")
    })
    .by(&[rule::HOME]),
    forbidden("signing_keys_are_not_read", |scene| {
        credential(scene, ".gnupg/private-keys-v1.d/key")
    })
    .by(&[rule::HOME]),
    forbidden("network_passwords_are_not_read", |scene| credential(scene, ".netrc"))
        .by(&[rule::HOME]),
    forbidden("git_credentials_are_not_read", |scene| credential(scene, ".git-credentials"))
        .by(&[rule::HOME]),
    forbidden("package_registry_tokens_are_not_read", |scene| credential(scene, ".npmrc"))
        .by(&[rule::HOME]),
    forbidden("tokens_beside_a_toolchain_are_not_read", |scene| {
        let bin = scene.home(".cargo/bin");
        fs::create_dir_all(bin).at("make a folder")?;
        credential(scene, ".cargo/credentials.toml")
    })
    .by(&[rule::HOME]),
    forbidden("shell_history_is_not_read", |scene| credential(scene, ".bash_history"))
        .by(&[rule::HOME]),
    forbidden("browser_profiles_are_not_read", |scene| {
        credential(scene, ".mozilla/firefox/cookies.sqlite")
    })
    .by(&[rule::HOME]),
    forbidden("another_project_is_not_read", |scene| credential(scene, "other-project/.env"))
        .by(&[rule::HOME]),
    forbidden("the_home_folder_is_not_listed", |scene| {
        fs::write(scene.home(scene.canary()), "").at("write a file")?;
        scene.probe("list").arg(scene.home("")).run()?.hides(scene.canary())
    })
    .by(&[rule::HOME]),
    forbidden("the_password_hashes_are_not_read", |scene| open(scene, "/etc/shadow")),
    forbidden("the_keys_of_the_ssh_server_are_not_read", |scene| {
        let key = "/etc/ssh/ssh_host_ed25519_key";
        open(scene, key)
    }),
    forbidden("the_folders_of_services_are_not_listed", |scene| {
        scene.probe("list").arg("/var/lib").run()?.refused()
    }),
    forbidden("a_disk_is_not_read", |scene| open(scene, &disk()?)),
    forbidden("physical_memory_is_not_read", |scene| open(scene, "/dev/mem")),
    forbidden("the_log_of_the_kernel_is_not_read", |scene| open(scene, "/dev/kmsg")),
    forbidden("the_memory_of_the_kernel_is_not_read", |scene| open(scene, "/proc/kcore")),
    forbidden("virtual_machines_are_not_made", |scene| open(scene, "/dev/kvm")),
    forbidden("network_devices_are_not_made", |scene| open(scene, "/dev/net/tun")),
    forbidden("file_systems_in_user_space_are_not_made", |scene| open(scene, "/dev/fuse")),
    forbidden("loop_devices_are_not_made", |scene| open(scene, "/dev/loop-control")),
];

fn read(scene: &Scene<'_>, path: PathBuf) -> Judged {
    scene.probe("read").arg(path).run()?.hides(scene.canary())
}

/// By another word than `read`.
fn by(scene: &Scene<'_>, word: &str) -> Judged {
    scene.probe(word).arg(scene.secret()).run()?.hides(scene.canary())
}

fn credential(scene: &Scene<'_>, path: &str) -> Judged {
    read(scene, scene.home(path))
}

/// Opens what must not even be opened; nothing of it is read.
fn open(scene: &Scene<'_>, path: &str) -> Judged {
    match Path::new(path).symlink_metadata() {
        Ok(_) => scene.probe("open").arg(path).run()?.refused(),
        Err(_) => Err(Trouble::unavailable(format!("there is no {path} on this machine"))),
    }
}

fn below(root: &str, path: &Path) -> PathBuf {
    Path::new(root).join(path.strip_prefix("/").unwrap_or(path))
}

/// A script outside that prints the secret.
fn script(scene: &Scene<'_>) -> Result<PathBuf, Trouble> {
    let path = scene.outside("script");
    fs::write(&path, format!("#!/bin/sh\necho {}\n", scene.canary())).at("write a script")?;
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).at("write a script")?;
    Ok(path)
}

/// The first disk of this machine.
fn disk() -> Result<String, Trouble> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let mut nodes = entries.map(|entry| Path::new("/dev").join(entry.file_name()));
    let found = nodes.find(|node| node.exists());
    let disk = found.ok_or_else(|| Trouble::unavailable("no disk has a device here"))?;
    Ok(disk.display().to_string())
}
