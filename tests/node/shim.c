/* Stands between a process and its disk: while the named file exists, fsync gives EIO, or writes find no room. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int armed(const char *name) {
    const char *path = getenv(name);
    int saved = errno;
    int yes = path != NULL && access(path, F_OK) == 0;
    errno = saved;
    return yes;
}

#define SYNC(name)                                                        \
    int name(int fd) {                                                    \
        static int (*real)(int);                                          \
        if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, #name);          \
        if (armed("FAULT_SYNC")) { errno = EIO; return -1; }              \
        return real(fd);                                                  \
    }
SYNC(fsync)
SYNC(fdatasync)

#define WRITE(name, offset)                                                                      \
    ssize_t name(int fd, const void *data, size_t count, offset at) {                            \
        static ssize_t (*real)(int, const void *, size_t, offset);                               \
        if (!real) real = (ssize_t (*)(int, const void *, size_t, offset))dlsym(RTLD_NEXT, #name); \
        if (armed("FAULT_FULL")) { errno = ENOSPC; return -1; }                                  \
        return real(fd, data, count, at);                                                        \
    }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)
