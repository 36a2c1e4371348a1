//! What a run may ask the kernel about the machine (`sysctl(3)`).
//!
//! Named one by one: `kern.procargs2` holds the arguments and the environment of every process of the
//! user, and `kern.proc` their names.

use crate::expression::{Expression, Expression::Text, allow, form};

/// Processors, caches, memory: language runtimes size their thread pools and heaps by them, and pick
/// the instructions that they use.
const HARDWARE: [&str; 23] = [
    "hw.activecpu",
    "hw.busfrequency",
    "hw.byteorder",
    "hw.cacheconfig",
    "hw.cachelinesize",
    "hw.cpufamily",
    "hw.cpufrequency",
    "hw.cputype",
    "hw.cpusubtype",
    "hw.cpu64bit_capable",
    "hw.l1dcachesize",
    "hw.l1icachesize",
    "hw.l2cachesize",
    "hw.l3cachesize",
    "hw.logicalcpu",
    "hw.logicalcpu_max",
    "hw.machine",
    "hw.memsize",
    "hw.model",
    "hw.ncpu",
    "hw.nperflevels",
    "hw.packages",
    "hw.pagesize",
];

/// More of the same.
const PROCESSORS: [&str; 6] = [
    "hw.physicalcpu",
    "hw.physicalcpu_max",
    "hw.tbfrequency",
    "hw.vectorunit",
    "machdep.cpu.brand_string",
    "vm.loadavg",
];

/// What system this is, and the limits that C libraries and shells ask for.
const SYSTEM: [&str; 17] = [
    "kern.argmax",
    "kern.boottime",
    "kern.hostname",
    "kern.iossupportversion",
    "kern.maxfilesperproc",
    "kern.maxproc",
    "kern.ngroups",
    "kern.osproductversion",
    "kern.osrelease",
    "kern.ostype",
    "kern.osvariant_status",
    "kern.osversion",
    "kern.secure_kernel",
    "kern.usrstack64",
    "kern.version",
    "sysctl.proc_cputype",
    "sysctl.proc_translated",
];

/// Families: what the processor can do, its kinds of cores, and the older names of the same values.
const FAMILIES: [&str; 3] = ["hw.optional.", "hw.perflevel", "machdep.cpu."];

/// Names that end in `_compat` are what 32-bit callers get, and libraries still ask for.
const COMPATIBLE: [&str; 9] = [
    "hw.busfrequency_compat",
    "hw.cachelinesize_compat",
    "hw.cpufrequency_compat",
    "hw.l1dcachesize_compat",
    "hw.l1icachesize_compat",
    "hw.l2cachesize_compat",
    "hw.l3cachesize_compat",
    "hw.pagesize_compat",
    "hw.tbfrequency_compat",
];

/// Interfaces and addresses (`getifaddrs(3)`), which is nobody's business without network.
const ROUTES: &str = "net.routetable.";

/// The rules that open them.
pub(crate) fn readable(network: bool) -> Vec<Expression> {
    let names = HARDWARE.iter().chain(&PROCESSORS).chain(&SYSTEM).chain(&COMPATIBLE);
    let names = names.map(|name| form("sysctl-name", [Text(name)]));
    let routes = network.then_some(&ROUTES);
    let families = FAMILIES.iter().chain(routes);
    let families = families.map(|start| form("sysctl-name-prefix", [Text(start)]));
    vec![
        allow(&["sysctl-read"], names.chain(families)),
        // Java asks for the class of a processor by handing over a buffer, which counts as writing.
        allow(&["sysctl-write"], [form("sysctl-name", [Text("kern.grade_cputype")])]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_tells_of_other_processes() {
        let text = readable(true).iter().map(ToString::to_string).collect::<String>();
        assert!(!text.contains("kern.proc"), "{text}");
        assert!(text.contains("\"kern.argmax\""));
    }

    #[test]
    fn addresses_are_told_only_with_network() {
        let text = |network| readable(network)[0].to_string();
        assert!(text(true).contains(ROUTES) && !text(false).contains(ROUTES));
    }
}
