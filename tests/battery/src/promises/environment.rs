//! Of the environment of the runner, nothing crosses but what the profile passes.

use crate::promise::{Class, Promise, forbidden, rule, works};
use crate::scene::Scene;
use crate::verdict::Judged;

pub(super) const CLASS: Class = Class {
    name: "environment",
    about: "secrets and variables that change programs do not cross",
    rules: &[],
    promises: PROMISES,
};

const PROFILE: &[&str] = &[rule::PROFILE];

const PROMISES: &[Promise] = &[
    forbidden("a_secret_under_a_name_that_nobody_knows_does_not_cross", |scene| {
        secret(scene, "QZX_UNHEARD_OF")
    })
    .by(PROFILE),
    forbidden("a_key_of_a_model_does_not_cross", |scene| secret(scene, "ANTHROPIC_API_KEY"))
        .by(PROFILE),
    forbidden("a_key_of_a_cloud_does_not_cross", |scene| secret(scene, "AWS_SECRET_ACCESS_KEY"))
        .by(PROFILE),
    forbidden("a_token_of_a_code_host_does_not_cross", |scene| secret(scene, "GITHUB_TOKEN"))
        .by(PROFILE),
    forbidden("the_address_of_a_database_does_not_cross", |scene| secret(scene, "DATABASE_URL"))
        .by(PROFILE),
    forbidden("a_name_that_begins_like_a_harmless_one_does_not_cross", |scene| {
        secret(scene, "LANGUAGE_SERVER_TOKEN")
    })
    .by(PROFILE),
    forbidden("a_library_to_be_loaded_first_does_not_cross", |scene| crosses(scene, "LD_PRELOAD"))
        .by(PROFILE),
    forbidden("a_folder_of_libraries_does_not_cross", |scene| crosses(scene, "LD_LIBRARY_PATH"))
        .by(PROFILE),
    forbidden("an_auditor_of_the_loader_does_not_cross", |scene| crosses(scene, "LD_AUDIT"))
        .by(PROFILE),
    forbidden("a_file_that_a_shell_starts_with_does_not_cross", |scene| crosses(scene, "BASH_ENV"))
        .by(PROFILE),
    forbidden("a_file_that_python_starts_with_does_not_cross", |scene| {
        crosses(scene, "PYTHONSTARTUP")
    })
    .by(PROFILE),
    forbidden("a_folder_of_python_modules_does_not_cross", |scene| crosses(scene, "PYTHONPATH"))
        .by(PROFILE),
    forbidden("options_of_node_do_not_cross", |scene| crosses(scene, "NODE_OPTIONS")).by(PROFILE),
    forbidden("options_of_perl_do_not_cross", |scene| crosses(scene, "PERL5OPT")).by(PROFILE),
    forbidden("options_of_java_do_not_cross", |scene| crosses(scene, "JAVA_TOOL_OPTIONS"))
        .by(PROFILE),
    forbidden("a_program_that_git_runs_does_not_cross", |scene| crosses(scene, "GIT_SSH_COMMAND"))
        .by(PROFILE),
    forbidden("settings_of_git_do_not_cross", |scene| crosses(scene, "GIT_CONFIG_COUNT"))
        .by(PROFILE),
    forbidden("a_wrapper_of_a_compiler_does_not_cross", |scene| crosses(scene, "RUSTC_WRAPPER"))
        .by(PROFILE),
    forbidden("an_editor_does_not_cross", |scene| crosses(scene, "EDITOR")).by(PROFILE),
    works("the_language_crosses", |scene| scene.probe("has-variable").arg("LANG").run()?.did()),
    works("there_is_a_search_path", |scene| scene.probe("has-variable").arg("PATH").run()?.did()),
    works("a_variable_can_be_passed_on_purpose", |scene| {
        let task = scene.probe("has-variable").arg("WANTED").env("WANTED", "value");
        task.rule("--env", "WANTED").run()?.did()
    })
    .by(PROFILE),
];

fn secret(scene: &Scene<'_>, name: &str) -> Judged {
    scene.probe("tell-environment").env(name, scene.canary()).run()?.hides(scene.canary())
}

/// A value that does no harm to the runner itself.
fn crosses(scene: &Scene<'_>, name: &str) -> Judged {
    scene.probe("has-variable").arg(name).env(name, "/nonexistent").run()?.refused()
}
