/*
 * The least that a start can cost here: a C program that starts the same command, with nothing above
 * the system calls. `benches/start` builds it, speaks to it over a pipe, and so lets its ways take
 * turns with those of the library.
 *
 *   floor FILTER RULES BWRAP -- COMMAND [ARGUMENT...]
 *
 *   FILTER  a file of `struct sock_filter`s: the very filter that the launcher installs
 *   RULES   a file of paths, one a line: what the Landlock rules open
 *   BWRAP   a file with what a person would type: lines `fd NUMBER PATH`, then lines `arg WORD`
 *
 * It reads words, one a line, and answers each with one line:
 *
 *   spawn            posix_spawn(3)
 *   vfork            clone(CLONE_VM | CLONE_VFORK) and execve
 *   confined NUMBER  the same; in the child no_new_privs, a new Landlock ruleset with so many rules on
 *                    descriptors that were opened before, and the filter
 *   bwrap            posix_spawn of the line in BWRAP
 *   fork             fork and execve, which copies the page tables
 *   hold NUMBER      hold so many GiB of touched memory from now on
 *
 * The answer is `WALL BLOCKED CPU`, in microseconds: until the child was reaped, until this program
 * went on, and the processor time of both; or `-` where the way does not work here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define MOST 2048

/* Landlock's interface, spelled out: the headers of older systems lack parts of it. */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
struct ruleset {
    uint64_t files, ports, scopes;
};
struct path_rule {
    uint64_t rights;
    int32_t place;
} __attribute__((packed));
#define READ_RIGHTS ((1u << 0) | (1u << 2) | (1u << 3))
#define FILE_RIGHTS ((1u << 0) | (1u << 2))

static char **command;
static struct sock_fprog filter;
static struct path_rule rules[MOST];
static int rule_count;
static char *bwrap[MOST];
static struct ruleset handled;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static double microseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

/* ---- what is prepared ---------------------------------------------------------------------- */

static void read_filter(const char *path)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info))
        fail(path);
    filter.filter = malloc((size_t)info.st_size + 1);
    if (read(file, filter.filter, (size_t)info.st_size) != info.st_size)
        fail(path);
    filter.len = (unsigned short)((size_t)info.st_size / sizeof *filter.filter);
    close(file);
}

static int by_length(const void *one, const void *other)
{
    size_t first = strlen(*(char *const *)one), second = strlen(*(char *const *)other);
    return (first > second) - (first < second);
}

/* The shortest first: the command and its libraries lie below them, also where few rules are used. */
static void read_rules(const char *path)
{
    static char *lines[MOST];
    char line[4096];
    int count = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        fail(path);
    while (count < MOST && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        lines[count++] = strdup(line);
    }
    fclose(file);
    qsort(lines, (size_t)count, sizeof *lines, by_length);
    for (int at = 0; at < count; at++) {
        struct stat info;
        int place = open(lines[at], O_PATH | O_CLOEXEC);
        if (place < 0 || fstat(place, &info))
            continue;
        rules[rule_count].place = place;
        rules[rule_count++].rights = S_ISDIR(info.st_mode) ? READ_RIGHTS : FILE_RIGHTS;
    }
}

/* A descriptor that the line names stays open from here on, under its number. */
static void read_bwrap(const char *path)
{
    char line[4096];
    int words = 0, low = open(path, O_RDONLY | O_CLOEXEC);
    /* Out of the way of the numbers in it. */
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 300);
    FILE *file = high < 0 ? NULL : fdopen(high, "r");
    if (!file)
        fail(path);
    close(low);
    while (words < MOST - 1 && fgets(line, sizeof line, file)) {
        int number, at;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "fd %d %n", &number, &at) == 1) {
            int is_sink = !strcmp(line + at, "/dev/null");
            int opened = open(line + at, is_sink ? O_WRONLY : O_RDONLY);
            if (opened < 0 || dup2(opened, number) < 0)
                fail(line + at);
            if (opened != number)
                close(opened);
        } else if (!strncmp(line, "arg ", 4)) {
            bwrap[words++] = strdup(line + 4);
        }
    }
    fclose(file);
}

static void learn_landlock(void)
{
    long version = syscall(CREATE_RULESET, NULL, 0, 1);
    static const int rights[] = {0, 13, 14, 15, 15, 16};
    handled.files = version < 1 ? 0 : (1ULL << rights[version > 5 ? 5 : version]) - 1;
    handled.ports = version >= 4 ? 3 : 0;
    handled.scopes = version >= 6 ? 3 : 0;
}

/* ---- the ways ------------------------------------------------------------------------------ */

/* A file that is read to its end would be empty at the next start. */
static void rewind_files(void)
{
    for (int number = 3; number < 256; number++)
        lseek(number, 0, SEEK_SET);
}

/* Returns 0 when the child is confined. */
static int confine(int count)
{
    int ruleset = (int)syscall(CREATE_RULESET, &handled, sizeof handled, 0);
    if (ruleset < 0)
        return -1;
    for (int at = 0; at < count; at++)
        if (syscall(ADD_RULE, ruleset, 1, &rules[at], 0))
            return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(RESTRICT_SELF, ruleset, 0))
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

/* The argument is the number of rules, or -1 for no confinement. */
static int child(void *argument)
{
    int count = *(int *)argument;
    if (count >= 0 && confine(count))
        _exit(126);
    execve(command[0], command, environ);
    _exit(127);
}

static pid_t vfork_like(int count)
{
    static char stack[64 * 1024] __attribute__((aligned(64)));
    sigset_t all, before;
    /* The child runs on this memory: no handler may run in it. */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t made = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &count);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return made;
}

static pid_t start(const char *way)
{
    pid_t made = -1;
    int count = -1;
    if (!strcmp(way, "spawn"))
        return posix_spawn(&made, command[0], NULL, NULL, command, environ) ? -1 : made;
    if (!strcmp(way, "bwrap"))
        return !bwrap[0] || posix_spawn(&made, bwrap[0], NULL, NULL, bwrap, environ) ? -1 : made;
    if (!strcmp(way, "vfork"))
        return vfork_like(-1);
    if (sscanf(way, "confined %d", &count) == 1)
        return handled.files && count <= rule_count ? vfork_like(count) : -1;
    if (!strcmp(way, "fork")) {
        made = fork();
        if (!made)
            child(&count);
    }
    return made;
}

static void answer(const char *way)
{
    struct rusage used;
    int status = 1;
    if (!strcmp(way, "bwrap"))
        rewind_files();
    double cpu = microseconds(CLOCK_PROCESS_CPUTIME_ID), begin = microseconds(CLOCK_MONOTONIC);
    pid_t made = start(way);
    double blocked = microseconds(CLOCK_MONOTONIC) - begin;
    while (made > 0 && wait4(made, &status, 0, &used) < 0 && errno == EINTR)
        ;
    double wall = microseconds(CLOCK_MONOTONIC) - begin;
    if (made <= 0 || status) {
        puts("-");
        return;
    }
    cpu = microseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    cpu += used.ru_utime.tv_sec * 1e6 + used.ru_utime.tv_usec;
    cpu += used.ru_stime.tv_sec * 1e6 + used.ru_stime.tv_usec;
    printf("%.1f %.1f %.1f\n", wall, blocked, cpu);
}

static void hold(long gib)
{
    static char *held;
    static size_t size;
    if (held)
        munmap(held, size);
    held = NULL;
    size = (size_t)gib << 30;
    if (size) {
        held = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (held == MAP_FAILED)
            fail("mmap");
        for (size_t at = 0; at < size; at += 4096)
            ((volatile char *)held)[at] = 1;
    }
    puts("0 0 0");
}

int main(int argc, char **argv)
{
    char line[256];
    if (argc < 6 || strcmp(argv[4], "--"))
        return fprintf(stderr, "usage: floor FILTER RULES BWRAP -- COMMAND [ARGUMENT...]\n"), 2;
    command = argv + 5;
    read_filter(argv[1]);
    read_bwrap(argv[3]);
    read_rules(argv[2]);
    learn_landlock();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "hold ", 5))
            hold(atol(line + 5));
        else
            answer(line);
        fflush(stdout);
    }
    return 0;
}
