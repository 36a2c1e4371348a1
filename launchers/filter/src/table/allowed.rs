//! The calls that every program may make, by what they are for.
//!
//! What is missing here and in `refused.rs` does not exist for the command, whatever the kernel
//! offers: old numbers that no one implements, and those that a later kernel brings.

/// A reason, and the calls that it covers.
#[rustfmt::skip]
pub(super) const ALLOWED: &[(&str, &[&str])] = &[
    ("reads and writes open files", &[
        "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2",
        "pwritev2", "lseek", "sendfile", "splice", "tee", "vmsplice", "copy_file_range",
        "readahead", "fadvise64", "close", "close_range", "fsync", "fdatasync", "sync", "syncfs",
        "sync_file_range", "ftruncate", "fallocate", "flock", "fcntl", "dup", "dup2", "dup3",
        "pipe", "pipe2", "cachestat",
    ]),
    ("opens and changes files by path; the launcher decides which", &[
        "open", "openat", "openat2", "creat", "truncate", "access", "faccessat", "faccessat2",
        "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2",
        "link", "linkat", "symlink", "symlinkat", "readlink", "readlinkat", "mknod", "mknodat",
        "chdir", "fchdir", "getcwd", "getdents", "getdents64", "umask",
    ]),
    ("looks at files and their metadata", &[
        "stat", "fstat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "chmod", "fchmod",
        "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes",
        "utimensat", "futimesat", "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr",
        "flistxattr", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
        "fremovexattr", "getxattrat", "listxattrat", "setxattrat", "removexattrat", "file_getattr",
        "file_setattr",
    ]),
    ("watches files that it can open", &[
        "inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch",
    ]),
    ("its own memory", &[
        "mmap", "mprotect", "munmap", "mremap", "msync", "mincore", "madvise", "brk", "mlock",
        "mlock2", "munlock", "mlockall", "munlockall", "remap_file_pages", "memfd_create",
        "memfd_secret", "pkey_alloc", "pkey_free", "pkey_mprotect", "mseal", "map_shadow_stack",
    ]),
    ("starts, waits for and ends processes and threads", &[
        "fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid",
        "set_tid_address", "arch_prctl", "prctl", "rseq", "membarrier", "process_mrelease",
    ]),
    ("names of processes, sessions and users; no_new_privs holds", &[
        "getpid", "gettid", "getppid", "getpgid", "getpgrp", "getsid", "setsid", "setpgid",
        "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "setuid",
        "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid",
        "setgroups", "capget", "capset", "pidfd_open",
    ]),
    ("signals; the launcher decides to whom", &[
        "kill", "tkill", "tgkill", "pidfd_send_signal", "rt_sigaction", "rt_sigprocmask",
        "rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigqueueinfo",
        "rt_tgsigqueueinfo", "sigaltstack", "signalfd", "signalfd4", "pause", "restart_syscall",
    ]),
    ("waits and counts", &[
        "futex", "futex_waitv", "futex_wait", "futex_wake", "futex_requeue", "get_robust_list",
        "set_robust_list", "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1",
        "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2",
        "io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "io_pgetevents",
    ]),
    ("time and timers", &[
        "time", "gettimeofday", "clock_gettime", "clock_getres", "nanosleep", "clock_nanosleep",
        "alarm", "getitimer", "setitimer", "times", "timer_create", "timer_settime",
        "timer_gettime", "timer_getoverrun", "timer_delete", "timerfd_create", "timerfd_settime",
        "timerfd_gettime",
    ]),
    ("scheduling and limits", &[
        "sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam",
        "sched_setparam", "sched_getscheduler", "sched_setscheduler", "sched_getattr",
        "sched_setattr", "sched_get_priority_max", "sched_get_priority_min",
        "sched_rr_get_interval", "getpriority", "setpriority", "ioprio_get", "ioprio_set",
        "getrlimit", "setrlimit", "getrusage", "getcpu",
    ]),
    ("what the system is like", &["uname", "sysinfo", "getrandom"]),
    ("works on sockets that exist; which may be made is decided at `socket`", &[
        "bind", "connect", "listen", "accept", "accept4", "getsockname", "getpeername",
        "getsockopt", "shutdown", "recvfrom", "recvmsg", "recvmmsg",
    ]),
    ("System V and POSIX IPC; the launcher decides whose", &[
        "shmget", "shmat", "shmdt", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget",
        "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive",
        "mq_notify", "mq_getsetattr",
    ]),
    ("confines itself further", &[
        "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
    ]),
];
