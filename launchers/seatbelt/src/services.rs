//! The Mach services that ordinary programs need. Whatever is not listed cannot be looked up: least of
//! all what starts things outside (launchd, Launch Services), the keychain, and the resolver of names
//! while the network is off.

use crate::expression::{Expression, Expression::Text, allow, form};

/// A service, and why a run may look it up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Service {
    pub(crate) name: &'static str,
    pub(crate) reason: &'static str,
    /// Only while the network is on.
    pub(crate) network: bool,
}

const fn service(name: &'static str, network: bool, reason: &'static str) -> Service {
    Service { name, reason, network }
}

/// All of them.
pub(crate) const SERVICES: [Service; 7] = [
    service(
        "com.apple.system.opendirectoryd.libinfo",
        false,
        "users and groups: `getpwuid(3)`, `getgrnam(3)`; without it `whoami` and `ls -l` know numbers only",
    ),
    service(
        "com.apple.system.opendirectoryd.membership",
        false,
        "groups of a user: `getgrouplist(3)`, `id`",
    ),
    service("com.apple.logd", false, "`os_log(3)`, which frameworks call on every error"),
    service(
        "com.apple.SystemConfiguration.DNSConfiguration",
        true,
        "the list of name servers: libresolv, c-ares, Go",
    ),
    service(
        "com.apple.SystemConfiguration.configd",
        true,
        "proxies and reachability: CFNetwork, Python's `urllib`",
    ),
    service("com.apple.trustd", true, "trust in certificates: Security.framework as root"),
    service(
        "com.apple.trustd.agent",
        true,
        "trust in certificates: curl, Go, and whatever uses the system's roots",
    ),
];

/// Those that a run may look up.
pub(crate) fn open(network: bool) -> impl Iterator<Item = &'static Service> {
    SERVICES.iter().filter(move |service| network || !service.network)
}

/// The rule that opens them.
pub(crate) fn lookups(network: bool) -> Expression {
    allow(&["mach-lookup"], open(network).map(|service| form("global-name", [Text(service.name)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What reaches out of the sandbox, or what another rule is meant to close.
    const NEVER: [&str; 10] = [
        "launchservicesd",
        "launchd",
        "coreservices",
        "lsd",
        "mDNSResponder",
        "dnssd",
        "securityd",
        "SecurityServer",
        "pasteboard",
        "tccd",
    ];

    #[test]
    fn no_service_starts_anything_outside_resolves_names_or_holds_keys() {
        for service in SERVICES {
            for never in NEVER {
                assert!(!service.name.contains(never), "{}", service.name);
            }
        }
    }

    #[test]
    fn without_network_nothing_that_leads_there_can_be_looked_up() {
        let text = lookups(false).to_string();
        assert!(text.contains("opendirectoryd.libinfo"), "{text}");
        for name in ["SystemConfiguration", "trustd"] {
            assert!(!text.contains(name), "{text}");
            assert!(lookups(true).to_string().contains(name));
        }
    }

    #[test]
    fn the_readme_lists_every_service_with_its_reason() {
        let readme = include_str!("../README.md");
        for service in SERVICES {
            let row = format!("| `{}` | {} |", service.name, service.reason);
            assert!(readme.contains(&row), "{row}");
        }
    }
}
