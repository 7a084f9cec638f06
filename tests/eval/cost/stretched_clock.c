/* A clock that runs N times faster than the kernel's, for programs that are linked with the C library.

   Loaded before other libraries (LD_PRELOAD), so that every program and all it starts live in that clock: what it
   reads is N times as far from the beginning, and what it waits for comes in an Nth of the time. So what is
   computed seems to take N times as long, and sound, pauses and time limits keep their length. Processors' time is
   multiplied alike. CLOCK_N is N; CLOCK_MONOTONIC_NS and CLOCK_REALTIME_NS are the kernel's when it began.

   Not covered, as nothing here waits by them: timerfd, setitimer, time limits of sockets. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
/* Later than any monotonic time and earlier than any wall time: tells of which clock a moment is. */
#define WALL_FROM_S 100000000

static double times = 1.0;
static int64_t monotonic_ns, realtime_ns;

__attribute__((constructor)) static void begin(void) {
    const char *n = getenv("CLOCK_N"), *monotonic = getenv("CLOCK_MONOTONIC_NS"), *realtime = getenv("CLOCK_REALTIME_NS");
    if (n && monotonic && realtime && atof(n) > 0) {
        times = atof(n);
        monotonic_ns = atoll(monotonic);
        realtime_ns = atoll(realtime);
    }
}

static int64_t in_ns(const struct timespec *t) { return t->tv_sec * SECOND + t->tv_nsec; }

static struct timespec of_ns(int64_t ns) {
    struct timespec t = {ns / SECOND, ns % SECOND};
    return t;
}

/* When the clock began, in the kernel's time of that clock; processors' clocks begin at 0. */
static int64_t began_ns(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: return realtime_ns;
    case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_MONOTONIC_COARSE: case CLOCK_BOOTTIME: return monotonic_ns;
    default: return 0;
    }
}

static int64_t stretched(int64_t kernel_ns, int64_t began) { return began + (int64_t)((kernel_ns - began) * times); }

/* The kernel's moment of a moment of this clock; one that is long past stays past. */
static struct timespec kernel_moment(const struct timespec *at) {
    int64_t began = at->tv_sec >= WALL_FROM_S ? realtime_ns : monotonic_ns;
    int64_t ns = began + (int64_t)((in_ns(at) - began) / times);
    return of_ns(ns > 0 ? ns : 0);
}

static struct timespec kernel_length(const struct timespec *length) { return of_ns((int64_t)(in_ns(length) / times)); }

static void *next(const char *name, const char *version) {
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return found ? found : dlsym(RTLD_NEXT, name);
}

#define NEXT(name) NEXT_OF(name, NULL)
#define NEXT_OF(name, version)                                                                                        \
    static __typeof__(&name) real;                                                                                    \
    if (!real) real = (__typeof__(&name))next(#name, version)

int clock_gettime(clockid_t clock, struct timespec *t) {
    NEXT(clock_gettime);
    int failed = real(clock, t);
    if (!failed) *t = of_ns(stretched(in_ns(t), began_ns(clock)));
    return failed;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into) *into = now.tv_sec;
    return now.tv_sec;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left) {
    NEXT(clock_nanosleep);
    struct timespec kernel = flags & TIMER_ABSTIME ? kernel_moment(wanted) : kernel_length(wanted);
    return real(clock, flags, &kernel, left);
}

int nanosleep(const struct timespec *wanted, struct timespec *left) {
    NEXT(nanosleep);
    struct timespec kernel = kernel_length(wanted);
    return real(&kernel, left);
}

int usleep(useconds_t us) {
    struct timespec wanted = of_ns((int64_t)us * 1000);
    return nanosleep(&wanted, NULL);
}

unsigned sleep(unsigned seconds) {
    struct timespec wanted = {seconds, 0};
    return nanosleep(&wanted, NULL) ? 1 : 0;
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
    NEXT(ppoll);
    struct timespec kernel;
    if (limit) kernel = kernel_length(limit);
    return real(files, count, limit ? &kernel : NULL, mask);
}

int poll(struct pollfd *files, nfds_t count, int limit_ms) {
    struct timespec limit = of_ns((int64_t)limit_ms * 1000000);
    return ppoll(files, count, limit_ms < 0 ? NULL : &limit, NULL);
}

int pselect(int count, fd_set *read, fd_set *write, fd_set *other, const struct timespec *limit, const sigset_t *mask) {
    NEXT(pselect);
    struct timespec kernel;
    if (limit) kernel = kernel_length(limit);
    return real(count, read, write, other, limit ? &kernel : NULL, mask);
}

int select(int count, fd_set *read, fd_set *write, fd_set *other, struct timeval *limit) {
    struct timespec length;
    if (limit) length = of_ns(limit->tv_sec * SECOND + limit->tv_usec * 1000);
    return pselect(count, read, write, other, limit ? &length : NULL, NULL);
}

int epoll_pwait(int file, struct epoll_event *events, int most, int limit_ms, const sigset_t *mask) {
    struct timespec limit = of_ns((int64_t)limit_ms * 1000000), kernel = kernel_length(&limit);
    return (int)syscall(SYS_epoll_pwait2, file, events, most, limit_ms < 0 ? NULL : &kernel, mask, _NSIG / 8);
}

int epoll_wait(int file, struct epoll_event *events, int most, int limit_ms) {
    return epoll_pwait(file, events, most, limit_ms, NULL);
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    NEXT_OF(pthread_cond_timedwait, "GLIBC_2.3.2");
    struct timespec kernel = kernel_moment(until);
    return real(cond, mutex, &kernel);
}

int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until) {
    NEXT(pthread_cond_clockwait);
    struct timespec kernel = kernel_moment(until);
    return real(cond, mutex, clock, &kernel);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    NEXT_OF(sem_timedwait, "GLIBC_2.34");
    struct timespec kernel = kernel_moment(until);
    return real(semaphore, &kernel);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until) {
    NEXT(sem_clockwait);
    struct timespec kernel = kernel_moment(until);
    return real(semaphore, clock, &kernel);
}
