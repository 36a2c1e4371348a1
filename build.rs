//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    // A program at a fixed address starts in about half the time: the loader has no 26,000 pointers to
    // correct, and so the kernel none of the 120 pages to copy that hold them. `cofferdam run` is
    // started for every command, and pays that each time. Stack, heap and libraries stand at random
    // places all the same; the library is not concerned. `cofferdam serve` could do without.
    // A static program has no loader, and with this option it would ask for one.
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
