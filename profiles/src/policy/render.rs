//! A policy as text for people, and as JSON for programs.

use std::path::Path;

use serde_json::{Map, Value as Json, json};

use super::{Limits, Origin, Policy, Rule, UnixSockets};

impl Policy {
    /// The resolved policy as text, with the place where each rule was written:
    ///
    /// ```text
    /// write    /srv/app   workspace.toml:14 (${workspace})
    /// ```
    pub fn render(&self) -> String {
        let mut lines = vec![format!("{}: {}", self.name, self.description)];
        let mut table = Vec::new();
        for rule in &self.filesystem.rules {
            table.push(rule_row(rule.access.as_str(), rule));
        }
        if self.filesystem.scratch {
            table.push(row("write", "${tmp}", ""));
        }
        for rule in &self.filesystem.devices {
            table.push(rule_row("device", rule));
        }
        if self.filesystem.unsearched {
            table.push(row(
                "unsearched",
                "the far folders of the workspace, for git repositories",
                "",
            ));
        }
        section(&mut lines, "files", table);
        section(&mut lines, "network", self.network_rows());
        section(&mut lines, "environment", self.environment_rows());
        let syscalls = self.syscalls.iter();
        let syscalls = syscalls.map(|entry| row("allow", &entry.value, &place(&entry.origin)));
        section(&mut lines, "system calls", syscalls.collect());
        let limits = limit_pairs(&self.limits);
        let limits = limits.map(|(key, limit)| row(key, &limit.to_string(), ""));
        section(&mut lines, "limits", limits.collect());
        let best_effort = self.best_effort.iter().map(|promise| row(promise.as_str(), "", ""));
        section(&mut lines, "best effort", best_effort.collect());
        lines.push(String::new());
        lines.join("\n")
    }

    /// The resolved policy as JSON. Paths that are not UTF-8 have U+FFFD in place of the other
    /// bytes.
    pub fn to_json(&self) -> Json {
        let rules = |rules: &[Rule]| rules.iter().map(rule_json).collect::<Vec<_>>();
        let environment = &self.environment;
        let set: Map<String, Json> = environment
            .set
            .iter()
            .map(|(name, entry)| (name.clone(), json!(entry.value.shown())))
            .collect();
        let limits: Map<String, Json> =
            limit_pairs(&self.limits).map(|(key, limit)| (key.to_owned(), json!(limit))).collect();
        json!({
            "name": self.name,
            "description": self.description,
            "best-effort": self.best_effort.iter().map(|p| p.as_str()).collect::<Vec<_>>(),
            "filesystem": {
                "rules": rules(&self.filesystem.rules),
                "devices": rules(&self.filesystem.devices),
                "scratch": self.filesystem.scratch,
                "unsearched": self.filesystem.unsearched,
                "workspace": self.filesystem.workspace.as_deref().map(Path::to_string_lossy),
            },
            "network": {
                "mode": self.network.mode.as_str(),
                "unix-sockets": match &self.network.unix_sockets {
                    UnixSockets::Paths(paths) => json!(rules(paths)),
                    other => json!(sockets_word(other)),
                },
            },
            "environment": {
                "path": environment.path.iter().map(|e| e.value.to_string_lossy()).collect::<Vec<_>>(),
                "pass": environment.pass.iter().map(|e| &e.value).collect::<Vec<_>>(),
                "set": set,
            },
            "syscalls": { "allow": self.syscalls.iter().map(|e| &e.value).collect::<Vec<_>>() },
            "limits": limits,
        })
    }

    fn network_rows(&self) -> Vec<Row> {
        let mut rows = vec![
            row("mode", self.network.mode.as_str(), ""),
            row("sockets", sockets_word(&self.network.unix_sockets), ""),
        ];
        if let UnixSockets::Paths(paths) = &self.network.unix_sockets {
            rows.extend(paths.iter().map(|rule| rule_row("socket", rule)));
        }
        rows
    }

    fn environment_rows(&self) -> Vec<Row> {
        let environment = &self.environment;
        let path = environment
            .path
            .iter()
            .map(|entry| row("path", &shown(&entry.value), &place(&entry.origin)));
        let pass =
            environment.pass.iter().map(|entry| row("pass", &entry.value, &place(&entry.origin)));
        let set = environment.set.iter().map(|(name, entry)| {
            let value = format!("{name}={}", entry.value.shown().escape_debug());
            row("set", &value, &place(&entry.origin))
        });
        path.chain(pass).chain(set).collect()
    }
}

/// What, value, place.
type Row = [String; 3];

fn row(what: &str, value: &str, place: &str) -> Row {
    [what, value, place].map(str::to_owned)
}

fn rule_row(what: &str, rule: &Rule) -> Row {
    let place = match rule.written == rule.path || rule.origin.text.is_none() {
        true => place(&rule.origin),
        false => format!("{} ({})", rule.origin, rule.origin.text.as_deref().unwrap_or_default()),
    };
    row(what, &shown(&rule.path), &place)
}

/// A path on one line.
fn shown(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

/// The place, and the entry as it stands there where variables made another value of it.
fn place(origin: &Origin) -> String {
    match &origin.text {
        Some(text) if text.contains("${") => format!("{origin} ({text})"),
        _ => origin.to_string(),
    }
}

/// Adds a heading and a table with columns as wide as they need to be.
fn section(lines: &mut Vec<String>, heading: &str, rows: Vec<Row>) {
    if rows.is_empty() {
        return;
    }
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    // A very long path does not push all the others aside.
    let (first, second) = (width(0), width(1).min(60));
    lines.push(format!("\n{heading}"));
    for [what, value, place] in &rows {
        lines.push(format!("  {what:first$}  {value:second$}  {place}").trim_end().to_owned());
    }
}

fn sockets_word(sockets: &UnixSockets) -> &'static str {
    match sockets {
        UnixSockets::None => "none",
        UnixSockets::Inside => "inside",
        UnixSockets::Paths(_) => "inside, and these",
        UnixSockets::All => "all",
    }
}

fn limit_pairs(limits: &Limits) -> impl Iterator<Item = (&'static str, u64)> {
    let pairs = [
        ("memory", limits.memory),
        ("processes", limits.processes),
        ("open-files", limits.open_files),
        ("file-size", limits.file_size),
        ("cpu-seconds", limits.cpu_seconds),
    ];
    pairs.into_iter().filter_map(|(key, limit)| Some((key, limit?)))
}

fn rule_json(rule: &Rule) -> Json {
    let link = |link: &super::Link| json!({ "path": link.path.to_string_lossy(), "target": link.target.to_string_lossy() });
    json!({
        "access": rule.access.as_str(),
        "path": rule.path.to_string_lossy(),
        "kind": rule.kind.as_str(),
        "links": rule.links.iter().map(link).collect::<Vec<_>>(),
        "written": rule.written.to_string_lossy(),
        "origin": rule.origin.to_string(),
    })
}
