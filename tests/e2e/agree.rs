//! The landlock launcher with namespaces and bubblewrap enforce one policy alike: a table of what a
//! command may try, each with the answer that both must give.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::process::{Child, Command};

use crate::support::{Launcher, Setup, User, ignored, users};

/// What must come of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The script exits with 0.
    Done,
    /// It exits with anything else.
    Refused,
    /// It ends with this code.
    Code(i32),
}

use Answer::{Code, Done, Refused};

/// An operation: its answer, and a script for the shell. `$OUT` is a folder that no rule names, `$READ`
/// one that can be read; of the host are the process `$HOST`, the port `$PORT` and the abstract socket
/// `$NAME`, on which it listens, the shared memory `$SHM`, and `$FILE` in `/dev/shm`.
type Operation = (Answer, &'static str);

const FILES: &[Operation] = &[
    (Done, "cat kept"),
    (Done, "echo x > made && echo y >> made && cat made"),
    (Done, "mkdir -p a/b && mv a/b c && ls -d c a"),
    (Done, "mkdir -p d e && touch d/f && mv d/f e/g && ln e/g h && ls e h"),
    (Done, "ln -s kept link && cat link"),
    (Done, "touch gone && rm gone && test ! -e gone"),
    (Done, "touch m && chmod 600 m && touch -d 2001-01-01 m && stat -c '%a %Y' m"),
    (Done, "mkfifo pipe && (echo through > pipe &) && cat pipe"),
    (Done, "echo long > t && truncate -s 0 t && stat -c %s t"),
    (Done, "printf '#!/bin/sh\\necho ran\\n' > s && chmod +x s && ./s"),
    (Done, "stat -c %u kept . | sort -u | wc -l"),
    (Refused, "cat $OUT/secret"),
    (Refused, "ls $OUT"),
    (Refused, "stat $OUT/secret"),
    (Refused, "cat ../outside/secret"),
    (Refused, "cat planted"),
    (Done, "cat $READ/file && ls $READ"),
    (Refused, "touch $READ/new"),
    (Refused, "echo x >> $READ/file"),
    (Refused, "chmod 777 $READ/file"),
    (Refused, "rm $READ/file"),
    (Refused, "mv $READ/file stolen"),
    (Refused, "ln $READ/file alias"),
    (Refused, "echo x > $READ/pipe"),
    (Done, "cd $READ && cat file && pwd | tail -c 5"),
    (Refused, "cat /proc/self/root$OUT/secret"),
    (Refused, "echo x > $OUT/new"),
    (Refused, "echo x > planted"),
    (Refused, "chmod 777 $OUT/secret"),
    (Refused, "touch $OUT/secret"),
    (Refused, "ln $OUT/secret alias"),
    (Refused, "mv $OUT/secret stolen"),
    (Refused, "touch mine && mv mine $OUT/theirs"),
    (Refused, "cat denied/file"),
    (Refused, "ls denied/"),
    (Refused, "echo x > denied/new"),
    (Refused, "mv denied away"),
    (Refused, "rm -r denied"),
    (Done, "cat .git/config"),
    (Refused, "echo x >> .git/config"),
    (Refused, "touch n && mv n .git/config"),
    (Refused, "rm -f .git/config"),
    (Refused, "touch .git/hooks/pre-commit"),
    (Refused, "mv .git/hooks away"),
    (Refused, "mv .git away"),
    (Done, "echo ref > .git/HEAD && mkdir .git/objects && mv .git/HEAD .git/objects/"),
    (Done, "test -x /usr/bin/env && grep -c '^root:' /etc/passwd"),
    (Refused, "touch /usr/x"),
    (Refused, "chmod 777 /usr/bin/env"),
    // Which error it is differs: under bubblewrap small files of /etc are copies of the run's user.
    (Refused, "( echo x >> /etc/passwd ) 2> /dev/null"),
    (Refused, "cat /etc/shadow"),
    (Refused, "mkdir /new"),
    (Done, "touch $TMPDIR/x $HOME/y /tmp/z /dev/shm/w && ls /dev/shm"),
];

const METADATA: &[Operation] = &[
    (Done, "chmod 711 kept && stat -c %a kept && chmod 600 kept && stat -c %a kept"),
    (Done, "touch -d 2001-02-03T04:05:06Z kept && stat -c %Y kept"),
    (
        Done,
        "python3 -c 'import os; os.setxattr(\"kept\", \"user.k\", b\"v\"); print(os.getxattr(\"kept\", \"user.k\"))'",
    ),
    (Refused, "python3 -c 'import os; os.setxattr(\"/usr\", \"user.k\", b\"v\")'"),
    (Refused, "chown 1 kept"),
    (Refused, "touch -a /usr/bin/env"),
    (Refused, "chmod 777 .git/config"),
    (Refused, "touch -d 2001-01-01 .git/config"),
    (Refused, "stat denied/file"),
    (Refused, "chmod 777 denied"),
    (Refused, "test -e $OUT"),
    (Done, "umask && touch fresh && stat -c %a fresh"),
    (Done, "find . -maxdepth 1 | sort"),
    (Done, "df . > /dev/null && stat -f -c %T /tmp > /dev/null"),
    (
        Done,
        "python3 -c 'import fcntl; f = open(\"lock\", \"w\"); fcntl.flock(f, 2); fcntl.lockf(f, 2)'",
    ),
];

const IPC: &[Operation] = &[
    (Done, "ipcs -m | grep -c 0x; true"),
    (Refused, "ipcrm -m $SHM"),
    (Refused, "cat /dev/shm/$FILE"),
    (Refused, "rm /dev/shm/$FILE"),
    (Done, "ipcmk -M 64 > /dev/null && ipcs -m | grep -c 0x"),
    (
        Done,
        "python3 -c 'from multiprocessing import shared_memory as m; s = m.SharedMemory(create=True, size=8); s.unlink()'",
    ),
    (Done, "ls -A /dev/shm | wc -l"),
    (Done, "ls /proc/sysvipc > /dev/null; hostname > /dev/null; id -u > /dev/null"),
    (Done, "ls -A /dev/pts"),
    (Refused, "cat /dev/pts/0"),
];

const DEVICES: &[Operation] = &[
    (Done, "echo x > /dev/null && head -c 4 /dev/zero | wc -c && head -c 1 /dev/urandom | wc -c"),
    (Done, "{ echo x > /dev/fd/1; echo y > /dev/stdout; } | cat /dev/stdin"),
    (Done, "python3 -c 'import os; print(os.ttyname(os.openpty()[1])[:9])'"),
    (Done, "ls -A /dev"),
    (Refused, "mknod disk b 8 0"),
    (Refused, "mknod null c 1 3"),
    (Refused, "true < /dev/tty"),
    (Refused, "head -c 1 /dev/kmsg"),
    (Refused, "head -c 1 /dev/mem"),
];

const PROCESSES: &[Operation] = &[
    (Code(7), "exit 7"),
    (Code(137), "kill -9 $$"),
    (Code(143), "kill $$"),
    (Done, "sleep 332 & kill -9 $!; wait $!; echo $?"),
    (Done, "setsid -w true && echo session"),
    (Refused, "kill -0 $HOST"),
    (Refused, "kill -9 $HOST"),
    (Refused, "cat /proc/$HOST/cmdline"),
    (Refused, "renice -n 5 -p $HOST"),
    (Refused, "prlimit --pid $HOST --nofile=10"),
    (Done, "head -n 1 /proc/self/status"),
    (Refused, "echo x > /proc/sys/kernel/hostname"),
    (Refused, "echo h > /proc/sysrq-trigger"),
    (Refused, "cat /proc/keys"),
    (Done, "grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp):' /proc/self/status"),
    (Refused, "unshare --user true"),
    (Refused, "unshare --mount true"),
    (Refused, "mount -t tmpfs t ."),
    (Refused, "umount /proc"),
    (Refused, "python3 -c 'import os; os.chroot(\".\")'"),
    (Refused, "hostname other"),
    (Refused, "date -s 2001-01-01"),
    (
        Done,
        "python3 -c 'import multiprocessing as m; m.Lock(); print(sum(m.Pool(2).map(abs, [-1, -2])))'",
    ),
    (Done, "(setsid -f sleep 332); echo left"),
];

const NETWORK: &[Operation] = &[
    (
        Done,
        "python3 -c 'import socket as s
l = s.create_server((\"127.0.0.1\", 0)); s.create_connection(l.getsockname()); print(1)'",
    ),
    (
        Done,
        "python3 -c 'import socket as s
l = s.socket(s.AF_UNIX); l.bind(\"own\"); l.listen(); s.socket(s.AF_UNIX).connect(\"own\"); print(1)'",
    ),
    (Done, "python3 -c 'import socket as s; a, b = s.socketpair(); a.send(b\"x\"); print(b.recv(1))'"),
    (Done, "python3 -c 'import socket as s; print(s.if_nameindex())'"),
    (Refused, "python3 -c \"import socket; socket.create_connection(('127.0.0.1', $PORT), 5)\""),
    (
        Refused,
        "python3 -c \"import socket as s; s.socket(s.AF_INET6).connect(('::ffff:127.0.0.1', $PORT))\"",
    ),
    (
        Refused,
        "python3 -c \"import socket as s; s.socket().sendto(b'x', 0x20000000, ('127.0.0.1', $PORT))\"",
    ),
    (Refused, "python3 -c \"import socket as s; s.socket(s.AF_UNIX).connect('$OUT/socket')\""),
    (Refused, "python3 -c \"import socket as s; s.socket(s.AF_UNIX).connect('\\0$NAME')\""),
    (Refused, "python3 -c 'import socket as s; s.socket(type=s.SOCK_RAW, proto=255)'"),
    (Refused, "python3 -c 'import socket as s; s.socket(s.AF_VSOCK)'"),
    (Refused, "python3 -c 'import socket as s; s.socket(s.AF_ALG, s.SOCK_SEQPACKET)'"),
    (Refused, "python3 -c 'import socket as s; s.socket(s.AF_PACKET, s.SOCK_RAW)'"),
    (Refused, "python3 -c 'import socket as s; s.getaddrinfo(\"example.com\", 80)'"),
];

/// What came of an operation: its code, its output, and what it said, which has the names of errors;
/// with the place's own path left out.
type Outcome = (Option<i32>, String, String);

/// What can be given to a run beside its profile.
type Options = fn(&Setup) -> Vec<String>;

/// Things of the host that a command could reach.
struct Targets {
    host: Child,
    tcp: TcpListener,
    _file: UnixListener,
    _abstract: UnixListener,
    name: String,
    memory: Memory,
}

/// Shared memory of a user of the host, by number and by name.
struct Memory {
    user: User,
    id: String,
    file: PathBuf,
}

impl Memory {
    fn new(user: User) -> Self {
        let mut command = Command::new("ipcmk");
        command.args(["-M", "64"]);
        user.applied_to(&mut command);
        let told = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let id = told.trim().rsplit(' ').next().unwrap().to_owned();
        let file = PathBuf::from(format!("/dev/shm/cofferdam-agree-{}-{id}", std::process::id()));
        std::fs::write(&file, "SECRET").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).unwrap();
        if let Some(id) = user.id() {
            std::os::unix::fs::chown(&file, Some(id), Some(id)).unwrap();
        }
        Memory { user, id, file }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let mut command = Command::new("ipcrm");
        command.args(["-m", &self.id]);
        self.user.applied_to(&mut command);
        let is_there = command.status().is_ok_and(|status| status.success());
        let file_is_there = std::fs::remove_file(&self.file).is_ok();
        if !std::thread::panicking() {
            assert!(is_there && file_is_there, "a run has removed shared memory of the host");
        }
    }
}

impl Targets {
    fn new(setup: &Setup) -> Self {
        let name = format!("cofferdam-agree-{}", setup.place.text("").replace('/', "-"));
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        Targets {
            host: process_of(setup.user),
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            _file: UnixListener::bind(setup.place.path("outside/socket")).unwrap(),
            _abstract: UnixListener::bind_addr(&address).unwrap(),
            name,
            memory: Memory::new(setup.user),
        }
    }
}

impl Drop for Targets {
    fn drop(&mut self) {
        let _ = self.host.kill();
        let _ = self.host.wait();
    }
}

/// A process of the host, of the user who will attack it.
fn process_of(user: User) -> Child {
    let mut command = Command::new("sleep");
    command.arg("331");
    user.applied_to(&mut command);
    command.spawn().unwrap()
}

/// A place as it is before every operation.
fn prepared(launcher: Launcher, user: User) -> Setup {
    let setup = Setup::new(launcher, user);
    setup.place.file("work/kept", "kept\n");
    setup.place.file("work/denied/file", "SECRET");
    setup.place.file("work/.git/config", "[core]\n");
    setup.place.file("work/.git/HEAD", "ref\n");
    setup.place.folder("work/.git/hooks");
    setup.place.file("outside/secret", "SECRET");
    setup.place.file("read/file", "text\n");
    nix::unistd::mkfifo(&setup.place.path("read/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    symlink(setup.place.path("outside/secret"), setup.place.path("work/planted")).unwrap();
    setup
}

fn outcome(setup: &Setup, targets: &mut Targets, options: Options, script: &str) -> Outcome {
    let script = format!(
        "OUT={} READ={} SHM={} FILE={} HOST={} PORT={} NAME={}\n{script}",
        setup.place.text("outside"),
        setup.place.text("read"),
        targets.memory.id,
        targets.memory.file.file_name().unwrap().display(),
        targets.host.id(),
        targets.tcp.local_addr().unwrap().port(),
        targets.name,
    );
    let denied = setup.place.text("work/denied");
    let more = options(setup);
    let mut options = vec!["--profile", "workspace", "--deny", &denied];
    options.extend(more.iter().map(String::as_str));
    let ran = setup.run(&options, ["sh", "-c", &script]);
    assert!(!ran.stdout.contains("SECRET"), "{script}: {ran:?}");
    assert!(targets.host.try_wait().unwrap().is_none(), "{script} has ended a process of the host");
    let place = setup.place.text("");
    let text = |text: &str| {
        let text = text.replace(&place, "PLACE/");
        text.replace(&targets.host.id().to_string(), "HOST").replace(&targets.memory.id, "SHM")
    };
    (ran.code, text(&ran.stdout), text(&ran.stderr))
}

/// What one launcher answers to every operation of a table.
fn answers(launcher: Launcher, user: User, options: Options, table: &[Operation]) -> Vec<Outcome> {
    let answers = table.iter().map(|(_, script)| {
        let setup = prepared(launcher, user);
        let mut targets = Targets::new(&setup);
        let outcome = outcome(&setup, &mut targets, options, script);
        assert_eq!(setup.place.read("outside/secret"), "SECRET", "{script}");
        assert_eq!(setup.place.read("work/denied/file"), "SECRET", "{script}");
        assert_eq!(setup.place.read("work/.git/config"), "[core]\n", "{script}");
        assert_eq!(setup.place.read("read/file"), "text\n", "{script}");
        outcome
    });
    answers.collect()
}

/// Whether a launcher enforces all of the policy here; says so where it does not.
fn enforces_all(launcher: Launcher, user: User) -> bool {
    if let Some(hindrance) = launcher.hindrance(user) {
        ignored(hindrance);
        return false;
    }
    let setup = prepared(launcher, user);
    let payload = setup.payload(&["--profile", "workspace"], ["true"]);
    let missing = &payload["sandbox"]["missing"];
    if !missing.is_null() {
        ignored(format!("{launcher} leaves {missing} open here for {user}"));
    }
    missing.is_null()
}

fn both_answer(options: Options, table: &[Operation]) {
    for user in users() {
        if !Launcher::WITH_NAMESPACES.into_iter().all(|launcher| enforces_all(launcher, user)) {
            continue;
        }
        let landlock = answers(Launcher::Landlock, user, options, table);
        let bubblewrap = answers(Launcher::Bubblewrap, user, options, table);
        let mut wrong = Vec::new();
        for ((answer, script), (one, other)) in table.iter().zip(landlock.iter().zip(&bubblewrap)) {
            let is_right = |outcome: &Outcome| match answer {
                Done => outcome.0 == Some(0),
                Refused => !matches!(outcome.0, Some(0 | 125..=127) | None),
                Code(code) => outcome.0 == Some(*code),
            };
            if one != other || !is_right(one) {
                wrong.push(format!(
                    "{script}\n  landlock {one:?}\n  bubblewrap {other:?}\n  {answer:?}"
                ));
            }
        }
        assert!(wrong.is_empty(), "{user}: {}", wrong.join("\n"));
    }
}

fn nothing_more(_: &Setup) -> Vec<String> {
    Vec::new()
}

#[test]
fn both_answer_alike_about_files() {
    both_answer(|setup| vec!["--read".to_owned(), setup.place.text("read")], FILES);
}

#[test]
fn both_answer_alike_about_metadata() {
    both_answer(nothing_more, METADATA);
}

#[test]
fn both_answer_alike_about_ipc() {
    both_answer(nothing_more, IPC);
}

#[test]
fn both_answer_alike_about_devices() {
    both_answer(nothing_more, DEVICES);
}

#[test]
fn both_answer_alike_about_processes() {
    both_answer(nothing_more, PROCESSES);
}

#[test]
fn both_answer_alike_about_the_network() {
    both_answer(nothing_more, NETWORK);
}
