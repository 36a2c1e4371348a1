//! What an operator should know, on standard error.

use std::io::{self, Write};

use crate::config::{Allow, Config, Instance};

/// Says, once for each instance, that nothing confines its commands.
pub(super) fn unconfined(config: &Config) {
    config.instances.iter().filter_map(line).for_each(|line| tell(&line));
}

/// Tells the operator one thing.
pub(super) fn tell(line: &str) {
    // A client that has gone may have closed it, and that must not stop anything.
    let _ = writeln!(io::stderr().lock(), "cofferdam: {line}");
}

/// Says where a server listens, where its token is, and who can read the traffic.
#[cfg(all(feature = "http", feature = "cli"))]
pub(super) fn listening(server: &super::HttpServer) {
    tell(&format!("listening on {}", server.url()));
    if let Some(file) = server.token_file() {
        tell(&format!(
            "clients send `Authorization: Bearer TOKEN`; the token is in {}",
            file.display()
        ));
    }
    if server.is_public() {
        tell(
            "there is no TLS: everyone on the way can read the traffic, the token included; use a \
             loopback address behind a proxy with TLS or an SSH tunnel",
        );
    }
}

fn line(instance: &Instance) -> Option<String> {
    if instance.settings.launcher().sandboxes() {
        return None;
    }
    let what = match instance.settings.allow() {
        Allow::Any => "any command may run, unconfined",
        Allow::Only(_) => "commands run unconfined",
    };
    Some(format!(
        "{}: {what}; add \"launcher\": \"auto\" (on the command line `--launcher auto`) to sandbox \
         them",
        instance.key
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::Format;

    use super::*;

    fn lines(tools: &str) -> Vec<String> {
        let text = format!(r#"{{"name": "x", "tools": {tools}}}"#);
        let config = Config::from_text(&text, Format::Json, Path::new("/")).unwrap();
        config.instances.iter().filter_map(line).collect()
    }

    #[test]
    fn an_instance_without_a_sandbox_is_named_with_the_remedy() {
        let lines = lines(
            r#"{"Shell#a": {"allow": ["git"]},
                "Shell#b": {"allow-any": true, "prefix": "b"},
                "Shell#c": {"allow-any": true, "prefix": "c", "launcher": "auto"}}"#,
        );
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("Shell#a: commands run unconfined; "), "{lines:?}");
        assert!(lines[1].starts_with("Shell#b: any command may run, unconfined; "), "{lines:?}");
        assert!(lines.iter().all(|line| line.contains("\"launcher\": \"auto\"")), "{lines:?}");
    }
}
