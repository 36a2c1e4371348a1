//! Addresses and names. Unix sockets go with the files: see `files`.

use crate::expression::{
    Expression, Expression::Text, Expression::Word, allow, deny, form, literal,
};

/// The socket by which the C library asks for names. It lies in a folder that a policy may open.
const RESOLVER: &str = "/private/var/run/mDNSResponder";

/// Everything that a policy says about addresses. It stands after the files.
pub(crate) fn rules(on: bool) -> Vec<Expression> {
    // A socket by itself reaches nobody, and pairs always work.
    let mut rules = vec![allow(&["system-socket"], [domain("AF_UNIX")])];
    if !on {
        // A question for a name carries data as well as any connection.
        rules.push(deny(&["network-outbound"], [literal(RESOLVER)]));
        return rules;
    }
    let any = |side| form(side, [Word("ip"), Text("*:*")]);
    rules.extend([
        allow(
            &["network-outbound"],
            [any("remote"), literal(RESOLVER), form("control-name", [Text("com.apple.netsrc")])],
        ),
        allow(&["network-bind", "network-inbound"], [any("local")]),
        // Which of several addresses of a name to try first, and which interface leads there.
        allow(&["system-socket"], [kernel_control(), domain("AF_ROUTE")]),
    ]);
    rules
}

fn domain(family: &'static str) -> Expression {
    form("socket-domain", [Word(family)])
}

/// A socket to a control of the kernel (`SYSPROTO_CONTROL` is 2).
fn kernel_control() -> Expression {
    form("require-all", [domain("AF_SYSTEM"), form("socket-protocol", [Word("2")])])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(on: bool) -> String {
        rules(on).iter().map(|rule| format!("{rule}\n")).collect()
    }

    #[test]
    fn without_network_no_address_is_open_and_no_name_is_resolved() {
        assert!(!text(false).contains("ip"), "{}", text(false));
        assert!(text(false).contains(&format!("(deny network-outbound (literal \"{RESOLVER}\"))")));
    }

    #[test]
    fn with_network_addresses_are_open_and_not_all_unix_sockets() {
        let text = text(true);
        assert!(text.contains("(remote ip \"*:*\")") && text.contains(RESOLVER), "{text}");
        assert!(!text.contains("unix-socket"), "{text}");
        assert!(!text.contains("(allow network-outbound)"), "{text}");
    }
}
