//! Whether a name of an archive is one on another host.

/// Whether `tar` would read this argument as `HOST:FILE`: a colon before any slash. Options with such a
/// value in them count, and other long options do not.
pub(super) fn names_host(arg: &str) -> bool {
    let arg = match arg.split_once('=') {
        Some((name, value)) if arg.starts_with("--f") && "--file".starts_with(name) => value,
        _ if arg.starts_with("--") => return false,
        _ => arg,
    };
    arg.split('/').next().is_some_and(|first| first.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_before_the_first_slash_names_a_host() {
        for arg in ["host:a.tar", "u@host:/a.tar", "-cfhost:a.tar", "--file=host:a", "--fi=host:a"]
        {
            assert!(names_host(arg), "{arg}");
        }
        for arg in ["a.tar", "./a:b.tar", "/srv/a:b", "--mtime=10:00", "-cf", "--exclude=a:b"] {
            assert!(!names_host(arg), "{arg}");
        }
    }
}
