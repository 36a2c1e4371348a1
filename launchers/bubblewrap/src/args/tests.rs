//! The options of a few views, as text.

use std::fs::File;

use super::*;

const FRAME: Frame<'_> =
    Frame { private_network: true, nested: false, whole: false, dir: None, filter: 8, status: 9 };

fn at(path: &str, what: What) -> Mount {
    Mount { at: path.into(), what }
}

fn bind(path: &str, access: Access) -> Mount {
    at(path, What::Bind { from: Source::Path(path.into()), access })
}

fn text(frame: &Frame<'_>, mounts: &[Mount]) -> String {
    let lines = options(frame, mounts).into_iter().map(|words| {
        let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
        words.join(" ") + "\n"
    });
    lines.collect()
}

/// The options that name files.
fn files(mounts: &[Mount]) -> String {
    let text = text(&FRAME, mounts);
    let (_, text) = text.split_once("--cap-drop ALL\n").unwrap();
    text.split_once("--seccomp").unwrap().0.to_owned()
}

#[test]
fn everything_that_can_be_private_is() {
    assert_eq!(
        text(&FRAME, &[]),
        "--unshare-user\n--unshare-pid\n--unshare-ipc\n--unshare-uts\n--unshare-cgroup-try\n--unshare-net\n\
         --disable-userns\n--die-with-parent\n--cap-drop ALL\n--remount-ro /\n--seccomp 8\n\
         --json-status-fd 9\n"
    );
}

#[test]
fn the_policy_opens_the_network_and_nesting() {
    let open = Frame { private_network: false, nested: true, ..FRAME };
    let text = text(&open, &[]);
    assert!(!text.contains("--unshare-net") && !text.contains("--disable-userns"), "{text}");
    assert!(text.contains("--unshare-user\n"), "{text}");
}

#[test]
fn the_directory_is_set_where_it_is_given() {
    let frame = Frame { dir: Some(Path::new("/w/a b")), ..FRAME };
    assert!(text(&frame, &[]).contains("--chdir /w/a b\n"));
}

#[test]
fn each_access_has_its_option() {
    let mounts = [
        bind("/usr", Access::Read),
        bind("/w", Access::Write),
        bind("/dev/dri", Access::Device),
        at("/bin", What::Link { target: "usr/bin".into() }),
    ];
    assert_eq!(
        files(&mounts),
        "--ro-bind /usr /usr\n--bind /w /w\n--dev-bind /dev/dri /dev/dri\n--symlink usr/bin /bin\n\
         --remount-ro /\n"
    );
}

#[test]
fn what_is_hidden_is_sealed_after_everything_below_it_was_mounted() {
    let mounts = [
        at("/proc", What::Proc),
        at("/dev", What::Dev),
        at("/tmp", What::Memory(Memory::Temporary)),
        at("/h/.ssh", What::HiddenFolder { search: true }),
        at("/h/.aws", What::HiddenFolder { search: false }),
        bind("/h/.ssh/known_hosts", Access::Read),
    ];
    assert_eq!(
        files(&mounts),
        "--proc /proc\n--dev /dev\n--perms 1777 --tmpfs /tmp\n--perms 0111 --tmpfs /h/.ssh\n\
         --perms 0000 --tmpfs /h/.aws\n--ro-bind /h/.ssh/known_hosts /h/.ssh/known_hosts\n--remount-ro /proc\n\
         --remount-ro /h/.ssh\n--remount-ro /h/.aws\n--remount-ro /\n"
    );
}

#[test]
fn a_whole_tree_is_read_only_by_its_own_bind() {
    let frame = Frame { whole: true, ..FRAME };
    let mounts = [bind("/", Access::Read), at("/run", What::Memory(Memory::Empty))];
    let text = text(&frame, &mounts);
    assert!(
        text.contains("--ro-bind / /\n--perms 0755 --tmpfs /run\n--remount-ro /run\n"),
        "{text}"
    );
    assert!(!text.contains("--remount-ro /\n"), "{text}");
}

#[test]
fn descriptors_are_used_where_they_are_known() {
    let open = || std::os::fd::OwnedFd::from(File::open("/dev/null").unwrap());
    let (read, copied, empty) = (open(), open(), open());
    let numbers = [&read, &copied, &empty].map(AsRawFd::as_raw_fd);
    let [read_number, copied_number, empty_number] = numbers;
    let from = Source::Descriptor { fd: read, path: "/usr".into() };
    let mounts = [
        at("/usr", What::Bind { from, access: Access::Read }),
        at("/etc/hosts", What::Copy { from: copied, mode: 0o644 }),
        at("/w/.env", What::HiddenFile { empty }),
    ];
    assert_eq!(
        files(&mounts),
        format!(
            "--ro-bind-fd {read_number} /usr\n--perms 0644 --file {copied_number} /etc/hosts\n--perms 0000 --ro-bind-data {empty_number} /w/.env\n--remount-ro /\n"
        )
    );
}

#[test]
fn words_are_bytes_and_end_with_a_nul() {
    use std::os::unix::ffi::OsStrExt;
    let name = OsStr::from_bytes(b"/a\n \xff");
    let encoded = encode(&[words("--bind", [name, name])]);
    assert_eq!(encoded, b"--bind\0/a\n \xff\0/a\n \xff\0");
}
