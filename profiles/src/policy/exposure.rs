//! Names of environment variables that a wildcard must not carry into a run.
//!
//! The allow list of a profile is the rule; this list only keeps a broad wildcard from meaning more
//! than its author thought of. Who writes a name in full means it.

use std::ffi::OsStr;

/// Names that make programs load code, run helpers, or read another configuration, and names that
/// lead to services of the host. An entry that ends in `*` is a prefix.
const COMMANDING: &[&str] = &[
    "LD_*",
    "DYLD_*",
    "GLIBC_*",
    "MALLOC_*",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "HOSTALIASES",
    "BASH_*",
    "BASHOPTS",
    "SHELLOPTS",
    "ENV",
    "IFS",
    "PS4",
    "CDPATH",
    "GLOBIGNORE",
    "FPATH",
    "PROMPT_COMMAND",
    "ZDOTDIR",
    "GIT_*",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "PYTHON*",
    "PERL*",
    "RUBY*",
    "GEM_*",
    "BUNDLE_*",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NPM_CONFIG_*",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "MAVEN_*",
    "GRADLE_*",
    "CARGO_*",
    "RUSTC*",
    "RUSTFLAGS",
    "RUSTDOC*",
    "GOFLAGS",
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "CC",
    "CXX",
    "AR",
    "TAR_OPTIONS",
    "RSYNC_RSH",
    "SSH_*",
    "SUDO_*",
    "GPG_*",
    "DBUS_*",
    "DISPLAY",
    "WAYLAND_*",
    "XAUTHORITY",
    "XDG_*",
    "DOCKER_*",
    "CONTAINER_HOST",
    "KUBECONFIG",
    "TMUX*",
    "VSCODE_*",
    "HOME",
    "PATH",
    "TMPDIR",
];

/// Words that mark a secret, wherever they stand in a name.
const SECRET: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
    "COOKIE",
    "SESSION",
];

/// Words that mark a secret when they stand by themselves between underscores.
const SECRET_PARTS: &[&str] = &["KEY", "KEYS", "AUTH", "PASS", "PAT", "PWD", "DSN"];

/// Whether an entry of a `pass` list lets the variable of this name cross: an exact name, or a start
/// followed by `*`. A wildcard never carries what decides which code runs (`LD_*`, `BASH_ENV`) or
/// what is named like a secret; those must be written out.
pub fn passes(entry: &str, name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    match entry.strip_suffix('*') {
        Some(prefix) => bytes.starts_with(prefix.as_bytes()) && is_safe_for_wildcard(bytes),
        None => bytes == entry.as_bytes(),
    }
}

/// Whether a wildcard may carry this name. Compared without regard to case, since some programs
/// read `npm_config_…` and `NPM_CONFIG_…` alike.
fn is_safe_for_wildcard(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_uppercase();
    let commands = COMMANDING.iter().any(|listed| match listed.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == *listed,
    });
    let secret = SECRET.iter().any(|word| name.contains(word))
        || name.split('_').any(|part| SECRET_PARTS.contains(&part));
    !commands && !secret
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_safe() {
        for name in ["LC_ALL", "TERM", "CUDA_VISIBLE_DEVICES", "CI_JOB_ID", "KEYMAP", "MONKEY"] {
            assert!(is_safe_for_wildcard(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn secrets_and_commands_are_not_whatever_their_case() {
        for name in ["npm_config_script_shell", "Ld_Preload", "my_api_key", "OAUTH_TOKEN_FILE"] {
            assert!(!is_safe_for_wildcard(name.as_bytes()), "{name}");
        }
    }
}
