/* The floor of a start with private namespaces: a program that starts another one with the same system
 * calls as the launcher's init on a template, and does nothing else.
 *
 *   namespaces VIEW PROGRAM
 *
 * VIEW is a file of lines: `r PATH` and `w PATH` are shown for reading and writing, `l PATH TARGET` is a
 * link. It builds a template of that once and prints `ready`. Then it starts PROGRAM once for every line
 * on its standard input, and prints how long that took, in nanoseconds. Built by `namespaces.rs`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONGEST 400
/* As many instructions as the launcher's filter has. */
#define FILTER 234
#define ATTRIBUTES 7 /* read-only, no setuid, no devices */

struct place { char kind; char path[256], target[256]; };
struct open_how_ { uint64_t flags, mode, resolve; };

static struct place places[LONGEST];
static int count;
static const char *program;
static uid_t user;
static gid_t group;
static int mounts, own, folder;
static uint32_t network;

static void must(long result, const char *what)
{
    if (result >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    _exit(70);
}

static void put(int at, const char *path, const char *text)
{
    int file = openat(at, path, O_WRONLY | O_CLOEXEC);
    must(file, path);
    must(write(file, text, strlen(text)), path);
    close(file);
}

static void keep_ids(int at)
{
    char line[64];
    put(at, "proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1", user, user);
    put(at, "proc/self/uid_map", line);
    snprintf(line, sizeof line, "%u %u 1", group, group);
    put(at, "proc/self/gid_map", line);
}

static void make_way(const char *path)
{
    char part[600];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "/proc%.*s", (int)(slash - path), path);
        mkdir(part, 0755);
    }
}

/* The part of the view that all runs have in common, below /proc, and then the root. */
static void build_template(void)
{
    struct { uint64_t set, clear, propagation, user; } how = {ATTRIBUTES, 0, 0, 0};
    const char *devices[] = {"null", "zero", "full", "random", "urandom", "tty"};
    char at[600];
    must(mount("", "/", 0, MS_REC | MS_PRIVATE, 0), "private");
    must(mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755"), "root");
    for (int i = 0; i < count; i++) {
        struct stat found;
        make_way(places[i].path);
        snprintf(at, sizeof at, "/proc%s", places[i].path);
        if (places[i].kind == 'l') {
            must(symlink(places[i].target, at), at);
            continue;
        }
        if (stat(places[i].path, &found))
            continue;
        if (S_ISDIR(found.st_mode))
            mkdir(at, 0755);
        else
            mknod(at, S_IFREG | 0444, 0);
        int tree = syscall(SYS_open_tree, AT_FDCWD, places[i].path, 1 | O_CLOEXEC | AT_RECURSIVE);
        must(tree, places[i].path);
        how.set = places[i].kind == 'r' ? ATTRIBUTES : ATTRIBUTES & ~1;
        must(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &how, sizeof how), at);
        must(syscall(SYS_move_mount, tree, "", AT_FDCWD, at, 4), at);
        close(tree);
    }
    mkdir("/proc/tmp", 0755);
    mkdir("/proc/dev", 0755);
    mkdir("/proc/dev/pts", 0755);
    mkdir("/proc/dev/shm", 01777);
    for (int i = 0; i < 6; i++) {
        char from[32];
        snprintf(from, sizeof from, "/dev/%s", devices[i]);
        snprintf(at, sizeof at, "/proc/dev/%s", devices[i]);
        must(mknod(at, S_IFREG | 0666, 0), at);
        must(mount(from, at, 0, MS_BIND, 0), at);
    }
    mkdir("/proc/proc", 0755);
    must(mount("proc", "/proc/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, 0), "proc");
    must(chdir("/proc"), "chdir");
    must(syscall(SYS_pivot_root, ".", "."), "pivot_root");
    must(umount2(".", MNT_DETACH), "umount");
    must(chdir("/"), "chdir");
}

/* Returns a descriptor of the template's mount namespace. */
static int make_template(void)
{
    int ready[2], done[2];
    char path[64], byte;
    must(pipe(ready) | pipe(done), "pipe");
    pid_t outer = fork();
    if (!outer) {
        int host = open("/", O_PATH);
        must(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID), "unshare");
        keep_ids(host);
        pid_t inner = fork();
        if (!inner) {
            build_template();
            _exit(0);
        }
        int status;
        waitpid(inner, &status, 0);
        if (status)
            _exit(1);
        must(write(ready[1], "x", 1), "write");
        close(done[1]);
        (void)!read(done[0], &byte, 1);
        _exit(0);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1)
        _exit(70);
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", outer);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    must(fd, path);
    close(done[1]);
    waitpid(outer, 0, 0);
    return fd;
}

static void drop_capabilities(void)
{
    uint32_t version[2] = {0x20080522, 0}, none[6] = {0};
    for (int i = 0; prctl(PR_CAPBSET_DROP, i) == 0; i++)
        ;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    must(syscall(SYS_capset, version, none), "capset");
}

static void compare(int host)
{
    char last[256] = "";
    int around = -1;
    for (int i = 0; i < count; i++) {
        struct statx found;
        char path[256], *slash;
        if (places[i].kind == 'l')
            continue;
        strcpy(path, places[i].path);
        slash = strrchr(path, '/');
        *slash = 0;
        if (around < 0 || strcmp(path, last)) {
            struct open_how_ how = {O_PATH | O_CLOEXEC, 0, 4};
            close(around);
            around = syscall(SYS_openat2, host, *path ? path + 1 : ".", &how, sizeof how);
            strcpy(last, path);
        }
        statx(around, slash + 1, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &found);
    }
    close(around);
}

static int make_ruleset(void)
{
    const char *writable[] = {"/", "/tmp", "/dev", "/dev/shm"};
    uint64_t governed[3] = {0xffff, 0, 3};
    int ruleset = syscall(444, governed, sizeof governed, 0);
    must(ruleset, "landlock");
    for (int i = -4; i < count; i++) {
        if (i >= 0 && places[i].kind != 'w')
            continue;
        struct statx found;
        int at = open(i < 0 ? writable[i + 4] : places[i].path, O_PATH | O_CLOEXEC);
        struct { uint64_t rights; int32_t fd; } __attribute__((packed)) rule = {i == -4 ? 0xd : 0xffff, at};
        must(at, "rule");
        statx(at, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &found);
        must(syscall(445, ruleset, 1, &rule, 0), "rule");
        close(at);
    }
    return ruleset;
}

static int ruleset;
static char stacks[2][65536] __attribute__((aligned(16)));

static int command(void *unused)
{
    static struct sock_filter code[FILTER];
    struct sock_fprog filter = {FILTER, code};
    char *argv[] = {"true", 0}, *environment[] = {"PATH=/usr/bin:/bin", 0};
    struct statx found;
    (void)unused;
    code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    for (int i = 1; i < FILTER - 2; i++)
        code[i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 10000 + i, FILTER - 2 - i, 0);
    code[FILTER - 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[FILTER - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    statx(AT_FDCWD, program, 0, STATX_BASIC_STATS, &found);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    must(syscall(446, ruleset, 0), "restrict");
    syscall(SYS_close_range, 3, ~0u, 0);
    must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), "filter");
    execve(program, argv, environment);
    _exit(71);
}

static int inner(void *unused)
{
    const char *telltales[] = {"/proc/kcore", "/proc/keys", "/proc/sched_debug", "/proc/timer_list"};
    struct { uint64_t set, clear, propagation, user; } how = {ATTRIBUTES, 0, 0, 0};
    struct pollfd alive = {own, POLLIN, 0};
    int status;
    (void)unused;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    poll(&alive, 1, 0);
    int host = open("/", O_PATH | O_CLOEXEC);
    compare(host);
    must(setns(mounts, CLONE_NEWNS), "setns");
    must(unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP), "unshare");
    must(mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, 0), "proc");
    must(mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
               "newinstance,ptmxmode=0666,mode=620"), "devpts");
    must(mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"), "shm");
    must(mknod("/dev/shm/blank", S_IFREG, 0), "blank");
    for (int i = 0; i < 4; i++) {
        int to = open(telltales[i], O_PATH | O_CLOEXEC | O_NOFOLLOW);
        if (to < 0)
            continue;
        int tree = syscall(SYS_open_tree, AT_FDCWD, "/dev/shm/blank", 1 | O_CLOEXEC);
        must(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &how, sizeof how), "blank");
        must(syscall(SYS_move_mount, tree, "", to, "", 4 | 0x40), telltales[i]);
        close(tree);
        close(to);
    }
    must(unlink("/dev/shm/blank"), "blank");
    ruleset = make_ruleset();
    while (!__atomic_load_n(&network, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &network, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    must(setns(own, CLONE_NEWNET), "setns");
    must(unshare(CLONE_NEWUSER), "unshare");
    keep_ids(host);
    close(host);
    must(fchdir(folder), "fchdir");
    drop_capabilities();
    prctl(PR_SET_DUMPABLE, 0);
    pid_t child = clone(command, stacks[1] + sizeof stacks[1], CLONE_VM | CLONE_VFORK | SIGCHLD, 0);
    must(child, "clone");
    while (waitpid(-1, &status, 0) != child)
        ;
    _exit(WEXITSTATUS(status));
}

/* What is exec'd for a start: the first process of the run. */
static int outer(void)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int status, members;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    folder = open(".", O_PATH | O_CLOEXEC);
    members = ioctl(mounts, 0xb701);
    must(setns(members, CLONE_NEWUSER), "setns");
    close(members);
    must(unshare(CLONE_NEWPID), "unshare");
    own = syscall(SYS_pidfd_open, getpid(), 0);
    pid_t child = clone(inner, stacks[0] + sizeof stacks[0], CLONE_VM | SIGCHLD, 0);
    must(child, "clone");
    must(unshare(CLONE_NEWNET), "net");
    int socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    must(ioctl(socket_, SIOCSIFFLAGS, &request), "lo");
    close(socket_);
    __atomic_store_n(&network, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &network, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    drop_capabilities();
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

/* All that a start has to know, in a file in memory. */
static int write_plan(void)
{
    int plan = memfd_create("plan", MFD_CLOEXEC);
    must(write(plan, &count, sizeof count), "plan");
    must(write(plan, places, count * sizeof *places), "plan");
    return plan;
}

static void read_plan(int plan)
{
    size_t size = sizeof count + sizeof places;
    char *at = mmap(0, size, PROT_READ, MAP_PRIVATE, plan, 0);
    memcpy(&count, at, sizeof count);
    memcpy(places, at + sizeof count, count * sizeof *places);
    close(plan);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static uint64_t start(int template)
{
    char first[16], second[16];
    char *environment[] = {"PATH=/usr/bin:/bin", 0};
    int status;
    pid_t child;
    uint64_t begin = now();
    int plan = write_plan();
    snprintf(first, sizeof first, "%d", plan);
    snprintf(second, sizeof second, "%d", template);
    child = vfork();
    if (!child) {
        fcntl(plan, F_SETFD, 0);
        fcntl(template, F_SETFD, 0);
        execle("/proc/self/exe", "floor", first, second, program, "outer", (char *)0, environment);
        _exit(72);
    }
    close(plan);
    waitpid(child, &status, 0);
    fcntl(template, F_SETFD, FD_CLOEXEC);
    must(status ? -1 : 0, "start");
    return now() - begin;
}

int main(int argc, char **argv)
{
    char line[600], byte;
    if (argc < 3)
        return fprintf(stderr, "usage: namespaces VIEW PROGRAM\n"), 2;
    user = geteuid();
    group = getegid();
    if (argc == 5) {
        program = argv[3];
        mounts = atoi(argv[2]);
        read_plan(atoi(argv[1]));
        return outer();
    }
    program = argv[2];
    FILE *view = fopen(argv[1], "r");
    while (view && count < LONGEST && fgets(line, sizeof line, view)) {
        struct place *place = &places[count];
        if (sscanf(line, "%c %255s %255s", &place->kind, place->path, place->target) >= 2)
            count++;
    }
    int template = make_template();
    printf("ready\n");
    fflush(stdout);
    while (read(0, &byte, 1) == 1) {
        printf("%llu\n", (unsigned long long)start(template));
        fflush(stdout);
    }
    return 0;
}
