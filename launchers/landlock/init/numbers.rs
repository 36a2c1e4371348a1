//! The numbers of the system calls that the init makes. A test of the launcher compares them with the
//! C library's.

macro_rules! numbers {
    ($($name:ident $x86_64:literal $aarch64:literal)*) => {
        $(
            #[cfg(target_arch = "x86_64")]
            pub const $name: usize = $x86_64;
            #[cfg(target_arch = "aarch64")]
            pub const $name: usize = $aarch64;
        )*
        /// All of them, by the names of the C library.
        #[cfg(test)]
        pub const ALL: &[(&str, usize)] = &[$((stringify!($name), $name)),*];
    };
}

// name, x86_64, aarch64
numbers! {
    WRITE 1 64
    CLOSE 3 57
    LSEEK 8 62
    MMAP 9 222
    RT_SIGPROCMASK 14 135
    IOCTL 16 29
    NANOSLEEP 35 101
    GETPID 39 172
    SOCKET 41 198
    SENDMSG 46 211
    CLONE 56 220
    EXECVE 59 221
    WAIT4 61 260
    KILL 62 129
    FCNTL 72 25
    CHDIR 80 49
    FCHDIR 81 50
    UMASK 95 166
    GETEUID 107 175
    GETEGID 108 177
    CAPSET 126 91
    PIVOT_ROOT 155 41
    PRCTL 157 167
    MOUNT 165 40
    UMOUNT2 166 39
    FUTEX 202 98
    EXIT_GROUP 231 94
    OPENAT 257 56
    MKDIRAT 258 34
    MKNODAT 259 33
    UNLINKAT 263 35
    SYMLINKAT 266 36
    READLINKAT 267 78
    PPOLL 271 73
    UNSHARE 272 97
    PRLIMIT64 302 261
    SETNS 308 268
    SECCOMP 317 277
    STATX 332 291
    OPEN_TREE 428 428
    MOVE_MOUNT 429 429
    FSOPEN 430 430
    FSCONFIG 431 431
    FSMOUNT 432 432
    PIDFD_OPEN 434 434
    CLOSE_RANGE 436 436
    OPENAT2 437 437
    MOUNT_SETATTR 442 442
    LANDLOCK_CREATE_RULESET 444 444
    LANDLOCK_ADD_RULE 445 445
    LANDLOCK_RESTRICT_SELF 446 446
}
